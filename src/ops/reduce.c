// Reductions, positions of extremes, running sums.
#include "ops/reduce.h"

#include "ops/axes.h"
#include "ops/legacy_forms.h"
#include "ops/ops.h"

tern_status *tern_op_reduce_mask(const tern_node *node, int32_t rank, const int64_t *axes,
                                 int32_t count, uint32_t *out_mask) {
  uint32_t mask = 0;
  if (count == 0 && tern_node_attr_i(node, "noop_with_empty_axes") == 0)
    mask = (uint32_t)((UINT64_C(1) << rank) - 1);
  for (int32_t i = 0; i < count; ++i) {
    int32_t axis;
    TERN_TRY(tern_infer_axis(axes[i], rank, &axis));
    if (mask >> axis & 1u)
      return TERN_ERROR(TERN_INVALID_ARGUMENT, "axis %lld is given twice", (long long)axes[i]);
    mask |= 1u << axis;
  }
  *out_mask = mask;
  return NULL;
}

// The axes' number is known and not what they are.
static void infer_unknown_axes(tern_infer *infer, int32_t rank, bool keeps) {
  const int64_t count = tern_ops_input_length(infer, 1);
  if (keeps)
    tern_infer_set_rank(infer, 0, rank);
  else if (count > 0 && count <= rank)
    tern_infer_set_rank(infer, 0, rank - (int32_t)count);
}

static void reduce_shape(const tern_shape *x, uint32_t mask, bool keeps, tern_shape *y) {
  y->rank = 0;
  for (int32_t i = 0; i < x->rank; ++i) {
    const bool reduced = mask >> i & 1u;
    if (!reduced || keeps) y->dims[y->rank++] = reduced ? 1 : x->dims[i];
  }
}

static tern_status *infer_reduce(tern_infer *infer) {
  const tern_shape *x = tern_infer_shape(infer, 0);
  const bool keeps = tern_node_attr_i(infer->node, "keepdims") != 0;
  int64_t axes[TERN_SYMINTS_MAX];
  int32_t count = 0;
  uint32_t mask;
  if (!tern_shape_has_rank(x)) return NULL;
  const bool none = !tern_infer_has(infer, 1) || tern_ops_input_length(infer, 1) == 0;
  if (!none && !tern_infer_i64s(infer, 1, axes, TERN_SYMINTS_MAX, &count)) {
    infer_unknown_axes(infer, x->rank, keeps);
    return NULL;
  }
  TERN_TRY(tern_op_reduce_mask(infer->node, x->rank, axes, count, &mask));
  reduce_shape(x, mask, keeps, &infer->output_types[0].shape);
  return NULL;
}

static tern_status *infer_arg(tern_infer *infer) {
  const tern_shape *x = tern_infer_shape(infer, 0);
  int32_t axis;
  if (!tern_shape_has_rank(x)) return NULL;
  TERN_TRY(tern_infer_axis(tern_node_attr_i(infer->node, "axis"), x->rank, &axis));
  tern_shape *y = &infer->output_types[0].shape;
  reduce_shape(x, 1u << axis, tern_node_attr_i(infer->node, "keepdims") != 0, y);
  int64_t count;
  if (x->dims[axis] == 0 && tern_shape_count(y, &count) && count > 0)
    return TERN_ERROR(TERN_INVALID_ARGUMENT, "axis %d has no elements to choose from", axis);
  return NULL;
}

static tern_status *infer_cumulative(tern_infer *infer) {
  const tern_shape *x = tern_infer_shape(infer, 0);
  int64_t given;
  int32_t count, axis;
  TERN_TRY(tern_infer_same_as_input(infer));
  if (!tern_shape_has_rank(x) || !tern_infer_i64s(infer, 1, &given, 1, &count)) return NULL;
  if (count != 1) return TERN_ERROR(TERN_INVALID_ARGUMENT, "'axis' has %d values, not 1", count);
  return tern_infer_axis(given, x->rank, &axis);
}

// One operation for each element that is read.
static double flops_reduce(const tern_node *node, const tern_type *const *inputs,
                           const tern_type *const *outputs) {
  int64_t count;
  (void)node;
  (void)outputs;
  return tern_shape_count(&inputs[0]->shape, &count) ? (double)count : 0.0;
}

static tern_status *upgrade_axes(tern_draft *draft) {
  return tern_draft_ints_to_input(draft, "axes", 1);
}

// Logarithms of integers, which the newest versions do not take, are computed in double.
static tern_status *upgrade_log_of_integers(tern_draft *draft) {
  tern_edge *x = tern_draft_input(draft, 0), *axes = tern_draft_input(draft, 1);
  if (!x || !tern_dtype_set_has(TERN_TYPES_INT, x->type.dtype)) return NULL;
  tern_builder *b = draft->builder;
  tern_edge *wide =
      TERN_BUILD(b, "Cast", TERN_EDGES(x), TERN_ATTR_ARGS(tern_attr_i("to", TERN_DOUBLE)));
  tern_edge *y =
      TERN_BUILD(b, draft->op_type, TERN_EDGES(wide, axes),
                 TERN_ATTR_ARGS(tern_attr_i("keepdims", tern_draft_attr_i(draft, "keepdims", 1)),
                                tern_attr_i("noop_with_empty_axes",
                                            tern_draft_attr_i(draft, "noop_with_empty_axes", 0))));
  y = TERN_BUILD(b, "Cast", TERN_EDGES(y), TERN_ATTR_ARGS(tern_attr_i("to", x->type.dtype)));
  return tern_draft_replace(draft, &y, 1);
}

