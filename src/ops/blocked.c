// Images whose channels lie in blocks, [N, blocks, H, W, block], for providers that compute on them
// faster. The layout pass makes these operators; the channels that fill up the last block are 0.
// Their function bodies say what they mean, and nobody else runs them: they depend on the machine.
#include "base/checked.h"
#include "graph/builder.h"
#include "ops/conv.h"
#include "ops/fused.h"
#include "ops/ops.h"

enum { MAX_BLOCK = 64, IMAGE_RANK = 4, BLOCKED_RANK = 5 };

static tern_status *read_block(const tern_node *node, int64_t *out_block) {
  *out_block = tern_node_attr_i(node, "block");
  if (*out_block >= 1 && *out_block <= MAX_BLOCK) return NULL;
  return TERN_ERROR(TERN_INVALID_GRAPH, "'block' is %lld", (long long)*out_block);
}

static tern_status *check_rank(const tern_shape *shape, int32_t rank) {
  if (shape->rank == rank) return NULL;
  return TERN_ERROR(TERN_INVALID_GRAPH, "an input of rank %d, %d is needed", shape->rank, rank);
}

static tern_dim blocks_of(tern_dim channels, int64_t block) {
  return channels < 0 ? TERN_DIM_UNKNOWN : channels / block + (channels % block != 0);
}

// The shape of the blocked image of a plain one.
static void set_blocked(tern_shape *blocked, const tern_shape *plain, int64_t block) {
  const tern_dim dims[] = {plain->dims[0], blocks_of(plain->dims[1], block), plain->dims[2],
                           plain->dims[3], block};
  tern_shape_set(blocked, BLOCKED_RANK, dims);
}

// The shape of the plain image, of `channels`, of a blocked one.
static tern_status *set_plain(tern_shape *plain, const tern_shape *blocked, int64_t block,
                              tern_dim channels) {
  const tern_dim dims[] = {blocked->dims[0], channels, blocked->dims[2], blocked->dims[3]};
  tern_dim blocks = blocked->dims[1], lanes = blocked->dims[4];
  TERN_TRY(check_rank(blocked, BLOCKED_RANK));
  if (!tern_dim_merge(&lanes, block) || !tern_dim_merge(&blocks, blocks_of(channels, block))) {
    char text[TERN_SHAPE_TEXT_BYTES];
    return TERN_ERROR(TERN_INVALID_ARGUMENT,
                      "%lld channels in blocks of %lld have not the shape %s", (long long)channels,
                      (long long)block, tern_shape_format(blocked, text, sizeof text));
  }
  tern_shape_set(plain, IMAGE_RANK, dims);
  return NULL;
}

static tern_status *infer_to_blocked(tern_infer *infer) {
  const tern_shape *x = tern_infer_shape(infer, 0);
  int64_t block;
  TERN_TRY(read_block(infer->node, &block));
  if (!tern_shape_has_rank(x)) return NULL;
  TERN_TRY(check_rank(x, IMAGE_RANK));
  set_blocked(&infer->output_types[0].shape, x, block);
  return NULL;
}

static tern_status *infer_from_blocked(tern_infer *infer) {
  const tern_shape *x = tern_infer_shape(infer, 0);
  const int64_t channels = tern_node_attr_i(infer->node, "channels");
  int64_t block;
  TERN_TRY(read_block(infer->node, &block));
  if (channels < 0)
    return TERN_ERROR(TERN_INVALID_GRAPH, "'channels' is %lld", (long long)channels);
  return tern_shape_has_rank(x) ? set_plain(&infer->output_types[0].shape, x, block, channels)
                                : NULL;
}

// [N, middle..., H, W] after the shape of `like`, an image.
static tern_edge *reshape_like(tern_builder *b, tern_edge *x, tern_edge *like, int64_t h_axis,
                               const int64_t *middle, int64_t middle_count) {
  tern_edge *batch =
      TERN_BUILD(b, "Shape", TERN_EDGES(like), TERN_ATTR_ARGS(tern_attr_i("end", 1)));
  tern_edge *size =
      TERN_BUILD(b, "Shape", TERN_EDGES(like),
                 TERN_ATTR_ARGS(tern_attr_i("start", h_axis), tern_attr_i("end", h_axis + 2)));
  tern_edge *shape =
      TERN_BUILD(b, "Concat", TERN_EDGES(batch, tern_build_i64s(b, middle, middle_count), size),
                 TERN_ATTR_ARGS(tern_attr_i("axis", 0)));
  return tern_build2(b, "Reshape", x, shape);
}

