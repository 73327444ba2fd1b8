// Kernels of DFT, STFT and Det. All of them compute in double.
#include "compute/signal.h"

#include <string.h>

#include "providers/cpu/random.h"

// Complex numbers along an axis of a tensor whose last dimension holds their parts.
typedef struct line {
  tern_value *value;
  int64_t begin, stride; // of numbers' parts, in elements
  int64_t count, parts;  // parts: 1 for real numbers
} line;

static double read_part(const tern_value *value, int64_t at) {
  return value->dtype == TERN_FLOAT ? (double)((const float *)value->data)[at]
                                    : ((const double *)value->data)[at];
}

static void write_part(tern_value *value, int64_t at, double number) {
  if (value->dtype == TERN_FLOAT)
    ((float *)value->data)[at] = (float)number;
  else
    ((double *)value->data)[at] = number;
}

static tern_complex read_number(const line *from, int64_t i) {
  int64_t at = from->begin + i * from->stride;
  return (tern_complex){read_part(from->value, at),
                        from->parts > 1 ? read_part(from->value, at + 1) : 0.0};
}

static void write_number(const line *to, int64_t i, tern_complex number) {
  int64_t at = to->begin + i * to->stride;
  write_part(to->value, at, number.re);
  if (to->parts > 1) write_part(to->value, at + 1, number.im);
}

typedef struct transform {
  int64_t length;
  bool inverse, from_half; // from_half: the numbers beyond the middle mirror those before it
  tern_complex *numbers, *workspace;
} transform;

static tern_status *open_transform(tern_invocation *invocation, int64_t length, transform *t) {
  void *memory;
  t->length = length;
  if (length <= 0 || length > INT32_MAX)
    return TERN_ERROR(TERN_INVALID_ARGUMENT, "a transform of length %lld", (long long)length);
  size_t count = (size_t)length + tern_dft_workspace((size_t)length);
  TERN_TRY(tern_invocation_scratch(invocation, count * sizeof(tern_complex), &memory));
  t->numbers = memory;
  t->workspace = t->numbers + length;
  return NULL;
}

static void run_line(const transform *t, const line *from, const line *to) {
  int64_t known = t->from_half ? t->length / 2 + 1 : t->length;
  known = tern_min_i64(known, from->count);
  memset(t->numbers, 0, (size_t)t->length * sizeof *t->numbers);
  for (int64_t i = 0; i < known; ++i) t->numbers[i] = read_number(from, i);
  for (int64_t i = 1; t->from_half && i < known && t->length - i > i; ++i)
    t->numbers[t->length - i] = (tern_complex){t->numbers[i].re, -t->numbers[i].im};
  tern_dft((size_t)t->length, t->inverse, t->numbers, t->workspace);
  for (int64_t i = 0; i < to->count; ++i) write_number(to, i, t->numbers[i]);
}

static bool has_input(const tern_invocation *invocation, int32_t index) {
  return index < invocation->input_count && invocation->inputs[index];
}

static int64_t input_i64(const tern_invocation *invocation, int32_t index) {
  return tern_dtype_read_i64(invocation->inputs[index]->dtype, invocation->inputs[index]->data, 0);
}

