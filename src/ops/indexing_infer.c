// Shapes of operators that read, write or select elements by index.
#include <string.h>

#include "ops/axes.h"
#include "ops/indexing.h"

static tern_status *read_axis(const tern_infer *infer, int32_t rank, int32_t *out_axis) {
  return tern_infer_axis(tern_node_attr_i(infer->node, "axis"), rank, out_axis);
}

// Joins dimensions of parts of shapes: `out` becomes a[a_begin..a_end) followed by
// b[b_begin..b_end).
static tern_status *join_dims(const tern_shape *a, int32_t a_end, const tern_shape *b,
                              int32_t b_begin, tern_shape *out) {
  int32_t rank = a_end + (b->rank - b_begin);
  if (rank > TERN_MAX_RANK)
    return TERN_ERROR(TERN_INVALID_ARGUMENT, "a result of rank %d exceeds %d", rank, TERN_MAX_RANK);
  memcpy(out->dims, a->dims, (size_t)a_end * sizeof *out->dims);
  memcpy(out->dims + a_end, b->dims + b_begin, (size_t)(rank - a_end) * sizeof *out->dims);
  out->rank = rank;
  return NULL;
}

tern_status *tern_ops_infer_gather(tern_infer *infer) {
  const tern_shape *data = tern_infer_shape(infer, 0), *indices = tern_infer_shape(infer, 1);
  tern_shape front;
  int32_t axis;
  if (!tern_shape_has_rank(data) || !tern_shape_has_rank(indices)) return NULL;
  TERN_TRY(read_axis(infer, data->rank, &axis));
  TERN_TRY(join_dims(data, axis, indices, 0, &front));
  return join_dims(&front, front.rank, data, axis + 1, &infer->output_types[0].shape);
}

tern_status *tern_ops_gather_symints(tern_infer *infer) {
  tern_symint items[TERN_SYMINTS_MAX], chosen[TERN_SYMINTS_MAX];
  int64_t indices[TERN_SYMINTS_MAX];
  const tern_shape *data = tern_infer_shape(infer, 0);
  int32_t count, chosen_count;
  if (!tern_shape_has_rank(data) || data->rank != 1) return NULL;
  if (!tern_infer_symints(infer, 0, items, &count)) return NULL;
  if (!tern_infer_i64s(infer, 1, indices, TERN_SYMINTS_MAX, &chosen_count)) return NULL;
  for (int32_t i = 0; i < chosen_count; ++i) {
    int64_t index = indices[i] < 0 ? indices[i] + count : indices[i];
    if (index < 0 || index >= count) return NULL; // the kernel reports it
    chosen[i] = items[index];
  }
  return tern_infer_set_symints(infer, 0, chosen, chosen_count);
}

static tern_status *check_same_rank(const tern_shape *data, const tern_shape *other) {
  if (!tern_shape_has_rank(data) || !tern_shape_has_rank(other) || data->rank == other->rank)
    return NULL;
  return TERN_ERROR(TERN_INVALID_ARGUMENT, "the data has rank %d, the indices rank %d", data->rank,
                    other->rank);
}

// Indices on axes other than `axis` are their own coordinates in the data, and must lie within.
static tern_status *check_within(const tern_shape *data, const tern_shape *indices, int32_t axis) {
  char a[TERN_SHAPE_TEXT_BYTES], b[TERN_SHAPE_TEXT_BYTES];
  for (int32_t k = 0; k < data->rank; ++k) {
    if (k == axis || data->dims[k] < 0 || indices->dims[k] <= data->dims[k]) continue;
    return TERN_ERROR(TERN_INVALID_ARGUMENT, "indices of shape %s reach beyond data of shape %s",
                      tern_shape_format(indices, a, sizeof a),
                      tern_shape_format(data, b, sizeof b));
  }
  return NULL;
}

static tern_status *check_elements(const tern_infer *infer) {
  const tern_shape *data = tern_infer_shape(infer, 0), *indices = tern_infer_shape(infer, 1);
  int32_t axis;
  TERN_TRY(check_same_rank(data, indices));
  if (!tern_shape_has_rank(data)) return NULL;
  TERN_TRY(read_axis(infer, data->rank, &axis));
  return tern_shape_has_rank(indices) ? check_within(data, indices, axis) : NULL;
}

tern_status *tern_ops_infer_gather_elements(tern_infer *infer) {
  const tern_shape *indices = tern_infer_shape(infer, 1);
  TERN_TRY(check_elements(infer));
  if (indices) tern_shape_copy(&infer->output_types[0].shape, indices);
  return NULL;
}

