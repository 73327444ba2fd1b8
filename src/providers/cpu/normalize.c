// Kernels of normalisations and softmax.
#include <math.h>

#include "compute/batch_norm.h"
#include "compute/broadcast.h"
#include "compute/cast.h"
#include "compute/lines.h"
#include "compute/norm.h"
#include "providers/cpu/cpu.h"

static const tern_value *input_at(const tern_invocation *invocation, int32_t index) {
  return index < invocation->input_count ? invocation->inputs[index] : NULL;
}

static tern_value *output_at(const tern_invocation *invocation, int32_t index) {
  return index < invocation->output_count ? invocation->outputs[index] : NULL;
}

static size_t product(const tern_shape *shape, int32_t begin, int32_t end) {
  return (size_t)tern_shape_product(shape, begin, end);
}

// Rows of n elements: the dimensions from 'axis' on are a row. All zero for an empty tensor.
typedef struct row_sizes {
  int32_t axis;
  size_t rows, n;
} row_sizes;

static tern_status *read_rows(const tern_invocation *invocation, row_sizes *out) {
  const tern_shape *x = &invocation->inputs[0]->shape;
  TERN_TRY(tern_infer_axis(tern_node_attr_i(invocation->node, "axis"), x->rank, &out->axis));
  out->rows = product(x, 0, out->axis);
  out->n = product(x, out->axis, x->rank);
  return NULL;
}

// `parameter` has one element for each element of a row.
static bool fits_rows(const row_sizes *sizes, const tern_value *x, const tern_value *parameter) {
  const tern_shape *shape = &parameter->shape;
  const int32_t extra = shape->rank - (x->shape.rank - sizes->axis);
  if (extra < 0 || (size_t)tern_value_count(parameter) != sizes->n) return false;
  for (int32_t i = 0; i < shape->rank; ++i) {
    if (shape->dims[i] != (i < extra ? 1 : x->shape.dims[sizes->axis + i - extra])) return false;
  }
  return true;
}

#define T float
#define DTYPE TERN_FLOAT
#define S(name) name##_f32
#define FN(name) tern_##name##_f32
#include "providers/cpu/normalize.inc"

#define T double
#define DTYPE TERN_DOUBLE
#define S(name) name##_f64
#define FN(name) tern_##name##_f64
#include "providers/cpu/normalize.inc"

static tern_status *compute_layer(tern_invocation *invocation) {
  return invocation->inputs[0]->dtype == TERN_FLOAT ? layer_f32(invocation) : layer_f64(invocation);
}

static tern_status *compute_rms(tern_invocation *invocation) {
  return invocation->outputs[0]->dtype == TERN_FLOAT ? rms_f32(invocation) : rms_f64(invocation);
}

// A parameter of each channel as doubles.
static void read_parameter(const tern_value *value, size_t channels, double *out) {
  for (size_t c = 0; c < channels; ++c)
    out[c] = tern_dtype_read_f64(value->dtype, value->data, (int64_t)c);
}

// running = input * momentum + batch * (1 - momentum).
static void store_running(tern_value *output, const tern_value *input, const double *batch,
                          double momentum) {
  for (int64_t c = 0; output && c < tern_value_count(output); ++c) {
    const double before = tern_dtype_read_f64(input->dtype, input->data, c);
    const double v = before * momentum + batch[c] * (1 - momentum);
    if (output->dtype == TERN_FLOAT)
      ((float *)output->data)[c] = (float)v;
    else
      ((double *)output->data)[c] = v;
  }
}

