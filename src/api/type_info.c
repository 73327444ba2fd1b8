// OrtTypeInfo: a tree of tensors, sequences, maps and optionals.
#include "api/type_info.h"

#include <string.h>

#include "api/tensor_info.h"

ONNXType tern_api_kind_to_ort(tern_kind kind) {
  static const ONNXType kinds[] = {
      [TERN_KIND_NONE] = ONNX_TYPE_UNKNOWN,
      [TERN_KIND_TENSOR] = ONNX_TYPE_TENSOR,
      [TERN_KIND_SPARSE_TENSOR] = ONNX_TYPE_SPARSETENSOR,
      [TERN_KIND_SEQUENCE] = ONNX_TYPE_SEQUENCE,
      [TERN_KIND_MAP] = ONNX_TYPE_MAP,
      [TERN_KIND_OPTIONAL] = ONNX_TYPE_OPTIONAL,
  };
  return kinds[kind];
}

static tern_status *fill(const tern_type *type, tern_api_symbol_name symbol_name,
                         const void *context, OrtTypeInfo *info) {
  info->kind = tern_api_kind_to_ort(type->kind);
  TERN_TRY(tern_api_text_copy(type->denotation ? type->denotation : "", &info->denotation));
  if (type->kind == TERN_KIND_TENSOR || type->kind == TERN_KIND_SPARSE_TENSOR)
    return tern_api_tensor_info_init(type->dtype, &type->shape, symbol_name, context,
                                     &info->tensor);
  if (type->kind == TERN_KIND_MAP) info->key_type = tern_api_dtype_to_ort(type->dtype);
  if (!type->element) return NULL;
  return tern_api_type_info_create(type->element, symbol_name, context, &info->element);
}

tern_status *tern_api_type_info_create(const tern_type *type, tern_api_symbol_name symbol_name,
                                       const void *context, OrtTypeInfo **out_info) {
  OrtTypeInfo *info;
  TERN_TRY(TERN_NEW(tern_allocator_system(), &info));
  tern_status *status = fill(type, symbol_name, context, info);
  if (status) {
    ort_ReleaseTypeInfo(info);
    return status;
  }
  *out_info = info;
  return NULL;
}

static tern_status *copy_into(const OrtTypeInfo *info, OrtTypeInfo *copy) {
  copy->kind = info->kind;
  copy->key_type = info->key_type;
  TERN_TRY(tern_api_text_copy(info->denotation, &copy->denotation));
  TERN_TRY(tern_api_tensor_info_copy(&info->tensor, &copy->tensor));
  return info->element ? tern_api_type_info_clone(info->element, &copy->element) : NULL;
}

tern_status *tern_api_type_info_clone(const OrtTypeInfo *info, OrtTypeInfo **out_info) {
  OrtTypeInfo *copy;
  TERN_TRY(TERN_NEW(tern_allocator_system(), &copy));
  tern_status *status = copy_into(info, copy);
  if (status) {
    ort_ReleaseTypeInfo(copy);
    return status;
  }
  *out_info = copy;
  return NULL;
}

void ort_ReleaseTypeInfo(OrtTypeInfo *input) {
  while (input) {
    OrtTypeInfo *element = input->element;
    tern_api_tensor_info_deinit(&input->tensor);
    tern_api_text_free(input->denotation);
    TERN_DELETE(tern_allocator_system(), input);
    input = element;
  }
}

OrtStatus *ort_GetOnnxTypeFromTypeInfo(const OrtTypeInfo *type_info, ONNXType *out) {
  TERN_API_REQUIRE(type_info);
  TERN_API_REQUIRE(out);
  *out = type_info->kind;
  return NULL;
}

OrtStatus *ort_GetDenotationFromTypeInfo(const OrtTypeInfo *type_info,
                                         const char **const denotation, size_t *len) {
  TERN_API_REQUIRE(type_info);
  TERN_API_REQUIRE(denotation);
  TERN_API_REQUIRE(len);
  *denotation = type_info->denotation;
  *len = strlen(type_info->denotation);
  return NULL;
}

OrtStatus *ort_CastTypeInfoToTensorInfo(const OrtTypeInfo *type_info,
                                        const OrtTensorTypeAndShapeInfo **out) {
  TERN_API_REQUIRE(type_info);
  TERN_API_REQUIRE(out);
  bool is_tensor = type_info->kind == ONNX_TYPE_TENSOR || type_info->kind == ONNX_TYPE_SPARSETENSOR;
  *out = is_tensor ? &type_info->tensor : NULL;
  return NULL;
}

// The handles of the other kinds are the type info itself under another name.
OrtStatus *ort_CastTypeInfoToMapTypeInfo(const OrtTypeInfo *type_info, const OrtMapTypeInfo **out) {
  TERN_API_REQUIRE(type_info);
  TERN_API_REQUIRE(out);
  *out = type_info->kind == ONNX_TYPE_MAP ? (const OrtMapTypeInfo *)type_info : NULL;
  return NULL;
}

OrtStatus *ort_CastTypeInfoToSequenceTypeInfo(const OrtTypeInfo *type_info,
                                              const OrtSequenceTypeInfo **out) {
  TERN_API_REQUIRE(type_info);
  TERN_API_REQUIRE(out);
  *out = type_info->kind == ONNX_TYPE_SEQUENCE ? (const OrtSequenceTypeInfo *)type_info : NULL;
  return NULL;
}

