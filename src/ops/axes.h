// Pieces that the shape, movement and indexing families share: lists of axes and sizes that come
// as inputs, and outputs whose type no input gives.
#ifndef TERN_OPS_AXES_H_
#define TERN_OPS_AXES_H_

#include "graph/infer.h"

// Reads the axes in integer input `index` against `rank`: normalised, each at most once. Two
// errors: an axis out of range, an axis given twice. *out_known is false when the input is omitted
// or its elements are not known; nothing else is set then.
TERN_MUST_USE tern_status *tern_ops_read_axes(const tern_infer *infer, int32_t index, int32_t rank,
                                              int32_t out_axes[TERN_MAX_RANK], int32_t *out_count,
                                              bool *out_known);

// How many elements an input of rank 1 (or 0) has, from its shape; -1: not known.
int64_t tern_ops_input_length(const tern_infer *infer, int32_t index);

// Reads a shape that comes as integer input `index`: sizes, symbols, and TERN_DIM_UNKNOWN for
// what is not known. Errors: more than TERN_MAX_RANK entries, a negative size. When not even the
// rank is known *out_shape has none.
TERN_MUST_USE tern_status *tern_ops_read_shape(const tern_infer *infer, int32_t index,
                                               tern_shape *out_shape);

// Output `index` is a tensor of `dtype`.
static inline void tern_ops_set_dtype(tern_infer *infer, int32_t index, tern_dtype dtype) {
  if (index >= infer->output_count) return;
  infer->output_types[index].kind = TERN_KIND_TENSOR;
  infer->output_types[index].dtype = dtype;
}

// The number of elements when it is one number or one symbol times ones; TERN_DIM_UNKNOWN when it
// is not, and on overflow. Dimensions begin..end.
tern_dim tern_ops_dim_product(const tern_shape *shape, int32_t begin, int32_t end);

#endif
