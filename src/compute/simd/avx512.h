// The vocabulary of simd.h on AVX-512 (F, VL, DQ, BW): 16 and 8 lanes, tails by mask.
#ifndef TERN_COMPUTE_SIMD_AVX512_H_
#define TERN_COMPUTE_SIMD_AVX512_H_

#include <immintrin.h>

#define TERN_VF32_LANES 16
#define TERN_VF64_LANES 8

// X(vector type, element type, intrinsic suffix, mask type)
#define TERN_AVX512_TYPES(X)                                                                       \
  X(tern_vf32, float, ps, __mmask16)                                                               \
  X(tern_vf64, double, pd, __mmask8)

typedef __m512 tern_vf32;
typedef __m512d tern_vf64;

#define TERN_AVX512_STAMP(V, T, S, M)                                                              \
  TERN_INLINE V V##_zero(void) {                                                                   \
    return _mm512_setzero_##S();                                                                   \
  }                                                                                                \
  TERN_INLINE V V##_set1(T s) {                                                                    \
    return _mm512_set1_##S(s);                                                                     \
  }                                                                                                \
  TERN_INLINE V V##_load(const T *p) {                                                             \
    return _mm512_loadu_##S(p);                                                                    \
  }                                                                                                \
  TERN_INLINE void V##_store(T *p, V v) {                                                          \
    _mm512_storeu_##S(p, v);                                                                       \
  }                                                                                                \
  TERN_INLINE V V##_load_n(const T *p, size_t n) {                                                 \
    return _mm512_maskz_loadu_##S((M)((1u << n) - 1u), p);                                         \
  }                                                                                                \
  TERN_INLINE void V##_store_n(T *p, V v, size_t n) {                                              \
    _mm512_mask_storeu_##S(p, (M)((1u << n) - 1u), v);                                             \
  }                                                                                                \
  TERN_INLINE V V##_add(V a, V b) {                                                                \
    return _mm512_add_##S(a, b);                                                                   \
  }                                                                                                \
  TERN_INLINE V V##_sub(V a, V b) {                                                                \
    return _mm512_sub_##S(a, b);                                                                   \
  }                                                                                                \
  TERN_INLINE V V##_mul(V a, V b) {                                                                \
    return _mm512_mul_##S(a, b);                                                                   \
  }                                                                                                \
  TERN_INLINE V V##_div(V a, V b) {                                                                \
    return _mm512_div_##S(a, b);                                                                   \
  }                                                                                                \
  TERN_INLINE V V##_sqrt(V a) {                                                                    \
    return _mm512_sqrt_##S(a);                                                                     \
  }                                                                                                \
  TERN_INLINE V V##_fma(V a, V b, V c) {                                                           \
    return _mm512_fmadd_##S(a, b, c);                                                              \
  }                                                                                                \
  TERN_INLINE V V##_fnma(V a, V b, V c) {                                                          \
    return _mm512_fnmadd_##S(a, b, c);                                                             \
  }                                                                                                \
  TERN_INLINE V V##_max(V a, V b) {                                                                \
    return _mm512_max_##S(a, b);                                                                   \
  }                                                                                                \
  TERN_INLINE V V##_min(V a, V b) {                                                                \
    return _mm512_min_##S(a, b);                                                                   \
  }                                                                                                \
  TERN_INLINE T V##_hsum(V v) {                                                                    \
    return _mm512_reduce_add_##S(v);                                                               \
  }                                                                                                \
  TERN_INLINE T V##_hmax(V v) {                                                                    \
    return _mm512_reduce_max_##S(v);                                                               \
  }
TERN_AVX512_TYPES(TERN_AVX512_STAMP)
#undef TERN_AVX512_STAMP
#undef TERN_AVX512_TYPES

typedef __mmask16 tern_vf32_mask;
TERN_INLINE tern_vf32_mask tern_vf32_lt(tern_vf32 a, tern_vf32 b) {
  return _mm512_cmp_ps_mask(a, b, _CMP_LT_OQ);
}
TERN_INLINE tern_vf32_mask tern_vf32_eq(tern_vf32 a, tern_vf32 b) {
  return _mm512_cmp_ps_mask(a, b, _CMP_EQ_OQ);
}
TERN_INLINE tern_vf32_mask tern_vf32_unordered(tern_vf32 a, tern_vf32 b) {
  return _mm512_cmp_ps_mask(a, b, _CMP_UNORD_Q);
}
TERN_INLINE tern_vf32 tern_vf32_select(tern_vf32_mask m, tern_vf32 yes, tern_vf32 no) {
  return _mm512_mask_blend_ps(m, no, yes);
}
TERN_INLINE tern_vf32 tern_vf32_round(tern_vf32 v) {
  return _mm512_roundscale_ps(v, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC);
}
TERN_INLINE tern_vf32 tern_vf32_pow2(tern_vf32 v) {
  return _mm512_scalef_ps(_mm512_set1_ps(1.0f), v);
}
TERN_INLINE tern_vf32 tern_vf32_exponent(tern_vf32 v) {
  return _mm512_add_ps(_mm512_getexp_ps(v), _mm512_set1_ps(1.0f));
}
TERN_INLINE tern_vf32 tern_vf32_mantissa(tern_vf32 v) {
  return _mm512_getmant_ps(v, _MM_MANT_NORM_p5_1, _MM_MANT_SIGN_zero);
}
TERN_INLINE tern_vf32 tern_vf32_abs(tern_vf32 v) {
  return _mm512_abs_ps(v);
}
TERN_INLINE tern_vf32 tern_vf32_copysign(tern_vf32 m, tern_vf32 s) {
  const __m512 sign = _mm512_set1_ps(-0.0f);
  return _mm512_or_ps(_mm512_andnot_ps(sign, m), _mm512_and_ps(sign, s));
}
TERN_INLINE tern_vf32 tern_vf32_load2(const float *p) {
  const __m512i even = _mm512_setr_epi32(0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30);
  return _mm512_permutex2var_ps(_mm512_loadu_ps(p), even, _mm512_maskz_loadu_ps(0x7fff, p + 16));
}

#endif
