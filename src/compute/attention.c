// Attention for the real types.
#include "compute/attention.h"

#include <math.h>
#include <string.h>

#include "compute/gemm.h"
#include "compute/vecmath.h"

static size_t round_up(size_t bytes) {
  return (bytes + TERN_BUFFER_ALIGNMENT - 1) / TERN_BUFFER_ALIGNMENT * TERN_BUFFER_ALIGNMENT;
}

static void exp_f64(size_t n, const double *x, double *y) {
  for (size_t i = 0; i < n; ++i) y[i] = exp(x[i]);
}
static void tanh_f64(size_t n, const double *x, double *y) {
  for (size_t i = 0; i < n; ++i) y[i] = tanh(x[i]);
}

#define T float
#define S(name) name##_f32
#define HEAD tern_attention_f32_head
#define GEMM(suffix) tern_gemm_f32##suffix
#define ATTENTION(suffix) tern_attention_f32##suffix
#define EXP tern_vexp_f32
#define TANH tern_vtanh_f32
#include "compute/attention.inc"

#define T double
#define S(name) name##_f64
#define HEAD tern_attention_f64_head
#define GEMM(suffix) tern_gemm_f64##suffix
#define ATTENTION(suffix) tern_attention_f64##suffix
#define EXP exp_f64
#define TANH tanh_f64
#include "compute/attention.inc"
