// What the CPU provider says about blocked layouts.
#ifndef TERN_PROVIDERS_CPU_BLOCKED_H_
#define TERN_PROVIDERS_CPU_BLOCKED_H_

#include "providers/cpu/cpu.h"

// The provider's `preferred_block`: the block of this process's kernels for convolutions that they
// take, and for what is computed on floats of any layout.
int32_t tern_cpu_preferred_block(void *self, const tern_node *node);

#endif
