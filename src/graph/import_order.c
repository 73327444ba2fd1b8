// Topological order. The standard demands it of files, and most comply; the depth-first walk below
// leaves such files as they are, orders the others in linear time, and names a node of a cycle.
#include <string.h>

#include "graph/import_internal.h"

// For each node, the nodes of the same body that must come before it.
typedef struct sorter {
  import_context *context;
  import_scope *scope;
  const tern_onnx_node *nodes;
  uint32_t count;
  size_t *first; // [count + 1] into `items`
  TERN_ARRAY(uint32_t) items;
} sorter;

static tern_status *define_names(sorter *s) {
  import_context *context = s->context;
  for (uint32_t n = 0; n < s->count; ++n) {
    const tern_onnx_node *node = &s->nodes[n];
    for (size_t i = 0; i < node->output_count; ++i) {
      if (node->outputs[i].size == 0) continue;
      const char *name;
      TERN_TRY(tern_import_text(context, node->outputs[i], &name));
      if (tern_map_get(&s->scope->definers, name) || tern_map_get(&s->scope->edges, name))
        return TERN_ERROR(TERN_INVALID_GRAPH,
                          "node '%.*s' (%.*s): output '%s' is defined twice in the graph",
                          (int)node->name.size, node->name.data, (int)node->op_type.size,
                          node->op_type.data, name);
      import_definer *definer;
      TERN_TRY(TERN_ARENA_NEW(&context->arena, &definer));
      definer->node = n;
      TERN_TRY(tern_map_set(&s->scope->definers, name, definer));
    }
  }
  return NULL;
}

static tern_status *find_definer(sorter *s, tern_span name, import_definer **out_definer) {
  const char *key;
  TERN_TRY(tern_import_key(s->context, name, &key));
  *out_definer = tern_map_get(&s->scope->definers, key);
  return NULL;
}

static tern_status *collect_name(sorter *s, tern_span name) {
  import_definer *definer;
  if (name.size == 0) return NULL;
  TERN_TRY(find_definer(s, name, &definer));
  if (!definer || definer->hidden > 0) return NULL;
  definer->is_read = true;
  TERN_ARRAY_PUSH(s->context->model->allocator, &s->items, definer->node);
  return NULL;
}

static tern_status *hide_name(sorter *s, tern_span name, int32_t delta) {
  import_definer *definer;
  TERN_TRY(find_definer(s, name, &definer));
  if (definer) definer->hidden += delta;
  return NULL;
}

// Names that an inner graph defines itself are none of ours, wherever in it they stand.
static tern_status *hide_names(sorter *s, const tern_onnx_graph *graph, int32_t delta) {
  for (size_t i = 0; i < graph->input_count; ++i)
    TERN_TRY(hide_name(s, graph->inputs[i].name, delta));
  for (size_t i = 0; i < graph->initializer_count; ++i)
    TERN_TRY(hide_name(s, graph->initializers[i].name, delta));
  for (size_t i = 0; i < graph->sparse_initializer_count; ++i)
    TERN_TRY(hide_name(s, graph->sparse_initializers[i].values.name, delta));
  for (size_t n = 0; n < graph->node_count; ++n) {
    for (size_t i = 0; i < graph->nodes[n].output_count; ++i)
      TERN_TRY(hide_name(s, graph->nodes[n].outputs[i], delta));
  }
  return NULL;
}

static tern_status *collect_graph(sorter *s, const tern_onnx_graph *graph);

// Recursion is as deep as the parser lets graphs nest.
static tern_status *collect_node(sorter *s, const tern_onnx_node *node) {
  for (size_t i = 0; i < node->input_count; ++i) TERN_TRY(collect_name(s, node->inputs[i]));
  for (size_t i = 0; i < node->attribute_count; ++i) {
    if (node->attributes[i].g) TERN_TRY(collect_graph(s, node->attributes[i].g));
  }
  return NULL;
}

static tern_status *collect_graph(sorter *s, const tern_onnx_graph *graph) {
  TERN_TRY(hide_names(s, graph, 1));
  for (size_t i = 0; i < graph->node_count; ++i) TERN_TRY(collect_node(s, &graph->nodes[i]));
  for (size_t i = 0; i < graph->output_count; ++i)
    TERN_TRY(collect_name(s, graph->outputs[i].name));
  return hide_names(s, graph, -1);
}

