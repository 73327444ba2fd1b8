// Kernels of the convolution family that have files of their own, for its table in conv.c.
#ifndef TERN_PROVIDERS_CPU_CONV_H_
#define TERN_PROVIDERS_CPU_CONV_H_

#include "providers/cpu/cpu.h"

tern_status *tern_cpu_conv_integer(tern_invocation *invocation);
tern_status *tern_cpu_qlinear_conv(tern_invocation *invocation);
tern_status *tern_cpu_deform_conv(tern_invocation *invocation);

#endif
