// Elementwise loops for avx512.
#define TERN_LOOPS_NAME tern_loops_avx512
#include "compute/arch/loops.inc"
