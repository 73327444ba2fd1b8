// Kernels of the nn family that have a file of their own.
#ifndef TERN_PROVIDERS_CPU_NN_H_
#define TERN_PROVIDERS_CPU_NN_H_

#include "providers/cpu/cpu.h"

tern_status *tern_cpu_attention(tern_invocation *invocation);
tern_status *tern_cpu_rotary_embedding(tern_invocation *invocation);

#endif
