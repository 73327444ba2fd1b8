// The CPU provider: a table of kernel rows a family, one row an operator. A row says which element
// types its kernel takes; how it computes is src/compute's business, what the operator means is
// src/ops'.
#ifndef TERN_PROVIDERS_CPU_CPU_H_
#define TERN_PROVIDERS_CPU_CPU_H_

#include "providers/provider.h"

// The element types a kernel takes for one type variable of the operator's row. Variables that a
// kernel row does not mention may be anything the operator allows.
typedef struct tern_cpu_types {
  const char *variable; // NULL ends the list
  tern_dtype_set dtypes;
} tern_cpu_types;

typedef struct tern_cpu_kernel {
  const char *domain; // TERN_DOMAIN_…
  const char *op;
  const tern_cpu_types *types; // NULL: every type the operator allows
  // Builds the state; NULL without. *out_state is set on success; `name` may be changed.
  tern_status *(*prepare)(const tern_prepare *prepare, void **out_state);
  tern_status *(*compute)(tern_invocation *invocation);
  void (*release)(void *state, tern_allocator *allocator);
} tern_cpu_kernel;

#define TERN_CPU_TYPES(...)                                                                        \
  .types = (const tern_cpu_types[]) {                                                              \
    __VA_ARGS__, {                                                                                 \
      0                                                                                            \
    }                                                                                              \
  }

typedef struct tern_cpu_family {
  const char *name;
  const tern_cpu_kernel *kernels;
  size_t count;
} tern_cpu_family;

// The provider. Static; any number of sessions.
tern_provider *tern_cpu_provider(void);

// The kernel row of an operator, whatever the types; NULL without.
const tern_cpu_kernel *tern_cpu_find_row(const tern_op *op);
// The row that runs `op` when its type variables are bound as on `node`; NULL with a static reason.
const tern_cpu_kernel *tern_cpu_find_kernel(const tern_node *node, const char **out_reason);

// Every family, for listings.
extern const tern_cpu_family *const tern_cpu_families[];
extern const size_t tern_cpu_family_count;

// A node whose float16, bfloat16 (and, where listed, narrower) inputs have no kernel of their own
// is run through float32: casts are put around it. *out_widened: others have taken its place. Call
// once types are settled.
TERN_MUST_USE tern_status *tern_cpu_widen_narrow_floats(tern_node *node, bool *out_widened);

// One family a file, listed once, in registry.c; the same families as src/ops.
extern const tern_cpu_family tern_cpu_elementwise, tern_cpu_activation, tern_cpu_variadic,
    tern_cpu_cast, tern_cpu_reduce, tern_cpu_shape, tern_cpu_movement, tern_cpu_indexing,
    tern_cpu_matmul, tern_cpu_conv, tern_cpu_fused, tern_cpu_blocked, tern_cpu_einsum,
    tern_cpu_pool, tern_cpu_normalize, tern_cpu_image, tern_cpu_rnn, tern_cpu_control,
    tern_cpu_sequence, tern_cpu_random, tern_cpu_nn, tern_cpu_placement;

#endif
