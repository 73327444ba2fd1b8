// Leaves for avx2. 12 of 16 registers hold the tile; two hold a row of b, one a broadcast.
#define TERN_LEAVES_ISA TERN_ISA_AVX2
#define TERN_LEAVES_NAME tern_leaves_avx2
#define TERN_TILE_MR 6
#define TERN_TILE_NV 2
#define TERN_TILE_ROWS(X) X(1) X(2) X(4) X(6)
#define TERN_TILE_MC 120
#define TERN_TILE_NC 512
#define TERN_BLOCKED_VECTORS 1
#define TERN_BLOCKED_PIXELS(X) X(1) X(2) X(3)
#define TERN_BLOCKED_MAX_PIXELS 3
#include "compute/arch/leaves.inc"
