// Graphs, nodes, attributes, types and tensors as messages. Field numbers are those of onnx.proto3.
#include <stdio.h>
#include <string.h>

#include "graph/export_internal.h"

void tern_export_entry(tern_pb_writer *out, uint32_t field, const char *key, const char *value) {
  size_t entry = tern_pb_begin_message(out, field);
  tern_pb_write_text(out, 1, key);
  tern_pb_write_text(out, 2, value);
  tern_pb_end_message(out, entry);
}

static void export_shape(const tern_model *model, tern_pb_writer *out, const tern_shape *from) {
  if (from->rank < 0) return;
  size_t shape = tern_pb_begin_message(out, 2);
  for (int32_t i = 0; i < from->rank; ++i) {
    size_t dim = tern_pb_begin_message(out, 1);
    const char *symbol = tern_model_symbol_name(model, from->dims[i]);
    if (from->dims[i] >= 0)
      tern_pb_write_varint(out, 1, (uint64_t)from->dims[i]);
    else if (symbol[0])
      tern_pb_write_text(out, 2, symbol);
    tern_pb_end_message(out, dim);
  }
  tern_pb_end_message(out, shape);
}

void tern_export_type(const tern_model *model, tern_pb_writer *out, uint32_t field,
                      const tern_type *type) {
  static const uint32_t fields[] = {
      [TERN_KIND_TENSOR] = 1, [TERN_KIND_SPARSE_TENSOR] = 8, [TERN_KIND_SEQUENCE] = 4,
      [TERN_KIND_MAP] = 5,    [TERN_KIND_OPTIONAL] = 9,
  };
  size_t message = tern_pb_begin_message(out, field);
  if (type->kind != TERN_KIND_NONE) {
    size_t kind = tern_pb_begin_message(out, fields[type->kind]);
    bool is_tensor = type->kind == TERN_KIND_TENSOR || type->kind == TERN_KIND_SPARSE_TENSOR;
    if (is_tensor || type->kind == TERN_KIND_MAP)
      tern_pb_write_varint(out, 1, (uint64_t)type->dtype);
    if (is_tensor) export_shape(model, out, &type->shape);
    if (type->element)
      tern_export_type(model, out, type->kind == TERN_KIND_MAP ? 2 : 1, type->element);
    tern_pb_end_message(out, kind);
  }
  if (type->denotation) tern_pb_write_text(out, 6, type->denotation);
  tern_pb_end_message(out, message);
}

static bool is_unknown(const tern_type *type) {
  return type->kind == TERN_KIND_NONE ||
         (type->kind == TERN_KIND_TENSOR && type->dtype == TERN_DTYPE_UNDEFINED);
}

static void export_info(tern_pb_writer *out, uint32_t field, const tern_edge *edge) {
  size_t info = tern_pb_begin_message(out, field);
  tern_pb_write_text(out, 1, edge->name);
  if (!is_unknown(&edge->type)) tern_export_type(edge->graph->model, out, 2, &edge->type);
  tern_pb_end_message(out, info);
}

// The bytes go to the data file, each tensor at a multiple of a cache line.
static void export_external(export_context *context, tern_pb_writer *out, const char *name,
                            const tern_value *value, size_t bytes) {
  static const char zeros[TERN_BUFFER_ALIGNMENT];
  tern_pb_writer *file = context->external;
  tern_pb_write_raw(file, zeros, (0 - file->size) % TERN_BUFFER_ALIGNMENT);
  char offset[24], length[24];
  snprintf(offset, sizeof offset, "%zu", file->size);
  snprintf(length, sizeof length, "%zu", bytes);
  tern_pb_write_raw(file, value->data, bytes);
  tern_pb_write_packed_i64(out, 1, value->shape.dims, (size_t)value->shape.rank);
  tern_pb_write_varint(out, 2, (uint64_t)value->dtype);
  tern_pb_write_text(out, 8, name);
  tern_export_entry(out, 13, "location", context->options->external_name);
  tern_export_entry(out, 13, "offset", offset);
  tern_export_entry(out, 13, "length", length);
  tern_pb_write_varint(out, 14, 1);
}

