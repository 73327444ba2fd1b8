// Elementary functions over float vectors. Polynomials on reduced arguments; the bound beside each
// name is on the distance from the exact value, in units of the last place, over every finite
// float, denormal results included. NaN, infinities and out-of-range arguments give what libm
// gives.
#ifndef TERN_COMPUTE_VECMATH_H_
#define TERN_COMPUTE_VECMATH_H_

#include "base/macros.h"

// X(name, bound in ulp): void tern_v<name>_f32(n, x, y) writes y[i] = f(x[i]) for i < n. x and y
// are equal or do not overlap. An element's value does not depend on its place in the vector.
//   exp, log, tanh, erf  as libm
//   sigmoid              1 / (1 + exp(-x))
#define TERN_VECMATH_F32(X)                                                                        \
  X(exp, 2)                                                                                        \
  X(log, 2)                                                                                        \
  X(tanh, 3)                                                                                       \
  X(sigmoid, 3)                                                                                    \
  X(erf, 3)

// Activations made of the above. Near where they cancel the error is bounded against |x|: at most
// 2^-22 * |x|.
//   gelu       x / 2 * (1 + erf(x / sqrt(2)))
//   gelu_tanh  x / 2 * (1 + tanh(sqrt(2 / pi) * (x + 0.044715 x^3)))
//   silu       x * sigmoid(x)
#define TERN_VECMATH_ACTIVATIONS_F32(X)                                                            \
  X(gelu, 0)                                                                                       \
  X(gelu_tanh, 0)                                                                                  \
  X(silu, 0)

#define TERN_VECMATH_DECLARE(NAME, ULP) void tern_v##NAME##_f32(size_t n, const float *x, float *y);
TERN_VECMATH_F32(TERN_VECMATH_DECLARE)
TERN_VECMATH_ACTIVATIONS_F32(TERN_VECMATH_DECLARE)
#undef TERN_VECMATH_DECLARE

#endif
