// The shape family's inference, by file: shape_views.c for operators that give the same elements
// another shape, shape_fill.c for those that make elements.
#ifndef TERN_OPS_SHAPE_H_
#define TERN_OPS_SHAPE_H_

#include "graph/infer.h"

tern_status *tern_ops_infer_shape(tern_infer *infer);
tern_status *tern_ops_shape_symints(tern_infer *infer);
tern_status *tern_ops_infer_size(tern_infer *infer);
tern_status *tern_ops_size_symints(tern_infer *infer);
tern_status *tern_ops_infer_reshape(tern_infer *infer);
tern_status *tern_ops_infer_flatten(tern_infer *infer);
tern_status *tern_ops_infer_squeeze(tern_infer *infer);
tern_status *tern_ops_infer_unsqueeze(tern_infer *infer);
tern_status *tern_ops_infer_expand(tern_infer *infer);
// The followed elements of input 0, when it and the output hold at most a row of them.
tern_status *tern_ops_same_symints(tern_infer *infer);

tern_status *tern_ops_infer_constant(tern_infer *infer);
tern_status *tern_ops_infer_constant_of_shape(tern_infer *infer);
tern_status *tern_ops_constant_of_shape_symints(tern_infer *infer);
tern_status *tern_ops_infer_range(tern_infer *infer);
tern_status *tern_ops_infer_eye_like(tern_infer *infer);
tern_status *tern_ops_infer_dropout(tern_infer *infer);

#endif
