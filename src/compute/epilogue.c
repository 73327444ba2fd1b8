#include "compute/epilogue.h"

static void add_residual(const float *residual, float *y, size_t count) {
  tern_binary_find(TERN_BINARY_ADD, TERN_FLOAT)(y, 1, residual, 1, y, (int64_t)count);
}

void tern_epilogue_f32_run(const tern_epilogue_f32 *epilogue, const float *residual, float *y,
                           size_t count) {
  if (residual && !epilogue->residual_last) add_residual(residual, y, count);
  if (epilogue->activation) epilogue->activation(y, y, (int64_t)count, &epilogue->params);
  if (residual && epilogue->residual_last) add_residual(residual, y, count);
}

void tern_epilogue_f32_finish(void *context, float *c, size_t ldc, size_t m_begin, size_t m_count,
                              size_t n_begin, size_t n_count) {
  const tern_epilogue_f32_context *whole = context;
  const float *residual = whole->epilogue->residual;
  (void)m_begin, (void)n_begin;
  for (size_t i = 0; i < m_count; i++, c += ldc)
    tern_epilogue_f32_run(whole->epilogue, residual ? residual + (c - whole->result) : NULL, c,
                          n_count);
}
