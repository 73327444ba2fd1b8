// Convolutions, stamped from conv.inc for float and double.
#include "compute/conv.h"

#include <string.h>

#include "compute/gemm.h"
#include "compute/leaves.h"

// Kernels with more positions than this are no case for the depthwise path.
#define MAX_TAPS 256
// The block of columns of a transposed convolution: rows at least, and positions at most.
#define COLUMN_ROWS 168
#define COLUMN_POSITIONS 1024

#define T float
#define S(suffix) f32_##suffix
#define FN(suffix) tern_conv_f32##suffix
#define FNT(suffix) tern_conv_transpose_f32##suffix
#define COL2IM tern_col2im_f32
#define GEMM(suffix) tern_gemm_f32##suffix
#define LEAF conv_f32
#define RUN_UNIT 8
#include "compute/conv.inc"
#include "compute/conv_transpose.inc"
#undef T
#undef S
#undef FN
#undef FNT
#undef COL2IM
#undef GEMM
#undef LEAF
#undef RUN_UNIT

#define T double
#define S(suffix) f64_##suffix
#define FN(suffix) tern_conv_f64##suffix
#define FNT(suffix) tern_conv_transpose_f64##suffix
#define COL2IM tern_col2im_f64
#define GEMM(suffix) tern_gemm_f64##suffix
#define LEAF conv_f64
#define RUN_UNIT 4
#include "compute/conv.inc"
#include "compute/conv_transpose.inc"
