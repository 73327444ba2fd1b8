// Operators that ONNX had as experimental and removed, and that files in use still hold. Each is a
// function body: nothing computes them as such. Their attributes are those of opset 1.
#include <string.h>

#include "graph/infer.h"
#include "graph/upgrade.h"
#include "ops/ops.h"

// A float constant in the element type of `like`, of the given shape.
static tern_edge *constant_like(tern_builder *builder, const tern_edge *like, const float *values,
                                int32_t rank, const tern_dim *dims) {
  tern_shape shape;
  tern_value *value = NULL;
  if (builder->status) return NULL;
  tern_shape_set(&shape, rank, dims);
  builder->status =
      tern_value_create_tensor(builder->graph->model->value_allocator, TERN_FLOAT, &shape, &value);
  if (builder->status) return NULL;
  if (value->data_bytes) memcpy(value->data, values, value->data_bytes);
  tern_edge *edge = tern_build_constant(builder, value);
  if (like->type.dtype == TERN_FLOAT) return edge;
  return TERN_BUILD(builder, "Cast", TERN_EDGES(edge),
                    TERN_ATTR_ARGS(tern_attr_i("to", like->type.dtype)));
}

static tern_edge *scalar_attr(tern_builder *builder, const tern_node *node, const char *name) {
  return tern_build_scalar(builder, node->inputs[0]->type.dtype,
                           (double)tern_node_attr_f(node, name));
}

// scale * x + bias, one bias a channel.
static tern_status *body_image_scaler(tern_builder *b, const tern_node *node, tern_edge **outputs) {
  size_t count;
  tern_edge *x = node->inputs[0];
  const float *bias = tern_node_attr_floats(node, "bias", &count);
  tern_edge *y = tern_build2(b, "Mul", x, scalar_attr(b, node, "scale"));
  if (count > 0) {
    const tern_dim dims[] = {(tern_dim)count, 1, 1};
    y = tern_build2(b, "Add", y, constant_like(b, x, bias, 3, dims));
  }
  outputs[0] = y;
  return NULL;
}

// alpha * x + beta
static tern_status *body_affine(tern_builder *b, const tern_node *node, tern_edge **outputs) {
  tern_edge *y = tern_build2(b, "Mul", node->inputs[0], scalar_attr(b, node, "alpha"));
  outputs[0] = tern_build2(b, "Add", y, scalar_attr(b, node, "beta"));
  return NULL;
}

static tern_status *body_scale(tern_builder *b, const tern_node *node, tern_edge **outputs) {
  outputs[0] = tern_build2(b, "Mul", node->inputs[0], scalar_attr(b, node, "scale"));
  return NULL;
}

// alpha * tanh(beta * x)
static tern_status *body_scaled_tanh(tern_builder *b, const tern_node *node, tern_edge **outputs) {
  tern_edge *y = tern_build2(b, "Mul", node->inputs[0], scalar_attr(b, node, "beta"));
  outputs[0] = tern_build2(b, "Mul", tern_build1(b, "Tanh", y), scalar_attr(b, node, "alpha"));
  return NULL;
}

// alpha * ln(1 + exp(beta * x))
static tern_status *body_parametric_softplus(tern_builder *b, const tern_node *node,
                                             tern_edge **outputs) {
  tern_edge *y = tern_build2(b, "Mul", node->inputs[0], scalar_attr(b, node, "beta"));
  outputs[0] = tern_build2(b, "Mul", tern_build1(b, "Softplus", y), scalar_attr(b, node, "alpha"));
  return NULL;
}

// What a Crop of [N, C, H, W] leaves: [begin, end) of H and W. A size given as `scale` [height,
// width] counts from the left and upper border.
static tern_status *crop_range(const tern_node *node, int64_t begin[2], int64_t end[2]) {
  size_t border_count, scale_count;
  const int64_t *border = tern_node_attr_ints(node, "border", &border_count);
  const int64_t *scale = tern_node_attr_ints(node, "scale", &scale_count);
  if (border_count != 4 || (scale_count != 0 && scale_count != 2))
    return TERN_ERROR(TERN_INVALID_GRAPH, "'border' has %zu values, 4 are needed", border_count);
  for (int32_t i = 0; i < 4; ++i) {
    if (border[i] < 0 || border[i] > INT32_MAX)
      return TERN_ERROR(TERN_INVALID_GRAPH, "'border' has the value %lld", (long long)border[i]);
  }
  begin[0] = border[1];
  begin[1] = border[0];
  for (int32_t i = 0; i < 2; ++i) {
    if (scale_count && (scale[i] < 0 || scale[i] > INT32_MAX))
      return TERN_ERROR(TERN_INVALID_GRAPH, "'scale' has the value %lld", (long long)scale[i]);
    end[i] = scale_count ? begin[i] + scale[i] : -border[3 - i];
    if (end[i] == 0) end[i] = INT64_MAX;
  }
  return NULL;
}

