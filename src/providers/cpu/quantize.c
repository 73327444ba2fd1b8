// Kernels of quantisation. The loops take float values, scales and zero points, and integers of
// whole bytes; everything else is cast on its way in or out.
#include <math.h>

#include "compute/cast.h"
#include "compute/quantize.h"
#include "providers/cpu/cast.h"
#include "providers/cpu/loops.h"

static const tern_cast_options exact = {0};

static bool is_halves(tern_dtype dtype) {
  return dtype == TERN_FLOAT16 || dtype == TERN_BFLOAT16;
}

// Scratch for the elements of `value` as `dtype`s.
static tern_status *scratch_as(tern_invocation *invocation, const tern_value *value,
                               tern_dtype dtype, void **out_data) {
  size_t bytes;
  if (!tern_dtype_bytes(dtype, tern_value_count(value), &bytes)) return tern_status_out_of_memory();
  return tern_invocation_scratch(invocation, bytes, out_data);
}

// The elements of `value` as `dtype`s: where they lie, or cast into scratch. NULL stays NULL.
static tern_status *elements_as(tern_invocation *invocation, const tern_value *value,
                                tern_dtype dtype, const void **out_data) {
  void *cast = NULL;
  *out_data = value ? value->data : NULL;
  if (!value || value->dtype == dtype) return NULL;
  TERN_TRY(scratch_as(invocation, value, dtype, &cast));
  tern_cast(value->dtype, value->data, dtype, cast, tern_value_count(value), &exact);
  *out_data = cast;
  return NULL;
}

// Input `index` as floats that are exact in `precision`.
static tern_status *rounded_floats(tern_invocation *invocation, int32_t index, tern_dtype precision,
                                   const void **out_data) {
  const tern_value *value = invocation->inputs[index];
  void *halves, *floats;
  if (!is_halves(precision) || value->dtype == precision)
    return elements_as(invocation, value, TERN_FLOAT, out_data);
  const int64_t count = tern_value_count(value);
  TERN_TRY(scratch_as(invocation, value, precision, &halves));
  TERN_TRY(scratch_as(invocation, value, TERN_FLOAT, &floats));
  tern_cast(value->dtype, value->data, precision, halves, count, &exact);
  tern_cast(precision, halves, TERN_FLOAT, floats, count, &exact);
  *out_data = floats;
  return NULL;
}

static const tern_value *optional_input(const tern_invocation *invocation, int32_t index) {
  return index < invocation->input_count ? invocation->inputs[index] : NULL;
}

static tern_status *read_layout(const tern_invocation *invocation, tern_quant_layout *out_layout) {
  const tern_value *x = invocation->inputs[0], *scale = invocation->inputs[1];
  const tern_value *zero = optional_input(invocation, 2);
  const int64_t axis = tern_node_attr_i(invocation->node, "axis");
  const int64_t block = tern_node_attr_i(invocation->node, "block_size");
  char a[TERN_SHAPE_TEXT_BYTES], b[TERN_SHAPE_TEXT_BYTES];
  if (zero && tern_value_count(zero) != tern_value_count(scale))
    return TERN_ERROR(TERN_INVALID_ARGUMENT, "the zero point has shape %s, the scale %s",
                      tern_shape_format(&zero->shape, a, sizeof a),
                      tern_shape_format(&scale->shape, b, sizeof b));
  if (!tern_quant_layout_init(tern_cpu_dims(x), tern_cpu_dims(scale), axis, block, out_layout))
    return TERN_ERROR(TERN_INVALID_ARGUMENT,
                      "a scale of shape %s does not fit %s with axis %lld and blocks of %lld",
                      tern_shape_format(&scale->shape, b, sizeof b),
                      tern_shape_format(&x->shape, a, sizeof a), (long long)axis, (long long)block);
  return NULL;
}

// How a quantised type is computed: the type that the loops write, and the integers' bounds.
typedef struct target {
  tern_dtype loop_dtype;
  float lowest, highest;
} target;

static target target_of(tern_dtype dtype) {
  const tern_dtype_info *info = tern_dtype_get_info(dtype);
  const float range = (float)(1 << info->bits);
  if (info->class == TERN_CLASS_I)
    return (target){info->bits == 16 ? TERN_INT16 : TERN_INT8, -range / 2, range / 2 - 1};
  if (info->class == TERN_CLASS_U)
    return (target){info->bits == 16 ? TERN_UINT16 : TERN_UINT8, 0, range - 1};
  return (target){TERN_FLOAT, 0, 0};
}

// Divides first where the quotient is to be rounded to a narrower type.
static tern_status *divide_in(tern_invocation *invocation, tern_dtype precision,
                              tern_quantize_params *p) {
  static const float one = 1;
  const tern_value *x = invocation->inputs[0];
  const int64_t count = tern_value_count(x);
  void *quotients, *halves;
  if (!is_halves(precision)) return NULL;
  TERN_TRY(scratch_as(invocation, x, TERN_FLOAT, &quotients));
  TERN_TRY(scratch_as(invocation, x, precision, &halves));
  tern_quantize_params divide = *p;
  divide.zeros = NULL;
  divide.y_dtype = TERN_FLOAT;
  divide.y = quotients;
  tern_quantize(&divide);
  tern_cast(TERN_FLOAT, quotients, precision, halves, count, &exact);
  tern_cast(precision, halves, TERN_FLOAT, quotients, count, &exact);
  p->x = quotients;
  if (!p->zeros) {
    p->scales = &one;
    p->layout = (tern_quant_layout){1, 1, count, 0, 1};
    return NULL;
  }
  // Zero points keep the layout, so the scales become ones of the same number.
  void *ones;
  const int64_t scale_count = tern_value_count(invocation->inputs[1]);
  TERN_TRY(scratch_as(invocation, invocation->inputs[1], TERN_FLOAT, &ones));
  for (int64_t i = 0; i < scale_count; ++i) ((float *)ones)[i] = 1;
  p->scales = ones;
  return NULL;
}

