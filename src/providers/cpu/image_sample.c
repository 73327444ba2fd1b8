// Kernels of GridSample, AffineGrid, RoiAlign and MaxRoiPool.
#include <math.h>
#include <string.h>

#include "base/checked.h"
#include "compute/sample.h"
#include "providers/cpu/image.h"

static tern_status *read_grid(const tern_node *node, const tern_shape *x, tern_sample_grid *grid) {
  static const char *const modes[] = {"nearest", "linear", "cubic", NULL};
  static const char *const paddings[] = {"zeros", "border", "reflection", NULL};
  int32_t mode = tern_cpu_find_text(modes, tern_node_attr_s(node, "mode"));
  int32_t padding = tern_cpu_find_text(paddings, tern_node_attr_s(node, "padding_mode"));
  if (mode < 0 || padding < 0)
    return TERN_ERROR(TERN_INVALID_GRAPH, "'mode' is '%s', 'padding_mode' is '%s'",
                      tern_node_attr_s(node, "mode"), tern_node_attr_s(node, "padding_mode"));
  *grid = (tern_sample_grid){.mode = (tern_sample_mode)mode,
                             .padding = (tern_sample_padding)padding,
                             .align_corners = tern_node_attr_i(node, "align_corners") != 0,
                             .rank = x->rank - 2};
  if (grid->rank > TERN_SAMPLE_MAX_RANK ||
      tern_sample_term_count(grid->mode, grid->rank) > TERN_SAMPLE_MAX_TERMS)
    return TERN_ERROR(TERN_NOT_IMPLEMENTED, "mode '%s' over %d axes",
                      tern_node_attr_s(node, "mode"), grid->rank);
  for (int32_t i = 0; i < grid->rank; ++i) grid->size[i] = x->dims[i + 2];
  return NULL;
}

// The place that entry `index` of the grid names. Its numbers count axes from the last.
static void read_place(const tern_sample_grid *grid, const tern_value *places, int64_t index,
                       double *out_place) {
  for (int32_t i = 0; i < grid->rank; ++i) {
    int64_t at = index * grid->rank + grid->rank - 1 - i;
    out_place[i] = places->dtype == TERN_FLOAT
                       ? tern_sample_place_f32(((const float *)places->data)[at], grid->size[i],
                                               grid->align_corners)
                       : tern_sample_place_f64(((const double *)places->data)[at], grid->size[i],
                                               grid->align_corners);
  }
}

// One place in all channels, whose planes lie `plane` elements apart in x and `step` in y.
static void sample_channels(const tern_sample_terms *terms, tern_dtype dtype, int64_t channels,
                            const void *x, int64_t plane, void *y, int64_t step) {
  for (int64_t c = 0; c < channels; ++c) {
    if (dtype == TERN_FLOAT) {
      const float *from = (const float *)x + c * plane;
      float sum = 0.0f;
      for (int32_t k = 0; k < terms->count; ++k)
        sum += (float)terms->weight[k] * from[terms->offset[k]];
      ((float *)y)[c * step] = sum;
    } else {
      const double *from = (const double *)x + c * plane;
      double sum = 0.0;
      for (int32_t k = 0; k < terms->count; ++k) sum += terms->weight[k] * from[terms->offset[k]];
      ((double *)y)[c * step] = sum;
    }
  }
}

typedef struct grid_run {
  const tern_value *x, *places;
  tern_value *y;
  tern_sample_grid grid;
  int64_t channels, plane, step; // elements of a plane of x, and of y
} grid_run;

// Places [begin, end) of all images in turn.
static void sample_places(void *context, int64_t begin, int64_t end) {
  const grid_run *run = context;
  const size_t element = tern_dtype_size(run->x->dtype);
  for (int64_t i = begin; i < end; ++i) {
    const int64_t n = i / run->step, at = i % run->step;
    const int64_t from = n * run->channels * run->plane, to = n * run->channels * run->step + at;
    double place[TERN_SAMPLE_MAX_RANK];
    tern_sample_terms terms;
    read_place(&run->grid, run->places, i, place);
    tern_sample_find_terms(&run->grid, place, &terms);
    sample_channels(&terms, run->x->dtype, run->channels,
                    (const char *)run->x->data + (size_t)from * element, run->plane,
                    (char *)run->y->data + (size_t)to * element, run->step);
  }
}

