// OrtTensorTypeAndShapeInfo: an element type, and a shape with names for its free dimensions.
#include "api/tensor_info.h"

#include <string.h>

#include "base/checked.h"

// Types 24 to 26, in ORT's order.
static const tern_dtype late_types[] = {TERN_UINT2, TERN_INT2, TERN_FLOAT8E8M0};
enum { FIRST_LATE_TYPE = ONNX_TENSOR_ELEMENT_DATA_TYPE_UINT2 };

ONNXTensorElementDataType tern_api_dtype_to_ort(tern_dtype dtype) {
  if (dtype <= TERN_FLOAT4E2M1) return (ONNXTensorElementDataType)dtype;
  for (size_t i = 0; i < TERN_COUNT_OF(late_types); ++i)
    if (late_types[i] == dtype) return (ONNXTensorElementDataType)(FIRST_LATE_TYPE + i);
  return ONNX_TENSOR_ELEMENT_DATA_TYPE_UNDEFINED;
}

tern_dtype tern_api_dtype_from_ort(ONNXTensorElementDataType type) {
  int64_t number = (int64_t)type;
  if (number < 0) return TERN_DTYPE_UNDEFINED;
  if (number < FIRST_LATE_TYPE) return (tern_dtype)number;
  size_t late = (size_t)(number - FIRST_LATE_TYPE);
  return late < TERN_COUNT_OF(late_types) ? late_types[late] : TERN_DTYPE_UNDEFINED;
}

void tern_api_tensor_info_deinit(OrtTensorTypeAndShapeInfo *info) {
  for (size_t i = 0; i < info->rank && info->names; ++i) tern_api_text_free(info->names[i]);
  tern_allocator_free(tern_allocator_system(), info->dims, info->rank * sizeof *info->dims);
  tern_allocator_free(tern_allocator_system(), info->names, info->rank * sizeof *info->names);
  *info = (OrtTensorTypeAndShapeInfo){.element_type = info->element_type};
}

// Gives `info` a shape of `rank` dimensions, without names.
static tern_status *set_dims(OrtTensorTypeAndShapeInfo *info, const int64_t *dims, size_t rank) {
  OrtTensorTypeAndShapeInfo shaped = {.element_type = info->element_type, .has_shape = true};
  if (rank) {
    TERN_TRY(tern_allocator_calloc(tern_allocator_system(), rank, sizeof *shaped.dims,
                                   (void **)&shaped.dims));
    tern_status *status = tern_allocator_calloc(tern_allocator_system(), rank, sizeof *shaped.names,
                                                (void **)&shaped.names);
    if (status) {
      tern_allocator_free(tern_allocator_system(), shaped.dims, rank * sizeof *shaped.dims);
      return status;
    }
    for (size_t i = 0; i < rank; ++i) shaped.dims[i] = dims[i] < 0 ? -1 : dims[i];
    shaped.rank = rank;
  }
  tern_api_tensor_info_deinit(info);
  *info = shaped;
  return NULL;
}

tern_status *tern_api_tensor_info_init(tern_dtype dtype, const tern_shape *shape,
                                       tern_api_symbol_name symbol_name, const void *context,
                                       OrtTensorTypeAndShapeInfo *out_info) {
  OrtTensorTypeAndShapeInfo info = {.element_type = tern_api_dtype_to_ort(dtype)};
  if (shape->rank >= 0) TERN_TRY(set_dims(&info, shape->dims, (size_t)shape->rank));
  for (size_t i = 0; i < info.rank && symbol_name; ++i) {
    if (shape->dims[i] > TERN_DIM_FIRST_SYMBOL) continue;
    tern_status *status = tern_api_text_set(&info.names[i], symbol_name(context, shape->dims[i]));
    if (status) {
      tern_api_tensor_info_deinit(&info);
      return status;
    }
  }
  *out_info = info;
  return NULL;
}

tern_status *tern_api_tensor_info_copy(const OrtTensorTypeAndShapeInfo *info,
                                       OrtTensorTypeAndShapeInfo *out_copy) {
  OrtTensorTypeAndShapeInfo copy = {.element_type = info->element_type};
  if (info->has_shape) TERN_TRY(set_dims(&copy, info->dims, info->rank));
  for (size_t i = 0; i < copy.rank; ++i) {
    tern_status *status = tern_api_text_set(&copy.names[i], info->names[i]);
    if (status) {
      tern_api_tensor_info_deinit(&copy);
      return status;
    }
  }
  *out_copy = copy;
  return NULL;
}

