// Pooling over any number of spatial dimensions, on planes: X [planes, in...], Y [planes, out...],
// where planes counts batch times channels. Any range of planes may be computed by itself: pass
// pointers to its first plane. Results do not depend on how planes are split.
#ifndef TERN_COMPUTE_POOL_H_
#define TERN_COMPUTE_POOL_H_

#include "compute/window.h"

// X(suffix, type, the value below all others)
#define TERN_POOL_MAX_TYPES(X)                                                                     \
  X(f32, float, -INFINITY)                                                                         \
  X(f64, double, -INFINITY)                                                                        \
  X(i8, int8_t, INT8_MIN)                                                                          \
  X(u8, uint8_t, 0)

// The largest element under each window; NaN loses against any number. Padding never wins: a window
// that covers nothing gives the lowest value. indices, unless NULL, receives for each output the
// flat position of its element among all planes, the first in row-major order where several are
// equal, -1 for none; `first_plane` is the number of the first plane given. column_major numbers
// positions within a plane with the first spatial dimension running fastest (ONNX storage_order 1).
#define TERN_POOL_DECLARE_MAX(S, T, LOWEST)                                                        \
  void tern_pool_max_##S(const tern_window *window, size_t planes, const T *x, T *y,               \
                         int64_t *indices, size_t first_plane, bool column_major);
TERN_POOL_MAX_TYPES(TERN_POOL_DECLARE_MAX)
#undef TERN_POOL_DECLARE_MAX

// The mean under each window: over elements of X alone, or with count_padding over padding too, as
// far as pad_begin and pad_end reach. A window over nothing gives 0 / 0.
void tern_pool_average_f32(const tern_window *window, size_t planes, const float *x, float *y,
                           bool count_padding);
void tern_pool_average_f64(const tern_window *window, size_t planes, const double *x, double *y,
                           bool count_padding);

// (sum of |x|^p)^(1/p) under each window, p > 0.
void tern_pool_lp_f32(const tern_window *window, size_t planes, const float *x, float *y, float p);
void tern_pool_lp_f64(const tern_window *window, size_t planes, const double *x, double *y,
                      double p);

// The mean of each plane of `size` elements, summed in double.
void tern_pool_global_average_f32(size_t planes, size_t size, const float *x, float *y);
void tern_pool_global_average_f64(size_t planes, size_t size, const double *x, double *y);

#endif
