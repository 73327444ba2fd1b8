// Internal operators as model-local functions, so that a saved model means the same to everyone.
// The body is built on a copy of the node in a graph of its own, and written with names that depend
// on nothing else: equal bodies are equal bytes, and are kept once.
#include <string.h>

#include "graph/builder.h"
#include "graph/export_internal.h"

enum { MAX_DEPTH = 8, OVERLOADS_FROM_IR = 10 };

static tern_status *copy_edge(tern_graph *graph, const tern_edge *from, const char *prefix,
                              int32_t index, tern_edge **out) {
  const char *name;
  TERN_TRY(tern_arena_format(&graph->model->arena, &name, "%s%d", prefix, index));
  TERN_TRY(tern_graph_new_edge(graph, name, out));
  if (!from) return NULL;
  (*out)->type = from->type;
  (*out)->symints = from->symints;
  (*out)->is_input = from->is_input;
  (*out)->initializer = from->initializer;
  return NULL;
}

// A copy of `node` that reads and makes edges of `graph`; outputs that the node omits too.
static tern_status *copy_node(tern_graph *graph, const tern_node *node, tern_node **out_copy) {
  tern_arena *arena = &graph->model->arena;
  tern_edge **inputs, **outputs;
  TERN_TRY(TERN_ARENA_ARRAY(arena, node->input_count, &inputs));
  TERN_TRY(TERN_ARENA_ARRAY(arena, node->output_count, &outputs));
  for (int32_t i = 0; i < node->input_count; ++i) {
    if (node->inputs[i]) TERN_TRY(copy_edge(graph, node->inputs[i], "x", i, &inputs[i]));
  }
  for (int32_t i = 0; i < node->output_count; ++i)
    TERN_TRY(copy_edge(graph, node->outputs[i], "r", i, &outputs[i]));
  return tern_node_create(graph, node->op, "", inputs, node->input_count, outputs,
                          node->output_count, node->attrs, out_copy);
}

// Every output is made by a node of the body, and by one output only.
static tern_status *build_body(tern_graph *graph, const tern_node *copy, tern_edge **results) {
  tern_builder builder;
  tern_builder_init(&builder, graph, NULL, NULL);
  tern_status *status = copy->op->body(&builder, copy, results);
  for (int32_t i = 0; i < copy->output_count && !status && !builder.status; ++i) {
    bool is_own = results[i] && results[i]->producer && results[i]->output_uses == 0;
    if (!results[i])
      status = TERN_ERROR(TERN_FAIL, "the body of %s gives no output %d", copy->op->name, i);
    else if (!is_own)
      results[i] = tern_build1(&builder, "Identity", results[i]);
    if (!status && results[i]) status = tern_graph_add_output(graph, results[i]);
  }
  tern_status *left = tern_builder_finish(&builder);
  if (!status) return left;
  tern_status_ignore(left);
  return status;
}

static tern_status *name_edges(tern_graph *graph) {
  tern_arena *arena = &graph->model->arena;
  int32_t count = 0;
  for (size_t i = 0; i < graph->initializers.count; ++i)
    TERN_TRY(tern_arena_format(arena, &graph->initializers.data[i]->name, "c%zu", i));
  for (tern_node *node = graph->first; node; node = node->next) {
    node->name = "";
    for (int32_t i = 0; i < node->output_count; ++i) {
      if (node->outputs[i])
        TERN_TRY(tern_arena_format(arena, &node->outputs[i]->name, "v%d", count++));
    }
  }
  return NULL;
}

static void write_constant(tern_pb_writer *out, const tern_edge *edge) {
  size_t node = tern_pb_begin_message(out, 7);
  tern_pb_write_text(out, 2, edge->name);
  tern_pb_write_text(out, 4, "Constant");
  size_t attribute = tern_pb_begin_message(out, 5);
  tern_pb_write_text(out, 1, "value");
  size_t tensor = tern_pb_begin_message(out, 5);
  tern_onnx_write_tensor(out, NULL, edge->initializer);
  tern_pb_end_message(out, tensor);
  tern_pb_write_varint(out, 20, TERN_ATTR_TENSOR);
  tern_pb_end_message(out, attribute);
  tern_pb_end_message(out, node);
}

