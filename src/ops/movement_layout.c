// Shapes of operators that rearrange or repeat elements: Transpose, Pad, Tile, the depth and space
// pair, Col2Im.
#include <string.h>

#include "base/checked.h"
#include "ops/axes.h"
#include "ops/movement.h"

tern_status *tern_ops_infer_transpose(tern_infer *infer) {
  const tern_shape *from = tern_infer_shape(infer, 0);
  tern_shape *shape = &infer->output_types[0].shape;
  size_t count;
  const int64_t *perm = tern_node_attr_ints(infer->node, "perm", &count);
  uint32_t seen = 0;
  if (!tern_shape_has_rank(from)) {
    if (perm && count <= TERN_MAX_RANK) tern_infer_set_rank(infer, 0, (int32_t)count);
    return NULL;
  }
  if (perm && count != (size_t)from->rank)
    return TERN_ERROR(TERN_INVALID_ARGUMENT, "attribute 'perm' has %zu entries, the input rank %d",
                      count, from->rank);
  shape->rank = from->rank;
  for (int32_t i = 0; i < from->rank; ++i) {
    int32_t axis = from->rank - 1 - i;
    if (perm) TERN_TRY(tern_infer_axis(perm[i], from->rank, &axis));
    if (seen >> axis & 1u)
      return TERN_ERROR(TERN_INVALID_ARGUMENT, "attribute 'perm' has axis %d twice", axis);
    seen |= 1u << axis;
    shape->dims[i] = from->dims[axis];
  }
  return NULL;
}

static tern_status *padded_dim(int64_t begin, int64_t end, int32_t axis, tern_dim *inout_dim) {
  if (begin == 0 && end == 0) return NULL;
  if (*inout_dim < 0) {
    *inout_dim = TERN_DIM_UNKNOWN;
    return NULL;
  }
  int64_t size;
  if (!tern_checked_add_i64(*inout_dim, begin, &size) || !tern_checked_add_i64(size, end, &size) ||
      size < 0)
    return TERN_ERROR(TERN_INVALID_ARGUMENT, "axis %d of size %lld cannot be padded by %lld, %lld",
                      axis, (long long)*inout_dim, (long long)begin, (long long)end);
  *inout_dim = size;
  return NULL;
}

tern_status *tern_ops_infer_pad(tern_infer *infer) {
  const tern_shape *from = tern_infer_shape(infer, 0);
  int64_t pads[TERN_SYMINTS_MAX];
  int32_t axes[TERN_MAX_RANK], count, axis_count;
  bool known = true;
  if (!tern_shape_has_rank(from)) return NULL;
  tern_infer_set_rank(infer, 0, from->rank);
  axis_count = from->rank;
  for (int32_t i = 0; i < from->rank; ++i) axes[i] = i;
  if (tern_infer_has(infer, 3))
    TERN_TRY(tern_ops_read_axes(infer, 3, from->rank, axes, &axis_count, &known));
  if (!known || !tern_infer_i64s(infer, 1, pads, TERN_SYMINTS_MAX, &count)) return NULL;
  if (count != 2 * axis_count)
    return TERN_ERROR(TERN_INVALID_ARGUMENT, "there are %d pads for %d axes", count, axis_count);
  tern_shape *shape = &infer->output_types[0].shape;
  tern_shape_copy(shape, from);
  for (int32_t i = 0; i < axis_count; ++i)
    TERN_TRY(padded_dim(pads[i], pads[i + axis_count], axes[i], &shape->dims[axes[i]]));
  return NULL;
}

