// Integer products and convolutions with zero points, and deformable convolution.
#include "compute/conv_int.h"

#include "unit/ops/support.h"

#define ATTRS(...)                                                                                 \
  .attrs = (const tern_attr[]){__VA_ARGS__},                                                       \
  .attr_count = (int32_t)TERN_COUNT_OF(((const tern_attr[]){__VA_ARGS__}))
#define BYTES(shape, ...) test_tensor(TERN_UINT8, (shape), (const uint8_t[]){__VA_ARGS__})
#define FLOATS(shape, ...) test_tensor(TERN_FLOAT, (shape), (const float[]){__VA_ARGS__})

// One zero point a row of A also when A is a batch over one B.
static void rows_have_zero_points_of_their_own(void **state) {
  (void)state;
  const int32_t expected[] = {2, 2, 4, 4};
  test_expect(
      TEST_RUN(.op = "MatMulInteger",
               .inputs = {BYTES(TEST_SHAPE(2, 2, 1), 3, 7, 5, 9), BYTES(TEST_SHAPE(1, 1), 4),
                          BYTES(TEST_SHAPE(2), 1, 5), BYTES(TEST_SHAPE(1), 3)}),
      TERN_INT32, TEST_SHAPE(2, 2, 1), expected);
  TEST_FAILS("a_zero_point has 3", .op = "MatMulInteger",
             .inputs = {BYTES(TEST_SHAPE(2, 1), 3, 7), BYTES(TEST_SHAPE(1, 1), 4),
                        BYTES(TEST_SHAPE(3), 1, 5, 7)});
}

static void sums_are_rounded_to_even_and_clamped(void **state) {
  (void)state;
  const int32_t sums[] = {5, 7, -7, 1000, -1000};
  const float half = 0.5f;
  const int8_t narrow[] = {3, 5, -3, 127, -128};
  const uint8_t bytes[] = {3, 5, 0, 255, 0};
  uint8_t y[5];
  tern_requantize_i8(5, sums, &half, 0, 1, true, y);
  assert_memory_equal(y, narrow, 5);
  tern_requantize_i8(5, sums, &half, 0, 1, false, y);
  assert_memory_equal(y, bytes, 5);
}

static void padding_adds_nothing(void **state) {
  (void)state;
  const int64_t pads[] = {1, 1};
  const int32_t expected[] = {3, 6, 5};
  test_expect(TEST_RUN(.op = "ConvInteger",
                       .inputs = {BYTES(TEST_SHAPE(1, 1, 3), 11, 12, 13),
                                  BYTES(TEST_SHAPE(1, 1, 3), 1, 1, 1), BYTES(TEST_SCALAR, 10)},
                       ATTRS(tern_attr_ints("pads", pads, 2))),
              TERN_INT32, TEST_SHAPE(1, 1, 3), expected);
  TEST_FAILS("x_zero_point has 2", .op = "ConvInteger",
             .inputs = {BYTES(TEST_SHAPE(1, 1, 3), 11, 12, 13), BYTES(TEST_SHAPE(1, 1, 3), 1, 1, 1),
                        BYTES(TEST_SHAPE(2), 1, 1)});
}

// A kernel of one element that reads half an element further on; the last one half outside.
static void samples_lie_between_elements(void **state) {
  (void)state;
  const float expected[] = {3, 5, 3};
  test_expect(
      TEST_RUN(.op = "DeformConv",
               .inputs = {FLOATS(TEST_SHAPE(1, 1, 3), 1, 2, 3), FLOATS(TEST_SHAPE(1, 1, 1), 2),
                          FLOATS(TEST_SHAPE(1, 1, 3), 0.5f, 0.5f, 0.5f)}),
      TERN_FLOAT, TEST_SHAPE(1, 1, 3), expected);
  TEST_FAILS("[1,1,3] is needed", .op = "DeformConv",
             .inputs = {FLOATS(TEST_SHAPE(1, 1, 3), 1, 2, 3), FLOATS(TEST_SHAPE(1, 1, 1), 2),
                        FLOATS(TEST_SHAPE(1, 2, 2), 0, 0, 0, 0)});
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(rows_have_zero_points_of_their_own),
      cmocka_unit_test(sums_are_rounded_to_even_and_clamped),
      cmocka_unit_test(padding_adds_nothing),
      cmocka_unit_test(samples_lie_between_elements),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
