// Activations: float against the formula in double over the whole range, and the edges.
#include "compute/activation.h"

#include <math.h>

#include "unit/test.h"

static double elu(double x, double a, double b) {
  (void)b;
  return x < 0 ? a * expm1(x) : x;
}
static double celu(double x, double a, double b) {
  (void)b;
  return fmax(0, x) + fmin(0, a * expm1(x / a));
}
static double selu(double x, double a, double b) {
  return b * elu(x, a, 0);
}
static double softplus(double x, double a, double b) {
  (void)a, (void)b;
  return log1p(exp(-fabs(x))) + fmax(x, 0);
}
static double mish(double x, double a, double b) {
  return x * tanh(softplus(x, a, b));
}
static double swish(double x, double a, double b) {
  (void)b;
  return x / (1 + exp(-a * x));
}
static double gelu(double x, double a, double b) {
  (void)a, (void)b;
  return 0.5 * x * erfc(-x * 0.70710678118654752440);
}
static double sigmoid(double x, double a, double b) {
  (void)a, (void)b;
  return 1 / (1 + exp(-x));
}
static double tanh_of(double x, double a, double b) {
  (void)a, (void)b;
  return tanh(x);
}
static double clip(double x, double a, double b) {
  return fmin(b, fmax(a, x));
}
static double hard_sigmoid(double x, double a, double b) {
  return fmin(1, fmax(0, a * x + b));
}
static double hard_swish(double x, double a, double b) {
  (void)a, (void)b;
  return x * fmin(1, fmax(0, x / 6 + 0.5));
}

// `bound` is on the error, relative to the result and to `floor` times the argument.
typedef struct function {
  tern_activation activation;
  double (*exact)(double x, double alpha, double beta);
  float alpha, beta;
  double bound, floor;
} function;
static const function functions[] = {
    {TERN_ACTIVATION_ELU, elu, 0.7f, 0, 1e-6, 0},
    {TERN_ACTIVATION_CELU, celu, 2.5f, 0, 1e-6, 0},
    {TERN_ACTIVATION_SELU, selu, 1.6732632f, 1.050701f, 1e-6, 0},
    {TERN_ACTIVATION_SOFTPLUS, softplus, 0, 0, 1e-6, 0},
    {TERN_ACTIVATION_MISH, mish, 0, 0, 1e-6, 0},
    {TERN_ACTIVATION_SWISH, swish, 1, 0, 1e-6, 0},
    {TERN_ACTIVATION_SWISH, swish, -1.7f, 0, 2e-5, 0},
    {TERN_ACTIVATION_GELU, gelu, 0, 0, 1e-6, 1},
    {TERN_ACTIVATION_HARD_SIGMOID, hard_sigmoid, 0.2f, 0.5f, 1e-6, 0.1},
    {TERN_ACTIVATION_HARD_SWISH, hard_swish, 0, 0, 1e-6, 0.1},
    {TERN_ACTIVATION_SIGMOID, sigmoid, 0, 0, 1e-6, 0},
    {TERN_ACTIVATION_TANH, tanh_of, 0, 0, 1e-6, 0},
    {TERN_ACTIVATION_CLIP, clip, -0.7f, 1.3f, 1e-6, 0},
};

static void float_is_near_the_formula(void **state) {
  (void)state;
  enum { N = 1001 }; // more than a piece, no multiple of a vector
  float x[N], y[N];
  for (int i = 0; i < N; ++i) x[i] = (float)(i - 500) * 0.06f + 1e-4f;
  for (size_t f = 0; f < TERN_COUNT_OF(functions); ++f) {
    const function *fn = &functions[f];
    const tern_activation_params params = {fn->alpha, fn->beta};
    tern_activation_find(fn->activation, TERN_FLOAT)(x, y, N, &params);
    for (int i = 0; i < N; ++i) {
      const double exact = fn->exact((double)x[i], (double)fn->alpha, (double)fn->beta);
      const double allowed = fn->bound * (fabs(exact) + fn->floor * fabs((double)x[i]));
      if (fabs((double)y[i] - exact) > allowed + 1e-37)
        fail_msg("function %zu of %.9g is %.9g, not %.9g", f, (double)x[i], (double)y[i], exact);
    }
  }
}

static void double_is_the_formula(void **state) {
  (void)state;
  for (size_t f = 0; f < TERN_COUNT_OF(functions); ++f) {
    const function *fn = &functions[f];
    for (int i = 0; i < 49; ++i) {
      const double x = -9 + 0.37 * i;
      double y;
      tern_activation_find(fn->activation,
                           TERN_DOUBLE)(&x, &y, 1, &(tern_activation_params){fn->alpha, fn->beta});
      const double exact = fn->exact(x, (double)fn->alpha, (double)fn->beta);
      assert_true(fabs(y - exact) <= 1e-12 * (1 + fabs(exact)));
    }
  }
}

static void edges(void **state) {
  (void)state;
  const float x[] = {-INFINITY, INFINITY, NAN, -0.5f, 0.5f};
  const tern_activation_params one = {1, 0.25f};
  float y[5];
  tern_activation_find(TERN_ACTIVATION_RELU, TERN_FLOAT)(x, y, 5, &one);
  assert_true(y[0] == 0 && isinf(y[1]) && isnan(y[2]) && y[3] == 0 && y[4] == 0.5f);
  tern_activation_find(TERN_ACTIVATION_ELU, TERN_FLOAT)(x, y, 5, &one);
  assert_true(y[0] == -1 && isinf(y[1]) && isnan(y[2]));
  tern_activation_find(TERN_ACTIVATION_SOFTPLUS, TERN_FLOAT)(x, y, 5, &one);
  assert_true(y[0] == 0 && isinf(y[1]) && isnan(y[2]));
  tern_activation_find(TERN_ACTIVATION_SHRINK, TERN_FLOAT)(x, y, 5,
                                                           &(tern_activation_params){0.4f, 0.25f});
  assert_true(y[3] == -0.25f && y[4] == 0.25f);
  const int8_t small[] = {-128, -1, 1, 127};
  int8_t shrunk[4];
  tern_activation_find(TERN_ACTIVATION_SHRINK, TERN_INT8)(small, shrunk, 4,
                                                          &(tern_activation_params){1, 2});
  assert_true(shrunk[0] == -126 && shrunk[1] == 0 && shrunk[2] == 0 && shrunk[3] == 125);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(float_is_near_the_formula),
      cmocka_unit_test(double_is_the_formula),
      cmocka_unit_test(edges),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
