// Tensors of any element type as arrays of whole units, which is what operators that move elements
// work on: packed sub-byte elements become a byte each, strings are moved as references and copied
// once they lie where they belong.
#ifndef TERN_PROVIDERS_CPU_ELEMENTS_H_
#define TERN_PROVIDERS_CPU_ELEMENTS_H_

#include "providers/provider.h"

// Elements to read: those of a tensor, or a copy in scratch memory.
typedef struct tern_cpu_source {
  const unsigned char *data; // NULL when empty
  size_t unit_bytes;
  int64_t count;
} tern_cpu_source;

TERN_MUST_USE tern_status *tern_cpu_source_open(tern_invocation *invocation,
                                                const tern_value *value,
                                                tern_cpu_source *out_source);

// Elements to write: those of an output, or scratch memory whose elements `close` brings into the
// output. All of them are uninitialised and must be written.
typedef struct tern_cpu_target {
  unsigned char *data; // NULL when empty
  size_t unit_bytes;
  int64_t count;
  tern_value *value;
} tern_cpu_target;

TERN_MUST_USE tern_status *tern_cpu_target_open(tern_invocation *invocation, tern_value *value,
                                                tern_cpu_target *out_target);
TERN_MUST_USE tern_status *tern_cpu_target_close(tern_cpu_target *target);

// The elements of `value` as `target`'s first contents: for operators that change a part. A copy
// unless they are the same memory.
TERN_MUST_USE tern_status *tern_cpu_target_open_copy(tern_invocation *invocation,
                                                     const tern_value *input, tern_value *value,
                                                     tern_cpu_target *out_target);

// Gives `output` the elements of `input`, which has as many of the same type, unless they are the
// same memory.
TERN_MUST_USE tern_status *tern_cpu_copy_elements(const tern_value *input, tern_value *output);

// An integer tensor's elements as int64, in scratch memory.
TERN_MUST_USE tern_status *tern_cpu_read_i64s(tern_invocation *invocation, const tern_value *value,
                                              int64_t **out_items);

#endif
