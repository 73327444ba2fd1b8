// Between the files of layout assignment: one node on its way into blocks.
#ifndef TERN_OPTIMIZE_LAYOUT_H_
#define TERN_OPTIMIZE_LAYOUT_H_

#include "optimize/match.h"

typedef struct tern_layout_change {
  tern_pass_context *ctx;
  tern_node *node;
  int64_t block, channels; // of output 0
  tern_patch patch;
} tern_layout_change;

// Whether `edge` is a float image of a known number of channels. NULL is none.
bool tern_layout_is_image(const tern_edge *edge);
// The blocked image that `edge` was made from; NULL: it was not.
tern_edge *tern_layout_source(const tern_layout_change *change, const tern_edge *edge);

// Begins the patch.
void tern_layout_begin(tern_layout_change *change);
// The blocked image of `edge`, which NULL stays.
tern_edge *tern_layout_to_blocked(tern_layout_change *change, tern_edge *edge);
// Output `index` of the node, of `channels`, is made from `blocked`.
void tern_layout_replace(tern_layout_change *change, int32_t index, tern_edge *blocked,
                         int64_t channels);
// As above for output 0, and applies the patch.
TERN_MUST_USE tern_status *tern_layout_finish(tern_layout_change *change, tern_edge *blocked);

// Rows of the pass's table that stand in layout_parts.c: each replaces the node, or leaves it.
tern_status *tern_layout_concat(tern_layout_change *change);
tern_status *tern_layout_split(tern_layout_change *change);
tern_status *tern_layout_slice(tern_layout_change *change);
tern_status *tern_layout_resize(tern_layout_change *change);

#endif
