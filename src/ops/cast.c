// What conversions are: casts, reinterpretation, quantisation and its inverse.
#include <ctype.h>
#include <string.h>

#include "graph/infer.h"
#include "graph/upgrade.h"
#include "ops/ops.h"

#define FLOAT TERN_DTYPE_BIT(TERN_FLOAT)
#define HALVES (TERN_DTYPE_BIT(TERN_FLOAT16) | TERN_DTYPE_BIT(TERN_BFLOAT16))
#define INT32 TERN_DTYPE_BIT(TERN_INT32)
#define FLOAT6 (TERN_DTYPE_BIT(TERN_FLOAT6E2M3) | TERN_DTYPE_BIT(TERN_FLOAT6E3M2))
#define E8M0 TERN_DTYPE_BIT(TERN_FLOAT8E8M0)
#define COMPLEX (TERN_DTYPE_BIT(TERN_COMPLEX64) | TERN_DTYPE_BIT(TERN_COMPLEX128))
#define CASTABLE (TERN_TYPES_ALL & ~COMPLEX)
#define CASTABLE_LIKE (CASTABLE & ~FLOAT6)
#define BITS (TERN_TYPES_ALL & ~(TERN_DTYPE_BIT(TERN_STRING) | FLOAT6))
// What quantisation gives.
#define QUANTISED                                                                                  \
  (TERN_DTYPE_BIT(TERN_INT8) | TERN_DTYPE_BIT(TERN_UINT8) | TERN_DTYPE_BIT(TERN_INT16) |           \
   TERN_DTYPE_BIT(TERN_UINT16) | TERN_TYPES_FLOAT8 | TERN_TYPES_SUB_BYTE | FLOAT6)

// The element type that attribute `name` asks for, one of `allowed`; `fallback` for 0.
static tern_status *attr_dtype(const tern_node *node, const char *name, tern_dtype_set allowed,
                               tern_dtype fallback, tern_dtype *out_dtype) {
  const int64_t number = tern_node_attr_i(node, name);
  if (number == 0 && fallback != TERN_DTYPE_UNDEFINED) {
    *out_dtype = fallback;
    return NULL;
  }
  if (!tern_dtype_is_valid(number) || !tern_dtype_set_has(allowed, (tern_dtype)number))
    return TERN_ERROR(TERN_INVALID_GRAPH, "'%s' is %lld, which is no type this operator gives",
                      name, (long long)number);
  *out_dtype = (tern_dtype)number;
  return NULL;
}

static tern_status *infer_cast(tern_infer *infer) {
  TERN_TRY(
      attr_dtype(infer->node, "to", CASTABLE, TERN_DTYPE_UNDEFINED, &infer->output_types[0].dtype));
  return tern_infer_same_as_input(infer);
}

static tern_status *follow_cast(tern_infer *infer) {
  tern_symint items[TERN_SYMINTS_MAX];
  int32_t count;
  const tern_dtype to = infer->output_types[0].dtype;
  if (to != TERN_INT64 && to != TERN_INT32) return NULL;
  if (!tern_infer_symints(infer, 0, items, &count)) return NULL;
  return tern_infer_set_symints(infer, 0, items, count);
}

static tern_status *cast_like_body(tern_builder *builder, const tern_node *node,
                                   tern_edge **outputs) {
  outputs[0] =
      TERN_BUILD(builder, "Cast", TERN_EDGES(node->inputs[0]),
                 TERN_ATTR_ARGS(tern_attr_i("to", node->inputs[1]->type.dtype),
                                tern_attr_i("saturate", tern_node_attr_i(node, "saturate")),
                                tern_attr_s("round_mode", tern_node_attr_s(node, "round_mode"))));
  return NULL;
}

