// The vocabulary of simd.h on AVX2 with FMA: 8 and 4 lanes, tails by mask load and store.
#ifndef TERN_COMPUTE_SIMD_AVX2_H_
#define TERN_COMPUTE_SIMD_AVX2_H_

#include <immintrin.h>

#define TERN_VF32_LANES 8
#define TERN_VF64_LANES 4

typedef __m256 tern_vf32;
typedef __m256d tern_vf64;

TERN_INLINE __m256i tern_avx2_mask32(size_t n) {
  const __m256i lane = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7);
  return _mm256_cmpgt_epi32(_mm256_set1_epi32((int)n), lane);
}
TERN_INLINE __m256i tern_avx2_mask64(size_t n) {
  const __m256i lane = _mm256_setr_epi64x(0, 1, 2, 3);
  return _mm256_cmpgt_epi64(_mm256_set1_epi64x((long long)n), lane);
}

// X(vector type, element type, intrinsic suffix, mask of n lanes)
#define TERN_AVX2_TYPES(X)                                                                         \
  X(tern_vf32, float, ps, tern_avx2_mask32)                                                        \
  X(tern_vf64, double, pd, tern_avx2_mask64)

#define TERN_AVX2_STAMP(V, T, S, MASK)                                                             \
  TERN_INLINE V V##_zero(void) {                                                                   \
    return _mm256_setzero_##S();                                                                   \
  }                                                                                                \
  TERN_INLINE V V##_set1(T s) {                                                                    \
    return _mm256_set1_##S(s);                                                                     \
  }                                                                                                \
  TERN_INLINE V V##_load(const T *p) {                                                             \
    return _mm256_loadu_##S(p);                                                                    \
  }                                                                                                \
  TERN_INLINE void V##_store(T *p, V v) {                                                          \
    _mm256_storeu_##S(p, v);                                                                       \
  }                                                                                                \
  TERN_INLINE V V##_load_n(const T *p, size_t n) {                                                 \
    return _mm256_maskload_##S(p, MASK(n));                                                        \
  }                                                                                                \
  TERN_INLINE void V##_store_n(T *p, V v, size_t n) {                                              \
    _mm256_maskstore_##S(p, MASK(n), v);                                                           \
  }                                                                                                \
  TERN_INLINE V V##_add(V a, V b) {                                                                \
    return _mm256_add_##S(a, b);                                                                   \
  }                                                                                                \
  TERN_INLINE V V##_sub(V a, V b) {                                                                \
    return _mm256_sub_##S(a, b);                                                                   \
  }                                                                                                \
  TERN_INLINE V V##_mul(V a, V b) {                                                                \
    return _mm256_mul_##S(a, b);                                                                   \
  }                                                                                                \
  TERN_INLINE V V##_div(V a, V b) {                                                                \
    return _mm256_div_##S(a, b);                                                                   \
  }                                                                                                \
  TERN_INLINE V V##_sqrt(V a) {                                                                    \
    return _mm256_sqrt_##S(a);                                                                     \
  }                                                                                                \
  TERN_INLINE V V##_fma(V a, V b, V c) {                                                           \
    return _mm256_fmadd_##S(a, b, c);                                                              \
  }                                                                                                \
  TERN_INLINE V V##_fnma(V a, V b, V c) {                                                          \
    return _mm256_fnmadd_##S(a, b, c);                                                             \
  }                                                                                                \
  TERN_INLINE V V##_max(V a, V b) {                                                                \
    return _mm256_max_##S(a, b);                                                                   \
  }                                                                                                \
  TERN_INLINE V V##_min(V a, V b) {                                                                \
    return _mm256_min_##S(a, b);                                                                   \
  }
TERN_AVX2_TYPES(TERN_AVX2_STAMP)
#undef TERN_AVX2_STAMP
#undef TERN_AVX2_TYPES

