// The evaluator.
#include "session/evaluator.h"

#include "providers/cpu/cpu.h"
#include "session/invoke.h"

static tern_status *evaluate(void *self, const tern_node *node, const tern_value *const *inputs,
                             tern_value **out_values) {
  const tern_program_options *options = self;
  // Values ahead of a run are computed by the CPU, whoever runs the node later.
  tern_provider *provider = tern_cpu_provider();
  tern_claim claim = provider->claims(provider->self, node);
  if (!claim.accepted) return TERN_ERROR(TERN_NOT_IMPLEMENTED, "%s", claim.reason);
  tern_prepare prepare = {.node = node,
                          .allocator = options->allocator,
                          .constants = inputs,
                          .disable_prepacking = true};
  tern_kernel kernel;
  TERN_TRY(provider->prepare(provider->self, &prepare, &kernel));
  tern_status *status = tern_evaluate_node(node, &kernel, inputs, TERN_EVALUATE_MAX_BYTES,
                                           options->allocator, out_values);
  if (kernel.release) kernel.release(kernel.state, options->allocator);
  return status;
}

tern_evaluator tern_evaluator_make(const tern_program_options *options) {
  return (tern_evaluator){.self = (void *)(uintptr_t)options, .evaluate = evaluate};
}
