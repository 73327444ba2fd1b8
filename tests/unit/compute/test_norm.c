// Softmax and normalisations against their formulas in double.
#include "data.h"

#include "compute/norm.h"

static void softmax_column(size_t axis, size_t inner, const float *x, double *y, bool is_log) {
  double largest = -INFINITY, sum = 0;
  for (size_t i = 0; i < axis; i++) largest = fmax(largest, (double)x[i * inner]);
  for (size_t i = 0; i < axis; i++) sum += exp((double)x[i * inner] - largest);
  for (size_t i = 0; i < axis; i++) {
    const double shifted = (double)x[i * inner] - largest;
    y[i] = is_log ? shifted - log(sum) : exp(shifted) / sum;
  }
}

static void test_softmax(void **state) {
  (void)state;
  static const size_t inners[] = {1, 2, 65};
  for (size_t axis = 1; axis < 70; axis += 3)
    for (size_t k = 0; k < 2 * TERN_COUNT_OF(inners); k++) {
      const size_t inner = inners[k / 2], count = 2 * axis * inner;
      const bool is_log = k % 2;
      float *x = new_random(count, (uint32_t)axis), *y = new_random(count, 2);
      for (size_t i = 0; i < count; i++) x[i] = 30 * x[i] + 90;
      tern_softmax_f32((tern_lines){2, axis, inner, NULL}, x, y, is_log);
      double expected[70];
      for (size_t column = 0; column < 2 * inner; column++) {
        const size_t first = column / inner * axis * inner + column % inner;
        softmax_column(axis, inner, x + first, expected, is_log);
        for (size_t i = 0; i < axis; i++)
          assert_close((double)y[first + i * inner], expected[i], 1e-6, i);
      }
      tern_softmax_f32((tern_lines){2, axis, inner, NULL}, x, x, is_log);
      assert_memory_equal(x, y, count * sizeof(float));
      free(x), free(y);
    }
}

static void test_softmax_special(void **state) {
  (void)state;
  const float minus = -INFINITY;
  float y[3];
  tern_softmax_f32((tern_lines){1, 3, 1, NULL}, (const float[]){minus, 2, minus}, y, false);
  assert_true(y[0] == 0 && y[1] == 1 && y[2] == 0);
  tern_softmax_f32((tern_lines){1, 3, 1, NULL}, (const float[]){1, NAN, 2}, y, false);
  assert_true(isnan(y[0]) && isnan(y[1]) && isnan(y[2]));
  tern_softmax_f32((tern_lines){1, 3, 1, NULL}, (const float[]){minus, minus, minus}, y, false);
  assert_true(isnan(y[0]) && isnan(y[1]) && isnan(y[2]));
}

static void exact_moments(size_t n, const float *x, double *mean, double *variance) {
  *mean = *variance = 0;
  for (size_t i = 0; i < n; i++) *mean += (double)x[i] / (double)n;
  for (size_t i = 0; i < n; i++)
    *variance += ((double)x[i] - *mean) * ((double)x[i] - *mean) / (double)n;
}

// A mean a thousand times the deviation: one-pass formulas in float lose everything here.
static void test_moments_far_from_zero(void **state) {
  (void)state;
  static const size_t sizes[] = {1, 2, 15, 17, 63, 1023, 1024, 1025, 5000};
  for (size_t k = 0; k < TERN_COUNT_OF(sizes); k++) {
    float *x = new_random(sizes[k], 1);
    for (size_t i = 0; i < sizes[k]; i++) x[i] += 1000;
    double mean, variance, expected_mean, expected_variance;
    tern_moments_f32(sizes[k], x, &mean, &variance);
    exact_moments(sizes[k], x, &expected_mean, &expected_variance);
    assert_close(mean, expected_mean, 1e-7, k);
    assert_close(variance, expected_variance, 1e-5, k);
    free(x);
  }
}

