// Elementwise loops for neon.
#define TERN_LOOPS_NAME tern_loops_neon
#include "compute/arch/loops.inc"
