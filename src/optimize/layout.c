// Layout assignment: images go from convolution to convolution in blocks of channels, where the
// provider wants them so.
//
// Each node is replaced on its own by one that computes on blocked images, with ToBlocked before
// and FromBlocked behind it. As ToBlocked(FromBlocked(x)) is x, chains of such nodes join into
// regions, and what reorders is left at their borders alone. Convolutions start a region; the other
// nodes go on with one.
//
// The channels that fill up the last block are 0 in every blocked image. Where a node would make
// something else of them, it is left as it is unless the channels fill their blocks.
#include "optimize/layout.h"

#include <math.h>

#include "ops/conv.h"
#include "ops/fused.h"

typedef tern_layout_change change;

bool tern_layout_is_image(const tern_edge *edge) {
  return edge && edge->type.kind == TERN_KIND_TENSOR && edge->type.dtype == TERN_FLOAT &&
         edge->type.shape.rank == 4 && edge->type.shape.dims[1] > 0;
}

tern_edge *tern_layout_source(const change *c, const tern_edge *edge) {
  const tern_node *from = edge ? edge->producer : NULL;
  return tern_match_internal(from, "FromBlocked") && tern_node_attr_i(from, "block") == c->block
             ? from->inputs[0]
             : NULL;
}

void tern_layout_begin(change *c) {
  tern_patch_init(&c->patch, c->node, c->node->name);
}

tern_edge *tern_layout_to_blocked(change *c, tern_edge *edge) {
  tern_edge *source = tern_layout_source(c, edge);
  if (source || !edge) return source;
  return TERN_BUILD(&c->patch.builder, "ToBlocked", .domain = TERN_DOMAIN_TERN, TERN_EDGES(edge),
                    TERN_ATTR_ARGS(tern_attr_i("block", c->block)));
}

void tern_layout_replace(change *c, int32_t index, tern_edge *blocked, int64_t channels) {
  tern_edge *plain =
      TERN_BUILD(&c->patch.builder, "FromBlocked", .domain = TERN_DOMAIN_TERN, TERN_EDGES(blocked),
                 TERN_ATTR_ARGS(tern_attr_i("block", c->block), tern_attr_i("channels", channels)));
  tern_patch_replace(&c->patch, c->node->outputs[index], plain);
}

tern_status *tern_layout_finish(change *c, tern_edge *blocked) {
  tern_layout_replace(c, 0, blocked, c->channels);
  return tern_pass_apply(c->ctx, &c->patch);
}

static bool fills_blocks(const change *c) {
  return c->channels % c->block == 0;
}

// ---- Convolutions

static tern_edge *build_conv(change *c, const tern_node *like, tern_edge *const *inputs,
                             int32_t input_count, const tern_op_activation *activation) {
  enum { COUNT = TERN_OP_CONV_ATTR_COUNT + TERN_OP_FUSED_ATTR_COUNT + 1 };
  tern_attr attrs[COUNT] = {{0}};
  for (int32_t i = 0; like && i < TERN_OP_CONV_ATTR_COUNT; ++i) attrs[i] = like->attrs[i];
  if (!like) attrs[0] = tern_attr_i("group", c->channels);
  attrs[COUNT - 1] = tern_attr_i("block", c->block);
  tern_op_activation_attrs(activation, &attrs[TERN_OP_CONV_ATTR_COUNT]);
  if (like && tern_node_attr_i(like, "residual_last"))
    attrs[COUNT - 2] = tern_attr_i("residual_last", 1);
  return TERN_BUILD(&c->patch.builder, "BlockedConv", .domain = TERN_DOMAIN_TERN, .inputs = inputs,
                    .input_count = input_count, .attrs = attrs, .attr_count = COUNT);
}

// Few channels are read from a plain image as they are: there is no block to fill.
static bool reads_plain(const tern_node *node, int64_t block) {
  return tern_node_attr_i(node, "group") == 1 && node->inputs[1]->type.shape.dims[1] < block;
}