static void test_layer_and_rms_norm(void **state) {
  (void)state;
  for (size_t n = 1; n < 80; n += 7) {
    float *x = new_random(3 * n, 1), *scale = new_random(n, 2), *bias = new_random(n, 3);
    float *y = new_random(3 * n, 4), *z = new_random(3 * n, 5), means[3], inverses[3];
    tern_layer_norm_f32(NULL, 3, n, x, scale, bias, 1e-5f, y, means, inverses);
    tern_rms_norm_f32(NULL, 3, n, x, scale, 1e-5f, z, NULL);
    for (size_t r = 0; r < 3; r++) {
      double mean, variance, square = 0;
      exact_moments(n, x + r * n, &mean, &variance);
      for (size_t i = 0; i < n; i++) square += pow((double)x[r * n + i], 2) / (double)n;
      assert_close((double)means[r], mean, 1e-6, r);
      assert_close((double)inverses[r], 1 / sqrt(variance + 1e-5), 1e-5, r);
      for (size_t i = 0; i < n; i++) {
        const double v = (double)x[r * n + i];
        assert_close((double)y[r * n + i],
                     (v - mean) / sqrt(variance + 1e-5) * (double)scale[i] + (double)bias[i], 1e-5,
                     i);
        assert_close((double)z[r * n + i], v / sqrt(square + 1e-5) * (double)scale[i], 1e-5, i);
      }
    }
    free(x), free(scale), free(bias), free(y), free(z);
  }
}

static void test_group_norm(void **state) {
  (void)state;
  enum { BATCH = 2, GROUPS = 3, CHANNELS = 2, SIZE = 35 };
  const size_t count = (size_t)(BATCH * GROUPS * CHANNELS * SIZE), each = CHANNELS * SIZE;
  float *x = new_random(count, 1), *scale = new_random(GROUPS * CHANNELS, 2);
  float *bias = new_random(GROUPS * CHANNELS, 3), *y = new_random(count, 4);
  const tern_group_norm_shape shape = {
      .groups = BATCH * GROUPS, .channels = CHANNELS, .size = SIZE, .period = GROUPS * CHANNELS};
  tern_group_norm_f32(&shape, x, scale, bias, 1e-3f, y);
  for (size_t i = 0; i < count; i++) {
    double mean, variance;
    exact_moments(each, x + i / each * each, &mean, &variance);
    const size_t c = i / SIZE % (GROUPS * CHANNELS);
    assert_close((double)y[i],
                 ((double)x[i] - mean) / sqrt(variance + 1e-3) * (double)scale[c] + (double)bias[c],
                 1e-5, i);
  }
  free(x), free(scale), free(bias), free(y);
}

static void test_lrn(void **state) {
  (void)state;
  const size_t channels = 7, inner = 70;
  float *x = new_random(2 * channels * inner, 1), *y = new_random(2 * channels * inner, 2);
  for (size_t size = 1; size < 9; size++) {
    const tern_lrn_shape shape = {.batch = 2, .channels = channels, .inner = inner, .size = size};
    tern_lrn_f32(&shape, x, 0.5f, 0.75f, 2, y);
    for (size_t i = 0; i < 2 * channels * inner; i++) {
      const ptrdiff_t c = (ptrdiff_t)(i / inner % channels);
      double sum = 0;
      for (ptrdiff_t o = c - (ptrdiff_t)(size - 1) / 2; o <= c + (ptrdiff_t)size / 2; o++)
        if (o >= 0 && o < (ptrdiff_t)channels)
          sum += pow((double)x[(ptrdiff_t)i + (o - c) * (ptrdiff_t)inner], 2);
      assert_close((double)y[i], (double)x[i] / pow(2 + 0.5 / (double)size * sum, 0.75), 1e-6, i);
    }
  }
  free(x), free(y);
}

static void test_f64(void **state) {
  (void)state;
  double *x = new_random_f64(90, 1), y[90], z[90], mean, variance, sum = 0;
  tern_softmax_f64((tern_lines){3, 30, 1, NULL}, x, y, false);
  for (size_t i = 0; i < 30; i++) sum += y[i];
  assert_close(sum, 1, 1e-14, 0);
  assert_close(y[1] / y[0], exp(x[1] - x[0]), 1e-13, 1);
  tern_layer_norm_f64(NULL, 3, 30, x, NULL, NULL, 0, z, NULL, NULL);
  tern_moments_f64(30, z, &mean, &variance);
  assert_close(mean, 0, 1e-14, 0);
  assert_close(variance, 1, 1e-14, 0);
  free(x);
}

int main(void) {
  require_selected_isa();
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_softmax),
      cmocka_unit_test(test_softmax_special),
      cmocka_unit_test(test_moments_far_from_zero),
      cmocka_unit_test(test_layer_and_rms_norm),
      cmocka_unit_test(test_group_norm),
      cmocka_unit_test(test_lrn),
      cmocka_unit_test(test_f64),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
