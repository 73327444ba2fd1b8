// Quantisation: rounding, bounds, and which scale an element gets.
#include "compute/quantize.h"

#include <math.h>

#include "unit/test.h"

#define DIMS(...)                                                                                  \
  (tern_dims) {                                                                                    \
    (int32_t) TERN_COUNT_OF(((const int64_t[]){__VA_ARGS__})), (const int64_t[]) {                 \
      __VA_ARGS__                                                                                  \
    }                                                                                              \
  }
static const tern_dims scalar = {0, NULL};

static void rounds_to_even_within_bounds(void **state) {
  (void)state;
  const float x[] = {1, 3, 5, -1000, 1000, NAN, 2.9f}, scale = 2, zero = 10;
  uint8_t y[7];
  tern_quantize_params p = {
      .x = x, .scales = &scale, .zeros = &zero, .y_dtype = TERN_UINT8, .highest = 255, .y = y};
  assert_true(tern_quant_layout_init(DIMS(7), scalar, 1, 0, &p.layout));
  tern_quantize(&p);
  const uint8_t expected[] = {10, 12, 12, 0, 255, 0, 11};
  assert_memory_equal(y, expected, sizeof y);
}

// The scale of element `index`, from the standard's definition.
static int64_t scale_index(const int64_t x[3], int axis, int64_t block, int64_t index) {
  int64_t at[3] = {index / (x[1] * x[2]), index / x[2] % x[1], index % x[2]};
  if (block == 0) return at[axis];
  int64_t dims[3] = {x[0], x[1], x[2]};
  dims[axis] = (dims[axis] + block - 1) / block;
  at[axis] /= block;
  return (at[0] * dims[1] + at[1]) * dims[2] + at[2];
}

static void check_layout(const int64_t dims[3], int axis, int64_t block) {
  float x[64], scales[64], zeros[64], y[64];
  const int64_t count = dims[0] * dims[1] * dims[2];
  for (int i = 0; i < 64; ++i) x[i] = (float)i, scales[i] = (float)(i + 1), zeros[i] = (float)-i;
  int64_t scale_dims[3] = {dims[0], dims[1], dims[2]};
  if (block) scale_dims[axis] = (dims[axis] + block - 1) / block;
  const tern_dims scale = block ? (tern_dims){3, scale_dims} : (tern_dims){1, &dims[axis]};
  tern_dequantize_params p = {
      .x_dtype = TERN_FLOAT, .x = x, .scales = scales, .zeros = zeros, .y = y};
  assert_true(tern_quant_layout_init((tern_dims){3, dims}, scale, axis - 3, block, &p.layout));
  tern_dequantize(&p);
  for (int64_t i = 0; i < count; ++i) {
    const int64_t s = scale_index(dims, axis, block, i);
    assert_true(y[i] == (x[i] - zeros[s]) * scales[s]);
  }
}

static void each_element_has_its_scale(void **state) {
  (void)state;
  for (int axis = 0; axis < 3; ++axis) {
    for (int64_t block = 0; block < 6; ++block) {
      check_layout((const int64_t[]){2, 3, 5}, axis, block);
      check_layout((const int64_t[]){3, 4, 1}, axis, block);
      check_layout((const int64_t[]){1, 1, 7}, axis, block);
    }
  }
}

static void refuses_scales_that_do_not_fit(void **state) {
  (void)state;
  tern_quant_layout layout;
  assert_false(tern_quant_layout_init(DIMS(2, 3), DIMS(2), 1, 0, &layout));
  assert_false(tern_quant_layout_init(DIMS(2, 3), DIMS(3), 2, 0, &layout));
  assert_false(tern_quant_layout_init(DIMS(2, 3), DIMS(2, 3), 1, 0, &layout));
  assert_false(tern_quant_layout_init(DIMS(2, 3), DIMS(2, 1), 1, 2, &layout));
  assert_false(tern_quant_layout_init(DIMS(2, 3), DIMS(2, 2), 1, -2, &layout));
  assert_true(tern_quant_layout_init(DIMS(4), DIMS(4), 1, 0, &layout));
  assert_true(tern_quant_layout_init(DIMS(2, 3), DIMS(1), 7, 0, &layout));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(rounds_to_even_within_bounds),
      cmocka_unit_test(each_element_has_its_scale),
      cmocka_unit_test(refuses_scales_that_do_not_fit),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