OrtStatus *ort_CastTypeInfoToOptionalTypeInfo(const OrtTypeInfo *type_info,
                                              const OrtOptionalTypeInfo **out) {
  TERN_API_REQUIRE(type_info);
  TERN_API_REQUIRE(out);
  *out = type_info->kind == ONNX_TYPE_OPTIONAL ? (const OrtOptionalTypeInfo *)type_info : NULL;
  return NULL;
}

static OrtStatus *clone_element(const OrtTypeInfo *info, OrtTypeInfo **out) {
  if (!info->element)
    return tern_api_status(TERN_ERROR(TERN_FAIL, "the contained type is not known"));
  return tern_api_status(tern_api_type_info_clone(info->element, out));
}

OrtStatus *ort_GetMapKeyType(const OrtMapTypeInfo *map_type_info, ONNXTensorElementDataType *out) {
  TERN_API_REQUIRE(map_type_info);
  TERN_API_REQUIRE(out);
  *out = ((const OrtTypeInfo *)map_type_info)->key_type;
  return NULL;
}

OrtStatus *ort_GetMapValueType(const OrtMapTypeInfo *map_type_info, OrtTypeInfo **type_info) {
  TERN_API_REQUIRE(map_type_info);
  TERN_API_REQUIRE(type_info);
  return clone_element((const OrtTypeInfo *)map_type_info, type_info);
}

OrtStatus *ort_GetSequenceElementType(const OrtSequenceTypeInfo *sequence_type_info,
                                      OrtTypeInfo **type_info) {
  TERN_API_REQUIRE(sequence_type_info);
  TERN_API_REQUIRE(type_info);
  return clone_element((const OrtTypeInfo *)sequence_type_info, type_info);
}

OrtStatus *ort_GetOptionalContainedTypeInfo(const OrtOptionalTypeInfo *optional_type_info,
                                            OrtTypeInfo **out) {
  TERN_API_REQUIRE(optional_type_info);
  TERN_API_REQUIRE(out);
  return clone_element((const OrtTypeInfo *)optional_type_info, out);
}

// Borrowed from the type info they were cast from.
void ort_ReleaseMapTypeInfo(OrtMapTypeInfo *input) {
  (void)input;
}

void ort_ReleaseSequenceTypeInfo(OrtSequenceTypeInfo *input) {
  (void)input;
}

// ---- Types that callers build.

static OrtStatus *create_tensor(ONNXType kind, const OrtTensorTypeAndShapeInfo *tensor,
                                OrtTypeInfo **out) {
  const tern_type none = {.shape = {.rank = TERN_RANK_UNKNOWN}};
  OrtTypeInfo *info;
  TERN_API_TRY(tern_api_type_info_create(&none, NULL, NULL, &info));
  info->kind = kind;
  tern_status *status = tern_api_tensor_info_copy(tensor, &info->tensor);
  if (status) {
    ort_ReleaseTypeInfo(info);
    return tern_api_status(status);
  }
  *out = info;
  return NULL;
}

static OrtStatus *create_container(ONNXType kind, ONNXTensorElementDataType key_type,
                                   const OrtTypeInfo *element, OrtTypeInfo **out) {
  const tern_type none = {.shape = {.rank = TERN_RANK_UNKNOWN}};
  OrtTypeInfo *info;
  TERN_API_TRY(tern_api_type_info_create(&none, NULL, NULL, &info));
  info->kind = kind;
  info->key_type = key_type;
  tern_status *status = tern_api_type_info_clone(element, &info->element);
  if (status) {
    ort_ReleaseTypeInfo(info);
    return tern_api_status(status);
  }
  *out = info;
  return NULL;
}

OrtStatus *ort_model_editor_CreateTensorTypeInfo(const OrtTensorTypeAndShapeInfo *tensor_info,
                                                 OrtTypeInfo **type_info) {
  TERN_API_REQUIRE(tensor_info);
  TERN_API_REQUIRE(type_info);
  return create_tensor(ONNX_TYPE_TENSOR, tensor_info, type_info);
}

OrtStatus *ort_model_editor_CreateSparseTensorTypeInfo(const OrtTensorTypeAndShapeInfo *tensor_info,
                                                       OrtTypeInfo **type_info) {
  TERN_API_REQUIRE(tensor_info);
  TERN_API_REQUIRE(type_info);
  return create_tensor(ONNX_TYPE_SPARSETENSOR, tensor_info, type_info);
}

OrtStatus *ort_model_editor_CreateMapTypeInfo(ONNXTensorElementDataType map_key_type,
                                              const OrtTypeInfo *map_value_type,
                                              OrtTypeInfo **type_info) {
  TERN_API_REQUIRE(map_value_type);
  TERN_API_REQUIRE(type_info);
  return create_container(ONNX_TYPE_MAP, map_key_type, map_value_type, type_info);
}

OrtStatus *ort_model_editor_CreateSequenceTypeInfo(const OrtTypeInfo *sequence_type,
                                                   OrtTypeInfo **type_info) {
  TERN_API_REQUIRE(sequence_type);
  TERN_API_REQUIRE(type_info);
  return create_container(ONNX_TYPE_SEQUENCE, ONNX_TENSOR_ELEMENT_DATA_TYPE_UNDEFINED,
                          sequence_type, type_info);
}

OrtStatus *ort_model_editor_CreateOptionalTypeInfo(const OrtTypeInfo *contained_type,
                                                   OrtTypeInfo **type_info) {
  TERN_API_REQUIRE(contained_type);
  TERN_API_REQUIRE(type_info);
  return create_container(ONNX_TYPE_OPTIONAL, ONNX_TENSOR_ELEMENT_DATA_TYPE_UNDEFINED,
                          contained_type, type_info);
}
