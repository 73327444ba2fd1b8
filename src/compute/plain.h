// The definitions: each kernel as the loops of its formula, slow and plain. Tests hold the fast
// kernels to these; the parameter structs are those of the fast ones.
#ifndef TERN_COMPUTE_PLAIN_H_
#define TERN_COMPUTE_PLAIN_H_

#include "compute/blocked.h"
#include "compute/conv.h"
#include "compute/gemm.h"
#include "compute/pool.h"

// Sums in double. Packed operands and fill_b are not read: a and b must be given.
void tern_plain_gemm_f32(const tern_gemm_f32_params *params);
void tern_plain_gemm_f64(const tern_gemm_f64_params *params);

void tern_plain_conv_f32(const tern_conv_f32_params *params);
void tern_plain_conv_f64(const tern_conv_f64_params *params);
void tern_plain_conv_transpose_f32(const tern_conv_transpose_f32_params *params);
void tern_plain_conv_transpose_f64(const tern_conv_transpose_f64_params *params);

// One plane. `p` > 0 is the norm of Lp pooling, 0 asks for the mean.
void tern_plain_pool_max_f32(const tern_window *window, const float *x, float *y, int64_t *indices,
                             bool column_major);
void tern_plain_pool_sum_f32(const tern_window *window, const float *x, float *y, float p,
                             bool count_padding);

// What blocked.h computes, from weights as ONNX has them; `packed` is not read.
void tern_plain_blocked_conv_f32(const tern_blocked_conv_params *params, const float *w,
                                 const float *bias);
void tern_plain_blocked_depthwise_f32(const tern_blocked_window_params *params, const float *w,
                                      const float *bias);
void tern_plain_blocked_max_f32(const tern_blocked_window_params *params);
void tern_plain_blocked_average_f32(const tern_blocked_window_params *params);

#endif
