// Calling kernels.
#include "session/invoke.h"

#include <string.h>

void tern_scratch_init(tern_allocator *allocator, tern_scratch *out_scratch) {
  *out_scratch = (tern_scratch){.allocator = allocator};
}

void tern_scratch_clear(tern_scratch *scratch) {
  for (size_t i = 0; i < scratch->pieces.count; ++i)
    tern_allocator_free(scratch->allocator, scratch->pieces.data[i].data,
                        scratch->pieces.data[i].bytes);
  scratch->pieces.count = 0;
  scratch->held = 0;
}

void tern_scratch_deinit(tern_scratch *scratch) {
  tern_scratch_clear(scratch);
  TERN_ARRAY_FREE(scratch->allocator, &scratch->pieces);
}

static tern_status *resize_piece(tern_scratch *scratch, tern_scratch_piece *piece, size_t bytes) {
  tern_allocator_free(scratch->allocator, piece->data, piece->bytes);
  scratch->held -= piece->bytes;
  *piece = (tern_scratch_piece){0};
  TERN_TRY(tern_allocator_alloc(scratch->allocator, bytes, &piece->data));
  piece->bytes = bytes;
  scratch->held += bytes;
  return NULL;
}

tern_status *tern_scratch_get(tern_scratch *scratch, size_t bytes, void **out_data) {
  *out_data = NULL;
  if (bytes == 0) return NULL;
  tern_scratch_piece *best = NULL;
  for (size_t i = 0; i < scratch->pieces.count; ++i) {
    tern_scratch_piece *piece = &scratch->pieces.data[i];
    if (piece->in_use) continue;
    bool fits = piece->bytes >= bytes, best_fits = best && best->bytes >= bytes;
    if (!best || (fits && (!best_fits || piece->bytes < best->bytes)) ||
        (!fits && !best_fits && piece->bytes > best->bytes))
      best = piece;
  }
  if (!best) {
    tern_scratch_piece none = {0};
    TERN_ARRAY_PUSH(scratch->allocator, &scratch->pieces, none);
    best = &scratch->pieces.data[scratch->pieces.count - 1];
  }
  if (best->bytes < bytes) TERN_TRY(resize_piece(scratch, best, bytes));
  best->in_use = true;
  scratch->in_use += bytes;
  if (scratch->needed < scratch->in_use) scratch->needed = scratch->in_use;
  *out_data = best->data;
  return NULL;
}

void tern_scratch_reset(tern_scratch *scratch) {
  for (size_t i = 0; i < scratch->pieces.count; ++i) scratch->pieces.data[i].in_use = false;
  scratch->in_use = 0;
}

static tern_status *allocate(void *self, int32_t output, tern_dtype dtype, const tern_shape *shape,
                             tern_value **out_value) {
  tern_invoke *invoke = self;
  *out_value = NULL;
  if (output >= invoke->node->output_count || !invoke->node->outputs[output]) return NULL;
  bool is_elsewhere = invoke->lane && tern_placement_output_space(invoke->placement, output);
  if (!invoke->outputs[output] && is_elsewhere)
    TERN_TRY(tern_lane_create_tensor(invoke->lane, invoke->allocator, dtype, shape,
                                     &invoke->outputs[output]));
  else if (!invoke->outputs[output] && invoke->make_output)
    TERN_TRY(invoke->make_output(invoke->self, output, dtype, shape, &invoke->outputs[output]));
  else if (!invoke->outputs[output])
    TERN_TRY(tern_value_create_tensor(invoke->allocator, dtype, shape, &invoke->outputs[output]));
  tern_value *value = invoke->outputs[output];
  if (value->dtype != dtype || !tern_shape_equal(&value->shape, shape)) {
    char given[TERN_SHAPE_TEXT_BYTES], made[TERN_SHAPE_TEXT_BYTES];
    return TERN_ERROR(TERN_INVALID_ARGUMENT,
                      "the caller's memory for output %d has shape %s, the result has %s", output,
                      tern_shape_format(&value->shape, given, sizeof given),
                      tern_shape_format(shape, made, sizeof made));
  }
  *out_value = value;
  return NULL;
}

