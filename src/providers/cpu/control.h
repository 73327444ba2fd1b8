// What the control-flow kernels share: stacking one tensor an iteration.
#ifndef TERN_PROVIDERS_CPU_CONTROL_H_
#define TERN_PROVIDERS_CPU_CONTROL_H_

#include "base/array.h"
#include "providers/cpu/cpu.h"

// Tensors of one type and shape, one an iteration, collected as bytes; strings and packed types as
// values.
typedef struct tern_stack {
  tern_dtype dtype;
  tern_shape item_shape;
  int64_t count;
  TERN_ARRAY(char) bytes;
  TERN_ARRAY(tern_value *) items;
} tern_stack;

// What an empty stack says of its items: the body's declaration, unknown sizes as 0.
void tern_stack_expect(tern_stack *stack, const tern_graph *body, size_t output);
TERN_MUST_USE tern_status *tern_stack_add(tern_stack *stack, tern_allocator *allocator,
                                          const tern_value *item);
// Writes the items one after the other into `target`, from item number `first` on.
TERN_MUST_USE tern_status *tern_stack_write(const tern_stack *stack, tern_value *target,
                                            int64_t first);
void tern_stack_deinit(tern_stack *stack, tern_allocator *allocator);

// Releases values and clears the entries.
void tern_control_release(tern_value **values, int32_t count);

tern_status *tern_control_scan(tern_invocation *invocation);
tern_status *tern_control_scan_batched(tern_invocation *invocation);

#endif