tern_status *tern_cpu_grid_sample(tern_invocation *invocation) {
  const tern_value *x = invocation->inputs[0];
  tern_value *y = invocation->outputs[0];
  grid_run run = {.x = x, .places = invocation->inputs[1], .y = y};
  TERN_TRY(read_grid(invocation->node, &x->shape, &run.grid));
  if (tern_value_count(y) == 0) return NULL;
  if (tern_value_count(x) == 0)
    return TERN_ERROR(TERN_INVALID_ARGUMENT, "the image has no elements");
  run.channels = x->shape.dims[1];
  run.plane = tern_shape_product(&x->shape, 2, x->shape.rank);
  run.step = tern_shape_product(&y->shape, 2, y->shape.rank);
  tern_parallel_for(invocation->parallel, x->shape.dims[0] * run.step,
                    tern_cost_ns(600 + 100 * (double)run.channels, 0), sample_places, &run);
  return NULL;
}

// Place `i` of `size` on [-1, 1].
static double affine_base(int64_t i, int64_t size, bool align_corners) {
  if (align_corners) return size > 1 ? -1.0 + (double)i * 2.0 / (double)(size - 1) : -1.0;
  return (2.0 * (double)i + 1.0) / (double)size - 1.0;
}

tern_status *tern_cpu_affine_grid(tern_invocation *invocation) {
  const tern_value *theta = invocation->inputs[0];
  tern_value *y = invocation->outputs[0];
  bool align_corners = tern_node_attr_i(invocation->node, "align_corners") != 0;
  const int64_t *dims = y->shape.dims;
  int32_t rank = y->shape.rank - 2;
  int64_t places = tern_shape_product(&y->shape, 1, rank + 1), at = 0;
  for (int64_t n = 0; n < dims[0]; ++n) {
    for (int64_t p = 0; p < places; ++p) {
      double base[4] = {1.0, 1.0, 1.0, 1.0}; // x, y[, z], 1
      for (int64_t i = rank - 1, rest = p; i >= 0; rest /= dims[i + 1], --i)
        base[rank - 1 - i] = affine_base(rest % dims[i + 1], dims[i + 1], align_corners);
      for (int32_t row = 0; row < rank; ++row, ++at) {
        double sum = 0.0;
        for (int32_t k = 0; k <= rank; ++k)
          sum += base[k] *
                 tern_dtype_read_f64(theta->dtype, theta->data, (n * rank + row) * (rank + 1) + k);
        if (y->dtype == TERN_FLOAT)
          ((float *)y->data)[at] = (float)sum;
        else
          ((double *)y->data)[at] = sum;
      }
    }
  }
  return NULL;
}

// Number `k` of region `n`, scaled as the file computes it: in the element type.
static double region_number(const tern_value *regions, int64_t n, int32_t k, double scale) {
  int64_t at = n * regions->shape.dims[1] + k;
  if (regions->dtype == TERN_FLOAT)
    return (double)(((const float *)regions->data)[at] * (float)scale);
  return ((const double *)regions->data)[at] * scale;
}

// Of one bin: an image of 4,096 x 4,096 elements in one. More are asked for by mistake, or to keep
// the machine at work for hours.
#define MOST_SAMPLES 16777216.0

