// Operators that generate numbers: random ones, windows and filters for signals; Fourier transforms
// and determinants.
#include <string.h>

#include "graph/infer.h"
#include "graph/upgrade.h"
#include "ops/axes.h"
#include "ops/ops.h"

// The element type an attribute names, or `otherwise`.
static tern_status *set_dtype_attr(tern_infer *infer, const char *name, tern_dtype otherwise) {
  int64_t dtype = otherwise;
  if (tern_node_has_attr(infer->node, name)) dtype = tern_node_attr_i(infer->node, name);
  if (!tern_dtype_is_valid(dtype))
    return TERN_ERROR(TERN_INVALID_GRAPH, "'%s' is %lld", name, (long long)dtype);
  tern_ops_set_dtype(infer, 0, (tern_dtype)dtype);
  return NULL;
}

static tern_status *infer_random(tern_infer *infer) {
  size_t count;
  const int64_t *dims = tern_node_attr_ints(infer->node, "shape", &count);
  if (count > TERN_MAX_RANK) return TERN_ERROR(TERN_INVALID_GRAPH, "'shape' has %zu sizes", count);
  for (size_t i = 0; i < count; ++i) {
    if (dims[i] < 0)
      return TERN_ERROR(TERN_INVALID_GRAPH, "'shape' has the size %lld", (long long)dims[i]);
  }
  tern_shape_set(&infer->output_types[0].shape, (int32_t)count, dims);
  return set_dtype_attr(infer, "dtype", TERN_FLOAT);
}

static tern_status *infer_like(tern_infer *infer) {
  TERN_TRY(set_dtype_attr(infer, "dtype", tern_infer_type(infer, 0)->dtype));
  return tern_infer_same_as_input(infer);
}

static tern_status *infer_multinomial(tern_infer *infer) {
  const tern_shape *x = tern_infer_shape(infer, 0);
  int64_t samples = tern_node_attr_i(infer->node, "sample_size");
  if (samples < 0)
    return TERN_ERROR(TERN_INVALID_GRAPH, "'sample_size' is %lld", (long long)samples);
  TERN_TRY(set_dtype_attr(infer, "dtype", TERN_INT32));
  tern_infer_set_rank(infer, 0, 2);
  infer->output_types[0].shape.dims[1] = samples;
  if (!tern_shape_has_rank(x)) return NULL;
  if (x->rank != 2)
    return TERN_ERROR(TERN_INVALID_ARGUMENT, "an input of rank %d, 2 is needed", x->rank);
  infer->output_types[0].shape.dims[0] = x->dims[0];
  return NULL;
}

// A size that comes as input `index`, of which there is one.
static tern_status *read_size(const tern_infer *infer, int32_t index, tern_dim *out_size) {
  tern_symint items[TERN_SYMINTS_MAX];
  int32_t count;
  *out_size = TERN_DIM_UNKNOWN;
  if (!tern_infer_symints(infer, index, items, &count) || count != 1) return NULL;
  if (items[0].kind == TERN_SYMINT_NUMBER && items[0].value < 0)
    return TERN_ERROR(TERN_INVALID_ARGUMENT, "input %d is %lld", index, (long long)items[0].value);
  *out_size = tern_symint_to_dim(items[0]);
  return NULL;
}

static tern_status *infer_window(tern_infer *infer) {
  tern_infer_set_rank(infer, 0, 1);
  TERN_TRY(set_dtype_attr(infer, "output_datatype", TERN_FLOAT));
  return read_size(infer, 0, &infer->output_types[0].shape.dims[0]);
}

static tern_status *infer_mel(tern_infer *infer) {
  tern_dim bins, length;
  TERN_TRY(set_dtype_attr(infer, "output_datatype", TERN_FLOAT));
  TERN_TRY(read_size(infer, 0, &bins));
  TERN_TRY(read_size(infer, 1, &length));
  tern_infer_set_rank(infer, 0, 2);
  if (length >= 0) infer->output_types[0].shape.dims[0] = length / 2 + 1;
  infer->output_types[0].shape.dims[1] = bins;
  return NULL;
}

