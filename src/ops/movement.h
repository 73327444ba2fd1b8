// The movement family's inference, and what its kernels compute the same way.
#ifndef TERN_OPS_MOVEMENT_H_
#define TERN_OPS_MOVEMENT_H_

#include "graph/infer.h"

// Slice's range on one axis of `dim` elements, by the standard's clamping: `count` elements from
// `begin`, `step` apart. `step` is not 0.
typedef struct tern_slice_range {
  int64_t begin, count;
} tern_slice_range;
tern_slice_range tern_ops_slice_range(int64_t start, int64_t end, int64_t step, int64_t dim);

// The size of part `index` when `dim` elements are split into `parts`: equal ones, the last
// smaller.
int64_t tern_ops_split_size(int64_t dim, int64_t parts, int64_t index);

tern_status *tern_ops_infer_transpose(tern_infer *infer);
tern_status *tern_ops_infer_concat(tern_infer *infer);
tern_status *tern_ops_concat_symints(tern_infer *infer);
tern_status *tern_ops_infer_split(tern_infer *infer);
tern_status *tern_ops_split_symints(tern_infer *infer);
tern_status *tern_ops_infer_slice(tern_infer *infer);
tern_status *tern_ops_slice_symints(tern_infer *infer);
tern_status *tern_ops_infer_pad(tern_infer *infer);
tern_status *tern_ops_infer_tile(tern_infer *infer);
tern_status *tern_ops_infer_depth_to_space(tern_infer *infer);
tern_status *tern_ops_infer_space_to_depth(tern_infer *infer);
tern_status *tern_ops_infer_reverse_sequence(tern_infer *infer);
tern_status *tern_ops_infer_trilu(tern_infer *infer);
tern_status *tern_ops_infer_center_crop_pad(tern_infer *infer);
tern_status *tern_ops_infer_col2im(tern_infer *infer);
tern_status *tern_ops_infer_compress(tern_infer *infer);

#endif