TERN_INLINE float tern_vf32_hsum(tern_vf32 v) {
  __m128 s = _mm_add_ps(_mm256_castps256_ps128(v), _mm256_extractf128_ps(v, 1));
  s = _mm_add_ps(s, _mm_movehl_ps(s, s));
  return _mm_cvtss_f32(_mm_add_ss(s, _mm_movehdup_ps(s)));
}
TERN_INLINE float tern_vf32_hmax(tern_vf32 v) {
  __m128 s = _mm_max_ps(_mm256_castps256_ps128(v), _mm256_extractf128_ps(v, 1));
  s = _mm_max_ps(s, _mm_movehl_ps(s, s));
  return _mm_cvtss_f32(_mm_max_ss(s, _mm_movehdup_ps(s)));
}
TERN_INLINE double tern_vf64_hsum(tern_vf64 v) {
  const __m128d s = _mm_add_pd(_mm256_castpd256_pd128(v), _mm256_extractf128_pd(v, 1));
  return _mm_cvtsd_f64(_mm_add_sd(s, _mm_unpackhi_pd(s, s)));
}
TERN_INLINE double tern_vf64_hmax(tern_vf64 v) {
  const __m128d s = _mm_max_pd(_mm256_castpd256_pd128(v), _mm256_extractf128_pd(v, 1));
  return _mm_cvtsd_f64(_mm_max_sd(s, _mm_unpackhi_pd(s, s)));
}

typedef __m256 tern_vf32_mask;
TERN_INLINE tern_vf32_mask tern_vf32_lt(tern_vf32 a, tern_vf32 b) {
  return _mm256_cmp_ps(a, b, _CMP_LT_OQ);
}
TERN_INLINE tern_vf32_mask tern_vf32_eq(tern_vf32 a, tern_vf32 b) {
  return _mm256_cmp_ps(a, b, _CMP_EQ_OQ);
}
TERN_INLINE tern_vf32_mask tern_vf32_unordered(tern_vf32 a, tern_vf32 b) {
  return _mm256_cmp_ps(a, b, _CMP_UNORD_Q);
}
TERN_INLINE tern_vf32 tern_vf32_select(tern_vf32_mask m, tern_vf32 yes, tern_vf32 no) {
  return _mm256_blendv_ps(no, yes, m);
}
TERN_INLINE tern_vf32 tern_vf32_round(tern_vf32 v) {
  return _mm256_round_ps(v, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC);
}
TERN_INLINE tern_vf32 tern_vf32_pow2(tern_vf32 v) {
  const __m256i biased = _mm256_add_epi32(_mm256_cvtps_epi32(v), _mm256_set1_epi32(127));
  return _mm256_castsi256_ps(_mm256_slli_epi32(biased, 23));
}
TERN_INLINE tern_vf32 tern_vf32_exponent(tern_vf32 v) {
  const __m256i field = _mm256_srli_epi32(_mm256_castps_si256(v), 23);
  return _mm256_cvtepi32_ps(_mm256_sub_epi32(field, _mm256_set1_epi32(126)));
}
TERN_INLINE tern_vf32 tern_vf32_mantissa(tern_vf32 v) {
  const __m256 fraction = _mm256_castsi256_ps(_mm256_set1_epi32(0x007fffff));
  return _mm256_or_ps(_mm256_and_ps(v, fraction), _mm256_set1_ps(0.5f));
}
TERN_INLINE tern_vf32 tern_vf32_abs(tern_vf32 v) {
  return _mm256_andnot_ps(_mm256_set1_ps(-0.0f), v);
}
TERN_INLINE tern_vf32 tern_vf32_copysign(tern_vf32 m, tern_vf32 s) {
  const __m256 sign = _mm256_set1_ps(-0.0f);
  return _mm256_or_ps(_mm256_andnot_ps(sign, m), _mm256_and_ps(sign, s));
}
TERN_INLINE tern_vf32 tern_vf32_load2(const float *p) {
  const __m256 low = _mm256_loadu_ps(p), high = _mm256_maskload_ps(p + 8, tern_avx2_mask32(7));
  const __m256 mixed = _mm256_shuffle_ps(low, high, _MM_SHUFFLE(2, 0, 2, 0));
  const __m256d ordered = _mm256_permute4x64_pd(_mm256_castps_pd(mixed), _MM_SHUFFLE(3, 1, 2, 0));
  return _mm256_castpd_ps(ordered);
}

#endif
