// Tensors as values: creation in the caller's memory or the library's, data, sizes and types.
#include "api/value.h"

#include <string.h>

#include "api/type_info.h"

tern_status *tern_api_shape_set(const int64_t *dims, size_t rank, tern_shape *out_shape) {
  if (rank > TERN_MAX_RANK)
    return TERN_ERROR(TERN_INVALID_ARGUMENT,
                      "the shape has %zu dimensions, at most %d are possible", rank, TERN_MAX_RANK);
  if (rank > 0 && !dims)
    return TERN_ERROR(TERN_INVALID_ARGUMENT, "the shape of %zu dimensions is NULL", rank);
  for (size_t i = 0; i < rank; ++i)
    if (dims[i] < 0)
      return TERN_ERROR(TERN_INVALID_ARGUMENT, "dimension %zu of the shape is %lld", i,
                        (long long)dims[i]);
  tern_shape_set(out_shape, (int32_t)rank, dims);
  return NULL;
}

tern_status *tern_api_dtype_read(ONNXTensorElementDataType type, tern_dtype *out_dtype) {
  *out_dtype = tern_api_dtype_from_ort(type);
  return *out_dtype == TERN_DTYPE_UNDEFINED
             ? TERN_ERROR(TERN_INVALID_ARGUMENT, "%d is no element type", (int)type)
             : NULL;
}

tern_status *tern_api_memory_check(const OrtMemoryInfo *info) {
  if (info->device.type == OrtMemoryInfoDeviceType_CPU ||
      info->device.memory_type == OrtDeviceMemoryType_HOST_ACCESSIBLE)
    return NULL;
  return TERN_ERROR(TERN_INVALID_ARGUMENT, "memory \"%s\" is not the CPU's, which reads the value",
                    info->name);
}

tern_status *tern_api_value_require_tensor(const OrtValue *value, const char *where) {
  if (tern_api_value_view(value)->kind == TERN_KIND_TENSOR) return NULL;
  char text[TERN_TYPE_TEXT_BYTES];
  tern_type type;
  tern_value_get_type(tern_api_value_view(value), &type);
  return TERN_ERROR(TERN_INVALID_ARGUMENT, "%s: the value is %s, not a tensor", where,
                    tern_type_format(&type, text, sizeof text));
}

// ---- Creation.

void tern_api_free_with_allocator(void *deleter_context, void *data) {
  OrtAllocator *allocator = deleter_context;
  allocator->Free(allocator, data);
}

static void drop_memory_info(void *deleter_context, void *data) {
  (void)data;
  ort_ReleaseMemoryInfo(deleter_context);
}

tern_status *tern_api_tensor_create(OrtAllocator *allocator, tern_dtype dtype,
                                    const tern_shape *shape, tern_value **out_value) {
  int64_t count;
  size_t bytes;
  if (dtype == TERN_STRING || allocator == tern_api_cpu_allocator() ||
      !tern_shape_count(shape, &count) || !tern_dtype_bytes(dtype, count, &bytes) || bytes == 0)
    return tern_value_create_tensor(tern_allocator_system(), dtype, shape, out_value);
  const OrtMemoryInfo *info = allocator->Info ? allocator->Info(allocator) : NULL;
  if (info) TERN_TRY(tern_api_memory_check(info));
  void *data = allocator->Alloc(allocator, bytes);
  if (!data) return tern_status_out_of_memory();
  tern_value *value;
  tern_status *status =
      tern_value_wrap_tensor(tern_allocator_system(), dtype, shape, data, bytes, &value);
  if (status) {
    allocator->Free(allocator, data);
    return status;
  }
  value->deleter = tern_api_free_with_allocator;
  value->deleter_context = allocator;
  *out_value = value;
  return NULL;
}

OrtStatus *ort_CreateTensorAsOrtValue(OrtAllocator *allocator, const int64_t *shape,
                                      size_t shape_len, ONNXTensorElementDataType type,
                                      OrtValue **out) {
  TERN_API_REQUIRE(allocator);
  TERN_API_REQUIRE(out);
  tern_shape dims;
  tern_dtype dtype;
  tern_value *value;
  TERN_API_TRY(tern_api_shape_set(shape, shape_len, &dims));
  TERN_API_TRY(tern_api_dtype_read(type, &dtype));
  TERN_API_TRY(tern_api_tensor_create(allocator, dtype, &dims, &value));
  *out = tern_api_value(value);
  return NULL;
}

// A tensor over the caller's `data`.
static tern_status *wrap(void *data, size_t data_bytes, const int64_t *shape, size_t shape_len,
                         ONNXTensorElementDataType type, tern_value **out_value) {
  tern_shape dims;
  tern_dtype dtype;
  TERN_TRY(tern_api_shape_set(shape, shape_len, &dims));
  TERN_TRY(tern_api_dtype_read(type, &dtype));
  if (dtype == TERN_STRING)
    return TERN_ERROR(TERN_INVALID_ARGUMENT,
                      "strings cannot lie in the caller's memory: create the "
                      "tensor with an allocator, then fill it");
  return tern_value_wrap_tensor(tern_allocator_system(), dtype, &dims, data, data_bytes, out_value);
}

