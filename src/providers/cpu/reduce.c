// Kernels of reductions, positions of extremes, running sums.
#include "compute/reduce.h"

#include "compute/strided.h"
#include "ops/reduce.h"
#include "providers/cpu/cpu.h"

// A run of neighbouring dimensions that are all reduced or all kept.
typedef struct axis_group {
  int64_t size, stride; // of the input, in elements
  bool is_reduced;
} axis_group;

static int32_t group_axes(const tern_shape *x, uint32_t mask, axis_group *out_groups) {
  int32_t count = 0;
  int64_t stride = 1;
  axis_group reversed[TERN_MAX_RANK];
  for (int32_t i = x->rank - 1; i >= 0; --i) {
    const bool is_reduced = mask >> i & 1u;
    if (x->dims[i] == 1) continue;
    if (count > 0 && reversed[count - 1].is_reduced == is_reduced)
      reversed[count - 1].size *= x->dims[i];
    else
      reversed[count++] = (axis_group){x->dims[i], stride, is_reduced};
    stride *= x->dims[i];
  }
  for (int32_t i = 0; i < count; ++i) out_groups[i] = reversed[count - 1 - i];
  return count;
}

// Puts the reduced groups together, before the last kept one where that is innermost. True when
// they are together already.
static bool order_groups(const axis_group *groups, int32_t count, axis_group *out_groups) {
  const int32_t tail = count > 0 && !groups[count - 1].is_reduced ? count - 1 : count;
  int32_t n = 0, reduced = 0;
  for (int32_t i = 0; i < tail; ++i)
    if (!groups[i].is_reduced) out_groups[n++] = groups[i];
  for (int32_t i = 0; i < tail; ++i) {
    if (!groups[i].is_reduced) continue;
    out_groups[n++] = groups[i];
    ++reduced;
  }
  if (tail < count) out_groups[n++] = groups[tail];
  return reduced <= 1;
}

static tern_lines lines_of(const tern_invocation *invocation, const axis_group *groups,
                           int32_t count) {
  tern_lines lines = {1, 1, 1, invocation->parallel};
  bool reduced = false;
  for (int32_t i = 0; i < count; ++i) {
    const size_t size = (size_t)groups[i].size;
    if (groups[i].is_reduced)
      lines.axis *= size;
    else if (reduced)
      lines.inner *= size;
    else
      lines.outer *= size;
    reduced |= groups[i].is_reduced;
  }
  // Lines of one element are neighbours.
  if (!reduced) lines = (tern_lines){1, 1, lines.outer, invocation->parallel};
  return lines;
}

static tern_status *gather_groups(tern_invocation *invocation, const axis_group *groups,
                                  int32_t count, const void **out_data) {
  const tern_value *x = invocation->inputs[0];
  tern_strided_axis axes[TERN_MAX_RANK];
  int64_t stride = 1;
  void *copy;
  for (int32_t i = count - 1; i >= 0; --i) {
    axes[i] = (tern_strided_axis){groups[i].size, groups[i].stride, stride};
    stride *= groups[i].size;
  }
  TERN_TRY(tern_invocation_scratch(invocation, x->data_bytes, &copy));
  tern_strided_copy(invocation->parallel, axes, count, tern_dtype_size(x->dtype), x->data, copy);
  *out_data = copy;
  return NULL;
}

// Lays the input out as [outer, axis, inner], copied where the reduced dimensions lie apart.
static tern_status *lay_out(tern_invocation *invocation, tern_lines *out_lines,
                            const void **out_data) {
  const tern_value *x = invocation->inputs[0];
  const tern_value *axes = invocation->input_count > 1 ? invocation->inputs[1] : NULL;
  axis_group groups[TERN_MAX_RANK], ordered[TERN_MAX_RANK];
  uint32_t mask;
  TERN_TRY(tern_op_reduce_mask(invocation->node, x->shape.rank, axes ? axes->data : NULL,
                               axes ? (int32_t)tern_value_count(axes) : 0, &mask));
  *out_data = x->data;
  if (tern_value_count(x) == 0) {
    *out_lines = (tern_lines){(size_t)tern_value_count(invocation->outputs[0]), 0, 1, NULL};
    return NULL;
  }
  const int32_t count = group_axes(&x->shape, mask, groups);
  const bool together = order_groups(groups, count, ordered);
  *out_lines = lines_of(invocation, ordered, count);
  return together ? NULL : gather_groups(invocation, ordered, count, out_data);
}

