// Kernels of operators that resample images or pick regions of them.
#include "providers/cpu/image.h"

#define REAL (TERN_DTYPE_BIT(TERN_FLOAT) | TERN_DTYPE_BIT(TERN_DOUBLE))

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
    {.domain = TERN_DOMAIN_ONNX,
     .op = "GridSample",
     TERN_CPU_TYPES({"T1", REAL}, {"T2", REAL}),
     .compute = tern_cpu_grid_sample},
    {.domain = TERN_DOMAIN_ONNX,
     .op = "AffineGrid",
     TERN_CPU_TYPES({"T1", REAL}),
     .compute = tern_cpu_affine_grid},
    {.domain = TERN_DOMAIN_ONNX,
     .op = "RoiAlign",
     TERN_CPU_TYPES({"T1", REAL}),
     .compute = tern_cpu_roi_align},
    {.domain = TERN_DOMAIN_ONNX,
     .op = "MaxRoiPool",
     TERN_CPU_TYPES({"T", REAL}),
     .compute = tern_cpu_max_roi_pool},
};

const tern_cpu_family tern_cpu_image = {"image", kernels, TERN_COUNT_OF(kernels)};
