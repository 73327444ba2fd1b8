// Sparse tensors: values, and where in the dense shape they stand. A COO index is a position in the
// flat tensor, or a row and a column; CSR has a column for each value and, for each row, where its
// values begin; block-sparse has the row and column of each block of values. Indices are checked
// when they are given, so that whoever reads them need not.
#include "api/value.h"

#include <string.h>

#include "api/type_info.h"

static tern_status *create(const int64_t *dense_shape, size_t dense_shape_len,
                           ONNXTensorElementDataType type, tern_value **out_value) {
  tern_shape shape;
  tern_dtype dtype;
  TERN_TRY(tern_api_shape_set(dense_shape, dense_shape_len, &shape));
  TERN_TRY(tern_api_dtype_read(type, &dtype));
  if (tern_dtype_is_sub_byte(dtype))
    return TERN_ERROR(TERN_INVALID_ARGUMENT, "the values of a sparse tensor cannot be %s",
                      tern_dtype_name(dtype));
  return tern_value_create_sparse(tern_allocator_system(), dtype, &shape, out_value);
}

static tern_status *require_sparse(const OrtValue *value, const char *where) {
  return tern_api_value_view(value)->kind == TERN_KIND_SPARSE_TENSOR
             ? NULL
             : TERN_ERROR(TERN_INVALID_ARGUMENT, "%s: the value is not a sparse tensor", where);
}

// A sparse tensor that has no format yet.
static tern_status *require_unset(const OrtValue *value, const char *where) {
  TERN_TRY(require_sparse(value, where));
  return tern_api_value_view(value)->sparse_format == ORT_SPARSE_UNDEFINED
             ? NULL
             : TERN_ERROR(TERN_INVALID_ARGUMENT, "%s: the sparse tensor has its indices", where);
}

// ---- Checks. `count` is the number of values.

static tern_status *check_coo(const tern_value *value, size_t count, const int64_t *indices,
                              size_t indices_count) {
  int64_t flat;
  bool is_pairs = indices_count == 2 * count && value->shape.rank == 2;
  if (indices_count != count && !is_pairs)
    return TERN_ERROR(TERN_INVALID_ARGUMENT, "%zu COO indices for %zu values", indices_count,
                      count);
  if (!tern_shape_count(&value->shape, &flat))
    return TERN_ERROR(TERN_INVALID_ARGUMENT, "the dense shape overflows");
  for (size_t i = 0; i < indices_count; ++i) {
    int64_t limit = is_pairs && count > 0 ? value->shape.dims[i % 2] : flat;
    if (indices[i] < 0 || indices[i] >= limit)
      return TERN_ERROR(TERN_INVALID_ARGUMENT, "COO index %zu is %lld, and must be below %lld", i,
                        (long long)indices[i], (long long)limit);
  }
  return NULL;
}

static tern_status *check_csr(const tern_value *value, size_t count, const int64_t *inner,
                              size_t inner_count, const int64_t *outer, size_t outer_count) {
  if (value->shape.rank != 2)
    return TERN_ERROR(TERN_INVALID_ARGUMENT, "a CSR tensor has 2 dimensions, not %d",
                      (int)value->shape.rank);
  bool is_empty = count == 0 && outer_count == 0;
  if (inner_count != count || (!is_empty && outer_count != (size_t)value->shape.dims[0] + 1))
    return TERN_ERROR(TERN_INVALID_ARGUMENT,
                      "%zu inner and %zu outer CSR indices for %zu values in %lld rows",
                      inner_count, outer_count, count, (long long)value->shape.dims[0]);
  for (size_t i = 0; i < inner_count; ++i)
    if (inner[i] < 0 || inner[i] >= value->shape.dims[1])
      return TERN_ERROR(TERN_INVALID_ARGUMENT, "inner CSR index %zu is %lld", i,
                        (long long)inner[i]);
  for (size_t i = 0; i < outer_count; ++i) {
    int64_t least = i == 0 ? 0 : outer[i - 1];
    bool is_end = i + 1 == outer_count;
    if (outer[i] < least || outer[i] > (int64_t)count || (is_end && outer[i] != (int64_t)count))
      return TERN_ERROR(TERN_INVALID_ARGUMENT, "outer CSR index %zu is %lld", i,
                        (long long)outer[i]);
  }
  return NULL;
}