static tern_status *reduce(tern_invocation *invocation, tern_reduce_kind kind) {
  const tern_dtype dtype = invocation->inputs[0]->dtype;
  void *y = invocation->outputs[0]->data;
  const void *x;
  tern_lines lines;
  TERN_TRY(lay_out(invocation, &lines, &x));
#define REDUCE(dtype_, type, suffix)                                                               \
  if (dtype == dtype_) tern_reduce_##suffix(kind, lines, (const type *)x, (type *)y);
  TERN_X_FLOATS(REDUCE)
  REDUCE(TERN_INT32, int32_t, i32)
  REDUCE(TERN_INT64, int64_t, i64)
  REDUCE(TERN_UINT32, uint32_t, u32)
  REDUCE(TERN_UINT64, uint64_t, u64)
  REDUCE(TERN_INT8, int8_t, i8)
  REDUCE(TERN_UINT8, uint8_t, u8)
#undef REDUCE
  return NULL;
}

#define KERNEL(name, kind)                                                                         \
  static tern_status *compute_##name(tern_invocation *invocation) {                                \
    return reduce(invocation, kind);                                                               \
  }
KERNEL(sum, TERN_REDUCE_SUM)
KERNEL(mean, TERN_REDUCE_MEAN)
KERNEL(product, TERN_REDUCE_PRODUCT)
KERNEL(l1, TERN_REDUCE_L1)
KERNEL(l2, TERN_REDUCE_L2)
KERNEL(sum_square, TERN_REDUCE_SUM_SQUARE)
KERNEL(log_sum, TERN_REDUCE_LOG_SUM)
KERNEL(log_sum_exp, TERN_REDUCE_LOG_SUM_EXP)
#undef KERNEL

// The extremes of booleans are those of bytes, except of none: false and true.
static tern_status *reduce_extreme(tern_invocation *invocation, bool is_min) {
  const tern_value *x = invocation->inputs[0];
  const tern_reduce_kind kind = is_min ? TERN_REDUCE_MIN : TERN_REDUCE_MAX;
  tern_lines lines;
  const void *elements;
  if (x->dtype != TERN_BOOL) return reduce(invocation, kind);
  TERN_TRY(lay_out(invocation, &lines, &elements));
  uint8_t *y = invocation->outputs[0]->data;
  tern_reduce_u8(kind, lines, elements, y);
  for (int64_t i = 0; lines.axis == 0 && i < tern_value_count(invocation->outputs[0]); ++i)
    y[i] = is_min;
  return NULL;
}

static tern_status *compute_max(tern_invocation *invocation) {
  return reduce_extreme(invocation, false);
}
static tern_status *compute_min(tern_invocation *invocation) {
  return reduce_extreme(invocation, true);
}

static tern_status *read_lines(const tern_invocation *invocation, int64_t given,
                               tern_lines *out_lines) {
  const tern_shape *x = &invocation->inputs[0]->shape;
  int32_t axis;
  TERN_TRY(tern_infer_axis(given, x->rank, &axis));
  *out_lines = (tern_lines){.outer = (size_t)tern_shape_product(x, 0, axis),
                            .axis = (size_t)x->dims[axis],
                            .inner = (size_t)tern_shape_product(x, axis + 1, x->rank),
                            .parallel = invocation->parallel};
  return NULL;
}

static tern_status *arg(tern_invocation *invocation, bool is_min) {
  const tern_value *x = invocation->inputs[0];
  const bool last = tern_node_attr_i(invocation->node, "select_last_index") != 0;
  tern_lines lines;
  TERN_TRY(read_lines(invocation, tern_node_attr_i(invocation->node, "axis"), &lines));
  if (tern_value_count(x) == 0) return NULL;
#define ARG(dtype_, type, suffix)                                                                  \
  if (x->dtype == dtype_)                                                                          \
    tern_arg_extreme_##suffix(lines, (const type *)x->data, is_min, last,                          \
                              invocation->outputs[0]->data);
  TERN_X_NUMBERS(ARG)
