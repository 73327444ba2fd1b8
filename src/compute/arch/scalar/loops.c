// Elementwise loops for scalar.
#define TERN_LOOPS_NAME tern_loops_scalar
#include "compute/arch/loops.inc"
