// Convolutions.
#include "ops/conv.h"

#include "base/checked.h"
#include "graph/infer.h"
#include "ops/ops.h"
#include "ops/window.h"

// Checks weights [M, C / group, k...] against X [N, C, ...]; the channels are those that X and W
// agree on.
static tern_status *check_channels(const tern_node *node, const tern_shape *x, const tern_shape *w,
                                   bool transposed) {
  int64_t group = tern_node_attr_i(node, "group");
  if (x->rank != w->rank)
    return TERN_ERROR(TERN_INVALID_GRAPH, "the input has rank %d, the weights have rank %d",
                      x->rank, w->rank);
  if (group < 1) return TERN_ERROR(TERN_INVALID_GRAPH, "'group' is %lld", (long long)group);
  int64_t channels = x->dims[1], from_w = w->dims[transposed ? 0 : 1];
  if (channels >= 0 && from_w >= 0 &&
      (transposed ? channels != from_w : channels / group != from_w || channels % group != 0))
    return TERN_ERROR(TERN_INVALID_ARGUMENT,
                      "the input has %lld channels, weights of %lld with %lld groups do not fit",
                      (long long)channels, (long long)from_w, (long long)group);
  if (w->dims[0] >= 0 && w->dims[0] % group != 0)
    return TERN_ERROR(TERN_INVALID_ARGUMENT, "%lld channels do not divide into %lld groups",
                      (long long)w->dims[0], (long long)group);
  return NULL;
}

static tern_status *check_bias(const tern_shape *bias, tern_dim channels) {
  if (!bias || bias->rank < 0 || channels < 0) return NULL;
  if (bias->rank == 1 && (bias->dims[0] < 0 || bias->dims[0] == channels)) return NULL;
  char text[TERN_SHAPE_TEXT_BYTES];
  return TERN_ERROR(TERN_INVALID_ARGUMENT, "a bias of shape %s does not fit %lld channels",
                    tern_shape_format(bias, text, sizeof text), (long long)channels);
}

// Which inputs of an operator are the weights and the bias.
static tern_status *infer_conv_at(tern_infer *infer, int32_t weights, int32_t bias) {
  const tern_shape *x = tern_infer_shape(infer, 0), *w = tern_infer_shape(infer, weights);
  tern_op_window window;
  if (!tern_shape_has_rank(x)) return NULL;
  if (!tern_shape_has_rank(w)) {
    tern_infer_set_rank(infer, 0, x->rank);
    return NULL;
  }
  TERN_TRY(check_channels(infer->node, x, w, false));
  TERN_TRY(tern_op_window_read(infer->node, x, w->dims + 2, &window));
  if (bias >= 0) TERN_TRY(check_bias(tern_infer_shape(infer, bias), w->dims[0]));
  tern_shape *y = &infer->output_types[0].shape;
  y->rank = x->rank;
  y->dims[0] = x->dims[0];
  y->dims[1] = w->dims[0];
  for (int32_t i = 0; i < window.rank; ++i) y->dims[i + 2] = window.out[i];
  return NULL;
}

tern_status *tern_op_infer_conv(tern_infer *infer) {
  return infer_conv_at(infer, 1, 2);
}
static tern_status *infer_conv_integer(tern_infer *infer) {
  return infer_conv_at(infer, 1, -1);
}
static tern_status *infer_qlinear_conv(tern_infer *infer) {
  return infer_conv_at(infer, 3, 8);
}

static tern_status *infer_conv_transpose(tern_infer *infer) {
  const tern_shape *x = tern_infer_shape(infer, 0), *w = tern_infer_shape(infer, 1);
  tern_op_window window;
  if (!tern_shape_has_rank(x)) return NULL;
  if (!tern_shape_has_rank(w)) {
    tern_infer_set_rank(infer, 0, x->rank);
    return NULL;
  }
  int64_t group = tern_node_attr_i(infer->node, "group");
  TERN_TRY(check_channels(infer->node, x, w, true));
  TERN_TRY(tern_op_window_read_transposed(infer->node, x, w->dims + 2, &window));
  tern_dim channels = w->dims[1] < 0 ? TERN_DIM_UNKNOWN : w->dims[1];
  if (channels >= 0 && !tern_checked_mul_i64(channels, group, &channels))
    return TERN_ERROR(TERN_INVALID_GRAPH, "%lld groups are too many", (long long)group);
  TERN_TRY(check_bias(tern_infer_shape(infer, 2), channels));
  tern_shape *y = &infer->output_types[0].shape;
  y->rank = x->rank;
  y->dims[0] = x->dims[0];
  y->dims[1] = channels;
  for (int32_t i = 0; i < window.rank; ++i) y->dims[i + 2] = window.out[i];
  return NULL;
}

