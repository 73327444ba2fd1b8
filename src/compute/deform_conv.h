// Deformable convolution (Dai et al., 2017; with masks, Zhu et al., 2018): each kernel position
// reads the input at a place of its own, between elements, which the offsets give.
#ifndef TERN_COMPUTE_DEFORM_CONV_H_
#define TERN_COMPUTE_DEFORM_CONV_H_

#include "compute/window.h"

typedef struct tern_deform_shape {
  tern_window window;
  size_t in_channels, groups, offset_groups; // both divide the channels
} tern_deform_shape;

// The columns [in_channels / groups * kernel size, output positions] that the weights of group
// `group` are multiplied with, for one entry of a batch: x [in_channels, in...], offset
// [offset_groups, kernel..., rank, out...], mask [offset_groups, kernel..., out...] or NULL.
// Elements between those of x are interpolated linearly; outside of x is 0.
void tern_deform_columns_f32(const tern_deform_shape *shape, size_t group, const float *x,
                             const float *offset, const float *mask, float *columns);
void tern_deform_columns_f64(const tern_deform_shape *shape, size_t group, const double *x,
                             const double *offset, const double *mask, double *columns);

#endif
