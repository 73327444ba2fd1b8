// Pooling.
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
  TERN_TRY(tern_op_window_read(infer->node, x, NULL, &window));
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
  for (int32_t i = 0; i < window.rank; ++i) {
    if (window.in[i] < 0) continue;
    int64_t size = (window.in[i] - 1) * window.stride[i] + window.kernel[i] - window.pad_begin[i] -
                   window.pad_end[i];
    if (size < 0)
      return TERN_ERROR(TERN_INVALID_ARGUMENT, "spatial dimension %d would have size %lld", i,
                        (long long)size);
    y->dims[i + 2] = size;
  }
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

// Opset 1 took p as a float; only whole numbers are used, and mean the same.
static tern_status *upgrade_lp_1(tern_draft *draft) {
  const tern_attr *p = tern_draft_attr(draft, "p");
  if (!p || p->type != TERN_ATTR_FLOAT) return NULL;
  if (p->u.f != (float)(int64_t)p->u.f)
    return TERN_ERROR(TERN_NOT_IMPLEMENTED, "p = %g is no whole number", (double)p->u.f);
  return tern_draft_set_attr(draft, tern_attr_i("p", (int64_t)p->u.f));
}

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
        TERN_VERSIONS({1, upgrade_lp_1, "p becomes an integer"}, {2}, {11}, {18}, {22}),
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
        TERN_VERSIONS({1, upgrade_lp_1, "p becomes an integer"}, {2}, {22}),
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
        .infer = infer_unpool,
    },
};

const tern_op_family tern_ops_pool = {"pool", ops, TERN_COUNT_OF(ops)};
