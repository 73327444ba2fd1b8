// Shapes of operators that read a shape or give the same elements another one.
#include <string.h>

#include "base/checked.h"
#include "ops/axes.h"
#include "ops/shape.h"

// The part of the dimensions that Shape's `start` and `end` select.
static void shape_range(const tern_infer *infer, int32_t rank, int32_t *begin, int32_t *end) {
  int64_t from = tern_node_attr_i(infer->node, "start"), to = rank;
  if (tern_node_has_attr(infer->node, "end")) to = tern_node_attr_i(infer->node, "end");
  if (from < 0) from += rank;
  if (to < 0) to += rank;
  from = tern_max_i64(0, tern_min_i64(from, rank));
  to = tern_max_i64(from, tern_min_i64(to, rank));
  *begin = (int32_t)from;
  *end = (int32_t)to;
}

tern_status *tern_ops_infer_shape(tern_infer *infer) {
  const tern_shape *shape = tern_infer_shape(infer, 0);
  tern_infer_set_rank(infer, 0, 1);
  if (!tern_shape_has_rank(shape)) return NULL;
  int32_t begin, end;
  shape_range(infer, shape->rank, &begin, &end);
  infer->output_types[0].shape.dims[0] = end - begin;
  return NULL;
}

tern_status *tern_ops_shape_symints(tern_infer *infer) {
  const tern_shape *shape = tern_infer_shape(infer, 0);
  if (!tern_shape_has_rank(shape)) return NULL;
  int32_t begin, end;
  shape_range(infer, shape->rank, &begin, &end);
  tern_symint items[TERN_MAX_RANK];
  for (int32_t i = begin; i < end; ++i) items[i - begin] = tern_symint_of_dim(shape->dims[i]);
  return tern_infer_set_symints(infer, 0, items, end - begin);
}

tern_status *tern_ops_infer_size(tern_infer *infer) {
  return tern_infer_scalar(infer);
}

tern_status *tern_ops_size_symints(tern_infer *infer) {
  const tern_shape *shape = tern_infer_shape(infer, 0);
  if (!tern_shape_has_rank(shape)) return NULL;
  tern_symint item = tern_symint_of_dim(tern_ops_dim_product(shape, 0, shape->rank));
  return tern_infer_set_symints(infer, 0, &item, 1);
}

// Reshape as an equation of products: input dimensions over output dimensions, equal ones
// cancelled. What is left decides the one dimension that is not given.
typedef struct reshape_balance {
  tern_dim in[TERN_MAX_RANK], out[TERN_MAX_RANK];
  int32_t in_count, out_count;
} reshape_balance;

static void cancel(reshape_balance *balance, int32_t in, int32_t out) {
  balance->in[in] = balance->in[--balance->in_count];
  balance->out[out] = balance->out[--balance->out_count];
}

static void cancel_symbols(reshape_balance *balance) {
  for (int32_t i = balance->in_count - 1; i >= 0; --i) {
    for (int32_t o = 0; o < balance->out_count; ++o) {
      if (balance->in[i] > TERN_DIM_FIRST_SYMBOL || balance->in[i] != balance->out[o]) continue;
      cancel(balance, i, o);
      break;
    }
  }
}

// The product of the numbers in `dims`, and how many symbols and unknowns there are. False on
// overflow.
static bool balance_side(const tern_dim *dims, int32_t count, int64_t *number, tern_dim *symbol,
                         int32_t *open_count) {
  *number = 1;
  *open_count = 0;
  for (int32_t i = 0; i < count; ++i) {
    if (dims[i] >= 0) {
      if (!tern_checked_mul_i64(*number, dims[i], number)) return false;
    } else {
      *symbol = dims[i];
      ++*open_count;
    }
  }
  return true;
}

static tern_status *reshape_mismatch(const tern_infer *infer, const tern_shape *shape) {
  char from[TERN_SHAPE_TEXT_BYTES], to[TERN_SHAPE_TEXT_BYTES];
  return TERN_ERROR(TERN_INVALID_ARGUMENT, "input of shape %s cannot be reshaped to %s",
                    tern_shape_format(tern_infer_shape(infer, 0), from, sizeof from),
                    tern_shape_format(shape, to, sizeof to));
}

