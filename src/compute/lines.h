// Operators that walk one axis and leave the others alone: running sums, positions of extremes,
// division by a norm. Arrays are dense [outer, axis, inner]; each line along the axis is computed
// by itself, in order, on as many threads as pay.
#ifndef TERN_COMPUTE_LINES_H_
#define TERN_COMPUTE_LINES_H_

#include "compute/types.h"
#include "parallel/parallel.h"

typedef struct tern_lines {
  size_t outer, axis, inner;
  const tern_parallel *parallel; // who helps; NULL: nobody
} tern_lines;

// Neighbouring lines that are walked side by side, so that memory is read in order whatever the
// axis: `width` of them from line `line`, whose first element is `at`.
enum { TERN_LINES_WIDTH = 64 };
typedef struct tern_lines_block {
  size_t at, line, width;
} tern_lines_block;
// Calls `fn` for all lines in such blocks, which depend on the sizes alone. `bytes` and
// `operations` of one element say what it costs (tern_cost).
void tern_lines_for_each(tern_lines lines, double bytes, double operations,
                         void (*fn)(const void *context, const tern_lines_block *block),
                         const void *context);

// For every number type:
//
// tern_cumulate_sum, tern_cumulate_product: y[i] = x[0] op … op x[i]; without x[i] where
// `exclusive`; from the end where `reverse`. Floats are accumulated in double, integers wrap. x and
// y are equal or do not overlap.
//
// tern_arg_extreme: the position along the axis of the largest element, of the smallest with
// `is_min`; of the last one among equals with `last`, else of the first. NaN is more extreme than
// any number. `positions` is [outer, inner]; the axis has elements unless the result is empty.
#define TERN_LINES_DECLARE(dtype_, type, suffix)                                                   \
  void tern_cumulate_sum_##suffix(tern_lines lines, const type *x, bool exclusive, bool reverse,   \
                                  type *y);                                                        \
  void tern_cumulate_product_##suffix(tern_lines lines, const type *x, bool exclusive,             \
                                      bool reverse, type *y);                                      \
  void tern_arg_extreme_##suffix(tern_lines lines, const type *x, bool is_min, bool last,          \
                                 int64_t *positions);
TERN_X_NUMBERS(TERN_LINES_DECLARE)
#undef TERN_LINES_DECLARE

// For floats, x and y equal or not overlapping:
//
// tern_hardmax: 1 where tern_arg_extreme finds the first largest element, 0 elsewhere.
//
// tern_lp_normalize: x / (sum of |x|^p)^(1/p) over the line, p 1 or 2; 0 where the norm is 0.
#define TERN_LINES_DECLARE(dtype_, type, suffix)                                                   \
  void tern_hardmax_##suffix(tern_lines lines, const type *x, type *y);                            \
  void tern_lp_normalize_##suffix(tern_lines lines, const type *x, int p, type *y);
TERN_X_FLOATS(TERN_LINES_DECLARE)
#undef TERN_LINES_DECLARE

#endif
