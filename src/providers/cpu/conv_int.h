// Kernels of convolutions of 8-bit integers, for the convolution family's table.
#ifndef TERN_PROVIDERS_CPU_CONV_INT_H_
#define TERN_PROVIDERS_CPU_CONV_INT_H_

#include "providers/cpu/cpu.h"

tern_status *tern_cpu_conv_integer(tern_invocation *invocation);
tern_status *tern_cpu_qlinear_conv(tern_invocation *invocation);

#endif
