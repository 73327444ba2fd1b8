// Kernels that cut a tensor into a sequence and join a sequence into a tensor.
#include <string.h>

#include "base/checked.h"
#include "providers/cpu/elements.h"
#include "providers/cpu/sequence.h"

// Copies `rows` rows of `row_bytes` between arrays with their own distance from row to row.
static void copy_rows(const unsigned char *source, size_t source_step, unsigned char *target,
                      size_t target_step, int64_t rows, size_t row_bytes) {
  if (row_bytes == 0) return;
  for (int64_t i = 0; i < rows; ++i)
    memcpy(target + (size_t)i * target_step, source + (size_t)i * source_step, row_bytes);
}

// A tensor that is cut along an axis: `outer` rows of size * unit bytes.
typedef struct cutting {
  const tern_value *x;
  int32_t axis;
  bool drops_axis;
  int64_t outer;
  size_t unit; // bytes of one step along the axis
  tern_cpu_source source;
  tern_value *sequence;
} cutting;

static tern_status *cut_piece(tern_invocation *invocation, const cutting *c, int64_t begin,
                              int64_t size) {
  tern_shape shape = c->x->shape;
  tern_value *piece;
  tern_cpu_target target;
  shape.dims[c->axis] = size;
  if (c->drops_axis) {
    shape.rank--;
    for (int32_t i = c->axis; i < shape.rank; ++i) shape.dims[i] = c->x->shape.dims[i + 1];
  }
  TERN_TRY(tern_value_create_tensor(invocation->allocator, c->x->dtype, &shape, &piece));
  tern_status *status = tern_cpu_target_open(invocation, piece, &target);
  if (!status && target.count > 0) {
    copy_rows(c->source.data + (size_t)begin * c->unit, (size_t)c->x->shape.dims[c->axis] * c->unit,
              target.data, (size_t)size * c->unit, c->outer, (size_t)size * c->unit);
    status = tern_cpu_target_close(&target);
  }
  if (!status) status = tern_value_append(c->sequence, piece);
  tern_value_release(piece);
  return status;
}

// Pieces of the sizes that `split` lists, of one size (the last may be smaller), or of size 1.
static tern_status *cut(tern_invocation *invocation, const tern_value *split, const cutting *c) {
  int64_t total = c->x->shape.dims[c->axis], at = 0;
  if (!split || split->shape.rank == 0) {
    int64_t step = split ? tern_dtype_read_i64(split->dtype, split->data, 0) : 1;
    if (step < 1) return TERN_ERROR(TERN_INVALID_ARGUMENT, "'split' is %lld", (long long)step);
    for (; at < total; at += tern_min_i64(step, total - at))
      TERN_TRY(cut_piece(invocation, c, at, tern_min_i64(step, total - at)));
    return NULL;
  }
  for (int64_t i = 0; i < tern_value_count(split); ++i) {
    int64_t size = tern_dtype_read_i64(split->dtype, split->data, i);
    if (size < 0 || size > total - at)
      return TERN_ERROR(TERN_INVALID_ARGUMENT, "piece %lld of size %lld: %lld are left",
                        (long long)i, (long long)size, (long long)(total - at));
    TERN_TRY(cut_piece(invocation, c, at, size));
    at += size;
  }
  if (at == total) return NULL;
  return TERN_ERROR(TERN_INVALID_ARGUMENT, "the pieces add up to %lld, the axis has size %lld",
                    (long long)at, (long long)total);
}

tern_status *tern_cpu_split_to_sequence(tern_invocation *invocation) {
  const tern_value *split = invocation->input_count > 1 ? invocation->inputs[1] : NULL;
  cutting c = {.x = invocation->inputs[0]};
  TERN_TRY(tern_infer_axis(tern_node_attr_i(invocation->node, "axis"), c.x->shape.rank, &c.axis));
  c.drops_axis = !split && tern_node_attr_i(invocation->node, "keepdims") == 0;
  c.outer = tern_shape_product(&c.x->shape, 0, c.axis);
  TERN_TRY(tern_cpu_source_open(invocation, c.x, &c.source));
  c.unit =
      c.source.unit_bytes * (size_t)tern_shape_product(&c.x->shape, c.axis + 1, c.x->shape.rank);
  TERN_TRY(tern_cpu_container_create(invocation, 0, TERN_KIND_SEQUENCE, &c.sequence));
  tern_status *status = cut(invocation, split, &c);
  return tern_cpu_container_finish(invocation, 0, c.sequence, status);
}

