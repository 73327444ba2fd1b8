// Kernels of operators that generate numbers. A node with a seed gives the same numbers in every
// run and on every machine; without one, each run has a key of its own.
#include "providers/cpu/random.h"

#include <math.h>
#include <stdatomic.h>
#include <string.h>

#include "base/os.h"
#include "compute/cast.h"
#include "compute/philox.h"

// The stream of numbers one run of a node draws from.
static uint64_t stream_key(const tern_node *node) {
  static _Atomic uint64_t runs;
  if (!tern_node_has_attr(node, "seed"))
    return (uint64_t)tern_os_wall_clock_us() ^ atomic_fetch_add(&runs, 1) << 48;
  float seed = tern_node_attr_f(node, "seed");
  uint32_t bits;
  memcpy(&bits, &seed, sizeof bits);
  return bits;
}

// Converts numbers made in double to the output's type.
static tern_status *write_doubles(const double *numbers, tern_value *y) {
  tern_cast(TERN_DOUBLE, numbers, y->dtype, y->data, tern_value_count(y), &(tern_cast_options){0});
  return NULL;
}

static tern_status *open_doubles(tern_invocation *invocation, double **out_numbers) {
  void *memory;
  size_t count = (size_t)tern_value_count(invocation->outputs[0]);
  TERN_TRY(tern_invocation_scratch(invocation, count * sizeof **out_numbers, &memory));
  *out_numbers = memory;
  return NULL;
}

static tern_status *compute_normal(tern_invocation *invocation) {
  double mean = (double)tern_node_attr_f(invocation->node, "mean");
  double scale = (double)tern_node_attr_f(invocation->node, "scale"), *numbers;
  uint64_t key = stream_key(invocation->node);
  TERN_TRY(open_doubles(invocation, &numbers));
  for (int64_t i = 0; i < tern_value_count(invocation->outputs[0]); ++i)
    numbers[i] = mean + scale * tern_philox_normal(key, (uint64_t)i);
  return write_doubles(numbers, invocation->outputs[0]);
}

static tern_status *compute_uniform(tern_invocation *invocation) {
  double low = (double)tern_node_attr_f(invocation->node, "low");
  double high = (double)tern_node_attr_f(invocation->node, "high"), *numbers;
  uint64_t key = stream_key(invocation->node);
  TERN_TRY(open_doubles(invocation, &numbers));
  for (int64_t i = 0; i < tern_value_count(invocation->outputs[0]); ++i)
    numbers[i] = low + (high - low) * tern_philox_uniform(key, (uint64_t)i);
  return write_doubles(numbers, invocation->outputs[0]);
}

static tern_status *compute_bernoulli(tern_invocation *invocation) {
  const tern_value *x = invocation->inputs[0];
  uint64_t key = stream_key(invocation->node);
  double *numbers;
  TERN_TRY(open_doubles(invocation, &numbers));
  for (int64_t i = 0; i < tern_value_count(x); ++i)
    numbers[i] = tern_philox_uniform(key, (uint64_t)i) < tern_dtype_read_f64(x->dtype, x->data, i);
  return write_doubles(numbers, invocation->outputs[0]);
}

// Turns logarithms of weights into their running sums, and returns the last.
static double accumulate(const tern_value *x, int64_t row, int64_t classes, double *sums) {
  double largest = -INFINITY, sum = 0.0;
  for (int64_t c = 0; c < classes; ++c) {
    sums[c] = tern_dtype_read_f64(x->dtype, x->data, row * classes + c);
    largest = fmax(largest, sums[c]);
  }
  for (int64_t c = 0; c < classes; ++c) sums[c] = sum += exp(sums[c] - largest);
  return sum;
}

// The first class whose running sum exceeds `at`.
static int64_t find_class(const double *sums, int64_t classes, double at) {
  int64_t low = 0, high = classes - 1;
  while (low < high) {
    int64_t middle = low + (high - low) / 2;
    if (sums[middle] > at)
      high = middle;
    else
      low = middle + 1;
  }
  return low;
}

static tern_status *compute_multinomial(tern_invocation *invocation) {
  const tern_value *x = invocation->inputs[0];
  tern_value *y = invocation->outputs[0];
  int64_t rows = x->shape.dims[0], classes = x->shape.dims[1], samples = y->shape.dims[1];
  uint64_t key = stream_key(invocation->node);
  void *sums;
  if (tern_value_count(y) == 0) return NULL;
  if (classes == 0) return TERN_ERROR(TERN_INVALID_ARGUMENT, "there are no classes");
  TERN_TRY(tern_invocation_scratch(invocation, (size_t)classes * sizeof(double), &sums));
  for (int64_t row = 0, i = 0; row < rows; ++row) {
    double total = accumulate(x, row, classes, sums);
    if (!(total > 0.0))
      return TERN_ERROR(TERN_INVALID_ARGUMENT, "row %lld has no class to choose", (long long)row);
    for (int64_t s = 0; s < samples; ++s, ++i)
      tern_dtype_write_i64(
          y->dtype, y->data, i,
          find_class(sums, classes, total * tern_philox_uniform(key, (uint64_t)i)));
  }
  return NULL;
}

