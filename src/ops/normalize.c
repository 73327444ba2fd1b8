// Normalisations and softmax.
#include "ops/normalize.h"
#include "graph/infer.h"
#include "ops/ops.h"

static tern_status *parameter_error(const char *name, const tern_shape *shape, tern_dim wanted) {
  char text[TERN_SHAPE_TEXT_BYTES];
  return TERN_ERROR(TERN_INVALID_ARGUMENT, "%s has the shape %s, [%lld] is needed", name,
                    tern_shape_format(shape, text, sizeof text), (long long)wanted);
}

// Input `index` has one element for each channel.
static tern_status *check_parameter(const tern_infer *infer, int32_t index, tern_dim channels) {
  const tern_shape *shape = tern_infer_shape(infer, index);
  if (!tern_shape_has_rank(shape)) return NULL;
  tern_dim size = shape->rank == 1 ? shape->dims[0] : TERN_DIM_UNKNOWN;
  if (shape->rank == 1 && (size < 0 || channels < 0 || size == channels)) return NULL;
  return parameter_error(infer->node->op->inputs[index].name, shape, channels);
}

// X is [N, C, …]; of rank 1 it is one channel.
static tern_status *infer_batch(tern_infer *infer) {
  const tern_shape *x = tern_infer_shape(infer, 0), *mean = tern_infer_shape(infer, 3);
  tern_shape_copy(&infer->output_types[0].shape, x);
  for (int32_t o = 1; o < infer->output_count; ++o)
    tern_shape_copy(&infer->output_types[o].shape, mean);
  if (!tern_shape_has_rank(x)) return NULL;
  if (x->rank == 0) return TERN_ERROR(TERN_INVALID_ARGUMENT, "X has rank 0 and so no channels");
  const tern_dim channels = x->rank == 1 ? 1 : x->dims[1];
  for (int32_t i = 1; i < 5; ++i) TERN_TRY(check_parameter(infer, i, channels));
  return NULL;
}

static tern_status *infer_instance(tern_infer *infer) {
  const tern_shape *x = tern_infer_shape(infer, 0);
  TERN_TRY(tern_infer_same_as_input(infer));
  if (!tern_shape_has_rank(x)) return NULL;
  if (x->rank < 2)
    return TERN_ERROR(TERN_INVALID_ARGUMENT, "an input of rank %d has no channels", x->rank);
  for (int32_t i = 1; i < 3; ++i) TERN_TRY(check_parameter(infer, i, x->dims[1]));
  return NULL;
}

static tern_status *infer_group(tern_infer *infer) {
  const tern_shape *x = tern_infer_shape(infer, 0);
  const int64_t groups = tern_node_attr_i(infer->node, "num_groups");
  TERN_TRY(infer_instance(infer));
  if (groups < 1)
    return TERN_ERROR(TERN_INVALID_ARGUMENT, "'num_groups' is %lld", (long long)groups);
  if (tern_shape_has_rank(x) && x->dims[1] >= 0 && x->dims[1] % groups != 0)
    return TERN_ERROR(TERN_INVALID_ARGUMENT, "%lld channels do not divide into %lld groups",
                      (long long)x->dims[1], (long long)groups);
  return NULL;
}

// Input `index` broadcasts to X without making it larger.
static tern_status *check_broadcast(const tern_infer *infer, int32_t index) {
  const tern_shape *x = tern_infer_shape(infer, 0), *shape = tern_infer_shape(infer, index);
  if (!tern_shape_has_rank(shape)) return NULL;
  tern_shape joined;
  tern_shape_copy(&joined, x);
  if (tern_shape_broadcast(&joined, shape) && tern_shape_merge(&joined, x)) return NULL;
  char a[TERN_SHAPE_TEXT_BYTES], b[TERN_SHAPE_TEXT_BYTES];
  return TERN_ERROR(TERN_INVALID_ARGUMENT, "%s of shape %s does not broadcast to %s",
                    infer->node->op->inputs[index].name, tern_shape_format(shape, a, sizeof a),
                    tern_shape_format(x, b, sizeof b));
}

