// The glue of loops.h.
#include "providers/cpu/loops.h"

tern_status *tern_cpu_no_loop(tern_dtype dtype) {
  return TERN_ERROR(TERN_NOT_IMPLEMENTED, "no loop for elements of type %s",
                    tern_dtype_name(dtype));
}

tern_status *tern_cpu_broadcast(const tern_invocation *invocation, int32_t first, int32_t count,
                                tern_broadcast *out_broadcast) {
  tern_dims inputs[TERN_BROADCAST_MAX_INPUTS];
  if (count > TERN_BROADCAST_MAX_INPUTS)
    return TERN_ERROR(TERN_FAIL, "%d inputs are more than one loop takes", count);
  for (int32_t i = 0; i < count; ++i) inputs[i] = tern_cpu_dims(invocation->inputs[first + i]);
  if (!tern_broadcast_init(tern_cpu_dims(invocation->outputs[0]), inputs, count, out_broadcast))
    return TERN_ERROR(TERN_INVALID_ARGUMENT, "the inputs do not broadcast to the output's shape");
  return NULL;
}

tern_status *tern_cpu_unary(tern_invocation *invocation, tern_unary_fn fn) {
  const tern_value *x = invocation->inputs[0];
  if (!fn) return tern_cpu_no_loop(x->dtype);
  fn(x->data, invocation->outputs[0]->data, tern_value_count(x));
  return NULL;
}

tern_status *tern_cpu_binary(tern_invocation *invocation, tern_binary_fn fn) {
  const tern_value *a = invocation->inputs[0], *b = invocation->inputs[1];
  tern_value *y = invocation->outputs[0];
  if (!fn) return tern_cpu_no_loop(a->dtype);
  tern_broadcast broadcast;
  TERN_TRY(tern_cpu_broadcast(invocation, 0, 2, &broadcast));
  const tern_binary_sizes sizes = {tern_dtype_size(a->dtype), tern_dtype_size(b->dtype),
                                   tern_dtype_size(y->dtype)};
  tern_binary_run(fn, &broadcast, sizes, a->data, b->data, y->data);
  return NULL;
}
