// Lists of axes and sizes that come as inputs.
#include "ops/axes.h"

#include "base/checked.h"

tern_status *tern_ops_read_axes(const tern_infer *infer, int32_t index, int32_t rank,
                                int32_t out_axes[TERN_MAX_RANK], int32_t *out_count,
                                bool *out_known) {
  int64_t axes[TERN_SYMINTS_MAX];
  int32_t count;
  *out_known = tern_infer_has(infer, index) && rank >= 0 &&
               tern_infer_i64s(infer, index, axes, TERN_SYMINTS_MAX, &count);
  if (!*out_known) return NULL;
  uint32_t seen = 0;
  for (int32_t i = 0; i < count; ++i) {
    int32_t axis;
    TERN_TRY(tern_infer_axis(axes[i], rank, &axis));
    if (seen >> axis & 1u)
      return TERN_ERROR(TERN_INVALID_ARGUMENT, "axis %lld is given twice", (long long)axes[i]);
    seen |= 1u << axis;
    out_axes[i] = axis;
  }
  *out_count = count;
  return NULL;
}

int64_t tern_ops_input_length(const tern_infer *infer, int32_t index) {
  const tern_shape *shape = tern_infer_shape(infer, index);
  if (!tern_shape_has_rank(shape) || shape->rank > 1) return -1;
  if (shape->rank == 0) return 1;
  return shape->dims[0] >= 0 ? shape->dims[0] : -1;
}

tern_status *tern_ops_read_shape(const tern_infer *infer, int32_t index, tern_shape *out_shape) {
  tern_symint items[TERN_SYMINTS_MAX];
  int32_t count = 0;
  bool known = tern_infer_symints(infer, index, items, &count);
  int64_t rank = known ? count : tern_ops_input_length(infer, index);
  out_shape->rank = TERN_RANK_UNKNOWN;
  if (rank > TERN_MAX_RANK)
    return TERN_ERROR(TERN_INVALID_ARGUMENT, "a shape of %lld dimensions exceeds %d",
                      (long long)rank, TERN_MAX_RANK);
  for (int64_t i = 0; i < rank; ++i) {
    if (known && items[i].kind == TERN_SYMINT_NUMBER && items[i].value < 0)
      return TERN_ERROR(TERN_INVALID_ARGUMENT, "dimension %lld of the shape is %lld", (long long)i,
                        (long long)items[i].value);
    out_shape->dims[i] = known ? tern_symint_to_dim(items[i]) : TERN_DIM_UNKNOWN;
  }
  out_shape->rank = rank < 0 ? TERN_RANK_UNKNOWN : (int32_t)rank;
  return NULL;
}

tern_dim tern_ops_dim_product(const tern_shape *shape, int32_t begin, int32_t end) {
  int64_t number = 1;
  tern_dim symbol = 0;
  for (int32_t i = begin; i < end; ++i) {
    tern_dim dim = shape->dims[i];
    if (dim == TERN_DIM_UNKNOWN) return TERN_DIM_UNKNOWN;
    if (dim >= 0) {
      if (!tern_checked_mul_i64(number, dim, &number)) return TERN_DIM_UNKNOWN;
    } else if (symbol == 0) {
      symbol = dim;
    } else {
      return TERN_DIM_UNKNOWN;
    }
  }
  if (symbol == 0) return number;
  return number == 1 ? symbol : TERN_DIM_UNKNOWN;
}
