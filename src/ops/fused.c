// Products with what follows them in one operator: bias, residual, activation. Passes make them;
// each has a function body that says what it means, and stands for it in files.
#include "ops/fused.h"

#include <math.h>
#include <string.h>

#include "graph/builder.h"
#include "ops/conv.h"
#include "ops/matmul.h"
#include "ops/ops.h"

// Activations that fused operators carry, with the attributes that are their constants.
static const struct {
  const char *name;
  const char *attrs[TERN_OP_ACTIVATION_PARAMS_MAX];
  int32_t param_count;
} activations[] = {
    {"", {NULL}, 0},          {"Relu", {NULL}, 0},     {"LeakyRelu", {"alpha"}, 1},
    {"Clip", {NULL}, 2},      {"Sigmoid", {NULL}, 0},  {"HardSigmoid", {"alpha", "beta"}, 2},
    {"HardSwish", {NULL}, 0}, {"Swish", {"alpha"}, 1}, {"Tanh", {NULL}, 0},
    {"Elu", {"alpha"}, 1},    {"Gelu", {NULL}, 1},     {"Mish", {NULL}, 0},
};

static size_t find_activation(const char *name) {
  size_t i = 0;
  while (i < TERN_COUNT_OF(activations) && strcmp(activations[i].name, name) != 0) ++i;
  return i;
}

// A bound of Clip: `none` where it is omitted. False when it is not one known number.
static bool read_bound(const tern_node *node, int32_t index, float none, float *out_bound) {
  *out_bound = none;
  if (index >= node->input_count || !node->inputs[index]) return true;
  const tern_value *value = tern_edge_constant(node->inputs[index]);
  _Alignas(8) unsigned char element[8];
  if (!value || tern_value_count(value) != 1 ||
      !tern_dtype_set_has(TERN_TYPES_FLOAT_BF, value->dtype))
    return false;
  memcpy(element, value->data, tern_dtype_size(value->dtype));
  *out_bound = (float)tern_dtype_read_f64(value->dtype, element, 0);
  return !isnan(*out_bound);
}

bool tern_op_activation_of(const tern_node *node, tern_op_activation *out_activation) {
  size_t index = find_activation(node->op->name);
  if (node->op->domain[0] || index == 0 || index == TERN_COUNT_OF(activations)) return false;
  tern_op_activation found = {.name = activations[index].name,
                              .param_count = activations[index].param_count};
  for (int32_t i = 0; i < found.param_count; ++i) {
    if (activations[index].attrs[i])
      found.params[i] = tern_node_attr_f(node, activations[index].attrs[i]);
  }
  if (strcmp(found.name, "Gelu") == 0) {
    const char *approximate = tern_node_attr_s(node, "approximate");
    found.params[0] = strcmp(approximate, "tanh") == 0;
    if (strcmp(approximate, "tanh") != 0 && strcmp(approximate, "none") != 0) return false;
  }
  if (strcmp(found.name, "Clip") == 0 && (!read_bound(node, 1, -INFINITY, &found.params[0]) ||
                                          !read_bound(node, 2, INFINITY, &found.params[1])))
    return false;
  *out_activation = found;
  return true;
}

tern_status *tern_op_activation_read(const tern_node *node, tern_op_activation *out_activation) {
  size_t count;
  const char *name = tern_node_attr_s(node, "activation");
  const float *params = tern_node_attr_floats(node, "activation_params", &count);
  size_t index = find_activation(name);
  if (index == TERN_COUNT_OF(activations))
    return TERN_ERROR(TERN_INVALID_GRAPH, "'activation' is '%s', which is not fused", name);
  if (count != (size_t)activations[index].param_count)
    return TERN_ERROR(TERN_INVALID_GRAPH, "'activation_params' has %zu numbers, %s needs %d", count,
                      name, activations[index].param_count);
  *out_activation = (tern_op_activation){.name = activations[index].name,
                                         .param_count = activations[index].param_count};
  if (count) memcpy(out_activation->params, params, count * sizeof *params);
  return NULL;
}

