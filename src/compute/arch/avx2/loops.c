// Elementwise loops for avx2.
#define TERN_LOOPS_NAME tern_loops_avx2
#include "compute/arch/loops.inc"