// Mean and InvStdDev have `stash_type` and ones for the dimensions that are normalised.
static tern_status *infer_layer(tern_infer *infer) {
  const tern_shape *x = tern_infer_shape(infer, 0);
  const int64_t stash = tern_node_attr_i(infer->node, "stash_type");
  int32_t axis = -1;
  tern_shape_copy(&infer->output_types[0].shape, x);
  if (stash != TERN_FLOAT && stash != TERN_BFLOAT16)
    return TERN_ERROR(TERN_INVALID_ARGUMENT, "'stash_type' is %lld, neither float nor bfloat16",
                      (long long)stash);
  for (int32_t o = 1; o < infer->output_count; ++o) {
    infer->output_types[o].kind = TERN_KIND_TENSOR;
    infer->output_types[o].dtype = (tern_dtype)stash;
  }
  if (!tern_shape_has_rank(x)) return NULL;
  TERN_TRY(tern_infer_axis(tern_node_attr_i(infer->node, "axis"), x->rank, &axis));
  for (int32_t o = 1; o < infer->output_count; ++o) {
    tern_shape *shape = &infer->output_types[o].shape;
    tern_shape_copy(shape, x);
    for (int32_t i = axis; i < x->rank; ++i) shape->dims[i] = 1;
  }
  for (int32_t i = 1; i < infer->input_count; ++i) TERN_TRY(check_broadcast(infer, i));
  return NULL;
}

static tern_status *infer_rms(tern_infer *infer) {
  const tern_shape *x = tern_infer_shape(infer, 0);
  int32_t axis;
  tern_shape_copy(&infer->output_types[0].shape, x);
  if (!tern_shape_has_rank(x)) return NULL;
  TERN_TRY(tern_infer_axis(tern_node_attr_i(infer->node, "axis"), x->rank, &axis));
  return check_broadcast(infer, 1);
}

static tern_status *infer_lrn(tern_infer *infer) {
  const tern_shape *x = tern_infer_shape(infer, 0);
  const int64_t size = tern_node_attr_i(infer->node, "size");
  TERN_TRY(tern_infer_same_as_input(infer));
  if (size < 1) return TERN_ERROR(TERN_INVALID_ARGUMENT, "'size' is %lld", (long long)size);
  if (tern_shape_has_rank(x) && x->rank < 2)
    return TERN_ERROR(TERN_INVALID_ARGUMENT, "an input of rank %d has no channels", x->rank);
  return NULL;
}

// One axis of the input, named by 'axis'.
static tern_status *infer_along_axis(tern_infer *infer) {
  const tern_shape *x = tern_infer_shape(infer, 0);
  int32_t axis;
  TERN_TRY(tern_infer_same_as_input(infer));
  if (!tern_shape_has_rank(x)) return NULL;
  return tern_infer_axis(tern_node_attr_i(infer->node, "axis"), x->rank, &axis);
}

static tern_status *infer_lp(tern_infer *infer) {
  const int64_t p = tern_node_attr_i(infer->node, "p");
  if (p != 1 && p != 2)
    return TERN_ERROR(TERN_INVALID_ARGUMENT, "'p' is %lld, neither 1 nor 2", (long long)p);
  return infer_along_axis(infer);
}

// (X - mean) / (deviation + 1e-9), both over `axes`.
static tern_status *body_mean_variance(tern_builder *b, const tern_node *node,
                                       tern_edge **outputs) {
  size_t count;
  const int64_t *axes = tern_node_attr_ints(node, "axes", &count);
  tern_edge *x = node->inputs[0], *over = tern_build_i64s(b, axes, (int64_t)count);
  tern_edge *centred = tern_build2(b, "Sub", x, tern_build2(b, "ReduceMean", x, over));
  tern_edge *variance = tern_build2(b, "ReduceMean", tern_build2(b, "Mul", centred, centred), over);
  tern_edge *deviation = tern_build2(b, "Add", tern_build1(b, "Sqrt", variance),
                                     tern_build_scalar(b, x->type.dtype, 1e-9));
  outputs[0] = tern_build2(b, "Div", centred, deviation);
  return NULL;
}

