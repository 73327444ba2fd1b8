// Kernels of the indexing family: indices are checked and become offsets, and elements are copied
// or reduced there.
#include "providers/cpu/indexing.h"

#include <math.h>
#include <string.h>

#include "compute/index.h"
#include "compute/strided.h"
#include "providers/cpu/cpu.h"
#include "providers/cpu/elements.h"

static int32_t axis_of(const tern_node *node, int32_t rank) {
  int64_t axis = tern_node_attr_i(node, "axis");
  return (int32_t)(axis < 0 ? axis + rank : axis);
}

// Indices into an axis of `size`, none negative.
static tern_status *read_indices(tern_invocation *invocation, const tern_value *value, int64_t size,
                                 int64_t **out_indices) {
  int64_t count = tern_value_count(value);
  TERN_TRY(tern_cpu_read_i64s(invocation, value, out_indices));
  int64_t bad = tern_index_normalize(*out_indices, count, size);
  if (bad < 0) return NULL;
  return TERN_ERROR(TERN_INVALID_ARGUMENT, "index %lld is not within [-%lld, %lld)",
                    (long long)tern_dtype_read_i64(value->dtype, value->data, bad), (long long)size,
                    (long long)size);
}

static tern_status *compute_gather(tern_invocation *invocation) {
  const tern_value *data = invocation->inputs[0], *indices = invocation->inputs[1];
  const tern_shape *shape = &data->shape;
  int32_t axis = axis_of(invocation->node, shape->rank);
  int64_t *items, outer = tern_shape_product(shape, 0, axis);
  size_t block = (size_t)tern_shape_product(shape, axis + 1, shape->rank);
  tern_cpu_source source;
  tern_cpu_target target;
  TERN_TRY(read_indices(invocation, indices, shape->dims[axis], &items));
  TERN_TRY(tern_cpu_source_open(invocation, data, &source));
  TERN_TRY(tern_cpu_target_open(invocation, invocation->outputs[0], &target));
  if (target.count > 0)
    tern_index_gather_rows(invocation->parallel, outer, shape->dims[axis],
                           block * source.unit_bytes, source.data, items, tern_value_count(indices),
                           target.data);
  return tern_cpu_target_close(&target);
}

static tern_status *allocate_offsets(tern_invocation *invocation, int64_t count,
                                     int64_t **out_offsets) {
  void *offsets;
  TERN_TRY(tern_invocation_scratch(invocation, (size_t)count * sizeof(int64_t), &offsets));
  *out_offsets = offsets;
  return NULL;
}

// Where in the data the elements named by input 1 lie, one an index.
static tern_status *element_offsets(tern_invocation *invocation, int64_t **out_offsets) {
  const tern_shape *data = &invocation->inputs[0]->shape, *shape = &invocation->inputs[1]->shape;
  int32_t axis = axis_of(invocation->node, data->rank);
  int64_t strides[TERN_MAX_RANK], *items;
  TERN_TRY(read_indices(invocation, invocation->inputs[1], data->dims[axis], &items));
  int64_t count = tern_value_count(invocation->inputs[1]);
  TERN_TRY(allocate_offsets(invocation, count, out_offsets));
  tern_strided_dense(data->dims, data->rank, strides);
  if (count > 0)
    tern_index_element_offsets(data->rank, shape->dims, strides, axis, items, *out_offsets);
  return NULL;
}

// Blocks of the data named by tuples of indices, the last dimension of input 1.
typedef struct tuple_blocks {
  int64_t count, block; // tuples; elements of a block
  int64_t *offsets;     // in blocks
} tuple_blocks;

static tern_status *find_tuples(tern_invocation *invocation, int32_t batch_dims,
                                tuple_blocks *out_blocks) {
  const tern_shape *data = &invocation->inputs[0]->shape, *shape = &invocation->inputs[1]->shape;
  const int64_t *items = invocation->inputs[1]->data;
  int32_t depth = (int32_t)shape->dims[shape->rank - 1], end = batch_dims + depth;
  tuple_blocks blocks = {tern_shape_product(shape, 0, shape->rank - 1),
                         tern_shape_product(data, end, data->rank), NULL};
  int64_t batches = tern_shape_product(shape, 0, batch_dims);
  int64_t per_batch = batches > 0 ? blocks.count / batches : 1;
  int64_t batch_blocks = tern_shape_product(data, batch_dims, end);
  TERN_TRY(allocate_offsets(invocation, blocks.count, &blocks.offsets));
  for (int64_t t = 0; t < blocks.count; ++t) {
    int64_t offset = 0;
    for (int32_t k = 0; k < depth; ++k) {
      int64_t size = data->dims[batch_dims + k], index = items[t * depth + k];
      if (index < 0) index += size;
      if (index < 0 || index >= size)
        return TERN_ERROR(TERN_INVALID_ARGUMENT, "index %lld is not within [-%lld, %lld)",
                          (long long)items[t * depth + k], (long long)size, (long long)size);
      offset = offset * size + index;
    }
    blocks.offsets[t] = offset + t / per_batch * batch_blocks;
  }
  *out_blocks = blocks;
  return NULL;
}

