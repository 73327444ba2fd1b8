// The loops of elementwise.h, stamped from lists of operations and types, and the tables that find
// them.
#include "compute/elementwise.h"

#include <math.h>

#include "compute/vecmath.h"

#define UNARY_LOOP(name, type, expression)                                                         \
  static void name(const void *vx, void *vy, int64_t count) {                                      \
    const type *px = vx;                                                                           \
    type *y = vy;                                                                                  \
    TERN_LANES_INDEPENDENT                                                                         \
    for (int64_t i = 0; i < count; ++i) {                                                          \
      const type x = px[i];                                                                        \
      y[i] = (type)(expression);                                                                   \
    }                                                                                              \
  }

// Both operands standing still happens for one element only.
#define BINARY_LOOP(name, type, result, expression)                                                \
  static void name(const void *va, int64_t a_step, const void *vb, int64_t b_step, void *vy,       \
                   int64_t count) {                                                                \
    const type *pa = va, *pb = vb;                                                                 \
    result *y = vy;                                                                                \
    if (count <= 0) return;                                                                        \
    if (a_step == 0) {                                                                             \
      const type a = *pa;                                                                          \
      TERN_LANES_INDEPENDENT                                                                       \
      for (int64_t i = 0; i < count; ++i) {                                                        \
        const type b = pb[i];                                                                      \
        y[i] = (result)(expression);                                                               \
      }                                                                                            \
    } else if (b_step == 0) {                                                                      \
      const type b = *pb;                                                                          \
      TERN_LANES_INDEPENDENT                                                                       \
      for (int64_t i = 0; i < count; ++i) {                                                        \
        const type a = pa[i];                                                                      \
        y[i] = (result)(expression);                                                               \
      }                                                                                            \
    } else {                                                                                       \
      TERN_LANES_INDEPENDENT                                                                       \
      for (int64_t i = 0; i < count; ++i) {                                                        \
        const type a = pa[i], b = pb[i];                                                           \
        y[i] = (result)(expression);                                                               \
      }                                                                                            \
    }                                                                                              \
  }

// Functions of real numbers. exp of a number above zero is avoided: it could overflow.
static inline float reciprocalf(float x) {
  return 1.0f / x;
}
static inline double reciprocal(double x) {
  return 1.0 / x;
}
static inline double sigmoid(double x) {
  const double e = exp(-fabs(x));
  return (x >= 0 ? 1.0 : e) / (1.0 + e);
}

// The commonest have vector forms for float.
#define X(name, bound)                                                                             \
  static void loop_##name##_f32(const void *x, void *y, int64_t count) {                           \
    tern_v##name##_f32((size_t)count, x, y);                                                       \
  }
TERN_VECMATH_F32(X)
#undef X

#define X(enumerator, function) UNARY_LOOP(loop_##function##_f32, float, function##f(x))
TERN_X_UNARY_REAL_SCALAR(X)
#undef X
#define X(enumerator, function) UNARY_LOOP(loop_##function##_f64, double, function(x))
TERN_X_UNARY_REAL(X)
#undef X