tern_status *tern_api_tensor_info_create(tern_dtype dtype, const tern_shape *shape,
                                         tern_api_symbol_name symbol_name, const void *context,
                                         OrtTensorTypeAndShapeInfo **out_info) {
  OrtTensorTypeAndShapeInfo *info;
  TERN_TRY(TERN_NEW(tern_allocator_system(), &info));
  tern_status *status = tern_api_tensor_info_init(dtype, shape, symbol_name, context, info);
  if (status) {
    TERN_DELETE(tern_allocator_system(), info);
    return status;
  }
  *out_info = info;
  return NULL;
}

OrtStatus *ort_CreateTensorTypeAndShapeInfo(OrtTensorTypeAndShapeInfo **out) {
  TERN_API_REQUIRE(out);
  OrtTensorTypeAndShapeInfo *info;
  TERN_API_TRY(TERN_NEW(tern_allocator_system(), &info));
  info->has_shape = true;
  *out = info;
  return NULL;
}

void ort_ReleaseTensorTypeAndShapeInfo(OrtTensorTypeAndShapeInfo *input) {
  if (!input) return;
  tern_api_tensor_info_deinit(input);
  TERN_DELETE(tern_allocator_system(), input);
}

OrtStatus *ort_SetTensorElementType(OrtTensorTypeAndShapeInfo *info,
                                    ONNXTensorElementDataType type) {
  TERN_API_REQUIRE(info);
  info->element_type = type;
  return NULL;
}

OrtStatus *ort_SetDimensions(OrtTensorTypeAndShapeInfo *info, const int64_t *dim_values,
                             size_t dim_count) {
  TERN_API_REQUIRE(info);
  if (dim_count) TERN_API_REQUIRE(dim_values);
  for (size_t i = 0; i < dim_count; ++i)
    if (dim_values[i] < -1)
      return tern_api_status(
          TERN_ERROR(TERN_INVALID_ARGUMENT, "dimension %zu is %lld", i, (long long)dim_values[i]));
  return tern_api_status(set_dims(info, dim_values, dim_count));
}

OrtStatus *ort_SetSymbolicDimensions(OrtTensorTypeAndShapeInfo *info, const char *dim_params[],
                                     size_t dim_params_length) {
  TERN_API_REQUIRE(info);
  TERN_API_REQUIRE(dim_params);
  if (dim_params_length != info->rank)
    return tern_api_status(TERN_ERROR(TERN_INVALID_ARGUMENT, "%zu names for %zu dimensions",
                                      dim_params_length, info->rank));
  for (size_t i = 0; i < info->rank; ++i) {
    const char *name = dim_params[i] && *dim_params[i] ? dim_params[i] : NULL;
    TERN_API_TRY(tern_api_text_set(&info->names[i], name));
  }
  return NULL;
}

OrtStatus *ort_GetTensorElementType(const OrtTensorTypeAndShapeInfo *info,
                                    ONNXTensorElementDataType *out) {
  TERN_API_REQUIRE(info);
  TERN_API_REQUIRE(out);
  *out = info->element_type;
  return NULL;
}

OrtStatus *ort_GetDimensionsCount(const OrtTensorTypeAndShapeInfo *info, size_t *out) {
  TERN_API_REQUIRE(info);
  TERN_API_REQUIRE(out);
  *out = info->rank;
  return NULL;
}

OrtStatus *ort_GetDimensions(const OrtTensorTypeAndShapeInfo *info, int64_t *dim_values,
                             size_t dim_values_length) {
  TERN_API_REQUIRE(info);
  if (dim_values_length) TERN_API_REQUIRE(dim_values);
  size_t count = dim_values_length < info->rank ? dim_values_length : info->rank;
  if (count) memcpy(dim_values, info->dims, count * sizeof *dim_values);
  return NULL;
}

OrtStatus *ort_GetSymbolicDimensions(const OrtTensorTypeAndShapeInfo *info,
                                     const char *dim_params[], size_t dim_params_length) {
  TERN_API_REQUIRE(info);
  if (dim_params_length) TERN_API_REQUIRE(dim_params);
  for (size_t i = 0; i < dim_params_length && i < info->rank; ++i)
    dim_params[i] = info->names[i] ? info->names[i] : "";
  return NULL;
}

OrtStatus *ort_GetTensorShapeElementCount(const OrtTensorTypeAndShapeInfo *info, size_t *out) {
  TERN_API_REQUIRE(info);
  TERN_API_REQUIRE(out);
  size_t count = 1;
  for (size_t i = 0; i < info->rank; ++i)
    if (info->dims[i] < 0 || !tern_checked_mul(count, (size_t)info->dims[i], &count))
      return tern_api_status(TERN_ERROR(TERN_INVALID_ARGUMENT,
                                        "dimension %zu is not known, or the count overflows", i));
  *out = count;
  return NULL;
}

bool ort_TensorTypeAndShape_HasShape(const OrtTensorTypeAndShapeInfo *info) {
  return info && info->has_shape;
}
