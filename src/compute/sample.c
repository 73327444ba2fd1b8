// Places, terms and regions.
#include "compute/sample.h"

#include <math.h>

#include "compute/types.h"

// Places further out than any image are as good as these, and their arithmetic is exact.
#define FAR_AWAY 4294967296.0

int64_t tern_sample_term_count(tern_sample_mode mode, int32_t rank) {
  int64_t count = 1, taps = mode == TERN_SAMPLE_NEAREST ? 1 : mode == TERN_SAMPLE_LINEAR ? 2 : 4;
  for (int32_t i = 0; i < rank && count <= TERN_SAMPLE_MAX_TERMS; ++i) count *= taps;
  return count;
}

double tern_sample_place_f32(float normal, int64_t size, bool align_corners) {
  float n = (float)size;
  if (align_corners) return (double)((normal + 1.0f) / 2.0f * (n - 1.0f));
  return (double)(((normal + 1.0f) * n - 1.0f) / 2.0f);
}

double tern_sample_place_f64(double normal, int64_t size, bool align_corners) {
  double n = (double)size;
  if (align_corners) return (normal + 1.0) / 2.0 * (n - 1.0);
  return ((normal + 1.0) * n - 1.0) / 2.0;
}

static double limit(double x, double low, double high) {
  return x > low ? (x < high ? x : high) : low; // NaN is low
}

// Folds x back at both borders until it lies between them.
static double reflect(double x, double low, double high) {
  double range = high - low;
  if (range <= 0.0) return low;
  double distance = x < low ? low - x : x > high ? x - high : -1.0;
  if (distance < 0.0) return x;
  double turns = floor(distance / range), rest = distance - turns * range;
  bool is_even = fmod(turns, 2.0) == 0.0;
  return (x < low) == is_even ? low + rest : high - rest;
}

// The terms of one axis.
typedef struct axis_terms {
  int32_t count;
  int64_t index[4]; // -1: in a padding of zeros
  double weight[4];
} axis_terms;

// R. Keys' cubic convolution with a = -0.75, for the elements at -1, 0, 1 and 2 from the one
// before the place, which is `x` behind it.
static void cubic_weights(double x, double weight[4]) {
  const double a = -0.75;
  double y = 1.0 - x;
  weight[0] = ((a * (x + 1.0) - 5.0 * a) * (x + 1.0) + 8.0 * a) * (x + 1.0) - 4.0 * a;
  weight[1] = ((a + 2.0) * x - (a + 3.0)) * x * x + 1.0;
  weight[2] = ((a + 2.0) * y - (a + 3.0)) * y * y + 1.0;
  weight[3] = ((a * (y + 1.0) - 5.0 * a) * (y + 1.0) + 8.0 * a) * (y + 1.0) - 4.0 * a;
}

static int64_t padded_index(const tern_sample_grid *grid, double at, int64_t size, double low,
                            double high) {
  double last = (double)(size - 1);
  if (grid->padding == TERN_SAMPLE_ZEROS) return at >= 0.0 && at <= last ? (int64_t)at : -1;
  if (grid->padding == TERN_SAMPLE_REFLECTION) at = trunc(reflect(at, low, high));
  return (int64_t)limit(at, 0.0, last);
}

static void find_axis_terms(const tern_sample_grid *grid, int64_t size, double x, axis_terms *out) {
  double low = grid->align_corners ? 0.0 : -0.5;
  double high = grid->align_corners ? (double)size - 1.0 : (double)size - 0.5;
  x = limit(x, -FAR_AWAY, FAR_AWAY);
  if (grid->mode == TERN_SAMPLE_NEAREST) x = rint(x);
  if (x < low || x > high) {
    if (grid->padding == TERN_SAMPLE_BORDER) x = limit(x, 0.0, (double)(size - 1));
    if (grid->padding == TERN_SAMPLE_REFLECTION) x = reflect(x, low, high);
  }
  double first = grid->mode == TERN_SAMPLE_NEAREST ? trunc(x) : floor(x);
  out->count = 1;
  out->weight[0] = 1.0;
  if (grid->mode == TERN_SAMPLE_LINEAR) {
    out->count = 2;
    out->weight[0] = 1.0 - (x - first);
    out->weight[1] = x - first;
  } else if (grid->mode == TERN_SAMPLE_CUBIC) {
    out->count = 4;
    cubic_weights(x - first, out->weight);
    first -= 1.0;
  }
  for (int32_t k = 0; k < out->count; ++k)
    out->index[k] = padded_index(grid, first + (double)k, size, low, high);
}