#undef ARG
  return NULL;
}

static tern_status *compute_arg_max(tern_invocation *invocation) {
  return arg(invocation, false);
}
static tern_status *compute_arg_min(tern_invocation *invocation) {
  return arg(invocation, true);
}

static tern_status *cumulate(tern_invocation *invocation, bool is_product) {
  const tern_value *x = invocation->inputs[0], *axis = invocation->inputs[1];
  const bool exclusive = tern_node_attr_i(invocation->node, "exclusive") != 0;
  const bool reverse = tern_node_attr_i(invocation->node, "reverse") != 0;
  tern_lines lines;
  if (tern_value_count(axis) != 1)
    return TERN_ERROR(TERN_INVALID_ARGUMENT, "'axis' has %lld values, not 1",
                      (long long)tern_value_count(axis));
  TERN_TRY(read_lines(invocation, tern_dtype_read_i64(axis->dtype, axis->data, 0), &lines));
  if (tern_value_count(x) == 0) return NULL;
#define CUMULATE(dtype_, type, suffix)                                                             \
  if (x->dtype == dtype_)                                                                          \
    (is_product ? tern_cumulate_product_##suffix : tern_cumulate_sum_##suffix)(                    \
        lines, (const type *)x->data, exclusive, reverse, (type *)invocation->outputs[0]->data);
  TERN_X_NUMBERS(CUMULATE)
#undef CUMULATE
  return NULL;
}

static tern_status *compute_cumulative_sum(tern_invocation *invocation) {
  return cumulate(invocation, false);
}
static tern_status *compute_cumulative_product(tern_invocation *invocation) {
  return cumulate(invocation, true);
}

#define REAL (TERN_DTYPE_BIT(TERN_FLOAT) | TERN_DTYPE_BIT(TERN_DOUBLE))
#define WIDE                                                                                       \
  (REAL | TERN_DTYPE_BIT(TERN_INT32) | TERN_DTYPE_BIT(TERN_INT64) | TERN_DTYPE_BIT(TERN_UINT32) |  \
   TERN_DTYPE_BIT(TERN_UINT64))
#define EXTREMES                                                                                   \
  (WIDE | TERN_DTYPE_BIT(TERN_INT8) | TERN_DTYPE_BIT(TERN_UINT8) | TERN_DTYPE_BIT(TERN_BOOL))
#define ROW(operator_, types_, compute_)                                                           \
  {                                                                                                \
    .domain = TERN_DOMAIN_ONNX, .op = operator_, TERN_CPU_TYPES({"T", types_}),                    \
    .compute = compute_                                                                            \
  }

static const tern_cpu_kernel kernels[] = {
    ROW("ReduceSum", WIDE, compute_sum),
    ROW("ReduceMean", WIDE, compute_mean),
    ROW("ReduceProd", WIDE, compute_product),
    ROW("ReduceL1", WIDE, compute_l1),
    ROW("ReduceL2", WIDE, compute_l2),
    ROW("ReduceSumSquare", WIDE, compute_sum_square),
    ROW("ReduceLogSum", REAL, compute_log_sum),
    ROW("ReduceLogSumExp", REAL, compute_log_sum_exp),
    ROW("ReduceMax", EXTREMES, compute_max),
    ROW("ReduceMin", EXTREMES, compute_min),
    ROW("ArgMax", REAL | TERN_TYPES_INT, compute_arg_max),
    ROW("ArgMin", REAL | TERN_TYPES_INT, compute_arg_min),
    ROW("CumSum", WIDE, compute_cumulative_sum),
    ROW("CumProd", WIDE, compute_cumulative_product),
};

const tern_cpu_family tern_cpu_reduce = {"reduce", kernels, TERN_COUNT_OF(kernels)};