// How many places the result has along the axis: all, half of them (the others mirror them), or,
// from half of them, all.
static tern_dim transformed_length(const tern_node *node, tern_dim length) {
  if (tern_node_attr_i(node, "onesided") == 0 || length < 0) return length;
  return tern_node_attr_i(node, "inverse") != 0 ? length : length / 2 + 1;
}

static tern_status *infer_dft(tern_infer *infer) {
  const tern_shape *x = tern_infer_shape(infer, 0);
  int64_t given = -2;
  int32_t axis, count;
  if (!tern_shape_has_rank(x)) return NULL;
  if (x->rank < 2)
    return TERN_ERROR(TERN_INVALID_ARGUMENT, "an input of rank %d, 2 is needed", x->rank);
  tern_infer_set_rank(infer, 0, x->rank);
  if (tern_infer_has(infer, 2)) {
    if (!tern_infer_i64s(infer, 2, &given, 1, &count)) return NULL;
    if (count != 1) return TERN_ERROR(TERN_INVALID_ARGUMENT, "'axis' has %d values, not 1", count);
  }
  TERN_TRY(tern_infer_axis(given, x->rank, &axis));
  if (axis == x->rank - 1)
    return TERN_ERROR(TERN_INVALID_ARGUMENT, "axis %lld holds the parts of numbers",
                      (long long)given);
  bool onesided = tern_node_attr_i(infer->node, "onesided") != 0;
  bool inverse = tern_node_attr_i(infer->node, "inverse") != 0;
  tern_dim length = x->dims[axis];
  if (inverse && onesided && length >= 0) length = length > 0 ? 2 * (length - 1) : 0;
  if (tern_infer_has(infer, 1)) TERN_TRY(read_size(infer, 1, &length));
  tern_shape *y = &infer->output_types[0].shape;
  tern_shape_copy(y, x);
  y->dims[axis] = transformed_length(infer->node, length);
  y->dims[x->rank - 1] = inverse && onesided ? 1 : 2;
  return NULL;
}

// signal [batch, length, 1 or 2] gives [batch, frames, bins, 2].
static tern_status *infer_stft(tern_infer *infer) {
  const tern_shape *signal = tern_infer_shape(infer, 0), *window = tern_infer_shape(infer, 2);
  tern_dim step, length = TERN_DIM_UNKNOWN;
  if (!tern_shape_has_rank(signal)) return NULL;
  if (signal->rank != 3)
    return TERN_ERROR(TERN_INVALID_ARGUMENT, "a signal of rank %d, 3 is needed", signal->rank);
  TERN_TRY(read_size(infer, 1, &step));
  if (tern_infer_has(infer, 3))
    TERN_TRY(read_size(infer, 3, &length));
  else if (!window)
    length = signal->dims[1];
  else if (window->rank == 1)
    length = window->dims[0];
  if (step == 0 || length == 0)
    return TERN_ERROR(TERN_INVALID_ARGUMENT, "frames of %lld every %lld places", (long long)length,
                      (long long)step);
  tern_infer_set_rank(infer, 0, 4);
  tern_dim *y = infer->output_types[0].shape.dims;
  y[0] = signal->dims[0];
  if (signal->dims[1] >= 0 && step > 0 && length > 0) {
    if (length > signal->dims[1])
      return TERN_ERROR(TERN_INVALID_ARGUMENT, "frames of %lld in a signal of %lld",
                        (long long)length, (long long)signal->dims[1]);
    y[1] = 1 + (signal->dims[1] - length) / step;
  }
  y[2] = length < 0 || tern_node_attr_i(infer->node, "onesided") == 0 ? length : length / 2 + 1;
  y[3] = 2;
  return NULL;
}

