// Attention and what stands around it.
#include "graph/infer.h"
#include "graph/upgrade.h"
#include "ops/attention.h"
#include "ops/loss.h"
#include "ops/ops.h"

static void set_dims4(tern_infer *infer, int32_t index, tern_dim a, tern_dim b, tern_dim c,
                      tern_dim d) {
  const tern_dim dims[] = {a, b, c, d};
  if (index < infer->output_count) tern_shape_set(&infer->output_types[index].shape, 4, dims);
}

static tern_status *infer_attention(tern_infer *infer) {
  const tern_shape *q = tern_infer_shape(infer, 0), *k = tern_infer_shape(infer, 1),
                   *v = tern_infer_shape(infer, 2);
  tern_op_attention s;
  if (tern_infer_has(infer, 4) != tern_infer_has(infer, 5))
    return TERN_ERROR(TERN_INVALID_GRAPH, "past_key and past_value are given together or not");
  if (!tern_shape_has_rank(q) || !tern_shape_has_rank(k) || !tern_shape_has_rank(v)) return NULL;
  TERN_TRY(tern_op_attention_read(infer->node, q, k, v, tern_infer_shape(infer, 4), &s));
  if (s.is_flat) {
    tern_infer_set_rank(infer, 0, 3);
    tern_dim *y = infer->output_types[0].shape.dims;
    y[0] = s.batch;
    y[1] = s.queries;
    if (s.value_size >= 0) y[2] = s.q_heads * s.value_size;
  } else {
    set_dims4(infer, 0, s.batch, s.q_heads, s.queries, s.value_size);
  }
  set_dims4(infer, 1, s.batch, s.kv_heads, s.total, s.size);
  set_dims4(infer, 2, s.batch, s.kv_heads, s.total, s.value_size);
  set_dims4(infer, 3, s.batch, s.q_heads, s.queries, s.total);
  return NULL;
}

// Two products of queries and keys.
static double flops_attention(const tern_node *node, const tern_type *const *inputs,
                              const tern_type *const *outputs) {
  (void)outputs;
  tern_op_attention s;
  const tern_shape *past = node->input_count > 4 && inputs[4] ? &inputs[4]->shape : NULL;
  tern_status *status = tern_op_attention_read(node, &inputs[0]->shape, &inputs[1]->shape,
                                               &inputs[2]->shape, past, &s);
  if (status) {
    tern_status_ignore(status);
    return 0.0;
  }
  return 2.0 * (double)s.batch * (double)s.q_heads * (double)s.queries * (double)s.total *
         (double)(s.size + s.value_size);
}

// cos and sin have half the numbers that are turned, for each place or, with position_ids, for each
// position.
static tern_status *infer_rotary(tern_infer *infer) {
  const tern_shape *x = tern_infer_shape(infer, 0);
  if (!tern_shape_has_rank(x)) return NULL;
  if (x->rank != 3 && x->rank != 4)
    return TERN_ERROR(TERN_INVALID_ARGUMENT, "an input of rank %d, 3 or 4 is needed", x->rank);
  if (x->rank == 3 && tern_node_attr_i(infer->node, "num_heads") < 1)
    return TERN_ERROR(TERN_INVALID_GRAPH, "an input of rank 3 needs num_heads");
  return tern_infer_same_as_input(infer);
}

#define REALS                                                                                      \
  { .tensor = TERN_TYPES_FLOAT_BF }
#define INT64                                                                                      \
  { .tensor = TERN_DTYPE_BIT(TERN_INT64) }

#define LOSS_ATTRS                                                                                 \
  TERN_ATTRS(TERN_ATTR_OPTIONAL("ignore_index", TERN_ATTR_INT),                                    \
             TERN_ATTR_DEF_S("reduction", "mean"))