static tern_status *tiled_dim(tern_symint repeat, int32_t axis, tern_dim *inout_dim) {
  tern_dim dim = *inout_dim;
  *inout_dim = TERN_DIM_UNKNOWN;
  if (repeat.kind == TERN_SYMINT_NUMBER && repeat.value < 0)
    return TERN_ERROR(TERN_INVALID_ARGUMENT, "axis %d is repeated %lld times", axis,
                      (long long)repeat.value);
  if (repeat.kind == TERN_SYMINT_NUMBER && repeat.value == 1) {
    *inout_dim = dim;
  } else if (repeat.kind == TERN_SYMINT_NUMBER && dim >= 0) {
    if (!tern_checked_mul_i64(dim, repeat.value, inout_dim))
      return TERN_ERROR(TERN_INVALID_ARGUMENT, "axis %d would have %lld times %lld elements", axis,
                        (long long)repeat.value, (long long)dim);
  } else if (dim == 1) {
    *inout_dim = tern_symint_to_dim(repeat);
  }
  return NULL;
}

tern_status *tern_ops_infer_tile(tern_infer *infer) {
  const tern_shape *from = tern_infer_shape(infer, 0);
  tern_symint repeats[TERN_SYMINTS_MAX];
  int32_t count;
  if (!tern_shape_has_rank(from)) return NULL;
  tern_infer_set_rank(infer, 0, from->rank);
  if (!tern_infer_symints(infer, 1, repeats, &count)) return NULL;
  if (count != from->rank)
    return TERN_ERROR(TERN_INVALID_ARGUMENT, "there are %d repeats for %d axes", count, from->rank);
  tern_shape *shape = &infer->output_types[0].shape;
  tern_shape_copy(shape, from);
  for (int32_t i = 0; i < count; ++i) TERN_TRY(tiled_dim(repeats[i], i, &shape->dims[i]));
  return NULL;
}

static tern_status *read_blocksize(const tern_infer *infer, int64_t *out_size) {
  const char *mode = tern_node_attr_s(infer->node, "mode");
  *out_size = tern_node_attr_i(infer->node, "blocksize");
  if (*out_size <= 0 || *out_size > INT32_MAX)
    return TERN_ERROR(TERN_INVALID_GRAPH, "attribute 'blocksize' is %lld", (long long)*out_size);
  if (strcmp(mode, "DCR") != 0 && strcmp(mode, "CRD") != 0)
    return TERN_ERROR(TERN_INVALID_GRAPH, "attribute 'mode' is '%s', not DCR or CRD", mode);
  const tern_shape *from = tern_infer_shape(infer, 0);
  if (tern_shape_has_rank(from) && from->rank != 4)
    return TERN_ERROR(TERN_INVALID_ARGUMENT, "the input has rank %d, not 4", from->rank);
  return NULL;
}

// `dim` times `factor`; symbols become unknown.
static tern_status *scale_dim(tern_dim dim, int64_t factor, tern_dim *out_dim) {
  *out_dim = factor == 1 ? dim : TERN_DIM_UNKNOWN;
  if (dim >= 0 && !tern_checked_mul_i64(dim, factor, out_dim))
    return TERN_ERROR(TERN_INVALID_ARGUMENT, "a dimension of %lld times %lld is too large",
                      (long long)dim, (long long)factor);
  return NULL;
}

static tern_status *divide_dim(tern_dim dim, int64_t factor, tern_dim *out_dim) {
  *out_dim = factor == 1 ? dim : TERN_DIM_UNKNOWN;
  if (dim < 0) return NULL;
  if (dim % factor != 0)
    return TERN_ERROR(TERN_INVALID_ARGUMENT, "a dimension of %lld cannot be divided by %lld",
                      (long long)dim, (long long)factor);
  *out_dim = dim / factor;
  return NULL;
}

tern_status *tern_ops_infer_depth_to_space(tern_infer *infer) {
  const tern_shape *from = tern_infer_shape(infer, 0);
  tern_shape *shape = &infer->output_types[0].shape;
  int64_t size;
  TERN_TRY(read_blocksize(infer, &size));
  tern_infer_set_rank(infer, 0, 4);
  if (!tern_shape_has_rank(from)) return NULL;
  shape->dims[0] = from->dims[0];
  TERN_TRY(divide_dim(from->dims[1], size * size, &shape->dims[1]));
  TERN_TRY(scale_dim(from->dims[2], size, &shape->dims[2]));
  return scale_dim(from->dims[3], size, &shape->dims[3]);
}