// `shape`, that of input `index`, is [N, channels, out...].
static tern_status *check_places(const tern_infer *infer, int32_t index, int64_t channels) {
  const tern_shape *shape = tern_infer_shape(infer, index), *y = &infer->output_types[0].shape;
  tern_shape wanted;
  if (!tern_shape_has_rank(shape) || !tern_shape_has_rank(y)) return NULL;
  tern_shape_copy(&wanted, y);
  wanted.dims[1] = channels;
  if (tern_shape_merge(&wanted, shape)) return NULL;
  char a[TERN_SHAPE_TEXT_BYTES], b[TERN_SHAPE_TEXT_BYTES];
  return TERN_ERROR(TERN_INVALID_ARGUMENT, "%s has the shape %s, %s is needed",
                    infer->node->op->inputs[index].name, tern_shape_format(shape, a, sizeof a),
                    tern_shape_format(&wanted, b, sizeof b));
}

static tern_status *infer_deform_conv(tern_infer *infer) {
  const tern_shape *x = tern_infer_shape(infer, 0), *w = tern_infer_shape(infer, 1);
  const int64_t groups = tern_node_attr_i(infer->node, "offset_group");
  int64_t places = groups, numbers;
  TERN_TRY(infer_conv_at(infer, 1, 3));
  if (!tern_shape_has_rank(x) || !tern_shape_has_rank(w)) return NULL;
  if (groups < 1 || (x->dims[1] >= 0 && x->dims[1] % groups != 0))
    return TERN_ERROR(TERN_INVALID_ARGUMENT, "%lld channels do not divide into %lld offset groups",
                      (long long)x->dims[1], (long long)groups);
  for (int32_t i = 2; i < w->rank; ++i) {
    if (w->dims[i] < 0) return NULL;
    if (!tern_checked_mul_i64(places, w->dims[i], &places)) places = INT64_MAX;
  }
  if (!tern_checked_mul_i64(places, w->rank - 2, &numbers)) numbers = INT64_MAX;
  TERN_TRY(check_places(infer, 2, numbers));
  return tern_infer_has(infer, 4) ? check_places(infer, 4, places) : NULL;
}

// Two operations for each weight and position of the smaller side.
double tern_op_flops_conv(const tern_node *node, const tern_type *const *inputs,
                          const tern_type *const *outputs) {
  int64_t positions, weights;
  const bool transposed = tern_op_attr_index(node->op, "output_padding") >= 0;
  const tern_shape *small = transposed ? &inputs[0]->shape : &outputs[0]->shape;
  if (!tern_shape_count(small, &positions) || !tern_shape_count(&inputs[1]->shape, &weights) ||
      small->rank < 2 || small->dims[1] == 0 || inputs[1]->shape.dims[0] == 0)
    return 0.0;
  return 2.0 * (double)positions * ((double)weights / (double)inputs[1]->shape.dims[0]);
}

#define BYTES (TERN_DTYPE_BIT(TERN_INT8) | TERN_DTYPE_BIT(TERN_UINT8))

