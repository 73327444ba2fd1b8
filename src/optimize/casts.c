// Casts that lowering inserted, on their way together: a cast to a narrow float in front of an
// operator that only moves elements does the same behind it, where it may meet the cast back.
#include <string.h>

#include "optimize/pass.h"

// The float that `edge` was narrowed from by a cast of Tern's own; NULL when it was not.
static tern_edge *narrowed_from(const tern_edge *edge) {
  const tern_node *cast = edge->producer;
  if (!cast || cast->original_version != 0 || strcmp(cast->op->name, "Cast") != 0) return NULL;
  if (tern_dtype_get_info(edge->type.dtype)->class != TERN_CLASS_B) return NULL;
  return cast->inputs[0]->type.dtype == TERN_FLOAT ? cast->inputs[0] : NULL;
}

static bool is_narrow(const tern_edge *edge) {
  return edge && edge->type.kind == TERN_KIND_TENSOR &&
         tern_dtype_get_info(edge->type.dtype)->class == TERN_CLASS_B;
}

// Every narrow input was narrowed from float by an inserted cast, and there is at least one.
static bool may_move_floats(const tern_node *node) {
  int32_t narrow = 0;
  if (!(node->op->flags & TERN_OP_MOVES_BYTES) || (node->op->flags & TERN_OP_CONTROL_FLOW))
    return false;
  for (int32_t i = 0; i < node->input_count; ++i) {
    if (!is_narrow(node->inputs[i])) continue;
    if (!narrowed_from(node->inputs[i])) return false;
    ++narrow;
  }
  for (int32_t i = 0; i < node->output_count; ++i) {
    if (node->outputs[i] && node->outputs[i]->type.kind != TERN_KIND_TENSOR) return false;
  }
  return narrow > 0;
}

tern_status *tern_pass_sink_cast(tern_pass_context *ctx, tern_node *node) {
  if (!may_move_floats(node)) return NULL;
  tern_edge **inputs;
  TERN_TRY(TERN_ARENA_ARRAY(&ctx->model->arena, node->input_count, &inputs));
  for (int32_t i = 0; i < node->input_count; ++i)
    inputs[i] = is_narrow(node->inputs[i]) ? narrowed_from(node->inputs[i]) : node->inputs[i];
  tern_patch patch;
  tern_patch_init(&patch, node, node->name);
  tern_node *wide = TERN_BUILD_NODE(
      &patch.builder, node->op->name, .domain = node->op->domain, .inputs = inputs,
      .input_count = node->input_count, .attrs = node->attrs,
      .attr_count = tern_op_attr_count(node->op), .output_count = node->output_count);
  for (int32_t i = 0; wide && i < node->output_count; ++i) {
    tern_edge *output = wide->outputs[i];
    if (!node->outputs[i]) continue;
    if (output->type.dtype != node->outputs[i]->type.dtype)
      output = TERN_BUILD(&patch.builder, "Cast", TERN_EDGES(output),
                          TERN_ATTR_ARGS(tern_attr_i("to", node->outputs[i]->type.dtype)));
    tern_patch_replace(&patch, node->outputs[i], output);
  }
  return tern_pass_apply(ctx, &patch);
}
