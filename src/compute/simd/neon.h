// The vocabulary of simd.h on AArch64 NEON: 4 and 2 lanes, tails through a small buffer.
#ifndef TERN_COMPUTE_SIMD_NEON_H_
#define TERN_COMPUTE_SIMD_NEON_H_

#include <arm_neon.h>

#define TERN_VF32_LANES 4
#define TERN_VF64_LANES 2

typedef float32x4_t tern_vf32;
typedef float64x2_t tern_vf64;

// X(vector type, element type, intrinsic suffix, lanes)
#define TERN_NEON_TYPES(X)                                                                         \
  X(tern_vf32, float, f32, 4)                                                                      \
  X(tern_vf64, double, f64, 2)

#define TERN_NEON_STAMP(V, T, S, LANES)                                                            \
  TERN_INLINE V V##_set1(T s) {                                                                    \
    return vdupq_n_##S(s);                                                                         \
  }                                                                                                \
  TERN_INLINE V V##_zero(void) {                                                                   \
    return vdupq_n_##S(0);                                                                         \
  }                                                                                                \
  TERN_INLINE V V##_load(const T *p) {                                                             \
    return vld1q_##S(p);                                                                           \
  }                                                                                                \
  TERN_INLINE void V##_store(T *p, V v) {                                                          \
    vst1q_##S(p, v);                                                                               \
  }                                                                                                \
  TERN_INLINE V V##_load_n(const T *p, size_t n) {                                                 \
    T lanes[LANES] = {0};                                                                          \
    for (size_t i = 0; i < n; i++) lanes[i] = p[i];                                                \
    return vld1q_##S(lanes);                                                                       \
  }                                                                                                \
  TERN_INLINE void V##_store_n(T *p, V v, size_t n) {                                              \
    T lanes[LANES];                                                                                \
    vst1q_##S(lanes, v);                                                                           \
    for (size_t i = 0; i < n; i++) p[i] = lanes[i];                                                \
  }                                                                                                \
  TERN_INLINE V V##_add(V a, V b) {                                                                \
    return vaddq_##S(a, b);                                                                        \
  }                                                                                                \
  TERN_INLINE V V##_sub(V a, V b) {                                                                \
    return vsubq_##S(a, b);                                                                        \
  }                                                                                                \
  TERN_INLINE V V##_mul(V a, V b) {                                                                \
    return vmulq_##S(a, b);                                                                        \
  }                                                                                                \
  TERN_INLINE V V##_div(V a, V b) {                                                                \
    return vdivq_##S(a, b);                                                                        \
  }                                                                                                \
  TERN_INLINE V V##_sqrt(V a) {                                                                    \
    return vsqrtq_##S(a);                                                                          \
  }                                                                                                \
  TERN_INLINE V V##_fma(V a, V b, V c) {                                                           \
    return vfmaq_##S(c, a, b);                                                                     \
  }                                                                                                \
  TERN_INLINE V V##_fnma(V a, V b, V c) {                                                          \
    return vfmsq_##S(c, a, b);                                                                     \
  }                                                                                                \
  TERN_INLINE V V##_max(V a, V b) {                                                                \
    return vbslq_##S(vcgtq_##S(a, b), a, b);                                                       \
  }                                                                                                \
  TERN_INLINE V V##_min(V a, V b) {                                                                \
    return vbslq_##S(vcltq_##S(a, b), a, b);                                                       \
  }                                                                                                \
  TERN_INLINE T V##_hsum(V v) {                                                                    \
    return vaddvq_##S(v);                                                                          \
  }                                                                                                \
  TERN_INLINE T V##_hmax(V v) {                                                                    \
    return vmaxnmvq_##S(v);                                                                        \
  }
TERN_NEON_TYPES(TERN_NEON_STAMP)
#undef TERN_NEON_STAMP
#undef TERN_NEON_TYPES

typedef uint32x4_t tern_vf32_mask;
TERN_INLINE tern_vf32_mask tern_vf32_lt(tern_vf32 a, tern_vf32 b) {
  return vcltq_f32(a, b);
}
TERN_INLINE tern_vf32_mask tern_vf32_eq(tern_vf32 a, tern_vf32 b) {
  return vceqq_f32(a, b);
}
TERN_INLINE tern_vf32_mask tern_vf32_unordered(tern_vf32 a, tern_vf32 b) {
  return vmvnq_u32(vandq_u32(vceqq_f32(a, a), vceqq_f32(b, b)));
}
TERN_INLINE tern_vf32 tern_vf32_select(tern_vf32_mask m, tern_vf32 yes, tern_vf32 no) {
  return vbslq_f32(m, yes, no);
}
TERN_INLINE tern_vf32 tern_vf32_round(tern_vf32 v) {
  return vrndnq_f32(v);
}
TERN_INLINE tern_vf32 tern_vf32_pow2(tern_vf32 v) {
  return vreinterpretq_f32_s32(vshlq_n_s32(vaddq_s32(vcvtq_s32_f32(v), vdupq_n_s32(127)), 23));
}
TERN_INLINE tern_vf32 tern_vf32_exponent(tern_vf32 v) {
  const int32x4_t field = vreinterpretq_s32_u32(vshrq_n_u32(vreinterpretq_u32_f32(v), 23));
  return vcvtq_f32_s32(vsubq_s32(field, vdupq_n_s32(126)));
}
TERN_INLINE tern_vf32 tern_vf32_mantissa(tern_vf32 v) {
  const uint32x4_t fraction = vandq_u32(vreinterpretq_u32_f32(v), vdupq_n_u32(0x007fffffu));
  return vreinterpretq_f32_u32(vorrq_u32(fraction, vdupq_n_u32(0x3f000000u)));
}
TERN_INLINE tern_vf32 tern_vf32_abs(tern_vf32 v) {
  return vabsq_f32(v);
}
TERN_INLINE tern_vf32 tern_vf32_copysign(tern_vf32 m, tern_vf32 s) {
  return vbslq_f32(vdupq_n_u32(0x80000000u), s, m);
}
TERN_INLINE tern_vf32 tern_vf32_load2(const float *p) {
  return vcombine_f32(vget_low_f32(vuzp1q_f32(vld1q_f32(p), vld1q_f32(p))),
                      vget_low_f32(vuzp2q_f32(vld1q_f32(p + 3), vld1q_f32(p + 3))));
}

#endif
