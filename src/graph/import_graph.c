// One graph of the file: its initializers and inputs, its nodes, its outputs.
#include <string.h>

#include "graph/import_internal.h"

// A label that Tern made. Labels of that form in the file are kept apart from ours by
// tern_import_reserve_names.
static bool is_fresh(const tern_edge *edge) {
  return strncmp(edge->name, "t#", 2) == 0;
}

tern_status *tern_import_bind(import_context *context, import_scope *scope, const char *name,
                              tern_edge *edge) {
  const char *label = tern_import_edge_name(scope, name);
  bool is_unnamed = is_fresh(edge) && tern_map_get(&scope->edges, edge->name) != edge;
  if (label && is_unnamed && edge->graph == scope->graph)
    TERN_TRY(tern_arena_copy_text(&context->model->arena, label, strlen(label), &edge->name));
  TERN_TRY(tern_import_merge_declared(context, scope, name, &edge->type));
  return tern_import_define(scope, name, edge);
}

// The type of an input with a default comes from the declaration; the default must fit it.
static tern_status *check_default(import_context *context, const char *name,
                                  const tern_type *declared, const tern_type *found) {
  tern_type joined = *found;
  tern_shape shape = found->shape;
  TERN_TRY(tern_import_merge_type(context, name, declared, &joined));
  if (tern_shape_merge(&shape, &declared->shape)) return NULL;
  char a[TERN_TYPE_TEXT_BYTES], b[TERN_TYPE_TEXT_BYTES];
  return TERN_ERROR(TERN_INVALID_GRAPH, "input '%s' is declared as %s, but its initializer is %s",
                    name, tern_type_format(declared, a, sizeof a),
                    tern_type_format(found, b, sizeof b));
}

// Before IR version 4 every initializer was listed as an input and none could be overridden.
static tern_status *import_defaulted_input(import_context *context, import_scope *scope,
                                           const char *name, const tern_type *declared,
                                           tern_edge *edge) {
  if (!edge->initializer || edge->is_input)
    return TERN_ERROR(TERN_INVALID_GRAPH, "input '%s' is defined twice", name);
  if (declared->kind != TERN_KIND_NONE)
    TERN_TRY(check_default(context, name, declared, &edge->type));
  if (!scope->outer && context->model->ir_version < 4) return NULL;
  if (declared->kind != TERN_KIND_NONE) edge->type = *declared;
  return tern_graph_add_input(scope->graph, edge);
}

static tern_status *import_input(import_context *context, import_scope *scope,
                                 const tern_onnx_value_info *info, const tern_type *given) {
  const char *name;
  tern_type declared;
  TERN_TRY(tern_import_text(context, info->name, &name));
  if (!name[0]) return TERN_ERROR(TERN_INVALID_GRAPH, "an input of the graph has no name");
  tern_status *status = tern_import_type(context, &info->type, &declared);
  if (status) return tern_status_annotate(status, "input '%s'", name);
  tern_edge *edge = tern_map_get(&scope->edges, name);
  if (edge) return import_defaulted_input(context, scope, name, &declared, edge);
  if (!given && declared.kind == TERN_KIND_NONE)
    return TERN_ERROR(TERN_INVALID_GRAPH, "input '%s' has no type", name);
  TERN_TRY(tern_graph_new_edge(scope->graph, tern_import_edge_name(scope, name), &edge));
  if (given) edge->type = *given;
  TERN_TRY(tern_import_merge_type(context, name, &declared, &edge->type));
  // Nobody says: a tensor is likeliest, and rows may count on a type.
  if (edge->type.kind == TERN_KIND_NONE) edge->type = tern_type_tensor(TERN_DTYPE_UNDEFINED);
  TERN_TRY(tern_import_define(scope, name, edge));
  return tern_graph_add_input(scope->graph, edge);
}

tern_status *tern_import_identity(import_scope *scope, const char *name, tern_edge *from,
                                  tern_edge **out_edge) {
  tern_builder builder;
  tern_builder_init(&builder, scope->graph, NULL, NULL);
  tern_edge *edge = tern_build1(&builder, "Identity", from);
  TERN_TRY(tern_builder_finish(&builder));
  if (name)
    TERN_TRY(tern_arena_copy_text(&scope->graph->model->arena, name, strlen(name), &edge->name));
  *out_edge = edge;
  return NULL;
}

// An output has its name for callers, and belongs to its graph: where the edge is another name's or
// another graph's, a copy stands in.
static tern_status *import_output(import_context *context, import_scope *scope,
                                  const tern_onnx_value_info *info) {
  const char *name;
  tern_edge *edge;
  TERN_TRY(tern_import_text(context, info->name, &name));
  TERN_TRY(tern_import_lookup(context, scope, info->name, &edge));
  if (!edge) return TERN_ERROR(TERN_INVALID_GRAPH, "an output of the graph has no name");
  bool is_renamed = !scope->outer && strcmp(edge->name, name) != 0;
  if (is_renamed || edge->graph != scope->graph) {
    const char *label = is_renamed ? name : NULL;
    TERN_TRY(tern_import_identity(scope, label, edge, &edge));
  }
  TERN_TRY(tern_import_merge_declared(context, scope, name, &edge->type));
  return tern_graph_add_output(scope->graph, edge);
}

static tern_status *fill(import_context *context, import_scope *scope, const tern_onnx_graph *from,
                         const tern_type *inputs) {
  tern_graph *graph = scope->graph;
  TERN_TRY(tern_import_keep_text(context, from->doc, &graph->doc));
  TERN_TRY(tern_import_declare(context, scope, from->value_infos, from->value_info_count));
  TERN_TRY(tern_import_declare(context, scope, from->outputs, from->output_count));
  TERN_TRY(tern_import_initializers(context, scope, from));
  for (size_t i = 0; i < from->input_count; ++i)
    TERN_TRY(import_input(context, scope, &from->inputs[i], inputs ? &inputs[i] : NULL));
  TERN_TRY(tern_import_nodes(context, scope, from->nodes, from->node_count));
  for (size_t i = 0; i < from->output_count; ++i) {
    tern_status *status = import_output(context, scope, &from->outputs[i]);
    if (status) return tern_status_annotate(status, "output %zu of the graph", i);
  }
  return NULL;
}

tern_status *tern_import_graph(import_context *context, const import_env *env,
                               const import_scope *outer, const tern_onnx_graph *from,
                               const tern_type *inputs, tern_graph *graph) {
  if (context->depth >= TERN_IMPORT_MAX_DEPTH)
    return TERN_ERROR(TERN_INVALID_GRAPH, "functions and graphs nest deeper than %d",
                      TERN_IMPORT_MAX_DEPTH);
  import_scope scope;
  tern_import_scope_init(context, outer, env, graph, &scope);
  scope.from = from;
  context->depth++;
  tern_status *status = fill(context, &scope, from, inputs);
  context->depth--;
  tern_import_scope_deinit(&scope);
  return status;
}
