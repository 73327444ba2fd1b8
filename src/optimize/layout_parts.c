// Layouts of nodes that join, cut and resize blocked images.
#include "optimize/layout.h"

typedef tern_layout_change change;

static bool is_whole(const change *c, int64_t channels) {
  return channels % c->block == 0;
}

static int64_t blocks_of(const change *c, int64_t channels) {
  return (channels + c->block - 1) / c->block;
}

// Joins whole blocks; only the last image may leave one half filled. The greater part is blocked
// already.
static bool joins_blocks(const change *c) {
  int64_t ready = 0;
  const tern_node *node = c->node;
  for (int32_t i = 0; i < node->input_count; ++i) {
    if (!tern_layout_is_image(node->inputs[i])) return false;
    const int64_t channels = node->inputs[i]->type.shape.dims[1];
    if (!is_whole(c, channels) && i + 1 < node->input_count) return false;
    if (tern_layout_source(c, node->inputs[i])) ready += channels;
  }
  return 2 * ready >= c->channels;
}

tern_status *tern_layout_concat(change *c) {
  tern_edge **inputs;
  const int64_t axis = tern_node_attr_i(c->node, "axis");
  if ((axis != 1 && axis != -3) || !joins_blocks(c)) return NULL;
  TERN_TRY(TERN_ARENA_ARRAY(&c->ctx->model->arena, c->node->input_count, &inputs));
  tern_layout_begin(c);
  for (int32_t i = 0; i < c->node->input_count; ++i)
    inputs[i] = tern_layout_to_blocked(c, c->node->inputs[i]);
  return tern_layout_finish(c, TERN_BUILD(&c->patch.builder, "Concat", .inputs = inputs,
                                          .input_count = c->node->input_count,
                                          TERN_ATTR_ARGS(tern_attr_i("axis", 1))));
}

// ---- Cutting

enum { MAX_PARTS = 8 }; // that a patch replaces

// Cuts between blocks.
static bool splits_blocks(const change *c) {
  const tern_node *node = c->node;
  const int64_t axis = tern_node_attr_i(node, "axis");
  if ((axis != 1 && axis != -3) || node->output_count > MAX_PARTS) return false;
  for (int32_t i = 0; i < node->output_count; ++i) {
    if (!tern_layout_is_image(node->outputs[i])) return false;
    if (!is_whole(c, node->outputs[i]->type.shape.dims[1]) && i + 1 < node->output_count)
      return false;
  }
  return true;
}

tern_status *tern_layout_split(change *c) {
  int64_t sizes[MAX_PARTS];
  const int32_t count = c->node->output_count;
  tern_edge *source = tern_layout_source(c, c->node->inputs[0]);
  if (!source || !splits_blocks(c)) return NULL;
  for (int32_t i = 0; i < count; ++i)
    sizes[i] = blocks_of(c, c->node->outputs[i]->type.shape.dims[1]);
  tern_layout_begin(c);
  tern_builder *b = &c->patch.builder;
  tern_node *split =
      TERN_BUILD_NODE(b, "Split", TERN_EDGES(source, tern_build_i64s(b, sizes, count)),
                      TERN_ATTR_ARGS(tern_attr_i("axis", 1)), .output_count = count);
  for (int32_t i = 0; split && i < count; ++i)
    tern_layout_replace(c, i, split->outputs[i], c->node->outputs[i]->type.shape.dims[1]);
  return tern_pass_apply(c->ctx, &c->patch);
}

// The one integer that input `index` is in every run; `none` where it is omitted.
static bool read_integer(const tern_node *node, int32_t index, int64_t none, int64_t *out_integer) {
  const tern_edge *edge = tern_match_input(node, index);
  const tern_value *value = edge ? tern_edge_constant(edge) : NULL;
  _Alignas(8) unsigned char element[8];
  *out_integer = none;
  if (!edge) return true;
  if (!value || tern_value_count(value) != 1 ||
      (value->dtype != TERN_INT64 && value->dtype != TERN_INT32))
    return false;
  memcpy(element, value->data, tern_dtype_size(value->dtype));
  *out_integer = tern_dtype_read_i64(value->dtype, element, 0);
  return true;
}

// Channels [begin, end) where they are whole blocks.
static bool slices_blocks(const change *c, int64_t *out_begin, int64_t *out_end) {
  const int64_t channels = c->node->inputs[0]->type.shape.dims[1];
  int64_t axis, step;
  if (!read_integer(c->node, 1, 0, out_begin) || !read_integer(c->node, 2, 0, out_end) ||
      !read_integer(c->node, 3, 0, &axis) || !read_integer(c->node, 4, 1, &step))
    return false;
  if ((axis != 1 && axis != -3) || step != 1) return false;
  if (*out_begin < 0) *out_begin += channels;
  if (*out_end < 0) *out_end += channels;
  if (*out_end > channels) *out_end = channels;
  return *out_begin >= 0 && *out_begin < *out_end && is_whole(c, *out_begin) &&
         (is_whole(c, *out_end) || *out_end == channels);
}

