// Lowering.
#include "session/lower.h"

#include "graph/builder.h"
#include "providers/cpu/cpu.h"

// Bodies inside bodies: the standard nests three deep.
enum { MAX_ROUNDS = 16 };

static tern_status *inline_body(tern_node *node) {
  tern_patch patch;
  tern_edge *outputs[16] = {0};
  if (node->output_count > (int32_t)TERN_COUNT_OF(outputs)) return NULL;
  tern_patch_init(&patch, node, node->name);
  tern_status *status = node->op->body(&patch.builder, node, outputs);
  if (status && !patch.builder.status)
    patch.builder.status = status;
  else if (status)
    tern_status_free(status);
  for (int32_t i = 0; i < node->output_count; ++i) {
    if (!node->outputs[i] || patch.builder.status) continue;
    if (outputs[i])
      tern_patch_replace(&patch, node->outputs[i], outputs[i]);
    else
      patch.builder.status = TERN_ERROR(TERN_FAIL, "the body makes no output %d", i);
  }
  char where[TERN_NODE_TEXT_BYTES];
  tern_node_describe(node, where, sizeof where);
  status = tern_patch_apply(&patch);
  return status ? tern_status_annotate(status, "inlining %s", where) : NULL;
}

// A node that nobody runs as it stands.
static tern_status *lower_node(tern_node *node, bool *inout_changed) {
  bool widened;
  TERN_TRY(tern_cpu_widen_narrow_floats(node, &widened));
  if (!widened && node->op->body) TERN_TRY(inline_body(node));
  *inout_changed |= widened || node->op->body;
  return NULL;
}

static tern_status *lower_graph(tern_graph *graph, tern_partition *partition, bool *inout_changed) {
  TERN_GRAPH_FOREACH(graph, node) {
    const tern_placement *placement;
    TERN_TRY(tern_partition_place(partition, node, &placement));
    if (!placement->provider) TERN_TRY(lower_node(node, inout_changed));
  }
  return NULL;
}

tern_status *tern_lower(tern_model *model, tern_partition *partition) {
  bool changed = true;
  for (int32_t round = 0; changed && round < MAX_ROUNDS; ++round) {
    changed = false;
    for (size_t g = 0; g < model->graphs.count; ++g) {
      tern_graph *graph = model->graphs.data[g];
      if (!tern_graph_is_live(graph) || tern_partition_is_compiled(partition, graph)) continue;
      TERN_TRY(lower_graph(graph, partition, &changed));
    }
  }
  return tern_graph_collect_captures(model->graph);
}
