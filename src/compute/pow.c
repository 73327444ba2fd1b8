// Powers. Exponents of 1, 2 and 3, which is what models ask for, are multiplications.
#include <math.h>

#include "compute/elementwise.h"

// By squaring: wraps as repeated multiplication does. A negative exponent gives the integer part
// of a fraction, which is not zero for 1 and -1 only; 0 to a negative power is infinite.
static int64_t power_i64(int64_t x, int64_t e) {
  if (e < 0) {
    if (x == 1) return 1;
    if (x == -1) return e % 2 ? -1 : 1;
    return x == 0 ? INT64_MIN : 0;
  }
  uint64_t result = 1, square = (uint64_t)x;
  for (; e > 0; e >>= 1, square *= square) {
    if (e & 1) result *= square;
  }
  return (int64_t)result;
}

static int64_t truncate(double x) {
  return x >= -0x1p63 && x < 0x1p63 ? (int64_t)x : INT64_MIN;
}

// Multiplications for a scalar exponent; false when there is no such form.
#define SMALL_POWERS(type, suffix)                                                                 \
  static bool small_power_##suffix(const type *x, type e, type *y, int64_t count) {                \
    if (e == 1) {                                                                                  \
      for (int64_t i = 0; i < count; ++i) y[i] = x[i];                                             \
    } else if (e == 2) {                                                                           \
      TERN_LANES_INDEPENDENT                                                                       \
      for (int64_t i = 0; i < count; ++i) y[i] = x[i] * x[i];                                      \
    } else if (e == 3) {                                                                           \
      TERN_LANES_INDEPENDENT                                                                       \
      for (int64_t i = 0; i < count; ++i) y[i] = x[i] * x[i] * x[i];                               \
    } else {                                                                                       \
      return false;                                                                                \
    }                                                                                              \
    return true;                                                                                   \
  }
SMALL_POWERS(float, f32)
SMALL_POWERS(double, f64)

#define REAL_LOOP(type, suffix, function)                                                          \
  static void pow_##suffix(const void *vx, int64_t x_step, const void *ve, int64_t e_step,         \
                           void *vy, int64_t count) {                                              \
    const type *x = vx, *e = ve;                                                                   \
    type *y = vy;                                                                                  \
    if (e_step == 0 && x_step == 1 && small_power_##suffix(x, *e, y, count)) return;               \
    for (int64_t i = 0; i < count; ++i) y[i] = function(x[i * x_step], e[i * e_step]);             \
  }
REAL_LOOP(float, f32, powf)
REAL_LOOP(double, f64, pow)

#define INTEGER_LOOP(name, type, exponent, expression)                                             \
  static void name(const void *vx, int64_t x_step, const void *ve, int64_t e_step, void *vy,       \
                   int64_t count) {                                                                \
    const type *px = vx;                                                                           \
    const exponent *pe = ve;                                                                       \
    type *y = vy;                                                                                  \
    for (int64_t i = 0; i < count; ++i) {                                                          \
      const type x = px[i * x_step];                                                               \
      const exponent e = pe[i * e_step];                                                           \
      y[i] = (type)(expression);                                                                   \
    }                                                                                              \
  }
INTEGER_LOOP(pow_i32, int32_t, int64_t, power_i64(x, e))
INTEGER_LOOP(pow_i64, int64_t, int64_t, power_i64(x, e))
INTEGER_LOOP(pow_real_i32, int32_t, double, truncate(pow((double)x, e)))
INTEGER_LOOP(pow_real_i64, int64_t, double, truncate(pow((double)x, e)))

tern_binary_fn tern_pow_find(tern_dtype base, bool is_real) {
  switch (base) {
  case TERN_FLOAT:
    return pow_f32;
  case TERN_DOUBLE:
    return pow_f64;
  case TERN_INT32:
    return is_real ? pow_real_i32 : pow_i32;
  case TERN_INT64:
    return is_real ? pow_real_i64 : pow_i64;
  default:
    return NULL;
  }
}
