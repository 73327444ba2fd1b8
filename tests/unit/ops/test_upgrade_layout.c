// Old versions of the shape, movement and indexing families, each named after operator and version.
#include "unit/ops/old_model.h"

static const float six[] = {1, 2, 3, 4, 5, 6};

static tern_value *floats(const tern_shape *shape) {
  return test_tensor(TERN_FLOAT, shape, six);
}

static void reshape_1(void **state) {
  (void)state;
  const int64_t shape[] = {3, -1};
  test_expect(OLD_RUN(.op = "Reshape", .opset = 1, .inputs = {floats(TEST_SHAPE(2, 3))},
                      OLD_ATTRS(tern_attr_ints("shape", shape, 2))),
              TERN_FLOAT, TEST_SHAPE(3, 2), six);
  OLD_REFUSED("shape", .op = "Reshape", .opset = 1, .inputs = {floats(TEST_SHAPE(2, 3))});
}

static void squeeze_and_unsqueeze_11(void **state) {
  (void)state;
  const int64_t zero[] = {0}, last[] = {-1};
  test_expect(OLD_RUN(.op = "Squeeze", .opset = 1, .inputs = {floats(TEST_SHAPE(1, 6))},
                      OLD_ATTRS(tern_attr_ints("axes", zero, 1))),
              TERN_FLOAT, TEST_SHAPE(6), six);
  test_expect(OLD_RUN(.op = "Unsqueeze", .opset = 11, .inputs = {floats(TEST_SHAPE(6))},
                      OLD_ATTRS(tern_attr_ints("axes", last, 1))),
              TERN_FLOAT, TEST_SHAPE(6, 1), six);
}

static void dropout_1_and_7(void **state) {
  (void)state;
  test_expect(OLD_RUN(.op = "Dropout", .opset = 1, .inputs = {floats(TEST_SHAPE(6))},
                      OLD_ATTRS(tern_attr_i("is_test", 1), tern_attr_f("ratio", 0.9f))),
              TERN_FLOAT, TEST_SHAPE(6), six);
  test_expect(OLD_RUN(.op = "Dropout", .opset = 7, .inputs = {floats(TEST_SHAPE(6))},
                      OLD_ATTRS(tern_attr_f("ratio", 0.9f))),
              TERN_FLOAT, TEST_SHAPE(6), six);
}

static void concat_1(void **state) {
  (void)state;
  const float expected[] = {1, 2, 1, 2};
  test_expect(OLD_RUN(.op = "Concat", .opset = 1,
                      .inputs = {floats(TEST_SHAPE(1, 2)), floats(TEST_SHAPE(1, 2))}),
              TERN_FLOAT, TEST_SHAPE(1, 4), expected);
}

static void slice_1(void **state) {
  (void)state;
  const int64_t starts[] = {1}, ends[] = {-1}, axes[] = {0};
  TEST_EXPECT_F32S(
      OLD_RUN(.op = "Slice", .opset = 1, .inputs = {floats(TEST_SHAPE(4))},
              OLD_ATTRS(tern_attr_ints("starts", starts, 1), tern_attr_ints("ends", ends, 1),
                        tern_attr_ints("axes", axes, 1))),
      2, 3);
}

static void pad_1_and_2(void **state) {
  (void)state;
  const int64_t pads[] = {1, 0};
  TEST_EXPECT_F32S(OLD_RUN(.op = "Pad", .opset = 1, .inputs = {floats(TEST_SHAPE(2))},
                           OLD_ATTRS(tern_attr_ints("paddings", pads, 2), tern_attr_f("value", 7))),
                   7, 1, 2);
  TEST_EXPECT_F32S(OLD_RUN(.op = "Pad", .opset = 2, .inputs = {floats(TEST_SHAPE(2))},
                           OLD_ATTRS(tern_attr_ints("pads", pads, 2))),
                   0, 1, 2);
}

static void tile_1(void **state) {
  (void)state;
  const float expected[] = {1, 2, 1, 2, 3, 4, 3, 4};
  test_expect(OLD_RUN(.op = "Tile", .opset = 1,
                      .inputs = {floats(TEST_SHAPE(2, 2)), test_f32(2), test_f32(1)}),
              TERN_FLOAT, TEST_SHAPE(2, 4), expected);
}

static void split_1_11_and_13(void **state) {
  (void)state;
  const int64_t sizes[] = {2};
  TEST_EXPECT_F32S(
      OLD_RUN(.op = "Split", .opset = 1, .inputs = {floats(TEST_SHAPE(2)), TEST_F32S(2)}), 1, 2);
  TEST_EXPECT_F32S(OLD_RUN(.op = "Split", .opset = 11, .inputs = {floats(TEST_SHAPE(2))},
                           OLD_ATTRS(tern_attr_ints("split", sizes, 1))),
                   1, 2);
  TEST_EXPECT_F32S(OLD_RUN(.op = "Split", .opset = 13, .inputs = {floats(TEST_SHAPE(2))}), 1, 2);
}

static void topk_1_and_scatter_9(void **state) {
  (void)state;
  TEST_EXPECT_F32S(OLD_RUN(.op = "TopK", .opset = 1, .inputs = {floats(TEST_SHAPE(6))},
                           OLD_ATTRS(tern_attr_i("k", 2))),
                   6, 5);
  TEST_EXPECT_F32S(OLD_RUN(.op = "Scatter", .opset = 9,
                           .inputs = {floats(TEST_SHAPE(3)), TEST_I64S(-1), TEST_F32S(9)}),
                   1, 2, 9);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(reshape_1),
      cmocka_unit_test(squeeze_and_unsqueeze_11),
      cmocka_unit_test(dropout_1_and_7),
      cmocka_unit_test(concat_1),
      cmocka_unit_test(slice_1),
      cmocka_unit_test(pad_1_and_2),
      cmocka_unit_test(tile_1),
      cmocka_unit_test(split_1_11_and_13),
      cmocka_unit_test(topk_1_and_scatter_9),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
