// ONNX's messages as tables of fields (onnx.proto of the standard), and the few whose struct
// is not shaped like the message: types, tensors and attributes.
#include "format/onnx.h"

#include <string.h>

#include "format/message.h"

// One row: the name and number of the field, its kind, the struct and its member.
#define ONE(T, name, number, kind, member)                                                         \
  { name, number, TERN_FIELD_##kind, offsetof(T, member), TERN_NO_OFFSET, NULL }
// As ONE, with a bool member that says whether the field was there.
#define FLAGGED(T, name, number, kind, member, flag)                                               \
  { name, number, TERN_FIELD_##kind, offsetof(T, member), offsetof(T, flag), NULL }
#define MANY(T, name, number, kind, member, count)                                                 \
  { name, number, TERN_FIELD_##kind, offsetof(T, member), offsetof(T, count), NULL }
#define INLINE(T, name, number, member, message)                                                   \
  { name, number, TERN_FIELD_MESSAGE, offsetof(T, member), TERN_NO_OFFSET, message }
#define POINTER(T, name, number, member, message)                                                  \
  { name, number, TERN_FIELD_POINTER, offsetof(T, member), TERN_NO_OFFSET, message }
#define MESSAGES(T, name, number, member, count, message)                                          \
  { name, number, TERN_FIELD_MESSAGE_LIST, offsetof(T, member), offsetof(T, count), message }
#define MESSAGE(T, name, rows, finish)                                                             \
  { name, sizeof(T), rows, TERN_COUNT_OF(rows), finish, NULL }

static const tern_message graph_message, type_message, tensor_message, sparse_message;

// StringStringEntryProto.
static const tern_message_field entry_fields[] = {
    ONE(tern_onnx_entry, "key", 1, BYTES, key),
    ONE(tern_onnx_entry, "value", 2, BYTES, value),
};
static const tern_message entry_message =
    MESSAGE(tern_onnx_entry, "StringStringEntryProto", entry_fields, NULL);

// TensorShapeProto and its dimensions.
static const tern_message_field dim_fields[] = {
    FLAGGED(tern_onnx_dim, "dim_value", 1, I64, value, has_value),
    ONE(tern_onnx_dim, "dim_param", 2, BYTES, param),
    ONE(tern_onnx_dim, "denotation", 3, BYTES, denotation),
};
static const tern_message dim_message =
    MESSAGE(tern_onnx_dim, "TensorShapeProto.Dimension", dim_fields, NULL);

typedef struct shape_wire {
  const tern_onnx_dim *dims;
  size_t dim_count;
} shape_wire;
static const tern_message_field shape_fields[] = {
    MESSAGES(shape_wire, "dim", 1, dims, dim_count, &dim_message),
};
static const tern_message shape_message =
    MESSAGE(shape_wire, "TensorShapeProto", shape_fields, NULL);

// TypeProto.Tensor and SparseTensor; Sequence, Map and Optional.
typedef struct tensor_type_wire {
  int32_t dtype;
  const shape_wire *shape;
} tensor_type_wire;
static const tern_message_field tensor_type_fields[] = {
    ONE(tensor_type_wire, "elem_type", 1, I32, dtype),
    POINTER(tensor_type_wire, "shape", 2, shape, &shape_message),
};
static const tern_message tensor_type_message =
    MESSAGE(tensor_type_wire, "TypeProto.Tensor", tensor_type_fields, NULL);

typedef struct element_type_wire {
  int32_t key;
  const tern_onnx_type *element;
} element_type_wire;
static const tern_message_field sequence_type_fields[] = {
    POINTER(element_type_wire, "elem_type", 1, element, &type_message),
};
static const tern_message sequence_type_message =
    MESSAGE(element_type_wire, "TypeProto.Sequence", sequence_type_fields, NULL);
static const tern_message_field map_type_fields[] = {
    ONE(element_type_wire, "key_type", 1, I32, key),
    POINTER(element_type_wire, "value_type", 2, element, &type_message),
};
static const tern_message map_type_message =
    MESSAGE(element_type_wire, "TypeProto.Map", map_type_fields, NULL);

typedef struct type_wire {
  const tensor_type_wire *tensor, *sparse;
  const element_type_wire *sequence, *map, *optional;
  tern_span opaque, denotation;
  bool is_opaque;
} type_wire;
static const tern_message_field type_fields[] = {
    POINTER(type_wire, "tensor_type", 1, tensor, &tensor_type_message),
    POINTER(type_wire, "sequence_type", 4, sequence, &sequence_type_message),
    POINTER(type_wire, "map_type", 5, map, &map_type_message),
    POINTER(type_wire, "sparse_tensor_type", 8, sparse, &tensor_type_message),
    POINTER(type_wire, "optional_type", 9, optional, &sequence_type_message),
    FLAGGED(type_wire, "opaque_type", 7, BYTES, opaque, is_opaque),
    ONE(type_wire, "denotation", 6, BYTES, denotation),
};
static const tern_message type_wire_message = MESSAGE(type_wire, "TypeProto", type_fields, NULL);

static void set_tensor_type(tern_onnx_type *type, tern_kind kind, const tensor_type_wire *wire) {
  type->kind = kind;
  type->dtype = wire->dtype;
  type->has_shape = wire->shape != NULL;
  if (wire->shape) {
    type->dims = wire->shape->dims;
    type->dim_count = wire->shape->dim_count;
  }
}

static void set_container_type(tern_onnx_type *type, tern_kind kind,
                               const element_type_wire *wire) {
  type->kind = kind;
  type->dtype = wire->key;
  type->element = wire->element;
}

static tern_status *read_type(tern_message_reader *reader, tern_span bytes, void *object) {
  type_wire wire = {0};
  tern_onnx_type *type = object;
  TERN_TRY(tern_message_read(reader, &type_wire_message, bytes, &wire));
  if (wire.tensor) set_tensor_type(type, TERN_KIND_TENSOR, wire.tensor);
  if (wire.sparse) set_tensor_type(type, TERN_KIND_SPARSE_TENSOR, wire.sparse);
  if (wire.sequence) set_container_type(type, TERN_KIND_SEQUENCE, wire.sequence);
  if (wire.map) set_container_type(type, TERN_KIND_MAP, wire.map);
  if (wire.optional) set_container_type(type, TERN_KIND_OPTIONAL, wire.optional);
  type->is_opaque = wire.is_opaque;
  type->denotation = wire.denotation;
  return NULL;
}
static const tern_message type_message = {
    .name = "TypeProto", .bytes = sizeof(tern_onnx_type), .read = read_type};

static const tern_message_field value_info_fields[] = {
    ONE(tern_onnx_value_info, "name", 1, BYTES, name),
    INLINE(tern_onnx_value_info, "type", 2, type, &type_message),
    ONE(tern_onnx_value_info, "doc_string", 3, BYTES, doc),
    MESSAGES(tern_onnx_value_info, "metadata_props", 4, metadata, metadata_count, &entry_message),
};
static const tern_message value_info_message =
    MESSAGE(tern_onnx_value_info, "ValueInfoProto", value_info_fields, NULL);

// TensorProto: `external_data` is read here and forgotten; elements are left where they are.
typedef struct tensor_wire {
  tern_onnx_tensor tensor;
  const tern_onnx_entry *external;
  size_t external_count;
  int32_t location;
} tensor_wire;
static const tern_message_field tensor_fields[] = {
    MANY(tensor_wire, "dims", 1, I64_LIST, tensor.dims, tensor.dim_count),
    ONE(tensor_wire, "data_type", 2, I32, tensor.dtype),
    ONE(tensor_wire, "name", 8, BYTES, tensor.name),
    FLAGGED(tensor_wire, "raw_data", 9, BYTES, tensor.raw, tensor.has_raw),
    MESSAGES(tensor_wire, "external_data", 13, external, external_count, &entry_message),
    ONE(tensor_wire, "data_location", 14, I32, location),
};
static const tern_message tensor_wire_message =
    MESSAGE(tensor_wire, "TensorProto", tensor_fields, NULL);

static bool span_is(tern_span span, const char *text) {
  return span.size == strlen(text) && memcmp(span.data, text, span.size) == 0;
}

static bool parse_decimal(tern_span text, uint64_t *out_value) {
  uint64_t value = 0;
  for (size_t i = 0; i < text.size; ++i) {
    unsigned digit = (unsigned)(unsigned char)text.data[i] - '0';
    if (digit > 9 || __builtin_mul_overflow(value, 10, &value) ||
        __builtin_add_overflow(value, digit, &value))
      return false;
  }
  *out_value = value;
  return text.size > 0;
}

static tern_status *read_external_entry(tern_onnx_tensor *tensor, const tern_onnx_entry *entry) {
  if (span_is(entry->key, "location")) {
    tensor->external_location = entry->value;
  } else if (span_is(entry->key, "offset")) {
    if (!parse_decimal(entry->value, &tensor->external_offset))
      return TERN_ERROR(TERN_INVALID_PROTOBUF, "external_data: the offset is not a number");
  } else if (span_is(entry->key, "length")) {
    if (!parse_decimal(entry->value, &tensor->external_length))
      return TERN_ERROR(TERN_INVALID_PROTOBUF, "external_data: the length is not a number");
    tensor->has_external_length = true;
  }
  return NULL;
}

enum { DATA_LOCATION_EXTERNAL = 1 };

static tern_status *read_tensor(tern_message_reader *reader, tern_span bytes, void *object) {
  tensor_wire wire = {0};
  TERN_TRY(tern_message_read(reader, &tensor_wire_message, bytes, &wire));
  wire.tensor.message = bytes;
  wire.tensor.is_external = wire.location == DATA_LOCATION_EXTERNAL;
  for (size_t i = 0; wire.tensor.is_external && i < wire.external_count; ++i)
    TERN_TRY(read_external_entry(&wire.tensor, &wire.external[i]));
  *(tern_onnx_tensor *)object = wire.tensor;
  return NULL;
}
static const tern_message tensor_message = {
    .name = "TensorProto", .bytes = sizeof(tern_onnx_tensor), .read = read_tensor};

static const tern_message_field sparse_fields[] = {
    INLINE(tern_onnx_sparse_tensor, "values", 1, values, &tensor_message),
    INLINE(tern_onnx_sparse_tensor, "indices", 2, indices, &tensor_message),
    MANY(tern_onnx_sparse_tensor, "dims", 3, I64_LIST, dims, dim_count),
};
static const tern_message sparse_message =
    MESSAGE(tern_onnx_sparse_tensor, "SparseTensorProto", sparse_fields, NULL);

// AttributeProto. The lists share one count, which finish_attribute sets.
#define VALUES(name, number, kind, member, message)                                                \
  {                                                                                                \
    name, number, TERN_FIELD_##kind, offsetof(tern_onnx_attribute, member), TERN_NO_OFFSET,        \
        message                                                                                    \
  }
static const tern_message_field attribute_fields[] = {
    ONE(tern_onnx_attribute, "name", 1, BYTES, name),
    ONE(tern_onnx_attribute, "ref_attr_name", 21, BYTES, ref_name),
    ONE(tern_onnx_attribute, "type", 20, I32, type),
    ONE(tern_onnx_attribute, "f", 2, F32, f),
    ONE(tern_onnx_attribute, "i", 3, I64, i),
    ONE(tern_onnx_attribute, "s", 4, BYTES, s),
    POINTER(tern_onnx_attribute, "t", 5, t, &tensor_message),
    POINTER(tern_onnx_attribute, "g", 6, g, &graph_message),
    POINTER(tern_onnx_attribute, "sparse_tensor", 22, sparse, &sparse_message),
    POINTER(tern_onnx_attribute, "tp", 14, tp, &type_message),
    VALUES("floats", 7, F32_LIST, floats, NULL),
    VALUES("ints", 8, I64_LIST, ints, NULL),
    VALUES("strings", 9, BYTES_LIST, strings, NULL),
    VALUES("tensors", 10, MESSAGE_LIST, tensors, &tensor_message),
    VALUES("graphs", 11, MESSAGE_LIST, graphs, &graph_message),
    VALUES("sparse_tensors", 23, MESSAGE_LIST, sparses, &sparse_message),
    VALUES("type_protos", 15, MESSAGE_LIST, tps, &type_message),
};
_Static_assert(sizeof(tern_attr_type) == sizeof(int32_t), "the type is read as an int32");

// Where each AttributeType's value is: the row in attribute_fields.
static const struct {
  uint8_t row;
  bool is_list, is_message;
} attribute_values[] = {
    [TERN_ATTR_FLOAT] = {3, false, false},          [TERN_ATTR_INT] = {4, false, false},
    [TERN_ATTR_STRING] = {5, false, false},         [TERN_ATTR_TENSOR] = {6, false, true},
    [TERN_ATTR_GRAPH] = {7, false, true},           [TERN_ATTR_SPARSE_TENSOR] = {8, false, true},
    [TERN_ATTR_TYPE_PROTO] = {9, false, true},      [TERN_ATTR_FLOATS] = {10, true, false},
    [TERN_ATTR_INTS] = {11, true, false},           [TERN_ATTR_STRINGS] = {12, true, false},
    [TERN_ATTR_TENSORS] = {13, true, false},        [TERN_ATTR_GRAPHS] = {14, true, false},
    [TERN_ATTR_SPARSE_TENSORS] = {15, true, false}, [TERN_ATTR_TYPE_PROTOS] = {16, true, false},
};

// Files of IR version 1 have no type field.
static tern_attr_type derive_type(const size_t *seen) {
  for (size_t type = 1; type < TERN_COUNT_OF(attribute_values); ++type) {
    if (seen[attribute_values[type].row] > 0) return (tern_attr_type)type;
  }
  return TERN_ATTR_UNDEFINED;
}

static tern_status *finish_attribute(void *object, const size_t *seen) {
  tern_onnx_attribute *attribute = object;
  if (attribute->type == TERN_ATTR_UNDEFINED) attribute->type = derive_type(seen);
  unsigned type = (unsigned)attribute->type;
  if (type >= TERN_COUNT_OF(attribute_values))
    return TERN_ERROR(TERN_INVALID_PROTOBUF, "AttributeProto '%.*s': the type %d is not known",
                      TERN_SPAN_ARGS(attribute->name), (int)type);
  if (type == TERN_ATTR_UNDEFINED) return NULL;
  size_t count = seen[attribute_values[type].row];
  if (attribute_values[type].is_list) attribute->count = count;
  if (attribute_values[type].is_message && count == 0 && attribute->ref_name.size == 0)
    return TERN_ERROR(TERN_INVALID_PROTOBUF, "AttributeProto '%.*s': the field '%s' is missing",
                      TERN_SPAN_ARGS(attribute->name),
                      attribute_fields[attribute_values[type].row].name);
  return NULL;
}
static const tern_message attribute_message =
    MESSAGE(tern_onnx_attribute, "AttributeProto", attribute_fields, finish_attribute);

static const tern_message_field node_fields[] = {
    MANY(tern_onnx_node, "input", 1, BYTES_LIST, inputs, input_count),
    MANY(tern_onnx_node, "output", 2, BYTES_LIST, outputs, output_count),
    ONE(tern_onnx_node, "name", 3, BYTES, name),
    ONE(tern_onnx_node, "op_type", 4, BYTES, op_type),
    ONE(tern_onnx_node, "domain", 7, BYTES, domain),
    ONE(tern_onnx_node, "overload", 8, BYTES, overload),
    MESSAGES(tern_onnx_node, "attribute", 5, attributes, attribute_count, &attribute_message),
    ONE(tern_onnx_node, "doc_string", 6, BYTES, doc),
    MESSAGES(tern_onnx_node, "metadata_props", 9, metadata, metadata_count, &entry_message),
};
static const tern_message node_message = MESSAGE(tern_onnx_node, "NodeProto", node_fields, NULL);

static const tern_message_field annotation_fields[] = {
    ONE(tern_onnx_annotation, "tensor_name", 1, BYTES, tensor_name),
    MESSAGES(tern_onnx_annotation, "quant_parameter_tensor_names", 2, parameters, parameter_count,
             &entry_message),
};
static const tern_message annotation_message =
    MESSAGE(tern_onnx_annotation, "TensorAnnotation", annotation_fields, NULL);

static const tern_message_field graph_fields[] = {
    MESSAGES(tern_onnx_graph, "node", 1, nodes, node_count, &node_message),
    ONE(tern_onnx_graph, "name", 2, BYTES, name),
    MESSAGES(tern_onnx_graph, "initializer", 5, initializers, initializer_count, &tensor_message),
    MESSAGES(tern_onnx_graph, "sparse_initializer", 15, sparse_initializers,
             sparse_initializer_count, &sparse_message),
    ONE(tern_onnx_graph, "doc_string", 10, BYTES, doc),
    MESSAGES(tern_onnx_graph, "input", 11, inputs, input_count, &value_info_message),
    MESSAGES(tern_onnx_graph, "output", 12, outputs, output_count, &value_info_message),
    MESSAGES(tern_onnx_graph, "value_info", 13, value_infos, value_info_count, &value_info_message),
    MESSAGES(tern_onnx_graph, "quantization_annotation", 14, annotations, annotation_count,
             &annotation_message),
    MESSAGES(tern_onnx_graph, "metadata_props", 16, metadata, metadata_count, &entry_message),
};
static const tern_message graph_message =
    MESSAGE(tern_onnx_graph, "GraphProto", graph_fields, NULL);

static const tern_message_field opset_fields[] = {
    ONE(tern_onnx_opset, "domain", 1, BYTES, domain),
    ONE(tern_onnx_opset, "version", 2, I64, version),
};
static const tern_message opset_message =
    MESSAGE(tern_onnx_opset, "OperatorSetIdProto", opset_fields, NULL);

static const tern_message_field function_fields[] = {
    ONE(tern_onnx_function, "name", 1, BYTES, name),
    MANY(tern_onnx_function, "input", 4, BYTES_LIST, inputs, input_count),
    MANY(tern_onnx_function, "output", 5, BYTES_LIST, outputs, output_count),
    MANY(tern_onnx_function, "attribute", 6, BYTES_LIST, attributes, attribute_count),
    MESSAGES(tern_onnx_function, "attribute_proto", 11, attribute_defaults, attribute_default_count,
             &attribute_message),
    MESSAGES(tern_onnx_function, "node", 7, nodes, node_count, &node_message),
    ONE(tern_onnx_function, "doc_string", 8, BYTES, doc),
    MESSAGES(tern_onnx_function, "opset_import", 9, opsets, opset_count, &opset_message),
    ONE(tern_onnx_function, "domain", 10, BYTES, domain),
    ONE(tern_onnx_function, "overload", 13, BYTES, overload),
    MESSAGES(tern_onnx_function, "value_info", 12, value_infos, value_info_count,
             &value_info_message),
    MESSAGES(tern_onnx_function, "metadata_props", 14, metadata, metadata_count, &entry_message),
};
static const tern_message function_message =
    MESSAGE(tern_onnx_function, "FunctionProto", function_fields, NULL);

static const tern_message_field model_fields[] = {
    ONE(tern_onnx_model, "ir_version", 1, I64, ir_version),
    ONE(tern_onnx_model, "producer_name", 2, BYTES, producer_name),
    ONE(tern_onnx_model, "producer_version", 3, BYTES, producer_version),
    ONE(tern_onnx_model, "domain", 4, BYTES, domain),
    ONE(tern_onnx_model, "model_version", 5, I64, model_version),
    ONE(tern_onnx_model, "doc_string", 6, BYTES, doc),
    {"graph", 7, TERN_FIELD_MESSAGE, offsetof(tern_onnx_model, graph),
     offsetof(tern_onnx_model, has_graph), &graph_message},
    MESSAGES(tern_onnx_model, "opset_import", 8, opsets, opset_count, &opset_message),
    MESSAGES(tern_onnx_model, "metadata_props", 14, metadata, metadata_count, &entry_message),
    MESSAGES(tern_onnx_model, "functions", 25, functions, function_count, &function_message),
};
static const tern_message model_message =
    MESSAGE(tern_onnx_model, "ModelProto", model_fields, NULL);

static tern_status *parse(const tern_message *message, tern_span bytes, tern_arena *arena,
                          void *object) {
  tern_message_reader reader = {.arena = arena, .largest_depth = TERN_ONNX_MAX_DEPTH};
  return tern_message_read(&reader, message, bytes, object);
}

tern_status *tern_onnx_parse_model(tern_span bytes, tern_arena *arena, tern_onnx_model *out_model) {
  tern_onnx_model model = {0};
  TERN_TRY(parse(&model_message, bytes, arena, &model));
  *out_model = model;
  return NULL;
}

tern_status *tern_onnx_parse_tensor(tern_span bytes, tern_arena *arena,
                                    tern_onnx_tensor *out_tensor) {
  tern_onnx_tensor tensor = {0};
  TERN_TRY(parse(&tensor_message, bytes, arena, &tensor));
  *out_tensor = tensor;
  return NULL;
}
