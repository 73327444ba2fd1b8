// Pooling.
#include <math.h>
#include <string.h>

#include "graph/infer.h"
#include "graph/upgrade.h"
#include "ops/ops.h"
#include "ops/window.h"

static tern_status *infer_pool(tern_infer *infer) {
  const tern_shape *x = tern_infer_shape(infer, 0);
  tern_op_window window;
  if (!tern_shape_has_rank(x)) return NULL;
  TERN_TRY(tern_op_window_read(infer->node, x, NULL, &window));
  for (int32_t o = 0; o < infer->output_count; ++o) {
    tern_shape *y = &infer->output_types[o].shape;
    y->rank = x->rank;
    y->dims[0] = x->dims[0];
    y->dims[1] = x->dims[1];
    for (int32_t i = 0; i < window.rank; ++i) y->dims[i + 2] = window.out[i];
  }
  return NULL;
}

static tern_status *infer_global(tern_infer *infer) {
  const tern_shape *x = tern_infer_shape(infer, 0);
  if (!tern_shape_has_rank(x)) return NULL;
  if (x->rank < 2)
    return TERN_ERROR(TERN_INVALID_GRAPH, "an input of rank %d has no channels", x->rank);
  tern_shape *y = &infer->output_types[0].shape;
  tern_shape_copy(y, x);
  for (int32_t i = 2; i < y->rank; ++i) y->dims[i] = 1;
  return NULL;
}

// The inverse of pooling's size, or the sizes that are given.
static tern_status *infer_unpool(tern_infer *infer) {
  const tern_shape *x = tern_infer_shape(infer, 0);
  tern_op_window window;
  int64_t given[TERN_MAX_RANK];
  int32_t count;
  if (!tern_shape_has_rank(x)) return NULL;
  TERN_TRY(tern_op_window_read_transposed(infer->node, x, NULL, &window));
  tern_infer_set_rank(infer, 0, x->rank);
  tern_shape *y = &infer->output_types[0].shape;
  if (tern_infer_has(infer, 2)) {
    if (!tern_infer_i64s(infer, 2, given, TERN_MAX_RANK, &count)) return NULL;
    if (count != x->rank)
      return TERN_ERROR(TERN_INVALID_ARGUMENT, "output_shape has %d sizes, %d are needed", count,
                        x->rank);
    for (int32_t i = 0; i < count; ++i) {
      if (given[i] < 0)
        return TERN_ERROR(TERN_INVALID_ARGUMENT, "output_shape has the size %lld",
                          (long long)given[i]);
    }
    tern_shape_set(y, count, given);
    return NULL;
  }
  y->dims[0] = x->dims[0];
  y->dims[1] = x->dims[1];
  for (int32_t i = 0; i < window.rank; ++i) y->dims[i + 2] = window.out[i];
  return NULL;
}

// One operation for each element under each window.
static double flops_pool(const tern_node *node, const tern_type *const *inputs,
                         const tern_type *const *outputs) {
  tern_op_window window;
  int64_t count;
  tern_status *status = tern_op_window_read(node, &inputs[0]->shape, NULL, &window);
  if (status || !tern_shape_count(&outputs[0]->shape, &count)) {
    tern_status_ignore(status);
    return 0.0;
  }
  double flops = (double)count;
  for (int32_t i = 0; i < window.rank; ++i) flops *= (double)window.kernel[i];
  return flops;
}

#define WINDOW_ATTRS                                                                               \
  TERN_ATTR_DEF_S("auto_pad", "NOTSET"), TERN_ATTR_DEF_I("ceil_mode", 0),                          \
      TERN_ATTR_OPTIONAL("dilations", TERN_ATTR_INTS),                                             \
      TERN_ATTR_REQUIRED("kernel_shape", TERN_ATTR_INTS),                                          \
      TERN_ATTR_OPTIONAL("pads", TERN_ATTR_INTS), TERN_ATTR_OPTIONAL("strides", TERN_ATTR_INTS)
