// Kernels of the movement family: each says which strided copies its operator is.
#include "providers/cpu/movement.h"

#include <string.h>

#include "compute/strided.h"
#include "ops/movement.h"
#include "providers/cpu/cpu.h"
#include "providers/cpu/elements.h"

static const tern_value *input_at(const tern_invocation *invocation, int32_t index) {
  return index < invocation->input_count ? invocation->inputs[index] : NULL;
}

// Copies input 0 to output 0 along `axes`, starting at source element `offset`.
static tern_status *copy_along(tern_invocation *invocation, const tern_strided_axis *axes,
                               int32_t rank, int64_t offset) {
  tern_cpu_source source;
  tern_cpu_target target;
  TERN_TRY(tern_cpu_source_open(invocation, invocation->inputs[0], &source));
  TERN_TRY(tern_cpu_target_open(invocation, invocation->outputs[0], &target));
  if (target.count > 0)
    tern_strided_copy(invocation->parallel, axes, rank, source.unit_bytes,
                      source.data + (size_t)offset * source.unit_bytes, target.data);
  return tern_cpu_target_close(&target);
}

// Input 0 seen with dimensions `dims`, its axes in the order `perm`, as a dense output.
static tern_status *copy_permuted(tern_invocation *invocation, int32_t rank, const int64_t *dims,
                                  const int64_t *perm) {
  int64_t strides[TERN_MAX_RANK], stride = 1;
  tern_strided_axis axes[TERN_MAX_RANK];
  tern_strided_dense(dims, rank, strides);
  for (int32_t i = rank - 1; i >= 0; --i) {
    axes[i] = (tern_strided_axis){dims[perm[i]], strides[perm[i]], stride};
    stride *= dims[perm[i]];
  }
  return copy_along(invocation, axes, rank, 0);
}

static tern_status *compute_transpose(tern_invocation *invocation) {
  const tern_shape *shape = &invocation->inputs[0]->shape;
  int64_t order[TERN_MAX_RANK];
  size_t count;
  const int64_t *perm = tern_node_attr_ints(invocation->node, "perm", &count);
  for (int32_t i = 0; i < shape->rank; ++i) {
    order[i] = perm ? perm[i] : shape->rank - 1 - i;
    if (order[i] < 0) order[i] += shape->rank;
  }
  return copy_permuted(invocation, shape->rank, shape->dims, order);
}

static bool is_crd(const tern_node *node) {
  return strcmp(tern_node_attr_s(node, "mode"), "CRD") == 0;
}

static tern_status *compute_depth_to_space(tern_invocation *invocation) {
  static const int64_t dcr[] = {0, 3, 4, 1, 5, 2}, crd[] = {0, 1, 4, 2, 5, 3};
  const int64_t *d = invocation->inputs[0]->shape.dims;
  int64_t b = tern_node_attr_i(invocation->node, "blocksize"), c = d[1] / (b * b);
  if (is_crd(invocation->node))
    return copy_permuted(invocation, 6, (const int64_t[]){d[0], c, b, b, d[2], d[3]}, crd);
  return copy_permuted(invocation, 6, (const int64_t[]){d[0], b, b, c, d[2], d[3]}, dcr);
}

static tern_status *compute_space_to_depth(tern_invocation *invocation) {
  static const int64_t dcr[] = {0, 3, 5, 1, 2, 4}, crd[] = {0, 1, 3, 5, 2, 4};
  const int64_t *d = invocation->inputs[0]->shape.dims;
  int64_t b = tern_node_attr_i(invocation->node, "blocksize");
  return copy_permuted(invocation, 6, (const int64_t[]){d[0], d[1], d[2] / b, b, d[3] / b, b},
                       is_crd(invocation->node) ? crd : dcr);
}

// A part of `axis` of a tensor of `shape`, as (outer, inner) copies between it and the dense part
// of `size` elements on that axis. `shape` has its whole dimension there.
typedef struct part_copy {
  int64_t outer, whole_row, part_row; // rows of the elements of `axis` and inside
} part_copy;

static part_copy make_part(const tern_shape *whole, const tern_shape *part, int32_t axis) {
  return (part_copy){tern_shape_product(whole, 0, axis),
                     tern_shape_product(whole, axis, whole->rank),
                     tern_shape_product(part, axis, part->rank)};
}