static tern_status *check_blocks(const tern_value *value, const tern_shape *values,
                                 const tern_shape *indices, const int32_t *data) {
  if (value->shape.rank != 2 || values->rank != 3 || indices->rank != 2 || indices->dims[0] != 2 ||
      indices->dims[1] != values->dims[0])
    return TERN_ERROR(
        TERN_INVALID_ARGUMENT,
        "a block-sparse tensor has 2 dimensions, values of shape [n,height,width] and "
        "indices of shape [2,n]");
  for (int64_t i = 0; i < 2 * values->dims[0]; ++i) {
    int64_t axis = i / values->dims[0], block = values->dims[1 + axis];
    if (data[i] < 0 || (block > 0 && data[i] >= value->shape.dims[axis] / block))
      return TERN_ERROR(TERN_INVALID_ARGUMENT, "block index %lld is %d", (long long)i,
                        (int)data[i]);
  }
  return NULL;
}

// ---- Contents.

static void set_values_shape(tern_value *value, const tern_shape *shape) {
  value->element_type = tern_type_tensor(value->dtype);
  value->element_type.shape = *shape;
}

// Appends an index tensor: a copy of `data`, or `data` itself, which outlives the value.
static tern_status *add_indices(tern_value *value, tern_dtype dtype, const tern_shape *shape,
                                const void *data, bool copy) {
  tern_value borrowed, *indices;
  int64_t count = 1;
  size_t bytes = 0;
  if (!tern_shape_count(shape, &count) || !tern_dtype_bytes(dtype, count, &bytes))
    return TERN_ERROR(TERN_INVALID_ARGUMENT, "the indices overflow");
  void *unread = (void *)(uintptr_t)data;
  tern_value_init_tensor(&borrowed, dtype, shape, unread, bytes);
  if (copy)
    TERN_TRY(tern_value_clone(value->allocator, &borrowed, &indices));
  else
    TERN_TRY(tern_value_wrap_tensor(value->allocator, dtype, shape, unread, bytes, &indices));
  tern_status *status = tern_value_append(value, indices);
  tern_value_release(indices);
  return status;
}

static tern_shape vector(size_t count) {
  return (tern_shape){.rank = 1, .dims = {(int64_t)count}};
}

static tern_status *set_coo(tern_value *value, size_t count, const int64_t *indices,
                            size_t indices_count, bool copy) {
  tern_shape shape = vector(indices_count);
  TERN_TRY(check_coo(value, count, indices, indices_count));
  if (indices_count != count) shape = (tern_shape){.rank = 2, .dims = {(int64_t)count, 2}};
  TERN_TRY(add_indices(value, TERN_INT64, &shape, indices, copy));
  value->sparse_format = ORT_SPARSE_COO;
  return NULL;
}

static tern_status *set_csr(tern_value *value, size_t count, const int64_t *inner,
                            size_t inner_count, const int64_t *outer, size_t outer_count,
                            bool copy) {
  const tern_shape inner_shape = vector(inner_count), outer_shape = vector(outer_count);
  TERN_TRY(check_csr(value, count, inner, inner_count, outer, outer_count));
  TERN_TRY(add_indices(value, TERN_INT64, &inner_shape, inner, copy));
  tern_status *status = add_indices(value, TERN_INT64, &outer_shape, outer, copy);
  if (status) {
    tern_value_release(value->items[--value->item_count]);
    return status;
  }
  value->sparse_format = ORT_SPARSE_CSRC;
  return NULL;
}

static tern_status *set_blocks(tern_value *value, const tern_shape *values,
                               const int64_t *indices_shape, size_t indices_shape_len,
                               const int32_t *indices, bool copy) {
  tern_shape shape;
  TERN_TRY(tern_api_shape_set(indices_shape, indices_shape_len, &shape));
  TERN_TRY(check_blocks(value, values, &shape, indices));
  TERN_TRY(add_indices(value, TERN_INT32, &shape, indices, copy));
  value->sparse_format = ORT_SPARSE_BLOCK_SPARSE;
  return NULL;
}

// ---- Creation with memory of the value's own; filled in one call.

OrtStatus *ort_CreateSparseTensorAsOrtValue(OrtAllocator *allocator, const int64_t *dense_shape,
                                            size_t dense_shape_len, ONNXTensorElementDataType type,
                                            OrtValue **out) {
  TERN_API_REQUIRE(allocator);
  TERN_API_REQUIRE(out);
  tern_value *value;
  TERN_API_TRY(create(dense_shape, dense_shape_len, type, &value));
  if (value->dtype != TERN_STRING) {
    value->deleter = tern_api_free_with_allocator;
    value->deleter_context = allocator;
  }
  *out = tern_api_value(value);
  return NULL;
}

