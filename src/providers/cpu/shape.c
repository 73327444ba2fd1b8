// Kernels of the shape family. Views copy only when the plan could not put their output where the
// input lies.
#include <math.h>
#include <string.h>

#include "base/os.h"
#include "compute/mt19937.h"
#include "compute/strided.h"
#include "compute/types.h"
#include "providers/cpu/cpu.h"
#include "providers/cpu/elements.h"

static tern_status *compute_shape(tern_invocation *invocation) {
  const tern_shape *shape = &invocation->inputs[0]->shape;
  tern_value *output = invocation->outputs[0];
  int64_t begin = tern_node_attr_i(invocation->node, "start");
  if (begin < 0) begin = tern_max_i64(0, begin + shape->rank);
  int64_t count = tern_value_count(output);
  if (count > 0) memcpy(output->data, shape->dims + begin, (size_t)count * sizeof(int64_t));
  return NULL;
}

static tern_status *compute_size(tern_invocation *invocation) {
  *(int64_t *)invocation->outputs[0]->data = tern_value_count(invocation->inputs[0]);
  return NULL;
}

static tern_status *compute_view(tern_invocation *invocation) {
  return tern_cpu_copy_elements(invocation->inputs[0], invocation->outputs[0]);
}

static tern_status *compute_identity(tern_invocation *invocation) {
  const tern_value *input = invocation->inputs[0];
  if (input->kind != TERN_KIND_TENSOR)
    return tern_invocation_set_output(invocation, 0, (tern_value *)(uintptr_t)input);
  return tern_cpu_copy_elements(input, invocation->outputs[0]);
}

static tern_status *compute_expand(tern_invocation *invocation) {
  const tern_shape *from = &invocation->inputs[0]->shape, *to = &invocation->outputs[0]->shape;
  tern_cpu_source source;
  tern_cpu_target target;
  TERN_TRY(tern_cpu_source_open(invocation, invocation->inputs[0], &source));
  TERN_TRY(tern_cpu_target_open(invocation, invocation->outputs[0], &target));
  int64_t from_strides[TERN_MAX_RANK], to_strides[TERN_MAX_RANK];
  tern_strided_axis axes[TERN_MAX_RANK];
  tern_strided_dense(from->dims, from->rank, from_strides);
  tern_strided_dense(to->dims, to->rank, to_strides);
  for (int32_t i = 0; i < to->rank; ++i) {
    int32_t k = i - (to->rank - from->rank);
    bool repeats = k < 0 || from->dims[k] == 1;
    axes[i] = (tern_strided_axis){to->dims[i], repeats ? 0 : from_strides[k], to_strides[i]};
  }
  tern_strided_copy(invocation->parallel, axes, to->rank, source.unit_bytes, source.data,
                    target.data);
  return tern_cpu_target_close(&target);
}

// A sparse tensor's values at their places in a dense output of zeros (empty strings).
static tern_status *fill_from_sparse(tern_invocation *invocation, const tern_value *sparse,
                                     tern_value *output) {
  const tern_value *indices = sparse->item_count > 0 ? sparse->items[0] : NULL;
  tern_value values = *sparse; // the values alone, as a tensor of rank 1
  int64_t strides[TERN_MAX_RANK];
  size_t unit = tern_dtype_is_sub_byte(sparse->dtype) ? 1 : tern_dtype_size(sparse->dtype);
  tern_cpu_target target;
  TERN_TRY(tern_cpu_target_open(invocation, output, &target));
  if (target.count > 0) memset(target.data, 0, (size_t)target.count * unit);
  if (!indices) return tern_cpu_target_close(&target);
  int64_t count = indices->shape.dims[0];
  int32_t columns = indices->shape.rank == 2 ? sparse->shape.rank : 0;
  values.kind = TERN_KIND_TENSOR;
  values.shape = (tern_shape){.rank = 1, .dims = {count}};
  tern_cpu_source source;
  TERN_TRY(tern_cpu_source_open(invocation, &values, &source));
  tern_strided_dense(sparse->shape.dims, sparse->shape.rank, strides);
  for (int64_t i = 0; i < count; ++i) {
    const int64_t *row = (const int64_t *)indices->data + i * tern_max_i64(1, columns);
    int64_t place = columns ? 0 : row[0];
    for (int32_t k = 0; k < columns; ++k) {
      if (row[k] < 0 || row[k] >= sparse->shape.dims[k]) place = -1;
      if (place >= 0) place += row[k] * strides[k];
    }
    if (place < 0 || place >= target.count)
      return TERN_ERROR(TERN_INVALID_GRAPH, "index %lld of the sparse value is out of range",
                        (long long)i);
    memcpy(target.data + (size_t)place * unit, source.data + (size_t)i * unit, unit);
  }
  return tern_cpu_target_close(&target);
}

static tern_status *fill_strings(const tern_string *strings, size_t count, tern_value *output) {
  for (size_t i = 0; i < count; ++i)
    TERN_TRY(tern_value_set_string(output, (int64_t)i, strings[i].data, strings[i].size));
  return NULL;
}