static int32_t read_axis(const tern_node *node, int32_t rank) {
  int64_t axis = tern_node_attr_i(node, "axis");
  return (int32_t)(axis < 0 ? axis + rank : axis);
}

static tern_status *compute_concat(tern_invocation *invocation) {
  tern_value *output = invocation->outputs[0];
  int32_t axis = read_axis(invocation->node, output->shape.rank);
  int64_t offset = 0;
  tern_cpu_target target;
  TERN_TRY(tern_cpu_target_open(invocation, output, &target));
  for (int32_t i = 0; i < invocation->input_count; ++i) {
    const tern_value *input = invocation->inputs[i];
    if (!input || tern_value_count(input) == 0) continue;
    tern_cpu_source source;
    TERN_TRY(tern_cpu_source_open(invocation, input, &source));
    part_copy part = make_part(&output->shape, &input->shape, axis);
    const tern_strided_axis axes[] = {{part.outer, part.part_row, part.whole_row},
                                      {part.part_row, 1, 1}};
    tern_strided_copy(invocation->parallel, axes, 2, source.unit_bytes, source.data,
                      target.data + (size_t)offset * source.unit_bytes);
    offset += part.part_row;
  }
  return tern_cpu_target_close(&target);
}

static tern_status *compute_split(tern_invocation *invocation) {
  const tern_value *input = invocation->inputs[0];
  int32_t axis = read_axis(invocation->node, input->shape.rank);
  int64_t inner = tern_shape_product(&input->shape, axis + 1, input->shape.rank), offset = 0;
  const tern_value *split = input_at(invocation, 1);
  tern_cpu_source source;
  TERN_TRY(tern_cpu_source_open(invocation, input, &source));
  for (int32_t i = 0; i < invocation->output_count; ++i) {
    tern_value *output = invocation->outputs[i];
    int64_t size = split
                       ? tern_dtype_read_i64(split->dtype, split->data, i)
                       : tern_ops_split_size(input->shape.dims[axis], invocation->output_count, i);
    int64_t begin = offset;
    offset += size * inner;
    if (!output || source.count == 0 || size == 0) continue;
    tern_cpu_target target;
    TERN_TRY(tern_cpu_target_open(invocation, output, &target));
    part_copy part = make_part(&input->shape, &output->shape, axis);
    const tern_strided_axis axes[] = {{part.outer, part.whole_row, part.part_row},
                                      {part.part_row, 1, 1}};
    tern_strided_copy(invocation->parallel, axes, 2, source.unit_bytes,
                      source.data + (size_t)begin * source.unit_bytes, target.data);
    TERN_TRY(tern_cpu_target_close(&target));
  }
  return NULL;
}

static int64_t item(const tern_value *list, int64_t index, int64_t otherwise) {
  return list ? tern_dtype_read_i64(list->dtype, list->data, index) : otherwise;
}

static bool has_count(const tern_value *list, int64_t count) {
  return !list || tern_value_count(list) == count;
}

static tern_status *compute_slice(tern_invocation *invocation) {
  const tern_shape *from = &invocation->inputs[0]->shape, *to = &invocation->outputs[0]->shape;
  const tern_value *starts = invocation->inputs[1], *ends = invocation->inputs[2];
  const tern_value *axis_list = input_at(invocation, 3), *steps = input_at(invocation, 4);
  int64_t from_strides[TERN_MAX_RANK], to_strides[TERN_MAX_RANK], offset = 0;
  const int64_t count = tern_value_count(starts);
  if (!has_count(ends, count) || !has_count(axis_list, count) || !has_count(steps, count))
    return TERN_ERROR(TERN_INVALID_ARGUMENT, "starts, ends, axes and steps differ in number");
  // A scalar's slice has a known shape whatever these are, so that inference need not see them.
  if (count > from->rank)
    return TERN_ERROR(TERN_INVALID_ARGUMENT, "%lld axes are sliced, the input has %d",
                      (long long)count, from->rank);
  tern_strided_axis axes[TERN_MAX_RANK];
  tern_strided_dense(from->dims, from->rank, from_strides);
  tern_strided_dense(to->dims, to->rank, to_strides);
  for (int32_t k = 0; k < from->rank; ++k)
    axes[k] = (tern_strided_axis){to->dims[k], from_strides[k], to_strides[k]};
  for (int64_t i = 0; i < count; ++i) {
    int64_t k = item(axis_list, i, i), step = item(steps, i, 1);
    if (k < 0) k += from->rank;
    tern_slice_range range =
        tern_ops_slice_range(item(starts, i, 0), item(ends, i, 0), step, from->dims[k]);
    offset += range.begin * from_strides[k];
    // A single element takes no step. Inference has seen that the axis is one of them.
    // NOLINTNEXTLINE(clang-analyzer-core.uninitialized.Assign)
    if (range.count > 1) axes[k].source_stride *= step;
  }
  return copy_along(invocation, axes, from->rank, offset);
}

