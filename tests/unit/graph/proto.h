// ONNX files in a few words, for tests: each call writes one piece where the writer stands.
#ifndef TERN_TESTS_UNIT_GRAPH_PROTO_H_
#define TERN_TESTS_UNIT_GRAPH_PROTO_H_

#include "format/onnx.h"

enum { GRAPH_VALUE_INFO = 13, GRAPH_INPUT = 11, GRAPH_OUTPUT = 12 };

// ModelProto's first fields. The graph, opened with open_graph, comes next.
void put_model(tern_pb_writer *writer, int64_t ir_version, int64_t opset);
void put_opset(tern_pb_writer *writer, const char *domain, int64_t version);
// GraphProto; ends with tern_pb_end_message, as does everything that is opened.
size_t open_graph(tern_pb_writer *writer);

// NodeProto. Names are separated by commas; nothing between two commas is an omitted one.
size_t open_node(tern_pb_writer *writer, const char *name, const char *op_type, const char *inputs,
                 const char *outputs);
void put_node(tern_pb_writer *writer, const char *name, const char *op_type, const char *inputs,
              const char *outputs);
void put_domain(tern_pb_writer *writer, const char *domain); // of the open node

// AttributeProto in the open node, or in the open function as a default.
void put_attr_i(tern_pb_writer *writer, const char *name, int64_t value);
void put_attr_f(tern_pb_writer *writer, const char *name, float value);
void put_attr_ints(tern_pb_writer *writer, const char *name, const int64_t *values, size_t count);
void put_attr_floats(tern_pb_writer *writer, const char *name, const float *values, size_t count);
void put_attr_s(tern_pb_writer *writer, const char *name, const char *value);
void put_attr_ref(tern_pb_writer *writer, const char *name, tern_attr_type type, const char *ref);
typedef struct open_attr {
  size_t attribute, graph;
} open_attr;
open_attr open_attr_graph(tern_pb_writer *writer, const char *name);
void end_attr_graph(tern_pb_writer *writer, open_attr open);

// ValueInfoProto of a tensor. `dims`: "2,N,?"; "" is rank 0, NULL no shape. `dtype` 0: no type.
void put_info(tern_pb_writer *writer, uint32_t field, const char *name, tern_dtype dtype,
              const char *dims);
// TensorProto with raw data, as an initializer. `dims` are numbers.
void put_initializer(tern_pb_writer *writer, const char *name, tern_dtype dtype, const char *dims,
                     const void *data, size_t bytes);

// FunctionProto of domain "local"; nodes of the body have field number 7.
size_t open_function(tern_pb_writer *writer, const char *name, const char *inputs,
                     const char *outputs, const char *attributes);
void put_body_node(tern_pb_writer *writer, const char *op_type, const char *inputs,
                   const char *outputs);
size_t open_body_node(tern_pb_writer *writer, const char *op_type, const char *inputs,
                      const char *outputs);
void put_default_i(tern_pb_writer *writer, const char *name, int64_t value);
void put_function_opset(tern_pb_writer *writer, const char *domain, int64_t version);

#endif