static tern_edge *transpose(tern_builder *b, tern_edge *x, const int64_t *order) {
  return TERN_BUILD(b, "Transpose", TERN_EDGES(x),
                    TERN_ATTR_ARGS(tern_attr_ints("perm", order, BLOCKED_RANK)));
}

// NULL: the channels are not known, or too many.
static tern_edge *build_to_blocked(tern_builder *b, tern_edge *x, int64_t block) {
  static const int64_t order[] = {0, 1, 3, 4, 2};
  int64_t lanes;
  if (!x || x->type.shape.rank != IMAGE_RANK || x->type.shape.dims[1] < 0) return NULL;
  const int64_t channels = x->type.shape.dims[1], blocks = blocks_of(channels, block);
  if (!tern_checked_mul_i64(blocks, block, &lanes)) return NULL;
  const int64_t pads[] = {0, 0, 0, 0, 0, lanes - channels, 0, 0};
  tern_edge *full = tern_build2(b, "Pad", x, tern_build_i64s(b, pads, 8));
  return transpose(b, reshape_like(b, full, x, 2, (const int64_t[]){blocks, block}, 2), order);
}

// NULL: too many channels.
static tern_edge *build_from_blocked(tern_builder *b, tern_edge *x, int64_t block,
                                     int64_t channels) {
  static const int64_t order[] = {0, 1, 4, 2, 3}, zero = 0, axis = 1;
  int64_t lanes;
  if (!tern_checked_mul_i64(blocks_of(channels, block), block, &lanes)) return NULL;
  tern_edge *full = reshape_like(b, transpose(b, x, order), x, 2, &lanes, 1);
  return TERN_BUILD(b, "Slice",
                    TERN_EDGES(full, tern_build_i64s(b, &zero, 1), tern_build_i64s(b, &channels, 1),
                               tern_build_i64s(b, &axis, 1)));
}

static tern_status *needs_channels(tern_edge *edge) {
  return edge ? NULL
              : TERN_ERROR(TERN_NOT_IMPLEMENTED,
                           "the number of channels must be known, and not vast");
}

static tern_status *body_to_blocked(tern_builder *b, const tern_node *node, tern_edge **outputs) {
  outputs[0] = build_to_blocked(b, node->inputs[0], tern_node_attr_i(node, "block"));
  return b->status ? NULL : needs_channels(outputs[0]);
}

static tern_status *body_from_blocked(tern_builder *b, const tern_node *node, tern_edge **outputs) {
  outputs[0] = build_from_blocked(b, node->inputs[0], tern_node_attr_i(node, "block"),
                                  tern_node_attr_i(node, "channels"));
  return b->status ? NULL : needs_channels(outputs[0]);
}

// How many channels an image has that these weights take.
static tern_status *read_channels(const tern_node *node, const tern_shape *w,
                                  int64_t *out_channels) {
  TERN_TRY(check_rank(w, IMAGE_RANK));
  if (w->dims[1] < 0 ||
      !tern_checked_mul_i64(w->dims[1], tern_node_attr_i(node, "group"), out_channels))
    return TERN_ERROR(TERN_INVALID_GRAPH, "the weights' channels must be known");
  return NULL;
}

// The plain convolution's result, blocked. X may be a plain image.
static tern_status *infer_conv(tern_infer *infer) {
  const tern_shape *given = tern_infer_shape(infer, 0), *w = tern_infer_shape(infer, 1);
  int64_t block, channels;
  TERN_TRY(read_block(infer->node, &block));
  if (!tern_shape_has_rank(given) || !tern_shape_has_rank(w)) return NULL;
  TERN_TRY(read_channels(infer->node, w, &channels));
  tern_type x = *infer->input_types[0], y = infer->output_types[0];
  if (given->rank == BLOCKED_RANK) TERN_TRY(set_plain(&x.shape, given, block, channels));
  const tern_type *types[] = {&x, infer->input_types[1], tern_infer_type(infer, 2)};
  tern_infer plain = {.node = infer->node,
                      .input_count = 3,
                      .output_count = 1,
                      .input_types = types,
                      .output_types = &y};
  TERN_TRY(tern_op_infer_conv(&plain));
  TERN_TRY(check_rank(&y.shape, IMAGE_RANK));
  set_blocked(&infer->output_types[0].shape, &y.shape, block);
  return tern_op_check_residual(infer);
}

