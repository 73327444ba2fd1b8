// Elementary functions against libm in double: a sweep over every exponent and both signs, special
// values, and every place in a vector.
#include "data.h"

#include "compute/leaves.h"
#include "compute/vecmath.h"

static double exact_exp(double x) {
  return exp(x);
}
static double exact_log(double x) {
  return log(x);
}
static double exact_tanh(double x) {
  return tanh(x);
}
static double exact_erf(double x) {
  return erf(x);
}
static double exact_sigmoid(double x) {
  return 1 / (1 + exp(-x));
}
static double exact_gelu(double x) {
  return x == -INFINITY ? 0 : x / 2 * erfc(-x / sqrt(2.0));
}
static double exact_gelu_tanh(double x) {
  const double z = 2 * sqrt(2 / acos(-1.0)) * (x + 0.044715 * x * x * x);
  return x == -INFINITY ? 0 : x / (1 + exp(-z));
}
static double exact_silu(double x) {
  return x == -INFINITY ? 0 : x / (1 + exp(-x));
}

typedef struct function {
  const char *name;
  void (*fast)(size_t, const float *, float *);
  double (*exact)(double);
  double ulp; // 0: bounded by 2^-22 |x| instead
} function;

static const function functions[] = {
#define ROW(NAME, ULP) {#NAME, tern_v##NAME##_f32, exact_##NAME, ULP},
    TERN_VECMATH_F32(ROW) TERN_VECMATH_ACTIVATIONS_F32(ROW)
#undef ROW
};

// The spacing of floats around a value; that of denormals below 2^-126.
static double ulp_of(double value) {
  int exponent;
  frexp(value, &exponent);
  return ldexp(1, (exponent < -125 ? -125 : exponent) - 24);
}

static void check_value(const function *f, float x, float y) {
  const double expected = f->exact((double)x);
  if (isnan(expected)) {
    if (!isnan(y)) fail_msg("%s(%a) is %a, expected NaN", f->name, (double)x, (double)y);
    return;
  }
  if ((float)expected == y) return;
  const double allowed = f->ulp > 0 ? f->ulp * ulp_of(expected) : 0x1p-22 * fabs((double)x);
  const double error = fabs((double)y - expected);
  const int is_near_overflow = isinf(y) && expected > 0 && fabs(expected) > 0x1.fffffcp127;
  if (!(error <= allowed + 0x1p-149) && !is_near_overflow)
    fail_msg("%s(%a) is %a, expected %a: %g ulp", f->name, (double)x, (double)y, expected,
             error / ulp_of(expected));
}

// Every 4099th float of both signs: a million points, all exponents.
static void test_sweep(void **state) {
  (void)state;
  enum { COUNT = 256 };
  float x[COUNT], y[COUNT];
  for (size_t k = 0; k < TERN_COUNT_OF(functions); k++) {
    uint64_t bits = 0;
    while (bits <= UINT32_MAX) {
      size_t n = 0;
      for (; n < COUNT && bits <= UINT32_MAX; bits += 4099) {
        const uint32_t word = (uint32_t)bits;
        memcpy(&x[n], &word, sizeof word);
        n++;
      }
      functions[k].fast(n, x, y);
      for (size_t i = 0; i < n; i++) check_value(&functions[k], x[i], y[i]);
    }
  }
}

// Where results leave the range of normal numbers, and where polynomials meet.
static void test_borders(void **state) {
  (void)state;
  static const float centers[] = {88.72284f,      -87.33655f, -103.972f, 1,     0.625f,    -0.625f,
                                  0x1.6a09e6p-1f, 4,          -1,        9.01f, 0x1p-126f, 0};
  for (size_t k = 0; k < TERN_COUNT_OF(functions); k++)
    for (size_t c = 0; c < TERN_COUNT_OF(centers); c++) {
      float x = centers[c], y;
      for (int step = 0; step < 200; step++) x = nextafterf(x, -INFINITY);
      for (int step = 0; step < 400; step++) {
        functions[k].fast(1, &x, &y);
        check_value(&functions[k], x, y);
        x = nextafterf(x, INFINITY);
      }
    }
}

static void test_special_values(void **state) {
  (void)state;
  static const float specials[] = {0,         -0.0f,      INFINITY,        -INFINITY,       NAN,
                                   0x1p-149f, -0x1p-149f, 0x1.fffffep127f, -0x1.fffffep127f};
  for (size_t k = 0; k < TERN_COUNT_OF(functions); k++) {
    float y[TERN_COUNT_OF(specials)];
    functions[k].fast(TERN_COUNT_OF(specials), specials, y);
    for (size_t i = 0; i < TERN_COUNT_OF(specials); i++) {
      const float expected = (float)functions[k].exact((double)specials[i]);
      check_value(&functions[k], specials[i], y[i]);
      if (isinf(expected)) assert_true(y[i] == expected);
    }
  }
  float zeros[2] = {0, -0.0f}, y[2];
  tern_vtanh_f32(2, zeros, y);
  assert_true(!signbit(y[0]) && signbit(y[1]));
  tern_verf_f32(2, zeros, y);
  assert_true(!signbit(y[0]) && signbit(y[1]));
}

// Tails give the bits of whole vectors, in place too, and write nothing beyond.
static void test_place_does_not_matter(void **state) {
  (void)state;
  float *x = new_random(67, 1);
  for (size_t i = 0; i < 67; i++) x[i] = 20 * x[i] * x[i] * x[i] + 0.25f;
  for (size_t k = 0; k < TERN_COUNT_OF(functions); k++) {
    float whole[67], part[68], single;
    functions[k].fast(67, x, whole);
    for (size_t n = 0; n <= 67; n++) {
      memcpy(part, x, n * sizeof *x);
      part[n] = 42;
      functions[k].fast(n, part, part);
      for (size_t i = 0; i < n; i++) assert_memory_equal(&part[i], &whole[i], sizeof(float));
      assert_true(part[n] == 42);
    }
    for (size_t i = 0; i < 67; i++) {
      functions[k].fast(1, x + i, &single);
      assert_memory_equal(&single, &whole[i], sizeof(float));
    }
  }
  free(x);
}

int main(void) {
  require_selected_isa();
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_sweep),
      cmocka_unit_test(test_borders),
      cmocka_unit_test(test_special_values),
      cmocka_unit_test(test_place_does_not_matter),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
