// What the elementwise operators are: maths of one and two operands, comparison, logic, bits.
// Every row here gives an output of its operands' common shape.
#include "graph/infer.h"
#include "ops/legacy_forms.h"
#include "ops/ops.h"

#define BOOL TERN_DTYPE_BIT(TERN_BOOL)
#define STRING TERN_DTYPE_BIT(TERN_STRING)
#define INPLACE_FIRST 1u
#define INPLACE_BOTH 3u

// Histories that many rows share.
#define SINCE_1_6_13 TERN_VERSIONS(TERN_VERSION_CONSUMED_INPUTS, {6}, {13})
#define LEGACY_ARITHMETIC                                                                          \
  TERN_VERSIONS(TERN_VERSION_LEGACY_BROADCAST(1), TERN_VERSION_LEGACY_BROADCAST(6), {7}, {13}, {14})

static tern_status *infer_bool(tern_infer *infer) {
  infer->output_types[0].dtype = TERN_BOOL;
  return tern_infer_same_as_input(infer);
}

static tern_status *infer_comparison(tern_infer *infer) {
  infer->output_types[0].dtype = TERN_BOOL;
  return tern_infer_broadcast(infer);
}

// Both operands as far as they are followed, each of one element or of `*out_count`.
static bool read_operands(const tern_infer *infer, tern_symint *a, int32_t *out_a_count,
                          tern_symint *b, int32_t *out_b_count, int32_t *out_count) {
  const tern_shape *sa = tern_infer_shape(infer, 0), *sb = tern_infer_shape(infer, 1);
  if (!sa || !sb || sa->rank > 1 || sb->rank > 1) return false;
  if (!tern_infer_symints(infer, 0, a, out_a_count)) return false;
  if (!tern_infer_symints(infer, 1, b, out_b_count)) return false;
  *out_count = *out_a_count == 1 ? *out_b_count : *out_a_count;
  return (*out_a_count == 1 || *out_a_count == *out_count) &&
         (*out_b_count == 1 || *out_b_count == *out_count);
}

static bool is_number(tern_symint item, int64_t value) {
  return item.kind == TERN_SYMINT_NUMBER && item.value == value;
}

// Elements that an operand leaves as they are: x + 0, x * 1, and the other way round where
// `is_commutative`.
static tern_status *follow_neutral(tern_infer *infer, int64_t neutral, bool is_commutative) {
  tern_symint a[TERN_SYMINTS_MAX], b[TERN_SYMINTS_MAX], items[TERN_SYMINTS_MAX];
  int32_t a_count, b_count, count;
  if (!read_operands(infer, a, &a_count, b, &b_count, &count)) return NULL;
  for (int32_t i = 0; i < count; ++i) {
    const tern_symint x = a[a_count == 1 ? 0 : i], y = b[b_count == 1 ? 0 : i];
    items[i] = (tern_symint){TERN_SYMINT_UNKNOWN, 0};
    if (is_number(y, neutral)) items[i] = x;
    if (is_commutative && is_number(x, neutral)) items[i] = y;
  }
  return tern_infer_set_symints(infer, 0, items, count);
}

static tern_status *follow_add(tern_infer *infer) {
  return follow_neutral(infer, 0, true);
}
static tern_status *follow_sub(tern_infer *infer) {
  return follow_neutral(infer, 0, false);
}
static tern_status *follow_mul(tern_infer *infer) {
  return follow_neutral(infer, 1, true);
}
static tern_status *follow_div(tern_infer *infer) {
  return follow_neutral(infer, 1, false);
}

// Functions of one operand. `op_since` is the newest version; the rest is its history.
#define UNARY(op_name, op_since, x, y, types, ...)                                                 \
  {                                                                                                \
    .domain = TERN_DOMAIN_ONNX, .name = op_name, .since = op_since,                                \
    .inplace_inputs = INPLACE_FIRST, TERN_INPUTS({x, "T"}), TERN_OUTPUTS({y, "T"}),                \
    TERN_CONSTRAINTS({"T", {.tensor = (types)}}), .infer = tern_infer_same_as_input, __VA_ARGS__   \
  }
#define BINARY(op_name, op_since, a, b, c, types, ...)                                             \
  {                                                                                                \
    .domain = TERN_DOMAIN_ONNX, .name = op_name, .since = op_since,                                \
    .inplace_inputs = INPLACE_BOTH, TERN_INPUTS({a, "T"}, {b, "T"}), TERN_OUTPUTS({c, "T"}),       \
    TERN_CONSTRAINTS({"T", {.tensor = (types)}}), .infer = tern_infer_broadcast, __VA_ARGS__       \
  }
