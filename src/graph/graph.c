// Building and changing graphs. Lists on nodes and edges use the model's allocator and are freed
// with the model; everything else is in its arena.
#include "graph/graph.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "graph/op.h"

tern_status *tern_model_create(tern_allocator *allocator, const tern_op_registry *registry,
                               tern_model **out_model) {
  tern_model *model;
  TERN_TRY(TERN_NEW(allocator, &model));
  model->allocator = model->value_allocator = allocator;
  model->registry = registry;
  tern_arena_init(allocator, &model->arena);
  tern_map_init(allocator, &model->symbol_ids);
  model->producer_name = model->producer_version = model->domain = model->doc = "";
  *out_model = model;
  return NULL;
}

static void free_lists(tern_model *model) {
  tern_allocator *allocator = model->allocator;
  for (size_t i = 0; i < model->all_edges.count; ++i)
    TERN_ARRAY_FREE(allocator, &model->all_edges.data[i]->uses);
  for (size_t i = 0; i < model->all_nodes.count; ++i)
    TERN_ARRAY_FREE(allocator, &model->all_nodes.data[i]->captures);
  for (size_t i = 0; i < model->graphs.count; ++i) {
    TERN_ARRAY_FREE(allocator, &model->graphs.data[i]->inputs);
    TERN_ARRAY_FREE(allocator, &model->graphs.data[i]->outputs);
    TERN_ARRAY_FREE(allocator, &model->graphs.data[i]->initializers);
  }
  for (size_t i = 0; i < model->values.count; ++i) tern_value_release(model->values.data[i]);
  TERN_ARRAY_FREE(allocator, &model->all_edges);
  TERN_ARRAY_FREE(allocator, &model->all_nodes);
  TERN_ARRAY_FREE(allocator, &model->graphs);
  TERN_ARRAY_FREE(allocator, &model->values);
  TERN_ARRAY_FREE(allocator, &model->opsets);
  TERN_ARRAY_FREE(allocator, &model->metadata);
  TERN_ARRAY_FREE(allocator, &model->annotations);
  TERN_ARRAY_FREE(allocator, &model->symbols);
  TERN_ARRAY_FREE(allocator, &model->warnings);
}

void tern_model_destroy(tern_model *model) {
  if (!model) return;
  free_lists(model);
  tern_map_deinit(&model->symbol_ids);
  tern_arena_deinit(&model->arena);
  TERN_DELETE(model->allocator, model);
}

tern_status *tern_model_new_symbol(tern_model *model, tern_dim *out_dim) {
  TERN_ARRAY_PUSH(model->allocator, &model->symbols, "");
  *out_dim = TERN_DIM_FIRST_SYMBOL - (tern_dim)(model->symbols.count - 1);
  return NULL;
}

tern_status *tern_model_symbol(tern_model *model, const char *name, tern_dim *out_dim) {
  uintptr_t id = (uintptr_t)tern_map_get(&model->symbol_ids, name);
  if (id == 0) {
    const char *copy;
    TERN_TRY(tern_arena_copy_text(&model->arena, name, strlen(name), &copy));
    TERN_ARRAY_PUSH(model->allocator, &model->symbols, copy);
    id = model->symbols.count;
    TERN_TRY(tern_map_set(&model->symbol_ids, copy, (void *)id));
  }
  *out_dim = TERN_DIM_FIRST_SYMBOL - (tern_dim)(id - 1);
  return NULL;
}

const char *tern_model_symbol_name(const tern_model *model, tern_dim dim) {
  if (dim > TERN_DIM_FIRST_SYMBOL) return "";
  size_t index = (size_t)(TERN_DIM_FIRST_SYMBOL - dim);
  return index < model->symbols.count ? model->symbols.data[index] : "";
}

tern_status *tern_model_keep_value(tern_model *model, tern_value *value) {
  tern_status *status = TERN_ARRAY_RESERVE_ONE(model->allocator, &model->values);
  if (status) {
    tern_value_release(value);
    return status;
  }
  model->values.data[model->values.count++] = value;
  return NULL;
}

