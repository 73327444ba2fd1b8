// Reductions, stamped from reduce.inc.
#include "compute/reduce.h"

#include <math.h>

#include "compute/vecmath.h"

// Lanes of a chunk of a contiguous line, a chunk's elements, lines walked side by side, and the
// rows of those that make a chunk. A float lane adds at most 32 numbers before its sum goes to
// double.
#define LANES 16
#define CHUNK 512
#define BLOCK TERN_LINES_WIDTH
#define ROWS 32

static void exp_f64(size_t n, const double *x, double *y) {
  for (size_t i = 0; i < n; i++) y[i] = exp(x[i]);
}

#define T float
#define S(name) name##_f32
#define FN(name) tern_##name##_f32
#define TOTAL double
#define LANE float
#define LOWEST ((T)-INFINITY)
#define HIGHEST ((T)INFINITY)
#define IS_NAN(v) isnan(v)
#define ABS(v) ((T)fabs((double)(v)))
#define MEAN(total, n) ((T)((total) / (double)(n)))
#define ROOT(total) ((T)sqrt(total))
#define EXP tern_vexp_f32
#define REDUCE_REAL
#include "compute/reduce.inc"

#define T double
#define S(name) name##_f64
#define FN(name) tern_##name##_f64
#define TOTAL double
#define LANE double
#define LOWEST ((T)-INFINITY)
#define HIGHEST ((T)INFINITY)
#define IS_NAN(v) isnan(v)
#define ABS(v) ((T)fabs((double)(v)))
#define MEAN(total, n) ((T)((total) / (double)(n)))
#define ROOT(total) ((T)sqrt(total))
#define EXP exp_f64
#define REDUCE_REAL
#include "compute/reduce.inc"

// Integers are summed modulo 2^64, in unsigned arithmetic; a mean divides the sum as a signed
// number where the type is.
#define T int32_t
#define S(name) name##_i32
#define FN(name) tern_##name##_i32
#define TOTAL uint64_t
#define LANE uint64_t
#define LOWEST INT32_MIN
#define HIGHEST INT32_MAX
#define IS_NAN(v) false
#define ABS(v) ((v) < 0 ? 0 - (uint64_t)(v) : (uint64_t)(v))
#define MEAN(total, n) ((T)((n) ? (int64_t)(total) / (int64_t)(n) : 0))
#define ROOT(total) ((T)(int64_t)sqrt((double)(total)))
#include "compute/reduce.inc"

#define T int64_t
#define S(name) name##_i64
#define FN(name) tern_##name##_i64
#define TOTAL uint64_t
#define LANE uint64_t
#define LOWEST INT64_MIN
#define HIGHEST INT64_MAX
#define IS_NAN(v) false
#define ABS(v) ((v) < 0 ? 0 - (uint64_t)(v) : (uint64_t)(v))
#define MEAN(total, n) ((T)((n) ? (int64_t)(total) / (int64_t)(n) : 0))
#define ROOT(total) ((T)(int64_t)sqrt((double)(total)))
#include "compute/reduce.inc"

#define T uint32_t
#define S(name) name##_u32
#define FN(name) tern_##name##_u32
#define TOTAL uint64_t
#define LANE uint64_t
#define LOWEST 0
#define HIGHEST UINT32_MAX
#define IS_NAN(v) false
#define ABS(v) ((uint64_t)(v))
#define MEAN(total, n) ((T)((n) ? (total) / (n) : 0))
#define ROOT(total) ((T)(int64_t)sqrt((double)(total)))
#include "compute/reduce.inc"

#define T uint64_t
#define S(name) name##_u64
#define FN(name) tern_##name##_u64
#define TOTAL uint64_t
#define LANE uint64_t
#define LOWEST 0
#define HIGHEST UINT64_MAX
#define IS_NAN(v) false
#define ABS(v) ((uint64_t)(v))
#define MEAN(total, n) ((T)((n) ? (total) / (n) : 0))
#define ROOT(total) ((T)(int64_t)sqrt((double)(total)))
#include "compute/reduce.inc"

#define T int8_t
#define S(name) name##_i8
#define FN(name) tern_##name##_i8
#define LOWEST INT8_MIN
#define HIGHEST INT8_MAX
#define IS_NAN(v) false
#define REDUCE_EXTREMES_ONLY
#include "compute/reduce.inc"

#define T uint8_t
#define S(name) name##_u8
#define FN(name) tern_##name##_u8
#define LOWEST 0
#define HIGHEST UINT8_MAX
#define IS_NAN(v) false
#define REDUCE_EXTREMES_ONLY
#include "compute/reduce.inc"
