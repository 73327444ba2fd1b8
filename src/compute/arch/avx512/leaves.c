// Leaves for avx512. 28 of 32 registers hold the tile; two more hold a row of b.
#define TERN_LEAVES_ISA TERN_ISA_AVX512
#define TERN_LEAVES_NAME tern_leaves_avx512
#define TERN_TILE_MR 14
#define TERN_TILE_NV 2
#define TERN_TILE_ROWS(X) X(1) X(2) X(4) X(8) X(14)
#define TERN_TILE_MC 168
#define TERN_TILE_NC 512
#define TERN_BLOCKED_VECTORS 1
#define TERN_BLOCKED_PIXELS(X) X(1) X(2) X(3) X(4) X(5) X(6) X(7)
#define TERN_BLOCKED_MAX_PIXELS 7
#include "compute/arch/leaves.inc"