static double flops_conv(const tern_node *node, const tern_type *const *inputs,
                         const tern_type *const *outputs) {
  const tern_shape *w = &inputs[1]->shape, *y = &outputs[0]->shape;
  int64_t weights;
  (void)node;
  if (!tern_shape_count(w, &weights) || !tern_shape_is_known(y) || y->rank != BLOCKED_RANK)
    return 0.0;
  return 2.0 * (double)weights * (double)y->dims[0] * (double)y->dims[2] * (double)y->dims[3];
}

static tern_edge *from_blocked(tern_builder *b, tern_edge *x, int64_t block, int64_t channels) {
  if (!x || x->type.shape.rank == IMAGE_RANK) return x;
  return TERN_BUILD(b, "FromBlocked", .domain = TERN_DOMAIN_TERN, TERN_EDGES(x),
                    TERN_ATTR_ARGS(tern_attr_i("block", block), tern_attr_i("channels", channels)));
}

static tern_status *body_conv(tern_builder *b, const tern_node *node, tern_edge **outputs) {
  const int64_t block = tern_node_attr_i(node, "block");
  tern_edge *inputs[4] = {NULL};
  for (int32_t i = 0; i < node->input_count; ++i) inputs[i] = node->inputs[i];
  const tern_shape *w = &inputs[1]->type.shape;
  int64_t channels;
  TERN_TRY(read_channels(node, w, &channels));
  inputs[0] = from_blocked(b, inputs[0], block, channels);
  inputs[3] = from_blocked(b, inputs[3], block, w->dims[0]);
  tern_edge *y = TERN_BUILD(b, "FusedConv", .domain = TERN_DOMAIN_TERN, .inputs = inputs,
                            .input_count = node->input_count, .attrs = node->attrs,
                            .attr_count = TERN_OP_CONV_ATTR_COUNT + TERN_OP_FUSED_ATTR_COUNT);
  outputs[0] = TERN_BUILD(b, "ToBlocked", .domain = TERN_DOMAIN_TERN, TERN_EDGES(y),
                          TERN_ATTR_ARGS(tern_attr_i("block", block)));
  return NULL;
}

#define FLOATS TERN_CONSTRAINTS({"T", {.tensor = TERN_TYPES_FLOAT_BF}})
#define BLOCK TERN_ATTR_REQUIRED("block", TERN_ATTR_INT)

static const tern_op ops[] = {
    {
        .domain = TERN_DOMAIN_TERN,
        .name = "ToBlocked",
        .since = 1,
        TERN_INPUTS({"X", "T"}),
        TERN_OUTPUTS({"Y", "T"}),
        FLOATS,
        TERN_ATTRS(BLOCK),
        .infer = infer_to_blocked,
        .body = body_to_blocked,
    },
    {
        .domain = TERN_DOMAIN_TERN,
        .name = "FromBlocked",
        .since = 1,
        TERN_INPUTS({"X", "T"}),
        TERN_OUTPUTS({"Y", "T"}),
        FLOATS,
        TERN_ATTRS(BLOCK, TERN_ATTR_REQUIRED("channels", TERN_ATTR_INT)),
        .infer = infer_from_blocked,
        .body = body_from_blocked,
    },
    // FusedConv of blocked images. X may be plain; W and B are as FusedConv has them.
    {
        .domain = TERN_DOMAIN_TERN,
        .name = "BlockedConv",
        .since = 1,
        .inplace_inputs = 8,
        TERN_INPUTS({"X", "T"}, {"W", "T"}, {"B", "T", TERN_FORMAL_OPTIONAL},
                    {"Z", "T", TERN_FORMAL_OPTIONAL}),
        TERN_OUTPUTS({"Y", "T"}),
        FLOATS,
        TERN_ATTRS(TERN_OP_CONV_ATTRS, TERN_OP_FUSED_ATTRS, BLOCK),
        .infer = infer_conv,
        .body = body_conv,
        .flops = flops_conv,
    },
};

const tern_op_family tern_ops_blocked = {"blocked", ops, TERN_COUNT_OF(ops)};
