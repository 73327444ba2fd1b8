// Names while importing: what each graph and function body defines, what it sees of the graphs
// around it, and which names its edges get.
#include <string.h>

#include "graph/import_internal.h"

tern_edge tern_import_omitted;

static tern_status *check_name(tern_span span) {
  if (span.size > 0 && memchr(span.data, '\0', span.size))
    return TERN_ERROR(TERN_INVALID_GRAPH, "the name '%s' goes on behind a NUL", span.data);
  return NULL;
}

tern_status *tern_import_text(import_context *context, tern_span span, const char **out_text) {
  TERN_TRY(check_name(span));
  return tern_arena_copy_text(&context->arena, span.data, span.size, out_text);
}

tern_status *tern_import_keep_text(import_context *context, tern_span span, const char **out_text) {
  *out_text = "";
  if (span.size == 0) return NULL;
  return tern_arena_copy_text(&context->model->arena, span.data, span.size, out_text);
}

tern_status *tern_import_key(import_context *context, tern_span span, const char **out_key) {
  TERN_TRY(check_name(span));
  context->key.size = 0;
  tern_text_append(&context->key, span.data, span.size);
  TERN_TRY(tern_text_check(&context->key));
  *out_key = span.size ? context->key.data : "";
  return NULL;
}

void tern_import_scope_init(import_context *context, const import_scope *outer,
                            const import_env *env, tern_graph *graph, import_scope *out_scope) {
  *out_scope = (import_scope){.outer = outer,
                              .env = env,
                              .graph = graph,
                              .is_inlined = env->function || (outer && outer->is_inlined)};
  tern_allocator *allocator = context->model->allocator;
  tern_map_init(allocator, &out_scope->edges);
  tern_map_init(allocator, &out_scope->definers);
  tern_map_init(allocator, &out_scope->declared);
}

void tern_import_scope_deinit(import_scope *scope) {
  tern_map_deinit(&scope->edges);
  tern_map_deinit(&scope->definers);
  tern_map_deinit(&scope->declared);
}

tern_status *tern_import_declare(import_context *context, import_scope *scope,
                                 const tern_onnx_value_info *infos, size_t count) {
  for (size_t i = 0; i < count; ++i) {
    if (infos[i].type.kind == TERN_KIND_NONE) continue;
    const char *name;
    TERN_TRY(tern_import_text(context, infos[i].name, &name));
    TERN_TRY(tern_map_set(&scope->declared, name, (void *)(uintptr_t)&infos[i]));
  }
  return NULL;
}

tern_status *tern_import_lookup(import_context *context, const import_scope *scope, tern_span name,
                                tern_edge **out_edge) {
  *out_edge = NULL;
  if (name.size == 0) return NULL;
  const char *key;
  TERN_TRY(tern_import_key(context, name, &key));
  for (; scope; scope = scope->outer) {
    tern_edge *edge = tern_map_get(&scope->edges, key);
    if (!edge) continue;
    *out_edge = edge == &tern_import_omitted ? NULL : edge;
    return NULL;
  }
  return TERN_ERROR(TERN_INVALID_GRAPH,
                    "'%s' is neither an input, nor an initializer, nor the output of a node before",
                    key);
}

const char *tern_import_edge_name(const import_scope *scope, const char *name) {
  if (scope->is_inlined) return NULL;
  for (const import_scope *outer = scope->outer; outer; outer = outer->outer) {
    if (tern_map_get(&outer->edges, name) || tern_map_get(&outer->definers, name)) return NULL;
  }
  return name;
}

tern_status *tern_import_define(import_scope *scope, const char *name, tern_edge *edge) {
  if (tern_map_get(&scope->edges, name))
    return TERN_ERROR(TERN_INVALID_GRAPH, "'%s' is defined twice", name);
  return tern_map_set(&scope->edges, name, edge);
}

static void reserve_name(tern_model *model, tern_span name) {
  enum { MAX_DIGITS = 9 };
  if (name.size < 3 || name.size > 2 + MAX_DIGITS || memcmp(name.data, "t#", 2) != 0) return;
  int32_t number = 0;
  for (size_t i = 2; i < name.size; ++i) {
    if (name.data[i] < '0' || name.data[i] > '9') return;
    number = number * 10 + (name.data[i] - '0');
  }
  if (number >= model->next_name_id) model->next_name_id = number + 1;
}

static void reserve_node(tern_model *model, const tern_onnx_node *node) {
  for (size_t i = 0; i < node->output_count; ++i) reserve_name(model, node->outputs[i]);
  for (size_t i = 0; i < node->attribute_count; ++i) {
    if (node->attributes[i].g) tern_import_reserve_names(model, node->attributes[i].g);
  }
}

void tern_import_reserve_names(tern_model *model, const tern_onnx_graph *graph) {
  for (size_t i = 0; i < graph->input_count; ++i) reserve_name(model, graph->inputs[i].name);
  for (size_t i = 0; i < graph->initializer_count; ++i)
    reserve_name(model, graph->initializers[i].name);
  for (size_t i = 0; i < graph->sparse_initializer_count; ++i)
    reserve_name(model, graph->sparse_initializers[i].values.name);
  for (size_t i = 0; i < graph->node_count; ++i) reserve_node(model, &graph->nodes[i]);
}