void tern_op_activation_attrs(const tern_op_activation *activation, tern_attr *out_attrs) {
  out_attrs[0] = tern_attr_s("activation", activation->name);
  out_attrs[1] = (tern_attr){.name = "activation_params",
                             .type = TERN_ATTR_FLOATS,
                             .u.floats = activation->params,
                             .count = (size_t)activation->param_count};
}

static tern_edge *build_bound(tern_builder *b, const tern_edge *x, float bound) {
  return isinf(bound) ? NULL : tern_build_scalar(b, x->type.dtype, (double)bound);
}

// The activation as its own operator.
static tern_edge *build_activation(tern_builder *b, const tern_op_activation *a, tern_edge *x) {
  if (!x || !a->name[0]) return x;
  if (strcmp(a->name, "Clip") == 0)
    return TERN_BUILD(
        b, "Clip", TERN_EDGES(x, build_bound(b, x, a->params[0]), build_bound(b, x, a->params[1])));
  if (strcmp(a->name, "Gelu") == 0)
    return TERN_BUILD(
        b, "Gelu", TERN_EDGES(x),
        TERN_ATTR_ARGS(tern_attr_s("approximate", a->params[0] != 0 ? "tanh" : "none")));
  tern_attr attrs[TERN_OP_ACTIVATION_PARAMS_MAX];
  for (int32_t i = 0; i < a->param_count; ++i)
    attrs[i] = tern_attr_f(activations[find_activation(a->name)].attrs[i], a->params[i]);
  return TERN_BUILD(b, a->name, TERN_EDGES(x), .attrs = attrs, .attr_count = a->param_count);
}

static tern_edge *input_of(const tern_node *node, int32_t index) {
  return index < node->input_count ? node->inputs[index] : NULL;
}

// What follows the product `y`: y + Z, then the activation, or the activation first.
static tern_status *build_rest(tern_builder *b, const tern_node *node, tern_edge *y,
                               tern_edge **outputs) {
  tern_op_activation activation;
  TERN_TRY(tern_op_activation_read(node, &activation));
  tern_edge *z = input_of(node, 3);
  const bool is_last = tern_node_attr_i(node, "residual_last") != 0;
  if (z && y && !is_last) y = tern_build2(b, "Add", y, z);
  y = build_activation(b, &activation, y);
  if (z && y && is_last) y = tern_build2(b, "Add", y, z);
  outputs[0] = y;
  return NULL;
}

static tern_status *body_conv(tern_builder *b, const tern_node *node, tern_edge **outputs) {
  tern_edge *y = TERN_BUILD(b, "Conv", .inputs = node->inputs,
                            .input_count = node->input_count < 3 ? node->input_count : 3,
                            .attrs = node->attrs, .attr_count = TERN_OP_CONV_ATTR_COUNT);
  return build_rest(b, node, y, outputs);
}

static tern_status *body_matmul(tern_builder *b, const tern_node *node, tern_edge **outputs) {
  tern_edge *bias = input_of(node, 2), *y;
  if (tern_node_attr_i(node, "transB")) {
    y = TERN_BUILD(b, "Gemm", TERN_EDGES(node->inputs[0], node->inputs[1], bias),
                   TERN_ATTR_ARGS(tern_attr_i("transB", 1)));
  } else {
    y = tern_build2(b, "MatMul", node->inputs[0], node->inputs[1]);
    if (bias && y) y = tern_build2(b, "Add", y, bias);
  }
  return build_rest(b, node, y, outputs);
}

