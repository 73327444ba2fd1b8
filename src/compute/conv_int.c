// Integer convolution as matrix products over columns of patches.
#include "compute/conv_int.h"

#include <math.h>
#include <string.h>

#include "base/checked.h"
#include "compute/gemm.h"

// One kernel position along the innermost dimension: the outputs that read the input get its bytes,
// the others the padding. `row` is the input's row; NULL where it lies in the padding.
static void patch_row(const tern_window *w, size_t kernel, const uint8_t *row, uint8_t padding,
                      uint8_t *out) {
  const size_t d = w->rank - 1, stride = w->stride[d];
  size_t begin, end;
  tern_window_valid_range(w, d, kernel, &begin, &end);
  if (!row || begin >= end) {
    memset(out, padding, w->out[d]);
    return;
  }
  const uint8_t *from = row + tern_window_at(w, d, begin, kernel);
  memset(out, padding, begin);
  for (size_t o = begin; o < end; o++) out[o] = from[(o - begin) * stride];
  memset(out + end, padding, w->out[d] - end);
}

// Where the row of the input lies that output row `at` meets at kernel position `kernel`; NULL in
// the padding. Coordinates of the innermost dimension are not looked at.
static const uint8_t *input_row(const tern_window *w, const uint8_t *plane, const size_t *at,
                                const size_t *kernel) {
  size_t offset = 0;
  for (size_t d = 0; d + 1 < w->rank; d++) {
    const ptrdiff_t position = tern_window_at(w, d, at[d], kernel[d]);
    if (position < 0 || (size_t)position >= w->in[d]) return NULL;
    offset = offset * w->in[d] + (size_t)position;
  }
  return plane + offset * w->in[w->rank - 1];
}

// Columns [channels * kernel size, output positions] of `channels` planes.
static void gather_columns(const tern_window *w, size_t channels, const uint8_t *x, uint8_t padding,
                           uint8_t *columns) {
  const size_t plane = tern_window_in_size(w), positions = tern_window_out_size(w);
  const size_t kernels = tern_window_kernel_size(w), length = w->out[w->rank - 1];
  if (positions == 0) return;
  for (size_t line = 0; line < channels * kernels; line++, columns += positions) {
    size_t kernel[TERN_WINDOW_MAX_RANK], at[TERN_WINDOW_MAX_RANK] = {0};
    tern_window_unravel(line % kernels, w->rank, w->kernel, kernel);
    uint8_t *out = columns;
    do {
      patch_row(w, kernel[w->rank - 1], input_row(w, x + line / kernels * plane, at, kernel),
                padding, out);
      out += length;
    } while (tern_window_advance(w->rank - 1, w->out, at));
  }
}

bool tern_conv_i8_workspace_bytes(const tern_conv_i8_params *p, size_t *out_bytes) {
  const size_t rows = p->in_channels / p->groups * tern_window_kernel_size(&p->window);
  return tern_checked_mul(rows, tern_window_out_size(&p->window), out_bytes);
}

void tern_conv_i8(const tern_conv_i8_params *p, void *workspace) {
  const size_t in_group = p->in_channels / p->groups, out_group = p->out_channels / p->groups;
  const size_t plane = tern_window_in_size(&p->window);
  const size_t positions = tern_window_out_size(&p->window);
  const size_t k = in_group * tern_window_kernel_size(&p->window);
  const uint8_t padding = p->x_zero ? *(const uint8_t *)p->x_zero : 0;
  for (size_t i = 0; i < p->batch * p->groups; i++) {
    const size_t group = i % p->groups, first = group * out_group;
    gather_columns(&p->window, in_group, (const uint8_t *)p->x + i * in_group * plane, padding,
                   workspace);
    const tern_gemm_i8_operand w = {.data = (const uint8_t *)p->w + first * k,
                                    .ld = k,
                                    .is_signed = p->w_signed,
                                    .zero_point = p->w_zero && p->w_zero_per_channel
                                                      ? (const uint8_t *)p->w_zero + first
                                                      : p->w_zero,
                                    .zero_point_per_line = p->w_zero_per_channel};
    const tern_gemm_i8_operand x = {
        .data = workspace, .ld = positions, .is_signed = p->x_signed, .zero_point = p->x_zero};
    tern_gemm_i8(p->parallel, out_group, positions, k, &w, &x, p->y + i * out_group * positions,
                 positions);
  }
}

void tern_requantize_i8(size_t n, const int32_t *sums, const float *factors, size_t factor_step,
                        int32_t zero_point, bool is_signed, void *y) {
  const float lowest = is_signed ? -128.0f : 0.0f, highest = is_signed ? 127.0f : 255.0f;
  for (size_t i = 0; i < n; i++) {
    float v = rintf((float)sums[i] * factors[i * factor_step]) + (float)zero_point;
    v = v > lowest ? v : lowest;
    v = v < highest ? v : highest;
    ((uint8_t *)y)[i] = (uint8_t)(int32_t)v;
  }
}
