#include "providers/cpu/product.h"

#include "compute/types.h"

#define STAMP(dtype_, T, suffix)                                                                   \
  tern_status *tern_cpu_product_##suffix(tern_invocation *invocation,                              \
                                         const tern_gemm_##suffix##_batch *batch) {                \
    const tern_parallel *parallel = invocation->parallel;                                          \
    void *workspace;                                                                               \
    TERN_TRY(tern_invocation_scratch(invocation, tern_gemm_##suffix##_run_bytes(batch, parallel),  \
                                     &workspace));                                                 \
    tern_gemm_##suffix##_run(batch, parallel, workspace);                                          \
    return NULL;                                                                                   \
  }
TERN_X_FLOATS(STAMP)
#undef STAMP
