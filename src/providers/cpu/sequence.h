// What the kernels of sequences share.
#ifndef TERN_PROVIDERS_CPU_SEQUENCE_H_
#define TERN_PROVIDERS_CPU_SEQUENCE_H_

#include "providers/cpu/cpu.h"

// An empty container of the static type that output `output` has.
TERN_MUST_USE tern_status *tern_cpu_container_create(const tern_invocation *invocation,
                                                     int32_t output, tern_kind kind,
                                                     tern_value **out_container);
// Makes `container` the output unless `status` says that filling it failed, and drops the caller's
// reference. Returns the first error.
TERN_MUST_USE tern_status *tern_cpu_container_finish(tern_invocation *invocation, int32_t output,
                                                     tern_value *container, tern_status *status);

tern_status *tern_cpu_split_to_sequence(tern_invocation *invocation);
tern_status *tern_cpu_concat_from_sequence(tern_invocation *invocation);

#endif