#define BYTES (TERN_DTYPE_BIT(TERN_INT8) | TERN_DTYPE_BIT(TERN_UINT8))
#define FLOAT_T TERN_CONSTRAINTS({"T", {.tensor = TERN_TYPES_FLOAT_BF}})

// The sums of `powers` over windows, as their means, padding included, times a window's size.
static tern_status *sum_windows(tern_draft *draft, tern_edge *powers, tern_edge **out_sums) {
  tern_builder *b = draft->builder;
  const tern_attr *kernel = tern_draft_attr(draft, "kernel_shape");
  double size = 1;
  for (size_t i = 0; kernel && kernel->type == TERN_ATTR_INTS && i < kernel->count; ++i)
    size *= (double)kernel->u.ints[i];
  TERN_TRY(tern_draft_set_attr(draft, tern_attr_i("count_include_pad", 1)));
  tern_edge *means = TERN_BUILD(b, "AveragePool", TERN_EDGES(powers), .attrs = draft->attrs,
                                .attr_count = draft->attr_count);
  if (!means) return tern_builder_finish(b);
  *out_sums = tern_build2(b, "Mul", means, tern_build_scalar(b, means->type.dtype, size));
  return NULL;
}

// The sum of `powers` over all that is not batch or channel.
static tern_status *sum_features(tern_draft *draft, tern_edge *powers, tern_edge **out_sums) {
  int64_t axes[TERN_MAX_RANK];
  int32_t rank = powers->type.shape.rank;
  if (rank < 2) return TERN_ERROR(TERN_INVALID_GRAPH, "the input's rank must be known, at least 2");
  for (int32_t i = 2; i < rank; ++i) axes[i - 2] = i;
  *out_sums = TERN_BUILD(
      draft->builder, "ReduceSum",
      TERN_EDGES(powers, tern_build_i64s(draft->builder, axes, rank - 2)),
      TERN_ATTR_ARGS(tern_attr_i("keepdims", 1), tern_attr_i("noop_with_empty_axes", 1)));
  return NULL;
}

// A norm whose p is no whole number, by its definition.
static tern_status *replace_lp(tern_draft *draft, double p) {
  tern_builder *b = draft->builder;
  tern_edge *x = tern_draft_input(draft, 0), *sums = NULL;
  if (!x || !(p > 0 && p < (double)INFINITY))
    return TERN_ERROR(TERN_INVALID_GRAPH, "p = %g is not a positive number", p);
  tern_edge *powers =
      tern_build2(b, "Pow", tern_build1(b, "Abs", x), tern_build_scalar(b, TERN_FLOAT, p));
  if (!powers) return tern_builder_finish(b);
  tern_draft_remove_attr(draft, "p");
  TERN_TRY(strcmp(draft->op_type, "LpPool") == 0 ? sum_windows(draft, powers, &sums)
                                                 : sum_features(draft, powers, &sums));
  tern_edge *y = tern_build2(b, "Pow", sums, tern_build_scalar(b, TERN_FLOAT, 1 / p));
  return y ? tern_draft_replace(draft, &y, 1) : tern_builder_finish(b);
}

// Opset 1 took p as a float.
static tern_status *upgrade_lp_1(tern_draft *draft) {
  const tern_attr *p = tern_draft_attr(draft, "p");
  if (!p || p->type != TERN_ATTR_FLOAT) return NULL;
  double number = (double)p->u.f;
  if (number > 0 && number < 1e9 && number == floor(number))
    return tern_draft_set_attr(draft, tern_attr_i("p", (int64_t)number));
  return replace_lp(draft, number);
}
static const char lp_note[] = "p becomes an integer; any other becomes powers, sums and roots";

