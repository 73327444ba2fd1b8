// Kernels of the activation functions.
#include "compute/activation.h"

#include <string.h>

#include "providers/cpu/loops.h"

#define REAL (TERN_DTYPE_BIT(TERN_FLOAT) | TERN_DTYPE_BIT(TERN_DOUBLE))

typedef struct activation_run {
  tern_activation_fn fn;
  tern_activation_params params;
  const char *x;
  char *y;
  size_t element_bytes;
} activation_run;

static void run_block(void *context, int64_t begin, int64_t end) {
  const activation_run *run = context;
  const size_t at = (size_t)begin * run->element_bytes;
  run->fn(run->x + at, run->y + at, end - begin, &run->params);
}

static tern_status *run(tern_invocation *invocation, tern_activation activation, const char *alpha,
                        const char *beta, int32_t operations) {
  const tern_value *x = invocation->inputs[0];
  activation_run job = {.fn = tern_activation_find(activation, x->dtype),
                        .params = {.alpha = alpha ? tern_node_attr_f(invocation->node, alpha) : 0,
                                   .beta = beta ? tern_node_attr_f(invocation->node, beta) : 0},
                        .x = x->data,
                        .y = invocation->outputs[0]->data,
                        .element_bytes = tern_dtype_size(x->dtype)};
  if (!job.fn) return tern_cpu_no_loop(x->dtype);
  tern_parallel_for_blocks(invocation->parallel, tern_value_count(x), TERN_CPU_BLOCK,
                           tern_cost(operations, 2.0 * (double)job.element_bytes), run_block, &job);
  return NULL;
}

// X(operator, function, attributes that are alpha and beta, how much work an element is, types)
#define KERNELS(X)                                                                                 \
  X(Relu, RELU, NULL, NULL, FEW, REAL | TERN_TYPES_INT_SIGNED)                                     \
  X(LeakyRelu, LEAKY_RELU, "alpha", NULL, FEW, REAL)                                               \
  X(Elu, ELU, "alpha", NULL, MANY, REAL)                                                           \
  X(Celu, CELU, "alpha", NULL, MANY, REAL)                                                         \
  X(Selu, SELU, "alpha", "gamma", MANY, REAL)                                                      \
  X(ThresholdedRelu, THRESHOLDED_RELU, "alpha", NULL, FEW, REAL)                                   \
  X(HardSigmoid, HARD_SIGMOID, "alpha", "beta", FEW, REAL)                                         \
  X(HardSwish, HARD_SWISH, NULL, NULL, FEW, REAL)                                                  \
  X(Mish, MISH, NULL, NULL, MANY, REAL)                                                            \
  X(Softplus, SOFTPLUS, NULL, NULL, MANY, REAL)                                                    \
  X(Softsign, SOFTSIGN, NULL, NULL, FEW, REAL)                                                     \
  X(Shrink, SHRINK, "lambd", "bias", FEW, REAL | TERN_TYPES_INT)                                   \
  X(Swish, SWISH, "alpha", NULL, MANY, REAL)

#define X(op_name, function, alpha, beta, operations, dtypes)                                      \
  static tern_status *compute_##op_name(tern_invocation *invocation) {                             \
    return run(invocation, TERN_ACTIVATION_##function, alpha, beta, TERN_OPERATIONS_##operations); \
  }
KERNELS(X)
#undef X

static tern_status *compute_Gelu(tern_invocation *invocation) {
  const char *approximate = tern_node_attr_s(invocation->node, "approximate");
  if (strcmp(approximate, "none") == 0)
    return run(invocation, TERN_ACTIVATION_GELU, NULL, NULL, TERN_OPERATIONS_MANY);
  if (strcmp(approximate, "tanh") == 0)
    return run(invocation, TERN_ACTIVATION_GELU_TANH, NULL, NULL, TERN_OPERATIONS_MANY);
  return TERN_ERROR(TERN_INVALID_ARGUMENT, "'approximate' is '%s', not none or tanh", approximate);
}

static tern_status *compute_PRelu(tern_invocation *invocation) {
  return tern_cpu_binary(invocation, tern_prelu_find(invocation->inputs[0]->dtype),
                         TERN_OPERATIONS_FEW);
}

#define KERNEL(op_name, dtypes)                                                                    \
  {                                                                                                \
    .domain = TERN_DOMAIN_ONNX, .op = #op_name, TERN_CPU_TYPES({"T", dtypes}),                     \
    .compute = compute_##op_name                                                                   \
  }
#define X(op_name, function, alpha, beta, operations, dtypes) KERNEL(op_name, dtypes),

static const tern_cpu_kernel kernels[] = {
    KERNELS(X) KERNEL(Gelu, REAL),
    KERNEL(PRelu, REAL | TERN_DTYPE_BIT(TERN_INT32) | TERN_DTYPE_BIT(TERN_INT64) |
                      TERN_DTYPE_BIT(TERN_UINT32) | TERN_DTYPE_BIT(TERN_UINT64)),
};

const tern_cpu_family tern_cpu_activation = {"activation", kernels, TERN_COUNT_OF(kernels)};
