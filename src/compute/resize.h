// Resampling a tensor along one axis at a time: ONNX's Resize. A table says, for every place along
// the result's axis, which elements it is made of and with what weights; then the elements are
// copied (nearest) or summed (linear, cubic).
#ifndef TERN_COMPUTE_RESIZE_H_
#define TERN_COMPUTE_RESIZE_H_

#include "parallel/parallel.h"

typedef enum tern_resize_mode {
  TERN_RESIZE_NEAREST,
  TERN_RESIZE_LINEAR,
  TERN_RESIZE_CUBIC,
} tern_resize_mode;

// Where a place of the result lies on the input's axis, as the standard names it.
typedef enum tern_resize_coordinates {
  TERN_RESIZE_HALF_PIXEL,
  TERN_RESIZE_HALF_PIXEL_SYMMETRIC,
  TERN_RESIZE_PYTORCH_HALF_PIXEL,
  TERN_RESIZE_ALIGN_CORNERS,
  TERN_RESIZE_ASYMMETRIC,
  TERN_RESIZE_CROP,             // tf_crop_and_resize
  TERN_RESIZE_TF_HALF_PIXEL_NN, // tf_half_pixel_for_nn
} tern_resize_coordinates;

// How TERN_RESIZE_NEAREST picks an element.
typedef enum tern_resize_rounding {
  TERN_RESIZE_ROUND_PREFER_FLOOR,
  TERN_RESIZE_ROUND_PREFER_CEIL,
  TERN_RESIZE_FLOOR,
  TERN_RESIZE_CEIL,
  TERN_RESIZE_BY_SCALE, // ceil where the axis shrinks, else floor: Resize-10
} tern_resize_rounding;

typedef struct tern_resize_filter {
  tern_resize_mode mode;
  tern_resize_coordinates coordinates;
  tern_resize_rounding rounding;
  bool antialias, exclude_outside;
  double cubic_a;
} tern_resize_filter;

// One axis. For result place j, the elements are index[j * taps + k], k in [0, taps); index -1 in
// the first of them says that the place lies outside the input and takes the extrapolation value.
typedef struct tern_resize_axis {
  int64_t in, out; // both > 0
  double scale;    // > 0; out / in, before rounding
  double roi_begin, roi_end;
  int64_t taps;
  int64_t *index; // [out * taps]
  void *weight;   // [out * taps] doubles, or floats after tern_resize_axis_narrow; not for nearest
} tern_resize_axis;

// Elements that go into one place of the result.
int64_t tern_resize_taps(const tern_resize_filter *filter, double scale);
// Fills `index` and `weight` (doubles), both the caller's, from the other members.
void tern_resize_axis_fill(const tern_resize_filter *filter, tern_resize_axis *axis);
// Makes the weights floats, in place.
void tern_resize_axis_narrow(tern_resize_axis *axis);

// target[outer, out, inner] = sum over taps of weight * source[outer, in, inner], on as many
// threads as pay; `parallel` may be NULL.
void tern_resize_axis_f32(const tern_parallel *parallel, const tern_resize_axis *axis,
                          int64_t outer, int64_t inner, float extrapolation, const float *source,
                          float *target);
void tern_resize_axis_f64(const tern_parallel *parallel, const tern_resize_axis *axis,
                          int64_t outer, int64_t inner, double extrapolation, const double *source,
                          double *target);

// Nearest along `rank` axes at once, outermost first, for elements of `unit_bytes`; one tap each.
// `extrapolation` is one element.
void tern_resize_nearest(const tern_resize_axis *axes, int32_t rank, size_t unit_bytes,
                         const void *extrapolation, const void *source, void *target);

#endif
