// Quantisation: a tensor is cut into runs with one scale, or with one scale an element, and each
// run is one loop.
#include "compute/quantize.h"

static int64_t product(const int64_t *dims, int32_t begin, int32_t end) {
  int64_t result = 1;
  for (int32_t i = begin; i < end; ++i) result *= dims[i];
  return result;
}

static bool fits_blocks(tern_dims x, tern_dims scale, int32_t axis, int64_t block_size) {
  if (block_size < 0 || scale.rank != x.rank) return false;
  for (int32_t i = 0; i < x.rank; ++i) {
    const int64_t wanted =
        i == axis ? x.dims[i] / block_size + (x.dims[i] % block_size != 0) : x.dims[i];
    if (scale.dims[i] != wanted) return false;
  }
  return true;
}

bool tern_quant_layout_init(tern_dims x, tern_dims scale, int64_t axis, int64_t block_size,
                            tern_quant_layout *out_layout) {
  if (block_size == 0 && product(scale.dims, 0, scale.rank) == 1) {
    *out_layout = (tern_quant_layout){1, 1, product(x.dims, 0, x.rank), 0, 1};
    return true;
  }
  if (x.rank == 1 && block_size == 0) axis = 0;
  if (axis < -(int64_t)x.rank || axis >= x.rank) return false;
  const int32_t at = (int32_t)(axis < 0 ? axis + x.rank : axis);
  if (block_size == 0 && (scale.rank != 1 || scale.dims[0] != x.dims[at])) return false;
  if (block_size != 0 && !fits_blocks(x, scale, at, block_size)) return false;
  *out_layout = (tern_quant_layout){.outer = product(x.dims, 0, at),
                                    .axis = x.dims[at],
                                    .inner = product(x.dims, at + 1, x.rank),
                                    .block = block_size,
                                    .scales_on_axis = scale.dims[block_size ? at : 0]};
  return true;
}

// Elements [first, first + length); their scales start at `scale` and advance by `step`.
typedef struct run {
  int64_t first, length, scale, step;
} run;
typedef void (*run_fn)(const void *params, const run *r);

static void per_tensor(const tern_quant_layout *layout, run_fn fn, const void *params) {
  fn(params, &(run){0, layout->inner, 0, 0});
}

static void per_axis(const tern_quant_layout *layout, run_fn fn, const void *params) {
  const int64_t axis = layout->axis, inner = layout->inner;
  for (int64_t o = 0; o < layout->outer; ++o) {
    if (inner == 1) {
      fn(params, &(run){o * axis, axis, 0, 1});
      continue;
    }
    for (int64_t a = 0; a < axis; ++a) fn(params, &(run){(o * axis + a) * inner, inner, a, 0});
  }
}

static void per_block(const tern_quant_layout *layout, run_fn fn, const void *params) {
  const int64_t axis = layout->axis, inner = layout->inner, block = layout->block;
  for (int64_t o = 0; o < layout->outer; ++o) {
    for (int64_t a = 0; a < axis; a += inner == 1 ? block : 1) {
      const int64_t scale = (o * layout->scales_on_axis + a / block) * inner;
      if (inner == 1) {
        fn(params, &(run){o * axis + a, tern_min_i64(block, axis - a), scale, 0});
      } else {
        fn(params, &(run){(o * axis + a) * inner, inner, scale, 1});
      }
    }
  }
}

static void each_run(const tern_quant_layout *layout, run_fn fn, const void *params) {
  if (layout->block != 0) {
    per_block(layout, fn, params);
  } else if (layout->outer == 1 && layout->axis == 1 && layout->scales_on_axis == 1) {
    per_tensor(layout, fn, params);
  } else {
    per_axis(layout, fn, params);
  }
}

// Adding 1.5 * 2^23 leaves no bits for a fraction: rounds |x| < 2^22 to nearest even in every
// instruction set.
static inline float round_small(float x) {
  return (x + 12582912.0f) - 12582912.0f;
}

// Bounds are integers: bounding first rounds to the same, and keeps what is rounded small.
static inline float quantized(float x, float scale, float zero, float lowest, float highest) {
  float v = x / scale;
  v = v > lowest - zero ? v : lowest - zero;
  v = v < highest - zero ? v : highest - zero;
  return round_small(v) + zero;
}

