// Sparse tensors made dense: an output of zeros or empty strings, and the given values put where
// the indices say.
#include <string.h>

#include "base/checked.h"
#include "format/onnx.h"

// The dense position of value `i`, or -1 when an index is out of range.
static int64_t position_of(const tern_shape *dense, const int64_t *indices, int64_t i,
                           bool is_linear, int64_t dense_count) {
  if (is_linear) return indices[i] >= 0 && indices[i] < dense_count ? indices[i] : -1;
  // With a dimension of 0 no index fits, and the products below could overflow.
  if (dense_count == 0) return -1;
  int64_t position = 0;
  for (int32_t axis = 0; axis < dense->rank; ++axis) {
    int64_t index = indices[i * dense->rank + axis];
    if (index < 0 || index >= dense->dims[axis]) return -1;
    position = position * dense->dims[axis] + index;
  }
  return position;
}

static tern_status *copy_element(tern_value *dense, int64_t to, const tern_value *values,
                                 int64_t from) {
  if (dense->dtype == TERN_STRING) {
    const tern_string *string = (const tern_string *)values->data + from;
    return tern_value_set_string(dense, to, string->data, string->size);
  }
  unsigned bits = tern_dtype_get_info(dense->dtype)->bits;
  if (bits < 8) {
    // Codes move as integers of the same width.
    tern_dtype code = bits == 4 ? TERN_UINT4 : TERN_UINT2;
    tern_dtype_write_i64(code, dense->data, to, tern_dtype_read_i64(code, values->data, from));
    return NULL;
  }
  size_t size = bits / 8;
  memcpy((char *)dense->data + (size_t)to * size, (const char *)values->data + (size_t)from * size,
         size);
  return NULL;
}

static tern_status *scatter(tern_value *dense, const tern_value *values,
                            const tern_value *indices) {
  bool is_linear = indices->shape.rank == 1;
  int64_t last = -1, dense_count = tern_value_count(dense), count = tern_value_count(values);
  for (int64_t i = 0; i < count; ++i) {
    int64_t position = position_of(&dense->shape, indices->data, i, is_linear, dense_count);
    if (position < 0)
      return TERN_ERROR(TERN_INVALID_PROTOBUF, "index %lld is out of range", (long long)i);
    if (position <= last)
      return TERN_ERROR(TERN_INVALID_PROTOBUF, "index %lld is not above the one before it",
                        (long long)i);
    last = position;
    TERN_TRY(copy_element(dense, position, values, i));
  }
  return NULL;
}

static tern_status *check(const tern_value *values, const tern_value *indices, int32_t rank) {
  if (values->shape.rank != 1)
    return TERN_ERROR(TERN_INVALID_PROTOBUF, "the values have rank %d, not 1", values->shape.rank);
  if (tern_dtype_get_info(values->dtype)->bits == 6)
    return TERN_ERROR(TERN_INVALID_PROTOBUF, "sparse tensors of type %s do not exist",
                      tern_dtype_name(values->dtype));
  const tern_shape *shape = &indices->shape;
  bool fits = indices->dtype == TERN_INT64 && shape->rank >= 1 && shape->rank <= 2 &&
              shape->dims[0] == values->shape.dims[0] &&
              (shape->rank == 1 || shape->dims[1] == rank);
  if (fits) return NULL;
  char text[TERN_SHAPE_TEXT_BYTES];
  return TERN_ERROR(TERN_INVALID_PROTOBUF, "the indices are %s%s", tern_dtype_name(indices->dtype),
                    tern_shape_format(shape, text, sizeof text));
}

static tern_status *make_dense(const tern_onnx_sparse_tensor *sparse, const tern_value *values,
                               const tern_value *indices, tern_allocator *allocator,
                               tern_value **out_value) {
  tern_shape shape;
  if (sparse->dim_count > TERN_MAX_RANK)
    return TERN_ERROR(TERN_INVALID_PROTOBUF, "%zu dimensions; at most %d are possible",
                      sparse->dim_count, TERN_MAX_RANK);
  tern_shape_set(&shape, (int32_t)sparse->dim_count, sparse->dims);
  TERN_TRY(check(values, indices, shape.rank));
  tern_value *dense;
  TERN_TRY(tern_value_create_tensor(allocator, values->dtype, &shape, &dense));
  if (dense->data && dense->dtype != TERN_STRING) memset(dense->data, 0, dense->data_bytes);
  tern_status *status = scatter(dense, values, indices);
  if (status) {
    tern_value_release(dense);
    return status;
  }
  *out_value = dense;
  return NULL;
}

tern_status *tern_onnx_sparse_decode(const tern_onnx_sparse_tensor *sparse,
                                     tern_span external_values, tern_span external_indices,
                                     tern_allocator *allocator, tern_value **out_value) {
  tern_value *values = NULL, *indices = NULL;
  tern_status *status =
      tern_onnx_tensor_decode(&sparse->values, external_values, allocator, &values);
  if (!status)
    status = tern_onnx_tensor_decode(&sparse->indices, external_indices, allocator, &indices);
  if (!status) status = tern_value_align(values);
  if (!status) status = tern_value_align(indices);
  if (!status) status = make_dense(sparse, values, indices, allocator, out_value);
  tern_value_release(values);
  tern_value_release(indices);
  return tern_status_annotate(status, "sparse tensor '%.*s'", TERN_SPAN_ARGS(sparse->values.name));
}
