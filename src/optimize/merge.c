// Dead nodes, and equal nodes.
#include <string.h>

#include "optimize/pass.h"

tern_status *tern_pass_remove_dead(tern_pass_context *ctx, tern_graph *graph) {
  // Backwards: one sweep sees every node after all its readers.
  for (tern_node *node = graph->last; node;) {
    tern_node *previous = node->prev;
    bool is_read = false;
    for (int32_t i = 0; i < node->output_count; ++i) {
      const tern_edge *edge = node->outputs[i];
      is_read |= edge && (edge->uses.count > 0 || edge->output_uses > 0);
    }
    if (!is_read) {
      tern_graph_remove(node);
      ctx->changes++;
      ctx->total_changes++;
    }
    node = previous;
  }
  return NULL;
}

static uint64_t mix(uint64_t h, uint64_t x) {
  h = (h ^ x) * 0x9e3779b97f4a7c15u;
  return h ^ (h >> 29);
}

static uint64_t hash_node(const tern_node *node) {
  uint64_t h = mix((uint64_t)(uintptr_t)node->op, (uint64_t)node->output_count);
  for (int32_t i = 0; i < node->input_count; ++i) h = mix(h, (uint64_t)(uintptr_t)node->inputs[i]);
  return h;
}

static bool same_strings(const tern_string *a, const tern_string *b, size_t count) {
  for (size_t i = 0; i < count; ++i) {
    if (a[i].size != b[i].size || memcmp(a[i].data, b[i].data, a[i].size) != 0) return false;
  }
  return true;
}

// Attributes of kinds that are not compared (tensors, graphs, types) count as different, unless
// both nodes hold the very same object.
static bool same_attr(const tern_attr *a, const tern_attr *b) {
  if (a->type != b->type || a->count != b->count) return false;
  switch (a->type) {
  case TERN_ATTR_UNDEFINED:
    return true;
  case TERN_ATTR_FLOAT:
    return memcmp(&a->u.f, &b->u.f, sizeof a->u.f) == 0;
  case TERN_ATTR_INT:
    return a->u.i == b->u.i;
  case TERN_ATTR_STRING:
    return same_strings(&a->u.s, &b->u.s, 1);
  case TERN_ATTR_FLOATS:
    return !a->count || !memcmp(a->u.floats, b->u.floats, a->count * sizeof(float));
  case TERN_ATTR_INTS:
    return !a->count || !memcmp(a->u.ints, b->u.ints, a->count * sizeof(int64_t));
  case TERN_ATTR_STRINGS:
    return same_strings(a->u.strings, b->u.strings, a->count);
  case TERN_ATTR_TENSOR:
    return a->u.tensor == b->u.tensor;
  default:
    return false;
  }
}

static bool are_equal(const tern_node *a, const tern_node *b) {
  if (a->op != b->op || a->input_count != b->input_count || a->output_count != b->output_count)
    return false;
  for (int32_t i = 0; i < a->input_count; ++i) {
    if (a->inputs[i] != b->inputs[i]) return false;
  }
  for (int32_t i = 0; i < a->output_count; ++i) {
    if ((a->outputs[i] == NULL) != (b->outputs[i] == NULL)) return false;
  }
  for (size_t i = 0; a->op->attrs && a->op->attrs[i].name; ++i) {
    if (!same_attr(&a->attrs[i], &b->attrs[i])) return false;
  }
  return true;
}

static bool may_merge(const tern_node *node) {
  return !(node->op->flags & (TERN_OP_NONDETERMINISTIC | TERN_OP_CONTROL_FLOW)) &&
         node->output_count <= 8;
}

static tern_status *merge_into(tern_pass_context *ctx, tern_node *node, tern_node *first) {
  tern_patch patch;
  for (int32_t i = 0; i < node->output_count; ++i) {
    if (node->outputs[i] && !tern_pass_can_replace(node->outputs[i], first->outputs[i]))
      return NULL;
  }
  tern_patch_init(&patch, node, NULL);
  for (int32_t i = 0; i < node->output_count; ++i) {
    if (node->outputs[i]) tern_patch_replace(&patch, node->outputs[i], first->outputs[i]);
  }
  return tern_pass_apply(ctx, &patch);
}

// An open-addressed table of the graph's nodes by hash.
static tern_status *merge_with_table(tern_pass_context *ctx, tern_graph *graph, tern_node **table,
                                     size_t capacity) {
  TERN_GRAPH_FOREACH(graph, node) {
    if (!may_merge(node)) continue;
    size_t i = (size_t)(hash_node(node) >> 16) & (capacity - 1);
    while (table[i] && !are_equal(table[i], node)) i = (i + 1) & (capacity - 1);
    if (table[i])
      TERN_TRY(merge_into(ctx, node, table[i]));
    else
      table[i] = node;
  }
  return NULL;
}

tern_status *tern_pass_merge_equal(tern_pass_context *ctx, tern_graph *graph) {
  size_t capacity = 64;
  while (capacity < (size_t)graph->node_count * 2) capacity *= 2;
  tern_node **table;
  tern_allocator *allocator = ctx->model->allocator;
  TERN_TRY(tern_allocator_calloc(allocator, capacity, sizeof *table, (void **)&table));
  tern_status *status = merge_with_table(ctx, graph, table, capacity);
  tern_allocator_free(allocator, table, capacity * sizeof *table);
  return status;
}
