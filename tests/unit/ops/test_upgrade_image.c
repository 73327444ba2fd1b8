// Old versions of the image and random families, each named after operator and version.
#include "unit/ops/old_model.h"

static tern_value *row(void) {
  return test_tensor(TERN_FLOAT, TEST_SHAPE(1, 1, 1, 5), (const float[]){1, 2, 3, 4, 5});
}

static tern_value *image(void) {
  float numbers[16];
  for (int i = 0; i < 16; ++i) numbers[i] = (float)i;
  return test_tensor(TERN_FLOAT, TEST_SHAPE(1, 1, 4, 4), numbers);
}

static void expect_near(tern_value *value, const float *expected, int count) {
  assert_int_equal(tern_value_count(value), count);
  const float *got = value->data;
  for (int i = 0; i < count; ++i) assert_float_equal(got[i], expected[i], 1e-5f);
  tern_value_release(value);
}

static void resize_10(void **state) {
  (void)state;
  const float less[] = {1, 3, 5}, more[] = {1, 1, 2, 3, 3, 4, 5};
  const float between[] = {1, 2.6666667f, 4.3333333f};
  expect_near(OLD_RUN(.op = "Resize", .opset = 10, .inputs = {row(), TEST_F32S(1, 1, 1, 0.6f)}),
              less, 3);
  expect_near(OLD_RUN(.op = "Resize", .opset = 10, .inputs = {row(), TEST_F32S(1, 1, 1, 1.5f)}),
              more, 7);
  expect_near(OLD_RUN(.op = "Resize", .opset = 10, .inputs = {row(), TEST_F32S(1, 1, 1, 0.6f)},
                      OLD_ATTRS(tern_attr_s("mode", "linear"))),
              between, 3);
}

static void resize_11(void **state) {
  (void)state;
  const float expected[] = {1, 3, 5};
  expect_near(
      OLD_RUN(.op = "Resize", .opset = 11,
              .inputs = {row(), test_tensor(TERN_FLOAT, TEST_SHAPE(0), NULL),
                         TEST_F32S(1, 1, 1, 0.6f)},
              OLD_ATTRS(tern_attr_s("coordinate_transformation_mode", "tf_half_pixel_for_nn"),
                        tern_attr_s("nearest_mode", "floor"))),
      expected, 3);
}

static void grid_sample_16(void **state) {
  (void)state;
  const float places[] = {0, 0, 0.5f, 0.25f}, linear[] = {7.5f, 9.75f},
              cubic[] = {7.5f, 10.031342f};
  expect_near(OLD_RUN(.op = "GridSample", .opset = 16,
                      .inputs = {image(), test_tensor(TERN_FLOAT, TEST_SHAPE(1, 1, 2, 2), places)},
                      OLD_ATTRS(tern_attr_i("align_corners", 1))),
              linear, 2);
  expect_near(OLD_RUN(.op = "GridSample", .opset = 16,
                      .inputs = {image(), test_tensor(TERN_FLOAT, TEST_SHAPE(1, 1, 2, 2), places)},
                      OLD_ATTRS(tern_attr_i("align_corners", 1), tern_attr_s("mode", "bicubic"))),
              cubic, 2);
}

static void roi_align_10(void **state) {
  (void)state;
  const float region[] = {0, 0, 3, 3}, expected[] = {3.75f, 5.25f, 9.75f, 11.25f};
  expect_near(
      OLD_RUN(.op = "RoiAlign", .opset = 10,
              .inputs = {image(), test_tensor(TERN_FLOAT, TEST_SHAPE(1, 4), region), TEST_I64S(0)},
              OLD_ATTRS(tern_attr_i("output_height", 2), tern_attr_i("output_width", 2),
                        tern_attr_i("sampling_ratio", 1))),
      expected, 4);
}

static void dft_17(void **state) {
  (void)state;
  const float signal[] = {1, 2, 3}, expected[] = {6, 0, -1.5f, 0.8660254f, -1.5f, -0.8660254f};
  expect_near(OLD_RUN(.op = "DFT", .opset = 17,
                      .inputs = {test_tensor(TERN_FLOAT, TEST_SHAPE(1, 3, 1), signal)},
                      OLD_ATTRS(tern_attr_i("axis", 1))),
              expected, 6);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(resize_10),    cmocka_unit_test(resize_11), cmocka_unit_test(grid_sample_16),
      cmocka_unit_test(roi_align_10), cmocka_unit_test(dft_17),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