tern_status *tern_layout_slice(change *c) {
  int64_t begin, end, axis = 1;
  tern_edge *source = tern_layout_source(c, c->node->inputs[0]);
  if (!source || !slices_blocks(c, &begin, &end)) return NULL;
  begin /= c->block;
  end = blocks_of(c, end);
  tern_layout_begin(c);
  tern_builder *b = &c->patch.builder;
  return tern_layout_finish(
      c, TERN_BUILD(b, "Slice",
                    TERN_EDGES(source, tern_build_i64s(b, &begin, 1), tern_build_i64s(b, &end, 1),
                               tern_build_i64s(b, &axis, 1))));
}

// ---- Resizing

// The last two of four numbers that input `index` has in every run, as a constant of their own.
static tern_edge *last_two(change *c, int32_t index) {
  const tern_edge *edge = tern_match_input(c->node, index);
  const tern_value *value = edge ? tern_edge_constant(edge) : NULL;
  const tern_shape shape = {.rank = 1, .dims = {2}};
  tern_builder *b = &c->patch.builder;
  tern_value *two;
  if (!value || tern_value_count(value) != 4 || b->status) return NULL;
  b->status = tern_value_create_tensor(c->ctx->model->value_allocator, value->dtype, &shape, &two);
  if (b->status) return NULL;
  memcpy(two->data, (const char *)value->data + two->data_bytes, two->data_bytes);
  return tern_build_constant(b, two);
}

static bool has_elements(const tern_node *node, int32_t index) {
  const tern_edge *edge = tern_match_input(node, index);
  return edge && !(edge->type.shape.rank == 1 && edge->type.shape.dims[0] == 0);
}

// Whether the scales, four where they are given, are 1 for batch and channels: a scale near 1 may
// keep a size and still resample.
static bool scales_pixels_alone(const tern_node *node) {
  if (!has_elements(node, 2)) return true;
  const tern_value *value = tern_edge_constant(node->inputs[2]);
  float scales[2];
  if (!value || tern_value_count(value) != 4) return false;
  memcpy(scales, value->data, sizeof scales);
  return scales[0] == 1.0f && scales[1] == 1.0f;
}

// Height and width change, and nothing else; what lies outside is not made of a number.
static bool resizes_pixels(const change *c) {
  const tern_node *node = c->node;
  const tern_shape *x = &node->inputs[0]->type.shape, *y = &node->outputs[0]->type.shape;
  if (strcmp(tern_node_attr_s(node, "coordinate_transformation_mode"), "tf_crop_and_resize") == 0 ||
      strcmp(tern_node_attr_s(node, "keep_aspect_ratio_policy"), "stretch") != 0)
    return false;
  return x->rank == 4 && x->dims[1] == y->dims[1] && x->dims[0] == y->dims[0] &&
         x->dims[0] != TERN_DIM_UNKNOWN && !tern_node_has_attr(node, "axes") &&
         has_elements(node, 2) != has_elements(node, 3) && scales_pixels_alone(node);
}

tern_status *tern_layout_resize(change *c) {
  enum { MAX_ATTRS = 12 };
  static const int64_t axes[] = {2, 3};
  const tern_node *node = c->node;
  tern_attr attrs[MAX_ATTRS];
  int32_t count = tern_op_attr_count(node->op);
  tern_edge *source = tern_layout_source(c, node->inputs[0]);
  const int32_t given = has_elements(node, 2) ? 2 : 3;
  const tern_edge *numbers = tern_match_input(node, given);
  if (!source || !resizes_pixels(c) || !tern_edge_constant(numbers) || count >= MAX_ATTRS ||
      tern_value_count(tern_edge_constant(numbers)) != 4)
    return NULL;
  memcpy(attrs, node->attrs, (size_t)count * sizeof *attrs);
  attrs[count++] = tern_attr_ints("axes", axes, 2);
  tern_layout_begin(c);
  tern_edge *inputs[4] = {source};
  inputs[given] = last_two(c, given);
  return tern_layout_finish(c, TERN_BUILD(&c->patch.builder, "Resize", .domain = node->op->domain,
                                          .inputs = inputs, .input_count = given + 1,
                                          .attrs = attrs, .attr_count = count));
}
