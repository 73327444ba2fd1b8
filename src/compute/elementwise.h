// Elementwise maths on dense arrays: one loop for each operation and element type, found in tables.
// A loop may write over its own operand when that operand advances as the output does. Integers
// wrap around; nothing here traps or is undefined, except integer division by zero, which
// callers rule out first.
#ifndef TERN_COMPUTE_ELEMENTWISE_H_
#define TERN_COMPUTE_ELEMENTWISE_H_

#include "compute/broadcast.h"
#include "compute/types.h"
#include "parallel/parallel.h"

// y[i] = f(x[i]) for i in [0, count).
typedef void (*tern_unary_fn)(const void *x, void *y, int64_t count);

// y[i] = f(a[i * a_step], b[i * b_step]); each step is 0 or 1.
typedef void (*tern_binary_fn)(const void *a, int64_t a_step, const void *b, int64_t b_step,
                               void *y, int64_t count);

// Functions of real numbers: X(enumerator, function of math.h or of elementwise.c). The second list
// has vector forms for float, vecmath.h.
#define TERN_X_UNARY_REAL_SCALAR(X)                                                                \
  X(ACOS, acos)                                                                                    \
  X(ACOSH, acosh)                                                                                  \
  X(ASIN, asin)                                                                                    \
  X(ASINH, asinh)                                                                                  \
  X(ATAN, atan)                                                                                    \
  X(ATANH, atanh)                                                                                  \
  X(CEIL, ceil)                                                                                    \
  X(COS, cos)                                                                                      \
  X(COSH, cosh)                                                                                    \
  X(FLOOR, floor)                                                                                  \
  X(RECIPROCAL, reciprocal)                                                                        \
  X(ROUND, rint) /* ties to even */                                                                \
  X(SIN, sin)                                                                                      \
  X(SINH, sinh)                                                                                    \
  X(SQRT, sqrt)                                                                                    \
  X(TAN, tan)
#define TERN_X_UNARY_REAL_VECTOR(X)                                                                \
  X(ERF, erf)                                                                                      \
  X(EXP, exp)                                                                                      \
  X(LOG, log)                                                                                      \
  X(SIGMOID, sigmoid)                                                                              \
  X(TANH, tanh)
#define TERN_X_UNARY_REAL(X) TERN_X_UNARY_REAL_SCALAR(X) TERN_X_UNARY_REAL_VECTOR(X)

typedef enum tern_unary_op {
#define X(enumerator, function) TERN_UNARY_##enumerator,
  TERN_X_UNARY_REAL(X)
#undef X
      TERN_UNARY_ABS,
  TERN_UNARY_NEG,
  TERN_UNARY_SIGN, // -1, 0, 1; NaN stays
  TERN_UNARY_NOT,  // of bools
  TERN_UNARY_BITWISE_NOT,
  TERN_UNARY_COUNT
} tern_unary_op;

// NULL when the operation has no loop for `dtype`.
tern_unary_fn tern_unary_find(tern_unary_op op, tern_dtype dtype);

// Arithmetic gives the operands' type, comparison and logic give bool. Min and max give NaN when
// either operand is NaN. A shift by the width or more leaves zeros, or copies of the sign.
typedef enum tern_binary_op {
  TERN_BINARY_ADD,
  TERN_BINARY_SUB,
  TERN_BINARY_MUL,
  TERN_BINARY_DIV,  // integers: towards zero
  TERN_BINARY_MOD,  // sign of the divisor: a - floor(a / b) * b
  TERN_BINARY_FMOD, // sign of the dividend: a - trunc(a / b) * b
  TERN_BINARY_MIN,
  TERN_BINARY_MAX,
  TERN_BINARY_EQUAL,
  TERN_BINARY_GREATER,
  TERN_BINARY_GREATER_OR_EQUAL,
  TERN_BINARY_LESS,
  TERN_BINARY_LESS_OR_EQUAL,
  TERN_BINARY_AND, // of bools, as the other two
  TERN_BINARY_OR,
  TERN_BINARY_XOR,
  TERN_BINARY_BITWISE_AND,
  TERN_BINARY_BITWISE_OR,
  TERN_BINARY_BITWISE_XOR,
  TERN_BINARY_SHIFT_LEFT,
  TERN_BINARY_SHIFT_RIGHT,
  TERN_BINARY_COUNT
} tern_binary_op;

// NULL when the operation has no loop for `dtype`.
tern_binary_fn tern_binary_find(tern_binary_op op, tern_dtype dtype);

// How much work one element of a loop is, for its cost on threads (tern_cost): nothing beside its
// bytes, or a function that is computed by polynomials and the like.
enum { TERN_OPERATIONS_FEW = 2, TERN_OPERATIONS_MANY = 32 };

// A loop over two operands, and the bytes of one element of each.
typedef struct tern_binary_loop {
  tern_binary_fn fn;
  size_t a_bytes, b_bytes, y_bytes;
  int32_t operations;
} tern_binary_loop;

// Runs it over every row of a broadcast of two inputs, on as many threads as pay.
void tern_binary_run(const tern_parallel *parallel, const tern_binary_loop *loop,
                     const tern_broadcast *broadcast, const void *a, const void *b, void *y);

// Whether any of `count` integers is 0. False for types that are no integers of whole bytes.
bool tern_integers_have_zero(tern_dtype dtype, const void *data, int64_t count);

// y[i] says whether x[i] is NaN, or an infinity of a sign asked for. Float or double.
void tern_is_nan(tern_dtype dtype, const void *x, bool *y, int64_t count);
void tern_is_inf(tern_dtype dtype, const void *x, bool negative, bool positive, bool *y,
                 int64_t count);

// y[i] = x[i] to the power e[i], for bases in float, double, int32 and int64; NULL for others. The
// exponents of floating-point bases have the base's type; those of integers are int64, or double
// with `is_real`. Integer powers wrap; what is no integer is cut towards zero, and what no int64
// holds becomes the smallest integer.
tern_binary_fn tern_pow_find(tern_dtype base, bool is_real);

#endif