// Opset 1 wrote the type as the name of its enumerator: "FLOAT".
static tern_status *upgrade_type_name(tern_draft *draft) {
  char name[32] = "";
  const char *text = tern_draft_attr_s(draft, "to", "");
  for (size_t i = 0; text[i] && i + 1 < sizeof name; ++i)
    name[i] = (char)tolower((unsigned char)text[i]);
  const tern_dtype dtype = tern_dtype_from_name(name);
  if (dtype == TERN_DTYPE_UNDEFINED)
    return TERN_ERROR(TERN_INVALID_GRAPH, "'to' is '%s', which is no type", text);
  tern_draft_remove_attr(draft, "to");
  return tern_draft_set_attr(draft, tern_attr_i("to", dtype));
}

static tern_status *infer_bit_cast(tern_infer *infer) {
  const tern_type *x = tern_infer_type(infer, 0);
  tern_dtype to;
  TERN_TRY(attr_dtype(infer->node, "to", BITS, TERN_DTYPE_UNDEFINED, &to));
  if (tern_dtype_get_info(to)->bits != tern_dtype_get_info(x->dtype)->bits)
    return TERN_ERROR(TERN_INVALID_GRAPH, "%s and %s differ in width", tern_dtype_name(x->dtype),
                      tern_dtype_name(to));
  infer->output_types[0].dtype = to;
  return tern_infer_same_as_input(infer);
}

static tern_status *infer_quantize(tern_infer *infer) {
  tern_dtype wanted;
  TERN_TRY(attr_dtype(infer->node, "output_dtype", QUANTISED, TERN_UINT8, &wanted));
  const tern_type *zero_point = tern_infer_type(infer, 2);
  if (!zero_point) infer->output_types[0].dtype = wanted;
  if (zero_point && tern_node_attr_i(infer->node, "output_dtype") != 0 &&
      zero_point->dtype != wanted)
    return TERN_ERROR(TERN_INVALID_GRAPH, "'output_dtype' is %s and the zero point is %s",
                      tern_dtype_name(wanted), tern_dtype_name(zero_point->dtype));
  return tern_infer_same_as_input(infer);
}

static tern_status *infer_dequantize(tern_infer *infer) {
  const tern_type *scale = tern_infer_type(infer, 1);
  TERN_TRY(attr_dtype(infer->node, "output_dtype", FLOAT | HALVES,
                      scale->dtype == TERN_FLOAT8E8M0 ? TERN_FLOAT : scale->dtype,
                      &infer->output_types[0].dtype));
  return tern_infer_same_as_input(infer);
}

static tern_status *infer_dynamic_quantize(tern_infer *infer) {
  TERN_TRY(tern_infer_same_as_input(infer));
  for (int32_t i = 0; i < infer->output_count; ++i) {
    infer->output_types[i].dtype = i == 1 ? TERN_FLOAT : TERN_UINT8;
    if (i > 0) infer->output_types[i].shape.rank = 0;
  }
  return NULL;
}

