// ONNX's messages (onnx.proto3 of the standard) as plain structs: what a model file says, not yet
// what it means. Texts and tensor bytes are slices of the file; arrays live in the parse's arena.
// Unknown fields are skipped. Nesting is limited to TERN_ONNX_MAX_DEPTH messages.
#ifndef TERN_FORMAT_ONNX_H_
#define TERN_FORMAT_ONNX_H_

#include "base/arena.h"
#include "base/value.h"
#include "format/pb.h"

enum { TERN_ONNX_MAX_DEPTH = 256 };

typedef struct tern_onnx_type tern_onnx_type;
typedef struct tern_onnx_graph tern_onnx_graph;
typedef struct tern_onnx_attribute tern_onnx_attribute;

// StringStringEntryProto.
typedef struct tern_onnx_entry {
  tern_span key, value;
} tern_onnx_entry;

// TensorShapeProto.Dimension: a value, a name, or neither.
typedef struct tern_onnx_dim {
  bool has_value;
  int64_t value;
  tern_span param, denotation; // empty: none
} tern_onnx_dim;

// TypeProto. `kind` NONE: the field is empty. `dtype` is the raw number from the file.
struct tern_onnx_type {
  tern_kind kind;
  int32_t dtype; // tensors and sparse tensors: elem_type; maps: key_type
  bool has_shape;
  const tern_onnx_dim *dims;
  size_t dim_count;
  const tern_onnx_type *element; // sequence and optional elem_type, map value_type
  bool is_opaque;                // TypeProto.Opaque, which nothing runs
  tern_span denotation;
};

typedef struct tern_onnx_value_info {
  tern_span name, doc;
  tern_onnx_type type;
  const tern_onnx_entry *metadata;
  size_t metadata_count;
} tern_onnx_value_info;

// TensorProto. Elements stay where they are: in `raw`, in an external file, or in the typed fields
// of `message`, which tern_onnx_tensor_decode reads.
typedef struct tern_onnx_tensor {
  tern_span name;
  int32_t dtype; // raw number
  const int64_t *dims;
  size_t dim_count;
  bool has_raw;
  tern_span raw;
  bool is_external; // data_location EXTERNAL
  tern_span external_location;
  uint64_t external_offset;
  bool has_external_length;
  uint64_t external_length;
  tern_span message; // the whole TensorProto
} tern_onnx_tensor;

typedef struct tern_onnx_sparse_tensor {
  tern_onnx_tensor values, indices;
  const int64_t *dims;
  size_t dim_count;
} tern_onnx_sparse_tensor;

// AttributeProto.AttributeType.
typedef enum tern_onnx_attribute_type {
  TERN_ATTR_UNDEFINED = 0,
  TERN_ATTR_FLOAT = 1,
  TERN_ATTR_INT = 2,
  TERN_ATTR_STRING = 3,
  TERN_ATTR_TENSOR = 4,
  TERN_ATTR_GRAPH = 5,
  TERN_ATTR_FLOATS = 6,
  TERN_ATTR_INTS = 7,
  TERN_ATTR_STRINGS = 8,
  TERN_ATTR_TENSORS = 9,
  TERN_ATTR_GRAPHS = 10,
  TERN_ATTR_SPARSE_TENSOR = 11,
  TERN_ATTR_SPARSE_TENSORS = 12,
  TERN_ATTR_TYPE_PROTO = 13,
  TERN_ATTR_TYPE_PROTOS = 14,
} tern_attr_type;

// `type` is the file's, or derived from the field that is set in files older than IR version 2.
struct tern_onnx_attribute {
  tern_span name, ref_name; // ref_name not empty: takes its value from the function's caller
  tern_attr_type type;
  float f;
  int64_t i;
  tern_span s;
  const tern_onnx_tensor *t;
  const tern_onnx_graph *g;
  const tern_onnx_sparse_tensor *sparse;
  const tern_onnx_type *tp;
  const float *floats;
  const int64_t *ints;
  const tern_span *strings;
  const tern_onnx_tensor *tensors;
  const tern_onnx_graph *graphs;
  const tern_onnx_sparse_tensor *sparses;
  const tern_onnx_type *tps;
  size_t count; // of whichever list is set
};

