// The loops of activation.h.
#include "compute/activation.h"

#include <math.h>

#include "compute/cast.h"

// `real` is the type the function is computed in.
#define LOOP(name, type, real, expression)                                                         \
  static void name(const void *vx, void *vy, int64_t count,                                        \
                   const tern_activation_params *params) {                                         \
    const type *px = vx;                                                                           \
    type *y = vy;                                                                                  \
    const real alpha = (real)params->alpha, beta = (real)params->beta;                             \
    (void)alpha, (void)beta;                                                                       \
    TERN_LANES_INDEPENDENT                                                                         \
    for (int64_t i = 0; i < count; ++i) {                                                          \
      const type x = px[i];                                                                        \
      y[i] = (type)(expression);                                                                   \
    }                                                                                              \
  }

// m() is the type's form of a function of math.h.
#define FUNCTIONS(type, suffix, m)                                                                 \
  static inline type unit_##suffix(type x) {                                                       \
    x = x > 0 ? x : 0;                                                                             \
    return x < 1 ? x : 1;                                                                          \
  }                                                                                                \
  static inline type swish_of_##suffix(type x, type alpha) {                                       \
    const type e = m(exp)(-m(fabs)(alpha * x));                                                    \
    return x * ((alpha * x >= 0 ? 1 : e) / (1 + e));                                               \
  }                                                                                                \
  static inline type gelu_of_##suffix(type x) {                                                    \
    return (type)0.5 * x * (1 + m(erf)(x * (type)0.70710678118654752440));                         \
  }                                                                                                \
  static inline type gelu_tanh_of_##suffix(type x) {                                               \
    const type inner = (type)0.79788456080286535588 * (x + (type)0.044715 * x * x * x);            \
    return (type)0.5 * x * (1 + m(tanh)(inner));                                                   \
  }                                                                                                \
  LOOP(relu_##suffix, type, type, x < 0 ? 0 : x)                                                   \
  LOOP(leaky_relu_##suffix, type, type, x < 0 ? alpha * x : x)                                     \
  LOOP(elu_##suffix, type, type, x < 0 ? alpha * m(expm1)(x) : x)                                  \
  LOOP(celu_##suffix, type, type, x > 0 ? x : alpha * m(expm1)(x / alpha))                         \
  LOOP(selu_##suffix, type, type, beta *(x > 0 ? x : alpha * m(expm1)(x)))                         \
  LOOP(thresholded_relu_##suffix, type, type, x > alpha ? x : 0)                                   \
  LOOP(hard_sigmoid_##suffix, type, type, unit_##suffix(alpha *x + beta))                          \
  LOOP(hard_swish_##suffix, type, type, x *unit_##suffix(x / 6 + (type)0.5))                       \
  LOOP(gelu_##suffix, type, type, gelu_of_##suffix(x))                                             \
  LOOP(gelu_tanh_##suffix, type, type, gelu_tanh_of_##suffix(x))                                   \
  LOOP(softplus_##suffix, type, type, (x > 0 ? x : 0) + m(log1p)(m(exp)(-m(fabs)(x))))             \
  LOOP(softsign_##suffix, type, type, x / (1 + m(fabs)(x)))                                        \
  LOOP(shrink_##suffix, type, type, x<-alpha ? x + beta : x> alpha ? x - beta : 0)                 \
  LOOP(swish_##suffix, type, type, swish_of_##suffix(x, alpha))
#define SINGLE(function) function##f
#define DOUBLE(function) function
FUNCTIONS(float, f32, SINGLE)
FUNCTIONS(double, f64, DOUBLE)

#define X(dtype, type, suffix) LOOP(relu_##suffix, type, float, x < 0 ? 0 : x)
TERN_X_SIGNED(X)
#undef X

// Integers are shrunk as doubles and cast back as Cast does.
static inline double shrink_of(double x, double alpha, double beta) {
  return x < -alpha ? x + beta : x > alpha ? x - beta : 0;
}
#define X(dtype, type, suffix)                                                                     \
  static void shrink_##suffix(const void *vx, void *vy, int64_t count,                             \
                              const tern_activation_params *params) {                              \
    const type *x = vx;                                                                            \
    type *y = vy;                                                                                  \
    for (int64_t i = 0; i < count; ++i) {                                                          \
      const double value = shrink_of((double)x[i], (double)params->alpha, (double)params->beta);   \
      tern_cast(TERN_DOUBLE, &value, dtype, &y[i], 1, &(tern_cast_options){0});                    \
    }                                                                                              \
  }
TERN_X_INTS(X)
#undef X

static const tern_activation_fn loops[TERN_ACTIVATION_COUNT][TERN_DTYPE_COUNT] = {
    [TERN_ACTIVATION_RELU] = {TERN_ENTRIES_FLOATS(relu), TERN_ENTRIES_SIGNED(relu)},
    [TERN_ACTIVATION_LEAKY_RELU] = {TERN_ENTRIES_FLOATS(leaky_relu)},
    [TERN_ACTIVATION_ELU] = {TERN_ENTRIES_FLOATS(elu)},
    [TERN_ACTIVATION_CELU] = {TERN_ENTRIES_FLOATS(celu)},
    [TERN_ACTIVATION_SELU] = {TERN_ENTRIES_FLOATS(selu)},
    [TERN_ACTIVATION_THRESHOLDED_RELU] = {TERN_ENTRIES_FLOATS(thresholded_relu)},
    [TERN_ACTIVATION_HARD_SIGMOID] = {TERN_ENTRIES_FLOATS(hard_sigmoid)},
    [TERN_ACTIVATION_HARD_SWISH] = {TERN_ENTRIES_FLOATS(hard_swish)},
    [TERN_ACTIVATION_GELU] = {TERN_ENTRIES_FLOATS(gelu)},
    [TERN_ACTIVATION_GELU_TANH] = {TERN_ENTRIES_FLOATS(gelu_tanh)},
    [TERN_ACTIVATION_SOFTPLUS] = {TERN_ENTRIES_FLOATS(softplus)},
    [TERN_ACTIVATION_SOFTSIGN] = {TERN_ENTRIES_FLOATS(softsign)},
    [TERN_ACTIVATION_SHRINK] = {TERN_ENTRIES_NUMBERS(shrink)},
    [TERN_ACTIVATION_SWISH] = {TERN_ENTRIES_FLOATS(swish)},
};

tern_activation_fn tern_activation_find(tern_activation activation, tern_dtype dtype) {
  return loops[activation][dtype];
}

#define PRELU_LOOP(name, type, product)                                                            \
  static void name(const void *vx, int64_t x_step, const void *vs, int64_t s_step, void *vy,       \
                   int64_t count) {                                                                \
    const type *px = vx, *ps = vs;                                                                 \
    type *y = vy;                                                                                  \
    if (s_step == 0 && x_step == 1) {                                                              \
      const type slope = *ps;                                                                      \
      TERN_LANES_INDEPENDENT                                                                       \
      for (int64_t i = 0; i < count; ++i) {                                                        \
        const type x = px[i];                                                                      \
        y[i] = x > 0 ? x : (type)(product);                                                        \
      }                                                                                            \
      return;                                                                                      \
    }                                                                                              \
    for (int64_t i = 0; i < count; ++i) {                                                          \
      const type x = px[i * x_step], slope = ps[i * s_step];                                       \
      y[i] = x > 0 ? x : (type)(product);                                                          \
    }                                                                                              \
  }
PRELU_LOOP(prelu_f32, float, x *slope)
PRELU_LOOP(prelu_f64, double, x *slope)
PRELU_LOOP(prelu_i32, int32_t, (uint32_t)x *(uint32_t)slope)
PRELU_LOOP(prelu_i64, int64_t, (uint64_t)x *(uint64_t)slope)
PRELU_LOOP(prelu_u32, uint32_t, x *slope)
PRELU_LOOP(prelu_u64, uint64_t, x *slope)

tern_binary_fn tern_prelu_find(tern_dtype dtype) {
  static const tern_binary_fn fns[TERN_DTYPE_COUNT] = {
      TERN_ENTRIES_FLOATS(prelu), [TERN_INT32] = prelu_i32, [TERN_INT64] = prelu_i64,
      [TERN_UINT32] = prelu_u32, [TERN_UINT64] = prelu_u64};
  return fns[dtype];
}