static const tern_op ops[] = {
    {
        .domain = TERN_DOMAIN_ONNX,
        .name = "Conv",
        .since = 22,
        TERN_INPUTS({"X", "T"}, {"W", "T"}, {"B", "T", TERN_FORMAL_OPTIONAL}),
        TERN_OUTPUTS({"Y", "T"}),
        TERN_CONSTRAINTS({"T", {.tensor = TERN_TYPES_FLOAT_BF}}),
        TERN_ATTRS(TERN_OP_CONV_ATTRS),
        TERN_VERSIONS({1}, {11}, {22}),
        .infer = tern_op_infer_conv,
        .flops = tern_op_flops_conv,
    },
    {
        .domain = TERN_DOMAIN_ONNX,
        .name = "ConvTranspose",
        .since = 22,
        TERN_INPUTS({"X", "T"}, {"W", "T"}, {"B", "T", TERN_FORMAL_OPTIONAL}),
        TERN_OUTPUTS({"Y", "T"}),
        TERN_CONSTRAINTS({"T", {.tensor = TERN_TYPES_FLOAT_BF}}),
        TERN_ATTRS(TERN_OP_CONV_ATTRS, TERN_ATTR_OPTIONAL("output_padding", TERN_ATTR_INTS),
                   TERN_ATTR_OPTIONAL("output_shape", TERN_ATTR_INTS)),
        TERN_VERSIONS({1}, {11}, {22}),
        .infer = infer_conv_transpose,
        .flops = tern_op_flops_conv,
    },
    {
        .domain = TERN_DOMAIN_ONNX,
        .name = "ConvInteger",
        .since = 10,
        TERN_INPUTS({"x", "T1"}, {"w", "T2"}, {"x_zero_point", "T1", TERN_FORMAL_OPTIONAL},
                    {"w_zero_point", "T2", TERN_FORMAL_OPTIONAL}),
        TERN_OUTPUTS({"y", "T3"}),
        TERN_CONSTRAINTS({"T1", {.tensor = BYTES}}, {"T2", {.tensor = BYTES}},
                         {"T3", {.tensor = TERN_DTYPE_BIT(TERN_INT32)}}),
        TERN_ATTRS(TERN_OP_CONV_ATTRS),
        .infer = infer_conv_integer,
    },
    {
        .domain = TERN_DOMAIN_ONNX,
        .name = "QLinearConv",
        .since = 10,
        TERN_INPUTS({"x", "T1"}, {"x_scale", "S"}, {"x_zero_point", "T1"}, {"w", "T2"},
                    {"w_scale", "S"}, {"w_zero_point", "T2"}, {"y_scale", "S"},
                    {"y_zero_point", "T3"}, {"B", "T4", TERN_FORMAL_OPTIONAL}),
        TERN_OUTPUTS({"y", "T3"}),
        TERN_CONSTRAINTS({"T1", {.tensor = BYTES}}, {"T2", {.tensor = BYTES}},
                         {"T3", {.tensor = BYTES}}, {"S", {.tensor = TERN_DTYPE_BIT(TERN_FLOAT)}},
                         {"T4", {.tensor = TERN_DTYPE_BIT(TERN_INT32)}}),
        TERN_ATTRS(TERN_OP_CONV_ATTRS),
        .infer = infer_qlinear_conv,
    },
    {
        .domain = TERN_DOMAIN_ONNX,
        .name = "DeformConv",
        .since = 22,
        TERN_INPUTS({"X", "T"}, {"W", "T"}, {"offset", "T"}, {"B", "T", TERN_FORMAL_OPTIONAL},
                    {"mask", "T", TERN_FORMAL_OPTIONAL}),
        TERN_OUTPUTS({"Y", "T"}),
        TERN_CONSTRAINTS({"T", {.tensor = TERN_TYPES_FLOAT_BF}}),
        TERN_ATTRS(TERN_ATTR_OPTIONAL("dilations", TERN_ATTR_INTS), TERN_ATTR_DEF_I("group", 1),
                   TERN_ATTR_OPTIONAL("kernel_shape", TERN_ATTR_INTS),
                   TERN_ATTR_DEF_I("offset_group", 1), TERN_ATTR_OPTIONAL("pads", TERN_ATTR_INTS),
                   TERN_ATTR_OPTIONAL("strides", TERN_ATTR_INTS)),
        TERN_VERSIONS({19}, {22}),
        .infer = infer_deform_conv,
        .flops = tern_op_flops_conv,
    },
};

const tern_op_family tern_ops_conv = {"conv", ops, TERN_COUNT_OF(ops)};
