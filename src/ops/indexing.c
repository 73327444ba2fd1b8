// The indexing family: operators that read, write, find and select elements by index.
#include "ops/indexing.h"

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

static tern_status *upgrade_scatter_9(tern_draft *draft) {
  tern_draft_rename(draft, TERN_DOMAIN_ONNX, "ScatterElements", 11);
  return NULL;
}

static tern_status *upgrade_topk_1(tern_draft *draft) {
  const tern_attr *k = tern_draft_attr(draft, "k");
  if (!k) return TERN_ERROR(TERN_INVALID_GRAPH, "attribute 'k' is missing");
  const int64_t count = tern_draft_attr_i(draft, "k", 0);
  tern_draft_remove_attr(draft, "k");
  return tern_draft_set_input(draft, 1, tern_build_i64s(draft->builder, &count, 1));
}

static const tern_op ops[] = {
    {.domain = TERN_DOMAIN_ONNX,
     .name = "Gather",
     .since = 13,
     .flags = TERN_OP_MOVES_BYTES,
     TERN_INPUTS({"data", "T"}, {"indices", "Tind"}),
     TERN_OUTPUTS({"output", "T"}),
     TERN_CONSTRAINTS(CLASSIC, INDEX),
     TERN_ATTRS(TERN_ATTR_DEF_I("axis", 0)),
     TERN_VERSIONS({1}, {11}, {13}),
     .infer = tern_ops_infer_gather,
     .infer_symints = tern_ops_gather_symints},
    {.domain = TERN_DOMAIN_ONNX,
     .name = "GatherElements",
     .since = 13,
     .flags = TERN_OP_MOVES_BYTES,
     TERN_INPUTS({"data", "T"}, {"indices", "Tind"}),
     TERN_OUTPUTS({"output", "T"}),
     TERN_CONSTRAINTS(CLASSIC, INDEX),
     TERN_ATTRS(TERN_ATTR_DEF_I("axis", 0)),
     TERN_VERSIONS({11}, {13}),
     .infer = tern_ops_infer_gather_elements},
    {.domain = TERN_DOMAIN_ONNX,
     .name = "GatherND",
     .since = 13,
     .flags = TERN_OP_MOVES_BYTES,
     TERN_INPUTS({"data", "T"}, {"indices", "tensor(int64)"}),
     TERN_OUTPUTS({"output", "T"}),
     TERN_CONSTRAINTS(CLASSIC, INT64),
     TERN_ATTRS(TERN_ATTR_DEF_I("batch_dims", 0)),
     TERN_VERSIONS({11}, {12}, {13}),
     .infer = tern_ops_infer_gather_nd},
    {.domain = TERN_DOMAIN_ONNX,
     .name = "Scatter",
     .since = 11,
     .deprecated_since = 11,
     .flags = TERN_OP_MOVES_BYTES,
     TERN_INPUTS({"data", "T"}, {"indices", "Tind"}, {"updates", "T"}),
     TERN_OUTPUTS({"output", "T"}),
     TERN_CONSTRAINTS({"T", {.tensor = TERN_TYPES_IR3}}, INDEX),
     TERN_ATTRS(TERN_ATTR_DEF_I("axis", 0)),
     TERN_VERSIONS({9, upgrade_scatter_9, "becomes ScatterElements-11"}, {11}),
     .infer = tern_infer_same_as_input},
    {.domain = TERN_DOMAIN_ONNX,
     .name = "ScatterElements",
     .since = 18,
     .flags = TERN_OP_MOVES_BYTES,
     .inplace_inputs = 1,
     TERN_INPUTS({"data", "T"}, {"indices", "Tind"}, {"updates", "T"}),
     TERN_OUTPUTS({"output", "T"}),
     TERN_CONSTRAINTS(CLASSIC, INDEX),
     TERN_ATTRS(TERN_ATTR_DEF_I("axis", 0), TERN_ATTR_DEF_S("reduction", "none")),
     TERN_VERSIONS({11}, {13}, {16}, {18}),
     .infer = tern_ops_infer_scatter_elements},
    {.domain = TERN_DOMAIN_ONNX,
     .name = "ScatterND",
     .since = 18,
     .flags = TERN_OP_MOVES_BYTES,
     .inplace_inputs = 1,
     TERN_INPUTS({"data", "T"}, {"indices", "tensor(int64)"}, {"updates", "T"}),
     TERN_OUTPUTS({"output", "T"}),
     TERN_CONSTRAINTS(CLASSIC, INT64),
     TERN_ATTRS(TERN_ATTR_DEF_S("reduction", "none")),
     TERN_VERSIONS({11}, {13}, {16}, {18}),
     .infer = tern_ops_infer_scatter_nd},
    {.domain = TERN_DOMAIN_ONNX,
     .name = "TensorScatter",
     .since = 24,
     .flags = TERN_OP_MOVES_BYTES,
     .inplace_inputs = 1,
     TERN_INPUTS({"past_cache", "T"}, {"update", "T"},
                 {"write_indices", "tensor(int64)", TERN_FORMAL_OPTIONAL}),
     TERN_OUTPUTS({"present_cache", "T"}),
     TERN_CONSTRAINTS(
         {"T",
          {.tensor = TERN_TYPES_IR13 & ~(TERN_DTYPE_BIT(TERN_INT2) | TERN_DTYPE_BIT(TERN_UINT2))}},
         INT64),
     TERN_ATTRS(TERN_ATTR_DEF_I("axis", -2), TERN_ATTR_DEF_S("mode", "linear")),
     .infer = tern_ops_infer_tensor_scatter},
    {.domain = TERN_DOMAIN_ONNX,
     .name = "NonZero",
     .since = 13,
     .flags = TERN_OP_DATA_DEPENDENT | TERN_OP_MOVES_BYTES,
     TERN_INPUTS({"X", "T"}),
     TERN_OUTPUTS({"Y", "tensor(int64)"}),
     TERN_CONSTRAINTS(CLASSIC, INT64),
     TERN_VERSIONS({9}, {13}),
     .infer = tern_ops_infer_nonzero},
    {.domain = TERN_DOMAIN_ONNX,
     .name = "TopK",
     .since = 24,
     .flags = TERN_OP_MOVES_BYTES,
     TERN_INPUTS({"X", "T"}, {"K", "tensor(int64)"}),
     TERN_OUTPUTS({"Values", "T"}, {"Indices", "I"}),
     TERN_CONSTRAINTS({"T", {.tensor = TERN_TYPES_NUMERIC}}, INT64,
                      {"I", {.tensor = TERN_DTYPE_BIT(TERN_INT64)}}),
     TERN_ATTRS(TERN_ATTR_DEF_I("axis", -1), TERN_ATTR_DEF_I("largest", 1),
                TERN_ATTR_DEF_I("sorted", 1)),
     TERN_VERSIONS({1, upgrade_topk_1, "attribute k becomes input 1"}, {10}, {11}, {24}),
     .shape_inputs = 2,
     .infer = tern_ops_infer_topk},
    {.domain = TERN_DOMAIN_ONNX,
     .name = "Unique",
     .since = 28,
     .flags = TERN_OP_DATA_DEPENDENT | TERN_OP_MOVES_BYTES,
     TERN_INPUTS({"X", "T"}),
     TERN_OUTPUTS({"Y", "T"}, {"indices", "tensor(int64)", TERN_FORMAL_OPTIONAL},
                  {"inverse_indices", "tensor(int64)", TERN_FORMAL_OPTIONAL},
                  {"counts", "tensor(int64)", TERN_FORMAL_OPTIONAL}),
     TERN_CONSTRAINTS(CLASSIC, INT64),
     TERN_ATTRS(TERN_ATTR_OPTIONAL("axis", TERN_ATTR_INT), TERN_ATTR_DEF_I("sorted", 1)),
     TERN_VERSIONS({11}, {28}),
     .infer = tern_ops_infer_unique},
    {.domain = TERN_DOMAIN_ONNX,
     .name = "OneHot",
     .since = 28,
     .flags = TERN_OP_MOVES_BYTES,
     TERN_INPUTS({"indices", "T1"}, {"depth", "T2"}, {"values", "T3"}),
     TERN_OUTPUTS({"output", "T3"}),
     TERN_CONSTRAINTS({"T1", {.tensor = TERN_TYPES_FLOAT | TERN_TYPES_INT}},
                      {"T2", {.tensor = TERN_TYPES_FLOAT | TERN_TYPES_INT}},
                      {"T3", {.tensor = TERN_TYPES_IR4}}),
     TERN_ATTRS(TERN_ATTR_DEF_I("axis", -1)),
     TERN_VERSIONS({9}, {11}, {28}),
     .shape_inputs = 2,
     .infer = tern_ops_infer_one_hot},
};

const tern_op_family tern_ops_indexing = {"indexing", ops, TERN_COUNT_OF(ops)};