static const tern_op ops[] = {
    {
        .domain = TERN_DOMAIN_ONNX,
        .name = "NegativeLogLikelihoodLoss",
        .since = 22,
        TERN_INPUTS({"input", "T"}, {"target", "Tind"}, {"weight", "T", TERN_FORMAL_OPTIONAL}),
        TERN_OUTPUTS({"loss", "T"}),
        TERN_CONSTRAINTS(
            {"T", REALS},
            {"Tind", {.tensor = TERN_DTYPE_BIT(TERN_INT32) | TERN_DTYPE_BIT(TERN_INT64)}}),
        LOSS_ATTRS,
        TERN_VERSIONS({12}, {13}, {22}),
        .infer = tern_ops_infer_loss,
        .body = tern_ops_body_log_likelihood,
    },
    {
        .domain = TERN_DOMAIN_ONNX,
        .name = "SoftmaxCrossEntropyLoss",
        .since = 13,
        TERN_INPUTS({"scores", "T"}, {"labels", "Tind"}, {"weights", "T", TERN_FORMAL_OPTIONAL}),
        TERN_OUTPUTS({"output", "T"}, {"log_prob", "T", TERN_FORMAL_OPTIONAL}),
        TERN_CONSTRAINTS(
            {"T", REALS},
            {"Tind", {.tensor = TERN_DTYPE_BIT(TERN_INT32) | TERN_DTYPE_BIT(TERN_INT64)}}),
        LOSS_ATTRS,
        TERN_VERSIONS({12}, {13}),
        .infer = tern_ops_infer_loss,
        .body = tern_ops_body_cross_entropy,
    },
    {
        .domain = TERN_DOMAIN_ONNX,
        .name = "Attention",
        .since = 25,
        TERN_INPUTS({"Q", "T1"}, {"K", "T1"}, {"V", "T2"}, {"attn_mask", "U", TERN_FORMAL_OPTIONAL},
                    {"past_key", "T1", TERN_FORMAL_OPTIONAL},
                    {"past_value", "T2", TERN_FORMAL_OPTIONAL},
                    {"nonpad_kv_seqlen", "tensor(int64)", TERN_FORMAL_OPTIONAL}),
        TERN_OUTPUTS({"Y", "T1"}, {"present_key", "T1", TERN_FORMAL_OPTIONAL},
                     {"present_value", "T2", TERN_FORMAL_OPTIONAL},
                     {"qk_matmul_output", "T1", TERN_FORMAL_OPTIONAL}),
        TERN_CONSTRAINTS({"T1", REALS}, {"T2", REALS},
                         {"U", {.tensor = TERN_TYPES_NUMERIC | TERN_DTYPE_BIT(TERN_BOOL)}},
                         {"tensor(int64)", INT64}),
        TERN_ATTRS(
            TERN_ATTR_DEF_I("is_causal", 0), TERN_ATTR_OPTIONAL("kv_num_heads", TERN_ATTR_INT),
            TERN_ATTR_DEF_I("left_window_size", -1),
            TERN_ATTR_OPTIONAL("q_num_heads", TERN_ATTR_INT),
            TERN_ATTR_DEF_I("qk_matmul_output_mode", 0), TERN_ATTR_DEF_I("right_window_size", -1),
            TERN_ATTR_OPTIONAL("scale", TERN_ATTR_FLOAT), TERN_ATTR_DEF_F("softcap", 0.0f),
            TERN_ATTR_OPTIONAL("softmax_precision", TERN_ATTR_INT)),
        TERN_VERSIONS({23}, {24}, {25}),
        .infer = infer_attention,
        .flops = flops_attention,
    },
    {
        .domain = TERN_DOMAIN_ONNX,
        .name = "RotaryEmbedding",
        .since = 23,
        TERN_INPUTS({"X", "T"}, {"cos_cache", "T"}, {"sin_cache", "T"},
                    {"position_ids", "M", TERN_FORMAL_OPTIONAL}),
        TERN_OUTPUTS({"Y", "T"}),
        TERN_CONSTRAINTS({"T",
                          {.tensor = TERN_DTYPE_BIT(TERN_FLOAT) | TERN_DTYPE_BIT(TERN_FLOAT16) |
                                     TERN_DTYPE_BIT(TERN_BFLOAT16)}},
                         {"M", INT64}),
        TERN_ATTRS(TERN_ATTR_DEF_I("interleaved", 0),
                   TERN_ATTR_OPTIONAL("num_heads", TERN_ATTR_INT),
                   TERN_ATTR_DEF_I("rotary_embedding_dim", 0)),
        .infer = infer_rotary,
    },
};

const tern_op_family tern_ops_nn = {"nn", ops, TERN_COUNT_OF(ops)};
