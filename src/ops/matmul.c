// Matrix products.
#include "ops/matmul.h"

#include "graph/upgrade.h"
#include "ops/ops.h"

static tern_status *do_not_fit(const tern_shape *a, const tern_shape *b) {
  char x[TERN_SHAPE_TEXT_BYTES], y[TERN_SHAPE_TEXT_BYTES];
  return TERN_ERROR(TERN_INVALID_ARGUMENT, "matrices of shapes %s and %s cannot be multiplied",
                    tern_shape_format(a, x, sizeof x), tern_shape_format(b, y, sizeof y));
}

tern_status *tern_op_matmul_shape(const tern_shape *a, const tern_shape *b, tern_shape *out) {
  if (!tern_shape_has_rank(a) || !tern_shape_has_rank(b)) return NULL;
  if (a->rank == 0 || b->rank == 0) return do_not_fit(a, b);
  tern_dim k = a->dims[a->rank - 1];
  if (!tern_dim_merge(&k, b->dims[b->rank == 1 ? 0 : b->rank - 2])) return do_not_fit(a, b);
  tern_shape batch = {.rank = a->rank > 2 ? a->rank - 2 : 0}, other = {.rank = 0};
  for (int32_t i = 0; i < batch.rank; ++i) batch.dims[i] = a->dims[i];
  other.rank = b->rank > 2 ? b->rank - 2 : 0;
  for (int32_t i = 0; i < other.rank; ++i) other.dims[i] = b->dims[i];
  if (!tern_shape_broadcast(&batch, &other) || batch.rank + 2 > TERN_MAX_RANK)
    return do_not_fit(a, b);
  tern_shape_copy(out, &batch);
  if (a->rank > 1) out->dims[out->rank++] = a->dims[a->rank - 2];
  if (b->rank > 1) out->dims[out->rank++] = b->dims[b->rank - 1];
  return NULL;
}

static tern_status *infer_matmul_of(tern_infer *infer, int32_t left, int32_t right) {
  return tern_op_matmul_shape(tern_infer_shape(infer, left), tern_infer_shape(infer, right),
                              &infer->output_types[0].shape);
}

static tern_status *infer_matmul(tern_infer *infer) {
  return infer_matmul_of(infer, 0, 1);
}
static tern_status *infer_qlinear_matmul(tern_infer *infer) {
  return infer_matmul_of(infer, 0, 3);
}

static tern_status *infer_gemm(tern_infer *infer) {
  const tern_shape *a = tern_infer_shape(infer, 0), *b = tern_infer_shape(infer, 1);
  const tern_shape *c = tern_infer_shape(infer, 2);
  tern_infer_set_rank(infer, 0, 2);
  if (!tern_shape_has_rank(a) || !tern_shape_has_rank(b)) return NULL;
  if (a->rank != 2 || b->rank != 2) return do_not_fit(a, b);
  bool transpose_a = tern_node_attr_i(infer->node, "transA") != 0;
  bool transpose_b = tern_node_attr_i(infer->node, "transB") != 0;
  tern_dim k = a->dims[transpose_a ? 0 : 1];
  if (!tern_dim_merge(&k, b->dims[transpose_b ? 1 : 0])) return do_not_fit(a, b);
  tern_shape *y = &infer->output_types[0].shape;
  y->dims[0] = a->dims[transpose_a ? 1 : 0];
  y->dims[1] = b->dims[transpose_b ? 0 : 1];
  tern_shape joined = *y;
  if (c &&
      (!tern_shape_broadcast(&joined, c) || joined.rank > 2 || !tern_shape_merge(&joined, y))) {
    char x[TERN_SHAPE_TEXT_BYTES], z[TERN_SHAPE_TEXT_BYTES];
    return TERN_ERROR(TERN_INVALID_ARGUMENT, "C of shape %s does not broadcast to %s",
                      tern_shape_format(c, x, sizeof x), tern_shape_format(y, z, sizeof z));
  }
  return NULL;
}

// Two operations for each element of Y and each step along k.
double tern_op_flops_matmul(const tern_node *node, const tern_type *const *inputs,
                            const tern_type *const *outputs) {
  int64_t count;
  const tern_shape *a = &inputs[0]->shape;
  if (!tern_shape_count(&outputs[0]->shape, &count) || a->rank < 1) return 0.0;
  bool transposed = tern_node_attr_i(node, "transA") != 0;
  tern_dim k = transposed ? a->dims[0] : a->dims[a->rank - 1];
  return k < 0 ? 0.0 : 2.0 * (double)count * (double)k;
}

// Whether C broadcasts is seen from its shape.
static tern_status *upgrade_gemm_broadcast(tern_draft *draft) {
  tern_draft_remove_attr(draft, "broadcast");
  return NULL;
}