static tern_status *change_conv(change *c) {
  const tern_node *node = c->node;
  tern_op_activation activation = {.name = ""};
  tern_edge *inputs[4] = {NULL};
  const bool is_plain = !tern_layout_source(c, node->inputs[0]) && reads_plain(node, c->block);
  // What is not blocked yet would be reordered for next to nothing.
  if (!tern_layout_source(c, node->inputs[0]) && c->channels < c->block / 2) return NULL;
  if (tern_match_internal(node, "FusedConv")) TERN_TRY(tern_op_activation_read(node, &activation));
  tern_layout_begin(c);
  for (int32_t i = 0; i < node->input_count; ++i) inputs[i] = node->inputs[i];
  if (!is_plain) inputs[0] = tern_layout_to_blocked(c, inputs[0]);
  inputs[3] = tern_layout_to_blocked(c, inputs[3]);
  return tern_layout_finish(c, build_conv(c, node, inputs, node->input_count, &activation));
}

// ---- Nodes that keep channels apart

// One that takes an activation of its output too, which nobody else reads.
static tern_node *open_conv(const change *c, const tern_edge *plain) {
  tern_edge *source = tern_layout_source(c, plain);
  tern_node *conv = source ? source->producer : NULL;
  if (!tern_match_internal(conv, "BlockedConv") || !tern_match_read_once(plain) ||
      !tern_match_read_once(source))
    return NULL;
  return tern_node_attr_s(conv, "activation")[0] ? NULL : conv;
}

// Whether f(0) is 0.
static bool keeps_zero(const tern_node *node) {
  static const char *const names[] = {"Relu", "LeakyRelu", "Elu",       "Celu",     "Selu",
                                      "Gelu", "Swish",     "HardSwish", "Mish",     "Tanh",
                                      "Abs",  "Neg",       "Erf",       "Softsign", "Sqrt"};
  for (size_t i = 0; i < TERN_COUNT_OF(names); ++i)
    if (strcmp(node->op->name, names[i]) == 0) return true;
  tern_op_activation clip;
  return tern_match_op(node, "Clip") && tern_op_activation_of(node, &clip) && clip.params[0] <= 0 &&
         clip.params[1] >= 0;
}

// The same node over the blocked input 0.
static tern_edge *rebuild(change *c) {
  tern_edge *inputs[3] = {NULL};
  for (int32_t i = 0; i < c->node->input_count; ++i) inputs[i] = c->node->inputs[i];
  inputs[0] = tern_layout_to_blocked(c, inputs[0]);
  return TERN_BUILD(&c->patch.builder, c->node->op->name, .inputs = inputs,
                    .input_count = c->node->input_count, .attrs = c->node->attrs,
                    .attr_count = tern_op_attr_count(c->node->op));
}

static tern_status *change_unary(change *c) {
  tern_op_activation activation;
  tern_node *conv = open_conv(c, c->node->inputs[0]);
  if (!tern_layout_source(c, c->node->inputs[0]) || c->node->input_count > 3) return NULL;
  if (conv && tern_op_activation_of(c->node, &activation)) {
    tern_layout_begin(c);
    return tern_layout_finish(c, build_conv(c, conv, conv->inputs, conv->input_count, &activation));
  }
  if (!fills_blocks(c) && !keeps_zero(c->node)) return NULL;
  tern_layout_begin(c);
  return tern_layout_finish(c, rebuild(c));
}

// Windows over the padding alone would make something else of the channels that fill up.
static bool covers_something(const tern_node *node) {
  size_t count, kernel_count;
  const int64_t *pads = tern_node_attr_ints(node, "pads", &count);
  const int64_t *kernel = tern_node_attr_ints(node, "kernel_shape", &kernel_count);
  const int64_t *dilations = tern_node_attr_ints(node, "dilations", &kernel_count);
  for (size_t i = 0; i < count; ++i)
    if (pads[i] >= kernel[i % 2]) return false;
  return !dilations || (dilations[0] == 1 && dilations[1] == 1);
}

// A list of two dimensions, or of their two sides, with `last` for the third.
static tern_attr with_third(const tern_attr *attr, int64_t last, int64_t *space) {
  size_t count = 0;
  for (size_t i = 0; i < attr->count; ++i) {
    space[count++] = attr->u.ints[i];
    if (i % 2 == 1) space[count++] = last;
  }
  return tern_attr_ints(attr->name, space, count);
}