const tern_os_file *tern_model_file_holding(const tern_model *model, const tern_value *value) {
  if (value->owns_data || !value->data) return NULL;
  if (model->file && tern_os_file_contains(model->file, value->data)) return model->file;
  return model->externals ? tern_external_files_holding(model->externals, value->data) : NULL;
}

void tern_model_discard(const tern_model *model, const tern_value *value) {
  const tern_os_file *file = tern_model_file_holding(model, value);
  if (file) tern_os_file_discard(file, value->data, value->data_bytes);
}

void tern_model_spend_unread(tern_model *model) {
  for (size_t g = 0; g < model->graphs.count; ++g) {
    const tern_graph *graph = model->graphs.data[g];
    for (size_t i = 0; i < graph->initializers.count; ++i) {
      const tern_edge *edge = graph->initializers.data[i];
      if (edge->uses.count > 0 || edge->output_uses > 0 || edge->is_input) continue;
      tern_model_discard(model, edge->initializer);
      tern_value_spend(edge->initializer);
    }
  }
}

tern_status *tern_model_warn(tern_model *model, const char *format, ...) {
  char buffer[512];
  va_list args;
  va_start(args, format);
  vsnprintf(buffer, sizeof buffer, format, args);
  va_end(args);
  const char *text;
  TERN_TRY(tern_arena_copy_text(&model->arena, buffer, strlen(buffer), &text));
  TERN_ARRAY_PUSH(model->allocator, &model->warnings, text);
  return NULL;
}

tern_status *tern_graph_create(tern_model *model, tern_node *parent_node, const char *name,
                               tern_graph **out_graph) {
  tern_graph *graph;
  TERN_TRY(TERN_ARENA_NEW(&model->arena, &graph));
  graph->model = model;
  graph->parent_node = parent_node;
  graph->doc = "";
  TERN_TRY(tern_arena_copy_text(&model->arena, name, strlen(name), &graph->name));
  TERN_ARRAY_PUSH(model->allocator, &model->graphs, graph);
  *out_graph = graph;
  return NULL;
}

tern_status *tern_graph_new_edge(tern_graph *graph, const char *name, tern_edge **out_edge) {
  tern_model *model = graph->model;
  tern_edge *edge;
  TERN_TRY(TERN_ARENA_NEW(&model->arena, &edge));
  edge->graph = graph;
  edge->type.shape.rank = TERN_RANK_UNKNOWN;
  if (name && name[0]) {
    TERN_TRY(tern_arena_copy_text(&model->arena, name, strlen(name), &edge->name));
  } else {
    TERN_TRY(tern_arena_format(&model->arena, &edge->name, "t#%d", model->next_name_id++));
  }
  TERN_ARRAY_PUSH(model->allocator, &model->all_edges, edge);
  *out_edge = edge;
  return NULL;
}

tern_status *tern_graph_new_constant(tern_graph *graph, const char *name, tern_value *value,
                                     tern_edge **out_edge) {
  TERN_TRY(tern_model_keep_value(graph->model, value));
  tern_edge *edge;
  TERN_TRY(tern_graph_new_edge(graph, name, &edge));
  tern_value_get_type(value, &edge->type);
  edge->initializer = value;
  TERN_ARRAY_PUSH(graph->model->allocator, &graph->initializers, edge);
  *out_edge = edge;
  return NULL;
}

tern_status *tern_graph_add_input(tern_graph *graph, tern_edge *edge) {
  TERN_ARRAY_PUSH(graph->model->allocator, &graph->inputs, edge);
  edge->is_input = true;
  return NULL;
}

tern_status *tern_graph_add_output(tern_graph *graph, tern_edge *edge) {
  TERN_ARRAY_PUSH(graph->model->allocator, &graph->outputs, edge);
  edge->output_uses++;
  return NULL;
}

static tern_status *add_use(tern_edge *edge, tern_node *node, int32_t index) {
  tern_use use = {node, index};
  TERN_ARRAY_PUSH(edge->graph->model->allocator, &edge->uses, use);
  return NULL;
}

static void drop_use(tern_edge *edge, const tern_node *node, int32_t index) {
  for (size_t i = 0; i < edge->uses.count; ++i) {
    if (edge->uses.data[i].node == node && edge->uses.data[i].index == index) {
      edge->uses.data[i] = edge->uses.data[--edge->uses.count];
      return;
    }
  }
}