tern_status *tern_ops_infer_space_to_depth(tern_infer *infer) {
  const tern_shape *from = tern_infer_shape(infer, 0);
  tern_shape *shape = &infer->output_types[0].shape;
  int64_t size;
  TERN_TRY(read_blocksize(infer, &size));
  tern_infer_set_rank(infer, 0, 4);
  if (!tern_shape_has_rank(from)) return NULL;
  shape->dims[0] = from->dims[0];
  TERN_TRY(scale_dim(from->dims[1], size * size, &shape->dims[1]));
  TERN_TRY(divide_dim(from->dims[2], size, &shape->dims[2]));
  return divide_dim(from->dims[3], size, &shape->dims[3]);
}

tern_status *tern_ops_infer_reverse_sequence(tern_infer *infer) {
  const tern_shape *from = tern_infer_shape(infer, 0), *lengths = tern_infer_shape(infer, 1);
  int64_t time = tern_node_attr_i(infer->node, "time_axis");
  int64_t batch = tern_node_attr_i(infer->node, "batch_axis");
  if (time < 0 || time > 1 || batch < 0 || batch > 1 || time == batch)
    return TERN_ERROR(TERN_INVALID_GRAPH, "the time axis is %lld, the batch axis %lld",
                      (long long)time, (long long)batch);
  if (!tern_shape_has_rank(from)) return NULL;
  if (from->rank < 2)
    return TERN_ERROR(TERN_INVALID_ARGUMENT, "the input has rank %d, less than 2", from->rank);
  tern_dim dim = from->dims[batch];
  if (tern_shape_has_rank(lengths) &&
      (lengths->rank != 1 || !tern_dim_merge(&dim, lengths->dims[0])))
    return TERN_ERROR(TERN_INVALID_ARGUMENT, "the sequence lengths are not one a batch entry");
  return tern_infer_same_as_input(infer);
}

tern_status *tern_ops_infer_trilu(tern_infer *infer) {
  const tern_shape *from = tern_infer_shape(infer, 0);
  if (tern_shape_has_rank(from) && from->rank < 2)
    return TERN_ERROR(TERN_INVALID_ARGUMENT, "the input has rank %d, less than 2", from->rank);
  return tern_infer_same_as_input(infer);
}

tern_status *tern_ops_infer_center_crop_pad(tern_infer *infer) {
  const tern_shape *from = tern_infer_shape(infer, 0);
  tern_shape target;
  size_t count;
  const int64_t *axes = tern_node_attr_ints(infer->node, "axes", &count);
  if (!tern_shape_has_rank(from)) return NULL;
  TERN_TRY(tern_ops_read_shape(infer, 1, &target));
  tern_infer_set_rank(infer, 0, from->rank);
  if (target.rank < 0) return NULL;
  if (!axes) count = (size_t)from->rank;
  if ((size_t)target.rank != count)
    return TERN_ERROR(TERN_INVALID_ARGUMENT, "the shape has %d sizes for %zu axes", target.rank,
                      count);
  tern_shape *shape = &infer->output_types[0].shape;
  tern_shape_copy(shape, from);
  for (int32_t i = 0; i < target.rank; ++i) {
    int32_t axis = i;
    if (axes) TERN_TRY(tern_infer_axis(axes[i], from->rank, &axis));
    shape->dims[axis] = target.dims[i];
  }
  return NULL;
}

// How many blocks there are along a spatial axis; negative: none fits.
static int64_t count_blocks(const tern_infer *infer, int32_t axis, int32_t rank, int64_t image,
                            int64_t block) {
  size_t count;
  const int64_t *dilations = tern_node_attr_ints(infer->node, "dilations", &count);
  const int64_t *strides = tern_node_attr_ints(infer->node, "strides", &count);
  const int64_t *pads = tern_node_attr_ints(infer->node, "pads", &count);
  int64_t reach, padded = image, stride = strides ? strides[axis] : 1;
  if (block < 1) return -1;
  if (!tern_checked_mul_i64(dilations ? dilations[axis] : 1, block - 1, &reach)) return -1;
  if (pads && (!tern_checked_add_i64(padded, pads[axis], &padded) ||
               !tern_checked_add_i64(padded, pads[axis + rank], &padded)))
    return -1;
  return padded - 1 < reach || stride <= 0 ? -1 : (padded - 1 - reach) / stride + 1;
}

