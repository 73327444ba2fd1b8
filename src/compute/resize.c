// Tables of indices and weights, and the loops that apply them.
#include "compute/resize.h"

#include <math.h>
#include <string.h>

#include "compute/types.h"

// Half the number of elements an antialiasing filter of support `radius` spans.
static int64_t stretched_radius(double radius, double scale) {
  return scale >= 1.0 ? (int64_t)radius : (int64_t)ceil(radius / scale);
}

int64_t tern_resize_taps(const tern_resize_filter *filter, double scale) {
  if (filter->mode == TERN_RESIZE_NEAREST) return 1;
  double radius = filter->mode == TERN_RESIZE_LINEAR ? 1.0 : 2.0;
  return 2 * (filter->antialias ? stretched_radius(radius, scale) : (int64_t)radius);
}

// The place on the input's axis that place `j` of the result shows.
static double original_place(tern_resize_coordinates coordinates, const tern_resize_axis *axis,
                             double j) {
  double in = (double)axis->in, out = (double)axis->out, width = axis->scale * in;
  switch (coordinates) {
  case TERN_RESIZE_HALF_PIXEL:
    return (j + 0.5) / axis->scale - 0.5;
  case TERN_RESIZE_HALF_PIXEL_SYMMETRIC:
    return in / 2.0 * (1.0 - out / width) + (j + 0.5) / axis->scale - 0.5;
  case TERN_RESIZE_PYTORCH_HALF_PIXEL:
    return axis->out > 1 ? (j + 0.5) / axis->scale - 0.5 : 0.0;
  case TERN_RESIZE_ALIGN_CORNERS:
    return axis->out > 1 ? j * (in - 1.0) / (width - 1.0) : 0.0;
  case TERN_RESIZE_ASYMMETRIC:
    return j / axis->scale;
  case TERN_RESIZE_TF_HALF_PIXEL_NN:
    return (j + 0.5) / axis->scale;
  case TERN_RESIZE_CROP:
    break;
  }
  double first = axis->roi_begin * (in - 1.0), last = axis->roi_end * (in - 1.0);
  return axis->out > 1 ? first + j * (last - first) / (width - 1.0) : 0.5 * (first + last);
}

static double pick(tern_resize_rounding rounding, double scale, double x) {
  switch (rounding) {
  case TERN_RESIZE_ROUND_PREFER_FLOOR:
    return ceil(x - 0.5);
  case TERN_RESIZE_ROUND_PREFER_CEIL:
    return floor(x + 0.5);
  case TERN_RESIZE_FLOOR:
    return floor(x);
  case TERN_RESIZE_CEIL:
    return ceil(x);
  case TERN_RESIZE_BY_SCALE:
    break;
  }
  return scale < 1.0 ? ceil(x) : floor(x);
}

// The filter at distance `d` from its centre. Cubic: R. Keys, "Cubic convolution interpolation for
// digital image processing", 1981, equation 4.
static double filter_at(const tern_resize_filter *filter, double d) {
  double x = fabs(d), a = filter->cubic_a;
  if (filter->mode == TERN_RESIZE_LINEAR) return x < 1.0 ? 1.0 - x : 0.0;
  if (x <= 1.0) return ((a + 2.0) * x - (a + 3.0)) * x * x + 1.0;
  return x < 2.0 ? ((a * x - 5.0 * a) * x + 8.0 * a) * x - 4.0 * a : 0.0;
}

static int64_t clamp(double x, int64_t size) {
  if (!(x > 0.0)) return 0;
  return x >= (double)size ? size - 1 : (int64_t)x;
}

// The elements around `x`, the nearest ones at its sides, and their weights.
static void fill_place(const tern_resize_filter *filter, const tern_resize_axis *axis, double x,
                       int64_t *index, double *weight) {
  const int64_t before = axis->taps / 2;
  double first = ceil(x) - (double)before, sum = 0.0;
  double stretch = filter->antialias && axis->scale < 1.0 ? axis->scale : 1.0;
  for (int64_t k = 0; k < axis->taps; ++k) {
    double at = first + (double)k;
    bool is_outside = at < 0.0 || at >= (double)axis->in;
    index[k] = clamp(at, axis->in);
    weight[k] = is_outside && filter->exclude_outside ? 0.0 : filter_at(filter, (at - x) * stretch);
    sum += weight[k];
  }
  if (!(filter->antialias || filter->exclude_outside) || sum == 0.0) return;
  for (int64_t k = 0; k < axis->taps; ++k) weight[k] /= sum;
}