// Pooling over a third dimension of one block.
static tern_status *change_pool(change *c) {
  enum { MAX_ATTRS = 8 };
  const tern_node *node = c->node;
  tern_attr attrs[MAX_ATTRS];
  int64_t space[MAX_ATTRS][6];
  const int32_t count = tern_op_attr_count(node->op);
  if (!tern_layout_source(c, node->inputs[0]) || node->output_count > 1 || count > MAX_ATTRS)
    return NULL;
  if (!fills_blocks(c) && !covers_something(node)) return NULL;
  for (int32_t i = 0; i < count; ++i) {
    attrs[i] = node->attrs[i];
    if (attrs[i].type == TERN_ATTR_INTS)
      attrs[i] = with_third(&node->attrs[i], strcmp(attrs[i].name, "pads") != 0, space[i]);
  }
  tern_layout_begin(c);
  return tern_layout_finish(c, TERN_BUILD(&c->patch.builder, node->op->name,
                                          TERN_EDGES(tern_layout_to_blocked(c, node->inputs[0])),
                                          .attrs = attrs, .attr_count = count));
}

// The mean or maximum of each channel.
static tern_status *change_global(change *c) {
  static const int64_t axes[] = {2, 3};
  const bool is_max = strcmp(c->node->op->name, "GlobalMaxPool") == 0;
  tern_edge *source = tern_layout_source(c, c->node->inputs[0]);
  if (!source) return NULL;
  tern_layout_begin(c);
  return tern_layout_finish(
      c, TERN_BUILD(&c->patch.builder, is_max ? "ReduceMax" : "ReduceMean",
                    TERN_EDGES(source, tern_build_i64s(&c->patch.builder, axes, 2))));
}

// A constant's elements, wherever they lie.
static float element(const tern_edge *edge, int64_t index) {
  float number;
  memcpy(&number, (const char *)tern_edge_constant(edge)->data + (size_t)index * sizeof number,
         sizeof number);
  return number;
}

static bool has_constants(const change *c) {
  for (int32_t i = 1; i < 5; ++i) {
    const tern_edge *edge = c->node->inputs[i];
    if (!tern_edge_constant(edge) || edge->type.dtype != TERN_FLOAT ||
        tern_value_count(tern_edge_constant(edge)) != c->channels)
      return false;
  }
  return !tern_node_attr_i(c->node, "training_mode");
}

// Batch normalisation as a depthwise convolution of one pixel: the weights are scale /
// sqrt(variance
// + epsilon), the biases what is left.
static tern_status *change_normalization(change *c) {
  tern_edge *const *in = c->node->inputs;
  const double epsilon = (double)tern_node_attr_f(c->node, "epsilon");
  const tern_op_activation none = {.name = ""};
  const tern_shape shapes[2] = {{.rank = 4, .dims = {c->channels, 1, 1, 1}},
                                {.rank = 1, .dims = {c->channels}}};
  tern_value *values[2];
  if (!tern_layout_source(c, in[0]) || !has_constants(c)) return NULL;
  tern_allocator *allocator = c->ctx->model->value_allocator;
  TERN_TRY(tern_value_create_tensor(allocator, TERN_FLOAT, &shapes[0], &values[0]));
  tern_status *status = tern_value_create_tensor(allocator, TERN_FLOAT, &shapes[1], &values[1]);
  if (status) {
    tern_value_release(values[0]);
    return status;
  }
  for (int64_t i = 0; i < c->channels; ++i) {
    const double weight = (double)element(in[1], i) / sqrt((double)element(in[4], i) + epsilon);
    ((float *)values[0]->data)[i] = (float)weight;
    ((float *)values[1]->data)[i] =
        (float)((double)element(in[2], i) - (double)element(in[3], i) * weight);
  }
  tern_layout_begin(c);
  tern_edge *weights = tern_build_constant(&c->patch.builder, values[0]);
  tern_edge *biases = tern_build_constant(&c->patch.builder, values[1]);
  tern_edge *inputs[3] = {tern_layout_source(c, in[0]), weights, biases};
  return tern_layout_finish(c, build_conv(c, NULL, inputs, 3, &none));
}

// ---- Several images

// Whether `edge` has one element for each channel, or one in all.
static bool is_parameter(const tern_edge *edge, int64_t channels) {
  const tern_shape *shape = &edge->type.shape;
  if (shape->rank < 0 || shape->rank > 4) return false;
  for (int32_t i = 0; i < shape->rank; ++i)
    if (shape->dims[i] != 1 && !(shape->rank - i == 3 && shape->dims[i] == channels)) return false;
  return true;
}