typedef struct tern_onnx_node {
  tern_span name, op_type, domain, overload, doc;
  const tern_span *inputs, *outputs; // an empty name is an omitted one
  size_t input_count, output_count;
  const tern_onnx_attribute *attributes;
  size_t attribute_count;
  const tern_onnx_entry *metadata;
  size_t metadata_count;
} tern_onnx_node;

// TensorAnnotation: names of the tensors that hold a tensor's quantisation parameters.
typedef struct tern_onnx_annotation {
  tern_span tensor_name;
  const tern_onnx_entry *parameters;
  size_t parameter_count;
} tern_onnx_annotation;

struct tern_onnx_graph {
  tern_span name, doc;
  const tern_onnx_node *nodes;
  size_t node_count;
  const tern_onnx_tensor *initializers;
  size_t initializer_count;
  const tern_onnx_sparse_tensor *sparse_initializers;
  size_t sparse_initializer_count;
  const tern_onnx_value_info *inputs, *outputs, *value_infos;
  size_t input_count, output_count, value_info_count;
  const tern_onnx_annotation *annotations;
  size_t annotation_count;
  const tern_onnx_entry *metadata;
  size_t metadata_count;
};

typedef struct tern_onnx_opset {
  tern_span domain; // "" and "ai.onnx" mean the same
  int64_t version;
} tern_onnx_opset;

typedef struct tern_onnx_function {
  tern_span name, domain, overload, doc;
  const tern_span *inputs, *outputs, *attributes; // attributes: names without a default
  size_t input_count, output_count, attribute_count;
  const tern_onnx_attribute *attribute_defaults; // attribute_proto
  size_t attribute_default_count;
  const tern_onnx_node *nodes;
  size_t node_count;
  const tern_onnx_opset *opsets;
  size_t opset_count;
  const tern_onnx_value_info *value_infos;
  size_t value_info_count;
  const tern_onnx_entry *metadata;
  size_t metadata_count;
} tern_onnx_function;

typedef struct tern_onnx_model {
  int64_t ir_version, model_version;
  tern_span producer_name, producer_version, domain, doc;
  const tern_onnx_opset *opsets;
  size_t opset_count;
  bool has_graph;
  tern_onnx_graph graph;
  const tern_onnx_entry *metadata;
  size_t metadata_count;
  const tern_onnx_function *functions;
  size_t function_count;
} tern_onnx_model;

// Parses a ModelProto. Errors are TERN_INVALID_PROTOBUF and say which message and field.
TERN_MUST_USE tern_status *tern_onnx_parse_model(tern_span bytes, tern_arena *arena,
                                                 tern_onnx_model *out_model);
// Parses single messages, as data files hold them.
TERN_MUST_USE tern_status *tern_onnx_parse_tensor(tern_span bytes, tern_arena *arena,
                                                  tern_onnx_tensor *out_tensor);

// The elements of `tensor` as a value. Raw little-endian bytes are borrowed from the file (and the
// value says so where they are misaligned; small ones are copied then); typed fields and strings
// are decoded into memory of the value's own. Checks type, dimensions (≥ 0, no overflow) and that
// the number of bytes or elements is exactly what the shape needs. `external` holds the bytes of an
// external tensor (already sliced by offset and length), and is ignored for others.
TERN_MUST_USE tern_status *tern_onnx_tensor_decode(const tern_onnx_tensor *tensor,
                                                   tern_span external, tern_allocator *allocator,
                                                   tern_value **out_value);
// A sparse tensor as a dense one: zeros (or empty strings) where no value is given. Checks that
// indices are in range, ascending and unique, linear ([NNZ]) or coordinates ([NNZ, rank]).
TERN_MUST_USE tern_status *tern_onnx_sparse_decode(const tern_onnx_sparse_tensor *sparse,
                                                   tern_span external_values,
                                                   tern_span external_indices,
                                                   tern_allocator *allocator,
                                                   tern_value **out_value);
// Writes the fields of a TensorProto for `value` into `writer` (raw data; strings as string_data).
void tern_onnx_write_tensor(tern_pb_writer *writer, const char *name, const tern_value *value);

#endif