// For the types that no kernel takes: in real numbers. Scales of rows and columns lie on the last
// two axes.
static tern_status *body_qlinear_matmul(tern_builder *b, const tern_node *node,
                                        tern_edge **outputs) {
  tern_edge *const *in = node->inputs;
  tern_edge *a = TERN_BUILD(b, "DequantizeLinear", TERN_EDGES(in[0], in[1], in[2]),
                            TERN_ATTR_ARGS(tern_attr_i("axis", -2)));
  tern_edge *c = TERN_BUILD(b, "DequantizeLinear", TERN_EDGES(in[3], in[4], in[5]),
                            TERN_ATTR_ARGS(tern_attr_i("axis", -1)));
  outputs[0] =
      TERN_BUILD(b, "QuantizeLinear", TERN_EDGES(tern_build2(b, "MatMul", a, c), in[6], in[7]),
                 TERN_ATTR_ARGS(tern_attr_i("axis", -2)));
  return NULL;
}

#define BYTES (TERN_DTYPE_BIT(TERN_INT8) | TERN_DTYPE_BIT(TERN_UINT8))
#define WIDE                                                                                       \
  (TERN_TYPES_FLOAT_BF | TERN_DTYPE_BIT(TERN_INT32) | TERN_DTYPE_BIT(TERN_INT64) |                 \
   TERN_DTYPE_BIT(TERN_UINT32) | TERN_DTYPE_BIT(TERN_UINT64))

static const tern_op ops[] = {
    {
        .domain = TERN_DOMAIN_ONNX,
        .name = "MatMul",
        .since = 13,
        TERN_INPUTS({"A", "T"}, {"B", "T"}),
        TERN_OUTPUTS({"Y", "T"}),
        TERN_CONSTRAINTS({"T", {.tensor = WIDE}}),
        TERN_VERSIONS({1}, {9}, {13}),
        .infer = infer_matmul,
        .flops = tern_op_flops_matmul,
    },
    {
        .domain = TERN_DOMAIN_ONNX,
        .name = "Gemm",
        .since = 13,
        TERN_INPUTS({"A", "T"}, {"B", "T"}, {"C", "T", TERN_FORMAL_OPTIONAL}),
        TERN_OUTPUTS({"Y", "T"}),
        TERN_CONSTRAINTS({"T", {.tensor = WIDE}}),
        TERN_ATTRS(TERN_ATTR_DEF_F("alpha", 1.0f), TERN_ATTR_DEF_F("beta", 1.0f),
                   TERN_ATTR_DEF_I("transA", 0), TERN_ATTR_DEF_I("transB", 0)),
        TERN_VERSIONS({1, upgrade_gemm_broadcast, "`broadcast` is dropped: C's shape says it"},
                      {6, upgrade_gemm_broadcast, "`broadcast` is dropped: C's shape says it"}, {7},
                      {9}, {11}, {13}),
        .infer = infer_gemm,
        .flops = tern_op_flops_matmul,
    },
    {
        .domain = TERN_DOMAIN_ONNX,
        .name = "MatMulInteger",
        .since = 10,
        TERN_INPUTS({"A", "T1"}, {"B", "T2"}, {"a_zero_point", "T1", TERN_FORMAL_OPTIONAL},
                    {"b_zero_point", "T2", TERN_FORMAL_OPTIONAL}),
        TERN_OUTPUTS({"Y", "T3"}),
        TERN_CONSTRAINTS({"T1", {.tensor = BYTES}}, {"T2", {.tensor = BYTES}},
                         {"T3", {.tensor = TERN_DTYPE_BIT(TERN_INT32)}}),
        .infer = infer_matmul,
        .flops = tern_op_flops_matmul,
    },
    {
        .domain = TERN_DOMAIN_ONNX,
        .name = "QLinearMatMul",
        .since = 21,
        TERN_INPUTS({"a", "T1"}, {"a_scale", "TS"}, {"a_zero_point", "T1"}, {"b", "T2"},
                    {"b_scale", "TS"}, {"b_zero_point", "T2"}, {"y_scale", "TS"},
                    {"y_zero_point", "T3"}),
        TERN_OUTPUTS({"y", "T3"}),
        TERN_CONSTRAINTS({"TS",
                          {.tensor = TERN_DTYPE_BIT(TERN_FLOAT) | TERN_DTYPE_BIT(TERN_FLOAT16) |
                                     TERN_DTYPE_BIT(TERN_BFLOAT16)}},
                         {"T1", {.tensor = BYTES | TERN_TYPES_FLOAT8}},
                         {"T2", {.tensor = BYTES | TERN_TYPES_FLOAT8}},
                         {"T3", {.tensor = BYTES | TERN_TYPES_FLOAT8}}),
        TERN_VERSIONS({10}, {21}),
        .infer = infer_qlinear_matmul,
        .body = body_qlinear_matmul,
        .flops = tern_op_flops_matmul,
    },
};

const tern_op_family tern_ops_matmul = {"matmul", ops, TERN_COUNT_OF(ops)};