static tern_status *gather_blocks(tern_invocation *invocation, const tuple_blocks *blocks) {
  tern_cpu_source source;
  tern_cpu_target target;
  TERN_TRY(tern_cpu_source_open(invocation, invocation->inputs[0], &source));
  TERN_TRY(tern_cpu_target_open(invocation, invocation->outputs[0], &target));
  if (target.count > 0)
    tern_index_gather(invocation->parallel, blocks->offsets, blocks->count,
                      (size_t)blocks->block * source.unit_bytes, source.data, target.data);
  return tern_cpu_target_close(&target);
}

static tern_status *compute_gather_elements(tern_invocation *invocation) {
  tuple_blocks blocks = {tern_value_count(invocation->inputs[1]), 1, NULL};
  TERN_TRY(element_offsets(invocation, &blocks.offsets));
  return gather_blocks(invocation, &blocks);
}

static tern_status *compute_gather_nd(tern_invocation *invocation) {
  tuple_blocks blocks;
  TERN_TRY(
      find_tuples(invocation, (int32_t)tern_node_attr_i(invocation->node, "batch_dims"), &blocks));
  return gather_blocks(invocation, &blocks);
}

static bool read_reduction(const tern_node *node, tern_index_reduction *out_reduction) {
  static const char *const names[] = {"add", "mul", "max", "min"}; // in the order of the enum
  const char *name = tern_node_attr_s(node, "reduction");
  for (size_t i = 0; i < TERN_COUNT_OF(names); ++i) {
    if (strcmp(name, names[i]) != 0) continue;
    *out_reduction = (tern_index_reduction)i;
    return true;
  }
  return false;
}

static tern_status *scatter_blocks(tern_invocation *invocation, const tuple_blocks *blocks) {
  const tern_value *data = invocation->inputs[0], *updates = invocation->inputs[2];
  tern_index_reduction reduction;
  tern_cpu_source source;
  tern_cpu_target target;
  TERN_TRY(tern_cpu_source_open(invocation, updates, &source));
  TERN_TRY(tern_cpu_target_open_copy(invocation, data, invocation->outputs[0], &target));
  if (source.count == 0) return tern_cpu_target_close(&target);
  if (!read_reduction(invocation->node, &reduction))
    tern_index_scatter(blocks->offsets, blocks->count, (size_t)blocks->block * source.unit_bytes,
                       source.data, target.data);
  else if (!tern_index_reduce(data->dtype, reduction, blocks->offsets, blocks->count, blocks->block,
                              source.data, target.data))
    return TERN_ERROR(TERN_NOT_IMPLEMENTED, "elements of type %s cannot be reduced",
                      tern_dtype_name(data->dtype));
  return tern_cpu_target_close(&target);
}

static tern_status *compute_scatter_elements(tern_invocation *invocation) {
  tuple_blocks blocks = {tern_value_count(invocation->inputs[1]), 1, NULL};
  TERN_TRY(element_offsets(invocation, &blocks.offsets));
  return scatter_blocks(invocation, &blocks);
}

static tern_status *compute_scatter_nd(tern_invocation *invocation) {
  tuple_blocks blocks;
  TERN_TRY(find_tuples(invocation, 0, &blocks));
  return scatter_blocks(invocation, &blocks);
}

