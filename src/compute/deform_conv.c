// Deformable convolution, stamped for each real type.
#include "compute/deform_conv.h"

#include <math.h>

#include "compute/types.h"

enum { MAX_CORNERS = 1 << TERN_WINDOW_MAX_RANK };

// The elements around a place, by their index in a plane, and what each counts.
typedef struct sample_corners {
  size_t count;
  size_t index[MAX_CORNERS];
  double weight[MAX_CORNERS];
} sample_corners;

// Splits every corner in two along a dimension of `size` elements; those outside count nothing, and
// with a position that is no number, none is left.
static void split_corners(double position, size_t size, sample_corners *inout) {
  if (!(position > -1 && position < (double)size)) {
    inout->count = 0;
    return;
  }
  const double low = floor(position), fraction = position - low;
  const bool has_low = low >= 0, has_high = low + 1 < (double)size;
  const size_t count = inout->count;
  for (size_t i = 0; i < count; i++) {
    const size_t base = inout->index[i] * size;
    const double weight = inout->weight[i];
    inout->index[i] = base + (has_low ? (size_t)low : 0);
    inout->weight[i] = has_low ? weight * (1 - fraction) : 0;
    inout->index[count + i] = base + (has_high ? (size_t)(low + 1) : 0);
    inout->weight[count + i] = has_high ? weight * fraction : 0;
  }
  inout->count = 2 * count;
}

#define STAMP(dtype_, T, suffix)                                                                   \
  /* Where kernel position `kernel` reads for output position `out`. */                            \
  static void place_##suffix(const tern_window *w, const size_t *kernel, const size_t *out,        \
                             const T *offset, size_t stride, sample_corners *corners) {            \
    corners->count = 1;                                                                            \
    corners->index[0] = 0;                                                                         \
    corners->weight[0] = 1;                                                                        \
    for (size_t d = 0; d < w->rank; d++)                                                           \
      split_corners((double)tern_window_at(w, d, out[d], kernel[d]) + (double)offset[d * stride],  \
                    w->in[d], corners);                                                            \
  }                                                                                                \
  static T sample_##suffix(const sample_corners *corners, const T *plane, double scale) {          \
    double sum = 0;                                                                                \
    for (size_t i = 0; i < corners->count; i++)                                                    \
      if (corners->weight[i] != 0) sum += corners->weight[i] * (double)plane[corners->index[i]];   \
    return (T)(sum * scale);                                                                       \
  }                                                                                                \
  void tern_deform_columns_##suffix(const tern_deform_shape *shape, size_t group, const T *x,      \
                                    const T *offset, const T *mask, T *columns) {                  \
    const tern_window *w = &shape->window;                                                         \
    const size_t plane = tern_window_in_size(w), positions = tern_window_out_size(w);              \
    const size_t kernels = tern_window_kernel_size(w);                                             \
    const size_t channels = shape->in_channels / shape->groups;                                    \
    const size_t together = shape->in_channels / shape->offset_groups;                             \
    sample_corners corners;                                                                        \
    for (size_t c = 0; c < channels;) {                                                            \
      /* The channels from c on that read in the same places. */                                   \
      const size_t first = group * channels + c, offsets = first / together;                       \
      const size_t left = (offsets + 1) * together - first;                                        \
      const size_t end = channels - c < left ? channels : c + left;                                \
      for (size_t k = 0; k < kernels; k++) {                                                       \
        size_t kernel[TERN_WINDOW_MAX_RANK], out[TERN_WINDOW_MAX_RANK] = {0};                      \
        const size_t line = offsets * kernels + k;                                                 \
        tern_window_unravel(k, w->rank, w->kernel, kernel);                                        \
        for (size_t p = 0; p < positions; p++, tern_window_advance(w->rank, w->out, out)) {        \
          const double scale = mask ? (double)mask[line * positions + p] : 1;                      \
          place_##suffix(w, kernel, out, offset + line * w->rank * positions + p, positions,       \
                         &corners);                                                                \
          for (size_t i = c; i < end; i++)                                                         \
            columns[(i * kernels + k) * positions + p] =                                           \
                sample_##suffix(&corners, x + (group * channels + i) * plane, scale);              \
        }                                                                                          \
      }                                                                                            \
      c = end;                                                                                     \
    }                                                                                              \
  }
TERN_X_FLOATS(STAMP)
#undef STAMP
