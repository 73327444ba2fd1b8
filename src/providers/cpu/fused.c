// Fused products: the epilogue that all share, and the kernel of matrix products.
#include "providers/cpu/fused.h"

#include <math.h>
#include <string.h>

#include "ops/fused.h"
#include "providers/cpu/product.h"

static const struct {
  const char *name;
  tern_activation activation;
} activations[] = {
    {"Relu", TERN_ACTIVATION_CLIP}, // to [0, infinity]
    {"LeakyRelu", TERN_ACTIVATION_LEAKY_RELU},
    {"Clip", TERN_ACTIVATION_CLIP},
    {"Sigmoid", TERN_ACTIVATION_SIGMOID},
    {"HardSigmoid", TERN_ACTIVATION_HARD_SIGMOID},
    {"HardSwish", TERN_ACTIVATION_HARD_SWISH},
    {"Swish", TERN_ACTIVATION_SWISH},
    {"Tanh", TERN_ACTIVATION_TANH},
    {"Elu", TERN_ACTIVATION_ELU},
    {"Gelu", TERN_ACTIVATION_GELU},
    {"Mish", TERN_ACTIVATION_MISH},
};

tern_status *tern_cpu_epilogue_prepare(const tern_node *node, tern_epilogue_f32 *out_epilogue) {
  tern_op_activation activation;
  TERN_TRY(tern_op_activation_read(node, &activation));
  *out_epilogue = (tern_epilogue_f32){.residual_last = tern_node_attr_i(node, "residual_last") != 0,
                                      .params = {activation.params[0], activation.params[1]}};
  for (size_t i = 0; activation.name[0] && i < TERN_COUNT_OF(activations); ++i) {
    if (strcmp(activations[i].name, activation.name) != 0) continue;
    const bool is_tanh =
        activations[i].activation == TERN_ACTIVATION_GELU && activation.params[0] != 0;
    out_epilogue->activation = tern_activation_find(
        is_tanh ? TERN_ACTIVATION_GELU_TANH : activations[i].activation, TERN_FLOAT);
  }
  if (strcmp(activation.name, "Relu") == 0)
    out_epilogue->params = (tern_activation_params){0, INFINITY};
  out_epilogue->is_clip =
      out_epilogue->activation &&
      out_epilogue->activation == tern_activation_find(TERN_ACTIVATION_CLIP, TERN_FLOAT);
  if (activation.name[0] && !out_epilogue->activation)
    return TERN_ERROR(TERN_NOT_IMPLEMENTED, "no kernel ends in %s", activation.name);
  return NULL;
}

tern_epilogue_f32 tern_cpu_epilogue_of(const tern_invocation *invocation,
                                       const tern_epilogue_f32 *prepared) {
  tern_epilogue_f32 epilogue = *prepared;
  if (invocation->input_count > 3 && invocation->inputs[3])
    epilogue.residual = invocation->inputs[3]->data;
  return epilogue;
}

// ---- Matrix products

// What a fused matrix product keeps.
typedef struct matmul_state {
  const float *packed_b; // NULL: B is read as it lies
  tern_epilogue_f32 epilogue;
} matmul_state;

// A constant B on its way to be packed: op(B) is B[k,n].
typedef struct matmul_weights {
  const tern_value *b;
  size_t k, n;
  bool transposed;
} matmul_weights;

static matmul_weights weights_of(const tern_node *node, const tern_value *b) {
  const bool transposed = tern_node_attr_i(node, "transB") != 0;
  return (matmul_weights){.b = b,
                          .k = (size_t)b->shape.dims[transposed ? 1 : 0],
                          .n = (size_t)b->shape.dims[transposed ? 0 : 1],
                          .transposed = transposed};
}

static tern_status *fill_packed(void *context, void *out_data) {
  const matmul_weights *w = context;
  tern_gemm_f32_pack_b(w->k, w->n, w->b->data, (size_t)w->b->shape.dims[1], w->transposed,
                       out_data);
  return NULL;
}

static tern_status *pack_b(const tern_prepare *prepare, matmul_state *state) {
  const tern_value *b = prepare->constants[1];
  if (prepare->disable_prepacking || !b || b->shape.rank != 2) return NULL;
  matmul_weights weights = weights_of(prepare->node, b);
  const void *packed;
  const tern_packing packing = {.layout = weights.transposed ? "gemm b transposed" : "gemm b",
                                .sources = &b,
                                .source_count = 1,
                                .bytes = tern_gemm_f32_pack_b_bytes(weights.k, weights.n),
                                .fill = fill_packed,
                                .context = &weights};
  if (packing.bytes == 0) return NULL;
  TERN_TRY(tern_prepare_packed(prepare, &packing, &packed));
  state->packed_b = packed;
  prepare->consumed[1] = true;
  return NULL;
}

static void release(void *state, tern_allocator *allocator) {
  if (state) TERN_DELETE(allocator, (matmul_state *)state);
}

static tern_status *prepare_matmul(const tern_prepare *prepare, void **out_state) {
  matmul_state *state;
  TERN_TRY(TERN_NEW(prepare->allocator, &state));
  tern_status *status = tern_cpu_epilogue_prepare(prepare->node, &state->epilogue);
  if (!status) status = pack_b(prepare, state);
  if (status) {
    release(state, prepare->allocator);
    return status;
  }
  *out_state = state;
  return NULL;
}

// All rows of A, whatever its rank, are one matrix: B has no batch.
static tern_status *compute_matmul(tern_invocation *invocation) {
  const matmul_state *state = invocation->state;
  const tern_value *a = invocation->inputs[0], *b = invocation->inputs[1];
  const tern_value *bias = invocation->input_count > 2 ? invocation->inputs[2] : NULL;
  const matmul_weights weights = weights_of(invocation->node, b);
  float *y = invocation->outputs[0]->data;
  tern_epilogue_f32 epilogue = tern_cpu_epilogue_of(invocation, &state->epilogue);
  tern_epilogue_f32_context context = {&epilogue, y};
  tern_gemm_f32_params params = {.m = (size_t)tern_value_count(invocation->outputs[0]) / weights.n,
                                 .n = weights.n,
                                 .k = weights.k,
                                 .alpha = 1,
                                 .a = a->data,
                                 .lda = weights.k,
                                 .b = b->data,
                                 .ldb = (size_t)b->shape.dims[1],
                                 .transpose_b = weights.transposed,
                                 .packed_b = state->packed_b,
                                 .bias_n = bias ? bias->data : NULL,
                                 .c = y,
                                 .ldc = weights.n};
  if (!tern_epilogue_f32_is_empty(&epilogue)) {
    params.finish = tern_epilogue_f32_finish;
    params.finish_context = &context;
  }
  return tern_cpu_product_f32(invocation, &(tern_gemm_f32_batch){.product = params, .count = 1});
}

static const tern_cpu_kernel kernels[] = {
    {.domain = TERN_DOMAIN_TERN,
     .op = "FusedMatMul",
     TERN_CPU_TYPES({"T", TERN_DTYPE_BIT(TERN_FLOAT)}),
     .prepare = prepare_matmul,
     .compute = compute_matmul,
     .release = release},
};

const tern_cpu_family tern_cpu_fused = {"fused", kernels, TERN_COUNT_OF(kernels)};