static bool is_single(const tern_edge *edge) {
  return is_parameter(edge, 1);
}

// An operand as it meets blocked images: a number as it is, an image blocked, and what has an
// element a channel as a blocked image of one pixel.
static tern_edge *operand(change *c, tern_edge *edge) {
  const int64_t dims[] = {1, c->channels, 1, 1};
  if (is_single(edge)) return edge;
  if (edge->type.shape.rank < 4)
    edge = TERN_BUILD(&c->patch.builder, "Reshape",
                      TERN_EDGES(edge, tern_build_i64s(&c->patch.builder, dims, 4)));
  return tern_layout_to_blocked(c, edge);
}

// Whether the operands are a blocked image and what goes with one.
static bool takes_operands(const change *c) {
  bool has_source = false, has_single = false;
  for (int32_t i = 0; i < 2; ++i) {
    const tern_edge *edge = c->node->inputs[i];
    if (is_single(edge)) {
      has_single = true;
      continue;
    }
    has_source |= tern_layout_source(c, edge) != NULL;
    const bool fits = (tern_layout_is_image(edge) && edge->type.shape.dims[1] == c->channels) ||
                      is_parameter(edge, c->channels);
    if (!fits) return false;
  }
  const bool keeps =
      tern_match_op(c->node, "Mul") || (!has_single && !tern_match_op(c->node, "Div"));
  return has_source && (keeps || fills_blocks(c));
}

static tern_status *change_binary(change *c) {
  if (c->node->input_count != 2 || !takes_operands(c)) return NULL;
  tern_layout_begin(c);
  return tern_layout_finish(c, tern_build2(&c->patch.builder, c->node->op->name,
                                           operand(c, c->node->inputs[0]),
                                           operand(c, c->node->inputs[1])));
}

// ---- The pass

static const struct {
  const char *op;
  tern_status *(*change)(change *c);
} changes[] = {
    {"Conv", change_conv},
    {"FusedConv", change_conv},
    {"MaxPool", change_pool},
    {"AveragePool", change_pool},
    {"GlobalAveragePool", change_global},
    {"GlobalMaxPool", change_global},
    {"BatchNormalization", change_normalization},
    {"Concat", tern_layout_concat},
    {"Split", tern_layout_split},
    {"Slice", tern_layout_slice},
    {"Resize", tern_layout_resize},
    {"Add", change_binary},
    {"Sub", change_binary},
    {"Mul", change_binary},
    {"Div", change_binary},
    {"Max", change_binary},
    {"Min", change_binary},
    {"Sum", change_binary},
    {"Relu", change_unary},
    {"LeakyRelu", change_unary},
    {"Elu", change_unary},
    {"Celu", change_unary},
    {"Selu", change_unary},
    {"Gelu", change_unary},
    {"Swish", change_unary},
    {"HardSwish", change_unary},
    {"Mish", change_unary},
    {"Tanh", change_unary},
    {"Abs", change_unary},
    {"Neg", change_unary},
    {"Erf", change_unary},
    {"Softsign", change_unary},
    {"Sqrt", change_unary},
    {"Clip", change_unary},
    {"Sigmoid", change_unary},
    {"HardSigmoid", change_unary},
    {"Softplus", change_unary},
    {"Exp", change_unary},
};

tern_status *tern_pass_assign_layout(tern_pass_context *ctx, tern_node *node) {
  const tern_layout_chooser *chooser = ctx->options->layout;
  const bool is_known = node->op->domain[0] == 0 || tern_match_internal(node, "FusedConv") ||
                        tern_match_internal(node, "Resize");
  if (!chooser || !is_known || node->output_count < 1 || !tern_layout_is_image(node->outputs[0]))
    return NULL;
  for (size_t i = 0; i < TERN_COUNT_OF(changes); ++i) {
    if (strcmp(node->op->name, changes[i].op) != 0) continue;
    change c = {.ctx = ctx,
                .node = node,
                .block = chooser->preferred_block(chooser->self, node),
                .channels = node->outputs[0]->type.shape.dims[1]};
    return c.block > 0 ? changes[i].change(&c) : NULL;
  }
  return NULL;
}
