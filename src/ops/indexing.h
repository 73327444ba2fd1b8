// The indexing family's inference.
#ifndef TERN_OPS_INDEXING_H_
#define TERN_OPS_INDEXING_H_

#include "graph/infer.h"

tern_status *tern_ops_infer_gather(tern_infer *infer);
tern_status *tern_ops_gather_symints(tern_infer *infer);
tern_status *tern_ops_infer_gather_elements(tern_infer *infer);
tern_status *tern_ops_infer_gather_nd(tern_infer *infer);
tern_status *tern_ops_infer_scatter_elements(tern_infer *infer);
tern_status *tern_ops_infer_scatter_nd(tern_infer *infer);
tern_status *tern_ops_infer_tensor_scatter(tern_infer *infer);
tern_status *tern_ops_infer_nonzero(tern_infer *infer);
tern_status *tern_ops_infer_topk(tern_infer *infer);
tern_status *tern_ops_infer_unique(tern_infer *infer);
tern_status *tern_ops_infer_one_hot(tern_infer *infer);

#endif