static tern_status *compute_batch(tern_invocation *invocation) {
  const tern_value *x = invocation->inputs[0];
  const tern_value *mean = invocation->inputs[3], *variance = invocation->inputs[4];
  const bool trains = tern_node_attr_i(invocation->node, "training_mode") != 0;
  const double momentum = trains ? (double)tern_node_attr_f(invocation->node, "momentum") : 1;
  const int32_t rank = x->shape.rank;
  const tern_batch_norm_shape shape = {.batch = product(&x->shape, 0, 1),
                                       .channels = rank > 1 ? product(&x->shape, 1, 2) : 1,
                                       .size = product(&x->shape, rank > 1 ? 2 : 1, rank),
                                       .parallel = invocation->parallel};
  double *means;
  TERN_TRY(
      tern_invocation_scratch(invocation, 2 * shape.channels * sizeof(double), (void **)&means));
  double *variances = means + shape.channels;
  if (trains && x->dtype == TERN_FLOAT) {
    tern_channel_moments_f32(&shape, x->data, means, variances);
  } else if (trains) {
    tern_channel_moments_f64(&shape, x->data, means, variances);
  } else {
    read_parameter(mean, shape.channels, means);
    read_parameter(variance, shape.channels, variances);
  }
  TERN_TRY(x->dtype == TERN_FLOAT ? batch_f32(invocation, &shape, means, variances)
                                  : batch_f64(invocation, &shape, means, variances));
  store_running(output_at(invocation, 1), mean, means, momentum);
  store_running(output_at(invocation, 2), variance, variances, momentum);
  return NULL;
}

// The channels of an entry in `groups` groups, each normalised by itself.
static void normalize_groups(const tern_invocation *invocation, size_t groups) {
  const tern_value *x = invocation->inputs[0];
  const void *scale = invocation->inputs[1]->data, *bias = invocation->inputs[2]->data;
  const float epsilon = tern_node_attr_f(invocation->node, "epsilon");
  const size_t channels = product(&x->shape, 1, 2);
  const tern_group_norm_shape shape = {.groups = product(&x->shape, 0, 1) * groups,
                                       .channels = groups ? channels / groups : 0,
                                       .size = product(&x->shape, 2, x->shape.rank),
                                       .period = channels,
                                       .parallel = invocation->parallel};
  if (tern_value_count(x) == 0) return;
  if (x->dtype == TERN_FLOAT)
    tern_group_norm_f32(&shape, x->data, scale, bias, epsilon, invocation->outputs[0]->data);
  else
    tern_group_norm_f64(&shape, x->data, scale, bias, (double)epsilon,
                        invocation->outputs[0]->data);
}

static tern_status *compute_instance(tern_invocation *invocation) {
  normalize_groups(invocation, product(&invocation->inputs[0]->shape, 1, 2));
  return NULL;
}

static tern_status *compute_group(tern_invocation *invocation) {
  normalize_groups(invocation, (size_t)tern_node_attr_i(invocation->node, "num_groups"));
  return NULL;
}

static tern_status *compute_lrn(tern_invocation *invocation) {
  const tern_node *node = invocation->node;
  const tern_value *x = invocation->inputs[0];
  void *y = invocation->outputs[0]->data;
  const tern_lrn_shape shape = {.batch = product(&x->shape, 0, 1),
                                .channels = product(&x->shape, 1, 2),
                                .inner = product(&x->shape, 2, x->shape.rank),
                                .size = (size_t)tern_node_attr_i(node, "size"),
                                .parallel = invocation->parallel};
  const float alpha = tern_node_attr_f(node, "alpha"), beta = tern_node_attr_f(node, "beta");
  const float bias = tern_node_attr_f(node, "bias");
  if (tern_value_count(x) == 0) return NULL;
  if (x->dtype == TERN_FLOAT)
    tern_lrn_f32(&shape, x->data, alpha, beta, bias, y);
  else
    tern_lrn_f64(&shape, x->data, (double)alpha, (double)beta, (double)bias, y);
  return NULL;
}

static tern_status *read_lines(const tern_invocation *invocation, tern_lines *out_lines) {
  const tern_shape *x = &invocation->inputs[0]->shape;
  int32_t axis;
  TERN_TRY(tern_infer_axis(tern_node_attr_i(invocation->node, "axis"), x->rank, &axis));
  *out_lines = (tern_lines){.outer = product(x, 0, axis),
                            .axis = (size_t)x->dims[axis],
                            .inner = product(x, axis + 1, x->rank),
                            .parallel = invocation->parallel};
  return NULL;
}

