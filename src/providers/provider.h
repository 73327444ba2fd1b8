// The contract between the session and whoever computes: an execution provider claims nodes,
// prepares a kernel for each, and owns the memory it computes in. The CPU provider stands behind
// this contract like any other, and accepts what the others leave.
//
// Threads: `claims` and `prepare` are called by the thread that creates the session. `compute` may
// be called by any number of threads at once on one kernel; a kernel is const once prepared.
#ifndef TERN_PROVIDERS_PROVIDER_H_
#define TERN_PROVIDERS_PROVIDER_H_

#include "base/text.h"
#include "graph/infer.h"

typedef struct tern_provider tern_provider;
typedef struct tern_kernel tern_kernel;
typedef struct tern_invocation tern_invocation;

// What a kernel sees while it computes one node once.
struct tern_invocation {
  const tern_node *node;
  const void *state; // what `prepare` made; NULL without
  // NULL: omitted. Tensors are dense, aligned to their element at least, and must not be written.
  const tern_value *const *inputs;
  int32_t input_count;
  // NULL: omitted. Tensors have their type, shape and memory already, aligned to
  // TERN_BUFFER_ALIGNMENT, unless the operator is TERN_OP_DATA_DEPENDENT, or a kind other than
  // tensor: those are made by tern_invocation_allocate and tern_invocation_set_output. Memory may
  // be that of an input where the row's `inplace_inputs` allows it or the operator is a
  // TERN_OP_VIEW.
  tern_value *const *outputs;
  int32_t output_count;
  tern_allocator *allocator; // for values the kernel makes
  const struct tern_invocation_services *services;
  void *services_self;
};

// What the session does for a kernel. Called through the functions below.
typedef struct tern_invocation_services {
  tern_status *(*allocate)(void *self, int32_t output, tern_dtype dtype, const tern_shape *shape,
                           tern_value **out_value);
  tern_status *(*set_output)(void *self, int32_t output, tern_value *value);
  tern_status *(*scratch)(void *self, size_t bytes, void **out_data);
  tern_status *(*run_subgraph)(void *self, const char *attr, tern_value *const *inputs,
                               int32_t input_count, tern_value **out_values, int32_t output_count);
  bool (*is_terminated)(void *self);
} tern_invocation_services;

// Gives output `output` its shape and memory, and returns the value to write to. Once an output.
// *out_value is NULL when the output is omitted.
static inline TERN_MUST_USE tern_status *tern_invocation_allocate(tern_invocation *invocation,
                                                                  int32_t output, tern_dtype dtype,
                                                                  const tern_shape *shape,
                                                                  tern_value **out_value) {
  return invocation->services->allocate(invocation->services_self, output, dtype, shape, out_value);
}
// Makes `value` output `output`: a reference of its own is taken, the caller keeps theirs.
static inline TERN_MUST_USE tern_status *
tern_invocation_set_output(tern_invocation *invocation, int32_t output, tern_value *value) {
  return invocation->services->set_output(invocation->services_self, output, value);
}
// Uninitialised memory until `compute` returns, aligned to TERN_BUFFER_ALIGNMENT. Several calls
// give several pieces. 0 bytes give NULL.
static inline TERN_MUST_USE tern_status *tern_invocation_scratch(tern_invocation *invocation,
                                                                 size_t bytes, void **out_data) {
  return invocation->services->scratch(invocation->services_self, bytes, out_data);
}
// Runs the node's subgraph `attr`. Inputs are borrowed; each output is a new reference, which
// stays valid after further runs of the subgraph.
static inline TERN_MUST_USE tern_status *
tern_invocation_run_subgraph(tern_invocation *invocation, const char *attr,
                             tern_value *const *inputs, int32_t input_count,
                             tern_value **out_values, int32_t output_count) {
  return invocation->services->run_subgraph(invocation->services_self, attr, inputs, input_count,
                                            out_values, output_count);
}
// The run was asked to stop: long kernels return soon.
static inline bool tern_invocation_is_terminated(tern_invocation *invocation) {
  return invocation->services->is_terminated(invocation->services_self);
}

// What a provider sees while it builds a kernel.
typedef struct tern_prepare {
  const tern_node *node;
  // For the state, and for nothing that outlives it; the same is given to `release`.
  tern_allocator *allocator;
  // The inputs whose values every run shares (initializers); NULL for the others.
  const tern_value *const *constants;
  // One entry an input. A kernel that sets it has made its own copy of that constant's elements and
  // does not look at them again, neither through `constants` nor when it computes.
  bool *consumed;
  bool disable_prepacking;
} tern_prepare;

// A prepared kernel.
struct tern_kernel {
  const char *name; // what computes the node, for people: "Conv f32 im2col"; static
  tern_provider *provider;
  void *state;
  tern_status *(*compute)(tern_invocation *invocation);
  void (*release)(void *state, tern_allocator *allocator); // NULL when there is no state
};

// Why a provider leaves a node, or what it runs it with.
typedef struct tern_claim {
  bool accepted;
  const char *reason; // static text; NULL when accepted
} tern_claim;

struct tern_provider {
  const char *name; // as ORT's programs know it: "CPUExecutionProvider"
  void *self;
  // Whether the provider can run `node` with the types its edges have now.
  tern_claim (*claims)(void *self, const tern_node *node);
  // Builds the kernel of a node it claimed. *out_kernel is set on success.
  tern_status *(*prepare)(void *self, const tern_prepare *prepare, tern_kernel *out_kernel);
  // Memory its kernels read and write; NULL: ordinary memory, whichever allocator the session has.
  tern_allocator *allocator;
  void (*destroy)(tern_provider *provider); // NULL: static
};

#endif
