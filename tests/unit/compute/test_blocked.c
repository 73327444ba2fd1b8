// Convolution and pooling of blocked images against their definitions, on odd sizes.
#include "data.h"

#include "compute/blocked.h"
#include "compute/plain.h"

typedef struct shape {
  size_t batch, in_channels, out_channels;
  size_t in[2], kernel[2], stride[2], dilation[2];
  ptrdiff_t pad_begin[2], pad_end[2];
} shape;

static const shape shapes[] = {
    // one pixel, rows that fit segments and that do not
    {2, 16, 32, {7, 7}, {1, 1}, {1, 1}, {1, 1}, {0, 0}, {0, 0}},
    {1, 40, 24, {5, 13}, {1, 1}, {1, 1}, {1, 1}, {0, 0}, {0, 0}},
    {1, 17, 65, {1, 1}, {1, 1}, {1, 1}, {1, 1}, {0, 0}, {0, 0}},
    {1, 33, 48, {9, 11}, {1, 1}, {2, 2}, {1, 1}, {0, 0}, {0, 0}},
    {1, 8, 8, {6, 10}, {1, 1}, {1, 3}, {1, 1}, {1, 2}, {1, 0}},
    // the usual three by three
    {1, 32, 48, {14, 14}, {3, 3}, {1, 1}, {1, 1}, {1, 1}, {1, 1}},
    {2, 19, 21, {8, 15}, {3, 3}, {1, 1}, {1, 1}, {1, 1}, {1, 1}},
    {1, 16, 16, {15, 9}, {3, 3}, {2, 2}, {1, 1}, {1, 1}, {0, 1}},
    {1, 16, 33, {12, 10}, {3, 3}, {1, 1}, {2, 3}, {2, 3}, {2, 3}},
    {1, 16, 16, {9, 23}, {3, 3}, {2, 2}, {3, 2}, {3, 0}, {1, 2}},
    // others
    {1, 3, 20, {23, 29}, {7, 7}, {2, 2}, {1, 1}, {3, 3}, {3, 3}},
    {1, 1, 16, {9, 40}, {2, 5}, {1, 2}, {1, 1}, {0, 2}, {1, 1}},
    {1, 4, 12, {20, 20}, {4, 4}, {4, 4}, {1, 1}, {0, 0}, {0, 0}},
    {1, 18, 10, {3, 4}, {5, 5}, {1, 1}, {1, 1}, {4, 4}, {4, 4}},
    {1, 16, 16, {17, 3}, {3, 1}, {1, 1}, {1, 1}, {1, 0}, {1, 0}},
    {1, 20, 8, {37, 41}, {5, 3}, {1, 2}, {1, 1}, {2, 1}, {2, 1}},
    {1, 9, 8, {8, 9}, {3, 3}, {1, 1}, {1, 1}, {-1, -2}, {0, 0}},
};

