// The real matrix products, stamped from gemm.inc for float and double.
#include "compute/gemm.h"

#include <string.h>

#include "compute/leaves.h"

#define T float
#define FN(suffix) tern_gemm_f32##suffix
#define S(suffix) f32_##suffix
#define LEAF gemm_f32
#define LEAF_TYPE tern_gemm_f32_leaf
#define STORE_TYPE tern_gemm_f32_store
#include "compute/gemm.inc"
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
