// Kernels of the elementwise operators.
#include "providers/cpu/elementwise.h"

#include <string.h>

#include "compute/cast.h"
#include "providers/cpu/loops.h"

#define REAL (TERN_DTYPE_BIT(TERN_FLOAT) | TERN_DTYPE_BIT(TERN_DOUBLE))
#define NUMBERS (REAL | TERN_TYPES_INT)
#define BOOL TERN_DTYPE_BIT(TERN_BOOL)
#define STRING TERN_DTYPE_BIT(TERN_STRING)

// X(operator, operation, how much work an element is, types)
#define UNARY_KERNELS(X)                                                                           \
  X(Abs, ABS, FEW, NUMBERS)                                                                        \
  X(Acos, ACOS, MANY, REAL)                                                                        \
  X(Acosh, ACOSH, MANY, REAL)                                                                      \
  X(Asin, ASIN, MANY, REAL)                                                                        \
  X(Asinh, ASINH, MANY, REAL)                                                                      \
  X(Atan, ATAN, MANY, REAL)                                                                        \
  X(Atanh, ATANH, MANY, REAL)                                                                      \
  X(BitwiseNot, BITWISE_NOT, FEW, TERN_TYPES_INT)                                                  \
  X(Ceil, CEIL, FEW, REAL)                                                                         \
  X(Cos, COS, MANY, REAL)                                                                          \
  X(Cosh, COSH, MANY, REAL)                                                                        \
  X(Erf, ERF, MANY, REAL)                                                                          \
  X(Exp, EXP, MANY, REAL)                                                                          \
  X(Floor, FLOOR, FEW, REAL)                                                                       \
  X(Log, LOG, MANY, REAL)                                                                          \
  X(Neg, NEG, FEW, REAL | TERN_TYPES_INT_SIGNED)                                                   \
  X(Not, NOT, FEW, BOOL)                                                                           \
  X(Reciprocal, RECIPROCAL, FEW, REAL)                                                             \
  X(Round, ROUND, FEW, REAL)                                                                       \
  X(Sigmoid, SIGMOID, MANY, REAL)                                                                  \
  X(Sign, SIGN, FEW, NUMBERS)                                                                      \
  X(Sin, SIN, MANY, REAL)                                                                          \
  X(Sinh, SINH, MANY, REAL)                                                                        \
  X(Sqrt, SQRT, FEW, REAL)                                                                         \
  X(Tan, TAN, MANY, REAL)                                                                          \
  X(Tanh, TANH, MANY, REAL)

