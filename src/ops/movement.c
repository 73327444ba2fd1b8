// The movement family: operators that rearrange, repeat, cut and join elements without looking at
// them.
#include "ops/movement.h"

#include <string.h>

#include "graph/upgrade.h"
#include "ops/ops.h"

#define INT64                                                                                      \
  {                                                                                                \
    "tensor(int64)", {                                                                             \
      .tensor = TERN_DTYPE_BIT(TERN_INT64)                                                         \
    }                                                                                              \
  }
#define INDEX                                                                                      \
  {                                                                                                \
    "Tind", {                                                                                      \
      .tensor = TERN_DTYPE_BIT(TERN_INT32) | TERN_DTYPE_BIT(TERN_INT64)                            \
    }                                                                                              \
  }
#define CLASSIC                                                                                    \
  {                                                                                                \
    "T", {                                                                                         \
      .tensor = TERN_TYPES_IR4                                                                     \
    }                                                                                              \
  }

static tern_status *upgrade_concat_1(tern_draft *draft) {
  if (tern_draft_attr(draft, "axis")) return NULL;
  return tern_draft_set_attr(draft, tern_attr_i("axis", 1));
}

// Version 1 could give the sizes as an input, of the data's type.
static tern_status *upgrade_split_1(tern_draft *draft) {
  tern_edge *sizes = tern_draft_input(draft, 1);
  if (!sizes) return NULL;
  tern_edge *cast = TERN_BUILD(draft->builder, "Cast", TERN_EDGES(sizes),
                               TERN_ATTR_ARGS(tern_attr_i("to", TERN_INT64)));
  return tern_draft_set_input(draft, 1, cast);
}

static tern_status *upgrade_split_11(tern_draft *draft) {
  return tern_draft_ints_to_input(draft, "split", 1);
}

static tern_status *upgrade_split_13(tern_draft *draft) {
  if (tern_draft_input(draft, 1)) return NULL;
  return tern_draft_set_attr(draft, tern_attr_i("num_outputs", draft->output_count));
}

static tern_status *upgrade_slice_1(tern_draft *draft) {
  TERN_TRY(tern_draft_ints_to_input(draft, "starts", 1));
  TERN_TRY(tern_draft_ints_to_input(draft, "ends", 2));
  return tern_draft_ints_to_input(draft, "axes", 3);
}

static tern_status *upgrade_pad_1(tern_draft *draft) {
  const tern_attr *paddings = tern_draft_attr(draft, "paddings");
  if (!paddings) return TERN_ERROR(TERN_INVALID_GRAPH, "attribute 'paddings' is missing");
  tern_attr pads = *paddings;
  pads.name = "pads";
  tern_draft_remove_attr(draft, "paddings");
  return tern_draft_set_attr(draft, pads);
}

static tern_status *upgrade_pad_2(tern_draft *draft) {
  const tern_edge *data = tern_draft_input(draft, 0);
  float value = tern_draft_attr_f(draft, "value", 0);
  tern_dtype dtype = data ? data->type.dtype : TERN_FLOAT;
  TERN_TRY(tern_draft_ints_to_input(draft, "pads", 1));
  tern_draft_remove_attr(draft, "value");
  if (value == 0) return NULL;
  return tern_draft_set_input(draft, 2, tern_build_scalar(draft->builder, dtype, (double)value));
}

// Version 1 repeats one axis; how often and which are scalars of the data's type. The repeats of
// every axis are ones with that number put in its place.
static tern_status *upgrade_tile_1(tern_draft *draft) {
  tern_builder *b = draft->builder;
  const int64_t one = 1;
  tern_edge *x = tern_draft_input(draft, 0), *row = tern_build_i64s(b, &one, 1);
  tern_edge *rank = tern_build1(b, "Shape", tern_build1(b, "Shape", x));
  tern_edge *ones = tern_build2(b, "Expand", row, rank);
  tern_edge *numbers[2];
  for (int32_t i = 0; i < 2; ++i) {
    tern_edge *number = TERN_BUILD(b, "Cast", TERN_EDGES(tern_draft_input(draft, i + 1)),
                                   TERN_ATTR_ARGS(tern_attr_i("to", TERN_INT64)));
    numbers[i] = tern_build2(b, "Reshape", number, row);
  }
  tern_edge *repeats = TERN_BUILD(b, "ScatterElements", TERN_EDGES(ones, numbers[1], numbers[0]));
  if (!repeats) return tern_builder_finish(b);
  draft->input_count = 2;
  return tern_draft_set_input(draft, 1, repeats);
}