static tern_status *read_region(const tern_invocation *invocation, int64_t n, bool half_pixel,
                                tern_sample_region *region) {
  const tern_value *regions = invocation->inputs[1];
  double scale = (double)tern_node_attr_f(invocation->node, "spatial_scale"), edge[4];
  for (int32_t k = 0; k < 4; ++k)
    edge[k] = region_number(regions, n, k, scale) - (half_pixel ? 0.5 : 0.0);
  double width = edge[2] - edge[0], height = edge[3] - edge[1];
  if (!half_pixel) {
    width = fmax(width, 1.0);
    height = fmax(height, 1.0);
  }
  region->left = edge[0];
  region->top = edge[1];
  region->bin_width = width / (double)region->pooled_width;
  region->bin_height = height / (double)region->pooled_height;
  int64_t ratio = tern_node_attr_i(invocation->node, "sampling_ratio");
  double rows = ratio > 0 ? (double)ratio : ceil(region->bin_height);
  double columns = ratio > 0 ? (double)ratio : ceil(region->bin_width);
  if (!(rows < 65536.0 && columns < 65536.0 && rows * columns <= MOST_SAMPLES))
    return TERN_ERROR(TERN_INVALID_ARGUMENT, "region %lld has bins of %g x %g samples",
                      (long long)n, rows, columns);
  region->grid_height = rows > 0.0 ? (int64_t)rows : 0;
  region->grid_width = columns > 0.0 ? (int64_t)columns : 0;
  return NULL;
}

typedef struct align_run {
  const tern_sample_region *region;
  const tern_sample_point *rows, *columns;
  const tern_value *x;
  tern_value *y;
  int64_t from, to, plane, bins; // of channel 0, and what a channel takes
} align_run;

static void align_channels(void *context, int64_t begin, int64_t end) {
  const align_run *run = context;
  for (int64_t c = begin; c < end; ++c) {
    const int64_t from = run->from + c * run->plane, to = run->to + c * run->bins;
    if (run->x->dtype == TERN_FLOAT)
      tern_sample_region_f32(run->region, run->rows, run->columns,
                             (const float *)run->x->data + from, (float *)run->y->data + to);
    else
      tern_sample_region_f64(run->region, run->rows, run->columns,
                             (const double *)run->x->data + from, (double *)run->y->data + to);
  }
}

static tern_status *align_region(tern_invocation *invocation, int64_t n, int64_t batch,
                                 const tern_sample_region *region) {
  const tern_value *x = invocation->inputs[0];
  size_t rows = (size_t)(region->pooled_height * region->grid_height);
  size_t columns = (size_t)(region->pooled_width * region->grid_width);
  tern_sample_point *points;
  TERN_TRY(tern_allocator_calloc(invocation->allocator, rows + columns, sizeof *points,
                                 (void **)&points));
  tern_sample_points(region->top, region->bin_height, region->pooled_height, region->grid_height,
                     region->height, points);
  tern_sample_points(region->left, region->bin_width, region->pooled_width, region->grid_width,
                     region->width, points + rows);
  const int64_t channels = x->shape.dims[1], plane = region->height * region->width;
  const int64_t bins = region->pooled_height * region->pooled_width;
  align_run run = {.region = region,
                   .rows = points,
                   .columns = points + rows,
                   .x = x,
                   .y = invocation->outputs[0],
                   .from = batch * channels * plane,
                   .to = n * channels * bins,
                   .plane = plane,
                   .bins = bins};
  tern_parallel_for(invocation->parallel, channels,
                    tern_cost_ns(300 * (double)rows * (double)columns, 0), align_channels, &run);
  tern_allocator_free(invocation->allocator, points, (rows + columns) * sizeof *points);
  return NULL;
}

static tern_status *check_batch(int64_t batch, const tern_shape *x) {
  if (batch >= 0 && batch < x->dims[0]) return NULL;
  return TERN_ERROR(TERN_INVALID_ARGUMENT, "a region names image %lld of %lld", (long long)batch,
                    (long long)x->dims[0]);
}