#define FLOAT_T TERN_CONSTRAINTS({"T", {.tensor = TERN_TYPES_FLOAT_BF}})
#define EPSILON TERN_ATTR_DEF_F("epsilon", 1e-5f)
#define SOFTMAX_VERSIONS                                                                           \
  TERN_VERSIONS({1},                                                                               \
                {11, tern_upgrade_softmax,                                                         \
                 "the input is flattened to a matrix at `axis`, and the result shaped back"},      \
                {13})

static const int64_t mean_variance_axes[] = {0, 2, 3};

static const tern_op ops[] = {
    {
        .domain = TERN_DOMAIN_ONNX,
        .name = "BatchNormalization",
        .since = 15,
        .inplace_inputs = 1,
        TERN_INPUTS({"X", "T"}, {"scale", "T1"}, {"B", "T1"}, {"input_mean", "T2"},
                    {"input_var", "T2"}),
        TERN_OUTPUTS({"Y", "T"}, {"running_mean", "T2", TERN_FORMAL_OPTIONAL},
                     {"running_var", "T2", TERN_FORMAL_OPTIONAL}),
        TERN_CONSTRAINTS({"T", {.tensor = TERN_TYPES_FLOAT_BF}},
                         {"T1", {.tensor = TERN_TYPES_FLOAT_BF}},
                         {"T2", {.tensor = TERN_TYPES_FLOAT_BF}}),
        TERN_ATTRS(EPSILON, TERN_ATTR_DEF_F("momentum", 0.9f), TERN_ATTR_DEF_I("training_mode", 0)),
        TERN_VERSIONS({1, tern_upgrade_batch_norm_6,
                       "drops consumed_inputs and is_test: the "
                       "outputs say whether statistics are made"},
                      {6, tern_upgrade_batch_norm_6,
                       "drops is_test: the outputs say whether statistics are made"},
                      {7, tern_upgrade_batch_norm_7,
                       "spatial = 0 makes a channel of every feature: X is flattened"},
                      {9, tern_upgrade_batch_norm_9,
                       "further outputs become training_mode = 1; saved statistics are reductions"},
                      {14}, {15}),
        .infer = infer_batch,
    },
    {
        .domain = TERN_DOMAIN_ONNX,
        .name = "InstanceNormalization",
        .since = 22,
        .inplace_inputs = 1,
        TERN_INPUTS({"input", "T"}, {"scale", "T"}, {"B", "T"}),
        TERN_OUTPUTS({"output", "T"}),
        FLOAT_T,
        TERN_ATTRS(EPSILON),
        TERN_VERSIONS(TERN_VERSION_CONSUMED_INPUTS, {6}, {22}),
        .infer = infer_instance,
    },
    {
        .domain = TERN_DOMAIN_ONNX,
        .name = "LayerNormalization",
        .since = 17,
        .inplace_inputs = 1,
        TERN_INPUTS({"X", "T"}, {"Scale", "T"}, {"B", "T", TERN_FORMAL_OPTIONAL}),
        TERN_OUTPUTS({"Y", "T"}, {"Mean", "U", TERN_FORMAL_OPTIONAL},
                     {"InvStdDev", "U", TERN_FORMAL_OPTIONAL}),
        TERN_CONSTRAINTS(
            {"T", {.tensor = TERN_TYPES_FLOAT_BF}},
            {"U", {.tensor = TERN_DTYPE_BIT(TERN_FLOAT) | TERN_DTYPE_BIT(TERN_BFLOAT16)}}),
        TERN_ATTRS(TERN_ATTR_DEF_I("axis", -1), EPSILON, TERN_ATTR_DEF_I("stash_type", TERN_FLOAT)),
        .infer = infer_layer,
    },
    {
        .domain = TERN_DOMAIN_ONNX,
        .name = "GroupNormalization",
        .since = 21,
        .inplace_inputs = 1,
        TERN_INPUTS({"X", "T"}, {"scale", "T"}, {"bias", "T"}),
        TERN_OUTPUTS({"Y", "T"}),
        FLOAT_T,
        TERN_ATTRS(EPSILON, TERN_ATTR_REQUIRED("num_groups", TERN_ATTR_INT),
                   TERN_ATTR_DEF_I("stash_type", TERN_FLOAT)),
        TERN_VERSIONS({18, tern_upgrade_group_norm,
                       "scale and bias of a group are repeated for its channels"},
                      {21}),
        .infer = infer_group,
    },
    {
        .domain = TERN_DOMAIN_ONNX,
        .name = "RMSNormalization",
        .since = 23,
        .inplace_inputs = 1,
        TERN_INPUTS({"X", "T"}, {"scale", "V"}),
        TERN_OUTPUTS({"Y", "V"}),
        TERN_CONSTRAINTS({"T", {.tensor = TERN_TYPES_FLOAT_BF}},
                         {"V", {.tensor = TERN_TYPES_FLOAT_BF}}),
        TERN_ATTRS(TERN_ATTR_DEF_I("axis", -1), EPSILON, TERN_ATTR_DEF_I("stash_type", TERN_FLOAT)),
        .infer = infer_rms,
    },
    {
        .domain = TERN_DOMAIN_ONNX,
        .name = "LRN",
        .since = 13,
        TERN_INPUTS({"X", "T"}),
        TERN_OUTPUTS({"Y", "T"}),
        FLOAT_T,
        TERN_ATTRS(TERN_ATTR_DEF_F("alpha", 1e-4f), TERN_ATTR_DEF_F("beta", 0.75f),
                   TERN_ATTR_DEF_F("bias", 1.0f), TERN_ATTR_REQUIRED("size", TERN_ATTR_INT)),
        TERN_VERSIONS({1}, {13}),
        .infer = infer_lrn,
    },
    {
        .domain = TERN_DOMAIN_ONNX,
        .name = "Softmax",
        .since = 13,
        .inplace_inputs = 1,
        TERN_INPUTS({"input", "T"}),
        TERN_OUTPUTS({"output", "T"}),
        FLOAT_T,
        TERN_ATTRS(TERN_ATTR_DEF_I("axis", -1)),
        SOFTMAX_VERSIONS,
        .infer = infer_along_axis,
    },
    {
        .domain = TERN_DOMAIN_ONNX,
        .name = "LogSoftmax",
        .since = 13,
        .inplace_inputs = 1,
        TERN_INPUTS({"input", "T"}),
        TERN_OUTPUTS({"output", "T"}),
        FLOAT_T,
        TERN_ATTRS(TERN_ATTR_DEF_I("axis", -1)),
        SOFTMAX_VERSIONS,
        .infer = infer_along_axis,
    },
    {
        .domain = TERN_DOMAIN_ONNX,
        .name = "Hardmax",
        .since = 13,
        .inplace_inputs = 1,
        TERN_INPUTS({"input", "T"}),
        TERN_OUTPUTS({"output", "T"}),
        FLOAT_T,
        TERN_ATTRS(TERN_ATTR_DEF_I("axis", -1)),
        SOFTMAX_VERSIONS,
        .infer = infer_along_axis,
    },
    {
        .domain = TERN_DOMAIN_ONNX,
        .name = "LpNormalization",
        .since = 22,
        .inplace_inputs = 1,
        TERN_INPUTS({"input", "T"}),
        TERN_OUTPUTS({"output", "T"}),
        FLOAT_T,
        TERN_ATTRS(TERN_ATTR_DEF_I("axis", -1), TERN_ATTR_DEF_I("p", 2)),
        TERN_VERSIONS({1}, {22}),
        .infer = infer_lp,
    },
    {
        .domain = TERN_DOMAIN_ONNX,
        .name = "MeanVarianceNormalization",
        .since = 13,
        TERN_INPUTS({"X", "T"}),
        TERN_OUTPUTS({"Y", "T"}),
        FLOAT_T,
        TERN_ATTRS({.name = "axes",
                    .type = TERN_ATTR_INTS,
                    .has_default = true,
                    .ints = mean_variance_axes,
                    .count = TERN_COUNT_OF(mean_variance_axes)}),
        TERN_VERSIONS({9}, {13}),
        .infer = tern_infer_same_as_input,
        .body = body_mean_variance,
    },
};

const tern_op_family tern_ops_normalize = {"normalize", ops, TERN_COUNT_OF(ops)};
