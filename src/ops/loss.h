// Losses: what the nn family's rows of them point at.
#ifndef TERN_OPS_LOSS_H_
#define TERN_OPS_LOSS_H_

#include "graph/builder.h"
#include "graph/infer.h"

tern_status *tern_ops_infer_loss(tern_infer *infer);
tern_status *tern_ops_body_log_likelihood(tern_builder *builder, const tern_node *node,
                                          tern_edge **outputs);
tern_status *tern_ops_body_cross_entropy(tern_builder *builder, const tern_node *node,
                                         tern_edge **outputs);

#endif
