// Elementwise loops: edges of each type, every form of stepping, writing over an operand.
#include "compute/elementwise.h"

#include <math.h>
#include <string.h>

#include "unit/test.h"

#define L(...)                                                                                     \
  { __VA_ARGS__ }
// fn(a, b) = expected, all of one length.
#define CHECK(fn, type, result, a, b, expected)                                                    \
  do {                                                                                             \
    const type a_[] = a, b_[] = b;                                                                 \
    const result expected_[] = expected;                                                           \
    result y_[TERN_COUNT_OF(expected_)];                                                           \
    assert_non_null(fn);                                                                           \
    (fn)(a_, 1, b_, 1, y_, (int64_t)TERN_COUNT_OF(expected_));                                     \
    assert_memory_equal(y_, expected_, sizeof expected_);                                          \
  } while (0)

static void integers_wrap_and_never_trap(void **state) {
  (void)state;
  CHECK(tern_binary_find(TERN_BINARY_ADD, TERN_INT8), int8_t, int8_t, L(127, -128), L(1, -1),
        L(-128, 127));
  CHECK(tern_binary_find(TERN_BINARY_MUL, TERN_UINT16), uint16_t, uint16_t, L(65535), L(65535),
        L(1));
  CHECK(tern_binary_find(TERN_BINARY_DIV, TERN_INT64), int64_t, int64_t, L(INT64_MIN, -7), L(-1, 2),
        L(INT64_MIN, -3));
  CHECK(tern_binary_find(TERN_BINARY_MOD, TERN_INT32), int32_t, int32_t, L(-7, 7, 7, -7, INT32_MIN),
        L(3, -3, 3, -3, -1), L(2, -2, 1, -1, 0));
  CHECK(tern_binary_find(TERN_BINARY_FMOD, TERN_INT32), int32_t, int32_t, L(-7, 7, INT32_MIN),
        L(3, -3, -1), L(-1, 1, 0));
}

static void shifts_are_bounded(void **state) {
  (void)state;
  CHECK(tern_binary_find(TERN_BINARY_SHIFT_LEFT, TERN_UINT8), uint8_t, uint8_t, L(3, 3, 255),
        L(1, 8, 7), L(6, 0, 128));
  CHECK(tern_binary_find(TERN_BINARY_SHIFT_RIGHT, TERN_INT32), int32_t, int32_t, L(-8, -8, 8, -1),
        L(1, 32, 40, -1), L(-4, -1, 0, -1));
  CHECK(tern_binary_find(TERN_BINARY_SHIFT_LEFT, TERN_INT64), int64_t, int64_t, L(-1, 1, 5),
        L(63, 64, -2), L(INT64_MIN, 0, 0));
}

static void float_remainders_follow_the_standard(void **state) {
  (void)state;
  CHECK(tern_binary_find(TERN_BINARY_MOD, TERN_FLOAT), float, float,
        L(-7, 7, 0.0f, 1, -1, 5.5f, -6), L(3, -3, -2, INFINITY, INFINITY, 2, 3),
        L(2, -2, -0.0f, 1, INFINITY, 1.5f, 0.0f));
  CHECK(tern_binary_find(TERN_BINARY_FMOD, TERN_FLOAT), float, float, L(-7, 7, 5.5f), L(3, -3, 2),
        L(-1, 1, 1.5f));
}

static void comparisons_and_extremes_of_nan(void **state) {
  (void)state;
  CHECK(tern_binary_find(TERN_BINARY_LESS_OR_EQUAL, TERN_DOUBLE), double, uint8_t, L(1, 2, NAN),
        L(1, 1, 1), L(1, 0, 0));
  float y[2];
  for (tern_binary_op op = TERN_BINARY_MIN; op <= TERN_BINARY_MAX; ++op) {
    tern_binary_find(op, TERN_FLOAT)((float[]){NAN, 1}, 1, (float[]){1, NAN}, 1, y, 2);
    assert_true(isnan(y[0]) && isnan(y[1]));
  }
}

static void steps_and_aliases(void **state) {
  (void)state;
  enum { N = 37 };
  float a[N], b[N], y[N];
  for (int i = 0; i < N; ++i) a[i] = (float)i, b[i] = (float)(i * i);
  const tern_binary_fn sub = tern_binary_find(TERN_BINARY_SUB, TERN_FLOAT);
  sub(a, 1, b, 0, y, N);
  for (int i = 0; i < N; ++i) assert_true(y[i] == a[i] - b[0]);
  sub(&a[3], 0, b, 1, y, N);
  for (int i = 0; i < N; ++i) assert_true(y[i] == 3 - b[i]);
  sub(a, 1, b, 1, a, N);
  for (int i = 0; i < N; ++i) assert_true(a[i] == (float)(i - i * i));
}

static void signs_of_every_kind(void **state) {
  (void)state;
  float y[4];
  tern_unary_find(TERN_UNARY_SIGN, TERN_FLOAT)((float[]){-2, 0, 3, NAN}, y, 4);
  assert_true(y[0] == -1 && y[1] == 0 && y[2] == 1 && isnan(y[3]));
  int8_t small[2];
  tern_unary_find(TERN_UNARY_ABS, TERN_INT8)((int8_t[]){-128, -5}, small, 2);
  assert_true(small[0] == -128 && small[1] == 5);
  tern_unary_find(TERN_UNARY_ROUND, TERN_FLOAT)((float[]){0.5f, 1.5f, -2.5f, 2.6f}, y, 4);
  assert_true(y[0] == 0 && y[1] == 2 && y[2] == -2 && y[3] == 3);
  tern_unary_find(TERN_UNARY_SIGMOID, TERN_FLOAT)((float[]){-1000, 0, 1000, NAN}, y, 4);
  assert_true(y[0] == 0 && y[1] == 0.5f && y[2] == 1 && isnan(y[3]));
}

static void powers(void **state) {
  (void)state;
  CHECK(tern_pow_find(TERN_INT64, false), int64_t, int64_t, L(3, -2, 2, -1, 10, 7),
        L(4, 3, 64, -3, -1, 0), L(81, -8, 0, -1, 0, 1));
  int32_t y[2];
  tern_pow_find(TERN_INT32, true)((int32_t[]){9, 2}, 1, (double[]){0.5, -1}, 1, y, 2);
  assert_true(y[0] == 3 && y[1] == 0);
  float z[3];
  tern_pow_find(TERN_FLOAT, false)((float[]){-3, 0.1f, 5}, 1, (float[]){2}, 0, z, 3);
  assert_true(z[0] == 9 && z[1] == 0.1f * 0.1f && z[2] == 25);
}

static void finds_zeros(void **state) {
  (void)state;
  assert_true(tern_integers_have_zero(TERN_INT16, (int16_t[]){1, 2, 0, 4}, 4));
  assert_false(tern_integers_have_zero(TERN_INT16, (int16_t[]){256, -1}, 2));
  assert_false(tern_integers_have_zero(TERN_FLOAT, (float[]){0}, 1));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(integers_wrap_and_never_trap),
      cmocka_unit_test(shifts_are_bounded),
      cmocka_unit_test(float_remainders_follow_the_standard),
      cmocka_unit_test(comparisons_and_extremes_of_nan),
      cmocka_unit_test(steps_and_aliases),
      cmocka_unit_test(signs_of_every_kind),
      cmocka_unit_test(powers),
      cmocka_unit_test(finds_zeros),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