static tern_status *softmax(const tern_invocation *invocation, bool is_log) {
  const tern_value *x = invocation->inputs[0];
  void *y = invocation->outputs[0]->data;
  tern_lines lines;
  TERN_TRY(read_lines(invocation, &lines));
  if (tern_value_count(x) == 0) return NULL;
  if (x->dtype == TERN_FLOAT)
    tern_softmax_f32(lines, x->data, y, is_log);
  else
    tern_softmax_f64(lines, x->data, y, is_log);
  return NULL;
}

static tern_status *compute_softmax(tern_invocation *invocation) {
  return softmax(invocation, false);
}
static tern_status *compute_log_softmax(tern_invocation *invocation) {
  return softmax(invocation, true);
}

static tern_status *compute_hardmax(tern_invocation *invocation) {
  const tern_value *x = invocation->inputs[0];
  tern_lines lines;
  TERN_TRY(read_lines(invocation, &lines));
  if (tern_value_count(x) == 0) return NULL;
  if (x->dtype == TERN_FLOAT)
    tern_hardmax_f32(lines, x->data, invocation->outputs[0]->data);
  else
    tern_hardmax_f64(lines, x->data, invocation->outputs[0]->data);
  return NULL;
}

static tern_status *compute_lp(tern_invocation *invocation) {
  const tern_value *x = invocation->inputs[0];
  const int p = (int)tern_node_attr_i(invocation->node, "p");
  tern_lines lines;
  TERN_TRY(read_lines(invocation, &lines));
  if (tern_value_count(x) == 0) return NULL;
  if (x->dtype == TERN_FLOAT)
    tern_lp_normalize_f32(lines, x->data, p, invocation->outputs[0]->data);
  else
    tern_lp_normalize_f64(lines, x->data, p, invocation->outputs[0]->data);
  return NULL;
}

#define REAL (TERN_DTYPE_BIT(TERN_FLOAT) | TERN_DTYPE_BIT(TERN_DOUBLE))

static const tern_cpu_kernel kernels[] = {
    {.domain = TERN_DOMAIN_ONNX,
     .op = "BatchNormalization",
     TERN_CPU_TYPES({"T", REAL}, {"T1", REAL}, {"T2", REAL}),
     .compute = compute_batch},
    {.domain = TERN_DOMAIN_ONNX,
     .op = "InstanceNormalization",
     TERN_CPU_TYPES({"T", REAL}),
     .compute = compute_instance},
    {.domain = TERN_DOMAIN_ONNX,
     .op = "LayerNormalization",
     TERN_CPU_TYPES({"T", REAL}),
     .compute = compute_layer},
    {.domain = TERN_DOMAIN_ONNX,
     .op = "GroupNormalization",
     TERN_CPU_TYPES({"T", REAL}),
     .compute = compute_group},
    {.domain = TERN_DOMAIN_ONNX,
     .op = "RMSNormalization",
     TERN_CPU_TYPES({"T", REAL}, {"V", REAL}),
     .compute = compute_rms},
    {.domain = TERN_DOMAIN_ONNX, .op = "LRN", TERN_CPU_TYPES({"T", REAL}), .compute = compute_lrn},
    {.domain = TERN_DOMAIN_ONNX,
     .op = "Softmax",
     TERN_CPU_TYPES({"T", REAL}),
     .compute = compute_softmax},
    {.domain = TERN_DOMAIN_ONNX,
     .op = "LogSoftmax",
     TERN_CPU_TYPES({"T", REAL}),
     .compute = compute_log_softmax},
    {.domain = TERN_DOMAIN_ONNX,
     .op = "Hardmax",
     TERN_CPU_TYPES({"T", REAL}),
     .compute = compute_hardmax},
    {.domain = TERN_DOMAIN_ONNX,
     .op = "LpNormalization",
     TERN_CPU_TYPES({"T", REAL}),
     .compute = compute_lp},
};

const tern_cpu_family tern_cpu_normalize = {"normalize", kernels, TERN_COUNT_OF(kernels)};
