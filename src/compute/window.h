// The geometry that convolution and pooling share: a kernel sliding over spatial dimensions.
#ifndef TERN_COMPUTE_WINDOW_H_
#define TERN_COMPUTE_WINDOW_H_

#include "base/macros.h"

#define TERN_WINDOW_MAX_RANK 8

// Spatial dimension d of the output at position o reads the input at
//   o * stride[d] - pad_begin[d] + k * dilation[d]   for k in [0, kernel[d])
// where that lies in [0, in[d]). Strides and dilations are at least 1. Output sizes are given, so
// auto_pad and ceil_mode are the caller's: they are already in out and pad_begin.
typedef struct tern_window {
  size_t rank; // spatial dimensions, 1 to TERN_WINDOW_MAX_RANK
  size_t in[TERN_WINDOW_MAX_RANK];
  size_t out[TERN_WINDOW_MAX_RANK];
  size_t kernel[TERN_WINDOW_MAX_RANK];
  size_t stride[TERN_WINDOW_MAX_RANK];
  size_t dilation[TERN_WINDOW_MAX_RANK];
  ptrdiff_t pad_begin[TERN_WINDOW_MAX_RANK];
  ptrdiff_t pad_end[TERN_WINDOW_MAX_RANK]; // only average pooling's count of padding reads it
} tern_window;

// Products of dimensions.
size_t tern_window_in_size(const tern_window *w);
size_t tern_window_out_size(const tern_window *w);
size_t tern_window_kernel_size(const tern_window *w);

// Splits a row-major index into coordinates of `rank` dimensions.
void tern_window_unravel(size_t index, size_t rank, const size_t *dims, size_t *out_coordinates);

// Steps coordinates to the next in row-major order. False after the last, which wraps to the first.
bool tern_window_advance(size_t rank, const size_t *dims, size_t *coordinates);

// Where output position `out` meets kernel position `kernel` in dimension d, possibly outside.
static inline ptrdiff_t tern_window_at(const tern_window *w, size_t d, size_t out, size_t kernel) {
  return (ptrdiff_t)(out * w->stride[d]) - w->pad_begin[d] + (ptrdiff_t)(kernel * w->dilation[d]);
}

// The outputs [*out_begin, *out_end) of dimension d that read the input at kernel position
// `kernel`; empty as begin == end.
void tern_window_valid_range(const tern_window *w, size_t d, size_t kernel, size_t *out_begin,
                             size_t *out_end);

#endif
