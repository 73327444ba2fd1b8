// Kernels of attention and what stands around it.
#include "providers/cpu/nn.h"

#define REAL (TERN_DTYPE_BIT(TERN_FLOAT) | TERN_DTYPE_BIT(TERN_DOUBLE))

static const tern_cpu_kernel kernels[] = {
    {.domain = TERN_DOMAIN_ONNX,
     .op = "Attention",
     TERN_CPU_TYPES({"T1", REAL}, {"T2", REAL},
                    {"U", (REAL | TERN_TYPES_INT | TERN_DTYPE_BIT(TERN_BOOL))}),
     .compute = tern_cpu_attention},
    {.domain = TERN_DOMAIN_ONNX,
     .op = "RotaryEmbedding",
     TERN_CPU_TYPES({"T", TERN_DTYPE_BIT(TERN_FLOAT)}),
     .compute = tern_cpu_rotary_embedding},
};

const tern_cpu_family tern_cpu_nn = {"nn", kernels, TERN_COUNT_OF(kernels)};
