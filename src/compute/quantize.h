// Linear quantisation and its inverse, on floats and integers of whole bytes. Other types are cast
// before or after.
#ifndef TERN_COMPUTE_QUANTIZE_H_
#define TERN_COMPUTE_QUANTIZE_H_

#include "compute/broadcast.h"
#include "compute/types.h"

// A tensor seen as [outer, axis, inner], and which scale an element has: the only one (per tensor),
// that of its index on the axis, or that of its block of `block` indices on the axis.
typedef struct tern_quant_layout {
  int64_t outer, axis, inner;
  int64_t block;          // 0: not blocked
  int64_t scales_on_axis; // 1: per tensor; then outer and axis are 1
} tern_quant_layout;

// False when the scale's shape fits none of the three ways. `axis` may be negative; it is not
// looked at for one scale alone, nor for a tensor of rank 1 that is not blocked.
bool tern_quant_layout_init(tern_dims x, tern_dims scale, int64_t axis, int64_t block_size,
                            tern_quant_layout *out_layout);

// y = clamp(round(x / scale) + zero), to the nearest, ties to even; NaN becomes the smallest value.
// `zeros` NULL: none. y has the type `y_dtype`: int8, uint8, int16, uint16 with the bounds
// `lowest` and `highest`, or float, where y = x / scale + zero is neither rounded nor bounded.
typedef struct tern_quantize_params {
  tern_quant_layout layout;
  const float *x, *scales, *zeros;
  tern_dtype y_dtype;
  float lowest, highest;
  void *y;
} tern_quantize_params;
void tern_quantize(const tern_quantize_params *params);

// y = (x - zero) * scale. x has the type `x_dtype`: as above, or int32.
typedef struct tern_dequantize_params {
  tern_quant_layout layout;
  tern_dtype x_dtype;
  const void *x;
  const float *scales, *zeros;
  float *y;
} tern_dequantize_params;
void tern_dequantize(const tern_dequantize_params *params);

#endif
