// Values that are known before any run and small: the sizes that reach a Reshape through a handful
// of nodes. They are computed by the kernels themselves, kept in `scratch` of their edges while the
// import lasts, and left behind as the edges' symints.
#include <string.h>

#include "graph/import_internal.h"

enum { MAX_INPUT_BYTES = 4096, MAX_INPUTS = 16, MAX_OUTPUTS = 4 };

static bool is_followed(tern_dtype dtype) {
  return dtype == TERN_INT32 || dtype == TERN_INT64 || dtype == TERN_BOOL;
}

static const tern_value *known_value(const tern_edge *edge) {
  const tern_value *value = tern_edge_constant(edge);
  if (!value) return edge->scratch;
  if (value->kind != TERN_KIND_TENSOR || value->dtype == TERN_STRING) return NULL;
  return value->data_bytes <= MAX_INPUT_BYTES ? value : NULL;
}

// Takes the reference.
static tern_status *keep(import_context *context, tern_edge *edge, tern_value *value) {
  tern_status *status = TERN_ARRAY_RESERVE_ONE(context->model->allocator, &context->known);
  if (status) {
    tern_value_release(value);
    return status;
  }
  context->known.data[context->known.count++] = edge;
  edge->scratch = value;
  return NULL;
}

void tern_import_forget_values(import_context *context) {
  for (size_t i = 0; i < context->known.count; ++i) {
    tern_value_release(context->known.data[i]->scratch);
    context->known.data[i]->scratch = NULL;
  }
  TERN_ARRAY_FREE(context->model->allocator, &context->known);
}

// What inference already follows completely needs no kernel.
static tern_status *keep_symints(import_context *context, tern_edge *edge) {
  const tern_shape *shape = &edge->type.shape;
  if (!edge->symints.items || edge->scratch || !is_followed(edge->type.dtype)) return NULL;
  int64_t count;
  if (!tern_shape_count(shape, &count) || count != edge->symints.count) return NULL;
  for (int32_t i = 0; i < count; ++i) {
    if (edge->symints.items[i].kind != TERN_SYMINT_NUMBER) return NULL;
  }
  tern_value *value;
  TERN_TRY(
      tern_value_create_tensor(context->model->value_allocator, edge->type.dtype, shape, &value));
  for (int32_t i = 0; i < count; ++i)
    tern_dtype_write_i64(edge->type.dtype, value->data, i, edge->symints.items[i].value);
  return keep(context, edge, value);
}

static bool can_evaluate(const tern_node *node) {
  if (node->op->flags & (TERN_OP_NONDETERMINISTIC | TERN_OP_CONTROL_FLOW)) return false;
  if (node->input_count == 0 || node->input_count > MAX_INPUTS) return false;
  if (node->output_count > MAX_OUTPUTS) return false;
  for (int32_t i = 0; i < node->input_count; ++i) {
    if (node->inputs[i] && !known_value(node->inputs[i])) return false;
  }
  bool is_wanted = false;
  for (int32_t i = 0; i < node->output_count; ++i) {
    const tern_edge *edge = node->outputs[i];
    if (!edge) continue;
    int64_t count;
    if (edge->type.kind != TERN_KIND_TENSOR || edge->type.dtype == TERN_STRING) return false;
    if (tern_shape_count(&edge->type.shape, &count) && count > TERN_SYMINTS_MAX) return false;
    is_wanted |= !edge->scratch;
  }
  return is_wanted;
}

static tern_status *set_symints(tern_edge *edge, const tern_value *value) {
  int32_t count = (int32_t)tern_value_count(value);
  tern_symint *items;
  TERN_TRY(TERN_ARENA_ARRAY(&edge->graph->model->arena, count, &items));
  for (int32_t i = 0; i < count; ++i)
    items[i] = (tern_symint){TERN_SYMINT_NUMBER, tern_dtype_read_i64(value->dtype, value->data, i)};
  edge->symints = (tern_symints){items, count};
  return NULL;
}

// Takes the reference.
static tern_status *keep_result(import_context *context, tern_edge *edge, tern_value *value) {
  tern_shape shape = edge->type.shape;
  bool fits = value->kind == TERN_KIND_TENSOR && value->dtype == edge->type.dtype &&
              tern_value_count(value) <= TERN_SYMINTS_MAX && !edge->scratch &&
              tern_shape_merge(&shape, &value->shape);
  if (!fits) {
    tern_value_release(value);
    return NULL;
  }
  edge->type.shape = shape;
  TERN_TRY(keep(context, edge, value));
  return is_followed(value->dtype) && value->shape.rank <= 1 ? set_symints(edge, value) : NULL;
}

static tern_status *evaluate(import_context *context, const tern_node *node) {
  const tern_evaluator *evaluator = context->options->evaluator;
  const tern_value *inputs[MAX_INPUTS];
  tern_value *outputs[MAX_OUTPUTS] = {0};
  for (int32_t i = 0; i < node->input_count; ++i)
    inputs[i] = node->inputs[i] ? known_value(node->inputs[i]) : NULL;
  tern_status *status = evaluator->evaluate(evaluator->self, node, inputs, outputs);
  if (status) {
    // Whatever is wrong shows when the node runs, if it ever does.
    if (tern_status_is_out_of_memory(status)) return status;
    tern_status_ignore(status);
    return NULL;
  }
  for (int32_t i = 0; i < node->output_count; ++i) {
    if (!outputs[i]) continue;
    if (status || !node->outputs[i])
      tern_value_release(outputs[i]);
    else
      status = keep_result(context, node->outputs[i], outputs[i]);
  }
  return status;
}

tern_status *tern_import_evaluate(import_context *context, tern_node *node) {
  if (!context->options->evaluator) return NULL;
  for (int32_t i = 0; i < node->output_count; ++i) {
    if (node->outputs[i]) TERN_TRY(keep_symints(context, node->outputs[i]));
  }
  return can_evaluate(node) ? evaluate(context, node) : NULL;
}
