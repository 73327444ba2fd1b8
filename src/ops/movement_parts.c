// Shapes of operators that cut a tensor into parts and join parts: Concat, Split, Slice, Compress.
#include <string.h>

#include "base/checked.h"
#include "ops/axes.h"
#include "ops/movement.h"

tern_slice_range tern_ops_slice_range(int64_t start, int64_t end, int64_t step, int64_t dim) {
  if (dim == 0) return (tern_slice_range){0, 0};
  if (start < 0) start += dim;
  if (end < 0) end += dim;
  if (step > 0) {
    start = tern_max_i64(0, tern_min_i64(start, dim));
    end = tern_max_i64(0, tern_min_i64(end, dim));
    if (end <= start) return (tern_slice_range){start, 0};
    return (tern_slice_range){start, (end - start - 1) / step + 1};
  }
  start = tern_max_i64(0, tern_min_i64(start, dim - 1));
  end = tern_max_i64(-1, tern_min_i64(end, dim - 1));
  if (end >= start) return (tern_slice_range){start, 0};
  uint64_t stride = 0 - (uint64_t)step;
  return (tern_slice_range){start, (int64_t)((uint64_t)(start - end - 1) / stride) + 1};
}

int64_t tern_ops_split_size(int64_t dim, int64_t parts, int64_t index) {
  int64_t size = dim / parts + (dim % parts != 0);
  return tern_max_i64(0, tern_min_i64(size, dim - size * index));
}

// Joins one input's shape into the result, whose dimension `axis` sums up.
static tern_status *concat_shape(tern_shape *shape, const tern_shape *other, int32_t axis,
                                 int32_t index) {
  char a[TERN_SHAPE_TEXT_BYTES], b[TERN_SHAPE_TEXT_BYTES];
  tern_dim sum = shape->dims[axis], dim = other->dims[axis];
  if (sum < 0 || dim < 0)
    sum = sum == 0 ? dim : dim == 0 ? sum : TERN_DIM_UNKNOWN;
  else if (!tern_checked_add_i64(sum, dim, &sum))
    return TERN_ERROR(TERN_INVALID_ARGUMENT, "the concatenated dimension is too large");
  tern_shape merged = *shape;
  merged.dims[axis] = dim;
  if (!tern_shape_merge(&merged, other))
    return TERN_ERROR(TERN_INVALID_ARGUMENT, "input %d of shape %s cannot follow %s along axis %d",
                      index, tern_shape_format(other, a, sizeof a),
                      tern_shape_format(shape, b, sizeof b), axis);
  merged.dims[axis] = sum;
  *shape = merged;
  return NULL;
}

tern_status *tern_ops_infer_concat(tern_infer *infer) {
  tern_shape shape = {.rank = TERN_RANK_UNKNOWN};
  int32_t axis = 0;
  bool is_open = false;
  for (int32_t i = 0; i < infer->input_count; ++i) {
    const tern_shape *other = tern_infer_shape(infer, i);
    if (!tern_shape_has_rank(other)) {
      is_open = true;
      continue;
    }
    if (shape.rank < 0) {
      shape = *other;
      TERN_TRY(tern_infer_axis(tern_node_attr_i(infer->node, "axis"), shape.rank, &axis));
    } else if (shape.rank != other->rank) {
      return TERN_ERROR(TERN_INVALID_ARGUMENT, "input %d has rank %d, not %d as those before it", i,
                        other->rank, shape.rank);
    } else {
      TERN_TRY(concat_shape(&shape, other, axis, i));
    }
  }
  if (is_open && shape.rank >= 0) shape.dims[axis] = TERN_DIM_UNKNOWN;
  tern_shape_copy(&infer->output_types[0].shape, &shape);
  return NULL;
}

tern_status *tern_ops_concat_symints(tern_infer *infer) {
  tern_symint joined[TERN_SYMINTS_MAX], items[TERN_SYMINTS_MAX];
  int32_t count = 0;
  for (int32_t i = 0; i < infer->input_count; ++i) {
    int32_t added;
    if (!tern_infer_symints(infer, i, items, &added)) {
      int64_t length = tern_ops_input_length(infer, i);
      if (length < 0 || length > TERN_SYMINTS_MAX) return NULL;
      added = (int32_t)length;
      memset(items, 0, sizeof items); // not followed: unknown each
    }
    if (added > TERN_SYMINTS_MAX - count) return NULL;
    memcpy(joined + count, items, (size_t)added * sizeof *items);
    count += added;
  }
  return tern_infer_set_symints(infer, 0, joined, count);
}