// The last dimension of the indices: how many leading dimensions of the data (after `batch`) an
// entry names. *out_depth is negative when it is not known.
static tern_status *index_depth(const tern_infer *infer, int64_t batch, int32_t *out_depth) {
  const tern_shape *data = tern_infer_shape(infer, 0), *indices = tern_infer_shape(infer, 1);
  *out_depth = -1;
  if (!tern_shape_has_rank(data) || !tern_shape_has_rank(indices)) return NULL;
  if (batch < 0 || batch >= indices->rank || batch > data->rank)
    return TERN_ERROR(TERN_INVALID_ARGUMENT, "%lld batch dimensions of data of rank %d",
                      (long long)batch, data->rank);
  tern_dim depth = indices->dims[indices->rank - 1];
  if (depth < 0) return NULL;
  if (depth > data->rank - batch)
    return TERN_ERROR(TERN_INVALID_ARGUMENT,
                      "%lld indices into data of rank %d after %lld batch "
                      "dimensions",
                      (long long)depth, data->rank, (long long)batch);
  *out_depth = (int32_t)depth;
  return NULL;
}

tern_status *tern_ops_infer_gather_nd(tern_infer *infer) {
  const tern_shape *data = tern_infer_shape(infer, 0), *indices = tern_infer_shape(infer, 1);
  int64_t batch = tern_node_attr_i(infer->node, "batch_dims");
  int32_t depth;
  TERN_TRY(index_depth(infer, batch, &depth));
  for (int32_t k = 0; depth >= 0 && k < batch; ++k) {
    tern_dim dim = data->dims[k];
    if (!tern_dim_merge(&dim, indices->dims[k]))
      return TERN_ERROR(TERN_INVALID_ARGUMENT,
                        "batch dimension %d is %lld in data, %lld in indices", k,
                        (long long)data->dims[k], (long long)indices->dims[k]);
  }
  if (depth < 0) return NULL;
  return join_dims(indices, indices->rank - 1, data, (int32_t)batch + depth,
                   &infer->output_types[0].shape);
}

static tern_status *check_reduction(const tern_infer *infer) {
  static const char *const names[] = {"none", "add", "mul", "max", "min"};
  const char *reduction = tern_node_attr_s(infer->node, "reduction");
  for (size_t i = 0; i < TERN_COUNT_OF(names); ++i)
    if (strcmp(reduction, names[i]) == 0) return NULL;
  return TERN_ERROR(TERN_INVALID_GRAPH, "attribute 'reduction' is '%s'", reduction);
}

static tern_status *check_updates(const tern_infer *infer, const tern_shape *expected) {
  const tern_shape *updates = tern_infer_shape(infer, 2);
  char a[TERN_SHAPE_TEXT_BYTES], b[TERN_SHAPE_TEXT_BYTES];
  tern_shape merged = *expected;
  if (!tern_shape_has_rank(updates) || tern_shape_merge(&merged, updates)) return NULL;
  return TERN_ERROR(TERN_INVALID_ARGUMENT, "updates of shape %s, expected %s",
                    tern_shape_format(updates, a, sizeof a),
                    tern_shape_format(expected, b, sizeof b));
}

tern_status *tern_ops_infer_scatter_elements(tern_infer *infer) {
  const tern_shape *indices = tern_infer_shape(infer, 1);
  TERN_TRY(check_reduction(infer));
  TERN_TRY(check_elements(infer));
  if (tern_shape_has_rank(indices)) TERN_TRY(check_updates(infer, indices));
  return tern_infer_same_as_input(infer);
}

tern_status *tern_ops_infer_scatter_nd(tern_infer *infer) {
  const tern_shape *data = tern_infer_shape(infer, 0), *indices = tern_infer_shape(infer, 1);
  tern_shape expected;
  int32_t depth;
  TERN_TRY(check_reduction(infer));
  TERN_TRY(index_depth(infer, 0, &depth));
  if (depth >= 0) {
    TERN_TRY(join_dims(indices, indices->rank - 1, data, depth, &expected));
    TERN_TRY(check_updates(infer, &expected));
  }
  return tern_infer_same_as_input(infer);
}

tern_status *tern_ops_infer_tensor_scatter(tern_infer *infer) {
  const tern_shape *cache = tern_infer_shape(infer, 0), *update = tern_infer_shape(infer, 1);
  const char *mode = tern_node_attr_s(infer->node, "mode");
  int32_t axis;
  if (strcmp(mode, "linear") != 0 && strcmp(mode, "circular") != 0)
    return TERN_ERROR(TERN_INVALID_GRAPH, "attribute 'mode' is '%s'", mode);
  if (!tern_shape_has_rank(cache)) return NULL;
  TERN_TRY(read_axis(infer, cache->rank, &axis));
  if (axis == 0) return TERN_ERROR(TERN_INVALID_ARGUMENT, "axis 0 is the batch");
  if (tern_shape_has_rank(update)) {
    tern_shape expected = *cache;
    bool fits = update->rank == cache->rank &&
                (cache->dims[axis] < 0 || update->dims[axis] <= cache->dims[axis]);
    if (fits) expected.dims[axis] = update->dims[axis];
    if (!fits || !tern_shape_merge(&expected, update))
      return TERN_ERROR(TERN_INVALID_ARGUMENT, "the update does not fit the cache on axis %d",
                        axis);
  }
  int64_t count = tern_infer_has(infer, 2) ? tern_ops_input_length(infer, 2) : -1;
  if (count >= 0 && cache->dims[0] >= 0 && count != cache->dims[0])
    return TERN_ERROR(TERN_INVALID_ARGUMENT, "%lld write indices for a batch of %lld",
                      (long long)count, (long long)cache->dims[0]);
  return tern_infer_same_as_input(infer);
}

