// Kernels of the movement family that stand in files of their own.
#ifndef TERN_PROVIDERS_CPU_MOVEMENT_H_
#define TERN_PROVIDERS_CPU_MOVEMENT_H_

#include "providers/provider.h"

tern_status *tern_cpu_compute_pad(tern_invocation *invocation);
tern_status *tern_cpu_compute_center_crop_pad(tern_invocation *invocation);
tern_status *tern_cpu_compute_col2im(tern_invocation *invocation);

#endif
