// Kernels of recurrent layers: one product for the inputs of all steps, then step by step one
// product for the states of the whole batch and the cell for each entry.
#include "compute/rnn.h"

#include <string.h>

#include "compute/gemm.h"
#include "providers/cpu/cpu.h"

typedef enum layer_kind { LAYER_RNN, LAYER_GRU, LAYER_LSTM } layer_kind;

// A layer as its node and inputs describe it.
typedef struct layer {
  layer_kind kind;
  int64_t gates, sequence, batch, input, hidden, directions;
  bool batch_first, is_reverse, linear_before_reset;
  const int32_t *lengths; // by batch entry; NULL: all whole
  tern_rnn_cell cells[2];
} layer;

#define T float
#define NAME(x) f32_##x
#define GEMM(suffix) tern_gemm_f32##suffix
#define COMPUTE(x) x##_f32
#include "providers/cpu/rnn.inc"
#undef T
#undef NAME
#undef GEMM
#undef COMPUTE
#define T double
#define NAME(x) f64_##x
#define GEMM(suffix) tern_gemm_f64##suffix
#define COMPUTE(x) x##_f64
#include "providers/cpu/rnn.inc"

// The activation functions by their names in the standard, with the defaults of alpha and beta;
// `reads` says which of the two lists an entry takes from.
static const struct {
  const char *name;
  tern_rnn_function function;
  float alpha, beta;
  bool reads_alpha, reads_beta;
} functions[] = {
    {"sigmoid", TERN_RNN_SIGMOID, 0, 0, false, false},
    {"tanh", TERN_RNN_TANH, 0, 0, false, false},
    {"relu", TERN_RNN_RELU, 0, 0, false, false},
    {"affine", TERN_RNN_AFFINE, 1, 0, true, true},
    {"leakyrelu", TERN_RNN_LEAKY_RELU, 0.01f, 0, true, false},
    {"thresholdedrelu", TERN_RNN_THRESHOLDED_RELU, 1, 0, true, false},
    {"scaledtanh", TERN_RNN_SCALED_TANH, 1, 1, true, true},
    {"hardsigmoid", TERN_RNN_HARD_SIGMOID, 0.2f, 0.5f, true, true},
    {"elu", TERN_RNN_ELU, 1, 0, true, false},
    {"softsign", TERN_RNN_SOFTSIGN, 0, 0, false, false},
    {"softplus", TERN_RNN_SOFTPLUS, 0, 0, false, false},
};

// Names are matched without regard to case, as files write them both ways.
static bool same_name(const char *given, const char *name) {
  for (; *given && *name; ++given, ++name) {
    char c = *given >= 'A' && *given <= 'Z' ? (char)(*given - 'A' + 'a') : *given;
    if (c != *name) return false;
  }
  return *given == *name;
}

// The lists of alpha and beta, and how much of them is used up.
typedef struct parameters {
  const float *alpha, *beta;
  size_t alpha_count, beta_count, alpha_used, beta_used;
} parameters;

static tern_status *find_activation(const char *name, parameters *lists, tern_rnn_activation *out) {
  for (size_t i = 0; i < TERN_COUNT_OF(functions); ++i) {
    if (!same_name(name, functions[i].name)) continue;
    *out = (tern_rnn_activation){functions[i].function, functions[i].alpha, functions[i].beta};
    if (functions[i].reads_alpha && lists->alpha_used < lists->alpha_count)
      out->alpha = lists->alpha[lists->alpha_used++];
    if (functions[i].reads_beta && lists->beta_used < lists->beta_count)
      out->beta = lists->beta[lists->beta_used++];
    return NULL;
  }
  return TERN_ERROR(TERN_NOT_IMPLEMENTED, "there is no activation '%s'", name);
}