static tern_status *infer_det(tern_infer *infer) {
  const tern_shape *x = tern_infer_shape(infer, 0);
  if (!tern_shape_has_rank(x)) return NULL;
  tern_dim size = x->rank > 1 ? x->dims[x->rank - 2] : 0;
  char text[TERN_SHAPE_TEXT_BYTES];
  if (x->rank < 2 || !tern_dim_merge(&size, x->dims[x->rank - 1]))
    return TERN_ERROR(TERN_INVALID_ARGUMENT, "%s holds no square matrices",
                      tern_shape_format(x, text, sizeof text));
  tern_shape_set(&infer->output_types[0].shape, x->rank - 2, x->dims);
  return NULL;
}

// Version 20 made the axis an input, counted from the end.
static tern_status *upgrade_dft_17(tern_draft *draft) {
  int64_t axis = tern_draft_attr_i(draft, "axis", 1);
  tern_draft_remove_attr(draft, "axis");
  return tern_draft_set_input(draft, 2, tern_build_i64(draft->builder, axis));
}

#define REALS                                                                                      \
  { .tensor = TERN_TYPES_FLOAT_BF }
#define INDEX                                                                                      \
  { .tensor = TERN_DTYPE_BIT(TERN_INT32) | TERN_DTYPE_BIT(TERN_INT64) }
#define SEED TERN_ATTR_OPTIONAL("seed", TERN_ATTR_FLOAT)
#define DTYPE TERN_ATTR_OPTIONAL("dtype", TERN_ATTR_INT)
#define NORMAL_ATTRS TERN_ATTR_DEF_F("mean", 0.0f), TERN_ATTR_DEF_F("scale", 1.0f), SEED
#define UNIFORM_ATTRS TERN_ATTR_DEF_F("high", 1.0f), TERN_ATTR_DEF_F("low", 0.0f), SEED
#define RANDOM(op_name, ...)                                                                       \
  {                                                                                                \
    .domain = TERN_DOMAIN_ONNX, .name = (op_name), .since = 22, .flags = TERN_OP_NONDETERMINISTIC, \
    TERN_OUTPUTS({"output", "T"}), TERN_CONSTRAINTS({"T", REALS}),                                 \
    TERN_ATTRS(TERN_ATTR_DEF_I("dtype", 1), TERN_ATTR_REQUIRED("shape", TERN_ATTR_INTS),           \
               __VA_ARGS__),                                                                       \
    TERN_VERSIONS({1}, {22}), .infer = infer_random                                                \
  }
#define RANDOM_LIKE(op_name, ...)                                                                  \
  {                                                                                                \
    .domain = TERN_DOMAIN_ONNX, .name = (op_name), .since = 22,                                    \
    .flags = TERN_OP_NONDETERMINISTIC | TERN_OP_READS_SHAPE, TERN_INPUTS({"input", "T1"}),         \
    TERN_OUTPUTS({"output", "T2"}),                                                                \
    TERN_CONSTRAINTS({"T1", {.tensor = TERN_TYPES_IR4}}, {"T2", REALS}),                           \
    TERN_ATTRS(DTYPE, __VA_ARGS__), TERN_VERSIONS({1}, {22}), .infer = infer_like                  \
  }
#define WINDOW(op_name)                                                                            \
  {                                                                                                \
    .domain = TERN_DOMAIN_ONNX, .name = (op_name), .since = 17, TERN_INPUTS({"size", "T1"}),       \
    TERN_OUTPUTS({"output", "T2"}),                                                                \
    TERN_CONSTRAINTS({"T1", INDEX}, {"T2", {.tensor = TERN_TYPES_NUMERIC}}),                       \
    TERN_ATTRS(TERN_ATTR_DEF_I("output_datatype", 1), TERN_ATTR_DEF_I("periodic", 1)),             \
    .shape_inputs = 1, .infer = infer_window                                                       \
  }

