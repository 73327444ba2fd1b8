// Products with what follows them become one operator, so that its kernel finishes each part of
// the result while it is in cache: Conv, MatMul and Gemm with bias, residual Add and activation.
#include "ops/conv.h"
#include "ops/fused.h"
#include "optimize/match.h"

// A product and what of it is fused: as the attributes and inputs of FusedConv and FusedMatMul.
typedef struct fusion {
  tern_node *node;  // the product's node as it is now
  const char *name; // of the fused operator
  tern_edge *inputs[4];
  tern_op_activation activation;
  bool residual_last, transposes_b;
} fusion;

enum { BIAS = 2, RESIDUAL = 3 };

static bool is_plain_gemm(const tern_node *node) {
  const tern_edge *c = tern_match_input(node, BIAS), *y = node->outputs[0];
  if (tern_node_attr_i(node, "transA") || tern_node_attr_f(node, "alpha") != 1.0f) return false;
  if (!c) return true;
  return tern_node_attr_f(node, "beta") == 1.0f && c->type.shape.rank == 1 &&
         c->type.shape.dims[0] > 0 && c->type.shape.dims[0] == y->type.shape.dims[1];
}

// Products whose weights are a constant matrix: what else MatMul multiplies may have a batch.
static bool is_weighted_matmul(const tern_node *node) {
  const tern_edge *a = node->inputs[0], *b = node->inputs[1];
  if (a->type.shape.rank < 2 || b->type.shape.rank != 2 || !tern_edge_constant(b)) return false;
  return tern_match_op(node, "MatMul") || (tern_match_op(node, "Gemm") && is_plain_gemm(node)) ||
         tern_match_internal(node, "FusedMatMul");
}

// The product that makes `y`, when nobody else reads it.
static bool match_product(const tern_edge *y, fusion *out) {
  tern_node *node = y->producer;
  if (!node || !tern_match_read_once(y) || !tern_match_is_float(y)) return false;
  *out = (fusion){.node = node, .activation.name = ""};
  const bool is_fused = strcmp(node->op->domain, TERN_DOMAIN_TERN) == 0;
  if (tern_match_op(node, "Conv") || tern_match_internal(node, "FusedConv"))
    out->name = "FusedConv";
  else if (node->input_count > 1 && is_weighted_matmul(node))
    out->name = "FusedMatMul";
  else
    return false;
  for (int32_t i = 0; i < 4; ++i) out->inputs[i] = tern_match_input(node, i);
  out->transposes_b = tern_node_attr_i(node, "transB") != 0;
  if (!is_fused) return true;
  out->residual_last = tern_node_attr_i(node, "residual_last") != 0;
  tern_status *status = tern_op_activation_read(node, &out->activation);
  if (!status) return true;
  tern_status_ignore(status);
  return false;
}

// One element for each column of a matrix product, the last axis of `y`.
static bool is_column_bias(const tern_edge *edge, const tern_edge *y) {
  const tern_shape *shape = &edge->type.shape;
  const tern_dim columns = y->type.shape.dims[y->type.shape.rank - 1];
  return shape->rank == 1 && columns > 0 && shape->dims[0] == columns;
}

// Takes the other operand of the Add that reads the product `y` into the fusion.
static bool absorb_operand(fusion *f, tern_edge *y, tern_edge *other) {
  if (f->inputs[RESIDUAL]) return false;
  if (strcmp(f->name, "FusedMatMul") == 0 && !f->inputs[BIAS] && !f->activation.name[0] &&
      is_column_bias(other, y)) {
    f->inputs[BIAS] = other;
    return true;
  }
  if (!tern_match_same_shape(y, other)) return false;
  f->inputs[RESIDUAL] = other;
  f->residual_last = f->activation.name[0] != 0;
  return true;
}

// "conv/FusedConv" goes on as "conv".
static tern_status *base_name(const fusion *f, const char **out_name) {
  const char *name = f->node->name;
  size_t size = strlen(name), tail = strlen(f->name) + 1;
  if (tern_match_internal(f->node, f->name) && size > tail) size -= tail;
  return tern_arena_copy_text(&f->node->graph->model->arena, name, size, out_name);
}

static tern_status *replace(tern_pass_context *ctx, tern_node *node, const fusion *f) {
  tern_attr attrs[16];
  int32_t count = 0, conv_attrs = strcmp(f->name, "FusedConv") == 0 ? TERN_OP_CONV_ATTR_COUNT : 0;
  for (; count < conv_attrs; ++count) attrs[count] = f->node->attrs[count];
  if (f->transposes_b) attrs[count++] = tern_attr_i("transB", 1);
  if (f->residual_last) attrs[count++] = tern_attr_i("residual_last", 1);
  tern_op_activation_attrs(&f->activation, &attrs[count]);
  count += 2;
  tern_patch patch;
  const char *name;
  TERN_TRY(base_name(f, &name));
  tern_patch_init(&patch, node, name);
  int32_t inputs = 4;
  while (!f->inputs[inputs - 1]) --inputs;
  tern_patch_replace(&patch, node->outputs[0],
                     TERN_BUILD(&patch.builder, f->name, .domain = TERN_DOMAIN_TERN,
                                .inputs = f->inputs, .input_count = inputs, .attrs = attrs,
                                .attr_count = count));
  return tern_pass_apply(ctx, &patch);
}

tern_status *tern_pass_fuse_activation(tern_pass_context *ctx, tern_node *node) {
  fusion f;
  tern_op_activation activation;
  if (!tern_op_activation_of(node, &activation)) return NULL;
  if (!match_product(node->inputs[0], &f) || f.activation.name[0]) return NULL;
  f.activation = activation;
  return replace(ctx, node, &f);
}

// With two products the second takes the first as its residual.
tern_status *tern_pass_fuse_addition(tern_pass_context *ctx, tern_node *node) {
  fusion f;
  if (node->input_count != 2 || !(tern_match_op(node, "Add") || tern_match_op(node, "Sum")))
    return NULL;
  for (int32_t i = 1; i >= 0; --i) {
    if (match_product(node->inputs[i], &f) &&
        absorb_operand(&f, node->inputs[i], node->inputs[1 - i]))
      return replace(ctx, node, &f);
  }
  return NULL;
}
