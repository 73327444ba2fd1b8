// If and Loop: which subgraph runs, with what, how often. Scan stands in control_scan.c.
#include "providers/cpu/control.h"

#include <string.h>

#include "base/checked.h"

static tern_status *read_bool(const tern_value *value, const char *what, bool *out) {
  if (value->kind != TERN_KIND_TENSOR || value->dtype != TERN_BOOL || tern_value_count(value) != 1)
    return TERN_ERROR(TERN_INVALID_ARGUMENT, "%s is not one boolean", what);
  *out = *(const uint8_t *)value->data != 0;
  return NULL;
}

void tern_control_release(tern_value **values, int32_t count) {
  for (int32_t i = 0; i < count; ++i) {
    tern_value_release(values[i]);
    values[i] = NULL;
  }
}

static tern_status *compute_if(tern_invocation *invocation) {
  bool condition;
  TERN_TRY(read_bool(invocation->inputs[0], "the condition", &condition));
  int32_t count = invocation->output_count;
  tern_value **values;
  TERN_TRY(tern_invocation_scratch(invocation, (size_t)count * sizeof *values, (void **)&values));
  if (count > 0) memset(values, 0, (size_t)count * sizeof *values);
  TERN_TRY(tern_invocation_run_subgraph(invocation, condition ? "then_branch" : "else_branch", NULL,
                                        0, values, count));
  tern_status *status = NULL;
  for (int32_t i = 0; i < count && !status; ++i)
    status = tern_invocation_set_output(invocation, i, values[i]);
  tern_control_release(values, count);
  return status;
}

tern_status *tern_stack_add(tern_stack *stack, tern_allocator *allocator, const tern_value *item) {
  if (item->kind != TERN_KIND_TENSOR)
    return TERN_ERROR(TERN_INVALID_ARGUMENT, "a scan output is not a tensor");
  if (stack->count == 0) {
    stack->dtype = item->dtype;
    tern_shape_copy(&stack->item_shape, &item->shape);
  } else if (stack->dtype != item->dtype || !tern_shape_equal(&stack->item_shape, &item->shape)) {
    char a[TERN_SHAPE_TEXT_BYTES], b[TERN_SHAPE_TEXT_BYTES];
    return TERN_ERROR(
        TERN_INVALID_ARGUMENT, "a scan output changed from %s%s to %s%s between iterations",
        tern_dtype_name(stack->dtype), tern_shape_format(&stack->item_shape, a, sizeof a),
        tern_dtype_name(item->dtype), tern_shape_format(&item->shape, b, sizeof b));
  }
  if (item->dtype == TERN_STRING || tern_dtype_is_sub_byte(item->dtype)) {
    tern_value *shared;
    TERN_TRY(tern_value_share(allocator, item, &shared));
    tern_status *status = TERN_ARRAY_RESERVE_ONE(allocator, &stack->items);
    if (status) {
      tern_value_release(shared);
      return status;
    }
    stack->items.data[stack->items.count++] = shared;
  } else {
    size_t needed;
    if (!tern_checked_add(stack->bytes.count, item->data_bytes, &needed))
      return tern_status_out_of_memory();
    while (stack->bytes.capacity < needed)
      TERN_TRY(tern_array_grow(allocator, 1, stack->bytes.count, (void **)&stack->bytes.data,
                               &stack->bytes.capacity));
    if (item->data_bytes)
      memcpy(stack->bytes.data + stack->bytes.count, item->data, item->data_bytes);
    stack->bytes.count = needed;
  }
  stack->count++;
  return NULL;
}

void tern_stack_deinit(tern_stack *stack, tern_allocator *allocator) {
  for (size_t i = 0; i < stack->items.count; ++i) tern_value_release(stack->items.data[i]);
  TERN_ARRAY_FREE(allocator, &stack->items);
  TERN_ARRAY_FREE(allocator, &stack->bytes);
}