// Settles dimension `open` (-1: every one is given) from the balance. `must` says that the model
// asks for it with -1, so that a remainder is an error even where other dimensions might differ.
static tern_status *settle_reshape(const tern_infer *infer, reshape_balance *balance, int32_t open,
                                   bool must, tern_shape *shape) {
  int64_t in, out;
  tern_dim in_symbol = TERN_DIM_UNKNOWN, out_symbol = TERN_DIM_UNKNOWN;
  int32_t in_open, out_open;
  cancel_symbols(balance);
  if (!balance_side(balance->in, balance->in_count, &in, &in_symbol, &in_open) ||
      !balance_side(balance->out, balance->out_count, &out, &out_symbol, &out_open))
    return reshape_mismatch(infer, shape);
  if (out_open > 0 || in_open > 1) return NULL;
  if (in_open == 1) {
    if (open >= 0 && in == out && in != 0) shape->dims[open] = in_symbol;
    return NULL;
  }
  if (open < 0) return in == out ? NULL : reshape_mismatch(infer, shape);
  if (out == 0 || in % out != 0) return must ? reshape_mismatch(infer, shape) : NULL;
  shape->dims[open] = in / out;
  return NULL;
}

// One requested dimension: 0 copies, -1 is to be settled.
static tern_status *read_reshape_item(const tern_infer *infer, tern_symint item, int32_t i,
                                      tern_dim *out_dim, bool *out_copied) {
  const tern_shape *from = tern_infer_shape(infer, 0);
  bool copies = item.kind == TERN_SYMINT_NUMBER && item.value == 0 &&
                !tern_node_attr_i(infer->node, "allowzero");
  if (item.kind == TERN_SYMINT_NUMBER && item.value < -1)
    return TERN_ERROR(TERN_INVALID_ARGUMENT, "dimension %d of the shape is %lld", i,
                      (long long)item.value);
  *out_copied = copies && tern_shape_has_rank(from);
  if (*out_copied && i >= from->rank)
    return TERN_ERROR(TERN_INVALID_ARGUMENT,
                      "dimension %d of the shape is 0, but the input has rank %d", i, from->rank);
  if (*out_copied)
    *out_dim = from->dims[i];
  else
    *out_dim = copies ? TERN_DIM_UNKNOWN : tern_symint_to_dim(item);
  return NULL;
}

tern_status *tern_ops_infer_reshape(tern_infer *infer) {
  tern_symint items[TERN_SYMINTS_MAX];
  tern_shape *shape = &infer->output_types[0].shape;
  const tern_shape *from = tern_infer_shape(infer, 0);
  int32_t count = 0, inferred = -1, unknown = -1, unknown_count = 0;
  bool followed = tern_infer_symints(infer, 1, items, &count);
  int64_t rank = followed ? count : tern_ops_input_length(infer, 1);
  if (rank > TERN_MAX_RANK)
    return TERN_ERROR(TERN_INVALID_ARGUMENT, "a shape of %lld dimensions exceeds %d",
                      (long long)rank, TERN_MAX_RANK);
  if (!followed) {
    if (rank >= 0) tern_infer_set_rank(infer, 0, (int32_t)rank);
    return NULL;
  }
  reshape_balance balance = {.in_count = 0};
  bool copied[TERN_MAX_RANK] = {false};
  for (int32_t i = 0; i < count; ++i) {
    TERN_TRY(read_reshape_item(infer, items[i], i, &shape->dims[i], &copied[i]));
    bool is_inferred = items[i].kind == TERN_SYMINT_NUMBER && items[i].value == -1;
    if (is_inferred && inferred >= 0)
      return TERN_ERROR(TERN_INVALID_ARGUMENT, "the shape has -1 twice, at %d and %d", inferred, i);
    if (is_inferred) inferred = i;
    if (copied[i]) continue; // stands on both sides, a zero too
    if (shape->dims[i] != TERN_DIM_UNKNOWN) {
      balance.out[balance.out_count++] = shape->dims[i];
    } else {
      unknown = i;
      unknown_count++;
    }
  }
  shape->rank = count;
  // One dimension that is not known follows from the others, whether asked for or not.
  if (!tern_shape_has_rank(from) || unknown_count > 1) return NULL;
  for (int32_t i = 0; i < from->rank; ++i)
    if (i >= count || !copied[i]) balance.in[balance.in_count++] = from->dims[i];
  return settle_reshape(infer, &balance, unknown, inferred >= 0, shape);
}

tern_status *tern_ops_infer_flatten(tern_infer *infer) {
  const tern_shape *from = tern_infer_shape(infer, 0);
  tern_shape *shape = &infer->output_types[0].shape;
  int64_t axis = tern_node_attr_i(infer->node, "axis");
  tern_infer_set_rank(infer, 0, 2);
  if (!tern_shape_has_rank(from)) return NULL;
  if (axis < -(int64_t)from->rank || axis > from->rank)
    return TERN_ERROR(TERN_INVALID_ARGUMENT, "axis %lld is not within [-%d, %d]", (long long)axis,
                      from->rank, from->rank);
  if (axis < 0) axis += from->rank;
  shape->dims[0] = tern_ops_dim_product(from, 0, (int32_t)axis);
  shape->dims[1] = tern_ops_dim_product(from, (int32_t)axis, from->rank);
  return NULL;
}