static const tern_op ops[] = {
    {
        .domain = TERN_DOMAIN_ONNX,
        .name = "AveragePool",
        .since = 22,
        TERN_INPUTS({"X", "T"}),
        TERN_OUTPUTS({"Y", "T"}),
        FLOAT_T,
        TERN_ATTRS(WINDOW_ATTRS, TERN_ATTR_DEF_I("count_include_pad", 0)),
        TERN_VERSIONS({1}, {7}, {10}, {11}, {19}, {22}),
        .infer = infer_pool,
        .flops = flops_pool,
    },
    {
        .domain = TERN_DOMAIN_ONNX,
        .name = "MaxPool",
        .since = 22,
        TERN_INPUTS({"X", "T"}),
        TERN_OUTPUTS({"Y", "T"}, {"Indices", "I", TERN_FORMAL_OPTIONAL}),
        TERN_CONSTRAINTS({"T", {.tensor = TERN_TYPES_FLOAT_BF | BYTES}},
                         {"I", {.tensor = TERN_DTYPE_BIT(TERN_INT64)}}),
        TERN_ATTRS(WINDOW_ATTRS, TERN_ATTR_DEF_I("storage_order", 0)),
        TERN_VERSIONS({1}, {8}, {10}, {11}, {12}, {22}),
        .infer = infer_pool,
        .flops = flops_pool,
    },
    {
        .domain = TERN_DOMAIN_ONNX,
        .name = "LpPool",
        .since = 22,
        TERN_INPUTS({"X", "T"}),
        TERN_OUTPUTS({"Y", "T"}),
        FLOAT_T,
        TERN_ATTRS(WINDOW_ATTRS, TERN_ATTR_DEF_I("p", 2)),
        TERN_VERSIONS({1, upgrade_lp_1, lp_note}, {2}, {11}, {18}, {22}),
        .infer = infer_pool,
        .flops = flops_pool,
    },
    {
        .domain = TERN_DOMAIN_ONNX,
        .name = "GlobalAveragePool",
        .since = 22,
        TERN_INPUTS({"X", "T"}),
        TERN_OUTPUTS({"Y", "T"}),
        FLOAT_T,
        TERN_VERSIONS({1}, {22}),
        .infer = infer_global,
    },
    {
        .domain = TERN_DOMAIN_ONNX,
        .name = "GlobalMaxPool",
        .since = 22,
        TERN_INPUTS({"X", "T"}),
        TERN_OUTPUTS({"Y", "T"}),
        FLOAT_T,
        TERN_VERSIONS({1}, {22}),
        .infer = infer_global,
    },
    {
        .domain = TERN_DOMAIN_ONNX,
        .name = "GlobalLpPool",
        .since = 22,
        TERN_INPUTS({"X", "T"}),
        TERN_OUTPUTS({"Y", "T"}),
        FLOAT_T,
        TERN_ATTRS(TERN_ATTR_DEF_I("p", 2)),
        TERN_VERSIONS({1, upgrade_lp_1, lp_note}, {2}, {22}),
        .infer = infer_global,
    },
    {
        .domain = TERN_DOMAIN_ONNX,
        .name = "MaxUnpool",
        .since = 22,
        TERN_INPUTS({"X", "T1"}, {"I", "T2"}, {"output_shape", "T2", TERN_FORMAL_OPTIONAL}),
        TERN_OUTPUTS({"output", "T1"}),
        TERN_CONSTRAINTS({"T1", {.tensor = TERN_TYPES_FLOAT_BF}},
                         {"T2", {.tensor = TERN_DTYPE_BIT(TERN_INT64)}}),
        TERN_ATTRS(TERN_ATTR_REQUIRED("kernel_shape", TERN_ATTR_INTS),
                   TERN_ATTR_OPTIONAL("pads", TERN_ATTR_INTS),
                   TERN_ATTR_OPTIONAL("strides", TERN_ATTR_INTS)),
        TERN_VERSIONS({9}, {11}, {22}),
        .shape_inputs = 4,
        .infer = infer_unpool,
    },
};

const tern_op_family tern_ops_pool = {"pool", ops, TERN_COUNT_OF(ops)};
