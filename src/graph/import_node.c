// One node of the file: a constant becomes an initializer, a call of a function its body, and
// everything else a node of its operator's newest version.
#include <string.h>

#include "graph/import_internal.h"

// A node between the file and the graph.
typedef struct pending_node {
  const tern_onnx_node *from;
  const char *op_type, *domain, *name;
  tern_edge **inputs;
  const char **output_names; // "" for omitted ones
  int32_t input_count, output_count;
  uint32_t unread_outputs; // as in tern_draft
  import_attrs attrs;
  tern_node *node;     // NULL: the upgrade made other nodes
  tern_edge **results; // then these are its outputs
  tern_node *mark;     // the graph's last node before this one
} pending_node;

// Trailing omitted names are as good as absent.
static int32_t count_names(const tern_span *names, size_t count) {
  while (count > 0 && names[count - 1].size == 0) --count;
  return (int32_t)count;
}

static tern_status *import_output_name(import_context *context, const import_scope *scope,
                                       pending_node *p, int32_t index) {
  TERN_TRY(tern_import_text(context, p->from->outputs[index], &p->output_names[index]));
  const import_definer *definer = tern_map_get(&scope->definers, p->output_names[index]);
  if (index < 32 && definer && !definer->is_read) p->unread_outputs |= 1u << index;
  return NULL;
}

static tern_status *import_names(import_context *context, import_scope *scope, pending_node *p) {
  const tern_onnx_node *from = p->from;
  if (from->input_count > INT32_MAX / 4 || from->output_count > INT32_MAX / 4)
    return TERN_ERROR(TERN_INVALID_GRAPH, "has too many inputs or outputs");
  enum { ROOM = 4 }; // for inputs that upgrades add
  p->input_count = count_names(from->inputs, from->input_count);
  p->output_count = count_names(from->outputs, from->output_count);
  TERN_TRY(TERN_ARENA_ARRAY(&context->arena, p->input_count + ROOM, &p->inputs));
  TERN_TRY(TERN_ARENA_ARRAY(&context->arena, p->output_count, &p->output_names));
  for (int32_t i = 0; i < p->input_count; ++i)
    TERN_TRY(tern_import_lookup(context, scope, from->inputs[i], &p->inputs[i]));
  for (int32_t i = 0; i < p->output_count; ++i) TERN_TRY(import_output_name(context, scope, p, i));
  return NULL;
}

// A node's name in the graph: inside functions, with the names of the calls before it.
static tern_status *make_name(import_context *context, const import_scope *scope, pending_node *p) {
  tern_span name = p->from->name;
  if (!scope->env->prefix[0]) return tern_import_text(context, name, &p->name);
  if (name.size == 0) name = p->from->op_type;
  return tern_arena_format(&context->arena, &p->name, "%s%.*s", scope->env->prefix,
                           (int)(name.size < 100 ? name.size : 100), name.data ? name.data : "");
}

// Outputs that the file does not name are left out only where the operator says that they may be.
static tern_status *make_outputs(const import_scope *scope, const pending_node *p,
                                 const tern_op *op, tern_edge ***out_edges, int32_t *out_count) {
  int32_t required = tern_formal_required(op->outputs);
  int32_t count = p->output_count > required ? p->output_count : required;
  tern_edge **edges;
  TERN_TRY(TERN_ARENA_ARRAY(&scope->graph->model->arena, count, &edges));
  for (int32_t i = 0; i < count; ++i) {
    const char *name = i < p->output_count ? p->output_names[i] : "";
    const char *ours = name[0] ? tern_import_edge_name(scope, name) : NULL;
    if (ours || i < required) TERN_TRY(tern_graph_new_edge(scope->graph, ours, &edges[i]));
  }
  *out_edges = edges;
  *out_count = count;
  return NULL;
}

static const char *keep_or(const char *ours, const char *theirs) {
  return strcmp(ours, theirs) == 0 ? ours : NULL;
}

static tern_status *keep_metadata(import_context *context, const tern_onnx_node *from,
                                  tern_node *node) {
  tern_metadata *entries;
  TERN_TRY(TERN_ARENA_ARRAY(&context->model->arena, from->metadata_count, &entries));
  for (size_t i = 0; i < from->metadata_count; ++i) {
    TERN_TRY(tern_import_keep_text(context, from->metadata[i].key, &entries[i].key));
    TERN_TRY(tern_import_keep_text(context, from->metadata[i].value, &entries[i].value));
  }
  node->metadata = entries;
  node->metadata_count = from->metadata_count;
  return NULL;
}

