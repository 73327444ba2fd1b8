// Kernels of products of 8-bit matrices, for the matrix product family's table.
#ifndef TERN_PROVIDERS_CPU_MATMUL_INT_H_
#define TERN_PROVIDERS_CPU_MATMUL_INT_H_

#include "providers/cpu/cpu.h"

tern_status *tern_cpu_matmul_integer(tern_invocation *invocation);
tern_status *tern_cpu_qlinear_matmul(tern_invocation *invocation);

#endif