void tern_resize_axis_fill(const tern_resize_filter *filter, tern_resize_axis *axis) {
  for (int64_t j = 0; j < axis->out; ++j) {
    double x = original_place(filter->coordinates, axis, (double)j);
    int64_t *index = axis->index + j * axis->taps;
    if (filter->mode == TERN_RESIZE_NEAREST)
      index[0] = clamp(pick(filter->rounding, axis->scale, x), axis->in);
    else
      fill_place(filter, axis, x, index, (double *)axis->weight + j * axis->taps);
    // A NaN in the region of interest lies outside too.
    if (filter->coordinates == TERN_RESIZE_CROP && !(x >= 0.0 && x <= (double)(axis->in - 1)))
      index[0] = -1;
  }
}

void tern_resize_axis_narrow(tern_resize_axis *axis) {
  char *weights = axis->weight;
  for (int64_t i = 0; i < axis->out * axis->taps; ++i) {
    double wide;
    memcpy(&wide, weights + (size_t)i * sizeof wide, sizeof wide);
    float narrow = (float)wide;
    memcpy(weights + (size_t)i * sizeof narrow, &narrow, sizeof narrow);
  }
}

// One row of the result: every place is made of elements of one row of the input.
#define DEFINE_AXIS(dtype, type, suffix)                                                           \
  static void along_row_##suffix(const tern_resize_axis *axis, type extrapolation,                 \
                                 const type *restrict source, type *restrict target) {             \
    const int64_t *index = axis->index;                                                            \
    const type *weight = axis->weight;                                                             \
    for (int64_t j = 0; j < axis->out; ++j, index += axis->taps, weight += axis->taps) {           \
      if (index[0] < 0) {                                                                          \
        target[j] = extrapolation;                                                                 \
        continue;                                                                                  \
      }                                                                                            \
      type sum = weight[0] * source[index[0]];                                                     \
      for (int64_t k = 1; k < axis->taps; ++k) sum += weight[k] * source[index[k]];                \
      target[j] = sum;                                                                             \
    }                                                                                              \
  }                                                                                                \
                                                                                                   \
  /* One row of the result is a sum of whole rows of the input. */                                 \
  static void across_rows_##suffix(int64_t taps, const int64_t *index, const type *weight,         \
                                   int64_t inner, const type *restrict source,                     \
                                   type *restrict target) {                                        \
    const type *a = source + index[0] * inner, *b = source + index[1] * inner;                     \
    type wa = weight[0], wb = weight[1];                                                           \
    for (int64_t i = 0; i < inner; ++i) target[i] = wa * a[i] + wb * b[i];                         \
    for (int64_t k = 2; k < taps; ++k) {                                                           \
      a = source + index[k] * inner;                                                               \
      wa = weight[k];                                                                              \
      for (int64_t i = 0; i < inner; ++i) target[i] += wa * a[i];                                  \
    }                                                                                              \
  }                                                                                                \
                                                                                                   \
  typedef struct axis_run_##suffix {                                                               \
    const tern_resize_axis *axis;                                                                  \
    int64_t inner;                                                                                 \
    type extrapolation;                                                                            \
    const type *source;                                                                            \
    type *target;                                                                                  \
  } axis_run_##suffix;                                                                             \
                                                                                                   \
  /* Rows of the result: along the axis where it is innermost, one place of it elsewhere. */       \
  static void axis_rows_##suffix(void *context, int64_t begin, int64_t end) {                      \
    const axis_run_##suffix *run = context;                                                        \
    const tern_resize_axis *axis = run->axis;                                                      \
    const int64_t inner = run->inner, row = inner == 1 ? axis->out : inner;                        \
    for (int64_t r = begin; r < end; ++r) {                                                        \
      const int64_t outer = inner == 1 ? r : r / axis->out, j = inner == 1 ? 0 : r % axis->out;    \
      const type *source = run->source + outer * axis->in * inner;                                 \
      const int64_t *index = axis->index + j * axis->taps;                                         \
      type *target = run->target + r * row;                                                        \
      if (inner == 1) {                                                                            \
        along_row_##suffix(axis, run->extrapolation, source, target);                              \
      } else if (index[0] >= 0) {                                                                  \
        across_rows_##suffix(axis->taps, index, (const type *)axis->weight + j * axis->taps,       \
                             inner, source, target);                                               \
      } else {                                                                                     \
        for (int64_t i = 0; i < inner; ++i) target[i] = run->extrapolation;                        \
      }                                                                                            \
    }                                                                                              \
  }                                                                                                \
                                                                                                   \
  void tern_resize_axis_##suffix(const tern_parallel *parallel, const tern_resize_axis *axis,      \
                                 int64_t outer, int64_t inner, type extrapolation,                 \
                                 const type *source, type *target) {                               \
    axis_run_##suffix run = {axis, inner, extrapolation, source, target};                          \
    const double row = (double)(inner == 1 ? axis->out : inner), taps = (double)axis->taps;        \
    tern_parallel_for(parallel, inner == 1 ? outer : outer * axis->out,                            \
                      tern_cost_ns((inner == 1 ? 64 : 4) * row * taps, sizeof(type) * row),        \
                      axis_rows_##suffix, &run);                                                   \
  }

TERN_X_FLOATS(DEFINE_AXIS)

// One innermost row, by the size of an element.
#define DEFINE_NEAREST(bytes, type, suffix)                                                        \
  static void nearest_row_##suffix(const tern_resize_axis *axis, const void *extrapolation,        \
                                   const void *source, void *target) {                             \
    const type *from = source;                                                                     \
    type *to = target;                                                                             \
    for (int64_t j = 0; j < axis->out; ++j)                                                        \
      to[j] = axis->index[j] < 0 ? *(const type *)extrapolation : from[axis->index[j]];            \
  }
