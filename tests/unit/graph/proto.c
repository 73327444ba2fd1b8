// Field numbers are those of onnx.proto3.
#include "unit/graph/proto.h"

#include <stdlib.h>
#include <string.h>

void put_opset(tern_pb_writer *writer, const char *domain, int64_t version) {
  size_t opset = tern_pb_begin_message(writer, 8);
  tern_pb_write_text(writer, 1, domain);
  tern_pb_write_varint(writer, 2, (uint64_t)version);
  tern_pb_end_message(writer, opset);
}

void put_model(tern_pb_writer *writer, int64_t ir_version, int64_t opset) {
  tern_pb_write_varint(writer, 1, (uint64_t)ir_version);
  put_opset(writer, "", opset);
}

size_t open_graph(tern_pb_writer *writer) {
  size_t graph = tern_pb_begin_message(writer, 7);
  tern_pb_write_text(writer, 2, "g");
  return graph;
}

static void put_list(tern_pb_writer *writer, uint32_t field, const char *list) {
  while (list && *list) {
    size_t size = strcspn(list, ",");
    tern_pb_write_bytes(writer, field, list, size);
    list += size;
    if (*list == ',') ++list;
  }
}

static size_t open_node_as(tern_pb_writer *writer, uint32_t field, const char *name,
                           const char *op_type, const char *inputs, const char *outputs) {
  size_t node = tern_pb_begin_message(writer, field);
  put_list(writer, 1, inputs);
  put_list(writer, 2, outputs);
  if (name[0]) tern_pb_write_text(writer, 3, name);
  tern_pb_write_text(writer, 4, op_type);
  return node;
}

size_t open_node(tern_pb_writer *writer, const char *name, const char *op_type, const char *inputs,
                 const char *outputs) {
  return open_node_as(writer, 1, name, op_type, inputs, outputs);
}

void put_node(tern_pb_writer *writer, const char *name, const char *op_type, const char *inputs,
              const char *outputs) {
  tern_pb_end_message(writer, open_node(writer, name, op_type, inputs, outputs));
}

void put_domain(tern_pb_writer *writer, const char *domain) {
  tern_pb_write_text(writer, 7, domain);
}

static size_t open_attr_as(tern_pb_writer *writer, uint32_t field, const char *name,
                           tern_attr_type type) {
  size_t attribute = tern_pb_begin_message(writer, field);
  tern_pb_write_text(writer, 1, name);
  tern_pb_write_varint(writer, 20, (uint64_t)type);
  return attribute;
}

void put_attr_i(tern_pb_writer *writer, const char *name, int64_t value) {
  size_t attribute = open_attr_as(writer, 5, name, TERN_ATTR_INT);
  tern_pb_write_varint(writer, 3, (uint64_t)value);
  tern_pb_end_message(writer, attribute);
}

void put_attr_f(tern_pb_writer *writer, const char *name, float value) {
  size_t attribute = open_attr_as(writer, 5, name, TERN_ATTR_FLOAT);
  tern_pb_write_float(writer, 2, value);
  tern_pb_end_message(writer, attribute);
}

void put_attr_ints(tern_pb_writer *writer, const char *name, const int64_t *values, size_t count) {
  size_t attribute = open_attr_as(writer, 5, name, TERN_ATTR_INTS);
  tern_pb_write_packed_i64(writer, 8, values, count);
  tern_pb_end_message(writer, attribute);
}

void put_attr_floats(tern_pb_writer *writer, const char *name, const float *values, size_t count) {
  size_t attribute = open_attr_as(writer, 5, name, TERN_ATTR_FLOATS);
  tern_pb_write_packed_f32(writer, 7, values, count);
  tern_pb_end_message(writer, attribute);
}

void put_attr_s(tern_pb_writer *writer, const char *name, const char *value) {
  size_t attribute = open_attr_as(writer, 5, name, TERN_ATTR_STRING);
  tern_pb_write_text(writer, 4, value);
  tern_pb_end_message(writer, attribute);
}

void put_attr_ref(tern_pb_writer *writer, const char *name, tern_attr_type type, const char *ref) {
  size_t attribute = open_attr_as(writer, 5, name, type);
  tern_pb_write_text(writer, 21, ref);
  tern_pb_end_message(writer, attribute);
}