static tern_status *set_output(void *self, int32_t output, tern_value *value) {
  tern_invoke *invoke = self;
  if (output >= invoke->node->output_count || !invoke->node->outputs[output]) return NULL;
  tern_value *shared;
  TERN_TRY(tern_value_share(invoke->allocator, value, &shared));
  tern_value_release(invoke->outputs[output]);
  invoke->outputs[output] = shared;
  return NULL;
}

static tern_status *scratch(void *self, size_t bytes, void **out_data) {
  tern_invoke *invoke = self;
  return tern_scratch_get(invoke->scratch, bytes, out_data);
}

static tern_status *run_subgraph(void *self, const char *attr, tern_value *const *inputs,
                                 int32_t input_count, tern_value **inout_values,
                                 int32_t output_count) {
  tern_invoke *invoke = self;
  if (!invoke->run_subgraph)
    return TERN_ERROR(TERN_NOT_IMPLEMENTED, "control flow needs a run to belong to");
  return invoke->run_subgraph(invoke->self, attr, inputs, input_count, inout_values, output_count);
}

static bool is_terminated(void *self) {
  tern_invoke *invoke = self;
  return invoke->is_terminated && invoke->is_terminated(invoke->self);
}

static const tern_invocation_services services = {.allocate = allocate,
                                                  .set_output = set_output,
                                                  .scratch = scratch,
                                                  .run_subgraph = run_subgraph,
                                                  .is_terminated = is_terminated};

// "node 'x' (Conv) on float[1,3,?] int64[2]": what a failing kernel was given.
static tern_status *annotate(const tern_invoke *invoke, tern_status *status) {
  char where[TERN_NODE_TEXT_BYTES], shape[TERN_SHAPE_TEXT_BYTES];
  tern_text text;
  tern_text_init(tern_allocator_system(), &text);
  for (int32_t i = 0; i < invoke->node->input_count; ++i) {
    const tern_value *value = invoke->inputs[i];
    if (!value)
      tern_text_printf(&text, " -");
    else if (value->kind != TERN_KIND_TENSOR)
      tern_text_printf(&text, " (no tensor)");
    else
      tern_text_printf(&text, " %s%s", tern_dtype_name(value->dtype),
                       tern_shape_format(&value->shape, shape, sizeof shape));
  }
  status =
      tern_status_annotate(status, "%s on%s", tern_node_describe(invoke->node, where, sizeof where),
                           text.data ? text.data : " no inputs");
  tern_text_deinit(&text);
  return status;
}

// Whether every output is a tensor that is there already and holds nothing: then there is nothing
// to compute, and a kernel that walks the other axes could take forever over it.
static bool has_nothing_to_write(const tern_invoke *invoke) {
  for (int32_t i = 0; i < invoke->node->output_count; ++i) {
    const tern_value *value = invoke->outputs[i];
    if (!invoke->node->outputs[i]) continue;
    if (!value || value->kind != TERN_KIND_TENSOR || tern_value_count(value) > 0) return false;
  }
  return true;
}

// A run that was asked to stop is no failure of whoever stopped.
static tern_status *compute(tern_invoke *invoke, tern_invocation *invocation) {
  tern_lane *lane = invoke->lane;
  if (lane) lane->has_work = true;
  tern_status *status = invoke->kernel->compute(invocation);
  if (!status || !lane || is_terminated(invoke)) return status;
  return tern_failure_note(lane->failure, lane->provider, "compute", invoke->node, status);
}

