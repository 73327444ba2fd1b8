// Pooling against its definition: pads, dilations, ceil-mode overhang, both index orders.
#include "data.h"

#include "compute/plain.h"
#include "compute/pool.h"

static const tern_window windows[] = {
    {1, {17}, {8}, {3}, {2}, {1}, {0}, {0}},
    {1, {17}, {9}, {3}, {2}, {1}, {1}, {1}},
    {2, {7, 9}, {7, 9}, {3, 3}, {1, 1}, {1, 1}, {1, 1}, {1, 1}},
    {2, {8, 11}, {4, 6}, {3, 3}, {2, 2}, {1, 1}, {0, 0}, {0, 0}}, // the last windows overhang
    {2, {9, 9}, {3, 5}, {2, 3}, {3, 1}, {2, 2}, {0, 0}, {0, 0}},
    {2, {6, 40}, {5, 41}, {2, 2}, {1, 1}, {1, 1}, {0, 1}, {0, 1}},
    {3, {4, 5, 6}, {3, 3, 6}, {2, 2, 3}, {1, 2, 1}, {1, 1, 1}, {0, 1, 1}, {0, 0, 1}},
};

static void test_max(void **state) {
  (void)state;
  for (size_t i = 0; i < 2 * TERN_COUNT_OF(windows); i++) {
    const tern_window *w = &windows[i / 2];
    const bool column_major = i % 2;
    const size_t in = tern_window_in_size(w), out = tern_window_out_size(w);
    float *x = new_random(3 * in, 1), *y = new_random(3 * out, 2), *z = new_random(3 * out, 3);
    float *expected = new_random(out, 4);
    int64_t *indices = new_bytes(3 * out * sizeof *indices);
    int64_t *expected_indices = new_bytes(out * sizeof *indices);
    x[1] = x[0];
    x[in] = -INFINITY;
    tern_pool_max_f32(w, 3, x, y, indices, 5, column_major);
    tern_pool_max_f32(w, 3, x, z, NULL, 0, false);
    assert_memory_equal(y, z, 3 * out * sizeof(float));
    for (size_t plane = 0; plane < 3; plane++) {
      tern_plain_pool_max_f32(w, x + plane * in, expected, expected_indices, column_major);
      assert_memory_equal(y + plane * out, expected, out * sizeof(float));
      for (size_t e = 0; e < out; e++)
        assert_int_equal(indices[plane * out + e],
                         expected_indices[e] + (int64_t)((5 + plane) * in));
    }
    free(x), free(y), free(z), free(expected), free(indices), free(expected_indices);
  }
}

static void test_average_and_norm(void **state) {
  (void)state;
  for (size_t i = 0; i < 4 * TERN_COUNT_OF(windows); i++) {
    const tern_window *w = &windows[i / 4];
    const size_t in = tern_window_in_size(w), out = tern_window_out_size(w);
    const float p = i % 4 < 2 ? 0 : (float)(i % 4);
    float *x = new_random(2 * in, 1), *y = new_random(2 * out, 2), *expected = new_random(out, 3);
    if (p > 0) {
      tern_pool_lp_f32(w, 2, x, y, p);
    } else {
      tern_pool_average_f32(w, 2, x, y, i % 4);
    }
    for (size_t plane = 0; plane < 2; plane++) {
      tern_plain_pool_sum_f32(w, x + plane * in, expected, p, i % 4);
      assert_all_close(y + plane * out, expected, out, 2e-6);
    }
    free(x), free(y), free(expected);
  }
}

static void test_narrow_integers(void **state) {
  (void)state;
  const tern_window w = {1, {5}, {4}, {2}, {1}, {1}, {0}, {0}};
  const int8_t x[] = {-128, -128, 3, -5, 127};
  const int8_t expected[] = {-128, 3, 3, 127};
  int8_t y[4];
  int64_t indices[4];
  tern_pool_max_i8(&w, 1, x, y, indices, 0, false);
  assert_memory_equal(y, expected, sizeof y);
  assert_int_equal(indices[0], 0);
  assert_int_equal(indices[3], 4);
  const uint8_t ux[] = {0, 200, 3, 255, 1}, uexpected[] = {200, 200, 255, 255};
  uint8_t uy[4];
  tern_pool_max_u8(&w, 1, ux, uy, NULL, 0, false);
  assert_memory_equal(uy, uexpected, sizeof uy);
}

static void test_global_average(void **state) {
  (void)state;
  for (size_t size = 1; size < 40; size++) {
    float *x = new_random(2 * size, 1), y[2];
    tern_pool_global_average_f32(2, size, x, y);
    for (size_t plane = 0; plane < 2; plane++) {
      double sum = 0;
      for (size_t i = 0; i < size; i++) sum += (double)x[plane * size + i];
      assert_close((double)y[plane], sum / (double)size, 1e-7, plane);
    }
    free(x);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_max),
      cmocka_unit_test(test_average_and_norm),
      cmocka_unit_test(test_narrow_integers),
      cmocka_unit_test(test_global_average),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
