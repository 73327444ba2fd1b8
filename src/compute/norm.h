// Softmax and normalisations on dense tensors. Each line is computed by itself, in a fixed order,
// on as many threads as pay; `parallel` may be NULL. x and y are equal or do not overlap.
#ifndef TERN_COMPUTE_NORM_H_
#define TERN_COMPUTE_NORM_H_

#include "compute/lines.h"

// Softmax over the lines: exp(x - max) / sum of exp(x - max), or its logarithm.
// A line of only -infinity, or with NaN or +infinity, gives NaN.
void tern_softmax_f32(tern_lines lines, const float *x, float *y, bool is_log);
void tern_softmax_f64(tern_lines lines, const double *x, double *y, bool is_log);

// The mean and the (population) variance of n elements, in one pass over memory. n = 0 gives 0, 0.
void tern_moments_f32(size_t n, const float *x, double *out_mean, double *out_variance);
void tern_moments_f64(size_t n, const double *x, double *out_mean, double *out_variance);

// y[r, i] = (x[r, i] - mean of row r) / sqrt(variance of row r + epsilon) * scale[i] + bias[i] for
// `rows` rows of n elements. scale and bias [n] may be NULL; so may means and inverse_deviations
// [rows], which receive each row's mean and 1 / sqrt(variance + epsilon).
void tern_layer_norm_f32(const tern_parallel *parallel, size_t rows, size_t n, const float *x,
                         const float *scale, const float *bias, float epsilon, float *y,
                         float *means, float *inverse_deviations);
void tern_layer_norm_f64(const tern_parallel *parallel, size_t rows, size_t n, const double *x,
                         const double *scale, const double *bias, double epsilon, double *y,
                         double *means, double *inverse_deviations);

// y[r, i] = x[r, i] / sqrt(mean of squares of row r + epsilon) * scale[i]. scale may be NULL; so
// may inverse_deviations [rows].
void tern_rms_norm_f32(const tern_parallel *parallel, size_t rows, size_t n, const float *x,
                       const float *scale, float epsilon, float *y, float *inverse_deviations);
void tern_rms_norm_f64(const tern_parallel *parallel, size_t rows, size_t n, const double *x,
                       const double *scale, double epsilon, double *y, double *inverse_deviations);

// Normalises groups of `channels` planes of `size` elements together, then scales each plane by its
// own scale[c] and bias[c], c counted from the first plane given: InstanceNormalization with
// channels = 1, GroupNormalization otherwise. `groups` groups; scale and bias have one element for
// each of the `period` channels after which they repeat (a batch entry). first_channel is the
// channel of the first plane. scale and bias may be NULL.
typedef struct tern_group_norm_shape {
  size_t groups, channels, size;
  size_t period, first_channel;
  const tern_parallel *parallel;
} tern_group_norm_shape;
void tern_group_norm_f32(const tern_group_norm_shape *shape, const float *x, const float *scale,
                         const float *bias, float epsilon, float *y);
void tern_group_norm_f64(const tern_group_norm_shape *shape, const double *x, const double *scale,
                         const double *bias, double epsilon, double *y);

// LRN over [batch, channels, inner]: y = x / (bias + alpha / size * sum of x^2 over the `size`
// channels around c)^beta. The window holds channels c - (size - 1) / 2 to c + size / 2 that exist.
// x and y do not overlap.
typedef struct tern_lrn_shape {
  size_t batch, channels, inner, size;
  const tern_parallel *parallel;
} tern_lrn_shape;
void tern_lrn_f32(const tern_lrn_shape *shape, const float *x, float alpha, float beta, float bias,
                  float *y);
void tern_lrn_f64(const tern_lrn_shape *shape, const double *x, double alpha, double beta,
                  double bias, double *y);

#endif
