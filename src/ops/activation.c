// What the activation functions are.
#include "graph/infer.h"
#include "ops/legacy_forms.h"
#include "ops/ops.h"

// Opset 1 had shorter constants.
static tern_status *upgrade_selu_constants(tern_draft *draft) {
  if (!tern_draft_attr(draft, "alpha"))
    TERN_TRY(tern_draft_set_attr(draft, tern_attr_f("alpha", 1.6732f)));
  if (!tern_draft_attr(draft, "gamma"))
    TERN_TRY(tern_draft_set_attr(draft, tern_attr_f("gamma", 1.0507f)));
  return tern_upgrade_drop_consumed_inputs(draft);
}

// Before opset 7 a slope of one dimension lay along the channels, axis 1 of X.
static tern_status *upgrade_channel_slope(tern_draft *draft) {
  const tern_edge *x = tern_draft_input(draft, 0);
  tern_edge *slope = tern_draft_input(draft, 1);
  if (!x || !slope || slope->type.shape.rank != 1 || slope->type.shape.dims[0] == 1) return NULL;
  if (x->type.shape.rank < 0)
    return TERN_ERROR(TERN_INVALID_GRAPH, "a slope for each channel needs an input of known rank");
  slope = tern_upgrade_append_dims(draft->builder, slope, x->type.shape.rank - 2);
  return slope ? tern_draft_set_input(draft, 1, slope) : NULL;
}

static tern_status *infer_prelu(tern_infer *infer) {
  const tern_shape *x = tern_infer_shape(infer, 0), *slope = tern_infer_shape(infer, 1);
  TERN_TRY(tern_infer_same_as_input(infer));
  if (!tern_shape_is_known(x) || !tern_shape_is_known(slope)) return NULL;
  tern_shape both = *x;
  char a[TERN_SHAPE_TEXT_BYTES], b[TERN_SHAPE_TEXT_BYTES];
  if (!tern_shape_broadcast(&both, slope) || !tern_shape_equal(&both, x))
    return TERN_ERROR(TERN_INVALID_ARGUMENT, "a slope of shape %s does not broadcast to %s",
                      tern_shape_format(slope, b, sizeof b), tern_shape_format(x, a, sizeof a));
  return NULL;
}

static tern_status *infer_swiglu(tern_infer *infer) {
  tern_shape shape = *tern_infer_shape(infer, 0);
  char a[TERN_SHAPE_TEXT_BYTES], b[TERN_SHAPE_TEXT_BYTES];
  if (!tern_shape_merge(&shape, tern_infer_shape(infer, 1)))
    return TERN_ERROR(TERN_INVALID_ARGUMENT, "the shapes %s and %s differ",
                      tern_shape_format(tern_infer_shape(infer, 0), a, sizeof a),
                      tern_shape_format(tern_infer_shape(infer, 1), b, sizeof b));
  tern_shape_copy(&infer->output_types[0].shape, &shape);
  return NULL;
}

static tern_status *swiglu_body(tern_builder *builder, const tern_node *node, tern_edge **outputs) {
  tern_edge *gate =
      TERN_BUILD(builder, "Swish", TERN_EDGES(node->inputs[0]),
                 TERN_ATTR_ARGS(tern_attr_f("alpha", tern_node_attr_f(node, "alpha"))));
  outputs[0] = tern_build2(builder, "Mul", gate, node->inputs[1]);
  return NULL;
}

static tern_status *mish_body(tern_builder *builder, const tern_node *node, tern_edge **outputs) {
  tern_edge *x = node->inputs[0];
  outputs[0] = tern_build2(builder, "Mul", x,
                           tern_build1(builder, "Tanh", tern_build1(builder, "Softplus", x)));
  return NULL;
}

#define CONSUMED_1_6(newest) TERN_VERSIONS(TERN_VERSION_CONSUMED_INPUTS, {6}, {newest})

#define ACTIVATION(op_name, op_since, x, y, types, ...)                                            \
  {                                                                                                \
    .domain = TERN_DOMAIN_ONNX, .name = op_name, .since = op_since, .inplace_inputs = 1,           \
    TERN_INPUTS({x, "T"}), TERN_OUTPUTS({y, "T"}), TERN_CONSTRAINTS({"T", {.tensor = (types)}}),   \
    .infer = tern_infer_same_as_input, __VA_ARGS__                                                 \
  }

