// What stands for other nodes: a group that another provider would compile runs as the subgraph it
// is, and copies are copies.
#include <string.h>

#include "providers/cpu/control.h"

static tern_status *compute_compiled(tern_invocation *invocation) {
  int32_t in = invocation->input_count, out = invocation->output_count;
  tern_value **inputs, **values;
  TERN_TRY(tern_invocation_scratch(invocation, (size_t)in * sizeof *inputs, (void **)&inputs));
  TERN_TRY(tern_invocation_scratch(invocation, (size_t)out * sizeof *values, (void **)&values));
  for (int32_t i = 0; i < in; ++i) inputs[i] = (tern_value *)(uintptr_t)invocation->inputs[i];
  TERN_TRY(tern_invocation_run_subgraph(invocation, "body", inputs, in, values, out));
  tern_status *status = NULL;
  for (int32_t i = 0; i < out && !status; ++i)
    status = tern_invocation_set_output(invocation, i, values[i]);
  tern_control_release(values, out);
  return status;
}

static tern_status *compute_copy(tern_invocation *invocation) {
  const tern_value *from = invocation->inputs[0];
  tern_value *to = invocation->outputs[0];
  if (from->data_bytes) memcpy(to->data, from->data, from->data_bytes);
  return NULL;
}

static const tern_cpu_kernel kernels[] = {
    {.domain = TERN_DOMAIN_TERN, .op = "Compiled", .compute = compute_compiled},
    {.domain = TERN_DOMAIN_TERN, .op = "CopyToDevice", .compute = compute_copy},
    {.domain = TERN_DOMAIN_TERN, .op = "CopyToHost", .compute = compute_copy},
};

const tern_cpu_family tern_cpu_placement = {"placement", kernels, TERN_COUNT_OF(kernels)};
