// Batch normalisation, stamped for each real type.
#include "compute/batch_norm.h"

#include "compute/norm.h"
#include "compute/types.h"

// Joins the moments of `n` more elements to those of `count`: Chan, Golub and LeVeque, "Updating
// formulae and a pairwise algorithm for computing sample variances" (1979). The variances are kept
// as sums of squared differences.
static void join_moments(double count, double n, double mean, double squares, double *inout_mean,
                         double *inout_squares) {
  const double total = count + n, difference = mean - *inout_mean;
  *inout_mean += difference * (n / total);
  *inout_squares += squares + difference * difference * (count * n / total);
}

#define STAMP(dtype_, T, suffix)                                                                   \
  /* One element a channel: the channels are the vector. */                                        \
  static void rows_##suffix(size_t rows, size_t n, const T *x, const T *mean, const T *factor,     \
                            const T *shift, T *y) {                                                \
    for (size_t r = 0; r < rows; r++, x += n, y += n) {                                            \
      TERN_LANES_INDEPENDENT                                                                       \
      for (size_t c = 0; c < n; c++) y[c] = (x[c] - mean[c]) * factor[c] + shift[c];               \
    }                                                                                              \
  }                                                                                                \
  static void plane_##suffix(size_t n, const T *x, T mean, T factor, T shift, T *y) {              \
    TERN_LANES_INDEPENDENT                                                                         \
    for (size_t i = 0; i < n; i++) y[i] = (x[i] - mean) * factor + shift;                          \
  }                                                                                                \
  void tern_batch_norm_##suffix(const tern_batch_norm_shape *shape, const T *x, const T *mean,     \
                                const T *factor, const T *shift, T *y) {                           \
    const size_t channels = shape->channels, size = shape->size;                                   \
    if (size == 1) {                                                                               \
      rows_##suffix(shape->batch, channels, x, mean, factor, shift, y);                            \
      return;                                                                                      \
    }                                                                                              \
    for (size_t plane = 0; plane < shape->batch * channels; plane++) {                             \
      const size_t c = plane % channels;                                                           \
      plane_##suffix(size, x + plane * size, mean[c], factor[c], shift[c], y + plane * size);      \
    }                                                                                              \
  }                                                                                                \
  void tern_channel_moments_##suffix(const tern_batch_norm_shape *shape, const T *x,               \
                                     double *means, double *variances) {                           \
    const size_t channels = shape->channels, size = shape->size;                                   \
    for (size_t c = 0; c < channels; c++) means[c] = variances[c] = 0;                             \
    if (shape->batch == 0 || size == 0) return;                                                    \
    for (size_t b = 0; b < shape->batch; b++)                                                      \
      for (size_t c = 0; c < channels; c++) {                                                      \
        double mean, variance;                                                                     \
        tern_moments_##suffix(size, x + (b * channels + c) * size, &mean, &variance);              \
        join_moments((double)b *(double)size, (double)size, mean, variance *(double)size,          \
                     &means[c], &variances[c]);                                                    \
      }                                                                                            \
    for (size_t c = 0; c < channels; c++) variances[c] /= (double)shape->batch * (double)size;     \
  }
TERN_X_FLOATS(STAMP)
#undef STAMP
