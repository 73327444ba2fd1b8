// What the operators of any number of operands are, and those of three.
#include <float.h>
#include <math.h>

#include "graph/infer.h"
#include "ops/legacy_forms.h"
#include "ops/ops.h"

static tern_status *infer_bounds(tern_infer *infer) {
  for (int32_t i = 1; i < infer->input_count; ++i) {
    const tern_shape *bound = tern_infer_shape(infer, i);
    int64_t count;
    if (bound && tern_shape_is_known(bound) && (!tern_shape_count(bound, &count) || count != 1))
      return TERN_ERROR(TERN_INVALID_ARGUMENT, "input %d is a bound and must be a scalar", i);
  }
  return tern_infer_same_as_input(infer);
}

// Opset 1 has no defaults: an infinite bound says so to opset 6.
static tern_status *upgrade_clip_1(tern_draft *draft) {
  TERN_TRY(tern_upgrade_drop_consumed_inputs(draft));
  if (!tern_draft_attr(draft, "min"))
    TERN_TRY(tern_draft_set_attr(draft, tern_attr_f("min", -INFINITY)));
  if (tern_draft_attr(draft, "max")) return NULL;
  return tern_draft_set_attr(draft, tern_attr_f("max", INFINITY));
}

// A bound becomes input `index`; an infinite one bounds nothing.
static tern_status *bound_to_input(tern_draft *draft, const char *name, int32_t index,
                                   float default_value) {
  const tern_edge *x = tern_draft_input(draft, 0);
  if (!x) return TERN_ERROR(TERN_INVALID_GRAPH, "an input is missing");
  const float bound = tern_draft_attr_f(draft, name, default_value);
  tern_draft_remove_attr(draft, name);
  if (isinf(bound)) return NULL;
  tern_edge *edge = tern_build_scalar(draft->builder, x->type.dtype, (double)bound);
  return edge ? tern_draft_set_input(draft, index, edge) : NULL;
}

// The defaults of opset 6 turn infinities into the largest floats.
static tern_status *upgrade_clip_6(tern_draft *draft) {
  TERN_TRY(bound_to_input(draft, "min", 1, -FLT_MAX));
  return bound_to_input(draft, "max", 2, FLT_MAX);
}

// Not in place: what is written first may be what is read later.
#define VARIADIC(op_name, output, types, ...)                                                      \
  {                                                                                                \
    .domain = TERN_DOMAIN_ONNX, .name = op_name, .since = 13, .flags = TERN_OP_COMMUTATIVE,        \
    TERN_INPUTS({"data_0", "T", TERN_FORMAL_VARIADIC, 1}), TERN_OUTPUTS({output, "T"}),            \
    TERN_CONSTRAINTS({"T", {.tensor = (types)}}), .infer = tern_infer_broadcast, __VA_ARGS__       \
  }

static const tern_op ops[] = {
    VARIADIC("Min", "min", TERN_TYPES_NUMERIC,
             TERN_VERSIONS(TERN_VERSION_CONSUMED_INPUTS, {6}, {8}, {12}, {13})),
    VARIADIC("Max", "max", TERN_TYPES_NUMERIC,
             TERN_VERSIONS(TERN_VERSION_CONSUMED_INPUTS, {6}, {8}, {12}, {13})),
    VARIADIC("Sum", "sum", TERN_TYPES_FLOAT_BF,
             TERN_VERSIONS(TERN_VERSION_CONSUMED_INPUTS, {6}, {8}, {13})),
    VARIADIC("Mean", "mean", TERN_TYPES_FLOAT_BF,
             TERN_VERSIONS(TERN_VERSION_CONSUMED_INPUTS, {6}, {8}, {13})),
    {.domain = TERN_DOMAIN_ONNX,
     .name = "Where",
     .since = 16,
     .flags = TERN_OP_MOVES_BYTES,
     .inplace_inputs = 6,
     TERN_INPUTS({"condition", "B"}, {"X", "T"}, {"Y", "T"}),
     TERN_OUTPUTS({"output", "T"}),
     TERN_CONSTRAINTS(
         {"B", {.tensor = TERN_DTYPE_BIT(TERN_BOOL)}},
         {"T",
          {.tensor = TERN_TYPES_NUMERIC | TERN_DTYPE_BIT(TERN_BOOL) | TERN_DTYPE_BIT(TERN_STRING) |
                     TERN_DTYPE_BIT(TERN_COMPLEX64) | TERN_DTYPE_BIT(TERN_COMPLEX128)}}),
     TERN_VERSIONS({9}, {16}),
     .infer = tern_infer_broadcast},
    {.domain = TERN_DOMAIN_ONNX,
     .name = "Clip",
     .since = 13,
     .inplace_inputs = 1,
     TERN_INPUTS({"input", "T"}, {"min", "T", TERN_FORMAL_OPTIONAL},
                 {"max", "T", TERN_FORMAL_OPTIONAL}),
     TERN_OUTPUTS({"output", "T"}),
     TERN_CONSTRAINTS({"T", {.tensor = TERN_TYPES_NUMERIC}}),
     TERN_VERSIONS(
         {1, upgrade_clip_1, "gives infinite bounds where there are none; drops consumed_inputs"},
         {6, upgrade_clip_6, "turns the bounds, or the largest floats, into inputs"}, {11}, {12},
         {13}),
     .infer = infer_bounds},
};

const tern_op_family tern_ops_variadic = {"variadic", ops, TERN_COUNT_OF(ops)};