// The values as the caller gives them: strings as NUL-terminated texts.
static tern_status *copy_values(tern_value *value, size_t count, const void *values) {
  if (count == 0) return NULL;
  if (!values) return TERN_ERROR(TERN_INVALID_ARGUMENT, "the values are NULL");
  const char *const *texts = values;
  size_t bytes;
  if (!tern_dtype_bytes(value->dtype, (int64_t)count, &bytes))
    return TERN_ERROR(TERN_INVALID_ARGUMENT, "the values overflow");
  if (value->dtype == TERN_STRING) {
    TERN_TRY(tern_allocator_calloc(value->allocator, 1, bytes, &value->data));
    value->owns_data = true;
  } else {
    OrtAllocator *allocator = value->deleter_context;
    value->data = allocator->Alloc(allocator, bytes);
    if (!value->data) return tern_status_out_of_memory();
    memcpy(value->data, values, bytes);
  }
  value->data_bytes = bytes;
  for (size_t i = 0; i < count && value->dtype == TERN_STRING; ++i) {
    if (!texts[i]) return TERN_ERROR(TERN_INVALID_ARGUMENT, "value %zu is NULL", i);
    TERN_TRY(tern_value_set_string(value, (int64_t)i, texts[i], strlen(texts[i])));
  }
  return NULL;
}

// What the three ways to fill begin with: checks, then the number and shape of the values.
static tern_status *begin_fill(const OrtValue *ort_value, const OrtMemoryInfo *info,
                               const int64_t *values_shape, size_t values_shape_len,
                               const char *where, tern_shape *out_shape, size_t *out_count) {
  int64_t count;
  TERN_TRY(require_unset(ort_value, where));
  const tern_value *value = tern_api_value_view(ort_value);
  if (value->data || (value->dtype != TERN_STRING && !value->deleter))
    return TERN_ERROR(TERN_INVALID_ARGUMENT, "%s: the sparse tensor has its values", where);
  TERN_TRY(tern_api_memory_check(info));
  TERN_TRY(tern_api_shape_set(values_shape, values_shape_len, out_shape));
  if (!tern_shape_count(out_shape, &count))
    return TERN_ERROR(TERN_INVALID_ARGUMENT, "%s: the shape of the values overflows", where);
  *out_count = (size_t)count;
  return NULL;
}

// The values follow the indices; without them the tensor is as it was.
static tern_status *end_fill(OrtValue *ort_value, const tern_shape *values_shape, size_t count,
                             const void *values) {
  tern_value *value = tern_api_value_get(ort_value);
  tern_status *status = copy_values(value, count, values);
  if (!status) {
    set_values_shape(value, values_shape);
    return NULL;
  }
  tern_value_clear_sparse(value);
  return status;
}

OrtStatus *ort_FillSparseTensorCoo(OrtValue *ort_value, const OrtMemoryInfo *data_mem_info,
                                   const int64_t *values_shape, size_t values_shape_len,
                                   const void *values, const int64_t *indices_data,
                                   size_t indices_num) {
  TERN_API_REQUIRE(ort_value);
  TERN_API_REQUIRE(data_mem_info);
  if (indices_num > 0) TERN_API_REQUIRE(indices_data);
  tern_shape shape;
  size_t count;
  TERN_API_TRY(begin_fill(ort_value, data_mem_info, values_shape, values_shape_len,
                          "FillSparseTensorCoo", &shape, &count));
  TERN_API_TRY(set_coo(tern_api_value_get(ort_value), count, indices_data, indices_num, true));
  return tern_api_status(end_fill(ort_value, &shape, count, values));
}

OrtStatus *ort_FillSparseTensorCsr(OrtValue *ort_value, const OrtMemoryInfo *data_mem_info,
                                   const int64_t *values_shape, size_t values_shape_len,
                                   const void *values, const int64_t *inner_indices_data,
                                   size_t inner_indices_num, const int64_t *outer_indices_data,
                                   size_t outer_indices_num) {
  TERN_API_REQUIRE(ort_value);
  TERN_API_REQUIRE(data_mem_info);
  if (inner_indices_num > 0) TERN_API_REQUIRE(inner_indices_data);
  if (outer_indices_num > 0) TERN_API_REQUIRE(outer_indices_data);
  tern_shape shape;
  size_t count;
  TERN_API_TRY(begin_fill(ort_value, data_mem_info, values_shape, values_shape_len,
                          "FillSparseTensorCsr", &shape, &count));
  TERN_API_TRY(set_csr(tern_api_value_get(ort_value), count, inner_indices_data, inner_indices_num,
                       outer_indices_data, outer_indices_num, true));
  return tern_api_status(end_fill(ort_value, &shape, count, values));
}

