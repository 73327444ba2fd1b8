// The loops of activation.h.
#include "compute/activation.h"

#include <math.h>

#include "compute/cast.h"
#include "compute/vecmath.h"

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

// Those that are arithmetic. m() is the type's form of a function of math.h.
#define SIMPLE(type, suffix, m)                                                                    \
  static inline type unit_##suffix(type x) {                                                       \
    x = x > 0 ? x : 0;                                                                             \
    return x < 1 ? x : 1;                                                                          \
  }                                                                                                \
  LOOP(relu_##suffix, type, type, x < 0 ? 0 : x)                                                   \
  LOOP(leaky_relu_##suffix, type, type, x < 0 ? alpha * x : x)                                     \
  LOOP(thresholded_relu_##suffix, type, type, x > alpha ? x : 0)                                   \
  LOOP(hard_sigmoid_##suffix, type, type, unit_##suffix(alpha *x + beta))                          \
  LOOP(hard_swish_##suffix, type, type, x *unit_##suffix(x / 6 + (type)0.5))                       \
  LOOP(softsign_##suffix, type, type, x / (1 + m(fabs)(x)))                                        \
  LOOP(shrink_##suffix, type, type, x<-alpha ? x + beta : x> alpha ? x - beta : 0)
#define SINGLE(function) function##f
#define DOUBLE(function) function
SIMPLE(float, f32, SINGLE)
SIMPLE(double, f64, DOUBLE)

// The others, in double from math.h.
static inline double swish(double x, double alpha) {
  const double e = exp(-fabs(alpha * x));
  return x * ((alpha * x >= 0 ? 1 : e) / (1 + e));
}
static inline double gelu_tanh(double x) {
  return 0.5 * x * (1 + tanh(0.79788456080286535588 * (x + 0.044715 * x * x * x)));
}
LOOP(elu_f64, double, double, x < 0 ? alpha * expm1(x) : x)
LOOP(celu_f64, double, double, x > 0 ? x : alpha * expm1(x / alpha))
LOOP(selu_f64, double, double, beta *(x > 0 ? x : alpha * expm1(x)))
LOOP(gelu_f64, double, double, 0.5 * x * (1 + erf(x * 0.70710678118654752440)))
LOOP(gelu_tanh_f64, double, double, gelu_tanh(x))
LOOP(softplus_f64, double, double, (x > 0 ? x : 0) + log1p(exp(-fabs(x))))
LOOP(swish_f64, double, double, swish(x, alpha))

// And in float, piece by piece from the vector functions.
enum { PIECE = 256 };

// y[i] = e^(x[i] scale) - 1 where that is negative, without the cancellation of the subtraction:
// with t = tanh(z / 2), e^z - 1 = 2t / (1 - t). Where it is positive, anything.
static void expm1_below_zero(const float *x, float scale, int64_t count, float *y) {
  for (int64_t i = 0; i < count; ++i) y[i] = x[i] * scale * 0.5f;
  tern_vtanh_f32((size_t)count, y, y);
  for (int64_t i = 0; i < count; ++i) y[i] = 2 * y[i] / (1 - y[i]);
}

// alpha (e^(x exponent_scale) - 1) below zero, x above, all times `scale`.
static void exponential_unit(const float *x, float *y, int64_t count, float alpha,
                             float exponent_scale, float scale) {
  float e[PIECE];
  for (int64_t first = 0; first < count; first += PIECE) {
    const int64_t length = tern_min_i64(PIECE, count - first);
    const float *from = x + first;
    float *to = y + first;
    expm1_below_zero(from, exponent_scale, length, e);
    TERN_LANES_INDEPENDENT
    for (int64_t i = 0; i < length; ++i) to[i] = scale * (from[i] > 0 ? from[i] : alpha * e[i]);
  }
}

#define EXPONENTIAL_UNIT(name, exponent_scale, scale)                                              \
  static void name(const void *x, void *y, int64_t count, const tern_activation_params *params) {  \
    const float alpha = params->alpha;                                                             \
    exponential_unit(x, y, count, alpha, (exponent_scale), (scale));                               \
  }
EXPONENTIAL_UNIT(elu_f32, 1, 1)
EXPONENTIAL_UNIT(celu_f32, 1 / alpha, 1)
EXPONENTIAL_UNIT(selu_f32, 1, params->beta)

static void gelu_f32(const void *x, void *y, int64_t count, const tern_activation_params *params) {
  (void)params;
  tern_vgelu_f32((size_t)count, x, y);
}
static void gelu_tanh_f32(const void *x, void *y, int64_t count,
                          const tern_activation_params *params) {
  (void)params;
  tern_vgelu_tanh_f32((size_t)count, x, y);
}

static void swish_f32(const void *vx, void *vy, int64_t count,
                      const tern_activation_params *params) {
  const float *x = vx;
  float *y = vy, gate[PIECE];
  if (params->alpha == 1) {
    tern_vsilu_f32((size_t)count, x, y);
    return;
  }
  for (int64_t first = 0; first < count; first += PIECE) {
    const int64_t length = tern_min_i64(PIECE, count - first);
    for (int64_t i = 0; i < length; ++i) gate[i] = params->alpha * x[first + i];
    tern_vsigmoid_f32((size_t)length, gate, gate);
    for (int64_t i = 0; i < length; ++i) y[first + i] = x[first + i] * gate[i];
  }
}

// ln(1 + e) = ln(u) e / (u - 1) with the rounded u = 1 + e: the two roundings cancel (Kahan).
static void softplus_f32(const void *vx, void *vy, int64_t count,
                         const tern_activation_params *params) {
  (void)params;
  const float *x = vx;
  float *y = vy, e[PIECE], logs[PIECE];
  for (int64_t first = 0; first < count; first += PIECE) {
    const int64_t length = tern_min_i64(PIECE, count - first);
    for (int64_t i = 0; i < length; ++i) e[i] = -fabsf(x[first + i]);
    tern_vexp_f32((size_t)length, e, e);
    for (int64_t i = 0; i < length; ++i) logs[i] = 1 + e[i];
    tern_vlog_f32((size_t)length, logs, logs);
    for (int64_t i = 0; i < length; ++i) {
      const float u = 1 + e[i], log1p_e = u == 1 ? e[i] : logs[i] * (e[i] / (u - 1));
      y[first + i] = (x[first + i] > 0 ? x[first + i] : 0) + log1p_e;
    }
  }
}

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
