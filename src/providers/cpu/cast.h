// Kernels of the cast family that stand in files of their own.
#ifndef TERN_PROVIDERS_CPU_CAST_H_
#define TERN_PROVIDERS_CPU_CAST_H_

#include "providers/cpu/cpu.h"

// Casts between a string tensor and any other that Cast takes.
tern_status *tern_cpu_cast_from_strings(const tern_value *x, tern_value *y);
tern_status *tern_cpu_cast_to_strings(const tern_value *x, tern_value *y);

tern_status *tern_cpu_compute_quantize(tern_invocation *invocation);
tern_status *tern_cpu_compute_dequantize(tern_invocation *invocation);
tern_status *tern_cpu_compute_dynamic_quantize(tern_invocation *invocation);

#endif
