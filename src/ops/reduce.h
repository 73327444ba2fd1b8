// Which dimensions a reduction is over: shape functions and kernels both come here.
#ifndef TERN_OPS_REDUCE_H_
#define TERN_OPS_REDUCE_H_

#include "graph/infer.h"

// Bit i of *out_mask: dimension i of `rank` is reduced. `axes` are `count` entries of the axes
// input; none, or no input, is all dimensions, or no dimension with noop_with_empty_axes. Errors:
// an axis out of range or given twice.
TERN_MUST_USE tern_status *tern_op_reduce_mask(const tern_node *node, int32_t rank,
                                               const int64_t *axes, int32_t count,
                                               uint32_t *out_mask);

#endif