// Wrapping arithmetic goes through uint64_t, which has no overflow; compilers narrow it again.
UNARY_LOOP(abs_f32, float, fabsf(x))
UNARY_LOOP(abs_f64, double, fabs(x))
#define X(dtype, type, suffix)                                                                     \
  UNARY_LOOP(neg_##suffix, type, -x)                                                               \
  UNARY_LOOP(sign_##suffix, type, x > 0 ? (type)1 : x < 0 ? (type)-1 : x)
TERN_X_FLOATS(X)
#undef X
#define X(dtype, type, suffix)                                                                     \
  UNARY_LOOP(abs_##suffix, type, x < 0 ? 0 - (uint64_t)x : (uint64_t)x)                            \
  UNARY_LOOP(neg_##suffix, type, 0 - (uint64_t)x)                                                  \
  UNARY_LOOP(sign_##suffix, type, (x > 0) - (x < 0))
TERN_X_SIGNED(X)
#undef X
#define X(dtype, type, suffix)                                                                     \
  UNARY_LOOP(abs_##suffix, type, x)                                                                \
  UNARY_LOOP(sign_##suffix, type, x > 0)
TERN_X_UNSIGNED(X)
#undef X
#define X(dtype, type, suffix) UNARY_LOOP(bitwise_not_##suffix, type, ~x)
TERN_X_INTS(X)
#undef X
UNARY_LOOP(not_u8, uint8_t, x == 0)

static const tern_unary_fn unary_loops[TERN_UNARY_COUNT][TERN_DTYPE_COUNT] = {
#define X(enumerator, function) [TERN_UNARY_##enumerator] = {TERN_ENTRIES_FLOATS(loop_##function)},
    TERN_X_UNARY_REAL(X)
#undef X
        [TERN_UNARY_ABS] = {TERN_ENTRIES_NUMBERS(abs)},
    [TERN_UNARY_NEG] = {TERN_ENTRIES_FLOATS(neg), TERN_ENTRIES_SIGNED(neg)},
    [TERN_UNARY_SIGN] = {TERN_ENTRIES_NUMBERS(sign)},
    [TERN_UNARY_NOT] = {[TERN_BOOL] = not_u8},
    [TERN_UNARY_BITWISE_NOT] = {TERN_ENTRIES_INTS(bitwise_not)},
};

tern_unary_fn tern_unary_find(tern_unary_op op, tern_dtype dtype) {
  return unary_loops[op][dtype];
}

// The remainder with the sign of the divisor, by the standard's table of special cases.
static inline float floor_modf(float a, float b) {
  const float r = fmodf(a, b);
  if (r == 0) return copysignf(0, b);
  return (r < 0) != (b < 0) ? r + b : r;
}
static inline double floor_mod(double a, double b) {
  const double r = fmod(a, b);
  if (r == 0) return copysign(0, b);
  return (r < 0) != (b < 0) ? r + b : r;
}

// Arithmetic. The smallest integer divided by -1 wraps to itself.
#define X(dtype, type, suffix)                                                                     \
  BINARY_LOOP(add_##suffix, type, type, a + b)                                                     \
  BINARY_LOOP(sub_##suffix, type, type, a - b)                                                     \
  BINARY_LOOP(mul_##suffix, type, type, a *b)                                                      \
  BINARY_LOOP(div_##suffix, type, type, a / b)                                                     \
  BINARY_LOOP(min_##suffix, type, type, a < b || a != a ? a : b)                                   \
  BINARY_LOOP(max_##suffix, type, type, a > b || a != a ? a : b)
TERN_X_FLOATS(X)
#undef X
BINARY_LOOP(mod_f32, float, float, floor_modf(a, b))
BINARY_LOOP(mod_f64, double, double, floor_mod(a, b))
BINARY_LOOP(fmod_f32, float, float, fmodf(a, b))
BINARY_LOOP(fmod_f64, double, double, fmod(a, b))

#define X(dtype, type, suffix)                                                                     \
  BINARY_LOOP(add_##suffix, type, type, (uint64_t)a + (uint64_t)b)                                 \
  BINARY_LOOP(sub_##suffix, type, type, (uint64_t)a - (uint64_t)b)                                 \
  BINARY_LOOP(mul_##suffix, type, type, (uint64_t)a *(uint64_t)b)                                  \
  BINARY_LOOP(min_##suffix, type, type, a < b ? a : b)                                             \
  BINARY_LOOP(max_##suffix, type, type, a > b ? a : b)                                             \
  BINARY_LOOP(bitwise_and_##suffix, type, type, a &b)                                              \
  BINARY_LOOP(bitwise_or_##suffix, type, type, a | b)                                              \
  BINARY_LOOP(bitwise_xor_##suffix, type, type, a ^ b)
TERN_X_INTS(X)
#undef X

#define X(dtype, type, suffix)                                                                     \
  static inline type floor_mod_##suffix(type a, type b) {                                          \
    const type r = (type)(b == -1 ? 0 : a % b);                                                    \
    return (type)(r != 0 && (r < 0) != (b < 0) ? r + b : r);                                       \
  }                                                                                                \
  BINARY_LOOP(div_##suffix, type, type, b == -1 ? (type)(0 - (uint64_t)a) : (type)(a / b))         \
  BINARY_LOOP(mod_##suffix, type, type, floor_mod_##suffix(a, b))                                  \
  BINARY_LOOP(fmod_##suffix, type, type, b == -1 ? 0 : a % b)                                      \
  BINARY_LOOP(shift_left_##suffix, type, type,                                                     \
              b >= 0 && b < (type)(8 * sizeof(type)) ? (uint64_t)a << b : 0)                       \
  BINARY_LOOP(shift_right_##suffix, type, type,                                                    \
              b >= 0 && b < (type)(8 * sizeof(type)) ? a >> b                                      \
              : a < 0                                ? -1                                          \
                                                     : 0)
TERN_X_SIGNED(X)
#undef X
#define X(dtype, type, suffix)                                                                     \
  BINARY_LOOP(div_##suffix, type, type, a / b)                                                     \
  BINARY_LOOP(mod_##suffix, type, type, a % b)                                                     \
  BINARY_LOOP(shift_left_##suffix, type, type, b < 8 * sizeof(type) ? (uint64_t)a << b : 0)        \
  BINARY_LOOP(shift_right_##suffix, type, type, b < 8 * sizeof(type) ? a >> b : 0)
TERN_X_UNSIGNED(X)
#undef X

#define X(dtype, type, suffix)                                                                     \
  BINARY_LOOP(equal_##suffix, type, uint8_t, a == b)                                               \
  BINARY_LOOP(greater_##suffix, type, uint8_t, a > b)                                              \
  BINARY_LOOP(greater_or_equal_##suffix, type, uint8_t, a >= b)                                    \
  BINARY_LOOP(less_##suffix, type, uint8_t, a < b)                                                 \
  BINARY_LOOP(less_or_equal_##suffix, type, uint8_t, a <= b)
TERN_X_NUMBERS(X)
#undef X
// Bools are bytes of which any but 0 is true.
BINARY_LOOP(equal_bool, uint8_t, uint8_t, (a != 0) == (b != 0))
BINARY_LOOP(and_bool, uint8_t, uint8_t, (a != 0) & (b != 0))
BINARY_LOOP(or_bool, uint8_t, uint8_t, (a != 0) | (b != 0))
BINARY_LOOP(xor_bool, uint8_t, uint8_t, (a != 0) != (b != 0))

static const tern_binary_fn binary_loops[TERN_BINARY_COUNT][TERN_DTYPE_COUNT] = {
    [TERN_BINARY_ADD] = {TERN_ENTRIES_NUMBERS(add)},
    [TERN_BINARY_SUB] = {TERN_ENTRIES_NUMBERS(sub)},
    [TERN_BINARY_MUL] = {TERN_ENTRIES_NUMBERS(mul)},
    [TERN_BINARY_DIV] = {TERN_ENTRIES_NUMBERS(div)},
    [TERN_BINARY_MOD] = {TERN_ENTRIES_NUMBERS(mod)},
    [TERN_BINARY_FMOD] = {TERN_ENTRIES_FLOATS(fmod), TERN_ENTRIES_SIGNED(fmod),
                          TERN_ENTRIES_UNSIGNED(mod)},
    [TERN_BINARY_MIN] = {TERN_ENTRIES_NUMBERS(min)},
    [TERN_BINARY_MAX] = {TERN_ENTRIES_NUMBERS(max)},
    [TERN_BINARY_EQUAL] = {TERN_ENTRIES_NUMBERS(equal), [TERN_BOOL] = equal_bool},
    [TERN_BINARY_GREATER] = {TERN_ENTRIES_NUMBERS(greater)},
    [TERN_BINARY_GREATER_OR_EQUAL] = {TERN_ENTRIES_NUMBERS(greater_or_equal)},
    [TERN_BINARY_LESS] = {TERN_ENTRIES_NUMBERS(less)},
    [TERN_BINARY_LESS_OR_EQUAL] = {TERN_ENTRIES_NUMBERS(less_or_equal)},
    [TERN_BINARY_AND] = {[TERN_BOOL] = and_bool},
    [TERN_BINARY_OR] = {[TERN_BOOL] = or_bool},
    [TERN_BINARY_XOR] = {[TERN_BOOL] = xor_bool},
    [TERN_BINARY_BITWISE_AND] = {TERN_ENTRIES_INTS(bitwise_and)},
    [TERN_BINARY_BITWISE_OR] = {TERN_ENTRIES_INTS(bitwise_or)},
    [TERN_BINARY_BITWISE_XOR] = {TERN_ENTRIES_INTS(bitwise_xor)},
    [TERN_BINARY_SHIFT_LEFT] = {TERN_ENTRIES_INTS(shift_left)},
    [TERN_BINARY_SHIFT_RIGHT] = {TERN_ENTRIES_INTS(shift_right)},
};

tern_binary_fn tern_binary_find(tern_binary_op op, tern_dtype dtype) {
  return binary_loops[op][dtype];
}

void tern_binary_run(tern_binary_fn fn, const tern_broadcast *broadcast, tern_binary_sizes sizes,
                     const void *a, const void *b, void *y) {
  const char *pa = a, *pb = b;
  char *py = y;
  tern_broadcast_cursor cursor;
  tern_broadcast_seek(broadcast, 0, &cursor);
  const size_t row_bytes = (size_t)broadcast->row_length * sizes.y;
  for (int64_t row = 0; row < broadcast->row_count; ++row) {
    fn(pa + (size_t)cursor.offsets[0] * sizes.a, broadcast->steps[0],
       pb + (size_t)cursor.offsets[1] * sizes.b, broadcast->steps[1], py, broadcast->row_length);
    py += row_bytes;
    tern_broadcast_next(broadcast, &cursor);
  }
}

bool tern_integers_have_zero(tern_dtype dtype, const void *data, int64_t count) {
  bool found = false;
  switch (dtype) {
#define X(enumerator, type, suffix)                                                                \
  case enumerator:                                                                                 \
    for (int64_t i = 0; i < count; ++i) found |= ((const type *)data)[i] == 0;                     \
    return found;
    TERN_X_INTS(X)
#undef X
  default:
    return false;
  }
}

void tern_is_nan(tern_dtype dtype, const void *x, bool *y, int64_t count) {
  if (dtype == TERN_FLOAT) {
    const float *values = x;
    for (int64_t i = 0; i < count; ++i) y[i] = values[i] != values[i];
  } else if (dtype == TERN_DOUBLE) {
    const double *values = x;
    for (int64_t i = 0; i < count; ++i) y[i] = values[i] != values[i];
  }
}

void tern_is_inf(tern_dtype dtype, const void *x, bool negative, bool positive, bool *y,
                 int64_t count) {
  if (dtype == TERN_FLOAT) {
    const float *values = x;
    for (int64_t i = 0; i < count; ++i)
      y[i] = (negative & (values[i] == -INFINITY)) | (positive & (values[i] == INFINITY));
  } else if (dtype == TERN_DOUBLE) {
    const double *values = x;
    for (int64_t i = 0; i < count; ++i)
      y[i] = (negative & (values[i] == -(double)INFINITY)) |
             (positive & (values[i] == (double)INFINITY));
  }
}
