// What multiplies or adds a constant for each channel goes into the weights of the product before
// it: batch normalisation, Mul and Add behind Conv, ConvTranspose and Gemm.
#include "optimize/match.h"

// A product whose weights and bias are constants that nobody else would miss.
typedef struct product {
  tern_node *node;
  tern_edge *weights, *bias; // bias NULL: none
  int32_t weight_axis;       // the weights' axis of output channels
  int32_t rank;              // of the output, whose axis 1 has the channels
  tern_dim channels;
} product;

// y = x * scale + shift, each [channels] or [1]; NULL: 1 or 0.
typedef struct affine {
  tern_edge *scale, *shift;
} affine;

static bool is_constant(const tern_edge *edge) {
  return edge && tern_edge_constant(edge) != NULL;
}

static int32_t weight_axis(const tern_node *node) {
  if (tern_match_op(node, "Conv")) return 0;
  if (tern_match_op(node, "ConvTranspose") && tern_node_attr_i(node, "group") == 1) return 1;
  bool is_plain = tern_match_op(node, "Gemm") && tern_node_attr_f(node, "beta") == 1.0f;
  return is_plain ? (tern_node_attr_i(node, "transB") ? 0 : 1) : -1;
}

static bool match_product(const tern_edge *edge, product *out) {
  tern_node *node = edge ? edge->producer : NULL;
  if (!node || !tern_match_read_once(edge)) return false;
  *out = (product){.node = node,
                   .weights = tern_match_input(node, 1),
                   .bias = tern_match_input(node, 2),
                   .weight_axis = weight_axis(node),
                   .rank = edge->type.shape.rank};
  if (out->weight_axis < 0 || out->rank < 2 || !is_constant(out->weights)) return false;
  const tern_shape *w = &out->weights->type.shape;
  if (w->rank != out->rank || out->weights->uses.count != 1) return false;
  out->channels = w->dims[out->weight_axis];
  // Gemm's C may broadcast in other ways.
  return out->channels > 0 &&
         (!out->bias || (is_constant(out->bias) && out->bias->type.shape.rank == 1 &&
                         out->bias->type.shape.dims[0] == out->channels));
}

// A constant that has one element, or one for each channel of axis 1, against an output of `rank`.
static bool is_per_channel(const tern_edge *edge, const product *p) {
  const tern_shape *shape = &edge->type.shape;
  if (!is_constant(edge) || shape->rank < 0 || shape->rank > p->rank) return false;
  for (int32_t i = 0; i < shape->rank; ++i) {
    bool is_channel = i + p->rank - shape->rank == 1;
    if (shape->dims[i] != 1 && !(is_channel && shape->dims[i] == p->channels)) return false;
  }
  return true;
}

static tern_edge *reshape(tern_builder *b, tern_edge *x, const int64_t *dims, int32_t rank) {
  return TERN_BUILD(b, "Reshape", TERN_EDGES(x, tern_build_i64s(b, dims, rank)));
}

static tern_edge *flat(tern_builder *b, tern_edge *x) {
  return reshape(b, x, (const int64_t[]){-1}, 1);
}

// scale / sqrt(var + epsilon), and bias - mean times that.
static affine build_normalisation(tern_builder *b, const tern_node *node) {
  tern_edge *const *in = node->inputs;
  tern_edge *epsilon =
      tern_build_scalar(b, in[4]->type.dtype, (double)tern_node_attr_f(node, "epsilon"));
  tern_edge *deviation = tern_build1(b, "Sqrt", tern_build2(b, "Add", in[4], epsilon));
  tern_edge *scale = tern_build2(b, "Div", in[1], deviation);
  tern_edge *shift = tern_build2(b, "Sub", in[2], tern_build2(b, "Mul", in[3], scale));
  return (affine){scale, shift};
}

// The constants are the node's own, of the product's element type.
static bool is_normalisation(const tern_node *node) {
  if (!tern_match_op(node, "BatchNormalization") || tern_node_attr_i(node, "training_mode"))
    return false;
  for (int32_t i = 1; i < 5; ++i) {
    if (!is_constant(node->inputs[i]) || node->inputs[i]->type.dtype != node->inputs[0]->type.dtype)
      return false;
  }
  return true;
}

static tern_status *replace(tern_pass_context *ctx, tern_node *node, const product *p,
                            tern_patch *patch, affine by) {
  tern_builder *b = &patch->builder;
  tern_edge *w = p->weights, *bias = p->bias;
  const int64_t channels = p->channels;
  if (by.scale && b->status == NULL) {
    int64_t dims[TERN_MAX_RANK];
    for (int32_t i = 0; i < p->rank; ++i) dims[i] = i == p->weight_axis ? -1 : 1;
    w = tern_build2(b, "Mul", w, reshape(b, by.scale, dims, p->rank));
    if (bias) bias = tern_build2(b, "Mul", bias, by.scale);
  }
  if (by.shift && b->status == NULL)
    bias = bias ? tern_build2(b, "Add", bias, by.shift)
                : TERN_BUILD(b, "Expand", TERN_EDGES(by.shift, tern_build_i64s(b, &channels, 1)));
  tern_edge *y = TERN_BUILD(b, p->node->op->name, TERN_EDGES(p->node->inputs[0], w, bias),
                            .attrs = p->node->attrs, .attr_count = tern_op_attr_count(p->node->op));
  tern_patch_replace(patch, node->outputs[0], y);
  return tern_pass_apply(ctx, patch);
}

tern_status *tern_pass_fold_batch_norm(tern_pass_context *ctx, tern_node *node) {
  product p;
  if (!is_normalisation(node) || !match_product(node->inputs[0], &p)) return NULL;
  tern_patch patch;
  tern_patch_init(&patch, node, p.node->name);
  return replace(ctx, node, &p, &patch, build_normalisation(&patch.builder, node));
}

// Mul or Add of a product and a constant; which operand is which is free.
static tern_status *fold_binary(tern_pass_context *ctx, tern_node *node, const char *op) {
  product p;
  if (!tern_match_op(node, op)) return NULL;
  int32_t side = match_product(node->inputs[0], &p)   ? 0
                 : match_product(node->inputs[1], &p) ? 1
                                                      : -1;
  if (side < 0 || !is_per_channel(node->inputs[1 - side], &p)) return NULL;
  if (node->outputs[0]->type.shape.rank != p.rank) return NULL;
  tern_patch patch;
  tern_patch_init(&patch, node, p.node->name);
  tern_edge *constant = flat(&patch.builder, node->inputs[1 - side]);
  affine by = {.scale = op[0] == 'M' ? constant : NULL, .shift = op[0] == 'A' ? constant : NULL};
  return replace(ctx, node, &p, &patch, by);
}

tern_status *tern_pass_fold_channel_mul(tern_pass_context *ctx, tern_node *node) {
  return fold_binary(ctx, node, "Mul");
}

tern_status *tern_pass_fold_channel_add(tern_pass_context *ctx, tern_node *node) {
  return fold_binary(ctx, node, "Add");
}
