// Narrow floats run through float: a node that the CPU provider has no kernel for as typed, but
// would have with float in place of float16, bfloat16 or an 8-bit float, gets casts around it.
// Constants are widened here, once.
#include <string.h>

#include "graph/builder.h"
#include "providers/cpu/cpu.h"

static bool is_narrow(tern_dtype dtype) {
  return tern_dtype_get_info(dtype)->class == TERN_CLASS_B && dtype != TERN_FLOAT8E8M0;
}

static const tern_cpu_types *types_for(const tern_cpu_kernel *row, const char *variable) {
  for (const tern_cpu_types *t = row->types; t && t->variable; ++t) {
    if (strcmp(t->variable, variable) == 0) return t;
  }
  return NULL;
}

// Whether the kernel takes float where the node has `edge`, and does not take what it has.
static bool must_widen(const tern_cpu_kernel *row, const tern_formal *formal,
                       const tern_edge *edge) {
  if (!edge || !formal || edge->type.kind != TERN_KIND_TENSOR || !is_narrow(edge->type.dtype))
    return false;
  const tern_cpu_types *types = types_for(row, formal->type);
  return types && !tern_dtype_set_has(types->dtypes, edge->type.dtype) &&
         tern_dtype_set_has(types->dtypes, TERN_FLOAT);
}

static tern_edge *widen_constant(tern_builder *builder, tern_value *value) {
  tern_value *wide = NULL;
  if (builder->status) return NULL;
  builder->status = tern_value_align(value);
  if (builder->status) return NULL;
  builder->status = tern_value_create_tensor(builder->graph->model->value_allocator, TERN_FLOAT,
                                             &value->shape, &wide);
  if (builder->status) return NULL;
  tern_dtype_to_f32(value->dtype, value->data, tern_value_count(value), wide->data);
  return tern_build_constant(builder, wide);
}

static tern_edge *widen(tern_builder *builder, tern_edge *edge) {
  if (tern_edge_constant(edge)) return widen_constant(builder, edge->initializer);
  return TERN_BUILD(builder, "Cast", TERN_EDGES(edge),
                    TERN_ATTR_ARGS(tern_attr_i("to", TERN_FLOAT)));
}

// The same node over float. Inputs have been widened; outputs are narrowed again.
static tern_status *wrap(tern_node *node, const tern_cpu_kernel *row) {
  tern_edge *inline_inputs[16], **inputs = inline_inputs;
  tern_arena *arena = &node->graph->model->arena;
  if (node->input_count > (int32_t)TERN_COUNT_OF(inline_inputs))
    TERN_TRY(TERN_ARENA_ARRAY(arena, node->input_count, &inputs));
  tern_patch patch;
  tern_patch_init(&patch, node, node->name);
  for (int32_t i = 0; i < node->input_count; ++i) {
    const tern_formal *formal = tern_formal_at(node->op->inputs, i);
    inputs[i] = must_widen(row, formal, node->inputs[i]) ? widen(&patch.builder, node->inputs[i])
                                                         : node->inputs[i];
  }
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
  return tern_patch_apply(&patch);
}

static bool needs_wrapping(const tern_node *node, const tern_cpu_kernel **out_row) {
  const char *reason;
  if (node->op->flags & (TERN_OP_CONTROL_FLOW | TERN_OP_MOVES_BYTES)) return false;
  if (tern_cpu_find_kernel(node, &reason)) return false;
  const tern_cpu_kernel *row = *out_row = tern_cpu_find_row(node->op);
  if (!row || !row->types) return false;
  bool widens = false;
  for (int32_t i = 0; i < node->input_count; ++i)
    widens |= must_widen(row, tern_formal_at(node->op->inputs, i), node->inputs[i]);
  for (int32_t i = 0; i < node->output_count; ++i)
    widens |= must_widen(row, tern_formal_at(node->op->outputs, i), node->outputs[i]);
  return widens;
}

tern_status *tern_cpu_widen_narrow_floats(tern_node *node, bool *out_widened) {
  const tern_cpu_kernel *row;
  char where[TERN_NODE_TEXT_BYTES];
  *out_widened = needs_wrapping(node, &row);
  if (!*out_widened) return NULL;
  tern_node_describe(node, where, sizeof where);
  tern_status *status = wrap(node, row);
  return status ? tern_status_annotate(status, "widening %s", where) : NULL;
}