static const tern_op ops[] = {
    RANDOM("RandomNormal", NORMAL_ATTRS),
    RANDOM("RandomUniform", UNIFORM_ATTRS),
    RANDOM_LIKE("RandomNormalLike", NORMAL_ATTRS),
    RANDOM_LIKE("RandomUniformLike", UNIFORM_ATTRS),
    {
        .domain = TERN_DOMAIN_ONNX,
        .name = "Bernoulli",
        .since = 22,
        .flags = TERN_OP_NONDETERMINISTIC,
        TERN_INPUTS({"input", "T1"}),
        TERN_OUTPUTS({"output", "T2"}),
        TERN_CONSTRAINTS({"T1", REALS},
                         {"T2", {.tensor = TERN_TYPES_NUMERIC | TERN_DTYPE_BIT(TERN_BOOL)}}),
        TERN_ATTRS(DTYPE, SEED),
        TERN_VERSIONS({15}, {22}),
        .infer = infer_like,
    },
    {
        .domain = TERN_DOMAIN_ONNX,
        .name = "Multinomial",
        .since = 22,
        .flags = TERN_OP_NONDETERMINISTIC,
        TERN_INPUTS({"input", "T1"}),
        TERN_OUTPUTS({"output", "T2"}),
        TERN_CONSTRAINTS({"T1", REALS}, {"T2", INDEX}),
        TERN_ATTRS(TERN_ATTR_DEF_I("dtype", 6), TERN_ATTR_DEF_I("sample_size", 1), SEED),
        TERN_VERSIONS({7}, {22}),
        .infer = infer_multinomial,
    },
    WINDOW("BlackmanWindow"),
    WINDOW("HammingWindow"),
    WINDOW("HannWindow"),
    {
        .domain = TERN_DOMAIN_ONNX,
        .name = "MelWeightMatrix",
        .since = 17,
        TERN_INPUTS({"num_mel_bins", "T1"}, {"dft_length", "T1"}, {"sample_rate", "T1"},
                    {"lower_edge_hertz", "T2"}, {"upper_edge_hertz", "T2"}),
        TERN_OUTPUTS({"output", "T3"}),
        TERN_CONSTRAINTS({"T1", INDEX}, {"T2", REALS}, {"T3", {.tensor = TERN_TYPES_NUMERIC}}),
        TERN_ATTRS(TERN_ATTR_DEF_I("output_datatype", 1)),
        .shape_inputs = 3,
        .infer = infer_mel,
    },
    {
        .domain = TERN_DOMAIN_ONNX,
        .name = "DFT",
        .since = 20,
        TERN_INPUTS({"input", "T1"}, {"dft_length", "T2", TERN_FORMAL_OPTIONAL},
                    {"axis", "tensor(int64)", TERN_FORMAL_OPTIONAL}),
        TERN_OUTPUTS({"output", "T1"}),
        TERN_CONSTRAINTS({"T1", REALS}, {"T2", INDEX},
                         {"tensor(int64)", {.tensor = TERN_DTYPE_BIT(TERN_INT64)}}),
        TERN_ATTRS(TERN_ATTR_DEF_I("inverse", 0), TERN_ATTR_DEF_I("onesided", 0)),
        TERN_VERSIONS({17, upgrade_dft_17, "attribute axis becomes input 2"}, {20}),
        .shape_inputs = 6,
        .infer = infer_dft,
    },
    {
        .domain = TERN_DOMAIN_ONNX,
        .name = "STFT",
        .since = 17,
        TERN_INPUTS({"signal", "T1"}, {"frame_step", "T2"}, {"window", "T1", TERN_FORMAL_OPTIONAL},
                    {"frame_length", "T2", TERN_FORMAL_OPTIONAL}),
        TERN_OUTPUTS({"output", "T1"}),
        TERN_CONSTRAINTS({"T1", REALS}, {"T2", INDEX}),
        TERN_ATTRS(TERN_ATTR_DEF_I("onesided", 1)),
        .shape_inputs = 0xa,
        .infer = infer_stft,
    },
    {
        .domain = TERN_DOMAIN_ONNX,
        .name = "Det",
        .since = 22,
        TERN_INPUTS({"X", "T"}),
        TERN_OUTPUTS({"Y", "T"}),
        TERN_CONSTRAINTS({"T", REALS}),
        TERN_VERSIONS({11}, {22}),
        .infer = infer_det,
    },
};

const tern_op_family tern_ops_random = {"random", ops, TERN_COUNT_OF(ops)};