OrtStatus *ort_FillSparseTensorBlockSparse(OrtValue *ort_value, const OrtMemoryInfo *data_mem_info,
                                           const int64_t *values_shape, size_t values_shape_len,
                                           const void *values, const int64_t *indices_shape_data,
                                           size_t indices_shape_len, const int32_t *indices_data) {
  TERN_API_REQUIRE(ort_value);
  TERN_API_REQUIRE(data_mem_info);
  TERN_API_REQUIRE(indices_data);
  tern_shape shape;
  size_t count;
  TERN_API_TRY(begin_fill(ort_value, data_mem_info, values_shape, values_shape_len,
                          "FillSparseTensorBlockSparse", &shape, &count));
  TERN_API_TRY(set_blocks(tern_api_value_get(ort_value), &shape, indices_shape_data,
                          indices_shape_len, indices_data, true));
  return tern_api_status(end_fill(ort_value, &shape, count, values));
}

// ---- Over memory of the caller's.

OrtStatus *
ort_CreateSparseTensorWithValuesAsOrtValue(const OrtMemoryInfo *info, void *p_data,
                                           const int64_t *dense_shape, size_t dense_shape_len,
                                           const int64_t *values_shape, size_t values_shape_len,
                                           ONNXTensorElementDataType type, OrtValue **out) {
  TERN_API_REQUIRE(info);
  TERN_API_REQUIRE(out);
  TERN_API_TRY(tern_api_memory_check(info));
  if (type == ONNX_TENSOR_ELEMENT_DATA_TYPE_STRING)
    return tern_api_status(TERN_ERROR(
        TERN_INVALID_ARGUMENT, "strings cannot lie in the caller's memory: fill the tensor"));
  tern_shape shape;
  tern_value *value;
  int64_t count;
  TERN_API_TRY(tern_api_shape_set(values_shape, values_shape_len, &shape));
  TERN_API_TRY(create(dense_shape, dense_shape_len, type, &value));
  bool fits =
      tern_shape_count(&shape, &count) && tern_dtype_bytes(value->dtype, count, &value->data_bytes);
  if (!fits || (count > 0 && !p_data)) {
    value->data_bytes = 0;
    tern_value_release(value);
    return tern_api_status(TERN_ERROR(TERN_INVALID_ARGUMENT, "the values are NULL, or overflow"));
  }
  value->data = p_data;
  set_values_shape(value, &shape);
  *out = tern_api_value(value);
  return NULL;
}

static tern_status *require_values(const OrtValue *value, const char *where, size_t *out_count) {
  TERN_TRY(require_unset(value, where));
  const tern_value *sparse = tern_api_value_view(value);
  if (sparse->element_type.kind == TERN_KIND_NONE)
    return TERN_ERROR(TERN_INVALID_ARGUMENT, "%s: the sparse tensor has no values", where);
  *out_count = sparse->data_bytes / tern_dtype_size(sparse->dtype);
  return NULL;
}

OrtStatus *ort_UseCooIndices(OrtValue *ort_value, int64_t *indices_data, size_t indices_num) {
  TERN_API_REQUIRE(ort_value);
  if (indices_num > 0) TERN_API_REQUIRE(indices_data);
  size_t count;
  TERN_API_TRY(require_values(ort_value, "UseCooIndices", &count));
  return tern_api_status(
      set_coo(tern_api_value_get(ort_value), count, indices_data, indices_num, false));
}

OrtStatus *ort_UseCsrIndices(OrtValue *ort_value, int64_t *inner_data, size_t inner_num,
                             int64_t *outer_data, size_t outer_num) {
  TERN_API_REQUIRE(ort_value);
  if (inner_num > 0) TERN_API_REQUIRE(inner_data);
  if (outer_num > 0) TERN_API_REQUIRE(outer_data);
  size_t count;
  TERN_API_TRY(require_values(ort_value, "UseCsrIndices", &count));
  return tern_api_status(set_csr(tern_api_value_get(ort_value), count, inner_data, inner_num,
                                 outer_data, outer_num, false));
}

