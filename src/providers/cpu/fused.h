// What kernels of fused operators share: the residual and the activation as an epilogue.
#ifndef TERN_PROVIDERS_CPU_FUSED_H_
#define TERN_PROVIDERS_CPU_FUSED_H_

#include "compute/epilogue.h"
#include "providers/cpu/cpu.h"

// What the node's attributes say, without a residual.
TERN_MUST_USE tern_status *tern_cpu_epilogue_prepare(const tern_node *node,
                                                     tern_epilogue_f32 *out_epilogue);
// `prepared` with this run's residual, input 3.
tern_epilogue_f32 tern_cpu_epilogue_of(const tern_invocation *invocation,
                                       const tern_epilogue_f32 *prepared);

#endif