static tern_status *compute_constant(tern_invocation *invocation) {
  const tern_node *node = invocation->node;
  tern_value *output = invocation->outputs[0];
  const tern_attr *attr;
  size_t count;
  if ((attr = tern_node_attr(node, "value"))) return tern_cpu_copy_elements(attr->u.tensor, output);
  if ((attr = tern_node_attr(node, "sparse_value")))
    return fill_from_sparse(invocation, attr->u.tensor, output);
  if ((attr = tern_node_attr(node, "value_string"))) return fill_strings(&attr->u.s, 1, output);
  if ((attr = tern_node_attr(node, "value_strings")))
    return fill_strings(attr->u.strings, attr->count, output);
  if ((attr = tern_node_attr(node, "value_float"))) {
    *(float *)output->data = attr->u.f;
  } else if ((attr = tern_node_attr(node, "value_int"))) {
    *(int64_t *)output->data = attr->u.i;
  } else if (tern_node_has_attr(node, "value_floats")) {
    const float *floats = tern_node_attr_floats(node, "value_floats", &count);
    if (count > 0) memcpy(output->data, floats, count * sizeof *floats);
  } else {
    const int64_t *ints = tern_node_attr_ints(node, "value_ints", &count);
    if (count > 0) memcpy(output->data, ints, count * sizeof *ints);
  }
  return NULL;
}

static tern_status *compute_constant_of_shape(tern_invocation *invocation) {
  const tern_value *value = tern_node_attr_tensor(invocation->node, "value");
  static const float zero;
  tern_cpu_source element = {(const unsigned char *)&zero, sizeof zero, 1};
  tern_cpu_target target;
  if (value) TERN_TRY(tern_cpu_source_open(invocation, value, &element));
  TERN_TRY(tern_cpu_target_open(invocation, invocation->outputs[0], &target));
  tern_strided_fill(element.data, element.unit_bytes, target.count, target.data);
  return tern_cpu_target_close(&target);
}

// Integers wrap around as in two's complement; inference has bounded the count so that they do not.
#define RANGE_TYPES(X)                                                                             \
  X(TERN_FLOAT, float, float)                                                                      \
  X(TERN_DOUBLE, double, double)                                                                   \
  X(TERN_INT16, int16_t, uint64_t)                                                                 \
  X(TERN_INT32, int32_t, uint64_t)                                                                 \
  X(TERN_INT64, int64_t, uint64_t)

static tern_status *compute_range(tern_invocation *invocation) {
  tern_value *output = invocation->outputs[0];
  const void *start = invocation->inputs[0]->data, *delta = invocation->inputs[2]->data;
  int64_t count = tern_value_count(output);
  switch (output->dtype) {
#define X(dtype, type, wide)                                                                       \
  case dtype: {                                                                                    \
    wide first = (wide) * (const type *)start, step = (wide) * (const type *)delta;                \
    type *items = output->data;                                                                    \
    for (int64_t i = 0; i < count; ++i) items[i] = (type)(first + (wide)i * step);                 \
    break;                                                                                         \
  }
    RANGE_TYPES(X)
#undef X
  default:
    return TERN_ERROR(TERN_NOT_IMPLEMENTED, "no range of %s", tern_dtype_name(output->dtype));
  }
  return NULL;
}

// The element 1 of any numeric type or bool, in `out_bytes`.
static void write_one(tern_dtype dtype, unsigned char out_bytes[8]) {
  const float one = 1;
  const double one_double = 1;
  tern_dtype_class class = tern_dtype_get_info(dtype)->class;
  if (dtype == TERN_DOUBLE)
    memcpy(out_bytes, &one_double, sizeof one_double);
  else if (dtype == TERN_FLOAT)
    memcpy(out_bytes, &one, sizeof one);
  else if (class == TERN_CLASS_B)
    tern_dtype_from_f32(dtype, &one, 1, true, out_bytes);
  else
    tern_dtype_write_i64(dtype, out_bytes, 0, 1);
}

static tern_status *compute_eye_like(tern_invocation *invocation) {
  tern_value *output = invocation->outputs[0];
  int64_t rows = output->shape.dims[0], columns = output->shape.dims[1];
  int64_t k = tern_node_attr_i(invocation->node, "k");
  size_t bytes = tern_dtype_size(output->dtype);
  _Alignas(8) unsigned char one[8] = {0};
  write_one(output->dtype, one);
  if (rows == 0 || columns == 0) return NULL;
  memset(output->data, 0, (size_t)(rows * columns) * bytes);
  if (k <= -rows || k >= columns) return NULL;
  for (int64_t row = tern_max_i64(0, -k); row < rows && row + k < columns; ++row)
    memcpy((char *)output->data + (size_t)(row * columns + row + k) * bytes, one, bytes);
  return NULL;
}

// Which elements stay, by the generator and the comparison that numpy-made examples use.
static void draw_mask(uint32_t seed, double ratio, int64_t count, bool *mask) {
  tern_mt19937 generator;
  tern_mt19937_seed(&generator, seed);
  for (int64_t i = 0; i < count; ++i) mask[i] = tern_mt19937_uniform(&generator) >= ratio;
}