static tern_status *compute_tile(tern_invocation *invocation) {
  const tern_shape *from = &invocation->inputs[0]->shape, *to = &invocation->outputs[0]->shape;
  int64_t from_strides[TERN_MAX_RANK], to_strides[TERN_MAX_RANK];
  tern_strided_axis axes[TERN_STRIDED_MAX_RANK];
  tern_strided_dense(from->dims, from->rank, from_strides);
  tern_strided_dense(to->dims, to->rank, to_strides);
  for (int32_t k = 0; k < from->rank; ++k) {
    int64_t dim = from->dims[k];
    axes[2 * k] = (tern_strided_axis){dim ? to->dims[k] / dim : 0, 0, to_strides[k] * dim};
    axes[2 * k + 1] = (tern_strided_axis){dim, from_strides[k], to_strides[k]};
  }
  return copy_along(invocation, axes, 2 * from->rank, 0);
}

static tern_status *compute_reverse_sequence(tern_invocation *invocation) {
  const tern_shape *shape = &invocation->inputs[0]->shape;
  const int64_t *lengths = invocation->inputs[1]->data;
  bool time_first = tern_node_attr_i(invocation->node, "time_axis") == 0;
  int64_t rows = shape->dims[0], columns = shape->dims[1];
  int64_t times = time_first ? rows : columns, batches = time_first ? columns : rows;
  tern_cpu_source source;
  tern_cpu_target target;
  TERN_TRY(tern_cpu_source_open(invocation, invocation->inputs[0], &source));
  TERN_TRY(tern_cpu_target_open(invocation, invocation->outputs[0], &target));
  size_t bytes = (size_t)tern_shape_product(shape, 2, shape->rank) * source.unit_bytes;
  if (source.count == 0) return NULL;
  int64_t time_stride = time_first ? columns : 1, batch_stride = time_first ? 1 : columns;
  for (int64_t b = 0; b < batches; ++b) {
    if (lengths[b] < 0 || lengths[b] > times)
      return TERN_ERROR(TERN_INVALID_ARGUMENT, "sequence %lld has length %lld of at most %lld",
                        (long long)b, (long long)lengths[b], (long long)times);
    for (int64_t t = 0; t < times; ++t) {
      int64_t from = t < lengths[b] ? lengths[b] - 1 - t : t;
      memcpy(target.data + (size_t)(t * time_stride + b * batch_stride) * bytes,
             source.data + (size_t)(from * time_stride + b * batch_stride) * bytes, bytes);
    }
  }
  return tern_cpu_target_close(&target);
}

// Keeps elements [begin, end) of a row and clears the others.
static void keep_range(const unsigned char *from, unsigned char *to, int64_t columns, size_t bytes,
                       int64_t begin, int64_t end) {
  begin = tern_max_i64(0, tern_min_i64(begin, columns));
  end = tern_max_i64(begin, tern_min_i64(end, columns));
  memset(to, 0, (size_t)begin * bytes);
  memcpy(to + (size_t)begin * bytes, from + (size_t)begin * bytes, (size_t)(end - begin) * bytes);
  memset(to + (size_t)end * bytes, 0, (size_t)(columns - end) * bytes);
}