tern_status *tern_ops_infer_nonzero(tern_infer *infer) {
  const tern_shape *from = tern_infer_shape(infer, 0);
  tern_infer_set_rank(infer, 0, 2);
  if (tern_shape_has_rank(from)) infer->output_types[0].shape.dims[0] = from->rank;
  return NULL;
}

tern_status *tern_ops_infer_topk(tern_infer *infer) {
  const tern_shape *from = tern_infer_shape(infer, 0);
  tern_symint items[TERN_SYMINTS_MAX];
  int32_t axis, count;
  if (!tern_shape_has_rank(from)) return NULL;
  TERN_TRY(read_axis(infer, from->rank, &axis));
  tern_dim k = TERN_DIM_UNKNOWN;
  if (tern_infer_symints(infer, 1, items, &count)) {
    bool is_number = count == 1 && items[0].kind == TERN_SYMINT_NUMBER;
    if (count != 1 || (is_number && items[0].value < 0))
      return TERN_ERROR(TERN_INVALID_ARGUMENT, "K is not one number, at least 0");
    k = tern_symint_to_dim(items[0]);
  }
  if (k >= 0 && from->dims[axis] >= 0 && k > from->dims[axis])
    return TERN_ERROR(TERN_INVALID_ARGUMENT, "K is %lld, axis %d has %lld elements", (long long)k,
                      axis, (long long)from->dims[axis]);
  for (int32_t i = 0; i < infer->output_count; ++i) {
    tern_shape_copy(&infer->output_types[i].shape, from);
    infer->output_types[i].shape.dims[axis] = k;
  }
  return NULL;
}

tern_status *tern_ops_infer_unique(tern_infer *infer) {
  const tern_shape *from = tern_infer_shape(infer, 0);
  int32_t axis;
  for (int32_t i = 1; i < infer->output_count; ++i) tern_infer_set_rank(infer, i, 1);
  if (!tern_node_has_attr(infer->node, "axis")) {
    tern_infer_set_rank(infer, 0, 1);
    return NULL;
  }
  if (!tern_shape_has_rank(from)) return NULL;
  TERN_TRY(read_axis(infer, from->rank, &axis));
  tern_shape_copy(&infer->output_types[0].shape, from);
  infer->output_types[0].shape.dims[axis] = TERN_DIM_UNKNOWN;
  return NULL;
}

static tern_status *read_depth(const tern_infer *infer, tern_dim *out_depth) {
  const tern_value *value = tern_infer_value(infer, 1);
  tern_symint items[TERN_SYMINTS_MAX];
  int32_t count;
  *out_depth = TERN_DIM_UNKNOWN;
  if (!value) {
    if (tern_infer_symints(infer, 1, items, &count) && count == 1)
      *out_depth = tern_symint_to_dim(items[0]);
    return NULL;
  }
  if (tern_value_count(value) != 1)
    return TERN_ERROR(TERN_INVALID_ARGUMENT, "the depth has %lld elements, not one",
                      (long long)tern_value_count(value));
  double depth = tern_dtype_read_f64(value->dtype, value->data, 0);
  if (!(depth >= 0 && depth < 0x1p53))
    return TERN_ERROR(TERN_INVALID_ARGUMENT, "the depth is %g", depth);
  *out_depth = (int64_t)depth;
  return NULL;
}

tern_status *tern_ops_infer_one_hot(tern_infer *infer) {
  const tern_shape *indices = tern_infer_shape(infer, 0);
  tern_shape *shape = &infer->output_types[0].shape;
  int32_t axis;
  int64_t values = tern_ops_input_length(infer, 2);
  if (values >= 0 && values != 2)
    return TERN_ERROR(TERN_INVALID_ARGUMENT, "there are %lld values, not two", (long long)values);
  if (!tern_shape_has_rank(indices)) return NULL;
  if (indices->rank == TERN_MAX_RANK)
    return TERN_ERROR(TERN_INVALID_ARGUMENT, "a result of more than %d dimensions", TERN_MAX_RANK);
  TERN_TRY(read_axis(infer, indices->rank + 1, &axis));
  shape->rank = indices->rank + 1;
  for (int32_t k = 0; k < indices->rank; ++k) shape->dims[k + (k >= axis)] = indices->dims[k];
  return read_depth(infer, &shape->dims[axis]);
}