static tern_status *read_activations(const tern_node *node, layer *l) {
  static const char *const defaults[][3] = {[LAYER_RNN] = {"tanh"},
                                            [LAYER_GRU] = {"sigmoid", "tanh"},
                                            [LAYER_LSTM] = {"sigmoid", "tanh", "tanh"}};
  static const size_t needed[] = {[LAYER_RNN] = 1, [LAYER_GRU] = 2, [LAYER_LSTM] = 3};
  size_t count, each = needed[l->kind];
  parameters lists = {0};
  const tern_string *names = tern_node_attr_strings(node, "activations", &count);
  lists.alpha = tern_node_attr_floats(node, "activation_alpha", &lists.alpha_count);
  lists.beta = tern_node_attr_floats(node, "activation_beta", &lists.beta_count);
  if (count != 0 && count != each * (size_t)l->directions)
    return TERN_ERROR(TERN_INVALID_GRAPH, "there are %zu activations, %zu are needed", count,
                      each * (size_t)l->directions);
  for (size_t d = 0; d < (size_t)l->directions; ++d) {
    tern_rnn_activation *targets[3] = {&l->cells[d].f, &l->cells[d].g, &l->cells[d].h};
    for (size_t i = 0; i < each; ++i) {
      const char *name = count ? names[d * each + i].data : defaults[l->kind][i];
      TERN_TRY(find_activation(name, &lists, targets[i]));
    }
  }
  return NULL;
}

static tern_status *check_lengths(const tern_value *lengths, layer *l) {
  if (!lengths) return NULL;
  l->lengths = lengths->data;
  for (int64_t b = 0; b < l->batch; ++b) {
    if (l->lengths[b] < 0 || l->lengths[b] > l->sequence)
      return TERN_ERROR(TERN_INVALID_ARGUMENT, "sequence length %d is not within [0, %lld]",
                        l->lengths[b], (long long)l->sequence);
  }
  return NULL;
}

static tern_status *read_layer(const tern_invocation *invocation, layer_kind kind, int64_t gates,
                               layer *l) {
  const tern_node *node = invocation->node;
  const tern_shape *x = &invocation->inputs[0]->shape, *r = &invocation->inputs[2]->shape;
  *l = (layer){.kind = kind, .gates = gates, .directions = r->dims[0], .hidden = r->dims[2]};
  l->batch_first = tern_node_attr_i(node, "layout") != 0;
  l->sequence = x->dims[l->batch_first ? 1 : 0];
  l->batch = x->dims[l->batch_first ? 0 : 1];
  l->input = x->dims[2];
  l->is_reverse = strcmp(tern_node_attr_s(node, "direction"), "reverse") == 0;
  l->linear_before_reset = kind == LAYER_GRU && tern_node_attr_i(node, "linear_before_reset") != 0;
  for (int32_t d = 0; d < 2; ++d) {
    l->cells[d].hidden = (size_t)l->hidden;
    l->cells[d].clip = tern_node_attr_f(node, "clip");
    l->cells[d].input_forget = kind == LAYER_LSTM && tern_node_attr_i(node, "input_forget") != 0;
  }
  TERN_TRY(check_lengths(invocation->input_count > 4 ? invocation->inputs[4] : NULL, l));
  return read_activations(node, l);
}

static tern_status *compute(tern_invocation *invocation, layer_kind kind, int64_t gates) {
  layer l;
  TERN_TRY(read_layer(invocation, kind, gates, &l));
  return invocation->inputs[0]->dtype == TERN_FLOAT ? f32_run(invocation, &l)
                                                    : f64_run(invocation, &l);
}

static tern_status *compute_rnn(tern_invocation *invocation) {
  return compute(invocation, LAYER_RNN, 1);
}
static tern_status *compute_gru(tern_invocation *invocation) {
  return compute(invocation, LAYER_GRU, 3);
}
static tern_status *compute_lstm(tern_invocation *invocation) {
  return compute(invocation, LAYER_LSTM, 4);
}

#define REAL (TERN_DTYPE_BIT(TERN_FLOAT) | TERN_DTYPE_BIT(TERN_DOUBLE))

static const tern_cpu_kernel kernels[] = {
    {.domain = TERN_DOMAIN_ONNX, .op = "RNN", TERN_CPU_TYPES({"T", REAL}), .compute = compute_rnn},
    {.domain = TERN_DOMAIN_ONNX, .op = "GRU", TERN_CPU_TYPES({"T", REAL}), .compute = compute_gru},
    {.domain = TERN_DOMAIN_ONNX,
     .op = "LSTM",
     TERN_CPU_TYPES({"T", REAL}),
     .compute = compute_lstm},
};

const tern_cpu_family tern_cpu_rnn = {"rnn", kernels, TERN_COUNT_OF(kernels)};