static tern_window window_of(const shape *s) {
  tern_window w = {.rank = 2};
  for (size_t d = 0; d < 2; d++) {
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

static size_t blocked_floats(size_t batch, size_t channels, const size_t *size) {
  const size_t block = tern_blocked_block();
  return batch * tern_blocked_count(channels, block) * block * size[0] * size[1];
}

// Random numbers, and 0 in the channels that fill up the last block.
static float *new_blocked(size_t batch, size_t channels, const size_t *size, uint32_t seed) {
  const size_t block = tern_blocked_block(), count = blocked_floats(batch, channels, size);
  const size_t blocks = tern_blocked_count(channels, block), image = size[0] * size[1] * block;
  float *data = new_random(count, seed);
  for (size_t i = 0; i < count; i++) {
    const size_t channel = i / image % blocks * block + i % block;
    if (channel >= channels) data[i] = 0;
  }
  return data;
}

static void test_there_and_back(void **state) {
  (void)state;
  enum { SIZE = 131 };
  for (size_t channels = 1; channels < 36; channels += 5) {
    for (size_t block = 4; block <= 16; block *= 2) {
      const size_t blocks = tern_blocked_count(channels, block);
      float *x = new_random(channels * SIZE, 1), *back = new_random(channels * SIZE, 2);
      float *y = new_random(blocks * block * SIZE, 3);
      tern_blocked_from_planar(block, channels, SIZE, x, y);
      for (size_t c = 0; c < blocks * block; c++)
        for (size_t i = 0; i < SIZE; i++)
          assert_true(y[(c / block * SIZE + i) * block + c % block] ==
                      (c < channels ? x[c * SIZE + i] : 0));
      tern_blocked_to_planar(block, channels, SIZE, y, back);
      assert_memory_equal(back, x, channels * SIZE * sizeof *x);
      free(x), free(y), free(back);
    }
  }
}

// What may follow a convolution, with and without a residual.
typedef enum ending {
  NOTHING,
  CLIP,
  SIGMOID,
  RESIDUAL,
  RESIDUAL_CLIP,
  SIGMOID_RESIDUAL,
  ENDINGS
} ending;

static tern_epilogue_f32 epilogue_of(ending e, const float *residual) {
  tern_epilogue_f32 epilogue = {.residual = e >= RESIDUAL ? residual : NULL,
                                .residual_last = e == SIGMOID_RESIDUAL};
  if (e == CLIP || e == RESIDUAL_CLIP) {
    epilogue.activation = tern_activation_find(TERN_ACTIVATION_CLIP, TERN_FLOAT);
    epilogue.params = (tern_activation_params){0.1f, 0.6f};
    epilogue.is_clip = true;
  } else if (e == SIGMOID || e == SIGMOID_RESIDUAL) {
    epilogue.activation = tern_activation_find(TERN_ACTIVATION_SIGMOID, TERN_FLOAT);
  }
  return epilogue;
}

static void check_conv(const shape *s, bool is_planar, ending end, bool has_bias) {
  const tern_window window = window_of(s);
  const size_t taps = s->in_channels * s->kernel[0] * s->kernel[1];
  const size_t count = blocked_floats(s->batch, s->out_channels, window.out);
  float *x = is_planar ? new_random(s->batch * s->in_channels * s->in[0] * s->in[1], 1)
                       : new_blocked(s->batch, s->in_channels, s->in, 1);
  float *w = new_random(s->out_channels * taps, 2), *bias = new_random(s->out_channels, 3);
  float *z = new_blocked(s->batch, s->out_channels, window.out, 4);
  float *expected = new_random(count, 5), *actual = new_random(count, 6);
  const tern_epilogue_f32 epilogue = epilogue_of(end, z);
  tern_blocked_conv_params p = {.window = window,
                                .batch = s->batch,
                                .in_channels = s->in_channels,
                                .out_channels = s->out_channels,
                                .is_planar = is_planar,
                                .x = x,
                                .y = expected,
                                .epilogue = end == NOTHING && has_bias ? NULL : &epilogue};
  tern_plain_blocked_conv_f32(&p, w, has_bias ? bias : NULL);
  float *packed = new_bytes(tern_blocked_conv_packed_bytes(&p));
  tern_blocked_conv_pack(&p, w, has_bias ? bias : NULL, packed);
  p.packed = packed;
  p.y = actual;
  const size_t bytes = tern_blocked_conv_workspace_bytes(&p);
  void *workspace = new_bytes(bytes);
  for (size_t t = tern_blocked_conv_tile_count(&p); t-- > 0;) {
    memset(workspace, 0xff, bytes);
    tern_blocked_conv_tiles(&p, t, 1, workspace);
  }
  assert_all_close(actual, expected, count, 1e-6 * (double)(taps + 4));
  float *whole = new_random(count, 7);
  p.y = whole;
  tern_blocked_conv_tiles(&p, 0, tern_blocked_conv_tile_count(&p), workspace);
  assert_memory_equal(whole, actual, count * sizeof *whole);
  if (end >= RESIDUAL) { // over its own residual
    tern_epilogue_f32 own = epilogue;
    memcpy(whole, z, count * sizeof *whole);
    own.residual = whole;
    p.epilogue = &own;
    tern_blocked_conv_tiles(&p, 0, tern_blocked_conv_tile_count(&p), workspace);
    assert_memory_equal(whole, actual, count * sizeof *whole);
  }
  free(x), free(w), free(bias), free(z), free(expected), free(actual), free(packed);
  free(workspace), free(whole);
}

static void test_conv(void **state) {
  (void)state;
  for (size_t i = 0; i < TERN_COUNT_OF(shapes); i++)
    for (unsigned end = 0; end < ENDINGS; end++)
      for (unsigned flags = 0; flags < 4; flags++)
        check_conv(&shapes[i], flags & 1, (ending)end, flags & 2);
}

// More rows, channels and taps than one strip, group or chunk holds.
static void test_conv_in_parts(void **state) {
  (void)state;
  static const shape large[] = {
      {1, 80, 96, {58, 29}, {3, 3}, {1, 1}, {1, 1}, {1, 1}, {1, 1}},
      {1, 600, 40, {10, 60}, {1, 1}, {1, 1}, {1, 1}, {0, 0}, {0, 0}},
      {1, 3, 600, {40, 40}, {3, 3}, {2, 2}, {1, 1}, {1, 1}, {1, 1}},
      {1, 260, 8, {5, 5}, {3, 3}, {1, 1}, {1, 1}, {1, 1}, {1, 1}},
  };
  for (size_t i = 0; i < TERN_COUNT_OF(large); i++) {
    check_conv(&large[i], false, RESIDUAL_CLIP, true);
    check_conv(&large[i], true, CLIP, false);
  }
}

typedef void (*tiles_fn)(const tern_blocked_window_params *p, size_t first, size_t count);

// Over its own residual where it has one.
static void depthwise_tiles(const tern_blocked_window_params *p, size_t first, size_t count) {
  void *workspace = new_bytes(tern_blocked_depthwise_workspace_bytes(p));
  tern_blocked_window_params own = *p;
  tern_epilogue_f32 epilogue = *p->epilogue;
  const size_t tile =
      blocked_floats(p->batch, p->channels, p->window.out) / tern_blocked_depthwise_tile_count(p);
  if (epilogue.residual) {
    memcpy(p->y + first * tile, epilogue.residual + first * tile, count * tile * sizeof *p->y);
    epilogue.residual = p->y;
    own.epilogue = &epilogue;
  }
  tern_blocked_depthwise_tiles(&own, first, count, workspace);
  free(workspace);
}

// One tile at a time.
static void check_tiles(tern_blocked_window_params *p, tiles_fn tiles, size_t tile_count,
                        const float *expected, double tolerance) {
  const size_t count = blocked_floats(p->batch, p->channels, p->window.out);
  float *actual = new_random(count, 8);
  p->y = actual;
  for (size_t t = tile_count; t-- > 0;) tiles(p, t, 1);
  assert_all_close(actual, expected, count, tolerance);
  free(actual);
}

static void check_windows(const shape *s, ending end, bool flag) {
  const tern_window window = window_of(s);
  const size_t taps = s->kernel[0] * s->kernel[1], channels = s->in_channels;
  const size_t count = blocked_floats(s->batch, channels, window.out);
  float *x = new_blocked(s->batch, channels, s->in, 1), *expected = new_random(count, 2);
  float *w = new_random(channels * taps, 3), *bias = new_random(channels, 4);
  float *z = new_blocked(s->batch, channels, window.out, 5);
  const tern_epilogue_f32 epilogue = epilogue_of(end, z);
  tern_blocked_window_params p = {.window = window,
                                  .batch = s->batch,
                                  .channels = channels,
                                  .x = x,
                                  .y = expected,
                                  .epilogue = &epilogue,
                                  .count_padding = flag};
  tern_plain_blocked_depthwise_f32(&p, w, flag ? bias : NULL);
  float *packed = new_bytes(tern_blocked_depthwise_packed_bytes(&p));
  tern_blocked_depthwise_pack(&p, w, flag ? bias : NULL, packed);
  p.packed = packed;
  check_tiles(&p, depthwise_tiles, tern_blocked_depthwise_tile_count(&p), expected,
              1e-6 * (double)(taps + 4));
  p.y = expected;
  tern_plain_blocked_average_f32(&p);
  check_tiles(&p, tern_blocked_average_tiles, tern_blocked_window_tile_count(&p), expected,
              1e-6 * (double)(taps + 4));
  free(x), free(expected), free(w), free(bias), free(z), free(packed);
}

static void check_max(const shape *s) {
  const tern_window window = window_of(s);
  const size_t count = blocked_floats(s->batch, s->in_channels, window.out);
  float *x = new_blocked(s->batch, s->in_channels, s->in, 1), *expected = new_random(count, 2);
  x[0] = NAN; // loses against any number
  tern_blocked_window_params p = {
      .window = window, .batch = s->batch, .channels = s->in_channels, .x = x, .y = expected};
  tern_plain_blocked_max_f32(&p);
  check_tiles(&p, tern_blocked_max_tiles, tern_blocked_window_tile_count(&p), expected, 0);
  free(x), free(expected);
}

static void test_windows(void **state) {
  (void)state;
  for (size_t i = 0; i < TERN_COUNT_OF(shapes); i++) {
    for (unsigned end = 0; end < ENDINGS; end++)
      for (unsigned flag = 0; flag < 2; flag++) check_windows(&shapes[i], (ending)end, flag);
    check_max(&shapes[i]);
  }
}

int main(void) {
  require_selected_isa();
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_there_and_back),
      cmocka_unit_test(test_conv),
      cmocka_unit_test(test_conv_in_parts),
      cmocka_unit_test(test_windows),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
