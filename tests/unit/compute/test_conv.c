// Convolutions and their transposes against their definitions, in one to three dimensions.
#include "data.h"

#include "compute/conv.h"
#include "compute/plain.h"

typedef struct shape {
  size_t rank, batch, groups, in_channels, out_channels;
  size_t in[3], kernel[3], stride[3], dilation[3];
  ptrdiff_t pad_begin[3], pad_end[3];
} shape;

static const shape shapes[] = {
    {1, 2, 1, 3, 5, {19}, {4}, {1}, {1}, {0}, {0}},
    {1, 1, 2, 4, 6, {23}, {3}, {2}, {3}, {2}, {1}},
    {2, 2, 1, 5, 17, {9, 11}, {1, 1}, {1, 1}, {1, 1}, {0, 0}, {0, 0}},
    {2, 1, 1, 3, 20, {14, 37}, {3, 3}, {1, 1}, {1, 1}, {1, 1}, {1, 1}},
    {2, 1, 1, 40, 33, {13, 12}, {3, 3}, {2, 2}, {1, 1}, {0, 1}, {1, 0}},
    {2, 1, 2, 6, 4, {10, 12}, {3, 2}, {1, 2}, {2, 3}, {3, 2}, {0, 4}},
    {2, 2, 7, 7, 7, {11, 45}, {3, 3}, {1, 1}, {1, 1}, {1, 1}, {1, 1}},
    {2, 1, 5, 5, 10, {12, 70}, {3, 5}, {2, 2}, {1, 1}, {1, 2}, {1, 2}},
    {2, 1, 3, 3, 3, {9, 9}, {2, 2}, {3, 3}, {2, 2}, {0, 0}, {0, 0}},
    {2, 1, 1, 2, 3, {5, 5}, {5, 5}, {1, 1}, {1, 1}, {4, 4}, {4, 4}},
    {2, 1, 1, 4, 4, {8, 8}, {1, 1}, {2, 2}, {1, 1}, {0, 0}, {0, 0}},
    {3, 1, 1, 3, 4, {5, 6, 7}, {2, 3, 3}, {1, 2, 1}, {1, 1, 2}, {1, 0, 2}, {0, 1, 2}},
    {3, 1, 4, 4, 4, {5, 6, 33}, {3, 3, 3}, {1, 1, 1}, {1, 1, 1}, {1, 1, 1}, {1, 1, 1}},
};

static tern_window window_of(const shape *s) {
  tern_window w = {.rank = s->rank};
  for (size_t d = 0; d < s->rank; d++) {
    w.in[d] = s->in[d];
    w.kernel[d] = s->kernel[d];
    w.stride[d] = s->stride[d];
    w.dilation[d] = s->dilation[d];
    w.pad_begin[d] = s->pad_begin[d];
    w.pad_end[d] = s->pad_end[d];
    const size_t reach = (s->kernel[d] - 1) * s->dilation[d] + 1;
    w.out[d] = (s->in[d] + (size_t)(s->pad_begin[d] + s->pad_end[d]) - reach) / s->stride[d] + 1;
  }
  return w;
}

static void check_conv(const shape *s, bool has_bias, bool is_packed) {
  tern_conv_f32_params p = {.window = window_of(s),
                            .batch = s->batch,
                            .groups = s->groups,
                            .in_channels = s->in_channels,
                            .out_channels = s->out_channels};
  const size_t taps = tern_window_kernel_size(&p.window) * s->in_channels / s->groups;
  const size_t y_size = s->batch * s->out_channels * tern_window_out_size(&p.window);
  float *x = new_random(s->batch * s->in_channels * tern_window_in_size(&p.window), 1);
  float *w = new_random(s->out_channels * taps, 2), *bias = new_random(s->out_channels, 3);
  float *expected = new_random(y_size, 4), *actual = new_random(y_size, 5);
  p.x = x, p.w = w, p.y = expected, p.bias = has_bias ? bias : NULL;
  tern_plain_conv_f32(&p);
  p.y = actual;
  float *packed = new_bytes(tern_conv_f32_pack_weights_bytes(&p));
  if (is_packed && tern_conv_f32_pack_weights_bytes(&p)) {
    tern_conv_f32_pack_weights(&p, packed);
    p.packed_w = packed;
    p.w = NULL;
  }
  const size_t bytes = tern_conv_f32_workspace_bytes(&p);
  void *workspace = new_bytes(bytes);
  for (size_t t = tern_conv_f32_tile_count(&p); t-- > 0;) {
    memset(workspace, 0xff, bytes);
    tern_conv_f32_tiles(&p, t, 1, workspace);
  }
  assert_all_close(actual, expected, y_size, 1e-6 * (double)(taps + 4));
  memset(actual, 0, y_size * sizeof(float));
  tern_conv_f32(&p, workspace);
  assert_all_close(actual, expected, y_size, 1e-6 * (double)(taps + 4));
  free(x), free(w), free(bias), free(expected), free(actual), free(packed), free(workspace);
}

static void test_conv(void **state) {
  (void)state;
  for (size_t i = 0; i < TERN_COUNT_OF(shapes); i++)
    for (unsigned flags = 0; flags < 4; flags++) check_conv(&shapes[i], flags & 1, flags & 2);
}