OrtStatus *ort_UseBlockSparseIndices(OrtValue *ort_value, const int64_t *indices_shape,
                                     size_t indices_shape_len, int32_t *indices_data) {
  TERN_API_REQUIRE(ort_value);
  TERN_API_REQUIRE(indices_data);
  size_t count;
  TERN_API_TRY(require_values(ort_value, "UseBlockSparseIndices", &count));
  tern_value *value = tern_api_value_get(ort_value);
  return tern_api_status(set_blocks(value, &value->element_type.shape, indices_shape,
                                    indices_shape_len, indices_data, false));
}

// ---- Getters.

OrtStatus *ort_GetSparseTensorFormat(const OrtValue *ort_value, enum OrtSparseFormat *out) {
  TERN_API_REQUIRE(ort_value);
  TERN_API_REQUIRE(out);
  TERN_API_TRY(require_sparse(ort_value, "GetSparseTensorFormat"));
  *out = (OrtSparseFormat)tern_api_value_view(ort_value)->sparse_format;
  return NULL;
}

OrtStatus *ort_GetSparseTensorValuesTypeAndShape(const OrtValue *ort_value,
                                                 OrtTensorTypeAndShapeInfo **out) {
  TERN_API_REQUIRE(ort_value);
  TERN_API_REQUIRE(out);
  TERN_API_TRY(require_sparse(ort_value, "GetSparseTensorValuesTypeAndShape"));
  const tern_value *value = tern_api_value_view(ort_value);
  const tern_shape none = vector(0);
  bool has_values = value->element_type.kind != TERN_KIND_NONE;
  return tern_api_status(tern_api_tensor_info_create(
      value->dtype, has_values ? &value->element_type.shape : &none, NULL, NULL, out));
}

OrtStatus *ort_GetSparseTensorValues(const OrtValue *ort_value, const void **out) {
  TERN_API_REQUIRE(ort_value);
  TERN_API_REQUIRE(out);
  TERN_API_TRY(require_sparse(ort_value, "GetSparseTensorValues"));
  const tern_value *value = tern_api_value_view(ort_value);
  if (value->dtype == TERN_STRING)
    return tern_api_status(TERN_ERROR(
        TERN_INVALID_ARGUMENT, "GetSparseTensorValues: strings have no address of their own"));
  *out = value->data;
  return NULL;
}

static tern_status *find_indices(const OrtValue *ort_value, enum OrtSparseIndicesFormat format,
                                 const tern_value **out_indices) {
  static const struct {
    int32_t sparse_format;
    size_t item;
  } places[] = {[ORT_SPARSE_COO_INDICES] = {ORT_SPARSE_COO, 0},
                [ORT_SPARSE_CSR_INNER_INDICES] = {ORT_SPARSE_CSRC, 0},
                [ORT_SPARSE_CSR_OUTER_INDICES] = {ORT_SPARSE_CSRC, 1},
                [ORT_SPARSE_BLOCK_SPARSE_INDICES] = {ORT_SPARSE_BLOCK_SPARSE, 0}};
  TERN_TRY(require_sparse(ort_value, "GetSparseTensorIndices"));
  const tern_value *value = tern_api_value_view(ort_value);
  size_t number = (size_t)format;
  if (number >= TERN_COUNT_OF(places) || places[number].sparse_format != value->sparse_format)
    return TERN_ERROR(TERN_INVALID_ARGUMENT, "the sparse tensor of format %d has no indices %d",
                      (int)value->sparse_format, (int)format);
  *out_indices = value->items[places[number].item];
  return NULL;
}

OrtStatus *ort_GetSparseTensorIndicesTypeShape(const OrtValue *ort_value,
                                               enum OrtSparseIndicesFormat indices_format,
                                               OrtTensorTypeAndShapeInfo **out) {
  TERN_API_REQUIRE(ort_value);
  TERN_API_REQUIRE(out);
  const tern_value *indices;
  TERN_API_TRY(find_indices(ort_value, indices_format, &indices));
  return tern_api_status(
      tern_api_tensor_info_create(indices->dtype, &indices->shape, NULL, NULL, out));
}

OrtStatus *ort_GetSparseTensorIndices(const OrtValue *ort_value,
                                      enum OrtSparseIndicesFormat indices_format,
                                      size_t *num_indices, const void **indices) {
  TERN_API_REQUIRE(ort_value);
  TERN_API_REQUIRE(num_indices);
  TERN_API_REQUIRE(indices);
  const tern_value *found;
  TERN_API_TRY(find_indices(ort_value, indices_format, &found));
  *num_indices = (size_t)tern_value_count(found);
  *indices = found->data;
  return NULL;
}