#define X(op_name, operation, operations, dtypes)                                                  \
  static tern_status *compute_##op_name(tern_invocation *invocation) {                             \
    return tern_cpu_unary(invocation,                                                              \
                          tern_unary_find(TERN_UNARY_##operation, invocation->inputs[0]->dtype),   \
                          TERN_OPERATIONS_##operations);                                           \
  }
UNARY_KERNELS(X)
#undef X

// X(operator, operation, types)
#define BINARY_KERNELS(X)                                                                          \
  X(Add, ADD, NUMBERS)                                                                             \
  X(Sub, SUB, NUMBERS)                                                                             \
  X(Mul, MUL, NUMBERS)                                                                             \
  X(And, AND, BOOL)                                                                                \
  X(Or, OR, BOOL)                                                                                  \
  X(Xor, XOR, BOOL)                                                                                \
  X(BitwiseAnd, BITWISE_AND, TERN_TYPES_INT)                                                       \
  X(BitwiseOr, BITWISE_OR, TERN_TYPES_INT)                                                         \
  X(BitwiseXor, BITWISE_XOR, TERN_TYPES_INT)                                                       \
  X(Greater, GREATER, NUMBERS)                                                                     \
  X(GreaterOrEqual, GREATER_OR_EQUAL, NUMBERS)                                                     \
  X(Less, LESS, NUMBERS)                                                                           \
  X(LessOrEqual, LESS_OR_EQUAL, NUMBERS)

static tern_status *run_binary(tern_invocation *invocation, tern_binary_op op) {
  return tern_cpu_binary(invocation, tern_binary_find(op, invocation->inputs[0]->dtype),
                         TERN_OPERATIONS_FEW);
}

#define X(op_name, operation, dtypes)                                                              \
  static tern_status *compute_##op_name(tern_invocation *invocation) {                             \
    return run_binary(invocation, TERN_BINARY_##operation);                                        \
  }
BINARY_KERNELS(X)
#undef X

static tern_status *check_divisor(const tern_invocation *invocation) {
  const tern_value *b = invocation->inputs[1];
  // Nothing is divided where the other operand is empty.
  if (tern_value_count(invocation->outputs[0]) == 0) return NULL;
  if (tern_integers_have_zero(b->dtype, b->data, tern_value_count(b)))
    return TERN_ERROR(TERN_INVALID_ARGUMENT, "integer division by zero");
  return NULL;
}

static tern_status *compute_Div(tern_invocation *invocation) {
  TERN_TRY(check_divisor(invocation));
  return run_binary(invocation, TERN_BINARY_DIV);
}

static tern_status *compute_Mod(tern_invocation *invocation) {
  TERN_TRY(check_divisor(invocation));
  return run_binary(invocation, tern_node_attr_i(invocation->node, "fmod") ? TERN_BINARY_FMOD
                                                                           : TERN_BINARY_MOD);
}

static tern_status *compute_Equal(tern_invocation *invocation) {
  if (invocation->inputs[0]->dtype == TERN_STRING) return tern_cpu_compute_string_equal(invocation);
  return run_binary(invocation, TERN_BINARY_EQUAL);
}

static tern_status *compute_BitShift(tern_invocation *invocation) {
  const char *direction = tern_node_attr_s(invocation->node, "direction");
  if (strcmp(direction, "LEFT") == 0) return run_binary(invocation, TERN_BINARY_SHIFT_LEFT);
  if (strcmp(direction, "RIGHT") == 0) return run_binary(invocation, TERN_BINARY_SHIFT_RIGHT);
  return TERN_ERROR(TERN_INVALID_ARGUMENT, "'direction' is '%s', not LEFT or RIGHT", direction);
}

// The element type that exponents must have for a base: pow.c.
static tern_dtype exponent_dtype(tern_dtype base, tern_dtype exponent) {
  const bool is_real = tern_dtype_get_info(exponent)->class == TERN_CLASS_F;
  if (base == TERN_FLOAT || base == TERN_DOUBLE) return base;
  return is_real ? TERN_DOUBLE : TERN_INT64;
}

static tern_status *compute_Pow(tern_invocation *invocation) {
  const tern_value *x = invocation->inputs[0], *exponents = invocation->inputs[1];
  const tern_dtype wanted = exponent_dtype(x->dtype, exponents->dtype);
  const tern_binary_fn fn = tern_pow_find(x->dtype, wanted == TERN_DOUBLE);
  if (!fn) return tern_cpu_no_loop(x->dtype);
  const void *e = exponents->data;
  if (exponents->dtype != wanted) {
    const int64_t count = tern_value_count(exponents);
    size_t bytes;
    void *converted;
    if (!tern_dtype_bytes(wanted, count, &bytes)) return tern_status_out_of_memory();
    TERN_TRY(tern_invocation_scratch(invocation, bytes, &converted));
    tern_cast(exponents->dtype, e, wanted, converted, count, &(tern_cast_options){0});
    e = converted;
  }
  tern_broadcast broadcast;
  TERN_TRY(tern_cpu_broadcast(invocation, 0, 2, &broadcast));
  const size_t size = tern_dtype_size(x->dtype);
  const tern_binary_loop loop = {fn, size, tern_dtype_size(wanted), size, TERN_OPERATIONS_MANY};
  tern_binary_run(invocation->parallel, &loop, &broadcast, x->data, e,
                  invocation->outputs[0]->data);
  return NULL;
}

// Narrow floats are widened piece by piece: their NaNs and infinities stay what they are.
enum { PIECE = 512 };
typedef struct test {
  bool is_nan, negative, positive;
} test;

static void test_elements(const test *t, tern_dtype dtype, const void *x, bool *y, int64_t count) {
  if (t->is_nan) {
    tern_is_nan(dtype, x, y, count);
  } else {
    tern_is_inf(dtype, x, t->negative, t->positive, y, count);
  }
}

static tern_status *run_test(tern_invocation *invocation, const test *t) {
  const tern_value *x = invocation->inputs[0];
  bool *y = invocation->outputs[0]->data;
  const int64_t count = tern_value_count(x);
  if (tern_dtype_get_info(x->dtype)->class == TERN_CLASS_F) {
    test_elements(t, x->dtype, x->data, y, count);
    return NULL;
  }
  float piece[PIECE];
  for (int64_t i = 0; i < count; i += PIECE) {
    const int64_t length = tern_min_i64(PIECE, count - i);
    tern_dtype_to_f32(x->dtype, (const char *)x->data + (size_t)i * tern_dtype_size(x->dtype),
                      length, piece);
    test_elements(t, TERN_FLOAT, piece, y + i, length);
  }
  return NULL;
}

static tern_status *compute_IsNaN(tern_invocation *invocation) {
  return run_test(invocation, &(test){.is_nan = true});
}
static tern_status *compute_IsInf(tern_invocation *invocation) {
  return run_test(invocation,
                  &(test){.negative = tern_node_attr_i(invocation->node, "detect_negative") != 0,
                          .positive = tern_node_attr_i(invocation->node, "detect_positive") != 0});
}

#define KERNEL(op_name, variable, dtypes)                                                          \
  {                                                                                                \
    .domain = TERN_DOMAIN_ONNX, .op = #op_name, TERN_CPU_TYPES({variable, dtypes}),                \
    .compute = compute_##op_name                                                                   \
  }
#define UNARY(op_name, operation, operations, dtypes) KERNEL(op_name, "T", dtypes),
#define BINARY(op_name, operation, dtypes) KERNEL(op_name, "T", dtypes),

static const tern_cpu_kernel kernels[] = {
    UNARY_KERNELS(UNARY) BINARY_KERNELS(BINARY) KERNEL(Div, "T", NUMBERS),
    KERNEL(Mod, "T", NUMBERS),
    KERNEL(Equal, "T", NUMBERS | BOOL | STRING),
    KERNEL(BitShift, "T", TERN_TYPES_INT),
    {.domain = TERN_DOMAIN_ONNX,
     .op = "Pow",
     TERN_CPU_TYPES({"T", REAL | TERN_DTYPE_BIT(TERN_INT32) | TERN_DTYPE_BIT(TERN_INT64)},
                    {"T1", NUMBERS}),
     .compute = compute_Pow},
    {.domain = TERN_DOMAIN_ONNX, .op = "IsNaN", .compute = compute_IsNaN},
    {.domain = TERN_DOMAIN_ONNX, .op = "IsInf", .compute = compute_IsInf},
    {.domain = TERN_DOMAIN_ONNX, .op = "StringConcat", .compute = tern_cpu_compute_string_concat},
};

const tern_cpu_family tern_cpu_elementwise = {"elementwise", kernels, TERN_COUNT_OF(kernels)};
