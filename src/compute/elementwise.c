// Finding and running the loops of elementwise.h.
#include "compute/elementwise.h"

#include <math.h>

#include "compute/loops.h"

tern_unary_fn tern_unary_find(tern_unary_op op, tern_dtype dtype) {
  return tern_loops_selected()->unary[op][dtype];
}

tern_binary_fn tern_binary_find(tern_binary_op op, tern_dtype dtype) {
  return tern_loops_selected()->binary[op][dtype];
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
