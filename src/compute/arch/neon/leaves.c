// Leaves for neon. 16 of 32 registers hold the tile.
#define TERN_LEAVES_ISA TERN_ISA_NEON
#define TERN_LEAVES_NAME tern_leaves_neon
#define TERN_TILE_MR 8
#define TERN_TILE_NV 2
#define TERN_TILE_ROWS(X) X(1) X(2) X(4) X(8)
#define TERN_TILE_MC 120
#define TERN_TILE_NC 512
#define TERN_BLOCKED_VECTORS 2
#define TERN_BLOCKED_PIXELS(X) X(1) X(2) X(3)
#define TERN_BLOCKED_MAX_PIXELS 3
#include "compute/arch/leaves.inc"