// Which axes Squeeze removes, as bits. *out_known is false when that depends on what is not known.
static tern_status *squeezed_axes(const tern_infer *infer, const tern_shape *from,
                                  uint32_t *out_mask, bool *out_known) {
  int32_t axes[TERN_MAX_RANK], count = 0;
  *out_mask = 0;
  TERN_TRY(tern_ops_read_axes(infer, 1, from->rank, axes, &count, out_known));
  for (int32_t i = 0; *out_known && i < count; ++i) {
    if (from->dims[axes[i]] >= 0 && from->dims[axes[i]] != 1)
      return TERN_ERROR(TERN_INVALID_ARGUMENT, "axis %d cannot be squeezed: its size is %lld",
                        axes[i], (long long)from->dims[axes[i]]);
    *out_mask |= 1u << axes[i];
  }
  if (tern_infer_has(infer, 1)) return NULL;
  *out_known = tern_shape_is_known(from);
  for (int32_t i = 0; i < from->rank; ++i)
    if (from->dims[i] == 1) *out_mask |= 1u << i;
  return NULL;
}

tern_status *tern_ops_infer_squeeze(tern_infer *infer) {
  const tern_shape *from = tern_infer_shape(infer, 0);
  tern_shape *shape = &infer->output_types[0].shape;
  uint32_t mask;
  bool known;
  if (!tern_shape_has_rank(from)) return NULL;
  TERN_TRY(squeezed_axes(infer, from, &mask, &known));
  if (!known) {
    int64_t removed = tern_infer_has(infer, 1) ? tern_ops_input_length(infer, 1) : -1;
    if (removed >= 0 && removed <= from->rank)
      tern_infer_set_rank(infer, 0, from->rank - (int32_t)removed);
    return NULL;
  }
  shape->rank = 0;
  for (int32_t i = 0; i < from->rank; ++i)
    if (!(mask >> i & 1u)) shape->dims[shape->rank++] = from->dims[i];
  return NULL;
}

tern_status *tern_ops_infer_unsqueeze(tern_infer *infer) {
  const tern_shape *from = tern_infer_shape(infer, 0);
  tern_shape *shape = &infer->output_types[0].shape;
  int32_t axes[TERN_MAX_RANK], count, next = 0;
  int64_t added = tern_ops_input_length(infer, 1);
  bool known;
  if (!tern_shape_has_rank(from) || added < 0) return NULL;
  if (added > TERN_MAX_RANK - from->rank)
    return TERN_ERROR(TERN_INVALID_ARGUMENT, "%lld more dimensions than %d exceed %d",
                      (long long)added, from->rank, TERN_MAX_RANK);
  int32_t rank = from->rank + (int32_t)added;
  TERN_TRY(tern_ops_read_axes(infer, 1, rank, axes, &count, &known));
  tern_infer_set_rank(infer, 0, rank);
  if (!known) return NULL;
  for (int32_t i = 0; i < count; ++i) shape->dims[axes[i]] = 1;
  for (int32_t i = 0; i < rank; ++i)
    if (shape->dims[i] != 1) shape->dims[i] = from->dims[next++];
  return NULL;
}

tern_status *tern_ops_infer_expand(tern_infer *infer) {
  const tern_shape *from = tern_infer_shape(infer, 0);
  tern_shape shape;
  TERN_TRY(tern_ops_read_shape(infer, 1, &shape));
  if (!from || !tern_shape_has_rank(&shape)) return NULL;
  if (!tern_shape_broadcast(&shape, from)) {
    char a[TERN_SHAPE_TEXT_BYTES], b[TERN_SHAPE_TEXT_BYTES];
    return TERN_ERROR(TERN_INVALID_ARGUMENT, "input of shape %s does not expand to %s",
                      tern_shape_format(from, a, sizeof a), tern_shape_format(&shape, b, sizeof b));
  }
  tern_shape_copy(&infer->output_types[0].shape, &shape);
  return NULL;
}

tern_status *tern_ops_same_symints(tern_infer *infer) {
  tern_symint items[TERN_SYMINTS_MAX];
  int32_t count;
  const tern_shape *shape = &infer->output_types[0].shape;
  if (shape->rank < 0 || shape->rank > 1) return NULL;
  if (!tern_infer_symints(infer, 0, items, &count)) return NULL;
  return tern_infer_set_symints(infer, 0, items, count);
}
