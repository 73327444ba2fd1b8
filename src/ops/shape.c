// The shape family: operators that read a shape, give the same elements another one, or make
// elements where a shape says how many.
#include "ops/shape.h"

#include "graph/upgrade.h"
#include "ops/ops.h"

#define INT64                                                                                      \
  {                                                                                                \
    "tensor(int64)", {                                                                             \
      .tensor = TERN_DTYPE_BIT(TERN_INT64)                                                         \
    }                                                                                              \
  }
#define ANY_TENSOR                                                                                 \
  {                                                                                                \
    "T", {                                                                                         \
      .tensor = TERN_TYPES_IR13                                                                    \
    }                                                                                              \
  }

// Squeeze and Unsqueeze got their axes as an input in version 13.
static tern_status *axes_to_input(tern_draft *draft) {
  return tern_draft_ints_to_input(draft, "axes", 1);
}
static const char axes_note[] = "attribute axes becomes input 1";

static tern_status *upgrade_reshape_1(tern_draft *draft) {
  if (!tern_draft_attr(draft, "shape"))
    return TERN_ERROR(TERN_INVALID_GRAPH, "attribute 'shape' is missing");
  tern_draft_remove_attr(draft, "consumed_inputs");
  return tern_draft_ints_to_input(draft, "shape", 1);
}

// Before version 10 the mask has the type of the data.
static tern_status *replace_by_cast_mask(tern_draft *draft) {
  tern_builder *b = draft->builder;
  tern_edge *data = tern_draft_input(draft, 0);
  tern_node *node = TERN_BUILD_NODE(b, "Dropout", .inputs = draft->inputs,
                                    .input_count = draft->input_count, .output_count = 2);
  if (!node) return tern_builder_finish(b);
  tern_edge *mask =
      TERN_BUILD(b, "Cast", TERN_EDGES(node->outputs[1]),
                 TERN_ATTR_ARGS(tern_attr_i("to", data ? data->type.dtype : TERN_FLOAT)));
  tern_edge *const edges[] = {node->outputs[0], mask};
  return tern_draft_replace(draft, edges, 2);
}

static tern_status *upgrade_dropout_1(tern_draft *draft) {
  tern_draft_remove_attr(draft, "consumed_inputs");
  return NULL;
}

static tern_status *upgrade_dropout_6(tern_draft *draft) {
  bool trains = tern_draft_attr_i(draft, "is_test", 0) == 0;
  float ratio = tern_draft_attr_f(draft, "ratio", 0.5f);
  tern_draft_remove_attr(draft, "is_test");
  tern_draft_remove_attr(draft, "ratio");
  if (trains) {
    tern_edge *edge = tern_build_scalar(draft->builder, TERN_FLOAT, (double)ratio);
    TERN_TRY(tern_draft_set_input(draft, 1, edge));
    TERN_TRY(tern_draft_set_input(draft, 2, tern_build_scalar(draft->builder, TERN_BOOL, 1)));
  }
  return NULL;
}

static tern_status *upgrade_dropout_7(tern_draft *draft) {
  tern_draft_remove_attr(draft, "ratio");
  if (draft->version >= 10) return NULL;
  if (tern_draft_output_is_read(draft, 1)) return replace_by_cast_mask(draft);
  if (draft->output_count > 1) draft->output_count = 1;
  return NULL;
}

