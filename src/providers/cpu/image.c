// Kernels of operators that resample images or pick regions of them.
#include "providers/cpu/image.h"

static const tern_cpu_kernel kernels[] = {
    {.domain = TERN_DOMAIN_ONNX,
     .op = "Resize",
     .prepare = tern_cpu_resize_prepare,
     .compute = tern_cpu_resize_compute,
     .release = tern_cpu_resize_release},
    {.domain = TERN_DOMAIN_TERN,
     .op = "Resize",
     .prepare = tern_cpu_resize_prepare,
     .compute = tern_cpu_resize_compute,
     .release = tern_cpu_resize_release},
    {.domain = TERN_DOMAIN_ONNX,
     .op = "NonMaxSuppression",
     .compute = tern_cpu_non_max_suppression},
};

const tern_cpu_family tern_cpu_image = {"image", kernels, TERN_COUNT_OF(kernels)};
