#include "compute/window.h"

static size_t product(size_t rank, const size_t *dims) {
  size_t result = 1;
  for (size_t d = 0; d < rank; d++) result *= dims[d];
  return result;
}

size_t tern_window_in_size(const tern_window *w) {
  return product(w->rank, w->in);
}
size_t tern_window_out_size(const tern_window *w) {
  return product(w->rank, w->out);
}
size_t tern_window_kernel_size(const tern_window *w) {
  return product(w->rank, w->kernel);
}

void tern_window_unravel(size_t index, size_t rank, const size_t *dims, size_t *out_coordinates) {
  for (size_t d = rank; d-- > 0;) {
    out_coordinates[d] = index % dims[d];
    index /= dims[d];
  }
}

bool tern_window_advance(size_t rank, const size_t *dims, size_t *coordinates) {
  for (size_t d = rank; d-- > 0;) {
    if (++coordinates[d] < dims[d]) return true;
    coordinates[d] = 0;
  }
  return false;
}

// The smallest o >= 0 with o * stride >= distance.
static size_t first_at_least(ptrdiff_t distance, size_t stride) {
  return distance <= 0 ? 0 : ((size_t)distance + stride - 1) / stride;
}

void tern_window_valid_range(const tern_window *w, size_t d, size_t kernel, size_t *out_begin,
                             size_t *out_end) {
  const ptrdiff_t shift = w->pad_begin[d] - (ptrdiff_t)(kernel * w->dilation[d]);
  const size_t begin = first_at_least(shift, w->stride[d]);
  const size_t end = first_at_least(shift + (ptrdiff_t)w->in[d], w->stride[d]);
  *out_end = end < w->out[d] ? end : w->out[d];
  *out_begin = begin < *out_end ? begin : *out_end;
}