static tern_status *check_col2im_attrs(const tern_infer *infer, int32_t rank) {
  static const char *const names[] = {"dilations", "strides", "pads"};
  for (size_t a = 0; a < TERN_COUNT_OF(names); ++a) {
    size_t count, expected = (size_t)rank * (a == 2 ? 2 : 1);
    const int64_t *items = tern_node_attr_ints(infer->node, names[a], &count);
    if (items && count != expected)
      return TERN_ERROR(TERN_INVALID_ARGUMENT, "attribute '%s' has %zu entries, not %zu", names[a],
                        count, expected);
    for (size_t i = 0; items && i < count; ++i)
      if (items[i] < (a == 2 ? 0 : 1))
        return TERN_ERROR(TERN_INVALID_ARGUMENT, "attribute '%s' has the entry %lld", names[a],
                          (long long)items[i]);
  }
  return NULL;
}

static tern_status *check_col2im(const tern_infer *infer, const tern_shape *image,
                                 const tern_shape *block, int64_t *out_block_size) {
  const tern_shape *from = tern_infer_shape(infer, 0);
  int64_t blocks = 1, size = 1;
  for (int32_t i = 0; i < block->rank; ++i) {
    int64_t n = count_blocks(infer, i, block->rank, image->dims[i], block->dims[i]);
    if (n < 1 || !tern_checked_mul_i64(blocks, n, &blocks) ||
        !tern_checked_mul_i64(size, block->dims[i], &size))
      return TERN_ERROR(TERN_INVALID_ARGUMENT, "no block of %lld fits an image of %lld on axis %d",
                        (long long)block->dims[i], (long long)image->dims[i], i);
  }
  if ((from->dims[1] >= 0 && from->dims[1] % size != 0) ||
      (from->dims[2] >= 0 && from->dims[2] != blocks))
    return TERN_ERROR(TERN_INVALID_ARGUMENT,
                      "columns of %lld by %lld do not make images of %lld blocks of %lld elements",
                      (long long)from->dims[1], (long long)from->dims[2], (long long)blocks,
                      (long long)size);
  *out_block_size = size;
  return NULL;
}

tern_status *tern_ops_infer_col2im(tern_infer *infer) {
  const tern_shape *from = tern_infer_shape(infer, 0);
  tern_shape image, block, *shape = &infer->output_types[0].shape;
  int64_t size = 0;
  TERN_TRY(tern_ops_read_shape(infer, 1, &image));
  TERN_TRY(tern_ops_read_shape(infer, 2, &block));
  if (image.rank < 0 || image.rank > TERN_MAX_RANK - 2) return NULL;
  TERN_TRY(check_col2im_attrs(infer, image.rank));
  tern_infer_set_rank(infer, 0, image.rank + 2);
  memcpy(shape->dims + 2, image.dims, (size_t)image.rank * sizeof *shape->dims);
  if (!tern_shape_has_rank(from)) return NULL;
  if (from->rank != 3 || (block.rank >= 0 && block.rank != image.rank))
    return TERN_ERROR(TERN_INVALID_ARGUMENT, "an input of rank %d with %d image and %d block sizes",
                      from->rank, image.rank, block.rank);
  shape->dims[0] = from->dims[0];
  if (!tern_shape_is_known(&image) || !tern_shape_is_known(&block)) return NULL;
  TERN_TRY(check_col2im(infer, &image, &block, &size));
  shape->dims[1] = from->dims[1] >= 0 ? from->dims[1] / size : TERN_DIM_UNKNOWN;
  return NULL;
}
