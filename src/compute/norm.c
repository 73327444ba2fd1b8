// Normalisations, stamped from norm.inc. float lines go to the selected ISA's leaves; double lines
// are the plain loops below.
#include "compute/norm.h"

#include <math.h>

#include "compute/leaves.h"
#include "compute/vecmath.h"

// Columns of [outer, axis, inner] computed side by side when inner > 1.
#define BLOCK 64

static void moments_f64(size_t n, const double *x, double *out_mean, double *out_variance) {
  double mean = 0, squares = 0;
  for (size_t i = 0; i < n; i++) {
    const double difference = x[i] - mean;
    mean += difference / (double)(i + 1);
    squares += difference * (x[i] - mean);
  }
  *out_mean = mean;
  *out_variance = n ? squares / (double)n : 0;
}

static double mean_square_f64(size_t n, const double *x) {
  double squares = 0;
  for (size_t i = 0; i < n; i++) squares += x[i] * x[i];
  return n ? squares / (double)n : 0;
}

static void affine_f64(size_t n, const double *x, double mean, double scale, const double *weights,
                       const double *bias, double *y) {
  for (size_t i = 0; i < n; i++) {
    double v = (x[i] - mean) * scale;
    if (weights) v *= weights[i];
    y[i] = bias ? v + bias[i] : v;
  }
}

static void exp_f64(size_t n, const double *x, double *y) {
  for (size_t i = 0; i < n; i++) y[i] = exp(x[i]);
}

static void log_f64(size_t n, const double *x, double *y) {
  for (size_t i = 0; i < n; i++) y[i] = log(x[i]);
}

#define T float
#define S(name) name##_f32
#define FN(name) tern_##name##_f32
#define MOMENTS tern_leaves_selected()->rows_f32.moments
#define MEAN_SQUARE tern_leaves_selected()->rows_f32.mean_square
#define AFFINE tern_leaves_selected()->rows_f32.affine
#define EXP tern_vexp_f32
#define LOG tern_vlog_f32
#define SOFTMAX_LINE(n, x, y, is_log)                                                              \
  ((is_log) ? tern_leaves_selected()->rows_f32.log_softmax((n), (x), (y))                          \
            : tern_leaves_selected()->rows_f32.softmax((n), (x), (y)))
#include "compute/norm.inc"

#define T double
#define S(name) name##_f64
#define FN(name) tern_##name##_f64
#define MOMENTS moments_f64
#define MEAN_SQUARE mean_square_f64
#define AFFINE affine_f64
#define EXP exp_f64
#define LOG log_f64
#include "compute/norm.inc"