tern_status *tern_cpu_compute_quantize(tern_invocation *invocation) {
  tern_value *y = invocation->outputs[0];
  const int64_t asked = tern_node_attr_i(invocation->node, "precision");
  const tern_dtype precision = asked ? (tern_dtype)asked : invocation->inputs[1]->dtype;
  const target t = target_of(y->dtype);
  const void *x, *scales, *zeros;
  tern_quantize_params p = {.y_dtype = t.loop_dtype, .lowest = t.lowest, .highest = t.highest};
  if (tern_value_count(y) == 0) return NULL;
  TERN_TRY(read_layout(invocation, &p.layout));
  TERN_TRY(rounded_floats(invocation, 0, precision, &x));
  TERN_TRY(rounded_floats(invocation, 1, precision, &scales));
  TERN_TRY(elements_as(invocation, optional_input(invocation, 2), TERN_FLOAT, &zeros));
  p.x = x;
  p.scales = scales;
  p.zeros = zeros;
  TERN_TRY(divide_in(invocation, precision, &p));
  p.y = y->data;
  if (y->dtype != t.loop_dtype) TERN_TRY(scratch_as(invocation, y, t.loop_dtype, &p.y));
  tern_quantize(&p);
  const tern_cast_options options = {.saturate = tern_node_attr_i(invocation->node, "saturate")};
  if (y->dtype != t.loop_dtype)
    tern_cast(t.loop_dtype, p.y, y->dtype, y->data, tern_value_count(y), &options);
  return NULL;
}

tern_status *tern_cpu_compute_dequantize(tern_invocation *invocation) {
  const tern_value *x = invocation->inputs[0];
  tern_value *y = invocation->outputs[0];
  const tern_dtype x_dtype = x->dtype == TERN_INT32 ? TERN_INT32 : target_of(x->dtype).loop_dtype;
  const void *values, *scales, *zeros;
  tern_dequantize_params p = {.x_dtype = x_dtype};
  if (tern_value_count(y) == 0) return NULL;
  TERN_TRY(read_layout(invocation, &p.layout));
  TERN_TRY(elements_as(invocation, x, x_dtype, &values));
  TERN_TRY(elements_as(invocation, invocation->inputs[1], TERN_FLOAT, &scales));
  TERN_TRY(elements_as(invocation, optional_input(invocation, 2), TERN_FLOAT, &zeros));
  void *floats = y->data;
  if (y->dtype != TERN_FLOAT) TERN_TRY(scratch_as(invocation, y, TERN_FLOAT, &floats));
  p.x = values;
  p.scales = scales;
  p.zeros = zeros;
  p.y = floats;
  tern_dequantize(&p);
  if (y->dtype != TERN_FLOAT)
    tern_cast(TERN_FLOAT, floats, y->dtype, y->data, tern_value_count(y), &exact);
  return NULL;
}

// The bounds of all elements and 0. NaN counts for neither.
static void find_range(const float *x, int64_t count, float *out_lowest, float *out_highest) {
  float lowest = 0, highest = 0;
  for (int64_t i = 0; i < count; ++i) {
    lowest = x[i] < lowest ? x[i] : lowest;
    highest = x[i] > highest ? x[i] : highest;
  }
  *out_lowest = lowest;
  *out_highest = highest;
}

tern_status *tern_cpu_compute_dynamic_quantize(tern_invocation *invocation) {
  const tern_value *x = invocation->inputs[0];
  const int64_t count = tern_value_count(x);
  float lowest, highest;
  find_range(x->data, count, &lowest, &highest);
  // The function's formula gives 0/0 for a tensor of zeros; any scale is right there.
  const float scale = lowest == highest ? 1 : (highest - lowest) / 255;
  float zero = rintf(0 - lowest / scale);
  zero = zero > 255 ? 255 : zero > 0 ? zero : 0; // an infinite range makes NaN
  if (invocation->output_count > 1 && invocation->outputs[1])
    *(float *)invocation->outputs[1]->data = scale;
  if (invocation->output_count > 2 && invocation->outputs[2])
    *(uint8_t *)invocation->outputs[2]->data = (uint8_t)zero;
  if (!invocation->outputs[0]) return NULL;
  tern_quantize(&(tern_quantize_params){.layout = {1, 1, count, 0, 1},
                                        .x = x->data,
                                        .scales = &scale,
                                        .zeros = &zero,
                                        .y_dtype = TERN_UINT8,
                                        .highest = 255,
                                        .y = invocation->outputs[0]->data});
  return NULL;
}