static const tern_op ops[] = {
    {.domain = TERN_DOMAIN_ONNX,
     .name = "Cast",
     .since = 28,
     .inplace_inputs = 1,
     TERN_INPUTS({"input", "T1"}),
     TERN_OUTPUTS({"output", "T2"}),
     TERN_CONSTRAINTS({"T1", {.tensor = CASTABLE}}, {"T2", {.tensor = CASTABLE}}),
     TERN_ATTRS(TERN_ATTR_REQUIRED("to", TERN_ATTR_INT), TERN_ATTR_DEF_I("saturate", 1),
                TERN_ATTR_DEF_S("round_mode", "up")),
     TERN_VERSIONS({1, upgrade_type_name, "turns the name in 'to' into the type's number"}, {6},
                   {9}, {13}, {19}, {21}, {23}, {24}, {25}, {28}),
     .infer = infer_cast,
     .infer_symints = follow_cast},
    {.domain = TERN_DOMAIN_ONNX,
     .name = "CastLike",
     .since = 25,
     .inplace_inputs = 1,
     TERN_INPUTS({"input", "T1"}, {"target_type", "T2"}),
     TERN_OUTPUTS({"output", "T2"}),
     TERN_CONSTRAINTS({"T1", {.tensor = CASTABLE_LIKE}}, {"T2", {.tensor = CASTABLE_LIKE}}),
     TERN_ATTRS(TERN_ATTR_DEF_I("saturate", 1), TERN_ATTR_DEF_S("round_mode", "up")),
     TERN_VERSIONS({15}, {19}, {21}, {23}, {24}, {25}),
     .infer = tern_infer_same_as_input,
     .infer_symints = follow_cast,
     .body = cast_like_body},
    {.domain = TERN_DOMAIN_ONNX,
     .name = "BitCast",
     .since = 26,
     .flags = TERN_OP_VIEW | TERN_OP_MOVES_BYTES,
     TERN_INPUTS({"input", "T1"}),
     TERN_OUTPUTS({"output", "T2"}),
     TERN_CONSTRAINTS({"T1", {.tensor = BITS}}, {"T2", {.tensor = BITS}}),
     TERN_ATTRS(TERN_ATTR_REQUIRED("to", TERN_ATTR_INT)),
     .infer = infer_bit_cast},
    {.domain = TERN_DOMAIN_ONNX,
     .name = "QuantizeLinear",
     .since = 28,
     TERN_INPUTS({"x", "T1"}, {"y_scale", "T2"}, {"y_zero_point", "T3", TERN_FORMAL_OPTIONAL}),
     TERN_OUTPUTS({"y", "T3"}),
     TERN_CONSTRAINTS({"T1", {.tensor = FLOAT | HALVES | INT32}},
                      {"T2", {.tensor = FLOAT | HALVES | INT32 | E8M0}},
                      {"T3", {.tensor = QUANTISED}}),
     TERN_ATTRS(TERN_ATTR_DEF_I("axis", 1), TERN_ATTR_DEF_I("block_size", 0),
                TERN_ATTR_DEF_I("output_dtype", 0), TERN_ATTR_DEF_I("precision", 0),
                TERN_ATTR_DEF_I("saturate", 1)),
     TERN_VERSIONS({10}, {13}, {19}, {21}, {23}, {24}, {25}, {28}),
     .infer = infer_quantize},
    {.domain = TERN_DOMAIN_ONNX,
     .name = "DequantizeLinear",
     .since = 28,
     TERN_INPUTS({"x", "T1"}, {"x_scale", "T2"}, {"x_zero_point", "T1", TERN_FORMAL_OPTIONAL}),
     TERN_OUTPUTS({"y", "T3"}),
     TERN_CONSTRAINTS({"T1", {.tensor = QUANTISED | INT32}},
                      {"T2", {.tensor = FLOAT | HALVES | E8M0}},
                      {"T3", {.tensor = FLOAT | HALVES}}),
     TERN_ATTRS(TERN_ATTR_DEF_I("axis", 1), TERN_ATTR_DEF_I("block_size", 0),
                TERN_ATTR_DEF_I("output_dtype", 0)),
     TERN_VERSIONS({10}, {13}, {19}, {21}, {23}, {24}, {25}, {28}),
     .infer = infer_dequantize},
    {.domain = TERN_DOMAIN_ONNX,
     .name = "DynamicQuantizeLinear",
     .since = 11,
     TERN_INPUTS({"x", "T1"}),
     TERN_OUTPUTS({"y", "T2"}, {"y_scale", "T3"}, {"y_zero_point", "T2"}),
     TERN_CONSTRAINTS({"T1", {.tensor = FLOAT}}, {"T2", {.tensor = TERN_DTYPE_BIT(TERN_UINT8)}},
                      {"T3", {.tensor = FLOAT}}),
     .infer = infer_dynamic_quantize},
};

const tern_op_family tern_ops_cast = {"cast", ops, TERN_COUNT_OF(ops)};