tern_status *tern_stack_write(const tern_stack *stack, tern_value *target, int64_t first) {
  int64_t item_count = 1;
  (void)tern_shape_count(&stack->item_shape, &item_count);
  if (stack->items.count == 0) {
    if (stack->bytes.count)
      memcpy((char *)target->data + (size_t)(first * item_count) * tern_dtype_size(stack->dtype),
             stack->bytes.data, stack->bytes.count);
    return NULL;
  }
  int64_t at = first * item_count;
  for (size_t i = 0; i < stack->items.count; ++i) {
    const tern_value *item = stack->items.data[i];
    for (int64_t k = 0; k < item_count; ++k, ++at) {
      if (stack->dtype == TERN_STRING) {
        const tern_string *text = (const tern_string *)item->data + k;
        TERN_TRY(tern_value_set_string(target, at, text->data, text->size));
      } else {
        tern_dtype_write_i64(stack->dtype, target->data, at,
                             tern_dtype_read_i64(stack->dtype, item->data, k));
      }
    }
  }
  return NULL;
}

void tern_stack_expect(tern_stack *stack, const tern_graph *body, size_t output) {
  const tern_type *type = &body->outputs.data[output]->type;
  stack->dtype = type->dtype;
  stack->item_shape.rank = type->shape.rank < 0 ? 0 : type->shape.rank;
  for (int32_t i = 0; i < stack->item_shape.rank; ++i)
    stack->item_shape.dims[i] = type->shape.dims[i] < 0 ? 0 : type->shape.dims[i];
}

static tern_status *emit_stack(tern_invocation *invocation, int32_t output,
                               const tern_stack *stack) {
  tern_shape shape;
  tern_value *target;
  if (stack->item_shape.rank >= TERN_MAX_RANK)
    return TERN_ERROR(TERN_INVALID_ARGUMENT, "a scan output has too many dimensions");
  shape.rank = stack->item_shape.rank + 1;
  shape.dims[0] = stack->count;
  for (int32_t i = 1; i < shape.rank; ++i) shape.dims[i] = stack->item_shape.dims[i - 1];
  TERN_TRY(tern_invocation_allocate(invocation, output, stack->dtype, &shape, &target));
  return target ? tern_stack_write(stack, target, 0) : NULL;
}

// A Loop under way. `values` are the body's inputs, `results` its outputs.
typedef struct loop {
  tern_invocation *invocation;
  const tern_graph *body;
  int32_t state_count, stack_count;
  tern_value **values, **results;
  tern_stack *stacks;
  int64_t iteration;
  uint8_t condition;
  tern_value iteration_value, condition_value;
} loop;

static tern_status *start_loop(loop *l) {
  tern_invocation *invocation = l->invocation;
  l->body = tern_node_attr_graph(invocation->node, "body");
  l->state_count = invocation->input_count > 2 ? invocation->input_count - 2 : 0;
  l->stack_count = invocation->output_count - l->state_count;
  if (l->stack_count < 0 || (size_t)(1 + invocation->output_count) != l->body->outputs.count)
    return TERN_ERROR(TERN_INVALID_GRAPH, "the body has %zu outputs, %d are needed",
                      l->body->outputs.count, 1 + invocation->output_count);
  size_t in = (size_t)l->state_count + 2, out = l->body->outputs.count;
  // What is released on a failure is cleared before the next thing that can fail.
  TERN_TRY(tern_invocation_scratch(invocation, in * sizeof *l->values, (void **)&l->values));
  memset(l->values, 0, in * sizeof *l->values);
  TERN_TRY(tern_invocation_scratch(invocation, out * sizeof *l->results, (void **)&l->results));
  if (out > 0) memset(l->results, 0, out * sizeof *l->results);
  if (l->stack_count > 0) {
    size_t bytes = (size_t)l->stack_count * sizeof *l->stacks;
    TERN_TRY(tern_invocation_scratch(invocation, bytes, (void **)&l->stacks));
    memset(l->stacks, 0, bytes);
  }
  for (int32_t i = 0; i < l->stack_count; ++i)
    tern_stack_expect(&l->stacks[i], l->body, (size_t)(1 + l->state_count + i));
  const tern_shape scalar = {.rank = 0};
  tern_value_init_tensor(&l->iteration_value, TERN_INT64, &scalar, &l->iteration,
                         sizeof l->iteration);
  tern_value_init_tensor(&l->condition_value, TERN_BOOL, &scalar, &l->condition,
                         sizeof l->condition);
  l->values[0] = &l->iteration_value;
  l->values[1] = &l->condition_value;
  for (int32_t i = 0; i < l->state_count; ++i) {
    if (!invocation->inputs[i + 2])
      return TERN_ERROR(TERN_INVALID_GRAPH, "loop state %d has no initial value", i);
    TERN_TRY(tern_value_share(invocation->allocator, invocation->inputs[i + 2], &l->values[i + 2]));
  }
  return NULL;
}