OrtStatus *ort_CreateTensorWithDataAsOrtValue(const OrtMemoryInfo *info, void *p_data,
                                              size_t p_data_len, const int64_t *shape,
                                              size_t shape_len, ONNXTensorElementDataType type,
                                              OrtValue **out) {
  TERN_API_REQUIRE(info);
  TERN_API_REQUIRE(out);
  tern_value *value;
  OrtMemoryInfo *copy;
  TERN_API_TRY(tern_api_memory_check(info));
  TERN_API_TRY(wrap(p_data, p_data_len, shape, shape_len, type, &value));
  if (value->data && !tern_api_memory_info_equal(info, tern_api_cpu_memory_info())) {
    tern_status *status = tern_api_memory_info_copy(info, &copy);
    if (status) {
      tern_value_release(value);
      return tern_api_status(status);
    }
    value->deleter = drop_memory_info;
    value->deleter_context = copy;
  }
  *out = tern_api_value(value);
  return NULL;
}

OrtStatus *ort_CreateTensorWithDataAndDeleterAsOrtValue(OrtAllocator *deleter, void *p_data,
                                                        size_t p_data_len, const int64_t *shape,
                                                        size_t shape_len,
                                                        ONNXTensorElementDataType type,
                                                        OrtValue **out) {
  TERN_API_REQUIRE(deleter);
  TERN_API_REQUIRE(out);
  tern_value *value;
  TERN_API_TRY(wrap(p_data, p_data_len, shape, shape_len, type, &value));
  value->deleter = tern_api_free_with_allocator;
  value->deleter_context = deleter;
  *out = tern_api_value(value);
  return NULL;
}

void ort_ReleaseValue(OrtValue *input) {
  tern_value_release(tern_api_value_get(input));
}

// ---- Data.

static tern_status *get_data(const OrtValue *value, const char *where, void **out_data) {
  TERN_TRY(tern_api_value_require_tensor(value, where));
  const tern_value *tensor = tern_api_value_view(value);
  if (tensor->dtype == TERN_STRING)
    return TERN_ERROR(TERN_INVALID_ARGUMENT,
                      "%s: strings are read and written by the entries for string tensors", where);
  *out_data = tensor->data;
  return NULL;
}

OrtStatus *ort_GetTensorMutableData(OrtValue *value, void **out) {
  TERN_API_REQUIRE(value);
  TERN_API_REQUIRE(out);
  return tern_api_status(get_data(value, "GetTensorMutableData", out));
}

OrtStatus *ort_GetTensorData(const OrtValue *value, const void **out) {
  TERN_API_REQUIRE(value);
  TERN_API_REQUIRE(out);
  void *data = NULL;
  TERN_API_TRY(get_data(value, "GetTensorData", &data));
  *out = data;
  return NULL;
}

OrtStatus *ort_GetTensorSizeInBytes(const OrtValue *ort_value, size_t *size) {
  TERN_API_REQUIRE(ort_value);
  TERN_API_REQUIRE(size);
  void *data = NULL;
  TERN_API_TRY(get_data(ort_value, "GetTensorSizeInBytes", &data));
  const tern_value *tensor = tern_api_value_view(ort_value);
  if (!tern_dtype_bytes(tensor->dtype, tern_value_count(tensor), size))
    return tern_api_status(TERN_ERROR(TERN_FAIL, "the tensor's size overflows"));
  return NULL;
}

OrtStatus *ort_GetTensorMemoryInfo(const OrtValue *value, const OrtMemoryInfo **mem_info) {
  TERN_API_REQUIRE(value);
  TERN_API_REQUIRE(mem_info);
  TERN_API_TRY(tern_api_value_require_tensor(value, "GetTensorMemoryInfo"));
  const tern_value *tensor = tern_api_value_view(value);
  const OrtMemoryInfo *info = NULL;
  if (tensor->deleter == drop_memory_info) info = tensor->deleter_context;
  if (tensor->deleter == tern_api_free_with_allocator) {
    const OrtAllocator *allocator = tensor->deleter_context;
    info = allocator->Info ? allocator->Info(allocator) : NULL;
  }
  *mem_info = info ? info : tern_api_cpu_memory_info();
  return NULL;
}