tern_status *tern_invoke_kernel(tern_invoke *invoke) {
  if (has_nothing_to_write(invoke)) return NULL;
  tern_invocation invocation = {.node = invoke->node,
                                .state = invoke->kernel->state,
                                .inputs = invoke->inputs,
                                .input_count = invoke->node->input_count,
                                .outputs = invoke->outputs,
                                .output_count = invoke->node->output_count,
                                .allocator = invoke->allocator,
                                .stream = invoke->lane ? invoke->lane->stream : NULL,
                                .parallel = invoke->parallel,
                                .services = &services,
                                .services_self = invoke};
  tern_status *status = compute(invoke, &invocation);
  // Work that was stopped is not finished.
  if (!status && is_terminated(invoke))
    status = TERN_ERROR(TERN_FAIL, "the run was asked to stop and stopped inside this node");
  tern_scratch_reset(invoke->scratch);
  for (int32_t i = 0; !status && i < invoke->node->output_count; ++i) {
    if (invoke->node->outputs[i] && !invoke->outputs[i])
      status = TERN_ERROR(TERN_FAIL, "the kernel gave no output %d", i);
  }
  return status ? annotate(invoke, status) : NULL;
}

// Tensors for the outputs whose shapes inference gives; the kernel makes the others.
static tern_status *make_outputs(const tern_node *node, const tern_value *const *inputs,
                                 tern_type *types, size_t max_bytes, tern_allocator *allocator,
                                 tern_value **out_values) {
  const tern_type **input_types =
      (const tern_type **)(types + node->input_count + node->output_count);
  for (int32_t i = 0; i < node->input_count; ++i) {
    if (inputs[i]) tern_value_get_type(inputs[i], &types[i]);
    input_types[i] = inputs[i] ? &types[i] : NULL;
  }
  tern_type *output_types = types + node->input_count;
  TERN_TRY(tern_infer_run(node, input_types, inputs, output_types));
  size_t total = 0;
  for (int32_t i = 0; i < node->output_count; ++i) {
    const tern_type *type = &output_types[i];
    int64_t count;
    size_t bytes;
    if (!node->outputs[i] || type->kind != TERN_KIND_TENSOR) continue;
    if ((node->op->flags & TERN_OP_DATA_DEPENDENT) && !tern_shape_is_known(&type->shape)) continue;
    if (!tern_shape_count(&type->shape, &count) || !tern_dtype_bytes(type->dtype, count, &bytes) ||
        bytes > max_bytes - total)
      return TERN_ERROR(TERN_FAIL, "the result is larger than the limit of %zu bytes", max_bytes);
    total += bytes;
    TERN_TRY(tern_value_create_tensor(allocator, type->dtype, &type->shape, &out_values[i]));
  }
  return NULL;
}

tern_status *tern_evaluate_node(const tern_node *node, const tern_kernel *kernel,
                                const tern_value *const *inputs, size_t max_bytes,
                                tern_allocator *allocator, tern_value **out_values) {
  if (node->op->flags & TERN_OP_CONTROL_FLOW)
    return TERN_ERROR(TERN_NOT_IMPLEMENTED, "control flow is not evaluated ahead of a run");
  size_t in = (size_t)node->input_count, out = (size_t)node->output_count;
  size_t bytes = (in + out) * sizeof(tern_type) + in * sizeof(tern_type *);
  tern_type *types;
  TERN_TRY(tern_allocator_alloc(allocator, bytes, (void **)&types));
  memset(out_values, 0, out * sizeof *out_values);
  tern_scratch pieces;
  tern_scratch_init(allocator, &pieces);
  tern_status *status = make_outputs(node, inputs, types, max_bytes, allocator, out_values);
  if (!status) {
    tern_invoke invoke = {.node = node,
                          .kernel = kernel,
                          .inputs = inputs,
                          .outputs = out_values,
                          .allocator = allocator,
                          .scratch = &pieces};
    status = tern_invoke_kernel(&invoke);
  }
  for (size_t i = 0; status && i < out; ++i) {
    tern_value_release(out_values[i]);
    out_values[i] = NULL;
  }
  tern_scratch_deinit(&pieces);
  tern_allocator_free(allocator, types, bytes);
  return status;
}