// The shape of the joined tensor. Items must agree in all dimensions but `axis`, and in that too
// where the axis is new.
static tern_status *join_shapes(const tern_value *sequence, bool is_new, int64_t axis,
                                tern_shape *out_shape, int32_t *out_axis) {
  if (sequence->item_count == 0) return TERN_ERROR(TERN_INVALID_ARGUMENT, "the sequence is empty");
  const tern_shape *first = &sequence->items[0]->shape;
  int32_t rank = first->rank + is_new;
  if (rank > TERN_MAX_RANK)
    return TERN_ERROR(TERN_INVALID_ARGUMENT, "the result would have rank %d", rank);
  TERN_TRY(tern_infer_axis(axis, rank, out_axis));
  int64_t total = 0;
  for (size_t i = 0; i < sequence->item_count; ++i) {
    const tern_shape *shape = &sequence->items[i]->shape;
    bool fits =
        shape->rank == first->rank && sequence->items[i]->dtype == sequence->items[0]->dtype;
    for (int32_t k = 0; fits && k < first->rank; ++k)
      fits = shape->dims[k] == first->dims[k] || (!is_new && k == *out_axis);
    char a[TERN_SHAPE_TEXT_BYTES], b[TERN_SHAPE_TEXT_BYTES];
    if (!fits)
      return TERN_ERROR(
          TERN_INVALID_ARGUMENT, "item %zu is %s%s, the first is %s%s", i,
          tern_dtype_name(sequence->items[i]->dtype), tern_shape_format(shape, a, sizeof a),
          tern_dtype_name(sequence->items[0]->dtype), tern_shape_format(first, b, sizeof b));
    if (!tern_checked_add_i64(total, is_new ? 1 : shape->dims[*out_axis], &total))
      return tern_status_out_of_memory();
  }
  out_shape->rank = rank;
  for (int32_t k = 0; k < rank; ++k)
    out_shape->dims[k] = k == *out_axis ? total : first->dims[is_new && k > *out_axis ? k - 1 : k];
  return NULL;
}

tern_status *tern_cpu_concat_from_sequence(tern_invocation *invocation) {
  const tern_value *sequence = invocation->inputs[0];
  bool is_new = tern_node_attr_i(invocation->node, "new_axis") != 0;
  tern_shape shape;
  int32_t axis;
  tern_value *y;
  tern_cpu_target target;
  TERN_TRY(
      join_shapes(sequence, is_new, tern_node_attr_i(invocation->node, "axis"), &shape, &axis));
  TERN_TRY(tern_invocation_allocate(invocation, 0, sequence->items[0]->dtype, &shape, &y));
  if (!y) return NULL;
  TERN_TRY(tern_cpu_target_open(invocation, y, &target));
  if (target.count == 0) return NULL;
  int64_t outer = tern_shape_product(&shape, 0, axis);
  size_t unit = target.unit_bytes * (size_t)tern_shape_product(&shape, axis + 1, shape.rank);
  size_t row = (size_t)shape.dims[axis] * unit, at = 0;
  for (size_t i = 0; i < sequence->item_count; ++i) {
    tern_cpu_source source;
    TERN_TRY(tern_cpu_source_open(invocation, sequence->items[i], &source));
    size_t piece = (is_new ? 1 : (size_t)sequence->items[i]->shape.dims[axis]) * unit;
    copy_rows(source.data, piece, target.data + at, row, outer, piece);
    at += piece;
  }
  return tern_cpu_target_close(&target);
}