static tern_status *copy_text(tern_arena *arena, const char *text, const char **out_text) {
  if (text && text[0]) return tern_arena_copy_text(arena, text, strlen(text), out_text);
  *out_text = "";
  return NULL;
}

tern_status *tern_node_create(tern_graph *graph, const tern_op *op, const char *name,
                              tern_edge *const *inputs, int32_t input_count,
                              tern_edge *const *outputs, int32_t output_count,
                              const tern_attr *attrs, tern_node **out_node) {
  tern_model *model = graph->model;
  tern_node *node;
  TERN_TRY(TERN_ARENA_NEW(&model->arena, &node));
  TERN_ARRAY_PUSH(model->allocator, &model->all_nodes, node);
  node->op = op;
  node->id = model->next_node_id++;
  node->original_type = op->name;
  node->original_domain = op->domain;
  node->doc = "";
  TERN_TRY(copy_text(&model->arena, name, &node->name));
  size_t attr_count = (size_t)tern_op_attr_count(op);
  TERN_TRY(TERN_ARENA_ARRAY(&model->arena, attr_count, &node->attrs));
  if (attr_count) memcpy(node->attrs, attrs, attr_count * sizeof *attrs);
  TERN_TRY(TERN_ARENA_ARRAY(&model->arena, input_count, &node->inputs));
  TERN_TRY(TERN_ARENA_ARRAY(&model->arena, output_count, &node->outputs));
  for (int32_t i = 0; i < input_count; ++i) {
    if (inputs[i]) TERN_TRY(add_use(inputs[i], node, i));
    node->inputs[i] = inputs[i];
    node->input_count = i + 1;
  }
  node->output_count = output_count;
  for (int32_t i = 0; i < output_count; ++i) {
    node->outputs[i] = outputs[i];
    if (!outputs[i]) continue;
    outputs[i]->producer = node;
    outputs[i]->producer_index = i;
  }
  // Subgraphs learn who holds them.
  for (size_t i = 0; i < attr_count; ++i) {
    if (node->attrs[i].type == TERN_ATTR_GRAPH) node->attrs[i].u.graph->parent_node = node;
  }
  *out_node = node;
  return NULL;
}

void tern_graph_insert(tern_graph *graph, tern_node *node, tern_node *before) {
  tern_node *after = before ? before->prev : graph->last;
  node->graph = graph;
  node->prev = after;
  node->next = before;
  if (after)
    after->next = node;
  else
    graph->first = node;
  if (before)
    before->prev = node;
  else
    graph->last = node;
  graph->node_count++;
}

static void drop_uses(tern_node *node);

static void drop_uses_of_subgraphs(tern_node *node) {
  for (size_t i = 0; node->op->attrs && node->op->attrs[i].name; ++i) {
    if (node->attrs[i].type != TERN_ATTR_GRAPH) continue;
    for (tern_node *inner = node->attrs[i].u.graph->first; inner; inner = inner->next)
      drop_uses(inner);
  }
  // A subgraph may hand an outer edge straight to its output.
  for (size_t i = 0; i < node->captures.count; ++i) {
    tern_edge *edge = node->captures.data[i];
    for (size_t k = 0; node->op->attrs && node->op->attrs[k].name; ++k) {
      if (node->attrs[k].type != TERN_ATTR_GRAPH) continue;
      tern_graph *graph = node->attrs[k].u.graph;
      for (size_t o = 0; o < graph->outputs.count; ++o)
        edge->output_uses -= graph->outputs.data[o] == edge;
    }
  }
}

static void drop_uses(tern_node *node) {
  for (int32_t i = 0; i < node->input_count; ++i) {
    if (node->inputs[i]) drop_use(node->inputs[i], node, i);
  }
  drop_uses_of_subgraphs(node);
}

static void unlink_node(tern_node *node) {
  tern_graph *graph = node->graph;
  if (!graph) return;
  if (node->prev)
    node->prev->next = node->next;
  else
    graph->first = node->next;
  if (node->next)
    node->next->prev = node->prev;
  else
    graph->last = node->prev;
  graph->node_count--;
  node->graph = NULL;
  node->prev = node->next = NULL;
}

