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
  typedef struct batch_##suffix {                                                                  \
    const tern_batch_norm_shape *shape;                                                            \
    const T *x, *mean, *factor, *shift;                                                            \
    T *y;                                                                                          \
  } batch_##suffix;                                                                                \
  static void entries_##suffix(void *context, int64_t begin, int64_t end) {                        \
    const batch_##suffix *b = context;                                                             \
    const size_t n = b->shape->channels, at = (size_t)begin * n;                                   \
    rows_##suffix((size_t)(end - begin), n, b->x + at, b->mean, b->factor, b->shift, b->y + at);   \
  }                                                                                                \
  static void planes_##suffix(void *context, int64_t begin, int64_t end) {                         \
    const batch_##suffix *b = context;                                                             \
    const size_t size = b->shape->size;                                                            \
    for (size_t i = (size_t)begin; i < (size_t)end; i++) {                                         \
      const size_t c = i % b->shape->channels;                                                     \
      plane_##suffix(size, b->x + i * size, b->mean[c], b->factor[c], b->shift[c],                 \
                     b->y + i * size);                                                             \
    }                                                                                              \
  }                                                                                                \
  void tern_batch_norm_##suffix(const tern_batch_norm_shape *shape, const T *x, const T *mean,     \
                                const T *factor, const T *shift, T *y) {                           \
    batch_##suffix b = {shape, x, mean, factor, shift, y};                                         \
    const bool is_flat = shape->size == 1;                                                         \
    const size_t items = is_flat ? shape->batch : shape->batch * shape->channels;                  \
    const double each = (double)(is_flat ? shape->channels : shape->size);                         \
    tern_parallel_for(shape->parallel, (int64_t)items,                                             \
                      tern_cost_ns(3 * each, 2.0 * sizeof(T) * each),                              \
                      is_flat ? entries_##suffix : planes_##suffix, &b);                           \
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
