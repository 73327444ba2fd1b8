// Calling one kernel once: inputs and outputs gathered, scratch memory, and the services that
// provider.h promises. The executor and the evaluator both go through here.
#ifndef TERN_SESSION_INVOKE_H_
#define TERN_SESSION_INVOKE_H_

#include "base/array.h"
#include "session/lanes.h"

// Scratch memory that kernels ask for: pieces are handed out until reset, and kept for the next
// step.
typedef struct tern_scratch_piece {
  void *data;
  size_t bytes;
  bool in_use;
} tern_scratch_piece;

typedef struct tern_scratch {
  tern_allocator *allocator;
  TERN_ARRAY(tern_scratch_piece) pieces;
  size_t held;   // bytes of all pieces
  size_t in_use; // bytes asked for since the last reset
  size_t needed; // the most that `in_use` has been; whoever reads it sets it back
} tern_scratch;

void tern_scratch_init(tern_allocator *allocator, tern_scratch *out_scratch);
void tern_scratch_deinit(tern_scratch *scratch);
TERN_MUST_USE tern_status *tern_scratch_get(tern_scratch *scratch, size_t bytes, void **out_data);
void tern_scratch_reset(tern_scratch *scratch);
// Frees all pieces; none is in use.
void tern_scratch_clear(tern_scratch *scratch);

// One call. `outputs[i]` is what the kernel writes: set beforehand, or NULL until the kernel
// allocates or sets it, in which case it is a new reference that the caller releases.
typedef struct tern_invoke {
  const tern_node *node;
  const tern_kernel *kernel;
  const tern_value *const *inputs;
  tern_value **outputs;
  tern_allocator *allocator;
  tern_scratch *scratch;
  const tern_parallel *parallel;   // NULL: the caller's thread alone
  tern_lane *lane;                 // of the kernel's provider; NULL: it has none
  const tern_placement *placement; // where outputs live; NULL: on the host
  // Makes a tensor for an output whose type the kernel has found: a new reference. NULL: from
  // `allocator`.
  tern_status *(*make_output)(void *self, int32_t output, tern_dtype dtype, const tern_shape *shape,
                              tern_value **out_value);
  // Runs a subgraph; NULL where there is no run to belong to.
  tern_status *(*run_subgraph)(void *self, const char *attr, tern_value *const *inputs,
                               int32_t input_count, tern_value **inout_values,
                               int32_t output_count);
  bool (*is_terminated)(void *self); // NULL: never
  void *self;
} tern_invoke;

// Calls the kernel, unless all its outputs are empty tensors; errors name the node and its input
// types. Scratch is reset.
TERN_MUST_USE tern_status *tern_invoke_kernel(tern_invoke *invoke);

// Computes a node whose inputs are all known with `kernel`, into new values. Fails with
// TERN_NOT_IMPLEMENTED when the node needs a run (control flow), and with TERN_FAIL when its
// outputs would need more than `max_bytes`.
TERN_MUST_USE tern_status *tern_evaluate_node(const tern_node *node, const tern_kernel *kernel,
                                              const tern_value *const *inputs, size_t max_bytes,
                                              tern_allocator *allocator, tern_value **out_values);

#endif