#define COMPARISON(op_name, op_since, types, ...)                                                  \
  {                                                                                                \
    .domain = TERN_DOMAIN_ONNX, .name = op_name, .since = op_since,                                \
    .inplace_inputs = INPLACE_BOTH, TERN_INPUTS({"A", "T"}, {"B", "T"}),                           \
    TERN_OUTPUTS({"C", "T1"}),                                                                     \
    TERN_CONSTRAINTS({"T", {.tensor = (types)}}, {"T1", {.tensor = BOOL}}),                        \
    .infer = infer_comparison, __VA_ARGS__                                                         \
  }

static const tern_op ops[] = {
    UNARY("Abs", 13, "X", "Y", TERN_TYPES_NUMERIC, SINCE_1_6_13),
    UNARY("Acos", 22, "input", "output", TERN_TYPES_FLOAT_BF, TERN_VERSIONS({7}, {22})),
    UNARY("Acosh", 22, "input", "output", TERN_TYPES_FLOAT_BF, TERN_VERSIONS({9}, {22})),
    UNARY("Asin", 22, "input", "output", TERN_TYPES_FLOAT_BF, TERN_VERSIONS({7}, {22})),
    UNARY("Asinh", 22, "input", "output", TERN_TYPES_FLOAT_BF, TERN_VERSIONS({9}, {22})),
    UNARY("Atan", 22, "input", "output", TERN_TYPES_FLOAT_BF, TERN_VERSIONS({7}, {22})),
    UNARY("Atanh", 22, "input", "output", TERN_TYPES_FLOAT_BF, TERN_VERSIONS({9}, {22})),
    UNARY("BitwiseNot", 18, "X", "Y", TERN_TYPES_INT, .versions = NULL),
    UNARY("Ceil", 13, "X", "Y", TERN_TYPES_FLOAT_BF, SINCE_1_6_13),
    UNARY("Cos", 22, "input", "output", TERN_TYPES_FLOAT_BF, TERN_VERSIONS({7}, {22})),
    UNARY("Cosh", 22, "input", "output", TERN_TYPES_FLOAT_BF, TERN_VERSIONS({9}, {22})),
    UNARY("Erf", 13, "input", "output", TERN_TYPES_FLOAT_BF, TERN_VERSIONS({9}, {13})),
    UNARY("Exp", 13, "input", "output", TERN_TYPES_FLOAT_BF, SINCE_1_6_13),
    UNARY("Floor", 13, "X", "Y", TERN_TYPES_FLOAT_BF, SINCE_1_6_13),
    UNARY("Log", 13, "input", "output", TERN_TYPES_FLOAT_BF, SINCE_1_6_13),
    UNARY("Neg", 13, "X", "Y", TERN_TYPES_FLOAT_BF | TERN_TYPES_INT_SIGNED, SINCE_1_6_13),
    UNARY("Not", 1, "X", "Y", BOOL, .versions = NULL),
    UNARY("Reciprocal", 13, "X", "Y", TERN_TYPES_FLOAT_BF, SINCE_1_6_13),
    UNARY("Round", 22, "X", "Y", TERN_TYPES_FLOAT_BF, TERN_VERSIONS({11}, {22})),
    UNARY("Sigmoid", 13, "X", "Y", TERN_TYPES_FLOAT_BF, SINCE_1_6_13),
    UNARY("Sign", 13, "input", "output", TERN_TYPES_NUMERIC, TERN_VERSIONS({9}, {13})),
    UNARY("Sin", 22, "input", "output", TERN_TYPES_FLOAT_BF, TERN_VERSIONS({7}, {22})),
    UNARY("Sinh", 22, "input", "output", TERN_TYPES_FLOAT_BF, TERN_VERSIONS({9}, {22})),
    UNARY("Sqrt", 13, "X", "Y", TERN_TYPES_FLOAT_BF, SINCE_1_6_13),
    UNARY("Tan", 22, "input", "output", TERN_TYPES_FLOAT_BF, TERN_VERSIONS({7}, {22})),
    UNARY("Tanh", 13, "input", "output", TERN_TYPES_FLOAT_BF, SINCE_1_6_13),
    {.domain = TERN_DOMAIN_ONNX,
     .name = "IsInf",
     .since = 20,
     TERN_INPUTS({"X", "T1"}),
     TERN_OUTPUTS({"Y", "T2"}),
     TERN_CONSTRAINTS({"T1", {.tensor = TERN_TYPES_FLOAT_BF | TERN_TYPES_FLOAT8}},
                      {"T2", {.tensor = BOOL}}),
     TERN_ATTRS(TERN_ATTR_DEF_I("detect_negative", 1), TERN_ATTR_DEF_I("detect_positive", 1)),
     TERN_VERSIONS({10}, {20}),
     .infer = infer_bool},
    {.domain = TERN_DOMAIN_ONNX,
     .name = "IsNaN",
     .since = 20,
     TERN_INPUTS({"X", "T1"}),
     TERN_OUTPUTS({"Y", "T2"}),
     TERN_CONSTRAINTS({"T1", {.tensor = TERN_TYPES_FLOAT_BF | TERN_TYPES_FLOAT8}},
                      {"T2", {.tensor = BOOL}}),
     TERN_VERSIONS({9}, {13}, {20}),
     .infer = infer_bool},

    BINARY("Add", 14, "A", "B", "C", TERN_TYPES_NUMERIC, LEGACY_ARITHMETIC,
           .flags = TERN_OP_COMMUTATIVE, .infer_symints = follow_add),
    BINARY("Sub", 14, "A", "B", "C", TERN_TYPES_NUMERIC, LEGACY_ARITHMETIC,
           .infer_symints = follow_sub),
    BINARY("Mul", 14, "A", "B", "C", TERN_TYPES_NUMERIC, LEGACY_ARITHMETIC,
           .flags = TERN_OP_COMMUTATIVE, .infer_symints = follow_mul),
    BINARY("Div", 14, "A", "B", "C", TERN_TYPES_NUMERIC, LEGACY_ARITHMETIC,
           .infer_symints = follow_div),
    BINARY("Mod", 28, "A", "B", "C", TERN_TYPES_NUMERIC, TERN_ATTRS(TERN_ATTR_DEF_I("fmod", 0)),
           TERN_VERSIONS({10}, {13}, {28})),
    BINARY("BitShift", 28, "X", "Y", "Z", TERN_TYPES_INT,
           TERN_ATTRS(TERN_ATTR_REQUIRED("direction", TERN_ATTR_STRING)),
           TERN_VERSIONS({11}, {28})),
    BINARY("BitwiseAnd", 18, "A", "B", "C", TERN_TYPES_INT, .flags = TERN_OP_COMMUTATIVE),
    BINARY("BitwiseOr", 18, "A", "B", "C", TERN_TYPES_INT, .flags = TERN_OP_COMMUTATIVE),
    BINARY("BitwiseXor", 18, "A", "B", "C", TERN_TYPES_INT, .flags = TERN_OP_COMMUTATIVE),
    {.domain = TERN_DOMAIN_ONNX,
     .name = "StringConcat",
     .since = 20,
     TERN_INPUTS({"X", "T"}, {"Y", "T"}),
     TERN_OUTPUTS({"Z", "T"}),
     TERN_CONSTRAINTS({"T", {.tensor = STRING}}),
     .infer = tern_infer_broadcast},
    {.domain = TERN_DOMAIN_ONNX,
     .name = "Pow",
     .since = 15,
     .inplace_inputs = INPLACE_FIRST,
     TERN_INPUTS({"X", "T"}, {"Y", "T1"}),
     TERN_OUTPUTS({"Z", "T"}),
     TERN_CONSTRAINTS({"T",
                       {.tensor = TERN_TYPES_FLOAT_BF | TERN_DTYPE_BIT(TERN_INT32) |
                                  TERN_DTYPE_BIT(TERN_INT64)}},
                      {"T1", {.tensor = TERN_TYPES_NUMERIC}}),
     TERN_VERSIONS(TERN_VERSION_LEGACY_BROADCAST(1), {7}, {12}, {13}, {15}),
     .infer = tern_infer_broadcast},

    COMPARISON("And", 7, BOOL, .flags = TERN_OP_COMMUTATIVE,
               TERN_VERSIONS(TERN_VERSION_LEGACY_BROADCAST(1), {7})),
    COMPARISON("Or", 7, BOOL, .flags = TERN_OP_COMMUTATIVE,
               TERN_VERSIONS(TERN_VERSION_LEGACY_BROADCAST(1), {7})),
    COMPARISON("Xor", 7, BOOL, .flags = TERN_OP_COMMUTATIVE,
               TERN_VERSIONS(TERN_VERSION_LEGACY_BROADCAST(1), {7})),
    COMPARISON("Equal", 19, TERN_TYPES_NUMERIC | BOOL | STRING, .flags = TERN_OP_COMMUTATIVE,
               TERN_VERSIONS(TERN_VERSION_LEGACY_BROADCAST(1), {7}, {11}, {13}, {19})),
    COMPARISON("Greater", 13, TERN_TYPES_NUMERIC,
               TERN_VERSIONS(TERN_VERSION_LEGACY_BROADCAST(1), {7}, {9}, {13})),
    COMPARISON("Less", 13, TERN_TYPES_NUMERIC,
               TERN_VERSIONS(TERN_VERSION_LEGACY_BROADCAST(1), {7}, {9}, {13})),
    COMPARISON("GreaterOrEqual", 16, TERN_TYPES_NUMERIC, TERN_VERSIONS({12}, {16})),
    COMPARISON("LessOrEqual", 16, TERN_TYPES_NUMERIC, TERN_VERSIONS({12}, {16})),
};

const tern_op_family tern_ops_elementwise = {"elementwise", ops, TERN_COUNT_OF(ops)};