static const tern_op ops[] = {
    ACTIVATION("Relu", 14, "X", "Y", TERN_TYPES_FLOAT_BF | TERN_TYPES_INT_SIGNED,
               TERN_VERSIONS(TERN_VERSION_CONSUMED_INPUTS, {6}, {13}, {14})),
    ACTIVATION("LeakyRelu", 16, "X", "Y", TERN_TYPES_FLOAT_BF,
               TERN_ATTRS(TERN_ATTR_DEF_F("alpha", 0.01f)), CONSUMED_1_6(16)),
    ACTIVATION("Elu", 22, "X", "Y", TERN_TYPES_FLOAT_BF, TERN_ATTRS(TERN_ATTR_DEF_F("alpha", 1)),
               CONSUMED_1_6(22)),
    ACTIVATION("Celu", 28, "X", "Y", TERN_TYPES_FLOAT_BF, TERN_ATTRS(TERN_ATTR_DEF_F("alpha", 1)),
               TERN_VERSIONS({12}, {28})),
    ACTIVATION("Selu", 22, "X", "Y", TERN_TYPES_FLOAT_BF,
               TERN_ATTRS(TERN_ATTR_DEF_F("alpha", 1.67326319217681884765625f),
                          TERN_ATTR_DEF_F("gamma", 1.05070102214813232421875f)),
               TERN_VERSIONS({1, upgrade_selu_constants,
                              "writes down its own defaults, 1.6732 and 1.0507; drops "
                              "consumed_inputs"},
                             {6}, {22})),
    ACTIVATION("ThresholdedRelu", 22, "X", "Y", TERN_TYPES_FLOAT_BF,
               TERN_ATTRS(TERN_ATTR_DEF_F("alpha", 1)), TERN_VERSIONS({10}, {22})),
    ACTIVATION("HardSigmoid", 22, "X", "Y", TERN_TYPES_FLOAT_BF,
               TERN_ATTRS(TERN_ATTR_DEF_F("alpha", 0.2f), TERN_ATTR_DEF_F("beta", 0.5f)),
               CONSUMED_1_6(22)),
    ACTIVATION("HardSwish", 22, "X", "Y", TERN_TYPES_FLOAT_BF, TERN_VERSIONS({14}, {22})),
    ACTIVATION("Gelu", 20, "X", "Y", TERN_TYPES_FLOAT_BF,
               TERN_ATTRS(TERN_ATTR_DEF_S("approximate", "none"))),
    ACTIVATION("Mish", 22, "X", "Y", TERN_TYPES_FLOAT_BF, TERN_VERSIONS({18}, {22}),
               .body = mish_body),
    ACTIVATION("Softplus", 22, "X", "Y", TERN_TYPES_FLOAT_BF, TERN_VERSIONS({1}, {22})),
    ACTIVATION("Softsign", 22, "input", "output", TERN_TYPES_FLOAT_BF, TERN_VERSIONS({1}, {22})),
    ACTIVATION("Shrink", 9, "input", "output", TERN_TYPES_FLOAT | TERN_TYPES_INT,
               TERN_ATTRS(TERN_ATTR_DEF_F("bias", 0), TERN_ATTR_DEF_F("lambd", 0.5f))),
    ACTIVATION("Swish", 24, "X", "Y", TERN_TYPES_FLOAT_BF, TERN_ATTRS(TERN_ATTR_DEF_F("alpha", 1))),
    {.domain = TERN_DOMAIN_ONNX,
     .name = "PRelu",
     .since = 16,
     .inplace_inputs = 1,
     TERN_INPUTS({"X", "T"}, {"slope", "T"}),
     TERN_OUTPUTS({"Y", "T"}),
     TERN_CONSTRAINTS(
         {"T",
          {.tensor = TERN_TYPES_FLOAT_BF | TERN_DTYPE_BIT(TERN_INT32) | TERN_DTYPE_BIT(TERN_INT64) |
                     TERN_DTYPE_BIT(TERN_UINT32) | TERN_DTYPE_BIT(TERN_UINT64)}}),
     TERN_VERSIONS(TERN_VERSION_CONSUMED_INPUTS,
                   {6, upgrade_channel_slope, "gives a slope for each channel trailing dimensions"},
                   {7}, {9}, {16}),
     .infer = infer_prelu},
    {.domain = TERN_DOMAIN_ONNX,
     .name = "SwiGLU",
     .since = 28,
     TERN_INPUTS({"A", "T"}, {"B", "T"}),
     TERN_OUTPUTS({"Y", "T"}),
     TERN_CONSTRAINTS({"T", {.tensor = TERN_TYPES_FLOAT_BF}}),
     TERN_ATTRS(TERN_ATTR_DEF_F("alpha", 1)),
     .infer = infer_swiglu,
     .body = swiglu_body},
};

const tern_op_family tern_ops_activation = {"activation", ops, TERN_COUNT_OF(ops)};
