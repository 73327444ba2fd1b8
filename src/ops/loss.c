// NegativeLogLikelihoodLoss and SoftmaxCrossEntropyLoss as functions of other operators.
#include "ops/loss.h"

#include <string.h>

static tern_edge *gather(tern_builder *b, const char *op, tern_edge *from, tern_edge *indices,
                         int64_t axis) {
  return TERN_BUILD(b, op, TERN_EDGES(from, indices), TERN_ATTR_ARGS(tern_attr_i("axis", axis)));
}

static tern_edge *reduce(tern_builder *b, const char *op, tern_edge *x) {
  return TERN_BUILD(b, op, TERN_EDGES(x), TERN_ATTR_ARGS(tern_attr_i("keepdims", 0)));
}

// The classes that count, [N, 1, d...], and the weight of each: NULL where all weigh 1.
typedef struct weighing {
  tern_edge *classes, *weights;
} weighing;

static weighing weigh(tern_builder *b, const tern_node *node, tern_edge *axis) {
  tern_edge *targets = node->inputs[1], *weights = NULL;
  tern_dtype dtype = node->inputs[0]->type.dtype;
  tern_edge *given = node->input_count > 2 ? node->inputs[2] : NULL;
  weighing result = {tern_build2(b, "Unsqueeze", targets, axis), NULL};
  if (!tern_node_has_attr(node, "ignore_index")) {
    if (given) result.weights = gather(b, "Gather", given, result.classes, 0);
    return result;
  }
  // An ignored class need not exist: class 0 is read in its place, and weighs nothing.
  tern_edge *ignored =
      tern_build_scalar(b, targets->type.dtype, (double)tern_node_attr_i(node, "ignore_index"));
  tern_edge *is_ignored = tern_build2(b, "Equal", result.classes, ignored);
  result.classes = TERN_BUILD(
      b, "Where",
      TERN_EDGES(is_ignored, tern_build_scalar(b, targets->type.dtype, 0.0), result.classes));
  weights =
      given ? gather(b, "Gather", given, result.classes, 0) : tern_build_scalar(b, dtype, 1.0);
  result.weights =
      TERN_BUILD(b, "Where", TERN_EDGES(is_ignored, tern_build_scalar(b, dtype, 0.0), weights));
  return result;
}

// The loss from logarithms of probabilities [N, C, d...].
static tern_edge *build_loss(tern_builder *b, const tern_node *node, tern_edge *logarithms) {
  static const int64_t one = 1;
  const char *reduction = tern_node_attr_s(node, "reduction");
  tern_edge *axis = tern_build_i64s(b, &one, 1);
  weighing w = weigh(b, node, axis);
  tern_edge *loss = tern_build1(b, "Neg", gather(b, "GatherElements", logarithms, w.classes, 1));
  if (w.weights) loss = tern_build2(b, "Mul", loss, w.weights);
  if (strcmp(reduction, "none") == 0) return tern_build2(b, "Squeeze", loss, axis);
  if (strcmp(reduction, "sum") == 0) return reduce(b, "ReduceSum", loss);
  if (!w.weights) return reduce(b, "ReduceMean", loss);
  return tern_build2(b, "Div", reduce(b, "ReduceSum", loss), reduce(b, "ReduceSum", w.weights));
}

tern_status *tern_ops_body_log_likelihood(tern_builder *b, const tern_node *node,
                                          tern_edge **outputs) {
  outputs[0] = build_loss(b, node, node->inputs[0]);
  return NULL;
}

tern_status *tern_ops_body_cross_entropy(tern_builder *b, const tern_node *node,
                                         tern_edge **outputs) {
  tern_edge *logarithms = TERN_BUILD(b, "LogSoftmax", TERN_EDGES(node->inputs[0]),
                                     TERN_ATTR_ARGS(tern_attr_i("axis", 1)));
  outputs[0] = build_loss(b, node, logarithms);
  if (node->output_count > 1) outputs[1] = logarithms;
  return NULL;
}

tern_status *tern_ops_infer_loss(tern_infer *infer) {
  const tern_shape *x = tern_infer_shape(infer, 0), *targets = tern_infer_shape(infer, 1);
  const char *reduction = tern_node_attr_s(infer->node, "reduction");
  if (strcmp(reduction, "none") != 0 && strcmp(reduction, "mean") != 0 &&
      strcmp(reduction, "sum") != 0)
    return TERN_ERROR(TERN_INVALID_GRAPH, "'reduction' is '%s'", reduction);
  if (infer->output_count > 1 && tern_shape_has_rank(x))
    tern_shape_copy(&infer->output_types[1].shape, x);
  if (strcmp(reduction, "none") != 0)
    infer->output_types[0].shape.rank = 0;
  else if (tern_shape_has_rank(targets))
    tern_shape_copy(&infer->output_types[0].shape, targets);
  if (!tern_shape_has_rank(x) || !tern_shape_has_rank(targets)) return NULL;
  bool fits = x->rank >= 2 && targets->rank == x->rank - 1;
  for (int32_t i = 0; fits && i < targets->rank; ++i) {
    tern_dim dim = targets->dims[i];
    fits = tern_dim_merge(&dim, x->dims[i == 0 ? 0 : i + 1]);
  }
  char a[TERN_SHAPE_TEXT_BYTES], b[TERN_SHAPE_TEXT_BYTES];
  return fits ? NULL
              : TERN_ERROR(TERN_INVALID_ARGUMENT, "scores %s and targets %s do not fit",
                           tern_shape_format(x, a, sizeof a),
                           tern_shape_format(targets, b, sizeof b));
}
