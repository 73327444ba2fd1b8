// Recurrent layers.
#include <string.h>

#include "graph/infer.h"
#include "graph/upgrade.h"
#include "ops/ops.h"

static tern_status *read_directions(const tern_node *node, tern_dim *out_count) {
  const char *direction = tern_node_attr_s(node, "direction");
  *out_count = 1;
  if (strcmp(direction, "forward") == 0 || strcmp(direction, "reverse") == 0) return NULL;
  *out_count = 2;
  if (strcmp(direction, "bidirectional") == 0) return NULL;
  return TERN_ERROR(TERN_INVALID_GRAPH, "'direction' is '%s'", direction);
}

static tern_status *expect_rank(const tern_infer *infer, int32_t index, int32_t rank) {
  const tern_shape *shape = tern_infer_shape(infer, index);
  if (!tern_shape_has_rank(shape) || shape->rank == rank) return NULL;
  return TERN_ERROR(TERN_INVALID_GRAPH, "input %d has rank %d, %d is needed", index, shape->rank,
                    rank);
}

static tern_status *expect_dim(const tern_infer *infer, int32_t index, int32_t axis,
                               tern_dim expected) {
  const tern_shape *shape = tern_infer_shape(infer, index);
  if (!tern_shape_has_rank(shape) || expected < 0 || shape->dims[axis] < 0 ||
      shape->dims[axis] == expected)
    return NULL;
  return TERN_ERROR(TERN_INVALID_ARGUMENT, "axis %d of input %d has size %lld, %lld is needed",
                    axis, index, (long long)shape->dims[axis], (long long)expected);
}

// The sizes of one layer, as far as the inputs tell.
typedef struct sizes {
  tern_dim sequence, batch, input, hidden, directions;
  bool batch_first; // layout 1
} sizes;

static tern_status *read_sizes(const tern_infer *infer, int64_t gates, sizes *s) {
  const tern_shape *x = tern_infer_shape(infer, 0), *r = tern_infer_shape(infer, 2);
  s->batch_first = tern_node_attr_i(infer->node, "layout") != 0;
  s->sequence = s->batch = s->input = s->hidden = TERN_DIM_UNKNOWN;
  TERN_TRY(read_directions(infer->node, &s->directions));
  for (int32_t i = 0; i < 3; ++i) TERN_TRY(expect_rank(infer, i, 3));
  if (tern_shape_has_rank(x)) {
    s->sequence = x->dims[s->batch_first ? 1 : 0];
    s->batch = x->dims[s->batch_first ? 0 : 1];
    s->input = x->dims[2];
  }
  if (tern_node_has_attr(infer->node, "hidden_size"))
    s->hidden = tern_node_attr_i(infer->node, "hidden_size");
  else if (tern_shape_has_rank(r))
    s->hidden = r->dims[2];
  if (s->hidden >= 0 && (s->hidden == 0 || s->hidden > INT32_MAX))
    return TERN_ERROR(TERN_INVALID_GRAPH, "'hidden_size' is %lld", (long long)s->hidden);
  tern_dim rows = s->hidden < 0 ? TERN_DIM_UNKNOWN : s->hidden * gates;
  for (int32_t i = 1; i < 3; ++i) {
    TERN_TRY(expect_dim(infer, i, 0, s->directions));
    TERN_TRY(expect_dim(infer, i, 1, rows));
  }
  TERN_TRY(expect_dim(infer, 1, 2, s->input));
  return expect_dim(infer, 2, 2, s->hidden);
}

// Bias, lengths and initial states, as far as they are given.
static tern_status *check_optional(const tern_infer *infer, int64_t gates, const sizes *s) {
  tern_dim twice = s->hidden < 0 ? TERN_DIM_UNKNOWN : 2 * gates * s->hidden;
  TERN_TRY(expect_rank(infer, 3, 2));
  TERN_TRY(expect_dim(infer, 3, 0, s->directions));
  TERN_TRY(expect_dim(infer, 3, 1, twice));
  TERN_TRY(expect_rank(infer, 4, 1));
  TERN_TRY(expect_dim(infer, 4, 0, s->batch));
  for (int32_t i = 5; i < 7; ++i) {
    TERN_TRY(expect_rank(infer, i, 3));
    TERN_TRY(expect_dim(infer, i, s->batch_first ? 1 : 0, s->directions));
    TERN_TRY(expect_dim(infer, i, s->batch_first ? 0 : 1, s->batch));
    TERN_TRY(expect_dim(infer, i, 2, s->hidden));
  }
  TERN_TRY(expect_rank(infer, 7, 2));
  TERN_TRY(expect_dim(infer, 7, 0, s->directions));
  return expect_dim(infer, 7, 1, s->hidden < 0 ? TERN_DIM_UNKNOWN : 3 * s->hidden);
}

static tern_status *infer_gates(tern_infer *infer, int64_t gates) {
  sizes s;
  TERN_TRY(read_sizes(infer, gates, &s));
  TERN_TRY(check_optional(infer, gates, &s));
  const tern_dim y[2][4] = {{s.sequence, s.directions, s.batch, s.hidden},
                            {s.batch, s.sequence, s.directions, s.hidden}};
  const tern_dim h[2][3] = {{s.directions, s.batch, s.hidden}, {s.batch, s.directions, s.hidden}};
  for (int32_t i = 0; i < infer->output_count; ++i) {
    tern_shape *shape = &infer->output_types[i].shape;
    if (i == 0)
      tern_shape_set(shape, 4, y[s.batch_first]);
    else
      tern_shape_set(shape, 3, h[s.batch_first]);
  }
  return NULL;
}

