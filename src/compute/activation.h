// Activation functions on dense arrays. A loop may write over its operand.
#ifndef TERN_COMPUTE_ACTIVATION_H_
#define TERN_COMPUTE_ACTIVATION_H_

#include "compute/elementwise.h"

// The constants of a function; which, is said at each one.
typedef struct tern_activation_params {
  float alpha, beta;
} tern_activation_params;

// y[i] = f(x[i]) for i in [0, count).
typedef void (*tern_activation_fn)(const void *x, void *y, int64_t count,
                                   const tern_activation_params *params);

typedef enum tern_activation {
  TERN_ACTIVATION_RELU,             // max(x, 0); NaN stays
  TERN_ACTIVATION_LEAKY_RELU,       // x < 0 ? alpha x : x
  TERN_ACTIVATION_ELU,              // x < 0 ? alpha (e^x - 1) : x
  TERN_ACTIVATION_CELU,             // max(x, 0) + min(0, alpha (e^(x / alpha) - 1))
  TERN_ACTIVATION_SELU,             // beta (x > 0 ? x : alpha (e^x - 1))
  TERN_ACTIVATION_THRESHOLDED_RELU, // x > alpha ? x : 0
  TERN_ACTIVATION_HARD_SIGMOID,     // min(1, max(0, alpha x + beta))
  TERN_ACTIVATION_HARD_SWISH,       // x min(1, max(0, x / 6 + 1/2))
  TERN_ACTIVATION_GELU,             // x / 2 (1 + erf(x / sqrt(2)))
  TERN_ACTIVATION_GELU_TANH,        // x / 2 (1 + tanh(sqrt(2 / pi) (x + 0.044715 x^3)))
  TERN_ACTIVATION_MISH,             // x tanh(ln(1 + e^x))
  TERN_ACTIVATION_SOFTPLUS,         // ln(1 + e^x)
  TERN_ACTIVATION_SOFTSIGN,         // x / (1 + |x|)
  TERN_ACTIVATION_SHRINK,           // beyond [-alpha, alpha]: beta nearer to 0; within: 0
  TERN_ACTIVATION_SWISH,            // x / (1 + e^(-alpha x))
  TERN_ACTIVATION_CLIP,             // min(beta, max(alpha, x)); NaN stays
  TERN_ACTIVATION_SIGMOID,          // 1 / (1 + e^-x)
  TERN_ACTIVATION_TANH,             // tanh(x)
  TERN_ACTIVATION_COUNT
} tern_activation;

// NULL when the function has no loop for `dtype`: all have float and double, relu the signed
// integers too, shrink every integer.
tern_activation_fn tern_activation_find(tern_activation activation, tern_dtype dtype);

// y = x < 0 ? slope x : x, with the slope as b: float, double, and integers of 32 and 64 bits.
tern_binary_fn tern_prelu_find(tern_dtype dtype);

#endif
