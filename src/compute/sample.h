// Reading images at places between their elements: GridSample, RoiAlign, MaxRoiPool, and the grid
// that an affine map gives.
#ifndef TERN_COMPUTE_SAMPLE_H_
#define TERN_COMPUTE_SAMPLE_H_

#include "base/macros.h"

typedef enum tern_sample_mode {
  TERN_SAMPLE_NEAREST,
  TERN_SAMPLE_LINEAR,
  TERN_SAMPLE_CUBIC,
} tern_sample_mode;
typedef enum tern_sample_padding {
  TERN_SAMPLE_ZEROS,
  TERN_SAMPLE_BORDER,
  TERN_SAMPLE_REFLECTION,
} tern_sample_padding;

// Elements that go into one place: 1, 2 or 4 an axis.
enum { TERN_SAMPLE_MAX_RANK = 6, TERN_SAMPLE_MAX_TERMS = 64 };

typedef struct tern_sample_grid {
  tern_sample_mode mode;
  tern_sample_padding padding;
  bool align_corners;
  int32_t rank;                       // of the image, 1 .. TERN_SAMPLE_MAX_RANK
  int64_t size[TERN_SAMPLE_MAX_RANK]; // all > 0
} tern_sample_grid;

// What a place is made of.
typedef struct tern_sample_terms {
  int32_t count;
  int64_t offset[TERN_SAMPLE_MAX_TERMS]; // in one image plane
  double weight[TERN_SAMPLE_MAX_TERMS];
} tern_sample_terms;

// How many terms a place may have; more than TERN_SAMPLE_MAX_TERMS is not computed.
int64_t tern_sample_term_count(tern_sample_mode mode, int32_t rank);
// A place on an axis of `size` elements, from [-1, 1]: in the arithmetic of the grid's own type.
double tern_sample_place_f32(float normal, int64_t size, bool align_corners);
double tern_sample_place_f64(double normal, int64_t size, bool align_corners);
// The terms at `place`, one number an axis. Elements in a padding of zeros are left out.
void tern_sample_find_terms(const tern_sample_grid *grid, const double *place,
                            tern_sample_terms *out_terms);

// A region of an image [height, width], cut into pooled_height x pooled_width bins of samples.
typedef struct tern_sample_region {
  int64_t height, width, pooled_height, pooled_width;
  double top, left, bin_height, bin_width;
  int64_t grid_height, grid_width; // samples in a bin
  bool is_max;                     // the largest weighted element, not the average
} tern_sample_region;

// One sample along an axis: between elements low and high, or nowhere.
typedef struct tern_sample_point {
  int64_t low, high;
  double low_weight, high_weight; // both 0: nowhere
} tern_sample_point;

// The samples of all bins along an axis: bins * grid points.
void tern_sample_points(double start, double bin, int64_t bins, int64_t grid, int64_t size,
                        tern_sample_point *out_points);

// target[pooled_height, pooled_width] from one plane.
void tern_sample_region_f32(const tern_sample_region *region, const tern_sample_point *rows,
                            const tern_sample_point *columns, const float *plane, float *target);
void tern_sample_region_f64(const tern_sample_region *region, const tern_sample_point *rows,
                            const tern_sample_point *columns, const double *plane, double *target);

// The largest element in each bin of whole elements, 0 for an empty bin: rows [top, top + rows of
// the region) and so on, as MaxRoiPool cuts them.
void tern_sample_max_f32(const tern_sample_region *region, const float *plane, float *target);
void tern_sample_max_f64(const tern_sample_region *region, const double *plane, double *target);

#endif
