// Convolution of 8-bit integers with zero points, and the step from its sums back to 8 bits.
// Nothing allocates. Sums are int32 modulo 2^32, so they do not depend on the order.
#ifndef TERN_COMPUTE_CONV_INT_H_
#define TERN_COMPUTE_CONV_INT_H_

#include "compute/window.h"
#include "parallel/parallel.h"

// Y [batch, out_channels, out...] = sum of (X - x_zero)(W - w_zero), for X [batch, in_channels,
// in...] and W [out_channels, in_channels / groups, kernel...], int8_t or uint8_t each. Padding
// adds nothing. Zero points have the type of their tensor; NULL is 0.
typedef struct tern_conv_i8_params {
  tern_window window;
  size_t batch, groups, in_channels, out_channels;
  const void *x, *w;
  bool x_signed, w_signed;
  const void *x_zero, *w_zero;
  bool w_zero_per_channel; // one for each output channel
  int32_t *y;
  const tern_parallel *parallel; // who helps; NULL: nobody
} tern_conv_i8_params;

// The bytes of the workspace. False when no memory could hold them.
bool tern_conv_i8_workspace_bytes(const tern_conv_i8_params *params, size_t *out_bytes);
void tern_conv_i8(const tern_conv_i8_params *params, void *workspace);

// y[i] = clamp(round(sums[i] * factors[i * factor_step]) + zero_point) to int8_t or uint8_t, to the
// nearest, ties to even. factor_step is 0 or 1. NaN becomes the smallest value.
void tern_requantize_i8(size_t n, const int32_t *sums, const float *factors, size_t factor_step,
                        int32_t zero_point, bool is_signed, void *y);

#endif
