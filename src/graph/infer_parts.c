// Pieces that rows share: reading followed integers, axes, broadcasting, merging.
#include <string.h>

#include "graph/infer.h"

// The elements of an integer tensor of rank 0 or 1.
static bool read_value(const tern_value *value, tern_symint *out_items, int32_t *out_count) {
  if (value->kind != TERN_KIND_TENSOR || value->shape.rank > 1) return false;
  if (value->dtype != TERN_INT64 && value->dtype != TERN_INT32) return false;
  int64_t count = tern_value_count(value);
  if (count > TERN_SYMINTS_MAX) return false;
  for (int64_t i = 0; i < count; ++i)
    out_items[i] =
        (tern_symint){TERN_SYMINT_NUMBER, tern_dtype_read_i64(value->dtype, value->data, i)};
  *out_count = (int32_t)count;
  return true;
}

bool tern_infer_symints(const tern_infer *infer, int32_t index,
                        tern_symint out_items[TERN_SYMINTS_MAX], int32_t *out_count) {
  const tern_value *value = tern_infer_value(infer, index);
  if (value) return read_value(value, out_items, out_count);
  if (!infer->input_symints || index >= infer->input_count) return false;
  const tern_symints *symints = infer->input_symints[index];
  if (!symints || !symints->items) return false;
  memcpy(out_items, symints->items, (size_t)symints->count * sizeof *out_items);
  *out_count = symints->count;
  return true;
}

bool tern_infer_i64s(const tern_infer *infer, int32_t index, int64_t *out_items, int32_t capacity,
                     int32_t *out_count) {
  tern_symint items[TERN_SYMINTS_MAX];
  int32_t count;
  if (!tern_infer_symints(infer, index, items, &count) || count > capacity) return false;
  for (int32_t i = 0; i < count; ++i) {
    if (items[i].kind != TERN_SYMINT_NUMBER) return false;
    out_items[i] = items[i].value;
  }
  *out_count = count;
  return true;
}

tern_status *tern_infer_set_symints(tern_infer *infer, int32_t index, const tern_symint *items,
                                    int32_t count) {
  if (!infer->output_symints || !infer->model || count > TERN_SYMINTS_MAX) return NULL;
  bool known = false;
  for (int32_t i = 0; i < count; ++i) known |= items[i].kind != TERN_SYMINT_UNKNOWN;
  if (!known && count > 0) return NULL;
  tern_symint *copy;
  TERN_TRY(TERN_ARENA_ARRAY(&infer->model->arena, count, &copy));
  if (count) memcpy(copy, items, (size_t)count * sizeof *copy);
  infer->output_symints[index] = (tern_symints){copy, count};
  return NULL;
}

tern_status *tern_infer_same_as_input(tern_infer *infer) {
  const tern_shape *shape = tern_infer_shape(infer, 0);
  for (int32_t i = 0; shape && i < infer->output_count; ++i)
    tern_shape_copy(&infer->output_types[i].shape, shape);
  return NULL;
}

tern_status *tern_infer_scalar(tern_infer *infer) {
  for (int32_t i = 0; i < infer->output_count; ++i) infer->output_types[i].shape.rank = 0;
  return NULL;
}

tern_status *tern_infer_nothing(tern_infer *infer) {
  (void)infer;
  return NULL;
}

// One dimension of a broadcast result.
static bool broadcast_dim(tern_dim a, tern_dim b, tern_dim *out) {
  if (a == b && a != TERN_DIM_UNKNOWN)
    *out = a;
  else if (a == 1)
    *out = b;
  else if (b == 1)
    *out = a;
  else if (a >= 0 && b >= 0)
    return false;
  else if (a >= 0)
    *out = a; // b is unknown: 1 or a
  else if (b >= 0)
    *out = b;
  else
    *out = TERN_DIM_UNKNOWN;
  return true;
}

bool tern_shape_broadcast(tern_shape *inout, const tern_shape *b) {
  if (inout->rank < 0 || b->rank < 0) {
    inout->rank = TERN_RANK_UNKNOWN;
    return true;
  }
  int32_t rank = inout->rank > b->rank ? inout->rank : b->rank;
  tern_dim dims[TERN_MAX_RANK];
  for (int32_t i = 0; i < rank; ++i) {
    int32_t ia = i - (rank - inout->rank), ib = i - (rank - b->rank);
    tern_dim da = ia < 0 ? 1 : inout->dims[ia], db = ib < 0 ? 1 : b->dims[ib];
    if (!broadcast_dim(da, db, &dims[i])) return false;
  }
  tern_shape_set(inout, rank, dims);
  return true;
}

tern_status *tern_infer_broadcast(tern_infer *infer) {
  tern_shape shape = {.rank = 0};
  for (int32_t i = 0; i < infer->input_count; ++i) {
    const tern_shape *other = tern_infer_shape(infer, i);
    if (!other) continue;
    if (!tern_shape_broadcast(&shape, other)) {
      char a[TERN_SHAPE_TEXT_BYTES], b[TERN_SHAPE_TEXT_BYTES];
      return TERN_ERROR(TERN_INVALID_ARGUMENT, "input %d of shape %s does not broadcast to %s", i,
                        tern_shape_format(other, b, sizeof b),
                        tern_shape_format(&shape, a, sizeof a));
    }
    if (shape.rank < 0) return NULL;
  }
  for (int32_t i = 0; i < infer->output_count; ++i)
    tern_shape_copy(&infer->output_types[i].shape, &shape);
  return NULL;
}

tern_status *tern_infer_axis(int64_t axis, int32_t rank, int32_t *out_axis) {
  if (rank < 0) {
    *out_axis = -1;
    return NULL;
  }
  if (axis < -(int64_t)rank || axis >= rank)
    return TERN_ERROR(TERN_INVALID_ARGUMENT, "axis %lld is not within [-%d, %d)", (long long)axis,
                      rank, rank);
  *out_axis = (int32_t)(axis < 0 ? axis + rank : axis);
  return NULL;
}

bool tern_dim_merge(tern_dim *inout, tern_dim other) {
  if (*inout >= 0 && other >= 0) return *inout == other;
  // A number says more than a symbol, a symbol more than nothing.
  if (other >= 0 || *inout == TERN_DIM_UNKNOWN) *inout = other;
  return true;
}

bool tern_shape_merge(tern_shape *inout, const tern_shape *other) {
  if (other->rank < 0) return true;
  if (inout->rank < 0) {
    tern_shape_copy(inout, other);
    return true;
  }
  if (inout->rank != other->rank) return false;
  for (int32_t i = 0; i < inout->rank; ++i) {
    if (!tern_dim_merge(&inout->dims[i], other->dims[i])) return false;
  }
  return true;
}

void tern_infer_set_rank(tern_infer *infer, int32_t index, int32_t rank) {
  tern_shape *shape = &infer->output_types[index].shape;
  shape->rank = rank;
  for (int32_t i = 0; i < rank; ++i) shape->dims[i] = TERN_DIM_UNKNOWN;
}
