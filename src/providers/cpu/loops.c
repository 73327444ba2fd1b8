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

typedef struct unary_run {
  tern_unary_fn fn;
  const char *x;
  char *y;
  size_t x_bytes, y_bytes;
} unary_run;

static void run_unary(void *context, int64_t begin, int64_t end) {
  const unary_run *run = context;
  run->fn(run->x + (size_t)begin * run->x_bytes, run->y + (size_t)begin * run->y_bytes,
          end - begin);
}

tern_status *tern_cpu_unary(tern_invocation *invocation, tern_unary_fn fn, int32_t operations) {
  const tern_value *x = invocation->inputs[0];
  tern_value *y = invocation->outputs[0];
  unary_run run = {fn, x->data, y->data, tern_dtype_size(x->dtype), tern_dtype_size(y->dtype)};
  if (!fn) return tern_cpu_no_loop(x->dtype);
  tern_parallel_for_blocks(invocation->parallel, tern_value_count(x), TERN_CPU_BLOCK,
                           tern_cost(operations, (double)(run.x_bytes + run.y_bytes)), run_unary,
                           &run);
  return NULL;
}

tern_status *tern_cpu_binary(tern_invocation *invocation, tern_binary_fn fn, int32_t operations) {
  const tern_value *a = invocation->inputs[0], *b = invocation->inputs[1];
  tern_value *y = invocation->outputs[0];
  if (!fn) return tern_cpu_no_loop(a->dtype);
  tern_broadcast broadcast;
  TERN_TRY(tern_cpu_broadcast(invocation, 0, 2, &broadcast));
  const tern_binary_loop loop = {fn, tern_dtype_size(a->dtype), tern_dtype_size(b->dtype),
                                 tern_dtype_size(y->dtype), operations};
  tern_binary_run(invocation->parallel, &loop, &broadcast, a->data, b->data, y->data);
  return NULL;
}