#define WIDE                                                                                       \
  (TERN_TYPES_FLOAT_BF | TERN_DTYPE_BIT(TERN_INT32) | TERN_DTYPE_BIT(TERN_INT64) |                 \
   TERN_DTYPE_BIT(TERN_UINT32) | TERN_DTYPE_BIT(TERN_UINT64))
#define EXTREMES                                                                                   \
  (WIDE | TERN_DTYPE_BIT(TERN_INT8) | TERN_DTYPE_BIT(TERN_UINT8) | TERN_DTYPE_BIT(TERN_BOOL))
#define AXES(number)                                                                               \
  { (number), upgrade_axes, "attribute `axes` becomes an input" }
#define LOG_OF_INTEGERS                                                                            \
  { 18, upgrade_log_of_integers, "integers are cast to double and back" }
#define INT64_I                                                                                    \
  {                                                                                                \
    "I", {                                                                                         \
      .tensor = TERN_DTYPE_BIT(TERN_INT64)                                                         \
    }                                                                                              \
  }

// A reduction over the axes of its second input.
#define REDUCE_ROW(operator_, since_, types_, ...)                                                 \
  {                                                                                                \
    .domain = TERN_DOMAIN_ONNX, .name = operator_, .since = since_,                                \
    TERN_INPUTS({"data", "T"}, {"axes", "I", TERN_FORMAL_OPTIONAL}),                               \
    TERN_OUTPUTS({"reduced", "T"}), TERN_CONSTRAINTS({"T", {.tensor = types_}}, INT64_I),          \
    TERN_ATTRS(TERN_ATTR_DEF_I("keepdims", 1), TERN_ATTR_DEF_I("noop_with_empty_axes", 0)),        \
    TERN_VERSIONS(__VA_ARGS__), .shape_inputs = 2, .infer = infer_reduce, .flops = flops_reduce,   \
  }
// The position of an extreme along an axis.
#define ARG_ROW(operator_)                                                                         \
  {                                                                                                \
    .domain = TERN_DOMAIN_ONNX, .name = operator_, .since = 13, TERN_INPUTS({"data", "T"}),        \
    TERN_OUTPUTS({"reduced", "I"}),                                                                \
    TERN_CONSTRAINTS({"T", {.tensor = TERN_TYPES_NUMERIC}}, INT64_I),                              \
    TERN_ATTRS(TERN_ATTR_DEF_I("axis", 0), TERN_ATTR_DEF_I("keepdims", 1),                         \
               TERN_ATTR_DEF_I("select_last_index", 0)),                                           \
    TERN_VERSIONS({1}, {11}, {12}, {13}), .infer = infer_arg, .flops = flops_reduce,               \
  }
// A running sum or product.
#define CUMULATIVE_ROW(operator_, since_, ...)                                                     \
  {                                                                                                \
    .domain = TERN_DOMAIN_ONNX, .name = operator_, .since = since_, .inplace_inputs = 1,           \
    TERN_INPUTS({"x", "T"}, {"axis", "T2"}), TERN_OUTPUTS({"y", "T"}),                             \
    TERN_CONSTRAINTS({"T", {.tensor = WIDE}},                                                      \
                     {"T2", {.tensor = TERN_DTYPE_BIT(TERN_INT32) | TERN_DTYPE_BIT(TERN_INT64)}}), \
    TERN_ATTRS(TERN_ATTR_DEF_I("exclusive", 0), TERN_ATTR_DEF_I("reverse", 0)),                    \
    TERN_VERSIONS(__VA_ARGS__), .shape_inputs = 2, .infer = infer_cumulative,                      \
  }

static const tern_op ops[] = {
    REDUCE_ROW("ReduceSum", 13, WIDE, {1}, AXES(11), {13}),
    REDUCE_ROW("ReduceMean", 18, WIDE, {1}, {11}, AXES(13), {18}),
    REDUCE_ROW("ReduceProd", 18, WIDE, {1}, {11}, AXES(13), {18}),
    REDUCE_ROW("ReduceL1", 18, WIDE, {1}, {11}, AXES(13), {18}),
    REDUCE_ROW("ReduceL2", 18, WIDE, {1}, {11}, AXES(13), {18}),
    REDUCE_ROW("ReduceSumSquare", 18, WIDE, {1}, {11}, AXES(13), {18}),
    REDUCE_ROW("ReduceMax", 20, EXTREMES, {1}, {11}, {12}, AXES(13), {18}, {20}),
    REDUCE_ROW("ReduceMin", 20, EXTREMES, {1}, {11}, {12}, AXES(13), {18}, {20}),
    REDUCE_ROW("ReduceLogSum", 28, TERN_TYPES_FLOAT_BF, {1}, {11}, AXES(13), LOG_OF_INTEGERS, {28}),
    REDUCE_ROW("ReduceLogSumExp", 28, TERN_TYPES_FLOAT_BF, {1}, {11}, AXES(13), LOG_OF_INTEGERS,
               {28}),
    ARG_ROW("ArgMax"),
    ARG_ROW("ArgMin"),
    CUMULATIVE_ROW("CumSum", 14, {11}, {14}),
    CUMULATIVE_ROW("CumProd", 26, {26}),
};

const tern_op_family tern_ops_reduce = {"reduce", ops, TERN_COUNT_OF(ops)};