static tern_status *compute_trilu(tern_invocation *invocation) {
  const tern_shape *shape = &invocation->inputs[0]->shape;
  const tern_value *offset = input_at(invocation, 1);
  bool upper = tern_node_attr_i(invocation->node, "upper") != 0;
  int64_t rows = shape->dims[shape->rank - 2], columns = shape->dims[shape->rank - 1];
  int64_t k = offset && tern_value_count(offset) > 0 ? item(offset, 0, 0) : 0;
  k = tern_max_i64(-rows, tern_min_i64(k, columns));
  tern_cpu_source source;
  tern_cpu_target target;
  TERN_TRY(tern_cpu_source_open(invocation, invocation->inputs[0], &source));
  TERN_TRY(tern_cpu_target_open(invocation, invocation->outputs[0], &target));
  if (source.count == 0) return NULL;
  size_t row_bytes = (size_t)columns * source.unit_bytes;
  for (int64_t i = 0; i < source.count / columns; ++i) {
    int64_t diagonal = i % rows + k;
    keep_range(source.data + (size_t)i * row_bytes, target.data + (size_t)i * row_bytes, columns,
               source.unit_bytes, upper ? diagonal : 0, upper ? columns : diagonal + 1);
  }
  return tern_cpu_target_close(&target);
}

static tern_status *compute_compress(tern_invocation *invocation) {
  const tern_value *input = invocation->inputs[0], *condition = invocation->inputs[1];
  const bool *keeps = condition->data;
  tern_shape shape = {.rank = 1};
  int64_t outer = 1, inner = 1, size = tern_value_count(input), kept = 0;
  int32_t axis = 0;
  if (tern_node_has_attr(invocation->node, "axis")) {
    shape = input->shape;
    axis = read_axis(invocation->node, shape.rank);
    outer = tern_shape_product(&shape, 0, axis);
    inner = tern_shape_product(&shape, axis + 1, shape.rank);
    size = shape.dims[axis];
  }
  int64_t given = tern_min_i64(tern_value_count(condition), size);
  for (int64_t i = 0; i < given; ++i) kept += keeps[i];
  shape.dims[axis] = kept;
  tern_value *output;
  TERN_TRY(tern_invocation_allocate(invocation, 0, input->dtype, &shape, &output));
  if (!output || tern_value_count(output) == 0) return NULL;
  tern_cpu_source source;
  tern_cpu_target target;
  TERN_TRY(tern_cpu_source_open(invocation, input, &source));
  TERN_TRY(tern_cpu_target_open(invocation, output, &target));
  size_t bytes = (size_t)inner * source.unit_bytes;
  unsigned char *to = target.data;
  for (int64_t o = 0; o < outer; ++o) {
    for (int64_t i = 0; i < given; ++i) {
      if (!keeps[i]) continue;
      memcpy(to, source.data + (size_t)(o * size + i) * bytes, bytes);
      to += bytes;
    }
  }
  return tern_cpu_target_close(&target);
}

static const tern_cpu_kernel kernels[] = {
    {TERN_DOMAIN_ONNX, "Transpose", .compute = compute_transpose},
    {TERN_DOMAIN_ONNX, "Concat", .compute = compute_concat},
    {TERN_DOMAIN_ONNX, "Split", .compute = compute_split},
    {TERN_DOMAIN_ONNX, "Slice", .compute = compute_slice},
    {TERN_DOMAIN_ONNX, "Pad", .compute = tern_cpu_compute_pad},
    {TERN_DOMAIN_ONNX, "Tile", .compute = compute_tile},
    {TERN_DOMAIN_ONNX, "DepthToSpace", .compute = compute_depth_to_space},
    {TERN_DOMAIN_ONNX, "SpaceToDepth", .compute = compute_space_to_depth},
    {TERN_DOMAIN_ONNX, "ReverseSequence", .compute = compute_reverse_sequence},
    {TERN_DOMAIN_ONNX, "Trilu", .compute = compute_trilu},
    {TERN_DOMAIN_ONNX, "CenterCropPad", .compute = tern_cpu_compute_center_crop_pad},
    {TERN_DOMAIN_ONNX, "Col2Im",
     TERN_CPU_TYPES({"T", TERN_DTYPE_BIT(TERN_FLOAT) | TERN_DTYPE_BIT(TERN_DOUBLE) |
                              TERN_TYPES_INT | TERN_TYPES_COMPLEX | TERN_DTYPE_BIT(TERN_BOOL)}),
     .compute = tern_cpu_compute_col2im},
    {TERN_DOMAIN_ONNX, "Compress", .compute = compute_compress},
};

const tern_cpu_family tern_cpu_movement = {"movement", kernels, TERN_COUNT_OF(kernels)};
