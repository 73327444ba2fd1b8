#include "compute/plain.h"

#include <math.h>

#define STAMP_GEMM(S, T)                                                                           \
  void tern_plain_gemm_##S(const tern_gemm_##S##_params *p) {                                      \
    for (size_t i = 0; i < p->m; i++) {                                                            \
      for (size_t j = 0; j < p->n; j++) {                                                          \
        double sum = 0;                                                                            \
        for (size_t k = 0; k < p->k; k++) {                                                        \
          const T a = p->transpose_a ? p->a[k * p->lda + i] : p->a[i * p->lda + k];                \
          const T b = p->transpose_b ? p->b[j * p->ldb + k] : p->b[k * p->ldb + j];                \
          sum += (double)a * (double)b;                                                            \
        }                                                                                          \
        T *c = &p->c[i * p->ldc + j];                                                              \
        double result = (double)p->alpha * sum;                                                    \
        if (p->k == 0) result = 0;                                                                 \
        if (p->beta != 0) result += (double)p->beta * (double)*c;                                  \
        if (p->bias_m) result += (double)p->bias_m[i];                                             \
        if (p->bias_n) result += (double)p->bias_n[j];                                             \
        *c = (T)result;                                                                            \
      }                                                                                            \
    }                                                                                              \
  }
STAMP_GEMM(f32, float)
STAMP_GEMM(f64, double)

// The flat input index that output `out` meets at kernel position `kernel`; false in the padding.
static bool input_index(const tern_window *w, const size_t *out, const size_t *kernel,
                        size_t *out_index) {
  size_t index = 0;
  for (size_t d = 0; d < w->rank; d++) {
    const ptrdiff_t at = tern_window_at(w, d, out[d], kernel[d]);
    if (at < 0 || at >= (ptrdiff_t)w->in[d]) return false;
    index = index * w->in[d] + (size_t)at;
  }
  *out_index = index;
  return true;
}

#define STAMP_CONV(S, T)                                                                           \
  static double conv_element_##S(const tern_window *w, size_t channels, const T *x,                \
                                 const T *weights, const size_t *out) {                            \
    const size_t in_size = tern_window_in_size(w);                                                 \
    double sum = 0;                                                                                \
    for (size_t c = 0; c < channels; c++) {                                                        \
      size_t kernel[TERN_WINDOW_MAX_RANK] = {0};                                                   \
      do {                                                                                         \
        size_t index;                                                                              \
        if (input_index(w, out, kernel, &index))                                                   \
          sum += (double)x[c * in_size + index] * (double)*weights;                                \
        weights++;                                                                                 \
      } while (tern_window_advance(w->rank, w->kernel, kernel));                                   \
    }                                                                                              \
    return sum;                                                                                    \
  }                                                                                                \
                                                                                                   \
  void tern_plain_conv_##S(const tern_conv_##S##_params *p) {                                      \
    const tern_window *w = &p->window;                                                             \
    const size_t channels = p->in_channels / p->groups, each = p->out_channels / p->groups;        \
    const size_t taps = channels * tern_window_kernel_size(w), in_size = tern_window_in_size(w);   \
    T *y = p->y;                                                                                   \
    for (size_t b = 0; b < p->batch; b++) {                                                        \
      for (size_t m = 0; m < p->out_channels; m++) {                                               \
        const T *x = p->x + (b * p->in_channels + m / each * channels) * in_size;                  \
        size_t out[TERN_WINDOW_MAX_RANK] = {0};                                                    \
        do {                                                                                       \
          const double sum = conv_element_##S(w, channels, x, p->w + m * taps, out);               \
          *y++ = (T)(sum + (p->bias ? (double)p->bias[m] : 0));                                    \
        } while (tern_window_advance(w->rank, w->out, out));                                       \
      }                                                                                            \
    }                                                                                              \
  }                                                                                                \
                                                                                                   \
  /* y is one output channel, weights those of one pair of channels. */                            \
  static void add_transposed_##S(const tern_window *w, const T *x, const T *weights, T *y) {       \
    size_t out[TERN_WINDOW_MAX_RANK] = {0};                                                        \
    do {                                                                                           \
      size_t kernel[TERN_WINDOW_MAX_RANK] = {0}, k = 0;                                            \
      do {                                                                                         \
        size_t index;                                                                              \
        if (input_index(w, out, kernel, &index)) y[index] += *x * weights[k];                      \
        k++;                                                                                       \
      } while (tern_window_advance(w->rank, w->kernel, kernel));                                   \
      x++;                                                                                         \
    } while (tern_window_advance(w->rank, w->out, out));                                           \
  }                                                                                                \
                                                                                                   \
  void tern_plain_conv_transpose_##S(const tern_conv_transpose_##S##_params *p) {                  \
    const tern_window *w = &p->window;                                                             \
    const size_t each_in = p->in_channels / p->groups, each_out = p->out_channels / p->groups;     \
    const size_t x_size = tern_window_out_size(w), y_size = tern_window_in_size(w);                \
    for (size_t b = 0; b < p->batch; b++) {                                                        \
      for (size_t m = 0; m < p->out_channels; m++) {                                               \
        const size_t group = m / each_out;                                                         \
        T *y = p->y + (b * p->out_channels + m) * y_size;                                          \
        for (size_t i = 0; i < y_size; i++) y[i] = p->bias ? p->bias[m] : 0;                       \
        for (size_t c = group * each_in; c < (group + 1) * each_in; c++)                           \
          add_transposed_##S(w, p->x + (b * p->in_channels + c) * x_size,                          \
                             p->w + (c * each_out + m % each_out) * tern_window_kernel_size(w),    \
                             y);                                                                   \
      }                                                                                            \
    }                                                                                              \
  }