// The scales become a constant input: a new float tensor of rank 1.
static tern_status *set_scales(tern_draft *draft, const float *scales, int64_t count) {
  tern_value *value;
  const tern_shape shape = {.rank = 1, .dims = {count}};
  TERN_TRY(tern_value_create_tensor(draft->builder->graph->model->value_allocator, TERN_FLOAT,
                                    &shape, &value));
  if (count > 0) memcpy(value->data, scales, (size_t)count * sizeof *scales);
  return tern_draft_set_input(draft, 1, tern_build_constant(draft->builder, value));
}

static tern_status *upgrade_upsample_1(tern_draft *draft) {
  const float scales[] = {1, 1, tern_draft_attr_f(draft, "height_scale", 1),
                          tern_draft_attr_f(draft, "width_scale", 1)};
  tern_draft_remove_attr(draft, "height_scale");
  tern_draft_remove_attr(draft, "width_scale");
  if (strcmp(tern_draft_attr_s(draft, "mode", "nearest"), "bilinear") == 0)
    TERN_TRY(tern_draft_set_attr(draft, tern_attr_s("mode", "linear")));
  return set_scales(draft, scales, 4);
}

static tern_status *upgrade_upsample_7(tern_draft *draft) {
  const tern_attr *scales = tern_draft_attr(draft, "scales");
  if (!scales) return NULL; // version 1 has them as an input by now
  if (scales->type != TERN_ATTR_FLOATS)
    return TERN_ERROR(TERN_INVALID_GRAPH, "attribute 'scales' must be a list of floats");
  TERN_TRY(set_scales(draft, scales->u.floats, (int64_t)scales->count));
  tern_draft_remove_attr(draft, "scales");
  return NULL;
}

// Scales are at least 1: to the nearest element is always down.
static tern_status *upgrade_upsample_9(tern_draft *draft) {
  tern_edge *scales = tern_draft_input(draft, 1);
  TERN_TRY(tern_draft_set_attr(draft, tern_attr_s("coordinate_transformation_mode", "asymmetric")));
  TERN_TRY(tern_draft_set_attr(draft, tern_attr_s("nearest_mode", "floor")));
  TERN_TRY(tern_draft_set_input(draft, 1, NULL));
  TERN_TRY(tern_draft_set_input(draft, 2, scales));
  tern_draft_rename(draft, TERN_DOMAIN_ONNX, "Resize", 11);
  return NULL;
}

