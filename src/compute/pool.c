// Pooling: one output row at a time, kernel position after kernel position, so that the inner loop
// runs along the last dimension.
#include "compute/pool.h"

#include <math.h>
#include <string.h>

// One step of a walk over the windows of an output row: the kernel position's outputs
// [begin, end), and where in the input plane output `begin` reads.
typedef struct reach {
  size_t begin, end;
  ptrdiff_t offset;
} reach;

// The outputs of row `at` (outer coordinates) that meet `kernel` inside the input.
static bool reach_of(const tern_window *w, const size_t *at, const size_t *kernel, reach *out) {
  const size_t last = w->rank - 1;
  ptrdiff_t row = 0;
  for (size_t d = 0; d < last; d++) {
    const ptrdiff_t position = tern_window_at(w, d, at[d], kernel[d]);
    if (position < 0 || position >= (ptrdiff_t)w->in[d]) return false;
    row = row * (ptrdiff_t)w->in[d] + position;
  }
  tern_window_valid_range(w, last, kernel[last], &out->begin, &out->end);
  if (out->begin >= out->end) return false;
  out->offset = row * (ptrdiff_t)w->in[last] + tern_window_at(w, last, out->begin, kernel[last]);
  return true;
}

// The number of a plane's element when the first dimension runs fastest.
static int64_t column_major_index(const tern_window *w, size_t index) {
  size_t at[TERN_WINDOW_MAX_RANK], result = 0;
  tern_window_unravel(index, w->rank, w->in, at);
  for (size_t d = w->rank; d-- > 0;) result = result * w->in[d] + at[d];
  return (int64_t)result;
}

// From positions within a plane to positions among all planes; -1 stays.
static void number_indices(const tern_window *w, size_t count, size_t plane, bool column_major,
                           int64_t *indices) {
  const int64_t first = (int64_t)(plane * tern_window_in_size(w));
  for (size_t i = 0; i < count; i++) {
    if (indices[i] < 0) continue;
    if (column_major) indices[i] = column_major_index(w, (size_t)indices[i]);
    indices[i] += first;
  }
}

// The positions of dimension d under the window at `out` that a mean divides by.
static size_t window_count(const tern_window *w, size_t d, size_t out, bool count_padding) {
  const ptrdiff_t low = count_padding ? -w->pad_begin[d] : 0;
  const ptrdiff_t high = (ptrdiff_t)w->in[d] + (count_padding ? w->pad_end[d] : 0);
  size_t count = 0;
  for (size_t k = 0; k < w->kernel[d]; k++) {
    const ptrdiff_t position = tern_window_at(w, d, out, k);
    count += position >= low && position < high;
  }
  return count;
}

#define T float
#define S(name) name##_f32
#define MAX tern_pool_max_f32
#define LOWEST (-INFINITY)
#define AVERAGE tern_pool_average_f32
#define GLOBAL_AVERAGE tern_pool_global_average_f32
#define LP tern_pool_lp_f32
#define POW powf
#define ABS fabsf
#define SQRT sqrtf
#include "compute/pool.inc"

#define T double
#define S(name) name##_f64
#define MAX tern_pool_max_f64
#define LOWEST (-INFINITY)
#define AVERAGE tern_pool_average_f64
#define GLOBAL_AVERAGE tern_pool_global_average_f64
#define LP tern_pool_lp_f64
#define POW pow
#define ABS fabs
#define SQRT sqrt
#include "compute/pool.inc"

#define T int8_t
#define S(name) name##_i8
#define MAX tern_pool_max_i8
#define LOWEST INT8_MIN
#include "compute/pool.inc"

#define T uint8_t
#define S(name) name##_u8
#define MAX tern_pool_max_u8
#define LOWEST 0
#include "compute/pool.inc"
