// The vocabulary of simd.h with one lane: plain C, the fallback of every unknown machine.
#ifndef TERN_COMPUTE_SIMD_SCALAR_H_
#define TERN_COMPUTE_SIMD_SCALAR_H_

#include <math.h>
#include <stdbool.h>
#include <string.h>

#define TERN_VF32_LANES 1
#define TERN_VF64_LANES 1

// X(vector type, element type, square root)
#define TERN_SCALAR_TYPES(X)                                                                       \
  X(tern_vf32, float, sqrtf)                                                                       \
  X(tern_vf64, double, sqrt)

#define TERN_SCALAR_STAMP(V, T, SQRT)                                                              \
  typedef T V;                                                                                     \
  TERN_INLINE V V##_zero(void) {                                                                   \
    return 0;                                                                                      \
  }                                                                                                \
  TERN_INLINE V V##_set1(T s) {                                                                    \
    return s;                                                                                      \
  }                                                                                                \
  TERN_INLINE V V##_load(const T *p) {                                                             \
    return *p;                                                                                     \
  }                                                                                                \
  TERN_INLINE void V##_store(T *p, V v) {                                                          \
    *p = v;                                                                                        \
  }                                                                                                \
  TERN_INLINE V V##_load_n(const T *p, size_t n) {                                                 \
    return n ? *p : 0;                                                                             \
  }                                                                                                \
  TERN_INLINE void V##_store_n(T *p, V v, size_t n) {                                              \
    if (n) *p = v;                                                                                 \
  }                                                                                                \
  TERN_INLINE V V##_add(V a, V b) {                                                                \
    return a + b;                                                                                  \
  }                                                                                                \
  TERN_INLINE V V##_sub(V a, V b) {                                                                \
    return a - b;                                                                                  \
  }                                                                                                \
  TERN_INLINE V V##_mul(V a, V b) {                                                                \
    return a * b;                                                                                  \
  }                                                                                                \
  TERN_INLINE V V##_div(V a, V b) {                                                                \
    return a / b;                                                                                  \
  }                                                                                                \
  TERN_INLINE V V##_sqrt(V a) {                                                                    \
    return SQRT(a);                                                                                \
  }                                                                                                \
  TERN_INLINE V V##_fma(V a, V b, V c) {                                                           \
    return a * b + c;                                                                              \
  }                                                                                                \
  TERN_INLINE V V##_fnma(V a, V b, V c) {                                                          \
    return c - a * b;                                                                              \
  }                                                                                                \
  TERN_INLINE V V##_max(V a, V b) {                                                                \
    return a > b ? a : b;                                                                          \
  }                                                                                                \
  TERN_INLINE V V##_min(V a, V b) {                                                                \
    return a < b ? a : b;                                                                          \
  }                                                                                                \
  TERN_INLINE T V##_hsum(V v) {                                                                    \
    return v;                                                                                      \
  }                                                                                                \
  TERN_INLINE T V##_hmax(V v) {                                                                    \
    return v;                                                                                      \
  }
TERN_SCALAR_TYPES(TERN_SCALAR_STAMP)
#undef TERN_SCALAR_STAMP
#undef TERN_SCALAR_TYPES

typedef bool tern_vf32_mask;
TERN_INLINE tern_vf32_mask tern_vf32_lt(tern_vf32 a, tern_vf32 b) {
  return a < b;
}
TERN_INLINE tern_vf32_mask tern_vf32_eq(tern_vf32 a, tern_vf32 b) {
  return a == b;
}
TERN_INLINE tern_vf32_mask tern_vf32_unordered(tern_vf32 a, tern_vf32 b) {
  return isunordered(a, b);
}
TERN_INLINE tern_vf32 tern_vf32_select(tern_vf32_mask m, tern_vf32 yes, tern_vf32 no) {
  return m ? yes : no;
}
TERN_INLINE uint32_t tern_vf32_bits(tern_vf32 v) {
  uint32_t bits;
  memcpy(&bits, &v, sizeof bits);
  return bits;
}
TERN_INLINE tern_vf32 tern_vf32_from_bits(uint32_t bits) {
  tern_vf32 v;
  memcpy(&v, &bits, sizeof v);
  return v;
}
// Adding 1.5 * 2^23 leaves no room for a fraction, so the addition itself rounds.
TERN_INLINE tern_vf32 tern_vf32_round(tern_vf32 v) {
  return (v + 12582912.0f) - 12582912.0f;
}
TERN_INLINE tern_vf32 tern_vf32_pow2(tern_vf32 v) {
  return v == v ? tern_vf32_from_bits((uint32_t)((int32_t)v + 127) << 23) : v;
}
TERN_INLINE tern_vf32 tern_vf32_exponent(tern_vf32 v) {
  return (float)((int32_t)(tern_vf32_bits(v) >> 23) - 126);
}
TERN_INLINE tern_vf32 tern_vf32_mantissa(tern_vf32 v) {
  return tern_vf32_from_bits((tern_vf32_bits(v) & 0x007fffffu) | 0x3f000000u);
}
TERN_INLINE tern_vf32 tern_vf32_abs(tern_vf32 v) {
  return fabsf(v);
}
TERN_INLINE tern_vf32 tern_vf32_copysign(tern_vf32 m, tern_vf32 s) {
  return copysignf(m, s);
}
TERN_INLINE tern_vf32 tern_vf32_load2(const float *p) {
  return *p;
}

#endif
