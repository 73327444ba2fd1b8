// Chooses the leaf table of this process and describes it.
#include "compute/leaves.h"

#include <stdatomic.h>
#include <stdio.h>

#include "compute/arch/tables.h"

static const tern_leaves *const tables[TERN_ISA_COUNT] = {
    [TERN_ISA_SCALAR] = &tern_leaves_scalar,
#if defined(__x86_64__)
    [TERN_ISA_AVX2] = &tern_leaves_avx2,
    [TERN_ISA_AVX512] = &tern_leaves_avx512,
#elif defined(__aarch64__)
    [TERN_ISA_NEON] = &tern_leaves_neon,
#endif
};

const tern_leaves *tern_leaves_for(tern_cpu_isa isa) {
  return tern_cpu_has_isa(isa) ? tables[isa] : NULL;
}

const tern_leaves *tern_leaves_selected(void) {
  static const tern_leaves *_Atomic selected;
  const tern_leaves *leaves = atomic_load_explicit(&selected, memory_order_relaxed);
  if (!leaves) {
    int isa = (int)tern_cpu_selected_isa();
    while (!tern_leaves_for((tern_cpu_isa)isa)) isa--;
    leaves = tables[isa];
    atomic_store_explicit(&selected, leaves, memory_order_relaxed);
  }
  return leaves;
}

#define DESCRIBE_GEMM(S)                                                                           \
  snprintf(text, sizeof text, "tile %zux%zu, blocks m %zu n %zu k %zu", leaves->gemm_##S.mr,       \
           leaves->gemm_##S.nr, leaves->gemm_##S.mc, leaves->gemm_##S.nc, leaves->gemm_##S.kc);    \
  visit(context, "gemm_" #S, text)

void tern_leaves_list(const tern_leaves *leaves, tern_leaves_visit_fn visit, void *context) {
  char text[96];
  DESCRIBE_GEMM(f32);
  DESCRIBE_GEMM(f64);
  snprintf(text, sizeof text, "%zu lanes", leaves->lanes_f32);
  visit(context, "vecmath_f32", text);
  visit(context, "rows_f32", text);
  visit(context, "conv_f32 depthwise", text);
}
