// Batch normalisation of dense [batch, channels, size]: every channel has its own mean, factor and
// shift, over all entries of the batch.
#ifndef TERN_COMPUTE_BATCH_NORM_H_
#define TERN_COMPUTE_BATCH_NORM_H_

#include "parallel/parallel.h"

typedef struct tern_batch_norm_shape {
  size_t batch, channels, size;
  const tern_parallel *parallel; // who helps; NULL: nobody
} tern_batch_norm_shape;

// y = (x - mean[c]) * factor[c] + shift[c]. x and y are equal or do not overlap.
void tern_batch_norm_f32(const tern_batch_norm_shape *shape, const float *x, const float *mean,
                         const float *factor, const float *shift, float *y);
void tern_batch_norm_f64(const tern_batch_norm_shape *shape, const double *x, const double *mean,
                         const double *factor, const double *shift, double *y);

// Each channel's mean and (population) variance over batch and size; 0 and 0 of nothing. Planes are
// joined in order.
void tern_channel_moments_f32(const tern_batch_norm_shape *shape, const float *x, double *means,
                              double *variances);
void tern_channel_moments_f64(const tern_batch_norm_shape *shape, const double *x, double *means,
                              double *variances);

#endif