void tern_graph_remove(tern_node *node) {
  unlink_node(node);
  drop_uses(node);
}

void tern_graph_move(tern_node *node, tern_graph *graph, tern_node *before) {
  unlink_node(node);
  tern_graph_insert(graph, node, before);
}

tern_status *tern_node_set_input(tern_node *node, int32_t index, tern_edge *edge) {
  if (edge) TERN_TRY(add_use(edge, node, index));
  if (node->inputs[index]) drop_use(node->inputs[index], node, index);
  node->inputs[index] = edge;
  return NULL;
}

// Graph outputs, of inner graphs too, that are `from` become `to`.
static void replace_outputs(tern_model *model, tern_edge *from, tern_edge *to) {
  if (from->output_uses == 0) return;
  for (size_t g = 0; g < model->graphs.count; ++g) {
    tern_graph *graph = model->graphs.data[g];
    for (size_t i = 0; i < graph->outputs.count; ++i) {
      if (graph->outputs.data[i] == from) graph->outputs.data[i] = to;
    }
  }
  to->output_uses += from->output_uses;
  from->output_uses = 0;
}

// The nodes around `node` up to the graph of `edge` capture `to` in place of `from`.
static tern_status *recapture(tern_node *node, const tern_graph *outermost) {
  for (tern_graph *graph = node->graph; graph && graph != outermost;) {
    tern_node *parent = graph->parent_node;
    if (!parent) break;
    TERN_TRY(tern_node_collect_captures(parent));
    graph = parent->graph;
  }
  return NULL;
}

tern_status *tern_edge_replace(tern_edge *from, tern_edge *to) {
  tern_model *model = from->graph->model;
  // Room first, so that nothing can fail half-way.
  for (size_t i = 0; i < from->uses.count; ++i) {
    TERN_TRY(add_use(to, from->uses.data[i].node, from->uses.data[i].index));
  }
  size_t first_moved = to->uses.count - from->uses.count;
  for (size_t i = 0; i < from->uses.count; ++i)
    from->uses.data[i].node->inputs[from->uses.data[i].index] = to;
  from->uses.count = 0;
  bool had_outputs = from->output_uses > 0;
  replace_outputs(model, from, to);
  for (size_t i = first_moved; i < to->uses.count; ++i) {
    tern_node *node = to->uses.data[i].node;
    if (node->graph && node->graph != to->graph) TERN_TRY(recapture(node, to->graph));
  }
  if (!had_outputs) return NULL;
  for (size_t g = 0; g < model->graphs.count; ++g) {
    tern_graph *graph = model->graphs.data[g];
    for (size_t i = 0; graph != to->graph && i < graph->outputs.count; ++i) {
      if (graph->outputs.data[i] == to && graph->parent_node)
        TERN_TRY(tern_node_collect_captures(graph->parent_node));
    }
  }
  return NULL;
}

bool tern_graph_is_live(const tern_graph *graph) {
  for (; graph->parent_node; graph = graph->parent_node->graph) {
    if (!graph->parent_node->graph) return false;
  }
  return true;
}

bool tern_graph_is_within(const tern_graph *inner, const tern_graph *outer) {
  while (inner && inner != outer) inner = inner->parent_node ? inner->parent_node->graph : NULL;
  return inner == outer;
}

static tern_status *capture(tern_node *holder, const tern_graph *body, tern_edge *edge) {
  if (!edge || tern_graph_is_within(edge->graph, body)) return NULL;
  for (size_t i = 0; i < holder->captures.count; ++i) {
    if (holder->captures.data[i] == edge) return NULL;
  }
  TERN_ARRAY_PUSH(body->model->allocator, &holder->captures, edge);
  return NULL;
}

static tern_status *collect_from(tern_node *holder, tern_graph *body) {
  for (tern_node *node = body->first; node; node = node->next) {
    for (int32_t i = 0; i < node->input_count; ++i)
      TERN_TRY(capture(holder, body, node->inputs[i]));
    for (size_t i = 0; i < node->captures.count; ++i)
      TERN_TRY(capture(holder, body, node->captures.data[i]));
  }
  for (size_t i = 0; i < body->outputs.count; ++i)
    TERN_TRY(capture(holder, body, body->outputs.data[i]));
  return NULL;
}