// What an iteration gave goes into the next; what it was given is left in `results`, where the body
// finds memory to use again.
static tern_status *keep_results(loop *l) {
  bool go_on;
  TERN_TRY(read_bool(l->results[0], "the body's condition", &go_on));
  l->condition = go_on;
  for (int32_t i = 0; i < l->state_count; ++i) {
    tern_value *old = l->values[i + 2];
    l->values[i + 2] = l->results[i + 1];
    l->results[i + 1] = old;
  }
  for (int32_t i = 0; i < l->stack_count; ++i)
    TERN_TRY(tern_stack_add(&l->stacks[i], l->invocation->allocator,
                            l->results[1 + l->state_count + i]));
  return NULL;
}

static tern_status *iterate(loop *l, int64_t trips) {
  int32_t outputs = 1 + l->invocation->output_count;
  for (; l->condition && l->iteration < trips; ++l->iteration) {
    if (tern_invocation_is_terminated(l->invocation))
      return TERN_ERROR(TERN_FAIL, "the run was asked to stop and stopped in iteration %lld",
                        (long long)l->iteration);
    tern_status *status = tern_invocation_run_subgraph(l->invocation, "body", l->values,
                                                       l->state_count + 2, l->results, outputs);
    if (!status) status = keep_results(l);
    if (status) return tern_status_annotate(status, "iteration %lld", (long long)l->iteration);
  }
  return NULL;
}

static tern_status *run_loop(loop *l) {
  const tern_value *const *inputs = l->invocation->inputs;
  int64_t trips = INT64_MAX;
  bool condition = true;
  TERN_TRY(start_loop(l));
  if (l->invocation->input_count > 0 && inputs[0]) {
    if (tern_value_count(inputs[0]) != 1)
      return TERN_ERROR(TERN_INVALID_ARGUMENT, "the trip count is not one number");
    trips = *(const int64_t *)inputs[0]->data;
  }
  if (l->invocation->input_count > 1 && inputs[1])
    TERN_TRY(read_bool(inputs[1], "the condition", &condition));
  l->condition = condition;
  TERN_TRY(iterate(l, trips));
  for (int32_t i = 0; i < l->state_count; ++i)
    TERN_TRY(tern_invocation_set_output(l->invocation, i, l->values[i + 2]));
  for (int32_t i = 0; i < l->stack_count; ++i)
    TERN_TRY(emit_stack(l->invocation, l->state_count + i, &l->stacks[i]));
  return NULL;
}

static tern_status *compute_loop(tern_invocation *invocation) {
  loop l = {.invocation = invocation};
  tern_status *status = run_loop(&l);
  for (int32_t i = 0; l.values && i < l.state_count; ++i) tern_value_release(l.values[i + 2]);
  if (l.results) tern_control_release(l.results, 1 + invocation->output_count);
  for (int32_t i = 0; l.stacks && i < l.stack_count; ++i)
    tern_stack_deinit(&l.stacks[i], invocation->allocator);
  return status;
}

static const tern_cpu_kernel kernels[] = {
    {.domain = TERN_DOMAIN_ONNX, .op = "If", .compute = compute_if},
    {.domain = TERN_DOMAIN_ONNX, .op = "Loop", .compute = compute_loop},
    {.domain = TERN_DOMAIN_ONNX, .op = "Scan", .compute = tern_control_scan},
    {.domain = TERN_DOMAIN_TERN, .op = "ScanBatched", .compute = tern_control_scan_batched},
};

const tern_cpu_family tern_cpu_control = {"control", kernels, TERN_COUNT_OF(kernels)};
