// The pass driver and the provider-independent passes. A pass matches and applies patches; the
// driver runs passes by level to a fixed point, counts and names what they do, checks the graph
// after each in debug builds, and can stop at step N to find the one that breaks a model.
#ifndef TERN_OPTIMIZE_OPTIMIZE_H_
#define TERN_OPTIMIZE_OPTIMIZE_H_

#include "base/text.h"
#include "graph/import.h"

// Who computes on blocked images.
typedef struct tern_layout_chooser {
  void *self;
  // The block of channels that whoever runs `node` wants it computed in; 0: the plain layout. As
  // tern_provider's.
  int32_t (*preferred_block)(void *self, const tern_node *node);
} tern_layout_chooser;

typedef struct tern_optimize_options {
  int32_t level;                     // 0 none, 1 basic, 2 extended, 3 layout, 99 all
  const tern_evaluator *evaluator;   // NULL: nothing is folded
  const tern_layout_chooser *layout; // NULL: images stay as they are
  const char *disabled;              // ORT's transformer names, separated by ';'; may be NULL
  bool cast_chains;         // casts the model wrote may be merged although that changes bits
  size_t folding_max_bytes; // all folded results together take no more
  int64_t stop_after;       // applied patches; 0: no limit
} tern_optimize_options;

// The limit that ORT's config value (bytes in decimal; NULL: not set) asks for.
size_t tern_optimize_folding_limit(const char *config_value);

// Optimises every graph of the model. `out_report` may be NULL; it gets a line for each pass that
// changed something: name, changes, microseconds.
TERN_MUST_USE tern_status *tern_optimize(tern_model *model, const tern_optimize_options *options,
                                         tern_text *out_report);
// Level 3: gives images the layouts that who runs them wants. The nodes are those that run: after
// lowering, and after a model is saved, for what it leaves belongs to this machine.
TERN_MUST_USE tern_status *tern_optimize_layout(tern_model *model,
                                                const tern_optimize_options *options);
// Removes the casts that lowering put between nodes that both run in float, and what they leave
// behind. Part of lowering, whatever the level.
TERN_MUST_USE tern_status *tern_optimize_inserted_casts(tern_model *model);

#endif