void tern_sample_find_terms(const tern_sample_grid *grid, const double *place,
                            tern_sample_terms *out_terms) {
  out_terms->count = 1;
  out_terms->offset[0] = 0;
  out_terms->weight[0] = 1.0;
  // Each axis multiplies the terms found so far; from the back, so that none is overwritten early.
  for (int32_t axis = 0; axis < grid->rank; ++axis) {
    axis_terms terms;
    find_axis_terms(grid, grid->size[axis], place[axis], &terms);
    tern_sample_terms before = *out_terms;
    out_terms->count = 0;
    for (int32_t i = 0; i < before.count; ++i) {
      for (int32_t k = 0; k < terms.count; ++k) {
        if (terms.index[k] < 0) continue;
        out_terms->offset[out_terms->count] = before.offset[i] * grid->size[axis] + terms.index[k];
        out_terms->weight[out_terms->count++] = before.weight[i] * terms.weight[k];
      }
    }
  }
}

void tern_sample_points(double start, double bin, int64_t bins, int64_t grid, int64_t size,
                        tern_sample_point *out_points) {
  for (int64_t b = 0; b < bins; ++b) {
    for (int64_t g = 0; g < grid; ++g, ++out_points) {
      double x = start + (double)b * bin + ((double)g + 0.5) * bin / (double)grid;
      *out_points = (tern_sample_point){0};
      if (!(x >= -1.0 && x <= (double)size)) continue;
      if (x < 0.0) x = 0.0;
      int64_t low = (int64_t)x;
      if (low >= size - 1) {
        low = size - 1;
        x = (double)low;
      }
      out_points->low = low;
      out_points->high = tern_min_i64(low + 1, size - 1);
      out_points->high_weight = x - (double)low;
      out_points->low_weight = 1.0 - out_points->high_weight;
    }
  }
}

#define LARGER(a, b) ((a) > (b) ? (a) : (b))

#define DEFINE_REGION(dtype, type, suffix)                                                         \
  static type sample_bin_##suffix(const tern_sample_region *region, const tern_sample_point *rows, \
                                  const tern_sample_point *columns, const type *plane) {           \
    int64_t count = region->grid_height * region->grid_width;                                      \
    type sum = 0, best = 0;                                                                        \
    for (int64_t i = 0; i < region->grid_height; ++i) {                                            \
      const type *low = plane + rows[i].low * region->width;                                       \
      const type *high = plane + rows[i].high * region->width;                                     \
      type wl = (type)rows[i].low_weight, wh = (type)rows[i].high_weight;                          \
      for (int64_t j = 0; j < region->grid_width; ++j) {                                           \
        const tern_sample_point *c = &columns[j];                                                  \
        type vl = (type)c->low_weight, vh = (type)c->high_weight;                                  \
        type p = wl * vl * low[c->low], q = wl * vh * low[c->high];                                \
        type r = wh * vl * high[c->low], s = wh * vh * high[c->high];                              \
        type largest = LARGER(LARGER(p, q), LARGER(r, s));                                         \
        best = i + j == 0 ? largest : LARGER(best, largest);                                       \
        sum += p + q + r + s;                                                                      \
      }                                                                                            \
    }                                                                                              \
    return region->is_max ? best : count ? sum / (type)count : 0;                                  \
  }                                                                                                \
                                                                                                   \
  void tern_sample_region_##suffix(                                                                \
      const tern_sample_region *region, const tern_sample_point *rows,                             \
      const tern_sample_point *columns, const type *plane, type *target) {                         \
    for (int64_t i = 0; i < region->pooled_height; ++i) {                                          \
      for (int64_t j = 0; j < region->pooled_width; ++j)                                           \
        *target++ = sample_bin_##suffix(region, rows + i * region->grid_height,                    \
                                        columns + j * region->grid_width, plane);                  \
    }                                                                                              \
  }                                                                                                \
                                                                                                   \
  void tern_sample_max_##suffix(const tern_sample_region *region, const type *plane,               \
                                type *target) {                                                    \
    for (int64_t i = 0; i < region->pooled_height; ++i) {                                          \
      int64_t top = bin_edge(region->top, region->bin_height, i, false, region->height);           \
      int64_t bottom = bin_edge(region->top, region->bin_height, i, true, region->height);         \
      for (int64_t j = 0; j < region->pooled_width; ++j, ++target) {                               \
        int64_t left = bin_edge(region->left, region->bin_width, j, false, region->width);         \
        int64_t right = bin_edge(region->left, region->bin_width, j, true, region->width);         \
        bool is_empty = top >= bottom || left >= right;                                            \
        *target = is_empty ? 0 : plane[top * region->width + left];                                \
        for (int64_t y = top; y < bottom; ++y) {                                                   \
          const type *row = plane + y * region->width;                                             \
          for (int64_t x = left; x < right; ++x) *target = LARGER(*target, row[x]);                \
        }                                                                                          \
      }                                                                                            \
    }                                                                                              \
  }

// Where bin `i` begins, or ends, on an axis of `size` elements.
static int64_t bin_edge(double start, double bin, int64_t i, bool is_end, int64_t size) {
  double at = is_end ? ceil((double)(i + 1) * bin) : floor((double)i * bin);
  return (int64_t)limit(at + start, 0.0, (double)size);
}

TERN_X_FLOATS(DEFINE_REGION)
