// Constant folding: what is the same in every run is computed once.
#include <string.h>

#include "optimize/pass.h"

enum { MAX_OUTPUTS = 16 };

static bool may_fold(const tern_node *node) {
  if (node->op->flags & (TERN_OP_NONDETERMINISTIC | TERN_OP_CONTROL_FLOW)) return false;
  if (node->output_count > MAX_OUTPUTS) return false;
  for (int32_t i = 0; i < node->output_count; ++i) {
    const tern_edge *output = node->outputs[i];
    // A graph output that is a constant would lose its producer, and with it its name. A constant
    // that is no tensor could not be saved.
    if (output && (output->output_uses > 0 || output->type.kind != TERN_KIND_TENSOR)) return false;
  }
  return true;
}

static size_t value_bytes(const tern_value *value) {
  size_t bytes = value->data_bytes;
  for (size_t i = 0; i < value->item_count; ++i) bytes += value_bytes(value->items[i]);
  return bytes;
}

// Whether folding `bytes` more would go beyond what the options allow.
static bool exceeds_limit(const tern_pass_context *ctx, size_t bytes) {
  size_t limit = ctx->options->folding_max_bytes;
  return bytes > limit || ctx->folded_bytes > limit - bytes;
}

// The bytes the outputs will take, as far as inference knows; so that nothing too large is computed
// only to be dropped.
static bool is_too_large(const tern_pass_context *ctx, const tern_node *node) {
  size_t total = 0, bytes;
  for (int32_t i = 0; i < node->output_count; ++i) {
    int64_t count;
    if (!node->outputs[i] || !tern_shape_count(&node->outputs[i]->type.shape, &count)) continue;
    if (!tern_dtype_bytes(node->outputs[i]->type.dtype, count, &bytes)) return true;
    if (__builtin_add_overflow(total, bytes, &total)) return true;
  }
  return exceeds_limit(ctx, total);
}

// Makes the outputs constants. Takes the references in `values`.
static tern_status *replace_outputs(tern_pass_context *ctx, tern_node *node, tern_value **values) {
  tern_patch patch;
  tern_patch_init(&patch, node, node->name);
  for (int32_t i = 0; i < node->output_count; ++i) {
    tern_value *value = values[i];
    if (!value) continue;
    ctx->folded_bytes += value_bytes(value);
    tern_edge *constant = tern_build_constant(&patch.builder, value);
    if (constant) tern_patch_replace(&patch, node->outputs[i], constant);
  }
  return tern_pass_apply(ctx, &patch);
}

static tern_status *fold_computed(tern_pass_context *ctx, tern_node *node) {
  const tern_value *inline_inputs[32], **inputs = inline_inputs;
  tern_value *values[MAX_OUTPUTS] = {0};
  if (node->input_count > (int32_t)TERN_COUNT_OF(inline_inputs)) return NULL;
  for (int32_t i = 0; i < node->input_count; ++i) {
    inputs[i] = node->inputs[i] ? tern_edge_constant(node->inputs[i]) : NULL;
    if (node->inputs[i] && !inputs[i]) return NULL;
  }
  if (is_too_large(ctx, node)) return NULL;
  const tern_evaluator *evaluator = ctx->options->evaluator;
  tern_status *status = evaluator->evaluate(evaluator->self, node, inputs, values);
  if (status) {
    // A node that fails here fails again when it runs, with its own message.
    if (tern_status_is_out_of_memory(status)) return status;
    tern_status_ignore(status);
    return NULL;
  }
  size_t total = 0;
  for (int32_t i = 0; i < node->output_count; ++i) total += values[i] ? value_bytes(values[i]) : 0;
  if (!exceeds_limit(ctx, total)) return replace_outputs(ctx, node, values);
  // Sizes that inference could not tell.
  for (int32_t i = 0; i < node->output_count; ++i) tern_value_release(values[i]);
  return NULL;
}

// An integer output whose elements inference already knows (Shape of a fixed shape, and what
// follows from it) although inputs are not constant.
static tern_status *fold_followed(tern_pass_context *ctx, tern_node *node, bool *out_folded) {
  tern_edge *edge = node->outputs[0];
  *out_folded = false;
  if (node->output_count != 1 || !edge || !edge->symints.items || edge->type.shape.rank < 0 ||
      edge->type.shape.rank > 1)
    return NULL;
  if (edge->type.dtype != TERN_INT64 && edge->type.dtype != TERN_INT32) return NULL;
  for (int32_t i = 0; i < edge->symints.count; ++i) {
    if (edge->symints.items[i].kind != TERN_SYMINT_NUMBER) return NULL;
  }
  tern_shape shape = {.rank = edge->type.shape.rank, .dims = {edge->symints.count}};
  if (shape.rank == 0 && edge->symints.count != 1) return NULL;
  tern_value *value;
  TERN_TRY(tern_value_create_tensor(ctx->model->value_allocator, edge->type.dtype, &shape, &value));
  for (int32_t i = 0; i < edge->symints.count; ++i)
    tern_dtype_write_i64(value->dtype, value->data, i, edge->symints.items[i].value);
  *out_folded = true;
  return replace_outputs(ctx, node, &value);
}

tern_status *tern_pass_fold_constants(tern_pass_context *ctx, tern_node *node) {
  bool folded;
  if (!ctx->options->evaluator || !may_fold(node)) return NULL;
  TERN_TRY(fold_followed(ctx, node, &folded));
  return folded ? NULL : fold_computed(ctx, node);
}