// The sizes that input `split` gives, or equal parts.
static tern_status *split_sizes(tern_infer *infer, int32_t axis, int64_t dim) {
  const tern_value *split = tern_infer_value(infer, 1);
  int64_t parts = infer->output_count, sum = 0;
  if (!tern_infer_has(infer, 1)) {
    if (tern_node_has_attr(infer->node, "num_outputs"))
      parts = tern_node_attr_i(infer->node, "num_outputs");
    if (parts != infer->output_count)
      return TERN_ERROR(TERN_INVALID_GRAPH, "attribute 'num_outputs' is %lld, there are %d outputs",
                        (long long)parts, infer->output_count);
    for (int32_t i = 0; dim >= 0 && i < infer->output_count; ++i)
      infer->output_types[i].shape.dims[axis] = tern_ops_split_size(dim, parts, i);
    return NULL;
  }
  if (!split) return NULL;
  if (tern_value_count(split) != parts)
    return TERN_ERROR(TERN_INVALID_ARGUMENT, "'split' has %lld sizes for %d outputs",
                      (long long)tern_value_count(split), infer->output_count);
  for (int32_t i = 0; i < infer->output_count; ++i) {
    int64_t size = tern_dtype_read_i64(split->dtype, split->data, i);
    if (size < 0 || !tern_checked_add_i64(sum, size, &sum))
      return TERN_ERROR(TERN_INVALID_ARGUMENT, "size %d of 'split' is %lld", i, (long long)size);
    infer->output_types[i].shape.dims[axis] = size;
  }
  if (dim >= 0 && sum != dim)
    return TERN_ERROR(TERN_INVALID_ARGUMENT, "the sizes in 'split' add up to %lld, not %lld",
                      (long long)sum, (long long)dim);
  return NULL;
}

tern_status *tern_ops_infer_split(tern_infer *infer) {
  const tern_shape *from = tern_infer_shape(infer, 0);
  int32_t axis;
  if (!tern_shape_has_rank(from)) return NULL;
  TERN_TRY(tern_infer_axis(tern_node_attr_i(infer->node, "axis"), from->rank, &axis));
  for (int32_t i = 0; i < infer->output_count; ++i) {
    tern_shape_copy(&infer->output_types[i].shape, from);
    infer->output_types[i].shape.dims[axis] =
        infer->output_count == 1 ? from->dims[axis] : TERN_DIM_UNKNOWN;
  }
  return split_sizes(infer, axis, from->dims[axis]);
}

tern_status *tern_ops_split_symints(tern_infer *infer) {
  tern_symint items[TERN_SYMINTS_MAX];
  int32_t count, next = 0;
  if (!tern_infer_symints(infer, 0, items, &count)) return NULL;
  for (int32_t i = 0; i < infer->output_count; ++i) {
    const tern_shape *shape = &infer->output_types[i].shape;
    if (shape->rank != 1 || shape->dims[0] < 0 || shape->dims[0] > count - next) return NULL;
    TERN_TRY(tern_infer_set_symints(infer, i, items + next, (int32_t)shape->dims[0]));
    next += (int32_t)shape->dims[0];
  }
  return NULL;
}

// What Slice's inputs say, as far as it is known.
typedef struct slice_spec {
  int32_t count;
  int32_t axes[TERN_MAX_RANK];
  tern_symint starts[TERN_SYMINTS_MAX], ends[TERN_SYMINTS_MAX];
  int64_t steps[TERN_SYMINTS_MAX];
} slice_spec;

// *out_known: axes and steps are known, so that the other axes stay as they are.
static tern_status *read_slice(const tern_infer *infer, int32_t rank, slice_spec *spec,
                               bool *out_known) {
  int32_t count = -1, other, steps = 0;
  int64_t length = tern_ops_input_length(infer, 1);
  memset(spec, 0, sizeof *spec);
  *out_known = false;
  if (tern_infer_symints(infer, 1, spec->starts, &other)) count = other;
  if (tern_infer_symints(infer, 2, spec->ends, &other)) {
    if (count >= 0 && other != count)
      return TERN_ERROR(TERN_INVALID_ARGUMENT, "there are %d starts and %d ends", count, other);
    count = other;
  }
  if (count < 0 && length >= 0 && length <= rank) count = (int32_t)length;
  if (count < 0) return NULL;
  if (count > rank)
    return TERN_ERROR(TERN_INVALID_ARGUMENT, "%d axes are sliced, the input has %d", count, rank);
  spec->count = count;
  for (int32_t i = 0; i < count; ++i) {
    spec->axes[i] = i;
    spec->steps[i] = 1;
  }
  bool has_axes = true;
  other = count;
  if (tern_infer_has(infer, 3))
    TERN_TRY(tern_ops_read_axes(infer, 3, rank, spec->axes, &other, &has_axes));
  if (has_axes && other != count)
    return TERN_ERROR(TERN_INVALID_ARGUMENT, "there are %d starts and %d axes", count, other);
  bool has_steps = !tern_infer_has(infer, 4);
  if (!has_steps) has_steps = tern_infer_i64s(infer, 4, spec->steps, TERN_SYMINTS_MAX, &steps);
  if (tern_infer_has(infer, 4) && has_steps && steps != count)
    return TERN_ERROR(TERN_INVALID_ARGUMENT, "there are %d starts and %d steps", count, steps);
  *out_known = has_axes && has_steps;
  return NULL;
}

