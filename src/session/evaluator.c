// The evaluator.
#include "session/evaluator.h"

#include "providers/cpu/cpu.h"
#include "session/invoke.h"

static tern_status *evaluate(void *self, const tern_node *node, const tern_value *const *inputs,
                             tern_value **out_values) {
  tern_allocator *allocator = self;
  // Values ahead of a run are computed by the CPU, whoever runs the node later.
  tern_provider *provider = tern_cpu_provider();
  tern_claim claim = provider->claims(provider->self, node);
  if (!claim.accepted) return TERN_ERROR(TERN_NOT_IMPLEMENTED, "%s", claim.reason);
  tern_prepare prepare = {.node = node,
                          .allocator = allocator,
                          .constants = inputs,
                          .consumed = NULL, // nothing is packed for one use
                          .disable_prepacking = true};
  tern_kernel kernel;
  TERN_TRY(provider->prepare(provider->self, &prepare, &kernel));
  tern_status *status =
      tern_evaluate_node(node, &kernel, inputs, TERN_EVALUATE_MAX_BYTES, allocator, out_values);
  if (kernel.release) kernel.release(kernel.state, allocator);
  return status;
}

static tern_status *align_inputs(tern_allocator *allocator, const tern_node *node,
                                 const tern_value *const *inputs, const tern_value **out_inputs,
                                 tern_value **out_copies) {
  for (int32_t i = 0; i < node->input_count; ++i) {
    out_inputs[i] = inputs[i];
    if (!inputs[i] || !inputs[i]->is_misaligned) continue;
    TERN_TRY(tern_value_clone(allocator, inputs[i], &out_copies[i]));
    out_inputs[i] = out_copies[i];
  }
  return NULL;
}

// Kernels read aligned elements only.
static tern_status *evaluate_aligned(void *self, const tern_node *node,
                                     const tern_value *const *inputs, tern_value **out_values) {
  tern_allocator *allocator = self;
  size_t count = (size_t)node->input_count, bytes = 2 * count * sizeof(void *);
  bool is_aligned = true;
  for (size_t i = 0; i < count; ++i) is_aligned &= !inputs[i] || !inputs[i]->is_misaligned;
  if (is_aligned) return evaluate(self, node, inputs, out_values);
  void **memory;
  TERN_TRY(tern_allocator_calloc(allocator, 1, bytes, (void **)&memory));
  const tern_value **aligned = (const tern_value **)memory;
  tern_value **copies = (tern_value **)(memory + count);
  tern_status *status = align_inputs(allocator, node, inputs, aligned, copies);
  if (!status) status = evaluate(self, node, aligned, out_values);
  for (size_t i = 0; i < count; ++i) tern_value_release(copies[i]);
  tern_allocator_free(allocator, memory, bytes);
  return status;
}

tern_evaluator tern_evaluator_make(tern_allocator *allocator) {
  return (tern_evaluator){.self = allocator, .evaluate = evaluate_aligned};
}