static tern_status *infer_rnn(tern_infer *infer) {
  return infer_gates(infer, 1);
}
static tern_status *infer_gru(tern_infer *infer) {
  return infer_gates(infer, 3);
}
static tern_status *infer_lstm(tern_infer *infer) {
  return infer_gates(infer, 4);
}

// Opset 1 could leave Y out; now an omitted output says so.
static tern_status *upgrade_1(tern_draft *draft) {
  tern_draft_remove_attr(draft, "output_sequence");
  return NULL;
}
#define NOTE_1 "`output_sequence` is dropped: Y is made when it is read"

// Products with W over every step, and with R.
static double flops_rnn(const tern_node *node, const tern_type *const *inputs,
                        const tern_type *const *outputs) {
  (void)node;
  (void)outputs;
  int64_t w, r;
  const tern_shape *x = &inputs[0]->shape;
  if (!tern_shape_count(&inputs[1]->shape, &w) || !tern_shape_count(&inputs[2]->shape, &r) ||
      x->rank != 3 || x->dims[0] < 0 || x->dims[1] < 0)
    return 0.0;
  return 2.0 * (double)(w + r) * (double)x->dims[0] * (double)x->dims[1];
}

#define RNN_INPUTS                                                                                 \
  {"X", "T"}, {"W", "T"}, {"R", "T"}, {"B", "T", TERN_FORMAL_OPTIONAL},                            \
      {"sequence_lens", "T1", TERN_FORMAL_OPTIONAL}, {                                             \
    "initial_h", "T", TERN_FORMAL_OPTIONAL                                                         \
  }
#define RNN_OUTPUTS                                                                                \
  {"Y", "T", TERN_FORMAL_OPTIONAL}, {                                                              \
    "Y_h", "T", TERN_FORMAL_OPTIONAL                                                               \
  }
#define RNN_CONSTRAINTS                                                                            \
  TERN_CONSTRAINTS({"T", {.tensor = TERN_TYPES_FLOAT_BF}},                                         \
                   {"T1", {.tensor = TERN_DTYPE_BIT(TERN_INT32)}})
#define RNN_ATTRS                                                                                  \
  TERN_ATTR_OPTIONAL("activation_alpha", TERN_ATTR_FLOATS),                                        \
      TERN_ATTR_OPTIONAL("activation_beta", TERN_ATTR_FLOATS),                                     \
      TERN_ATTR_OPTIONAL("activations", TERN_ATTR_STRINGS),                                        \
      TERN_ATTR_OPTIONAL("clip", TERN_ATTR_FLOAT), TERN_ATTR_DEF_S("direction", "forward"),        \
      TERN_ATTR_OPTIONAL("hidden_size", TERN_ATTR_INT), TERN_ATTR_DEF_I("layout", 0)

static const tern_op ops[] = {
    {
        .domain = TERN_DOMAIN_ONNX,
        .name = "RNN",
        .since = 22,
        TERN_INPUTS(RNN_INPUTS),
        TERN_OUTPUTS(RNN_OUTPUTS),
        RNN_CONSTRAINTS,
        TERN_ATTRS(RNN_ATTRS),
        TERN_VERSIONS({1, upgrade_1, NOTE_1}, {7}, {14}, {22}),
        .infer = infer_rnn,
        .flops = flops_rnn,
    },
    {
        .domain = TERN_DOMAIN_ONNX,
        .name = "GRU",
        .since = 22,
        TERN_INPUTS(RNN_INPUTS),
        TERN_OUTPUTS(RNN_OUTPUTS),
        RNN_CONSTRAINTS,
        TERN_ATTRS(RNN_ATTRS, TERN_ATTR_DEF_I("linear_before_reset", 0)),
        TERN_VERSIONS({1, upgrade_1, NOTE_1}, {3, upgrade_1, NOTE_1}, {7}, {14}, {22}),
        .infer = infer_gru,
        .flops = flops_rnn,
    },
    {
        .domain = TERN_DOMAIN_ONNX,
        .name = "LSTM",
        .since = 22,
        TERN_INPUTS(RNN_INPUTS, {"initial_c", "T", TERN_FORMAL_OPTIONAL},
                    {"P", "T", TERN_FORMAL_OPTIONAL}),
        TERN_OUTPUTS(RNN_OUTPUTS, {"Y_c", "T", TERN_FORMAL_OPTIONAL}),
        RNN_CONSTRAINTS,
        TERN_ATTRS(RNN_ATTRS, TERN_ATTR_DEF_I("input_forget", 0)),
        TERN_VERSIONS({1, upgrade_1, NOTE_1}, {7}, {14}, {22}),
        .infer = infer_lstm,
        .flops = flops_rnn,
    },
};

const tern_op_family tern_ops_rnn = {"rnn", ops, TERN_COUNT_OF(ops)};
