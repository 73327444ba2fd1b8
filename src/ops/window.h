// The geometry of convolution and pooling as the standard's attributes give it: kernel_shape,
// strides, dilations, pads, auto_pad, ceil_mode. Shape functions and kernels both come here.
#ifndef TERN_OPS_WINDOW_H_
#define TERN_OPS_WINDOW_H_

#include "graph/infer.h"

// Spatial dimensions at most.
#define TERN_OP_WINDOW_MAX_RANK 8

typedef struct tern_op_window {
  int32_t rank; // spatial dimensions
  int64_t kernel[TERN_OP_WINDOW_MAX_RANK];
  int64_t stride[TERN_OP_WINDOW_MAX_RANK];
  int64_t dilation[TERN_OP_WINDOW_MAX_RANK];
  int64_t pad_begin[TERN_OP_WINDOW_MAX_RANK];
  int64_t pad_end[TERN_OP_WINDOW_MAX_RANK];
  tern_dim in[TERN_OP_WINDOW_MAX_RANK];  // may be unknown
  tern_dim out[TERN_OP_WINDOW_MAX_RANK]; // unknown where `in` is
} tern_op_window;

// For an input [N, C, in...]. `kernel` has one size for each spatial dimension; NULL: the attribute
// kernel_shape, which must agree with `kernel` when both are there. Output sizes follow the
// standard (floor, or ceil with ceil_mode, where a window that would start in the padding at the
// end is dropped). Errors name the attribute and its value.
TERN_MUST_USE tern_status *tern_op_window_read(const tern_node *node, const tern_shape *x,
                                               const tern_dim *kernel, tern_op_window *out_window);
// As above for the transpose of a convolution, with output_padding and output_shape: `out` is the
// larger side.
TERN_MUST_USE tern_status *tern_op_window_read_transposed(const tern_node *node,
                                                          const tern_shape *x,
                                                          const tern_dim *kernel,
                                                          tern_op_window *out_window);
#endif