static tern_status *mark_result(sorter *s, tern_span name) {
  import_definer *definer;
  TERN_TRY(find_definer(s, name, &definer));
  if (definer) definer->is_read = true;
  return NULL;
}

// What the body gives to whoever is around it is read too.
static tern_status *mark_results(sorter *s) {
  const tern_onnx_graph *graph = s->scope->from;
  const tern_onnx_function *function = s->scope->env->function;
  for (size_t i = 0; graph && i < graph->output_count; ++i)
    TERN_TRY(mark_result(s, graph->outputs[i].name));
  for (size_t i = 0; function && i < function->output_count; ++i)
    TERN_TRY(mark_result(s, function->outputs[i]));
  return NULL;
}

static tern_status *collect(sorter *s) {
  TERN_TRY(TERN_ARENA_ARRAY(&s->context->arena, (size_t)s->count + 1, &s->first));
  for (uint32_t n = 0; n < s->count; ++n) {
    TERN_TRY(collect_node(s, &s->nodes[n]));
    s->first[n + 1] = s->items.count;
  }
  return mark_results(s);
}

typedef enum visit { VISIT_NEW = 0, VISIT_OPEN, VISIT_DONE } visit;

// Depth first over what each node needs, with a stack of its own: chains may be as long as files.
typedef struct walk {
  uint8_t *states; // visit
  uint32_t *stack;
  size_t *next; // the dependency each open node looks at next
  uint32_t *order;
  uint32_t depth, placed;
} walk;

static tern_status *visit_from(const sorter *s, walk *w, uint32_t root) {
  w->stack[w->depth++] = root;
  while (w->depth > 0) {
    uint32_t node = w->stack[w->depth - 1];
    if (w->states[node] == VISIT_NEW) {
      w->states[node] = VISIT_OPEN;
      w->next[node] = s->first[node];
    }
    if (w->next[node] == s->first[node + 1]) {
      w->states[node] = VISIT_DONE;
      w->order[w->placed++] = node;
      w->depth--;
      continue;
    }
    uint32_t needed = s->items.data[w->next[node]++];
    if (w->states[needed] == VISIT_OPEN)
      return TERN_ERROR(TERN_INVALID_GRAPH,
                        "node '%.*s' (%.*s) needs its own output: the graph has a cycle",
                        (int)s->nodes[needed].name.size, s->nodes[needed].name.data,
                        (int)s->nodes[needed].op_type.size, s->nodes[needed].op_type.data);
    if (w->states[needed] == VISIT_NEW) w->stack[w->depth++] = needed;
  }
  return NULL;
}

static tern_status *sort(const sorter *s, uint32_t **out_order) {
  tern_arena *arena = &s->context->arena;
  walk w = {0};
  TERN_TRY(TERN_ARENA_ARRAY(arena, s->count, &w.states));
  TERN_TRY(TERN_ARENA_ARRAY(arena, s->count, &w.stack));
  TERN_TRY(TERN_ARENA_ARRAY(arena, s->count, &w.next));
  TERN_TRY(TERN_ARENA_ARRAY(arena, s->count, &w.order));
  for (uint32_t n = 0; n < s->count; ++n) {
    if (w.states[n] == VISIT_NEW) TERN_TRY(visit_from(s, &w, n));
  }
  *out_order = w.order;
  return NULL;
}

tern_status *tern_import_order(import_context *context, import_scope *scope,
                               const tern_onnx_node *nodes, size_t count, uint32_t **out_order) {
  if (count >= UINT32_MAX / 2)
    return TERN_ERROR(TERN_INVALID_GRAPH, "%zu nodes are too many", count);
  sorter s = {.context = context, .scope = scope, .nodes = nodes, .count = (uint32_t)count};
  tern_status *status = define_names(&s);
  if (!status) status = collect(&s);
  if (!status) status = sort(&s, out_order);
  TERN_ARRAY_FREE(context->model->allocator, &s.items);
  return status;
}