tern_status *tern_cpu_dft(tern_invocation *invocation) {
  // Only read: lines are written in the output alone.
  tern_value *x = (tern_value *)(uintptr_t)invocation->inputs[0], *y = invocation->outputs[0];
  const tern_shape *in = &x->shape, *out = &y->shape;
  bool onesided = tern_node_attr_i(invocation->node, "onesided") != 0;
  transform t = {.inverse = tern_node_attr_i(invocation->node, "inverse") != 0};
  int32_t axis;
  TERN_TRY(
      tern_infer_axis(has_input(invocation, 2) ? input_i64(invocation, 2) : -2, in->rank, &axis));
  t.from_half = t.inverse && onesided;
  if (tern_value_count(y) == 0) return NULL;
  int64_t length = in->dims[axis];
  if (t.from_half) length = 2 * (length - 1);
  if (has_input(invocation, 1)) length = input_i64(invocation, 1);
  TERN_TRY(open_transform(invocation, length, &t));
  int64_t parts = in->dims[in->rank - 1], out_parts = out->dims[out->rank - 1];
  int64_t outer = tern_shape_product(in, 0, axis);
  int64_t inner = tern_shape_product(in, axis + 1, in->rank - 1);
  if (parts != 1 && parts != 2)
    return TERN_ERROR(TERN_INVALID_ARGUMENT, "numbers of %lld parts", (long long)parts);
  for (int64_t o = 0; o < outer; ++o) {
    for (int64_t i = 0; i < inner; ++i) {
      line from = {x, (o * in->dims[axis] * inner + i) * parts, inner * parts, in->dims[axis],
                   parts};
      line to = {y, (o * out->dims[axis] * inner + i) * out_parts, inner * out_parts,
                 out->dims[axis], out_parts};
      run_line(&t, &from, &to);
    }
  }
  return NULL;
}

// One frame: numbers from `begin` on, each times its weight in the window.
static void run_frame(const transform *t, const tern_value *window, const line *from,
                      const line *to) {
  for (int64_t i = 0; i < t->length; ++i) {
    double weight = window ? read_part(window, i) : 1.0;
    tern_complex number = read_number(from, i);
    t->numbers[i] = (tern_complex){number.re * weight, number.im * weight};
  }
  tern_dft((size_t)t->length, false, t->numbers, t->workspace);
  for (int64_t i = 0; i < to->count; ++i) write_number(to, i, t->numbers[i]);
}

tern_status *tern_cpu_stft(tern_invocation *invocation) {
  tern_value *x = (tern_value *)(uintptr_t)invocation->inputs[0], *y = invocation->outputs[0];
  const tern_value *window = has_input(invocation, 2) ? invocation->inputs[2] : NULL;
  int64_t step = input_i64(invocation, 1), parts = x->shape.dims[2];
  int64_t length = window ? tern_value_count(window) : x->shape.dims[1];
  int64_t frames = y->shape.dims[1], bins = y->shape.dims[2];
  transform t = {0};
  if (has_input(invocation, 3)) length = input_i64(invocation, 3);
  if (window && tern_value_count(window) != length)
    return TERN_ERROR(TERN_INVALID_ARGUMENT, "a window of %lld for frames of %lld",
                      (long long)tern_value_count(window), (long long)length);
  if (parts != 1 && parts != 2)
    return TERN_ERROR(TERN_INVALID_ARGUMENT, "numbers of %lld parts", (long long)parts);
  if (tern_value_count(y) == 0) return NULL;
  TERN_TRY(open_transform(invocation, length, &t));
  for (int64_t b = 0; b < x->shape.dims[0]; ++b) {
    for (int64_t f = 0; f < frames; ++f) {
      line from = {x, (b * x->shape.dims[1] + f * step) * parts, parts, length, parts};
      line to = {y, (b * frames + f) * bins * 2, 2, bins, 2};
      run_frame(&t, window, &from, &to);
    }
  }
  return NULL;
}

tern_status *tern_cpu_det(tern_invocation *invocation) {
  const tern_value *x = invocation->inputs[0];
  tern_value *y = invocation->outputs[0];
  int64_t size = x->shape.dims[x->shape.rank - 1];
  void *memory;
  TERN_TRY(tern_invocation_scratch(invocation, (size_t)(size * size) * sizeof(double), &memory));
  double *matrix = memory;
  for (int64_t m = 0; m < tern_value_count(y); ++m) {
    for (int64_t i = 0; i < size * size; ++i) matrix[i] = read_part(x, m * size * size + i);
    write_part(y, m, tern_determinant((size_t)size, matrix));
  }
  return NULL;
}
