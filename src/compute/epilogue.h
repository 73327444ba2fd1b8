// What follows a product while its results are still in cache: a residual and an activation.
#ifndef TERN_COMPUTE_EPILOGUE_H_
#define TERN_COMPUTE_EPILOGUE_H_

#include "compute/activation.h"

// y = activation(y + residual), or with residual_last activation(y) + residual.
typedef struct tern_epilogue_f32 {
  const float *residual; // one element for each of the result, laid out as it is; NULL: none
  bool residual_last;
  tern_activation_fn activation; // of floats; NULL: none
  tern_activation_params params;
  bool is_clip; // the activation is TERN_ACTIVATION_CLIP, which a kernel may do by itself
} tern_epilogue_f32;

static inline bool tern_epilogue_f32_is_empty(const tern_epilogue_f32 *epilogue) {
  return !epilogue->residual && !epilogue->activation;
}

// On `count` elements that lie together, with their residuals.
void tern_epilogue_f32_run(const tern_epilogue_f32 *epilogue, const float *residual, float *y,
                           size_t count);

// As the `finish` of a matrix product or a convolution, which sees a part of a whole result.
typedef struct tern_epilogue_f32_context {
  const tern_epilogue_f32 *epilogue;
  const float *result; // where the whole result begins
} tern_epilogue_f32_context;
// `context` is a tern_epilogue_f32_context.
void tern_epilogue_f32_finish(void *context, float *c, size_t ldc, size_t m_begin, size_t m_count,
                              size_t n_begin, size_t n_count);

#endif