static void drop_f32(const float *x, const bool *mask, int64_t count, double ratio, float *y) {
  float scale = (float)(1.0 / (1.0 - ratio));
  for (int64_t i = 0; i < count; ++i) y[i] = (mask[i] ? x[i] : x[i] * 0.0f) * scale;
}

static void drop_f64(const double *x, const bool *mask, int64_t count, double ratio, double *y) {
  double scale = 1.0 / (1.0 - ratio);
  for (int64_t i = 0; i < count; ++i) y[i] = (mask[i] ? x[i] : x[i] * 0.0) * scale;
}

static tern_status *drop(tern_invocation *invocation, const bool *mask, double ratio) {
  const tern_value *input = invocation->inputs[0];
  tern_value *output = invocation->outputs[0];
  int64_t count = tern_value_count(input);
  if (input->dtype == TERN_DOUBLE) {
    drop_f64(input->data, mask, count, ratio, output->data);
  } else if (input->dtype == TERN_FLOAT) {
    drop_f32(input->data, mask, count, ratio, output->data);
  } else {
    void *wide;
    TERN_TRY(tern_invocation_scratch(invocation, (size_t)count * sizeof(float), &wide));
    tern_dtype_to_f32(input->dtype, input->data, count, wide);
    drop_f32(wide, mask, count, ratio, wide);
    tern_dtype_from_f32(input->dtype, wide, count, true, output->data);
  }
  return NULL;
}

static const tern_value *optional_input(const tern_invocation *invocation, int32_t index) {
  return index < invocation->input_count ? invocation->inputs[index] : NULL;
}

static tern_status *compute_dropout(tern_invocation *invocation) {
  const tern_value *input = invocation->inputs[0];
  const tern_value *ratio_input = optional_input(invocation, 1);
  const tern_value *training = optional_input(invocation, 2);
  tern_value *mask_output = invocation->output_count > 1 ? invocation->outputs[1] : NULL;
  int64_t count = tern_value_count(input);
  if ((ratio_input && tern_value_count(ratio_input) != 1) ||
      (training && tern_value_count(training) != 1))
    return TERN_ERROR(TERN_INVALID_ARGUMENT, "ratio and training_mode must be scalars");
  double ratio = 0.5;
  if (ratio_input) ratio = tern_dtype_read_f64(ratio_input->dtype, ratio_input->data, 0);
  if (!training || !*(const bool *)training->data || ratio == 0) {
    if (mask_output && count > 0) memset(mask_output->data, 1, (size_t)count);
    return tern_cpu_copy_elements(input, invocation->outputs[0]);
  }
  if (!(ratio > 0 && ratio < 1))
    return TERN_ERROR(TERN_INVALID_ARGUMENT, "the dropout ratio %g is not within [0, 1)", ratio);
  void *mask = mask_output ? mask_output->data : NULL;
  if (!mask) TERN_TRY(tern_invocation_scratch(invocation, (size_t)count, &mask));
  int64_t seed = tern_node_has_attr(invocation->node, "seed")
                     ? tern_node_attr_i(invocation->node, "seed")
                     : tern_os_monotonic_ns();
  draw_mask((uint32_t)seed, ratio, count, mask);
  return drop(invocation, mask, ratio);
}

static const tern_cpu_kernel kernels[] = {
    {TERN_DOMAIN_ONNX, "Shape", .compute = compute_shape},
    {TERN_DOMAIN_ONNX, "Size", .compute = compute_size},
    {TERN_DOMAIN_ONNX, "Reshape", .compute = compute_view},
    {TERN_DOMAIN_ONNX, "Flatten", .compute = compute_view},
    {TERN_DOMAIN_ONNX, "Squeeze", .compute = compute_view},
    {TERN_DOMAIN_ONNX, "Unsqueeze", .compute = compute_view},
    {TERN_DOMAIN_ONNX, "Expand", .compute = compute_expand},
    {TERN_DOMAIN_ONNX, "Identity", .compute = compute_identity},
    {TERN_DOMAIN_ONNX, "Constant", .compute = compute_constant},
    {TERN_DOMAIN_ONNX, "ConstantOfShape", .compute = compute_constant_of_shape},
    {TERN_DOMAIN_ONNX, "Range",
     TERN_CPU_TYPES({"T", TERN_DTYPE_BIT(TERN_FLOAT) | TERN_DTYPE_BIT(TERN_DOUBLE) |
                              TERN_DTYPE_BIT(TERN_INT16) | TERN_DTYPE_BIT(TERN_INT32) |
                              TERN_DTYPE_BIT(TERN_INT64)}),
     .compute = compute_range},
    {TERN_DOMAIN_ONNX, "EyeLike", .compute = compute_eye_like},
    {TERN_DOMAIN_ONNX, "Dropout", .compute = compute_dropout},
};

const tern_cpu_family tern_cpu_shape = {"shape", kernels, TERN_COUNT_OF(kernels)};
