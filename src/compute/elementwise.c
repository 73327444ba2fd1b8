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

typedef struct binary_run {
  const tern_binary_loop *loop;
  const tern_broadcast *broadcast;
  const char *a, *b;
  char *y;
} binary_run;

static void run_pieces(void *context, int64_t begin, int64_t end) {
  const binary_run *run = context;
  const tern_binary_loop *loop = run->loop;
  const int64_t *steps = run->broadcast->steps;
  tern_broadcast_piece piece;
  tern_broadcast_piece_seek(run->broadcast, begin, &piece);
  for (int64_t i = begin; i < end; ++i) {
    loop->fn(run->a + (size_t)piece.offsets[0] * loop->a_bytes, steps[0],
             run->b + (size_t)piece.offsets[1] * loop->b_bytes, steps[1],
             run->y + (size_t)piece.output * loop->y_bytes, piece.count);
    tern_broadcast_piece_next(run->broadcast, &piece);
  }
}

void tern_binary_run(const tern_parallel *parallel, const tern_binary_loop *loop,
                     const tern_broadcast *broadcast, const void *a, const void *b, void *y) {
  binary_run run = {loop, broadcast, a, b, y};
  const double bytes = (double)(loop->a_bytes + loop->b_bytes + loop->y_bytes);
  const int64_t most = tern_min_i64(broadcast->row_length, TERN_BROADCAST_PIECE);
  tern_parallel_for(parallel, tern_broadcast_piece_count(broadcast),
                    tern_cost_ns((double)(loop->operations * most), bytes * (double)most),
                    run_pieces, &run);
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