TERN_X_SIZES(DEFINE_NEAREST)

static void nearest_row(const tern_resize_axis *axis, size_t unit_bytes, const void *extrapolation,
                        const void *source, void *target) {
  switch (unit_bytes) {
  case 1:
    nearest_row_b8(axis, extrapolation, source, target);
    return;
  case 2:
    nearest_row_b16(axis, extrapolation, source, target);
    return;
  case 4:
    nearest_row_b32(axis, extrapolation, source, target);
    return;
  case 8:
    nearest_row_b64(axis, extrapolation, source, target);
    return;
  default:
    break;
  }
  for (int64_t j = 0; j < axis->out; ++j) {
    const char *from = axis->index[j] < 0
                           ? extrapolation
                           : (const char *)source + (size_t)axis->index[j] * unit_bytes;
    memcpy((char *)target + (size_t)j * unit_bytes, from, unit_bytes);
  }
}

static void fill_units(const void *unit, size_t unit_bytes, size_t bytes, char *target) {
  for (size_t at = 0; at < bytes; at += unit_bytes) memcpy(target + at, unit, unit_bytes);
}

void tern_resize_nearest(const tern_resize_axis *axes, int32_t rank, size_t unit_bytes,
                         const void *extrapolation, const void *source, void *target) {
  if (rank == 1) {
    nearest_row(axes, unit_bytes, extrapolation, source, target);
    return;
  }
  size_t in_bytes = unit_bytes, out_bytes = unit_bytes; // of one step along the first axis
  for (int32_t i = 1; i < rank; ++i) {
    in_bytes *= (size_t)axes[i].in;
    out_bytes *= (size_t)axes[i].out;
  }
  char *to = target;
  for (int64_t j = 0; j < axes[0].out; ++j, to += out_bytes) {
    int64_t index = axes[0].index[j];
    if (index < 0)
      fill_units(extrapolation, unit_bytes, out_bytes, to);
    else if (j > 0 && index == axes[0].index[j - 1])
      memcpy(to, to - out_bytes, out_bytes);
    else
      tern_resize_nearest(axes + 1, rank - 1, unit_bytes, extrapolation,
                          (const char *)source + (size_t)index * in_bytes, to);
  }
}