tern_status *tern_op_check_residual(tern_infer *infer) {
  tern_op_activation activation;
  TERN_TRY(tern_op_activation_read(infer->node, &activation));
  const tern_shape *z = tern_infer_shape(infer, 3);
  tern_shape *y = &infer->output_types[0].shape;
  if (!z || tern_shape_merge(y, z)) return NULL;
  char a[TERN_SHAPE_TEXT_BYTES], b[TERN_SHAPE_TEXT_BYTES];
  return TERN_ERROR(TERN_INVALID_ARGUMENT, "a residual of shape %s does not fit a result of %s",
                    tern_shape_format(z, a, sizeof a), tern_shape_format(y, b, sizeof b));
}

static tern_status *infer_conv(tern_infer *infer) {
  TERN_TRY(tern_op_infer_conv(infer));
  return tern_op_check_residual(infer);
}

static tern_status *check_bias(const tern_infer *infer, tern_dim columns) {
  const tern_shape *bias = tern_infer_shape(infer, 2);
  if (!tern_shape_has_rank(bias) || columns < 0) return NULL;
  if (bias->rank == 1 && (bias->dims[0] < 0 || bias->dims[0] == columns)) return NULL;
  char text[TERN_SHAPE_TEXT_BYTES];
  return TERN_ERROR(TERN_INVALID_ARGUMENT, "a bias of shape %s does not fit %lld columns",
                    tern_shape_format(bias, text, sizeof text), (long long)columns);
}

static tern_status *infer_matmul(tern_infer *infer) {
  const tern_shape *a = tern_infer_shape(infer, 0), *b = tern_infer_shape(infer, 1);
  if (!tern_shape_has_rank(a) || !tern_shape_has_rank(b)) return NULL;
  const bool transposed = tern_node_attr_i(infer->node, "transB") != 0;
  if (b->rank != 2 || (transposed && a->rank != 2))
    return TERN_ERROR(TERN_INVALID_GRAPH, "matrices of ranks %d and %d are not fused", a->rank,
                      b->rank);
  tern_shape upright = *b;
  if (transposed) {
    upright.dims[0] = b->dims[1];
    upright.dims[1] = b->dims[0];
  }
  TERN_TRY(tern_op_matmul_shape(a, &upright, &infer->output_types[0].shape));
  TERN_TRY(check_bias(infer, upright.dims[1]));
  return tern_op_check_residual(infer);
}

#define FUSED_INPUTS(a, b, c)                                                                      \
  TERN_INPUTS({a, "T"}, {b, "T"}, {c, "T", TERN_FORMAL_OPTIONAL}, {"Z", "T", TERN_FORMAL_OPTIONAL})

static const tern_op ops[] = {
    // activation(Conv(X, W, B) + Z), or with residual_last activation(Conv(X, W, B)) + Z.
    {
        .domain = TERN_DOMAIN_TERN,
        .name = "FusedConv",
        .since = 1,
        FUSED_INPUTS("X", "W", "B"),
        TERN_OUTPUTS({"Y", "T"}),
        TERN_CONSTRAINTS({"T", {.tensor = TERN_TYPES_FLOAT_BF}}),
        TERN_ATTRS(TERN_OP_CONV_ATTRS, TERN_OP_FUSED_ATTRS),
        .infer = infer_conv,
        .body = body_conv,
        .flops = tern_op_flops_conv,
    },
    // The same of MatMul(A, B) + C: B is a matrix, stored transposed with transB (then A is one
    // too), and C has an element for each of its columns.
    {
        .domain = TERN_DOMAIN_TERN,
        .name = "FusedMatMul",
        .since = 1,
        FUSED_INPUTS("A", "B", "C"),
        TERN_OUTPUTS({"Y", "T"}),
        TERN_CONSTRAINTS({"T", {.tensor = TERN_TYPES_FLOAT_BF}}),
        TERN_ATTRS(TERN_ATTR_DEF_I("transB", 0), TERN_OP_FUSED_ATTRS),
        .infer = infer_matmul,
        .body = body_matmul,
        .flops = tern_op_flops_matmul,
    },
};

const tern_op_family tern_ops_fused = {"fused", ops, TERN_COUNT_OF(ops)};