static tern_status *export_initializer(export_context *context, tern_pb_writer *out,
                                       const tern_edge *edge) {
  const tern_value *value = edge->initializer;
  if (edge->uses.count == 0 && edge->output_uses == 0 && !edge->is_input) return NULL;
  if (value->kind != TERN_KIND_TENSOR)
    return TERN_ERROR(TERN_NOT_IMPLEMENTED,
                      "initializer '%s' is no tensor, and a file has no other", edge->name);
  size_t bytes, tensor = tern_pb_begin_message(out, 5);
  bool fits = tern_dtype_bytes(value->dtype, tern_value_count(value), &bytes);
  if (context->external && value->dtype != TERN_STRING && fits &&
      bytes >= context->options->external_min_bytes)
    export_external(context, out, edge->name, value, bytes);
  else
    tern_onnx_write_tensor(out, edge->name, value);
  tern_pb_end_message(out, tensor);
  return NULL;
}

static void export_tensor(tern_pb_writer *out, uint32_t field, const tern_value *value) {
  size_t tensor = tern_pb_begin_message(out, field);
  tern_onnx_write_tensor(out, NULL, value);
  tern_pb_end_message(out, tensor);
}

static tern_status *export_value(export_context *context, tern_pb_writer *out,
                                 const tern_attr *attr) {
  switch (attr->type) {
  case TERN_ATTR_FLOAT:
    tern_pb_write_float(out, 2, attr->u.f);
    return NULL;
  case TERN_ATTR_INT:
    tern_pb_write_varint(out, 3, (uint64_t)attr->u.i);
    return NULL;
  case TERN_ATTR_STRING:
    tern_pb_write_bytes(out, 4, attr->u.s.data, attr->u.s.size);
    return NULL;
  case TERN_ATTR_TENSOR:
    export_tensor(out, 5, attr->u.tensor);
    return NULL;
  case TERN_ATTR_GRAPH:
    return tern_export_graph(context, out, 6, attr->u.graph);
  case TERN_ATTR_TYPE_PROTO:
    tern_export_type(context->model, out, 14, attr->u.type_proto);
    return NULL;
  case TERN_ATTR_FLOATS:
    tern_pb_write_packed_f32(out, 7, attr->u.floats, attr->count);
    return NULL;
  case TERN_ATTR_INTS:
    tern_pb_write_packed_i64(out, 8, attr->u.ints, attr->count);
    return NULL;
  case TERN_ATTR_STRINGS:
    for (size_t i = 0; i < attr->count; ++i)
      tern_pb_write_bytes(out, 9, attr->u.strings[i].data, attr->u.strings[i].size);
    return NULL;
  case TERN_ATTR_TENSORS:
    for (size_t i = 0; i < attr->count; ++i) export_tensor(out, 10, attr->u.tensors[i]);
    return NULL;
  default:
    return TERN_ERROR(TERN_NOT_IMPLEMENTED, "attribute '%s' is of type %d, which is not written",
                      attr->name, (int)attr->type);
  }
}

// Defaults are left out: older versions may lack the attribute.
static bool is_default(const tern_attr *attr, const tern_attr_def *def) {
  if (!def->has_default || attr->type != def->type) return false;
  switch (attr->type) {
  case TERN_ATTR_INT:
    return attr->u.i == def->i;
  case TERN_ATTR_FLOAT:
    return memcmp(&attr->u.f, &def->f, sizeof def->f) == 0;
  case TERN_ATTR_STRING:
    return attr->u.s.size == strlen(def->s) && memcmp(attr->u.s.data, def->s, attr->u.s.size) == 0;
  case TERN_ATTR_INTS:
    return attr->count == def->count && def->count > 0 &&
           memcmp(attr->u.ints, def->ints, def->count * sizeof *def->ints) == 0;
  default:
    return false;
  }
}

