// Leaves for scalar. The baseline of the architecture, compiled without ISA flags.
#define TERN_LEAVES_ISA TERN_ISA_SCALAR
#define TERN_LEAVES_NAME tern_leaves_scalar
#define TERN_TILE_MR 4
#define TERN_TILE_NV 4
#define TERN_TILE_ROWS(X) X(1) X(2) X(4)
#define TERN_TILE_MC 64
#define TERN_TILE_NC 256
#define TERN_BLOCKED_VECTORS 8
#define TERN_BLOCKED_PIXELS(X) X(1)
#define TERN_BLOCKED_MAX_PIXELS 1
#include "compute/arch/leaves.inc"