static tern_status *compute_tensor_scatter(tern_invocation *invocation) {
  const tern_value *cache = invocation->inputs[0], *update = invocation->inputs[1];
  const tern_value *writes = invocation->input_count > 2 ? invocation->inputs[2] : NULL;
  const tern_shape *shape = &cache->shape;
  bool circular = strcmp(tern_node_attr_s(invocation->node, "mode"), "circular") == 0;
  int32_t axis = axis_of(invocation->node, shape->rank);
  int64_t size = shape->dims[axis], count = update->shape.dims[axis];
  int64_t rows = tern_shape_product(shape, 0, axis);
  if (writes && tern_value_count(writes) != shape->dims[0])
    return TERN_ERROR(TERN_INVALID_ARGUMENT, "%lld write indices for a batch of %lld",
                      (long long)tern_value_count(writes), (long long)shape->dims[0]);
  tern_cpu_source source;
  tern_cpu_target target;
  TERN_TRY(tern_cpu_source_open(invocation, update, &source));
  TERN_TRY(tern_cpu_target_open_copy(invocation, cache, invocation->outputs[0], &target));
  size_t block = (size_t)tern_shape_product(shape, axis + 1, shape->rank) * source.unit_bytes;
  if (source.count == 0) return tern_cpu_target_close(&target);
  for (int64_t row = 0; row < rows; ++row) {
    int64_t batch = row / (rows / shape->dims[0]);
    int64_t start = writes ? tern_dtype_read_i64(writes->dtype, writes->data, batch) : 0;
    if (start < 0 || (!circular && start > size - count))
      return TERN_ERROR(TERN_INVALID_ARGUMENT, "%lld entries at %lld exceed a cache of %lld",
                        (long long)count, (long long)start, (long long)size);
    start %= size;
    int64_t before_end = tern_min_i64(count, size - start);
    unsigned char *to = target.data + (size_t)(row * size) * block;
    const unsigned char *from = source.data + (size_t)(row * count) * block;
    memcpy(to + (size_t)start * block, from, (size_t)before_end * block);
    memcpy(to, from + (size_t)before_end * block, (size_t)(count - before_end) * block);
  }
  return tern_cpu_target_close(&target);
}

// The position that index `i` of a one-hot input names among `depth`; -1: none of them.
static int64_t one_hot_position(const tern_value *indices, int64_t i, int64_t depth) {
  int64_t index;
  if (tern_dtype_get_info(indices->dtype)->class == TERN_CLASS_F ||
      tern_dtype_get_info(indices->dtype)->class == TERN_CLASS_B) {
    double number = trunc(tern_dtype_read_f64(indices->dtype, indices->data, i));
    if (!(number >= -0x1p62 && number <= 0x1p62)) return -1;
    index = (int64_t)number;
  } else {
    index = tern_dtype_read_i64(indices->dtype, indices->data, i);
    if (index < 0 && indices->dtype == TERN_UINT64) return -1;
  }
  if (index < 0) index += depth;
  return index >= 0 && index < depth ? index : -1;
}

static tern_status *compute_one_hot(tern_invocation *invocation) {
  const tern_value *indices = invocation->inputs[0];
  const tern_shape *shape = &invocation->outputs[0]->shape;
  int32_t axis = axis_of(invocation->node, shape->rank);
  int64_t depth = shape->dims[axis], inner = tern_shape_product(shape, axis + 1, shape->rank);
  tern_cpu_source values;
  tern_cpu_target target;
  if (tern_value_count(invocation->inputs[2]) != 2)
    return TERN_ERROR(TERN_INVALID_ARGUMENT, "values are not two");
  TERN_TRY(tern_cpu_source_open(invocation, invocation->inputs[2], &values));
  TERN_TRY(tern_cpu_target_open(invocation, invocation->outputs[0], &target));
  size_t bytes = values.unit_bytes;
  tern_strided_fill(values.data, bytes, target.count, target.data);
  for (int64_t i = 0; target.count > 0 && i < tern_value_count(indices); ++i) {
    int64_t position = one_hot_position(indices, i, depth);
    int64_t at = (i / inner * depth + position) * inner + i % inner;
    if (position >= 0) memcpy(target.data + (size_t)at * bytes, values.data + bytes, bytes);
  }
  return tern_cpu_target_close(&target);
}

static const tern_cpu_kernel kernels[] = {
    {TERN_DOMAIN_ONNX, "Gather", .compute = compute_gather},
    {TERN_DOMAIN_ONNX, "GatherElements", .compute = compute_gather_elements},
    {TERN_DOMAIN_ONNX, "GatherND", .compute = compute_gather_nd},
    {TERN_DOMAIN_ONNX, "ScatterElements", .compute = compute_scatter_elements},
    {TERN_DOMAIN_ONNX, "ScatterND", .compute = compute_scatter_nd},
    {TERN_DOMAIN_ONNX, "TensorScatter", .compute = compute_tensor_scatter},
    {TERN_DOMAIN_ONNX, "NonZero", .compute = tern_cpu_compute_nonzero},
    {TERN_DOMAIN_ONNX, "TopK", .compute = tern_cpu_compute_topk},
    {TERN_DOMAIN_ONNX, "Unique", .compute = tern_cpu_compute_unique},
    {TERN_DOMAIN_ONNX, "OneHot", .compute = compute_one_hot},
};

const tern_cpu_family tern_cpu_indexing = {"indexing", kernels, TERN_COUNT_OF(kernels)};