tern_status *tern_cpu_roi_align(tern_invocation *invocation) {
  static const char *const modes[] = {"avg", "max", NULL};
  static const char *const coordinates[] = {"half_pixel", "output_half_pixel", NULL};
  const tern_value *x = invocation->inputs[0], *batches = invocation->inputs[2];
  const tern_shape *y = &invocation->outputs[0]->shape;
  const tern_node *node = invocation->node;
  int32_t mode = tern_cpu_find_text(modes, tern_node_attr_s(node, "mode"));
  int32_t coordinate =
      tern_cpu_find_text(coordinates, tern_node_attr_s(node, "coordinate_transformation_mode"));
  if (mode < 0 || coordinate < 0)
    return TERN_ERROR(TERN_INVALID_GRAPH, "'mode' is '%s', 'coordinate_transformation_mode' '%s'",
                      tern_node_attr_s(node, "mode"),
                      tern_node_attr_s(node, "coordinate_transformation_mode"));
  if (tern_value_count(invocation->outputs[0]) == 0) return NULL;
  if (tern_value_count(x) == 0)
    return TERN_ERROR(TERN_INVALID_ARGUMENT, "the images have no elements");
  tern_sample_region region = {.height = x->shape.dims[2],
                               .width = x->shape.dims[3],
                               .pooled_height = y->dims[2],
                               .pooled_width = y->dims[3],
                               .is_max = mode == 1};
  for (int64_t n = 0; n < y->dims[0]; ++n) {
    int64_t batch = ((const int64_t *)batches->data)[n];
    TERN_TRY(check_batch(batch, &x->shape));
    TERN_TRY(read_region(invocation, n, coordinate == 0, &region));
    TERN_TRY(align_region(invocation, n, batch, &region));
  }
  return NULL;
}

// Corners are rounded to elements and belong to the region.
static tern_status *read_whole_region(const tern_invocation *invocation, int64_t n,
                                      tern_sample_region *region, int64_t *out_batch) {
  const tern_value *regions = invocation->inputs[1], *x = invocation->inputs[0];
  double scale = (double)tern_node_attr_f(invocation->node, "spatial_scale"), edge[4];
  double batch = region_number(regions, n, 0, 1.0);
  for (int32_t k = 0; k < 4; ++k) {
    edge[k] = round(region_number(regions, n, k + 1, scale));
    if (!(fabs(edge[k]) < 2147483648.0))
      return TERN_ERROR(TERN_INVALID_ARGUMENT, "region %lld has an edge at %g", (long long)n,
                        edge[k]);
  }
  if (!(batch >= 0.0 && batch < (double)x->shape.dims[0]))
    return TERN_ERROR(TERN_INVALID_ARGUMENT, "a region names image %g of %lld", batch,
                      (long long)x->shape.dims[0]);
  region->left = edge[0];
  region->top = edge[1];
  region->bin_width = fmax(edge[2] - edge[0] + 1.0, 1.0) / (double)region->pooled_width;
  region->bin_height = fmax(edge[3] - edge[1] + 1.0, 1.0) / (double)region->pooled_height;
  *out_batch = (int64_t)batch;
  return NULL;
}

tern_status *tern_cpu_max_roi_pool(tern_invocation *invocation) {
  const tern_value *x = invocation->inputs[0];
  tern_value *y = invocation->outputs[0];
  if (tern_value_count(y) == 0) return NULL;
  tern_sample_region region = {.height = x->shape.dims[2],
                               .width = x->shape.dims[3],
                               .pooled_height = y->shape.dims[2],
                               .pooled_width = y->shape.dims[3]};
  int64_t channels = x->shape.dims[1], plane = region.height * region.width;
  int64_t bins = region.pooled_height * region.pooled_width, batch = 0;
  for (int64_t n = 0; n < y->shape.dims[0]; ++n) {
    TERN_TRY(read_whole_region(invocation, n, &region, &batch));
    for (int64_t c = 0; c < channels; ++c) {
      int64_t from = (batch * channels + c) * plane, to = (n * channels + c) * bins;
      if (x->dtype == TERN_FLOAT)
        tern_sample_max_f32(&region, (const float *)x->data + from, (float *)y->data + to);
      else
        tern_sample_max_f64(&region, (const double *)x->data + from, (double *)y->data + to);
    }
  }
  return NULL;
}