static tern_status *export_attrs(export_context *context, tern_pb_writer *out,
                                 const tern_node *node) {
  for (size_t i = 0; node->op->attrs && node->op->attrs[i].name; ++i) {
    const tern_attr *attr = &node->attrs[i];
    if (attr->type == TERN_ATTR_UNDEFINED || is_default(attr, &node->op->attrs[i])) continue;
    size_t attribute = tern_pb_begin_message(out, 5);
    tern_pb_write_text(out, 1, attr->name);
    TERN_TRY(export_value(context, out, attr));
    tern_pb_write_varint(out, 20, (uint64_t)attr->type);
    tern_pb_end_message(out, attribute);
  }
  return NULL;
}

tern_status *tern_export_node(export_context *context, tern_pb_writer *out, uint32_t field,
                              const tern_node *node) {
  const export_function *function = node->scratch;
  size_t message = tern_pb_begin_message(out, field);
  for (int32_t i = 0; i < node->input_count; ++i)
    tern_pb_write_text(out, 1, node->inputs[i] ? node->inputs[i]->name : "");
  for (int32_t i = 0; i < node->output_count; ++i)
    tern_pb_write_text(out, 2, node->outputs[i] ? node->outputs[i]->name : "");
  if (node->name[0]) tern_pb_write_text(out, 3, node->name);
  tern_pb_write_text(out, 4, node->op->name);
  TERN_TRY(export_attrs(context, out, node));
  if (node->doc[0]) tern_pb_write_text(out, 6, node->doc);
  const char *domain = tern_export_domain(node->op);
  if (domain[0]) tern_pb_write_text(out, 7, domain);
  if (function) tern_pb_write_text(out, 8, function->overload);
  for (size_t i = 0; i < node->metadata_count; ++i)
    tern_export_entry(out, 9, node->metadata[i].key, node->metadata[i].value);
  tern_pb_end_message(out, message);
  return NULL;
}

static void export_annotations(const tern_model *model, tern_pb_writer *out) {
  for (size_t i = 0; i < model->annotations.count; ++i) {
    const tern_annotation *from = &model->annotations.data[i];
    size_t annotation = tern_pb_begin_message(out, 14);
    tern_pb_write_text(out, 1, from->tensor_name);
    for (size_t p = 0; p < from->parameter_count; ++p)
      tern_export_entry(out, 2, from->parameters[p].key, from->parameters[p].value);
    tern_pb_end_message(out, annotation);
  }
}

// Types of what nodes make: not of outputs, which have theirs.
static void export_infos(tern_pb_writer *out, const tern_node *node) {
  for (int32_t i = 0; i < node->output_count; ++i) {
    const tern_edge *edge = node->outputs[i];
    if (edge && edge->output_uses == 0 && !is_unknown(&edge->type)) export_info(out, 13, edge);
  }
}

tern_status *tern_export_graph(export_context *context, tern_pb_writer *out, uint32_t field,
                               const tern_graph *graph) {
  size_t message = tern_pb_begin_message(out, field);
  tern_pb_write_text(out, 2, graph->name[0] ? graph->name : "graph");
  for (const tern_node *node = graph->first; node; node = node->next)
    TERN_TRY(tern_export_node(context, out, 1, node));
  for (size_t i = 0; i < graph->initializers.count; ++i)
    TERN_TRY(export_initializer(context, out, graph->initializers.data[i]));
  if (graph->doc[0]) tern_pb_write_text(out, 10, graph->doc);
  for (size_t i = 0; i < graph->inputs.count; ++i) export_info(out, 11, graph->inputs.data[i]);
  for (size_t i = 0; i < graph->outputs.count; ++i) export_info(out, 12, graph->outputs.data[i]);
  for (const tern_node *node = graph->first; node; node = node->next) export_infos(out, node);
  if (graph == context->model->graph) export_annotations(context->model, out);
  tern_pb_end_message(out, message);
  return NULL;
}