static void test_conv_f64(void **state) {
  (void)state;
  for (size_t i = 0; i < TERN_COUNT_OF(shapes); i++) {
    const shape *s = &shapes[i];
    tern_conv_f64_params p = {.window = window_of(s),
                              .batch = s->batch,
                              .groups = s->groups,
                              .in_channels = s->in_channels,
                              .out_channels = s->out_channels};
    const size_t taps = tern_window_kernel_size(&p.window) * s->in_channels / s->groups;
    const size_t y_size = s->batch * s->out_channels * tern_window_out_size(&p.window);
    double *x = new_random_f64(s->batch * s->in_channels * tern_window_in_size(&p.window), 1);
    double *w = new_random_f64(s->out_channels * taps, 2);
    double *expected = new_random_f64(y_size, 4), *actual = new_random_f64(y_size, 5);
    p.x = x, p.w = w, p.y = expected;
    tern_plain_conv_f64(&p);
    p.y = actual;
    void *workspace = new_bytes(tern_conv_f64_workspace_bytes(&p));
    tern_conv_f64(&p, workspace);
    for (size_t e = 0; e < y_size; e++) assert_close(actual[e], expected[e], 1e-13, e);
    free(x), free(w), free(expected), free(actual), free(workspace);
  }
}

// Each shape read backwards: its output is X, its input is Y, with output padding where the last
// input elements are met by no output.
static void test_conv_transpose(void **state) {
  (void)state;
  for (size_t i = 0; i < 2 * TERN_COUNT_OF(shapes); i++) {
    const shape *s = &shapes[i / 2];
    tern_conv_transpose_f32_params p = {.window = window_of(s),
                                        .batch = s->batch,
                                        .groups = s->groups,
                                        .in_channels = s->out_channels,
                                        .out_channels = s->in_channels};
    const size_t taps = tern_window_kernel_size(&p.window);
    const size_t x_size = s->batch * p.in_channels * tern_window_out_size(&p.window);
    const size_t y_size = s->batch * p.out_channels * tern_window_in_size(&p.window);
    float *x = new_random(x_size, 1), *bias = new_random(p.out_channels, 3);
    float *w = new_random(p.in_channels * p.out_channels / p.groups * taps, 2);
    float *expected = new_random(y_size, 4), *actual = new_random(y_size, 5);
    p.x = x, p.w = w, p.y = expected, p.bias = i % 2 ? bias : NULL;
    tern_plain_conv_transpose_f32(&p);
    p.y = actual;
    void *workspace = new_bytes(tern_conv_transpose_f32_workspace_bytes(&p));
    for (size_t t = tern_conv_transpose_f32_tile_count(&p); t-- > 0;)
      tern_conv_transpose_f32_tiles(&p, t, 1, workspace);
    assert_all_close(actual, expected, y_size, 1e-6 * (double)(taps * p.in_channels + 4));
    free(x), free(bias), free(w), free(expected), free(actual), free(workspace);
  }
}

// More input positions than one block of columns holds.
static void test_conv_transpose_blocks(void **state) {
  (void)state;
  static const shape large = {2, 1, 1, 3, 40, {97, 83}, {4, 4}, {2, 2}, {1, 1}, {1, 1}, {1, 1}};
  tern_conv_transpose_f32_params p = {
      .window = window_of(&large), .batch = 1, .groups = 1, .in_channels = 40, .out_channels = 3};
  const size_t y_size = 3 * tern_window_in_size(&p.window);
  float *x = new_random(40 * tern_window_out_size(&p.window), 1), *w = new_random(40 * 3 * 16, 2);
  float *expected = new_random(y_size, 4), *actual = new_random(y_size, 5);
  p.x = x, p.w = w, p.y = expected;
  tern_plain_conv_transpose_f32(&p);
  p.y = actual;
  void *workspace = new_bytes(tern_conv_transpose_f32_workspace_bytes(&p));
  tern_conv_transpose_f32(&p, workspace);
  assert_all_close(actual, expected, y_size, 1e-4);
  free(x), free(w), free(expected), free(actual), free(workspace);
}

// ONNX's own example of Col2Im with overlapping blocks.
static void test_col2im_adds_overlaps(void **state) {
  (void)state;
  const tern_window w = {.rank = 2,
                         .in = {3, 3},
                         .out = {2, 2},
                         .kernel = {2, 2},
                         .stride = {1, 1},
                         .dilation = {1, 1}};
  float columns[4][4], image[9] = {0};
  for (size_t i = 0; i < 16; i++) columns[i / 4][i % 4] = 1;
  tern_col2im_f32(&w, columns[0], 4, 0, 4, image);
  const float expected[9] = {1, 2, 1, 2, 4, 2, 1, 2, 1};
  assert_memory_equal(image, expected, sizeof expected);
}

int main(void) {
  require_selected_isa();
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_conv),
      cmocka_unit_test(test_conv_f64),
      cmocka_unit_test(test_conv_transpose),
      cmocka_unit_test(test_conv_transpose_blocks),
      cmocka_unit_test(test_col2im_adds_overlaps),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
