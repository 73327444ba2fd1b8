// Convolution and transposed convolution over any number of spatial dimensions, on dense
// row-major tensors: X [batch, channels, spatial...], W as ONNX stores it. Nothing allocates; the
// caller gives a workspace, one for each thread.
//
// Work is cut into tiles that write disjoint parts of Y. Tiles depend on sizes and the ISA alone,
// so splitting their range over threads changes no bit.
#ifndef TERN_COMPUTE_CONV_H_
#define TERN_COMPUTE_CONV_H_

#include "compute/gemm.h"
#include "compute/window.h"

// float: tern_conv_f32_params, tern_conv_f32 and its companions, described in conv_decl.inc.
#define TERN_CONV_T float
#define TERN_CONV_NAME(suffix) tern_conv_f32##suffix
#define TERN_CONV_TRANSPOSE_NAME(suffix) tern_conv_transpose_f32##suffix
#define TERN_CONV_COL2IM tern_col2im_f32
#define TERN_CONV_FINISH_FN tern_gemm_f32_finish_fn
#include "compute/conv_decl.inc"
#undef TERN_CONV_T
#undef TERN_CONV_NAME
#undef TERN_CONV_TRANSPOSE_NAME
#undef TERN_CONV_COL2IM
#undef TERN_CONV_FINISH_FN

// double: the same under tern_conv_f64.
#define TERN_CONV_T double
#define TERN_CONV_NAME(suffix) tern_conv_f64##suffix
#define TERN_CONV_TRANSPOSE_NAME(suffix) tern_conv_transpose_f64##suffix
#define TERN_CONV_COL2IM tern_col2im_f64
#define TERN_CONV_FINISH_FN tern_gemm_f64_finish_fn
#include "compute/conv_decl.inc"
#undef TERN_CONV_T
#undef TERN_CONV_NAME
#undef TERN_CONV_TRANSPOSE_NAME
#undef TERN_CONV_COL2IM
#undef TERN_CONV_FINISH_FN

#endif