static tern_status *keep_origin(import_context *context, const pending_node *p, int32_t version) {
  tern_node *node = p->node;
  tern_arena *arena = &context->model->arena;
  node->original_version = version;
  node->original_type = keep_or(node->op->name, p->op_type);
  node->original_domain = keep_or(node->op->domain, p->domain);
  if (!node->original_type)
    TERN_TRY(tern_arena_copy_text(arena, p->op_type, strlen(p->op_type), &node->original_type));
  if (!node->original_domain)
    TERN_TRY(tern_arena_copy_text(arena, p->domain, strlen(p->domain), &node->original_domain));
  TERN_TRY(keep_metadata(context, p->from, node));
  return tern_import_keep_text(context, p->from->doc, &node->doc);
}

static tern_status *upgrade(import_context *context, import_scope *scope, tern_builder *builder,
                            pending_node *p) {
  tern_draft draft = {.builder = builder,
                      .domain = p->domain,
                      .op_type = p->op_type,
                      .name = p->name,
                      .inputs = p->inputs,
                      .input_count = p->input_count,
                      .input_capacity = p->input_count,
                      .output_count = p->output_count,
                      .output_names = p->output_names,
                      .unread_outputs = p->unread_outputs,
                      .attrs = p->attrs.items,
                      .attr_count = p->attrs.count,
                      .attr_capacity = p->attrs.capacity};
  tern_model *model = context->model;
  int32_t opset, since;
  const tern_op *op;
  TERN_TRY(tern_import_opset(context, scope->env, p->domain, &opset));
  TERN_TRY(tern_draft_upgrade(&draft, model->registry, opset, &op, &since));
  p->results = draft.results;
  p->output_count = draft.output_count;
  if (!op) return NULL;
  tern_attr *attrs;
  tern_edge **outputs;
  int32_t output_count;
  TERN_TRY(tern_op_resolve_attrs(op, draft.attrs, draft.attr_count, &model->arena, &attrs));
  TERN_TRY(make_outputs(scope, p, op, &outputs, &output_count));
  TERN_TRY(tern_node_create(scope->graph, op, p->name, draft.inputs, draft.input_count, outputs,
                            output_count, attrs, &p->node));
  tern_graph_insert(scope->graph, p->node, NULL);
  return keep_origin(context, p, since);
}

// What the row says of the types that a body is fed.
static tern_status *infer_body_inputs(import_context *context, tern_node *node,
                                      const tern_graph *body, tern_type *types, size_t count) {
  const char *attr = "";
  for (size_t i = 0; node->op->attrs && node->op->attrs[i].name; ++i) {
    if (node->attrs[i].type == TERN_ATTR_GRAPH && node->attrs[i].u.graph == body)
      attr = node->attrs[i].name;
  }
  if (!node->op->infer_body_inputs) return NULL;
  tern_arena *arena = &context->arena;
  const tern_type **input_types;
  const tern_value **values;
  const tern_symints **symints;
  TERN_TRY(TERN_ARENA_ARRAY(arena, node->input_count, &input_types));
  TERN_TRY(TERN_ARENA_ARRAY(arena, node->input_count, &values));
  TERN_TRY(TERN_ARENA_ARRAY(arena, node->input_count, &symints));
  for (int32_t i = 0; i < node->input_count; ++i) {
    tern_edge *edge = node->inputs[i];
    if (!edge) continue;
    input_types[i] = edge->type.kind == TERN_KIND_NONE ? NULL : &edge->type;
    values[i] = tern_edge_constant(edge);
    symints[i] = edge->symints.items ? &edge->symints : NULL;
  }
  tern_infer infer = {.node = node,
                      .model = context->model,
                      .input_count = node->input_count,
                      .output_count = node->output_count,
                      .input_types = input_types,
                      .input_values = values,
                      .input_symints = symints};
  return node->op->infer_body_inputs(&infer, attr, types, (int32_t)count);
}

static tern_status *import_bodies(import_context *context, const pending_node *p) {
  for (size_t i = 0; i < p->attrs.body_count; ++i) {
    const import_body *body = &p->attrs.bodies[i];
    if (!p->node || body->graph->parent_node != p->node)
      return TERN_ERROR(TERN_FAIL, "the upgrade of '%s' loses a graph", p->op_type);
    size_t count = body->from->input_count;
    if (count > INT32_MAX) return TERN_ERROR(TERN_INVALID_GRAPH, "a graph has too many inputs");
    tern_type *types;
    TERN_TRY(TERN_ARENA_ARRAY(&context->arena, count, &types));
    for (size_t t = 0; t < count; ++t) types[t].shape.rank = TERN_RANK_UNKNOWN;
    TERN_TRY(infer_body_inputs(context, p->node, body->graph, types, count));
    TERN_TRY(tern_import_graph(context, body->env, body->scope, body->from, types, body->graph));
  }
  return p->attrs.body_count > 0 ? tern_node_collect_captures(p->node) : NULL;
}