STAMP_CONV(f32, float)
STAMP_CONV(f64, double)

static size_t column_major(const tern_window *w, size_t index) {
  size_t at[TERN_WINDOW_MAX_RANK], result = 0;
  tern_window_unravel(index, w->rank, w->in, at);
  for (size_t d = w->rank; d-- > 0;) result = result * w->in[d] + at[d];
  return result;
}

void tern_plain_pool_max_f32(const tern_window *w, const float *x, float *y, int64_t *indices,
                             bool is_column_major) {
  size_t out[TERN_WINDOW_MAX_RANK] = {0}, i = 0;
  do {
    size_t kernel[TERN_WINDOW_MAX_RANK] = {0}, index;
    y[i] = -INFINITY;
    indices[i] = -1;
    do {
      if (!input_index(w, out, kernel, &index)) continue;
      if (x[index] > y[i] || (indices[i] < 0 && x[index] == y[i])) {
        y[i] = x[index];
        indices[i] = (int64_t)(is_column_major ? column_major(w, index) : index);
      }
    } while (tern_window_advance(w->rank, w->kernel, kernel));
    i++;
  } while (tern_window_advance(w->rank, w->out, out));
}

// Whether a kernel position lies in the input or in the declared padding around it.
static bool in_padded(const tern_window *w, const size_t *out, const size_t *kernel) {
  for (size_t d = 0; d < w->rank; d++) {
    const ptrdiff_t at = tern_window_at(w, d, out[d], kernel[d]);
    if (at < -w->pad_begin[d] || at >= (ptrdiff_t)w->in[d] + w->pad_end[d]) return false;
  }
  return true;
}

void tern_plain_pool_sum_f32(const tern_window *w, const float *x, float *y, float p,
                             bool count_padding) {
  size_t out[TERN_WINDOW_MAX_RANK] = {0};
  do {
    size_t kernel[TERN_WINDOW_MAX_RANK] = {0}, index, count = 0;
    double sum = 0;
    do {
      const bool is_inside = input_index(w, out, kernel, &index);
      if (is_inside) sum += p > 0 ? pow(fabs((double)x[index]), (double)p) : (double)x[index];
      count += is_inside || (count_padding && in_padded(w, out, kernel));
    } while (tern_window_advance(w->rank, w->kernel, kernel));
    *y++ = (float)(p > 0 ? pow(sum, 1 / (double)p) : sum / (double)count);
  } while (tern_window_advance(w->rank, w->out, out));
}