static const tern_op ops[] = {
    {.domain = TERN_DOMAIN_ONNX,
     .name = "Transpose",
     .since = 25,
     .flags = TERN_OP_MOVES_BYTES,
     TERN_INPUTS({"data", "T"}),
     TERN_OUTPUTS({"transposed", "T"}),
     TERN_CONSTRAINTS({"T", {.tensor = TERN_TYPES_IR13}}),
     TERN_ATTRS(TERN_ATTR_OPTIONAL("perm", TERN_ATTR_INTS)),
     TERN_VERSIONS({1}, {13}, {21}, {23}, {24}, {25}),
     .infer = tern_ops_infer_transpose},
    {.domain = TERN_DOMAIN_ONNX,
     .name = "Concat",
     .since = 13,
     .flags = TERN_OP_MOVES_BYTES,
     TERN_INPUTS({"inputs", "T", TERN_FORMAL_VARIADIC, 1}),
     TERN_OUTPUTS({"concat_result", "T"}),
     TERN_CONSTRAINTS(CLASSIC),
     TERN_ATTRS(TERN_ATTR_REQUIRED("axis", TERN_ATTR_INT)),
     TERN_VERSIONS({1, upgrade_concat_1, "axis defaults to 1"}, {4}, {11}, {13}),
     .infer = tern_ops_infer_concat,
     .infer_symints = tern_ops_concat_symints},
    {.domain = TERN_DOMAIN_ONNX,
     .name = "Split",
     .since = 18,
     .flags = TERN_OP_MOVES_BYTES,
     TERN_INPUTS({"input", "T"}, {"split", "tensor(int64)", TERN_FORMAL_OPTIONAL}),
     TERN_OUTPUTS({"outputs", "T", TERN_FORMAL_VARIADIC, 1}),
     TERN_CONSTRAINTS(CLASSIC, INT64),
     TERN_ATTRS(TERN_ATTR_DEF_I("axis", 0), TERN_ATTR_OPTIONAL("num_outputs", TERN_ATTR_INT)),
     TERN_VERSIONS({1, upgrade_split_1, "input split is cast to int64"}, {2},
                   {11, upgrade_split_11, "attribute split becomes input 1"},
                   {13, upgrade_split_13, "without sizes, num_outputs is the number of outputs"},
                   {18}),
     .shape_inputs = 2,
     .infer = tern_ops_infer_split,
     .infer_symints = tern_ops_split_symints},
    {.domain = TERN_DOMAIN_ONNX,
     .name = "Slice",
     .since = 13,
     .flags = TERN_OP_MOVES_BYTES,
     TERN_INPUTS({"data", "T"}, {"starts", "Tind"}, {"ends", "Tind"},
                 {"axes", "Tind", TERN_FORMAL_OPTIONAL}, {"steps", "Tind", TERN_FORMAL_OPTIONAL}),
     TERN_OUTPUTS({"output", "T"}),
     TERN_CONSTRAINTS(CLASSIC, INDEX),
     TERN_VERSIONS({1, upgrade_slice_1, "attributes starts, ends, axes become inputs 1 to 3"}, {10},
                   {11}, {13}),
     .shape_inputs = 0x1e,
     .infer = tern_ops_infer_slice,
     .infer_symints = tern_ops_slice_symints},
    {.domain = TERN_DOMAIN_ONNX,
     .name = "Pad",
     .since = 25,
     .flags = TERN_OP_MOVES_BYTES,
     TERN_INPUTS({"data", "T"}, {"pads", "tensor(int64)"},
                 {"constant_value", "T", TERN_FORMAL_OPTIONAL},
                 {"axes", "Tind", TERN_FORMAL_OPTIONAL}),
     TERN_OUTPUTS({"output", "T"}),
     TERN_CONSTRAINTS({"T", {.tensor = TERN_TYPES_IR13}}, INT64, INDEX),
     TERN_ATTRS(TERN_ATTR_DEF_S("mode", "constant")),
     TERN_VERSIONS({1, upgrade_pad_1, "attribute paddings is called pads"},
                   {2, upgrade_pad_2, "attributes pads and value become inputs 1 and 2"}, {11},
                   {13}, {18}, {19}, {21}, {23}, {24}, {25}),
     .shape_inputs = 0xa,
     .infer = tern_ops_infer_pad},
    {.domain = TERN_DOMAIN_ONNX,
     .name = "Tile",
     .since = 13,
     .flags = TERN_OP_MOVES_BYTES,
     TERN_INPUTS({"input", "T"}, {"repeats", "T1"}),
     TERN_OUTPUTS({"output", "T"}),
     TERN_CONSTRAINTS(CLASSIC, {"T1", {.tensor = TERN_DTYPE_BIT(TERN_INT64)}}),
     TERN_VERSIONS({1, upgrade_tile_1, "inputs tiles and axis become repeats of every axis"}, {6},
                   {13}),
     .shape_inputs = 2,
     .infer = tern_ops_infer_tile},
    {.domain = TERN_DOMAIN_ONNX,
     .name = "DepthToSpace",
     .since = 28,
     .flags = TERN_OP_MOVES_BYTES,
     TERN_INPUTS({"input", "T"}),
     TERN_OUTPUTS({"output", "T"}),
     TERN_CONSTRAINTS(CLASSIC),
     TERN_ATTRS(TERN_ATTR_REQUIRED("blocksize", TERN_ATTR_INT), TERN_ATTR_DEF_S("mode", "DCR")),
     TERN_VERSIONS({1}, {11}, {13}, {28}),
     .infer = tern_ops_infer_depth_to_space},
    {.domain = TERN_DOMAIN_ONNX,
     .name = "SpaceToDepth",
     .since = 28,
     .flags = TERN_OP_MOVES_BYTES,
     TERN_INPUTS({"input", "T"}),
     TERN_OUTPUTS({"output", "T"}),
     TERN_CONSTRAINTS(CLASSIC),
     TERN_ATTRS(TERN_ATTR_REQUIRED("blocksize", TERN_ATTR_INT), TERN_ATTR_DEF_S("mode", "DCR")),
     TERN_VERSIONS({1}, {13}, {28}),
     .infer = tern_ops_infer_space_to_depth},
    {.domain = TERN_DOMAIN_ONNX,
     .name = "ReverseSequence",
     .since = 28,
     .flags = TERN_OP_MOVES_BYTES,
     TERN_INPUTS({"input", "T"}, {"sequence_lens", "tensor(int64)"}),
     TERN_OUTPUTS({"Y", "T"}),
     TERN_CONSTRAINTS(CLASSIC, INT64),
     TERN_ATTRS(TERN_ATTR_DEF_I("batch_axis", 1), TERN_ATTR_DEF_I("time_axis", 0)),
     TERN_VERSIONS({10}, {28}),
     .infer = tern_ops_infer_reverse_sequence},
    {.domain = TERN_DOMAIN_ONNX,
     .name = "Trilu",
     .since = 14,
     .flags = TERN_OP_MOVES_BYTES,
     TERN_INPUTS({"input", "T"}, {"k", "tensor(int64)", TERN_FORMAL_OPTIONAL}),
     TERN_OUTPUTS({"output", "T"}),
     TERN_CONSTRAINTS(CLASSIC, INT64),
     TERN_ATTRS(TERN_ATTR_DEF_I("upper", 1)),
     .infer = tern_ops_infer_trilu},
    {.domain = TERN_DOMAIN_ONNX,
     .name = "CenterCropPad",
     .since = 18,
     .flags = TERN_OP_MOVES_BYTES,
     TERN_INPUTS({"input_data", "T"}, {"shape", "Tind"}),
     TERN_OUTPUTS({"output_data", "T"}),
     TERN_CONSTRAINTS(CLASSIC, INDEX),
     TERN_ATTRS(TERN_ATTR_OPTIONAL("axes", TERN_ATTR_INTS)),
     .shape_inputs = 2,
     .infer = tern_ops_infer_center_crop_pad},
    {.domain = TERN_DOMAIN_ONNX,
     .name = "Col2Im",
     .since = 18,
     TERN_INPUTS({"input", "T"}, {"image_shape", "tensor(int64)"},
                 {"block_shape", "tensor(int64)"}),
     TERN_OUTPUTS({"output", "T"}),
     TERN_CONSTRAINTS(CLASSIC, INT64),
     TERN_ATTRS(TERN_ATTR_OPTIONAL("dilations", TERN_ATTR_INTS),
                TERN_ATTR_OPTIONAL("pads", TERN_ATTR_INTS),
                TERN_ATTR_OPTIONAL("strides", TERN_ATTR_INTS)),
     .shape_inputs = 6,
     .infer = tern_ops_infer_col2im},
    {.domain = TERN_DOMAIN_ONNX,
     .name = "Compress",
     .since = 28,
     .flags = TERN_OP_DATA_DEPENDENT | TERN_OP_MOVES_BYTES,
     TERN_INPUTS({"input", "T"}, {"condition", "T1"}),
     TERN_OUTPUTS({"output", "T"}),
     TERN_CONSTRAINTS(CLASSIC, {"T1", {.tensor = TERN_DTYPE_BIT(TERN_BOOL)}}),
     TERN_ATTRS(TERN_ATTR_OPTIONAL("axis", TERN_ATTR_INT)),
     TERN_VERSIONS({9}, {11}, {28}),
     .infer = tern_ops_infer_compress},
    {.domain = TERN_DOMAIN_ONNX,
     .name = "Upsample",
     .since = 10,
     .deprecated_since = 10,
     TERN_INPUTS({"X", "T"}, {"scales", "tensor(float)"}),
     TERN_OUTPUTS({"Y", "T"}),
     TERN_CONSTRAINTS({"T", {.tensor = TERN_TYPES_IR3}},
                      {"tensor(float)", {.tensor = TERN_DTYPE_BIT(TERN_FLOAT)}}),
     TERN_ATTRS(TERN_ATTR_DEF_S("mode", "nearest")),
     TERN_VERSIONS({1, upgrade_upsample_1, "height_scale and width_scale become input 1"},
                   {7, upgrade_upsample_7, "attribute scales becomes input 1"},
                   {9, upgrade_upsample_9,
                    "becomes Resize-11 with asymmetric coordinates; nearest goes down"},
                   {10}),
     .infer = tern_infer_nothing},
};

const tern_op_family tern_ops_movement = {"movement", ops, TERN_COUNT_OF(ops)};