static const tern_op ops[] = {
    {.domain = TERN_DOMAIN_ONNX,
     .name = "Shape",
     .since = 25,
     .flags = TERN_OP_MOVES_BYTES | TERN_OP_READS_SHAPE,
     TERN_INPUTS({"data", "T"}),
     TERN_OUTPUTS({"shape", "T1"}),
     TERN_CONSTRAINTS(ANY_TENSOR, {"T1", {.tensor = TERN_DTYPE_BIT(TERN_INT64)}}),
     TERN_ATTRS(TERN_ATTR_DEF_I("start", 0), TERN_ATTR_OPTIONAL("end", TERN_ATTR_INT)),
     TERN_VERSIONS({1}, {13}, {15}, {19}, {21}, {23}, {24}, {25}),
     .infer = tern_ops_infer_shape,
     .infer_symints = tern_ops_shape_symints},
    {.domain = TERN_DOMAIN_ONNX,
     .name = "Size",
     .since = 25,
     .flags = TERN_OP_MOVES_BYTES | TERN_OP_READS_SHAPE,
     TERN_INPUTS({"data", "T"}),
     TERN_OUTPUTS({"size", "T1"}),
     TERN_CONSTRAINTS(ANY_TENSOR, {"T1", {.tensor = TERN_DTYPE_BIT(TERN_INT64)}}),
     TERN_VERSIONS({1}, {13}, {19}, {21}, {23}, {24}, {25}),
     .infer = tern_ops_infer_size,
     .infer_symints = tern_ops_size_symints},
    {.domain = TERN_DOMAIN_ONNX,
     .name = "Reshape",
     .since = 25,
     .flags = TERN_OP_VIEW | TERN_OP_MOVES_BYTES,
     TERN_INPUTS({"data", "T"}, {"shape", "tensor(int64)"}),
     TERN_OUTPUTS({"reshaped", "T"}),
     TERN_CONSTRAINTS(ANY_TENSOR, INT64),
     TERN_ATTRS(TERN_ATTR_DEF_I("allowzero", 0)),
     TERN_VERSIONS({1, upgrade_reshape_1, "attribute shape becomes input 1"}, {5}, {13}, {14}, {19},
                   {21}, {23}, {24}, {25}),
     .shape_inputs = 2,
     .infer = tern_ops_infer_reshape,
     .infer_symints = tern_ops_same_symints},
    {.domain = TERN_DOMAIN_ONNX,
     .name = "Flatten",
     .since = 25,
     .flags = TERN_OP_VIEW | TERN_OP_MOVES_BYTES,
     TERN_INPUTS({"input", "T"}),
     TERN_OUTPUTS({"output", "T"}),
     TERN_CONSTRAINTS(ANY_TENSOR),
     TERN_ATTRS(TERN_ATTR_DEF_I("axis", 1)),
     TERN_VERSIONS({1}, {9}, {11}, {13}, {21}, {23}, {24}, {25}),
     .infer = tern_ops_infer_flatten},
    {.domain = TERN_DOMAIN_ONNX,
     .name = "Squeeze",
     .since = 25,
     .flags = TERN_OP_VIEW | TERN_OP_MOVES_BYTES,
     TERN_INPUTS({"data", "T"}, {"axes", "tensor(int64)", TERN_FORMAL_OPTIONAL}),
     TERN_OUTPUTS({"squeezed", "T"}),
     TERN_CONSTRAINTS(ANY_TENSOR, INT64),
     TERN_VERSIONS({1}, {11, axes_to_input, axes_note}, {13}, {21}, {23}, {24}, {25}),
     .shape_inputs = 2,
     .infer = tern_ops_infer_squeeze,
     .infer_symints = tern_ops_same_symints},
    {.domain = TERN_DOMAIN_ONNX,
     .name = "Unsqueeze",
     .since = 25,
     .flags = TERN_OP_VIEW | TERN_OP_MOVES_BYTES,
     TERN_INPUTS({"data", "T"}, {"axes", "tensor(int64)"}),
     TERN_OUTPUTS({"expanded", "T"}),
     TERN_CONSTRAINTS(ANY_TENSOR, INT64),
     TERN_VERSIONS({1}, {11, axes_to_input, axes_note}, {13}, {21}, {23}, {24}, {25}),
     .shape_inputs = 2,
     .infer = tern_ops_infer_unsqueeze,
     .infer_symints = tern_ops_same_symints},
    {.domain = TERN_DOMAIN_ONNX,
     .name = "Expand",
     .since = 13,
     .flags = TERN_OP_MOVES_BYTES,
     TERN_INPUTS({"input", "T"}, {"shape", "tensor(int64)"}),
     TERN_OUTPUTS({"output", "T"}),
     TERN_CONSTRAINTS({"T", {.tensor = TERN_TYPES_IR4}}, INT64),
     TERN_VERSIONS({8}, {13}),
     .shape_inputs = 2,
     .infer = tern_ops_infer_expand},
    {.domain = TERN_DOMAIN_ONNX,
     .name = "Identity",
     .since = 25,
     .flags = TERN_OP_VIEW | TERN_OP_MOVES_BYTES,
     TERN_INPUTS({"input", "V"}),
     TERN_OUTPUTS({"output", "V"}),
     TERN_CONSTRAINTS({"V",
                       {.tensor = TERN_TYPES_IR13,
                        .sequence = TERN_TYPES_IR3,
                        .optional = TERN_TYPES_IR3,
                        .optional_sequence = TERN_TYPES_IR3}}),
     TERN_VERSIONS({1}, {13}, {14}, {16}, {19}, {21}, {23}, {24}, {25}),
     .infer = tern_infer_same_as_input,
     .infer_symints = tern_ops_same_symints},
    {.domain = TERN_DOMAIN_ONNX,
     .name = "Constant",
     .since = 25,
     .flags = TERN_OP_MOVES_BYTES,
     TERN_OUTPUTS({"output", "T"}),
     TERN_CONSTRAINTS(ANY_TENSOR),
     TERN_ATTRS(TERN_ATTR_OPTIONAL("value", TERN_ATTR_TENSOR),
                TERN_ATTR_OPTIONAL("sparse_value", TERN_ATTR_SPARSE_TENSOR),
                TERN_ATTR_OPTIONAL("value_float", TERN_ATTR_FLOAT),
                TERN_ATTR_OPTIONAL("value_floats", TERN_ATTR_FLOATS),
                TERN_ATTR_OPTIONAL("value_int", TERN_ATTR_INT),
                TERN_ATTR_OPTIONAL("value_ints", TERN_ATTR_INTS),
                TERN_ATTR_OPTIONAL("value_string", TERN_ATTR_STRING),
                TERN_ATTR_OPTIONAL("value_strings", TERN_ATTR_STRINGS)),
     TERN_VERSIONS({1}, {9}, {11}, {12}, {13}, {19}, {21}, {23}, {24}, {25}),
     .infer = tern_ops_infer_constant},
    {.domain = TERN_DOMAIN_ONNX,
     .name = "ConstantOfShape",
     .since = 25,
     .flags = TERN_OP_MOVES_BYTES,
     TERN_INPUTS({"input", "T1"}),
     TERN_OUTPUTS({"output", "T2"}),
     TERN_CONSTRAINTS(
         {"T1", {.tensor = TERN_DTYPE_BIT(TERN_INT64)}},
         {"T2", {.tensor = TERN_TYPES_IR13 & ~(TERN_TYPES_COMPLEX | TERN_DTYPE_BIT(TERN_STRING))}}),
     TERN_ATTRS(TERN_ATTR_OPTIONAL("value", TERN_ATTR_TENSOR)),
     TERN_VERSIONS({9}, {20}, {21}, {23}, {24}, {25}),
     .shape_inputs = 1,
     .infer = tern_ops_infer_constant_of_shape,
     .infer_symints = tern_ops_constant_of_shape_symints},
    {.domain = TERN_DOMAIN_ONNX,
     .name = "Range",
     .since = 27,
     TERN_INPUTS({"start", "T"}, {"limit", "T"}, {"delta", "T"}),
     TERN_OUTPUTS({"output", "T"}),
     TERN_CONSTRAINTS({"T",
                       {.tensor = TERN_TYPES_FLOAT_BF | TERN_DTYPE_BIT(TERN_INT16) |
                                  TERN_DTYPE_BIT(TERN_INT32) | TERN_DTYPE_BIT(TERN_INT64)}}),
     TERN_ATTRS(TERN_ATTR_DEF_I("stash_type", 1)),
     TERN_VERSIONS({11}, {27}),
     .shape_inputs = 7,
     .infer = tern_ops_infer_range},
    {.domain = TERN_DOMAIN_ONNX,
     .name = "EyeLike",
     .since = 22,
     .flags = TERN_OP_MOVES_BYTES,
     TERN_INPUTS({"input", "T1"}),
     TERN_OUTPUTS({"output", "T2"}),
     TERN_CONSTRAINTS({"T1", {.tensor = TERN_TYPES_NUMERIC | TERN_DTYPE_BIT(TERN_BOOL)}},
                      {"T2", {.tensor = TERN_TYPES_NUMERIC | TERN_DTYPE_BIT(TERN_BOOL)}}),
     TERN_ATTRS(TERN_ATTR_OPTIONAL("dtype", TERN_ATTR_INT), TERN_ATTR_DEF_I("k", 0)),
     TERN_VERSIONS({9}, {22}),
     .infer = tern_ops_infer_eye_like},
    {.domain = TERN_DOMAIN_ONNX,
     .name = "Dropout",
     .since = 22,
     .flags = TERN_OP_NONDETERMINISTIC | TERN_OP_MOVES_BYTES,
     .inplace_inputs = 1,
     TERN_INPUTS({"data", "T"}, {"ratio", "T1", TERN_FORMAL_OPTIONAL},
                 {"training_mode", "T2", TERN_FORMAL_OPTIONAL}),
     TERN_OUTPUTS({"output", "T"}, {"mask", "T2", TERN_FORMAL_OPTIONAL}),
     TERN_CONSTRAINTS({"T", {.tensor = TERN_TYPES_FLOAT_BF | TERN_TYPES_FLOAT8}},
                      {"T1", {.tensor = TERN_TYPES_FLOAT_BF | TERN_TYPES_FLOAT8}},
                      {"T2", {.tensor = TERN_DTYPE_BIT(TERN_BOOL)}}),
     TERN_ATTRS(TERN_ATTR_OPTIONAL("seed", TERN_ATTR_INT)),
     TERN_VERSIONS(
         {1, upgrade_dropout_1, "consumed_inputs goes"},
         {6, upgrade_dropout_6, "is_test 0 becomes training_mode with the ratio as inputs"},
         {7, upgrade_dropout_7,
          "ratio, which means nothing outside training, goes; the mask is cast to the "
          "data's type"},
         {10, upgrade_dropout_7, "ratio, which means nothing outside training, goes"}, {12}, {13},
         {22}),
     .infer = tern_ops_infer_dropout},
};

const tern_op_family tern_ops_shape = {"shape", ops, TERN_COUNT_OF(ops)};
