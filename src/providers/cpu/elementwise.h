// Kernels of the elementwise family that stand in a file of their own.
#ifndef TERN_PROVIDERS_CPU_ELEMENTWISE_H_
#define TERN_PROVIDERS_CPU_ELEMENTWISE_H_

#include "providers/cpu/cpu.h"

tern_status *tern_cpu_compute_string_equal(tern_invocation *invocation);
tern_status *tern_cpu_compute_string_concat(tern_invocation *invocation);

#endif
