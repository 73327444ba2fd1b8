// Matrix products of a kernel: with its scratch memory and on its threads.
#ifndef TERN_PROVIDERS_CPU_PRODUCT_H_
#define TERN_PROVIDERS_CPU_PRODUCT_H_

#include "compute/gemm.h"
#include "providers/provider.h"

TERN_MUST_USE tern_status *tern_cpu_product_f32(tern_invocation *invocation,
                                                const tern_gemm_f32_batch *batch);
TERN_MUST_USE tern_status *tern_cpu_product_f64(tern_invocation *invocation,
                                                const tern_gemm_f64_batch *batch);

#endif
