// Recurrent cells.
#include "compute/rnn.h"

#include <math.h>
#include <string.h>

#include "compute/vecmath.h"

#define T float
#define NAME(x) x##_f32
#define FN(x) x##f
#define SIGMOID(n, x, y) tern_vsigmoid_f32(n, x, y)
#define TANH(n, x, y) tern_vtanh_f32(n, x, y)
#include "compute/rnn.inc"
#undef T
#undef NAME
#undef FN
#undef SIGMOID
#undef TANH

static void sigmoid_f64(size_t n, const double *x, double *y) {
  for (size_t i = 0; i < n; ++i) y[i] = 1.0 / (1.0 + exp(-x[i]));
}

static void tanh_f64(size_t n, const double *x, double *y) {
  for (size_t i = 0; i < n; ++i) y[i] = tanh(x[i]);
}

#define T double
#define NAME(x) x##_f64
#define FN(x) x
#define SIGMOID(n, x, y) sigmoid_f64(n, x, y)
#define TANH(n, x, y) tanh_f64(n, x, y)
#include "compute/rnn.inc"
