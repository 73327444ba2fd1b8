// Costs of steps.
#include "session/cost.h"

static bool are_known(const tern_type *const *types, int32_t count) {
  int64_t elements;
  for (int32_t i = 0; i < count; ++i) {
    if (!types[i] || types[i]->kind != TERN_KIND_TENSOR) continue;
    if (!tern_shape_count(&types[i]->shape, &elements)) return false;
  }
  return true;
}

static double total_elements(const tern_type *const *types, int32_t count) {
  double total = 0;
  for (int32_t i = 0; i < count; ++i) {
    int64_t elements;
    if (types[i] && types[i]->kind == TERN_KIND_TENSOR &&
        tern_shape_count(&types[i]->shape, &elements))
      total += (double)elements;
  }
  return total;
}

double tern_cost_flops(const tern_node *node, const tern_type *const *inputs,
                       const tern_type *const *outputs) {
  if (node->op->flags & (TERN_OP_VIEW | TERN_OP_CONTROL_FLOW)) return 0;
  if (!are_known(outputs, node->output_count)) return -1;
  if (!node->op->flops) return total_elements(outputs, node->output_count);
  return are_known(inputs, node->input_count) ? node->op->flops(node, inputs, outputs) : -1;
}

int64_t tern_cost_size(const tern_type *type) {
  int64_t elements;
  size_t bytes;
  if (!type || type->kind != TERN_KIND_TENSOR || !tern_shape_count(&type->shape, &elements) ||
      !tern_dtype_bytes(type->dtype, elements, &bytes))
    return 0;
  return (int64_t)bytes;
}

tern_cost_bytes tern_cost_traffic(const tern_node *node, const tern_type *const *inputs,
                                  const tern_type *const *outputs) {
  tern_cost_bytes bytes = {0, 0};
  if (node->op->flags & TERN_OP_CONTROL_FLOW) return bytes;
  int32_t first_read = node->op->flags & TERN_OP_READS_SHAPE ? 1 : 0;
  for (int32_t i = first_read; i < node->input_count; ++i) bytes.read += tern_cost_size(inputs[i]);
  for (int32_t i = 0; i < node->output_count; ++i) bytes.written += tern_cost_size(outputs[i]);
  return bytes;
}