#define QUANTIZE_RUN(type, suffix, expression)                                                     \
  static void quantize_##suffix(const void *params, const run *r) {                                \
    const tern_quantize_params *p = params;                                                        \
    const float *px = p->x + r->first, *scales = p->scales + r->scale;                             \
    const float none = 0, *zeros = p->zeros ? p->zeros + r->scale : &none;                         \
    const float lowest = p->lowest, highest = p->highest;                                          \
    const int64_t step = r->step, zero_step = p->zeros ? r->step : 0;                              \
    type *y = (type *)p->y + r->first;                                                             \
    (void)lowest, (void)highest;                                                                   \
    if (step == 0) {                                                                               \
      const float scale = *scales, zero = *zeros;                                                  \
      TERN_LANES_INDEPENDENT                                                                       \
      for (int64_t i = 0; i < r->length; ++i) {                                                    \
        const float x = px[i];                                                                     \
        y[i] = (type)(expression);                                                                 \
      }                                                                                            \
    } else {                                                                                       \
      for (int64_t i = 0; i < r->length; ++i) {                                                    \
        const float x = px[i], scale = scales[i], zero = zeros[i * zero_step];                     \
        y[i] = (type)(expression);                                                                 \
      }                                                                                            \
    }                                                                                              \
  }
#define BOUNDED (int32_t) quantized(x, scale, zero, lowest, highest)
QUANTIZE_RUN(int8_t, i8, BOUNDED)
QUANTIZE_RUN(uint8_t, u8, BOUNDED)
QUANTIZE_RUN(int16_t, i16, BOUNDED)
QUANTIZE_RUN(uint16_t, u16, BOUNDED)
QUANTIZE_RUN(float, f32, x / scale + zero)

void tern_quantize(const tern_quantize_params *params) {
  static const run_fn fns[TERN_DTYPE_COUNT] = {[TERN_INT8] = quantize_i8,
                                               [TERN_UINT8] = quantize_u8,
                                               [TERN_INT16] = quantize_i16,
                                               [TERN_UINT16] = quantize_u16,
                                               [TERN_FLOAT] = quantize_f32};
  if (fns[params->y_dtype]) each_run(&params->layout, fns[params->y_dtype], params);
}

#define DEQUANTIZE_RUN(type, suffix)                                                               \
  static void dequantize_##suffix(const void *params, const run *r) {                              \
    const tern_dequantize_params *p = params;                                                      \
    const type *x = (const type *)p->x + r->first;                                                 \
    const float *scales = p->scales + r->scale;                                                    \
    const float none = 0, *zeros = p->zeros ? p->zeros + r->scale : &none;                         \
    const int64_t step = r->step, zero_step = p->zeros ? r->step : 0;                              \
    float *y = p->y + r->first;                                                                    \
    if (step == 0) {                                                                               \
      const float scale = *scales, zero = *zeros;                                                  \
      TERN_LANES_INDEPENDENT                                                                       \
      for (int64_t i = 0; i < r->length; ++i) y[i] = ((float)x[i] - zero) * scale;                 \
    } else {                                                                                       \
      for (int64_t i = 0; i < r->length; ++i)                                                      \
        y[i] = ((float)x[i] - zeros[i * zero_step]) * scales[i];                                   \
    }                                                                                              \
  }
DEQUANTIZE_RUN(int8_t, i8)
DEQUANTIZE_RUN(uint8_t, u8)
DEQUANTIZE_RUN(int16_t, i16)
DEQUANTIZE_RUN(uint16_t, u16)
DEQUANTIZE_RUN(int32_t, i32)
DEQUANTIZE_RUN(float, f32)

void tern_dequantize(const tern_dequantize_params *params) {
  static const run_fn fns[TERN_DTYPE_COUNT] = {
      [TERN_INT8] = dequantize_i8,    [TERN_UINT8] = dequantize_u8,  [TERN_INT16] = dequantize_i16,
      [TERN_UINT16] = dequantize_u16, [TERN_INT32] = dequantize_i32, [TERN_FLOAT] = dequantize_f32};
  if (fns[params->x_dtype]) each_run(&params->layout, fns[params->x_dtype], params);
}