static tern_status *infer_crop(tern_infer *infer) {
  const tern_shape *x = tern_infer_shape(infer, 0);
  int64_t begin[2], end[2];
  TERN_TRY(crop_range(infer->node, begin, end));
  if (!tern_shape_has_rank(x)) return NULL;
  if (x->rank != 4)
    return TERN_ERROR(TERN_INVALID_GRAPH, "an input of rank %d is no batch of images", x->rank);
  tern_shape *y = &infer->output_types[0].shape;
  tern_shape_copy(y, x);
  for (int32_t i = 0; i < 2; ++i) {
    int64_t size = x->dims[i + 2];
    if (size < 0) {
      y->dims[i + 2] = TERN_DIM_UNKNOWN;
      continue;
    }
    int64_t last = end[i] < 0 ? size + end[i] : tern_min_i64(end[i], size);
    if (last < begin[i])
      return TERN_ERROR(TERN_INVALID_ARGUMENT, "cropping %lld from %lld leaves nothing",
                        (long long)begin[i], (long long)size);
    y->dims[i + 2] = last - begin[i];
  }
  return NULL;
}

static tern_status *body_crop(tern_builder *b, const tern_node *node, tern_edge **outputs) {
  static const int64_t axes[2] = {2, 3};
  int64_t begin[2], end[2];
  TERN_TRY(crop_range(node, begin, end));
  outputs[0] = TERN_BUILD(b, "Slice",
                          TERN_EDGES(node->inputs[0], tern_build_i64s(b, begin, 2),
                                     tern_build_i64s(b, end, 2), tern_build_i64s(b, axes, 2)));
  return NULL;
}

// Its inputs are those that Slice has had since opset 10.
static tern_status *upgrade_dynamic_slice(tern_draft *draft) {
  tern_draft_rename(draft, TERN_DOMAIN_ONNX, "Slice", 10);
  return NULL;
}

#define UNARY                                                                                      \
  TERN_INPUTS({"X", "T"}), TERN_OUTPUTS({"Y", "T"}),                                               \
      TERN_CONSTRAINTS({"T", {.tensor = TERN_TYPES_FLOAT}})

static const tern_op ops[] = {
    {
        .domain = TERN_DOMAIN_ONNX,
        .name = "Affine",
        .since = 1,
        .flags = TERN_OP_REMOVED,
        UNARY,
        TERN_ATTRS(TERN_ATTR_DEF_F("alpha", 1.0f), TERN_ATTR_DEF_F("beta", 0.0f)),
        .infer = tern_infer_same_as_input,
        .body = body_affine,
    },
    {
        .domain = TERN_DOMAIN_ONNX,
        .name = "Crop",
        .since = 1,
        .flags = TERN_OP_REMOVED,
        UNARY,
        TERN_ATTRS(TERN_ATTR_OPTIONAL("border", TERN_ATTR_INTS),
                   TERN_ATTR_OPTIONAL("scale", TERN_ATTR_INTS)),
        .infer = infer_crop,
        .body = body_crop,
    },
    {
        .domain = TERN_DOMAIN_ONNX,
        .name = "DynamicSlice",
        .since = 1,
        TERN_INPUTS({"data", "T"}, {"starts", "I"}, {"ends", "I"},
                    {"axes", "I", TERN_FORMAL_OPTIONAL}),
        TERN_OUTPUTS({"output", "T"}),
        TERN_CONSTRAINTS(
            {"T", {.tensor = TERN_TYPES_ALL}},
            {"I", {.tensor = TERN_DTYPE_BIT(TERN_INT32) | TERN_DTYPE_BIT(TERN_INT64)}}),
        TERN_VERSIONS({1, upgrade_dynamic_slice, "becomes Slice-10"}),
        .infer = tern_infer_nothing,
    },
    {
        .domain = TERN_DOMAIN_ONNX,
        .name = "ImageScaler",
        .since = 1,
        .flags = TERN_OP_REMOVED,
        UNARY,
        TERN_ATTRS(TERN_ATTR_OPTIONAL("bias", TERN_ATTR_FLOATS), TERN_ATTR_DEF_F("scale", 1.0f)),
        .infer = tern_infer_same_as_input,
        .body = body_image_scaler,
    },
    {
        .domain = TERN_DOMAIN_ONNX,
        .name = "ParametricSoftplus",
        .since = 1,
        .flags = TERN_OP_REMOVED,
        UNARY,
        TERN_ATTRS(TERN_ATTR_DEF_F("alpha", 1.0f), TERN_ATTR_DEF_F("beta", 1.0f)),
        .infer = tern_infer_same_as_input,
        .body = body_parametric_softplus,
    },
    {
        .domain = TERN_DOMAIN_ONNX,
        .name = "Scale",
        .since = 1,
        .flags = TERN_OP_REMOVED,
        UNARY,
        TERN_ATTRS(TERN_ATTR_DEF_F("scale", 1.0f)),
        .infer = tern_infer_same_as_input,
        .body = body_scale,
    },
    {
        .domain = TERN_DOMAIN_ONNX,
        .name = "ScaledTanh",
        .since = 1,
        .flags = TERN_OP_REMOVED,
        UNARY,
        TERN_ATTRS(TERN_ATTR_DEF_F("alpha", 1.0f), TERN_ATTR_DEF_F("beta", 1.0f)),
        .infer = tern_infer_same_as_input,
        .body = body_scaled_tanh,
    },
};

const tern_op_family tern_ops_legacy = {"legacy", ops, TERN_COUNT_OF(ops)};