// A function lists its parameters by name; an input that is omitted has one too.
static void write_signature(const tern_node *copy, tern_edge *const *results, tern_pb_writer *out) {
  tern_pb_write_text(out, 1, copy->op->name);
  tern_pb_write_text(out, 10, tern_export_domain(copy->op));
  for (int32_t i = 0; i < copy->input_count; ++i)
    tern_pb_write_text(out, 4, copy->inputs[i] ? copy->inputs[i]->name : "unused");
  for (int32_t i = 0; i < copy->output_count; ++i) tern_pb_write_text(out, 5, results[i]->name);
  for (size_t i = 0; copy->op->attrs && copy->op->attrs[i].name; ++i) {
    if (copy->attrs[i].type != TERN_ATTR_UNDEFINED) tern_pb_write_text(out, 6, copy->attrs[i].name);
  }
}

static tern_status *fill_function(export_context *context, tern_graph *graph, const tern_node *copy,
                                  tern_pb_writer *out) {
  tern_edge **results;
  TERN_TRY(TERN_ARENA_ARRAY(&context->model->arena, copy->output_count, &results));
  TERN_TRY(build_body(graph, copy, results));
  TERN_TRY(name_edges(graph));
  TERN_TRY(tern_export_survey(context, graph));
  write_signature(copy, results, out);
  for (size_t i = 0; i < graph->initializers.count; ++i)
    write_constant(out, graph->initializers.data[i]);
  for (const tern_node *inner = graph->first; inner; inner = inner->next)
    TERN_TRY(tern_export_node(context, out, 7, inner));
  return NULL;
}

static tern_status *write_function(export_context *context, const tern_node *node,
                                   tern_pb_writer *out) {
  tern_graph *graph;
  tern_node *copy;
  TERN_TRY(tern_graph_create(context->model, NULL, "", &graph));
  TERN_TRY(copy_node(graph, node, &copy));
  tern_status *status = fill_function(context, graph, copy, out);
  graph->outputs.count = 0;
  while (graph->last) tern_graph_remove(graph->last);
  tern_graph_remove(copy);
  return status;
}

static export_function *find_equal(const export_context *context, const tern_op *op,
                                   const tern_pb_writer *bytes) {
  for (size_t i = 0; i < context->functions.count; ++i) {
    export_function *function = context->functions.data[i];
    if (function->op == op && function->bytes.size == bytes->size &&
        memcmp(function->bytes.data, bytes->data, bytes->size) == 0)
      return function;
  }
  return NULL;
}

// Takes `bytes`, also on failure.
static tern_status *add_function(export_context *context, tern_node *node, tern_pb_writer *bytes) {
  export_function *function = find_equal(context, node->op, bytes);
  tern_status *status = NULL;
  if (function) {
    tern_pb_writer_deinit(bytes);
    node->scratch = function;
    return NULL;
  }
  status = TERN_ARENA_NEW(&context->model->arena, &function);
  if (!status) status = TERN_ARRAY_RESERVE_ONE(context->model->allocator, &context->functions);
  if (!status)
    status = tern_arena_format(&context->model->arena, &function->overload, "%zu",
                               context->functions.count);
  if (status) {
    tern_pb_writer_deinit(bytes);
    return status;
  }
  function->op = node->op;
  function->bytes = *bytes;
  context->functions.data[context->functions.count++] = function;
  if (context->ir_version < OVERLOADS_FROM_IR) context->ir_version = OVERLOADS_FROM_IR;
  node->scratch = function;
  return NULL;
}

tern_status *tern_export_function(export_context *context, tern_node *node) {
  if (context->depth >= MAX_DEPTH)
    return TERN_ERROR(TERN_FAIL, "the bodies of internal operators nest too deep at %s",
                      node->op->name);
  tern_pb_writer bytes;
  tern_pb_writer_init(context->model->allocator, &bytes);
  context->depth++;
  tern_status *status = write_function(context, node, &bytes);
  context->depth--;
  if (!status) status = tern_pb_writer_finish(&bytes);
  if (!status) return add_function(context, node, &bytes);
  tern_pb_writer_deinit(&bytes);
  return status;
}