OrtStatus *ort_TensorAt(OrtValue *value, const int64_t *location_values,
                        size_t location_values_count, void **out) {
  TERN_API_REQUIRE(value);
  TERN_API_REQUIRE(out);
  void *data = NULL;
  TERN_API_TRY(get_data(value, "TensorAt", &data));
  const tern_value *tensor = tern_api_value_view(value);
  if (tern_dtype_is_sub_byte(tensor->dtype))
    return tern_api_status(TERN_ERROR(TERN_INVALID_ARGUMENT,
                                      "elements of type %s are packed and have no address",
                                      tern_dtype_name(tensor->dtype)));
  if (location_values_count != (size_t)tensor->shape.rank)
    return tern_api_status(TERN_ERROR(TERN_INVALID_ARGUMENT,
                                      "%zu indices for a tensor of %d dimensions",
                                      location_values_count, (int)tensor->shape.rank));
  if (location_values_count > 0) TERN_API_REQUIRE(location_values);
  size_t at = 0;
  for (size_t i = 0; i < location_values_count; ++i) {
    if (location_values[i] < 0 || location_values[i] >= tensor->shape.dims[i])
      return tern_api_status(
          TERN_ERROR(TERN_INVALID_ARGUMENT, "index %lld of dimension %zu, which has size %lld",
                     (long long)location_values[i], i, (long long)tensor->shape.dims[i]));
    at = at * (size_t)tensor->shape.dims[i] + (size_t)location_values[i];
  }
  *out = (char *)data + at * tern_dtype_size(tensor->dtype);
  return NULL;
}

// ---- Kinds and types.

// An empty optional answers for what it could hold.
static void get_shown_type(const OrtValue *value, tern_type *out_type) {
  tern_value_get_type(tern_api_value_view(value), out_type);
  while (out_type->kind == TERN_KIND_OPTIONAL && out_type->element) {
    const tern_type *element = out_type->element;
    *out_type = *element;
  }
}

OrtStatus *ort_IsTensor(const OrtValue *value, int *out) {
  TERN_API_REQUIRE(value);
  TERN_API_REQUIRE(out);
  tern_type type;
  get_shown_type(value, &type);
  *out = type.kind == TERN_KIND_TENSOR;
  return NULL;
}

OrtStatus *ort_IsSparseTensor(const OrtValue *value, int *out) {
  TERN_API_REQUIRE(value);
  TERN_API_REQUIRE(out);
  *out = tern_api_value_view(value)->kind == TERN_KIND_SPARSE_TENSOR;
  return NULL;
}

OrtStatus *ort_HasValue(const OrtValue *value, int *out) {
  TERN_API_REQUIRE(value);
  TERN_API_REQUIRE(out);
  const tern_value *held = tern_api_value_view(value);
  *out = held->kind != TERN_KIND_NONE && (held->kind != TERN_KIND_OPTIONAL || held->item_count > 0);
  return NULL;
}

OrtStatus *ort_GetValueType(const OrtValue *value, enum ONNXType *out) {
  TERN_API_REQUIRE(value);
  TERN_API_REQUIRE(out);
  tern_type type;
  get_shown_type(value, &type);
  *out = tern_api_kind_to_ort(type.kind);
  return NULL;
}

OrtStatus *ort_GetTypeInfo(const OrtValue *value, OrtTypeInfo **out) {
  TERN_API_REQUIRE(value);
  TERN_API_REQUIRE(out);
  int has_value;
  OrtStatus *status = ort_HasValue(value, &has_value);
  if (status) return status;
  if (!has_value) {
    *out = NULL;
    return NULL;
  }
  tern_type type;
  get_shown_type(value, &type);
  return tern_api_status(tern_api_type_info_create(&type, NULL, NULL, out));
}

OrtStatus *ort_GetTensorTypeAndShape(const OrtValue *value, OrtTensorTypeAndShapeInfo **out) {
  TERN_API_REQUIRE(value);
  TERN_API_REQUIRE(out);
  const tern_value *tensor = tern_api_value_view(value);
  if (tensor->kind != TERN_KIND_SPARSE_TENSOR)
    TERN_API_TRY(tern_api_value_require_tensor(value, "GetTensorTypeAndShape"));
  return tern_api_status(
      tern_api_tensor_info_create(tensor->dtype, &tensor->shape, NULL, NULL, out));
}

OrtStatus *ort_GetTensorElementTypeAndShapeDataReference(const OrtValue *value,
                                                         ONNXTensorElementDataType *elem_type,
                                                         const int64_t **shape_data,
                                                         size_t *shape_data_count) {
  TERN_API_REQUIRE(value);
  TERN_API_REQUIRE(elem_type);
  TERN_API_REQUIRE(shape_data);
  TERN_API_REQUIRE(shape_data_count);
  const tern_value *tensor = tern_api_value_view(value);
  if (tensor->kind != TERN_KIND_SPARSE_TENSOR)
    TERN_API_TRY(tern_api_value_require_tensor(value, "GetTensorElementTypeAndShapeDataReference"));
  *elem_type = tern_api_dtype_to_ort(tensor->dtype);
  *shape_data = tensor->shape.rank > 0 ? tensor->shape.dims : NULL;
  *shape_data_count = (size_t)tensor->shape.rank;
  return NULL;
}