// a - b * cos(2 pi i / n) + c * cos(4 pi i / n)
static tern_status *compute_window(tern_invocation *invocation, double a, double b, double c) {
  int64_t size = tern_value_count(invocation->outputs[0]);
  bool is_periodic = tern_node_attr_i(invocation->node, "periodic") != 0;
  double period = (double)(is_periodic ? size : size - 1), *numbers;
  TERN_TRY(open_doubles(invocation, &numbers));
  for (int64_t i = 0; i < size; ++i) {
    double angle = period > 0.0 ? 6.283185307179586 * (double)i / period : 0.0;
    numbers[i] = a - b * cos(angle) + c * cos(2.0 * angle);
  }
  if (size == 1) numbers[0] = 1.0;
  return write_doubles(numbers, invocation->outputs[0]);
}

static tern_status *compute_blackman(tern_invocation *invocation) {
  return compute_window(invocation, 0.42, 0.5, 0.08);
}
static tern_status *compute_hamming(tern_invocation *invocation) {
  return compute_window(invocation, 25.0 / 46.0, 1.0 - 25.0 / 46.0, 0.0);
}
static tern_status *compute_hann(tern_invocation *invocation) {
  return compute_window(invocation, 0.5, 0.5, 0.0);
}

static double read_number(const tern_invocation *invocation, int32_t index) {
  const tern_value *value = invocation->inputs[index];
  return tern_value_count(value) > 0 ? tern_dtype_read_f64(value->dtype, value->data, 0) : NAN;
}

// The mel scale of S. Stevens as O'Shaughnessy writes it.
static double to_mel(double hertz) {
  return 2595.0 * log1p(hertz / 700.0) / log(10.0);
}
static double from_mel(double mel) {
  return 700.0 * expm1(mel / 2595.0 * log(10.0));
}

// A triangle from `left` over `centre` to `right` in column `bin` of [rows, bins].
static void write_triangle(int64_t left, int64_t centre, int64_t right, int64_t rows, int64_t bins,
                           int64_t bin, double *numbers) {
  for (int64_t j = left; j <= centre && j < rows; ++j)
    numbers[j * bins + bin] = centre == left ? 1.0 : (double)(j - left) / (double)(centre - left);
  for (int64_t j = centre; j < right && j < rows; ++j)
    numbers[j * bins + bin] = (double)(right - j) / (double)(right - centre);
}

static tern_status *compute_mel(tern_invocation *invocation) {
  tern_value *y = invocation->outputs[0];
  int64_t rows = y->shape.dims[0], bins = y->shape.dims[1];
  double length = read_number(invocation, 1), rate = read_number(invocation, 2);
  double low = to_mel(read_number(invocation, 3)), high = to_mel(read_number(invocation, 4));
  double step = (high - low) / (double)(bins + 2), *numbers;
  if (tern_value_count(y) == 0) return NULL;
  TERN_TRY(open_doubles(invocation, &numbers));
  memset(numbers, 0, (size_t)(rows * bins) * sizeof *numbers);
  for (int64_t bin = 0; bin < bins; ++bin) {
    int64_t corner[3];
    for (int32_t k = 0; k < 3; ++k) {
      double at = floor((length + 1.0) * from_mel(low + step * (double)(bin + k)) / rate);
      if (!(at >= 0.0 && at <= 2147483647.0))
        return TERN_ERROR(TERN_INVALID_ARGUMENT, "bin %lld lies at %g", (long long)bin, at);
      corner[k] = (int64_t)at;
    }
    write_triangle(corner[0], corner[1], corner[2], rows, bins, bin, numbers);
  }
  return write_doubles(numbers, y);
}

#define REAL (TERN_DTYPE_BIT(TERN_FLOAT) | TERN_DTYPE_BIT(TERN_DOUBLE))

static const tern_cpu_kernel kernels[] = {
    {.domain = TERN_DOMAIN_ONNX, .op = "RandomNormal", .compute = compute_normal},
    {.domain = TERN_DOMAIN_ONNX, .op = "RandomNormalLike", .compute = compute_normal},
    {.domain = TERN_DOMAIN_ONNX, .op = "RandomUniform", .compute = compute_uniform},
    {.domain = TERN_DOMAIN_ONNX, .op = "RandomUniformLike", .compute = compute_uniform},
    {.domain = TERN_DOMAIN_ONNX, .op = "Bernoulli", .compute = compute_bernoulli},
    {.domain = TERN_DOMAIN_ONNX, .op = "Multinomial", .compute = compute_multinomial},
    {.domain = TERN_DOMAIN_ONNX, .op = "BlackmanWindow", .compute = compute_blackman},
    {.domain = TERN_DOMAIN_ONNX, .op = "HammingWindow", .compute = compute_hamming},
    {.domain = TERN_DOMAIN_ONNX, .op = "HannWindow", .compute = compute_hann},
    {.domain = TERN_DOMAIN_ONNX, .op = "MelWeightMatrix", .compute = compute_mel},
    {.domain = TERN_DOMAIN_ONNX,
     .op = "DFT",
     TERN_CPU_TYPES({"T1", REAL}),
     .compute = tern_cpu_dft},
    {.domain = TERN_DOMAIN_ONNX,
     .op = "STFT",
     TERN_CPU_TYPES({"T1", REAL}),
     .compute = tern_cpu_stft},
    {.domain = TERN_DOMAIN_ONNX, .op = "Det", TERN_CPU_TYPES({"T", REAL}), .compute = tern_cpu_det},
};

const tern_cpu_family tern_cpu_random = {"random", kernels, TERN_COUNT_OF(kernels)};