tern_status *tern_node_collect_captures(tern_node *node) {
  node->captures.count = 0;
  for (size_t i = 0; node->op->attrs && node->op->attrs[i].name; ++i) {
    if (node->attrs[i].type == TERN_ATTR_GRAPH)
      TERN_TRY(collect_from(node, node->attrs[i].u.graph));
  }
  return NULL;
}

// Recursion goes as deep as graphs nest, which import limits.
tern_status *tern_graph_collect_captures(tern_graph *graph) {
  for (tern_node *node = graph->first; node; node = node->next) {
    for (size_t i = 0; node->op->attrs && node->op->attrs[i].name; ++i) {
      if (node->attrs[i].type == TERN_ATTR_GRAPH)
        TERN_TRY(tern_graph_collect_captures(node->attrs[i].u.graph));
    }
    TERN_TRY(tern_node_collect_captures(node));
  }
  return NULL;
}

const tern_attr *tern_node_attr(const tern_node *node, const char *name) {
  int32_t index = tern_op_attr_index(node->op, name);
  if (index < 0 || node->attrs[index].type == TERN_ATTR_UNDEFINED) return NULL;
  return &node->attrs[index];
}

bool tern_node_has_attr(const tern_node *node, const char *name) {
  return tern_node_attr(node, name) != NULL;
}

static const tern_attr *attr_of_type(const tern_node *node, const char *name, tern_attr_type type) {
  const tern_attr *attr = tern_node_attr(node, name);
  return attr && attr->type == type ? attr : NULL;
}

int64_t tern_node_attr_i(const tern_node *node, const char *name) {
  const tern_attr *attr = attr_of_type(node, name, TERN_ATTR_INT);
  return attr ? attr->u.i : 0;
}

float tern_node_attr_f(const tern_node *node, const char *name) {
  const tern_attr *attr = attr_of_type(node, name, TERN_ATTR_FLOAT);
  return attr ? attr->u.f : 0.0f;
}

const char *tern_node_attr_s(const tern_node *node, const char *name) {
  const tern_attr *attr = attr_of_type(node, name, TERN_ATTR_STRING);
  return attr ? attr->u.s.data : "";
}

const int64_t *tern_node_attr_ints(const tern_node *node, const char *name, size_t *out_count) {
  const tern_attr *attr = attr_of_type(node, name, TERN_ATTR_INTS);
  *out_count = attr ? attr->count : 0;
  return attr ? attr->u.ints : NULL;
}

int64_t tern_node_attr_int_at(const tern_node *node, const char *name, int32_t index) {
  size_t count;
  const int64_t *values = tern_node_attr_ints(node, name, &count);
  return values && (size_t)index < count ? values[index] : 0;
}

const float *tern_node_attr_floats(const tern_node *node, const char *name, size_t *out_count) {
  const tern_attr *attr = attr_of_type(node, name, TERN_ATTR_FLOATS);
  *out_count = attr ? attr->count : 0;
  return attr ? attr->u.floats : NULL;
}

const tern_string *tern_node_attr_strings(const tern_node *node, const char *name,
                                          size_t *out_count) {
  const tern_attr *attr = attr_of_type(node, name, TERN_ATTR_STRINGS);
  *out_count = attr ? attr->count : 0;
  return attr ? attr->u.strings : NULL;
}

const tern_value *tern_node_attr_tensor(const tern_node *node, const char *name) {
  const tern_attr *attr = attr_of_type(node, name, TERN_ATTR_TENSOR);
  return attr ? attr->u.tensor : NULL;
}

tern_graph *tern_node_attr_graph(const tern_node *node, const char *name) {
  const tern_attr *attr = attr_of_type(node, name, TERN_ATTR_GRAPH);
  return attr ? attr->u.graph : NULL;
}

const char *tern_node_describe(const tern_node *node, char *buffer, size_t size) {
  if (node->name && node->name[0]) {
    snprintf(buffer, size, "node '%.100s' (%s)", node->name, node->op->name);
  } else {
    snprintf(buffer, size, "node #%d (%s)", node->id, node->op->name);
  }
  return buffer;
}
