// The real matrix products, stamped from gemm.inc for float and double.
#include "compute/gemm.h"

#include <string.h>

#include "compute/leaves.h"

// How far the tiles of a product are made smaller for threads: no further than to about TILE_NS
// each, nor to more than MAX_TILES.
enum { TILE_NS = 20000, MAX_TILES = 32 };

// With so many tiles a product of a batch has work enough for threads on its own.
enum { FEW_TILES = 8 };

// An operand up to this size is packed ahead of the tiles that share it.
enum { MAX_AHEAD_BYTES = 8 << 20 };

#define T float
#define FN(suffix) tern_gemm_f32##suffix
#define S(suffix) f32_##suffix
#define LEAF gemm_f32
#define LEAF_TYPE tern_gemm_f32_leaf
#define STORE_TYPE tern_gemm_f32_store
#include "compute/gemm.inc"
#include "compute/gemm_run.inc"
#undef T
#undef FN
#undef S
#undef LEAF
#undef LEAF_TYPE
#undef STORE_TYPE

#define T double
#define FN(suffix) tern_gemm_f64##suffix
#define S(suffix) f64_##suffix
#define LEAF gemm_f64
#define LEAF_TYPE tern_gemm_f64_leaf
#define STORE_TYPE tern_gemm_f64_store
#include "compute/gemm.inc"
#include "compute/gemm_run.inc"
