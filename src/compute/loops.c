// Choosing among the tables of loops.h.
#include "compute/loops.h"

#include "compute/leaves.h"

const tern_loops *tern_loops_selected(void) {
  static const tern_loops *const tables[TERN_ISA_COUNT] = {
    [TERN_ISA_SCALAR] = &tern_loops_scalar,
#if defined(__x86_64__)
    [TERN_ISA_AVX2] = &tern_loops_avx2,
    [TERN_ISA_AVX512] = &tern_loops_avx512,
#elif defined(__aarch64__)
    [TERN_ISA_NEON] = &tern_loops_neon,
#endif
  };
  const tern_loops *table = tables[tern_leaves_selected()->isa];
  return table ? table : &tern_loops_scalar;
}