static tern_status *make_node(import_context *context, import_scope *scope, pending_node *p) {
  TERN_TRY(make_name(context, scope, p));
  TERN_TRY(import_names(context, scope, p));
  TERN_TRY(tern_import_attrs(context, scope, p->from, &p->attrs));
  p->mark = scope->graph->last;
  tern_builder builder;
  tern_builder_init(&builder, scope->graph, NULL, p->name);
  tern_status *status = upgrade(context, scope, &builder, p);
  tern_status *left = tern_builder_finish(&builder);
  if (status)
    tern_status_ignore(left);
  else
    status = left;
  return status;
}

static tern_status *finish_node(import_context *context, import_scope *scope,
                                const pending_node *p) {
  tern_node *made = p->mark ? p->mark->next : scope->graph->first;
  for (; made; made = made->next) TERN_TRY(tern_import_evaluate(context, made));
  tern_edge **outputs = p->node ? p->node->outputs : p->results;
  for (int32_t i = 0; i < p->output_count; ++i) {
    if (p->output_names[i][0] && outputs[i])
      TERN_TRY(tern_import_bind(context, scope, p->output_names[i], outputs[i]));
  }
  return NULL;
}

static tern_status *annotate(const tern_onnx_node *from, uint32_t index, tern_status *status) {
  if (!status) return NULL;
  int type_size = (int)(from->op_type.size < 80 ? from->op_type.size : 80);
  if (from->name.size == 0)
    return tern_status_annotate(status, "node #%u (%.*s)", index, type_size, from->op_type.data);
  return tern_status_annotate(status, "node '%.*s' (%.*s)",
                              (int)(from->name.size < 200 ? from->name.size : 200), from->name.data,
                              type_size, from->op_type.data);
}

static tern_status *import_constant(import_context *context, import_scope *scope,
                                    const tern_onnx_node *from) {
  if (count_names(from->outputs, from->output_count) != 1 || from->input_count != 0)
    return TERN_ERROR(TERN_INVALID_GRAPH, "a Constant has one output and no input");
  const char *name;
  tern_value *value;
  tern_edge *edge;
  TERN_TRY(tern_import_text(context, from->outputs[0], &name));
  TERN_TRY(tern_import_constant(context, scope, from, &value));
  TERN_TRY(tern_graph_new_constant(scope->graph, tern_import_edge_name(scope, name), value, &edge));
  return tern_import_bind(context, scope, name, edge);
}

static bool is_constant(const char *domain, const char *op_type) {
  return domain[0] == '\0' && strcmp(op_type, "Constant") == 0;
}

static tern_status *import_node(import_context *context, import_scope *scope,
                                const tern_onnx_node *from, uint32_t index) {
  pending_node p = {.from = from};
  const tern_onnx_function *function = NULL;
  tern_status *status = tern_import_text(context, from->op_type, &p.op_type);
  if (!status) status = tern_import_text(context, from->domain, &p.domain);
  if (!status) p.domain = tern_import_domain(p.domain);
  if (!status && is_constant(p.domain, p.op_type))
    return annotate(from, index, import_constant(context, scope, from));
  if (!status && !tern_op_registry_find(context->model->registry, p.domain, p.op_type))
    status = tern_import_find_function(context, p.domain, from, &function);
  if (!status && function)
    return annotate(from, index, tern_import_call(context, scope, from, function));
  if (!status) status = make_node(context, scope, &p);
  if (status) return annotate(from, index, status);
  // Checks and inference name the node themselves.
  if (p.node && p.attrs.body_count > 0) TERN_TRY(tern_node_check(p.node));
  TERN_TRY(annotate(from, index, import_bodies(context, &p)));
  if (p.node) TERN_TRY(tern_infer_node(p.node));
  return annotate(from, index, finish_node(context, scope, &p));
}

tern_status *tern_import_nodes(import_context *context, import_scope *scope,
                               const tern_onnx_node *nodes, size_t count) {
  uint32_t *order;
  TERN_TRY(tern_import_order(context, scope, nodes, count, &order));
  for (size_t i = 0; i < count; ++i)
    TERN_TRY(import_node(context, scope, &nodes[order[i]], order[i]));
  return NULL;
}
