// What a pass is: a row. A pass looks at one node at a time, or at a whole graph; it changes the
// graph through patches and counts each change.
#ifndef TERN_OPTIMIZE_PASS_H_
#define TERN_OPTIMIZE_PASS_H_

#include "graph/builder.h"
#include "graph/infer.h"
#include "optimize/optimize.h"

typedef struct tern_pass tern_pass;

// What passes share while the driver runs them.
typedef struct tern_pass_context {
  const tern_optimize_options *options;
  tern_model *model;
  const tern_pass *pass; // at work
  int64_t changes;       // of the pass at work, in this sweep
  int64_t total_changes; // of all passes
  size_t folded_bytes;   // made by constant folding so far
} tern_pass_context;

struct tern_pass {
  const char *name;
  const char *ort_names; // ORT's transformers that do this, separated by ';', for disabling
  int32_t level;         // runs at this optimisation level and above
  // One of the two. `node` may remove the node it is given and those before it.
  tern_status *(*node)(tern_pass_context *ctx, tern_node *node);
  tern_status *(*graph)(tern_pass_context *ctx, tern_graph *graph);
};

// Every pass, in order; ends with a NULL name. The list is in driver.c.
extern const tern_pass tern_passes[];

// Applies a patch and counts it; once the option `stop_after` is reached, drops it.
TERN_MUST_USE tern_status *tern_pass_apply(tern_pass_context *ctx, tern_patch *patch);
// Replaces output 0 of `node` by an edge that is there already. Does nothing (and counts nothing)
// where an output's name would be lost.
TERN_MUST_USE tern_status *tern_pass_forward(tern_pass_context *ctx, tern_node *node,
                                             tern_edge *edge);
// Whether readers of `from` may read `to` instead: a graph output must keep a producer of its own.
bool tern_pass_can_replace(const tern_edge *from, const tern_edge *to);

tern_status *tern_pass_eliminate_identity(tern_pass_context *ctx, tern_node *node);
tern_status *tern_pass_sink_cast(tern_pass_context *ctx, tern_node *node);
tern_status *tern_pass_eliminate_cast(tern_pass_context *ctx, tern_node *node);
tern_status *tern_pass_merge_transposes(tern_pass_context *ctx, tern_node *node);
tern_status *tern_pass_fold_constants(tern_pass_context *ctx, tern_node *node);
tern_status *tern_pass_fold_batch_norm(tern_pass_context *ctx, tern_node *node);
tern_status *tern_pass_fold_channel_mul(tern_pass_context *ctx, tern_node *node);
tern_status *tern_pass_fold_channel_add(tern_pass_context *ctx, tern_node *node);
tern_status *tern_pass_fuse_gate(tern_pass_context *ctx, tern_node *node);
tern_status *tern_pass_fuse_addition(tern_pass_context *ctx, tern_node *node);
tern_status *tern_pass_fuse_activation(tern_pass_context *ctx, tern_node *node);
tern_status *tern_pass_assign_layout(tern_pass_context *ctx, tern_node *node);
tern_status *tern_pass_remove_dead(tern_pass_context *ctx, tern_graph *graph);
tern_status *tern_pass_merge_equal(tern_pass_context *ctx, tern_graph *graph);

#endif
