// How elementwise kernels come from values to loops.
#ifndef TERN_PROVIDERS_CPU_LOOPS_H_
#define TERN_PROVIDERS_CPU_LOOPS_H_

#include "compute/broadcast.h"
#include "compute/elementwise.h"
#include "providers/cpu/cpu.h"

static inline tern_dims tern_cpu_dims(const tern_value *value) {
  return (tern_dims){value->shape.rank, value->shape.dims};
}

// Lays out the loops over output 0 of inputs [first, first + count), all of them given.
TERN_MUST_USE tern_status *tern_cpu_broadcast(const tern_invocation *invocation, int32_t first,
                                              int32_t count, tern_broadcast *out_broadcast);

// Elements that a thread takes at a time of what is one loop over all.
enum { TERN_CPU_BLOCK = TERN_BROADCAST_PIECE };

// Output 0 = fn(input 0), over elements of one type or of types of their own. `operations` of an
// element: see elementwise.h.
tern_status *tern_cpu_unary(tern_invocation *invocation, tern_unary_fn fn, int32_t operations);
// Output 0 = fn(input 0, input 1), broadcast.
tern_status *tern_cpu_binary(tern_invocation *invocation, tern_binary_fn fn, int32_t operations);

// An element type that the kernel row promised and no loop computes: our own mistake.
tern_status *tern_cpu_no_loop(tern_dtype dtype);

#endif