static tern_status *sliced_dim(tern_symint start, tern_symint end, int64_t step, tern_dim dim,
                               tern_dim *out_dim) {
  *out_dim = TERN_DIM_UNKNOWN;
  if (step == 0) return TERN_ERROR(TERN_INVALID_ARGUMENT, "a step of a slice is 0");
  bool numbers = start.kind == TERN_SYMINT_NUMBER && end.kind == TERN_SYMINT_NUMBER;
  if (numbers && dim >= 0) {
    *out_dim = tern_ops_slice_range(start.value, end.value, step, dim).count;
  } else if (step == 1 && start.kind == TERN_SYMINT_NUMBER && start.value == 0) {
    // From the first element up to the end, or up to what the dimension is anyway.
    bool to_end = end.kind == TERN_SYMINT_NUMBER && end.value >= INT32_MAX;
    bool to_dim = end.kind == TERN_SYMINT_SYMBOL && end.value == dim;
    if (to_end || to_dim) *out_dim = dim;
  }
  return NULL;
}

tern_status *tern_ops_infer_slice(tern_infer *infer) {
  const tern_shape *from = tern_infer_shape(infer, 0);
  tern_shape *shape = &infer->output_types[0].shape;
  slice_spec spec;
  bool known;
  if (!tern_shape_has_rank(from)) return NULL;
  TERN_TRY(read_slice(infer, from->rank, &spec, &known));
  tern_infer_set_rank(infer, 0, from->rank);
  if (!known) return NULL;
  tern_shape_copy(shape, from);
  for (int32_t i = 0; i < spec.count; ++i) {
    tern_dim *dim = &shape->dims[spec.axes[i]];
    TERN_TRY(sliced_dim(spec.starts[i], spec.ends[i], spec.steps[i], *dim, dim));
  }
  return NULL;
}

tern_status *tern_ops_slice_symints(tern_infer *infer) {
  tern_symint items[TERN_SYMINTS_MAX], sliced[TERN_SYMINTS_MAX];
  const tern_shape *from = tern_infer_shape(infer, 0);
  int32_t count;
  slice_spec spec;
  bool known;
  if (!tern_shape_has_rank(from) || from->rank != 1) return NULL;
  if (!tern_infer_symints(infer, 0, items, &count)) return NULL;
  TERN_TRY(read_slice(infer, 1, &spec, &known));
  if (!known) return NULL;
  if (spec.count == 0) return tern_infer_set_symints(infer, 0, items, count);
  if (spec.starts[0].kind != TERN_SYMINT_NUMBER || spec.ends[0].kind != TERN_SYMINT_NUMBER)
    return NULL;
  tern_slice_range range =
      tern_ops_slice_range(spec.starts[0].value, spec.ends[0].value, spec.steps[0], count);
  for (int64_t i = 0; i < range.count; ++i) sliced[i] = items[range.begin + i * spec.steps[0]];
  return tern_infer_set_symints(infer, 0, sliced, (int32_t)range.count);
}

tern_status *tern_ops_infer_compress(tern_infer *infer) {
  const tern_shape *from = tern_infer_shape(infer, 0);
  int32_t axis;
  if (!tern_node_has_attr(infer->node, "axis")) {
    tern_infer_set_rank(infer, 0, 1);
    return NULL;
  }
  if (!tern_shape_has_rank(from)) return NULL;
  TERN_TRY(tern_infer_axis(tern_node_attr_i(infer->node, "axis"), from->rank, &axis));
  tern_shape_copy(&infer->output_types[0].shape, from);
  infer->output_types[0].shape.dims[axis] = TERN_DIM_UNKNOWN;
  return NULL;
}
