// Types and shapes as callers read them. An info owns all it holds, symbolic names too, and so
// outlives what it was made from.
#ifndef TERN_API_TYPE_INFO_H_
#define TERN_API_TYPE_INFO_H_

#include "api/api.h"
#include "base/value.h"

struct OrtTensorTypeAndShapeInfo {
  ONNXTensorElementDataType element_type;
  bool has_shape; // false: not even the rank is known
  size_t rank;
  int64_t *dims; // -1: not known
  char **names;  // one a dimension; NULL: none
};

// A map, sequence or optional is described by the type info that it was cast from.
struct OrtTypeInfo {
  ONNXType kind;
  OrtTensorTypeAndShapeInfo tensor;   // tensors and sparse tensors
  ONNXTensorElementDataType key_type; // maps
  OrtTypeInfo *element;               // sequences, optionals and map values
  char *denotation;                   // never NULL
};

// ORT numbers the types after FLOAT4E2M1 differently from ONNX. 0 (undefined) where the other side
// has no such type.
ONNXTensorElementDataType tern_api_dtype_to_ort(tern_dtype dtype);
tern_dtype tern_api_dtype_from_ort(ONNXTensorElementDataType type);
ONNXType tern_api_kind_to_ort(tern_kind kind);

// The text of a symbol (a negative dimension); NULL where it has none. Borrowed.
typedef const char *(*tern_api_symbol_name)(const void *context, tern_dim symbol);

// `symbol_name` may be NULL. Released with ReleaseTypeInfo and ReleaseTensorTypeAndShapeInfo.
TERN_MUST_USE tern_status *tern_api_type_info_create(const tern_type *type,
                                                     tern_api_symbol_name symbol_name,
                                                     const void *context, OrtTypeInfo **out_info);
TERN_MUST_USE tern_status *tern_api_tensor_info_create(tern_dtype dtype, const tern_shape *shape,
                                                       tern_api_symbol_name symbol_name,
                                                       const void *context,
                                                       OrtTensorTypeAndShapeInfo **out_info);
TERN_MUST_USE tern_status *tern_api_type_info_clone(const OrtTypeInfo *info,
                                                    OrtTypeInfo **out_info);

#endif
