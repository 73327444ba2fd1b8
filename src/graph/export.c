// tern_export: the survey, then the model's own fields around its graph and functions.
#include <string.h>

#include "graph/export_internal.h"

// Without functions and newer types, every reader of the last years takes the file.
enum { LOWEST_IR_VERSION = 8, LOWEST_OPSET = 7 };

// The IR version that brought an element type.
static int64_t ir_version_of(tern_dtype dtype) {
  switch (dtype) {
  case TERN_FLOAT8E4M3FN:
  case TERN_FLOAT8E4M3FNUZ:
  case TERN_FLOAT8E5M2:
  case TERN_FLOAT8E5M2FNUZ:
    return 9;
  case TERN_UINT4:
  case TERN_INT4:
    return 10;
  case TERN_FLOAT4E2M1:
    return 11;
  case TERN_FLOAT8E8M0:
    return 12;
  case TERN_UINT2:
  case TERN_INT2:
    return 13;
  case TERN_FLOAT6E2M3:
  case TERN_FLOAT6E3M2:
    return 14;
  default:
    return LOWEST_IR_VERSION;
  }
}

const char *tern_export_domain(const tern_op *op) {
  return op->flags & TERN_OP_REMOVED ? TERN_DOMAIN_TERN : op->domain;
}

tern_status *tern_export_use_opset(export_context *context, const char *domain, int32_t version) {
  for (size_t i = 0; i < context->opsets.count; ++i) {
    tern_opset *opset = &context->opsets.data[i];
    if (strcmp(opset->domain, domain) != 0) continue;
    if (opset->version < version) opset->version = version;
    return NULL;
  }
  tern_opset opset = {domain, version};
  TERN_ARRAY_PUSH(context->model->allocator, &context->opsets, opset);
  return NULL;
}

static void use_type(export_context *context, const tern_edge *edge) {
  int64_t version = ir_version_of(edge->type.dtype);
  if (version > context->ir_version) context->ir_version = version;
}

// The lowest version that says what the node says. A node as it was read, and every version since
// means the same: the one it was read in. Otherwise the first that no upgrade leads away from.
static int32_t lowest_version(const tern_node *node) {
  const tern_op *op = node->op;
  bool is_as_read = node->original_version > 0 && strcmp(node->original_type, op->name) == 0 &&
                    strcmp(node->original_domain, op->domain) == 0;
  if (!is_as_read) return op->since;
  int32_t lowest = 0;
  for (const tern_op_version *v = op->versions; v && v->version; ++v) {
    if (v->version < node->original_version) continue;
    if (v->upgrade)
      lowest = 0;
    else if (lowest == 0)
      lowest = v->version;
  }
  return lowest ? lowest : op->since;
}

// A subgraph of the node would have to stand in a function, which has none of its own.
static tern_status *no_function_error(const tern_node *node) {
  char where[TERN_NODE_TEXT_BYTES];
  return TERN_ERROR(TERN_NOT_IMPLEMENTED,
                    "%s: ONNX has no form of the internal operator %s:%s, so that the model cannot "
                    "be written",
                    tern_node_describe(node, where, sizeof where), TERN_DOMAIN_TERN,
                    node->op->name);
}

static tern_status *survey_node(export_context *context, tern_node *node) {
  const char *domain = tern_export_domain(node->op);
  node->scratch = NULL;
  TERN_TRY(tern_export_use_opset(context, domain, lowest_version(node)));
  for (int32_t i = 0; i < node->output_count; ++i) {
    if (node->outputs[i]) use_type(context, node->outputs[i]);
  }
  bool has_graph = false;
  for (size_t i = 0; node->op->attrs && node->op->attrs[i].name; ++i) {
    if (node->attrs[i].type != TERN_ATTR_GRAPH) continue;
    has_graph = true;
    TERN_TRY(tern_export_survey(context, node->attrs[i].u.graph));
  }
  if (strcmp(domain, TERN_DOMAIN_TERN) != 0) return NULL;
  return node->op->body && !has_graph ? tern_export_function(context, node)
                                      : no_function_error(node);
}

tern_status *tern_export_survey(export_context *context, const tern_graph *graph) {
  for (size_t i = 0; i < graph->inputs.count; ++i) use_type(context, graph->inputs.data[i]);
  for (size_t i = 0; i < graph->initializers.count; ++i)
    use_type(context, graph->initializers.data[i]);
  for (tern_node *node = graph->first; node; node = node->next)
    TERN_TRY(survey_node(context, node));
  return NULL;
}

static void write_opsets(const export_context *context, tern_pb_writer *out, uint32_t field) {
  for (size_t i = 0; i < context->opsets.count; ++i) {
    size_t opset = tern_pb_begin_message(out, field);
    tern_pb_write_text(out, 1, context->opsets.data[i].domain);
    tern_pb_write_varint(out, 2, (uint64_t)context->opsets.data[i].version);
    tern_pb_end_message(out, opset);
  }
}

static void write_text(tern_pb_writer *out, uint32_t field, const char *text) {
  if (text[0]) tern_pb_write_text(out, field, text);
}

static void write_texts(const tern_model *model, tern_pb_writer *out) {
  write_text(out, 2, model->producer_name);
  write_text(out, 3, model->producer_version);
  write_text(out, 4, model->domain);
  if (model->model_version) tern_pb_write_varint(out, 5, (uint64_t)model->model_version);
  write_text(out, 6, model->doc);
  for (size_t i = 0; i < model->metadata.count; ++i)
    tern_export_entry(out, 14, model->metadata.data[i].key, model->metadata.data[i].value);
}

static void write_functions(const export_context *context, tern_pb_writer *out) {
  for (size_t i = 0; i < context->functions.count; ++i) {
    const export_function *function = context->functions.data[i];
    size_t message = tern_pb_begin_message(out, 25);
    tern_pb_write_raw(out, function->bytes.data, function->bytes.size);
    write_opsets(context, out, 9);
    tern_pb_write_text(out, 13, function->overload);
    tern_pb_end_message(out, message);
  }
}

static tern_status *export_model(export_context *context, tern_pb_writer *out) {
  tern_model *model = context->model;
  TERN_TRY(tern_export_use_opset(context, TERN_DOMAIN_ONNX, LOWEST_OPSET));
  TERN_TRY(tern_export_survey(context, model->graph));
  tern_pb_write_varint(out, 1, (uint64_t)context->ir_version);
  write_opsets(context, out, 8);
  write_texts(model, out);
  TERN_TRY(tern_export_graph(context, out, 7, model->graph));
  write_functions(context, out);
  if (out->status) return tern_pb_writer_finish(out);
  return context->external ? tern_pb_writer_finish(context->external) : NULL;
}

tern_status *tern_export(tern_model *model, const tern_export_options *options,
                         tern_pb_writer *out_model, tern_pb_writer *out_external) {
  static const tern_export_options no_options;
  export_context context = {.model = model, .ir_version = LOWEST_IR_VERSION};
  context.options = options ? options : &no_options;
  if (context.options->external_name) context.external = out_external;
  tern_status *status = export_model(&context, out_model);
  for (size_t i = 0; i < context.functions.count; ++i)
    tern_pb_writer_deinit(&context.functions.data[i]->bytes);
  TERN_ARRAY_FREE(model->allocator, &context.functions);
  TERN_ARRAY_FREE(model->allocator, &context.opsets);
  return status;
}
