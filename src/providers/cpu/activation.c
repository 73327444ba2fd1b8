// Kernels of the activation functions.
#include "compute/activation.h"

#include <string.h>

#include "providers/cpu/loops.h"

#define REAL (TERN_DTYPE_BIT(TERN_FLOAT) | TERN_DTYPE_BIT(TERN_DOUBLE))

static tern_status *run(tern_invocation *invocation, tern_activation activation, const char *alpha,
                        const char *beta) {
  const tern_value *x = invocation->inputs[0];
  const tern_activation_params params = {
      .alpha = alpha ? tern_node_attr_f(invocation->node, alpha) : 0,
      .beta = beta ? tern_node_attr_f(invocation->node, beta) : 0};
  const tern_activation_fn fn = tern_activation_find(activation, x->dtype);
  if (!fn) return tern_cpu_no_loop(x->dtype);
  fn(x->data, invocation->outputs[0]->data, tern_value_count(x), &params);
  return NULL;
}

// X(operator, function, attributes that are alpha and beta, types)
#define KERNELS(X)                                                                                 \
  X(Relu, RELU, NULL, NULL, REAL | TERN_TYPES_INT_SIGNED)                                          \
  X(LeakyRelu, LEAKY_RELU, "alpha", NULL, REAL)                                                    \
  X(Elu, ELU, "alpha", NULL, REAL)                                                                 \
  X(Celu, CELU, "alpha", NULL, REAL)                                                               \
  X(Selu, SELU, "alpha", "gamma", REAL)                                                            \
  X(ThresholdedRelu, THRESHOLDED_RELU, "alpha", NULL, REAL)                                        \
  X(HardSigmoid, HARD_SIGMOID, "alpha", "beta", REAL)                                              \
  X(HardSwish, HARD_SWISH, NULL, NULL, REAL)                                                       \
  X(Mish, MISH, NULL, NULL, REAL)                                                                  \
  X(Softplus, SOFTPLUS, NULL, NULL, REAL)                                                          \
  X(Softsign, SOFTSIGN, NULL, NULL, REAL)                                                          \
  X(Shrink, SHRINK, "lambd", "bias", REAL | TERN_TYPES_INT)                                        \
  X(Swish, SWISH, "alpha", NULL, REAL)

#define X(op_name, function, alpha, beta, dtypes)                                                  \
  static tern_status *compute_##op_name(tern_invocation *invocation) {                             \
    return run(invocation, TERN_ACTIVATION_##function, alpha, beta);                               \
  }
KERNELS(X)
#undef X

static tern_status *compute_Gelu(tern_invocation *invocation) {
  const char *approximate = tern_node_attr_s(invocation->node, "approximate");
  if (strcmp(approximate, "none") == 0) return run(invocation, TERN_ACTIVATION_GELU, NULL, NULL);
  if (strcmp(approximate, "tanh") == 0)
    return run(invocation, TERN_ACTIVATION_GELU_TANH, NULL, NULL);
  return TERN_ERROR(TERN_INVALID_ARGUMENT, "'approximate' is '%s', not none or tanh", approximate);
}

static tern_status *compute_PRelu(tern_invocation *invocation) {
  return tern_cpu_binary(invocation, tern_prelu_find(invocation->inputs[0]->dtype));
}

#define KERNEL(op_name, dtypes)                                                                    \
  {                                                                                                \
    .domain = TERN_DOMAIN_ONNX, .op = #op_name, TERN_CPU_TYPES({"T", dtypes}),                     \
    .compute = compute_##op_name                                                                   \
  }
#define X(op_name, function, alpha, beta, dtypes) KERNEL(op_name, dtypes),

static const tern_cpu_kernel kernels[] = {
    KERNELS(X) KERNEL(Gelu, REAL),
    KERNEL(PRelu, REAL | TERN_DTYPE_BIT(TERN_INT32) | TERN_DTYPE_BIT(TERN_INT64) |
                      TERN_DTYPE_BIT(TERN_UINT32) | TERN_DTYPE_BIT(TERN_UINT64)),
};

const tern_cpu_family tern_cpu_activation = {"activation", kernels, TERN_COUNT_OF(kernels)};
