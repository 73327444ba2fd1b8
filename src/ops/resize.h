// The geometry of Resize as its attributes and inputs give it. Shape function and kernel both come
// here.
#ifndef TERN_OPS_RESIZE_H_
#define TERN_OPS_RESIZE_H_

#include "graph/infer.h"

typedef struct tern_op_resize {
  bool is_resized[TERN_MAX_RANK]; // the axis is one of `axes`
  double scale[TERN_MAX_RANK];
  double roi_begin[TERN_MAX_RANK], roi_end[TERN_MAX_RANK];
  tern_dim out[TERN_MAX_RANK];
} tern_op_resize;

// Reads the attribute `axes` for an input of shape `x`: which axes are resized, and in which order
// the other inputs speak of them. Errors: an axis out of range or given twice.
TERN_MUST_USE tern_status *tern_op_resize_axes(const tern_node *node, const tern_shape *x,
                                               int32_t out_axes[TERN_MAX_RANK], int32_t *out_count);

// `x` is known. `scales` or `sizes` is NULL or empty, and not both are; `roi` may be NULL. Errors:
// lists of the wrong length, a scale that is not positive, a negative size, a result too large.
TERN_MUST_USE tern_status *tern_op_resize_read(const tern_node *node, const tern_shape *x,
                                               const tern_value *roi, const tern_value *scales,
                                               const tern_value *sizes, tern_op_resize *out_resize);

// Ready-made `infer` of Resize.
tern_status *tern_ops_infer_resize(tern_infer *infer);

#endif
