// Activations that exporters write as products of x and a gate: x sigmoid(a x) is Swish, and
// x min(1, max(0, x / 6 + 1 / 2)) is HardSwish.
#include <math.h>

#include "optimize/match.h"

// The one number that `edge` is in every run.
static bool read_number(const tern_edge *edge, double *out_number) {
  const tern_value *value = edge ? tern_edge_constant(edge) : NULL;
  _Alignas(8) unsigned char element[8];
  if (!value || tern_value_count(value) != 1) return false;
  if (!tern_dtype_set_has(TERN_TYPES_FLOAT_BF, value->dtype)) return false;
  memcpy(element, value->data, tern_dtype_size(value->dtype));
  *out_number = tern_dtype_read_f64(value->dtype, element, 0);
  return true;
}

// Whether `number`, of an edge of `dtype`, is what that type makes of 1/6.
static bool is_sixth(double number, tern_dtype dtype) {
  const bool is_narrow = tern_dtype_get_info(dtype)->class == TERN_CLASS_B;
  return fabs(number * 6 - 1) <= (is_narrow ? 0x1p-8 : 0x1p-23);
}

// The operand of a Mul or Add that is no constant, and the constant; the shape must be the
// operand's.
static tern_edge *scaled(const tern_edge *edge, const char *op, double *out_number) {
  const tern_node *node = edge->producer;
  if (!tern_match_op(node, op)) return NULL;
  for (int32_t i = 0; i < 2; ++i) {
    if (read_number(node->inputs[1 - i], out_number) &&
        node->inputs[1 - i]->type.shape.rank <= node->inputs[i]->type.shape.rank)
      return node->inputs[i];
  }
  return NULL;
}

// Whether `gate` is sigmoid(alpha x).
static bool is_sigmoid_gate(const tern_edge *gate, const tern_edge *x, double *out_alpha) {
  const tern_node *node = gate->producer;
  *out_alpha = 1;
  if (!tern_match_op(node, "Sigmoid")) return false;
  return node->inputs[0] == x || scaled(node->inputs[0], "Mul", out_alpha) == x;
}

// Whether `gate` is min(1, max(0, x / 6 + 1 / 2)).
static bool is_hard_gate(const tern_edge *gate, const tern_edge *x) {
  const tern_node *node = gate->producer;
  return tern_match_op(node, "HardSigmoid") && node->inputs[0] == x &&
         is_sixth((double)tern_node_attr_f(node, "alpha"), TERN_FLOAT) &&
         tern_node_attr_f(node, "beta") == 0.5f;
}

// Whether `gate` is min(6, max(0, x + 3)).
static bool is_clipped_gate(const tern_edge *gate, const tern_edge *x) {
  const tern_node *node = gate->producer;
  double lowest, highest, three;
  return tern_match_op(node, "Clip") && node->input_count == 3 &&
         read_number(node->inputs[1], &lowest) && lowest == 0 &&
         read_number(node->inputs[2], &highest) && highest == 6 &&
         scaled(node->inputs[0], "Add", &three) == x && three == 3;
}

static tern_status *replace(tern_pass_context *ctx, tern_node *node, tern_edge *x, const char *op,
                            double alpha) {
  tern_patch patch;
  tern_patch_init(&patch, node, node->name);
  const tern_attr attr = tern_attr_f("alpha", (float)alpha);
  tern_patch_replace(&patch, node->outputs[0],
                     TERN_BUILD(&patch.builder, op, TERN_EDGES(x), .attrs = &attr,
                                .attr_count = strcmp(op, "Swish") == 0));
  return tern_pass_apply(ctx, &patch);
}

// Mul(x, gate of x).
static tern_status *fuse_product(tern_pass_context *ctx, tern_node *node) {
  double alpha;
  for (int32_t i = 0; i < 2; ++i) {
    tern_edge *x = node->inputs[i], *gate = node->inputs[1 - i];
    if (!tern_match_read_once(gate)) continue;
    if (is_sigmoid_gate(gate, x, &alpha)) return replace(ctx, node, x, "Swish", alpha);
    if (is_hard_gate(gate, x)) return replace(ctx, node, x, "HardSwish", 0);
  }
  return NULL;
}

// The edge of which `node` gives a sixth, by a Div or a Mul; NULL: it gives something else.
static tern_edge *sixth_of(const tern_node *node) {
  double number;
  if (tern_match_op(node, "Div"))
    return read_number(node->inputs[1], &number) && number == 6 &&
                   tern_match_same_shape(node->inputs[0], node->outputs[0])
               ? node->inputs[0]
               : NULL;
  tern_edge *x = scaled(node->outputs[0], "Mul", &number);
  return x && is_sixth(number, x->type.dtype) ? x : NULL;
}

// The x of Mul(x, min(6, max(0, x + 3))); NULL: the edge is something else.
static tern_edge *match_clipped_product(const tern_edge *edge) {
  const tern_node *mul = edge->producer;
  if (!tern_match_op(mul, "Mul") || !tern_match_read_once(edge)) return NULL;
  for (int32_t i = 0; i < 2; ++i) {
    if (is_clipped_gate(mul->inputs[1 - i], mul->inputs[i])) return mul->inputs[i];
  }
  return NULL;
}

tern_status *tern_pass_fuse_gate(tern_pass_context *ctx, tern_node *node) {
  if (!tern_match_op(node, "Mul") && !tern_match_op(node, "Div")) return NULL;
  if (!tern_dtype_set_has(TERN_TYPES_FLOAT_BF, node->inputs[0]->type.dtype)) return NULL;
  const tern_edge *six_times = sixth_of(node);
  tern_edge *x = six_times ? match_clipped_product(six_times) : NULL;
  if (x) return replace(ctx, node, x, "HardSwish", 0);
  return tern_match_op(node, "Mul") ? fuse_product(ctx, node) : NULL;
}
