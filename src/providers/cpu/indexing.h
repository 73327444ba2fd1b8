// Kernels of the indexing family that stand in files of their own.
#ifndef TERN_PROVIDERS_CPU_INDEXING_H_
#define TERN_PROVIDERS_CPU_INDEXING_H_

#include "providers/provider.h"

tern_status *tern_cpu_compute_nonzero(tern_invocation *invocation);
tern_status *tern_cpu_compute_topk(tern_invocation *invocation);
tern_status *tern_cpu_compute_unique(tern_invocation *invocation);

#endif