open_attr open_attr_graph(tern_pb_writer *writer, const char *name) {
  open_attr open;
  open.attribute = open_attr_as(writer, 5, name, TERN_ATTR_GRAPH);
  open.graph = tern_pb_begin_message(writer, 6);
  tern_pb_write_text(writer, 2, name);
  return open;
}

void end_attr_graph(tern_pb_writer *writer, open_attr open) {
  tern_pb_end_message(writer, open.graph);
  tern_pb_end_message(writer, open.attribute);
}

static void put_dims(tern_pb_writer *writer, const char *dims) {
  while (*dims) {
    size_t size = strcspn(dims, ",");
    size_t dim = tern_pb_begin_message(writer, 1);
    if (dims[0] == '-' || (dims[0] >= '0' && dims[0] <= '9'))
      tern_pb_write_varint(writer, 1, (uint64_t)strtoll(dims, NULL, 10));
    else if (dims[0] != '?')
      tern_pb_write_bytes(writer, 2, dims, size);
    tern_pb_end_message(writer, dim);
    dims += size;
    if (*dims == ',') ++dims;
  }
}

void put_info(tern_pb_writer *writer, uint32_t field, const char *name, tern_dtype dtype,
              const char *dims) {
  size_t info = tern_pb_begin_message(writer, field);
  tern_pb_write_text(writer, 1, name);
  if (dtype) {
    size_t type = tern_pb_begin_message(writer, 2);
    size_t tensor = tern_pb_begin_message(writer, 1);
    tern_pb_write_varint(writer, 1, (uint64_t)dtype);
    if (dims) {
      size_t shape = tern_pb_begin_message(writer, 2);
      put_dims(writer, dims);
      tern_pb_end_message(writer, shape);
    }
    tern_pb_end_message(writer, tensor);
    tern_pb_end_message(writer, type);
  }
  tern_pb_end_message(writer, info);
}

void put_initializer(tern_pb_writer *writer, const char *name, tern_dtype dtype, const char *dims,
                     const void *data, size_t bytes) {
  size_t tensor = tern_pb_begin_message(writer, 5);
  while (*dims) {
    tern_pb_write_varint(writer, 1, (uint64_t)strtoll(dims, NULL, 10));
    dims += strcspn(dims, ",");
    if (*dims == ',') ++dims;
  }
  tern_pb_write_varint(writer, 2, (uint64_t)dtype);
  tern_pb_write_text(writer, 8, name);
  tern_pb_write_bytes(writer, 9, data, bytes);
  tern_pb_end_message(writer, tensor);
}

size_t open_function(tern_pb_writer *writer, const char *name, const char *inputs,
                     const char *outputs, const char *attributes) {
  size_t function = tern_pb_begin_message(writer, 25);
  tern_pb_write_text(writer, 1, name);
  put_list(writer, 4, inputs);
  put_list(writer, 5, outputs);
  put_list(writer, 6, attributes);
  tern_pb_write_text(writer, 10, "local");
  return function;
}

size_t open_body_node(tern_pb_writer *writer, const char *op_type, const char *inputs,
                      const char *outputs) {
  return open_node_as(writer, 7, "", op_type, inputs, outputs);
}

void put_body_node(tern_pb_writer *writer, const char *op_type, const char *inputs,
                   const char *outputs) {
  tern_pb_end_message(writer, open_body_node(writer, op_type, inputs, outputs));
}

void put_default_i(tern_pb_writer *writer, const char *name, int64_t value) {
  size_t attribute = open_attr_as(writer, 11, name, TERN_ATTR_INT);
  tern_pb_write_varint(writer, 3, (uint64_t)value);
  tern_pb_end_message(writer, attribute);
}

void put_function_opset(tern_pb_writer *writer, const char *domain, int64_t version) {
  size_t opset = tern_pb_begin_message(writer, 9);
  tern_pb_write_text(writer, 1, domain);
  tern_pb_write_varint(writer, 2, (uint64_t)version);
  tern_pb_end_message(writer, opset);
}
