// Reductions of dense [outer, axis, inner] over the axis. The elements of a line are added up in
// chunks of fixed size, which are then joined in order, so a result depends on its line alone.
#ifndef TERN_COMPUTE_REDUCE_H_
#define TERN_COMPUTE_REDUCE_H_

#include "compute/lines.h"

// What a line becomes; of no elements, the value in brackets.
typedef enum tern_reduce_kind {
  TERN_REDUCE_SUM,         // (0)
  TERN_REDUCE_MEAN,        // (NaN; 0 for integers)
  TERN_REDUCE_PRODUCT,     // (1)
  TERN_REDUCE_MAX,         // (-infinity, or the smallest integer); NaN where an element is NaN
  TERN_REDUCE_MIN,         // (infinity, or the largest integer); likewise
  TERN_REDUCE_L1,          // the sum of |x| (0)
  TERN_REDUCE_L2,          // sqrt(sum of x^2) (0)
  TERN_REDUCE_SUM_SQUARE,  // (0)
  TERN_REDUCE_LOG_SUM,     // log(sum of x) (-infinity)
  TERN_REDUCE_LOG_SUM_EXP, // log(sum of exp(x)), without overflow between (-infinity)
} tern_reduce_kind;

// Writes y [outer, inner]. Floats keep sums of chunks, products and squares in double; integers
// are summed in 64 bits, and wrap when stored, means and roots are cut towards zero. Not for
// integers: the logarithms.
void tern_reduce_f32(tern_reduce_kind kind, tern_lines lines, const float *x, float *y);
void tern_reduce_f64(tern_reduce_kind kind, tern_lines lines, const double *x, double *y);
void tern_reduce_i32(tern_reduce_kind kind, tern_lines lines, const int32_t *x, int32_t *y);
void tern_reduce_i64(tern_reduce_kind kind, tern_lines lines, const int64_t *x, int64_t *y);
void tern_reduce_u32(tern_reduce_kind kind, tern_lines lines, const uint32_t *x, uint32_t *y);
void tern_reduce_u64(tern_reduce_kind kind, tern_lines lines, const uint64_t *x, uint64_t *y);
// TERN_REDUCE_MAX and TERN_REDUCE_MIN only.
void tern_reduce_i8(tern_reduce_kind kind, tern_lines lines, const int8_t *x, int8_t *y);
void tern_reduce_u8(tern_reduce_kind kind, tern_lines lines, const uint8_t *x, uint8_t *y);

#endif
