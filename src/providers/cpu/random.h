// Kernels of the random family that have a file of their own.
#ifndef TERN_PROVIDERS_CPU_RANDOM_H_
#define TERN_PROVIDERS_CPU_RANDOM_H_

#include "providers/cpu/cpu.h"

tern_status *tern_cpu_dft(tern_invocation *invocation);
tern_status *tern_cpu_stft(tern_invocation *invocation);
tern_status *tern_cpu_det(tern_invocation *invocation);

#endif
