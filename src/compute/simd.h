// One thin vector header. The flags of the translation unit choose the widest implementation they
// allow; every implementation offers the same small vocabulary, so a leaf is written once.
//
// For each element type E (f32, f64) with vector type tern_vE of TERN_VE_LANES lanes:
//   zero() set1(s) load(p) store(p,v)       unaligned
//   load_n(p,n) store_n(p,v,n)              the first n lanes (n <= lanes); absent lanes load as 0
//   add sub mul div sqrt
//   fma(a,b,c) = a*b + c, fnma = c - a*b    one rounding where the ISA has it, two in scalar
//   max(a,b) = a > b ? a : b, min alike     so b is returned when either is NaN
//   hsum(v) hmax(v)                         lanes combined pairwise, in a fixed order
// f32 alone, for elementary functions:
//   lt eq unordered -> tern_vf32_mask, select(mask, yes, no)
//   round(v)                                to nearest, ties to even, |v| < 2^22
//   pow2(v)                                 2^v for integral v in [-126, 127]
//   exponent(v) mantissa(v)                 v = mantissa * 2^exponent, mantissa in [0.5, 1), v > 0
//                                           and normal
//   abs(v) copysign(magnitude, sign)
//   load2(p)                                p[0], p[2], p[4] ...; reads 2*lanes - 1 elements
#ifndef TERN_COMPUTE_SIMD_H_
#define TERN_COMPUTE_SIMD_H_

#include <stddef.h>
#include <stdint.h>

// In front of a loop whose trip count is a constant once its function is inlined: it becomes
// straight code, so that arrays of vectors live in registers. Clang knows GCC's pragma for a
// partial unrolling, which comes too late for that (34 instead of 160 GFLOP/s).
#define TERN_PRAGMA(text) _Pragma(#text)
#if defined(__clang__)
#define TERN_UNROLL(count) TERN_PRAGMA(clang loop unroll(full))
#else
#define TERN_UNROLL(count) TERN_PRAGMA(GCC unroll count)
#endif

#define TERN_INLINE static inline __attribute__((always_inline, unused))

#if defined(__AVX512F__) && defined(__AVX512VL__) && defined(__AVX512DQ__) && defined(__AVX512BW__)
#include "compute/simd/avx512.h"
#elif defined(__AVX2__) && defined(__FMA__)
#include "compute/simd/avx2.h"
#elif defined(__ARM_NEON) && defined(__aarch64__)
#include "compute/simd/neon.h"
#else
#include "compute/simd/scalar.h"
#endif

#endif
