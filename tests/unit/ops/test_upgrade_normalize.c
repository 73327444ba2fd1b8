// Old versions of normalisations, softmax and reductions.
#include <math.h>

#include "unit/ops/old_model.h"

static const float eight[] = {-1, 1, 1, -1, 3, 3, 5, 5};

// Equal elements, so that each is one over the number of those that are normalised together.
static void softmax_1_and_11(void **state) {
  (void)state;
  const float zeros[8] = {0};
  const float by_entry[] = {0.25f, 0.25f, 0.25f, 0.25f},
              by_all[] = {0.125f, 0.125f, 0.125f, 0.125f, 0.125f, 0.125f, 0.125f, 0.125f};
  for (int64_t opset = 1; opset <= 11; opset += 10) {
    test_expect(OLD_RUN(.op = "Softmax", .opset = opset,
                        .inputs = {test_tensor(TERN_FLOAT, TEST_SHAPE(1, 2, 2), zeros)}),
                TERN_FLOAT, TEST_SHAPE(1, 2, 2), by_entry);
    test_expect(OLD_RUN(.op = "Softmax", .opset = opset,
                        .inputs = {test_tensor(TERN_FLOAT, TEST_SHAPE(2, 2, 2), zeros)},
                        OLD_ATTRS(tern_attr_i("axis", 0))),
                TERN_FLOAT, TEST_SHAPE(2, 2, 2), by_all);
  }
  const float first[] = {0, 1, 0, 0, 0, 0, 1, 0};
  test_expect(OLD_RUN(.op = "Hardmax", .opset = 11,
                      .inputs = {test_tensor(TERN_FLOAT, TEST_SHAPE(2, 2, 2), eight)}),
              TERN_FLOAT, TEST_SHAPE(2, 2, 2), first);
}

static void group_normalization_18(void **state) {
  (void)state;
  const float x[] = {-1, 1, 4, 6, 8, 10, -3, -1};
  // Two groups of two channels of one element.
  const float expected[] = {-2, 2, 9, 11, -2, 2, 9, 11};
  test_expect(OLD_RUN(.op = "GroupNormalization", .opset = 18,
                      .inputs = {test_tensor(TERN_FLOAT, TEST_SHAPE(2, 4, 1), x), TEST_F32S(2, 1),
                                 TEST_F32S(0, 10)},
                      OLD_ATTRS(tern_attr_i("num_groups", 2), tern_attr_f("epsilon", 0))),
              TERN_FLOAT, TEST_SHAPE(2, 4, 1), expected);
}

#define BATCH_INPUTS                                                                               \
  .inputs = {test_tensor(TERN_FLOAT, TEST_SHAPE(2, 2, 2), eight), TEST_F32S(2, 1),                 \
             TEST_F32S(0, 0), TEST_F32S(1, 3), TEST_F32S(1, 4)}

static void batch_normalization_1_and_6(void **state) {
  (void)state;
  const int64_t none[] = {0, 0, 0, 0, 0};
  const float expected[] = {-4, 0, -1, -2, 4, 4, 1, 1};
  const tern_attr consumed = tern_attr_ints("consumed_inputs", none, 5);
  test_expect(OLD_RUN(.op = "BatchNormalization", .opset = 1, BATCH_INPUTS,
                      OLD_ATTRS(tern_attr_i("is_test", 1), tern_attr_f("epsilon", 0), consumed)),
              TERN_FLOAT, TEST_SHAPE(2, 2, 2), expected);
  test_expect(OLD_RUN(.op = "BatchNormalization", .opset = 6, BATCH_INPUTS,
                      OLD_ATTRS(tern_attr_i("is_test", 1), tern_attr_f("epsilon", 0))),
              TERN_FLOAT, TEST_SHAPE(2, 2, 2), expected);
}

// Each of the four features of an entry is a channel.
static void batch_normalization_7(void **state) {
  (void)state;
  const float mean[] = {0, 0, 1, -1}, one[] = {1, 1, 1, 1};
  const float scale[] = {1, 1, 1, 1}, bias[] = {-1, 0, 0, 0};
  const float y[] = {-2, 1, 0, 0, 2, 3, 4, 6};
#define FEATURES(data) test_tensor(TERN_FLOAT, TEST_SHAPE(2, 2), data)
  test_expect(OLD_RUN(.op = "BatchNormalization", .opset = 7,
                      .inputs = {test_tensor(TERN_FLOAT, TEST_SHAPE(2, 2, 2), eight),
                                 FEATURES(scale), FEATURES(bias), FEATURES(mean), FEATURES(one)},
                      OLD_ATTRS(tern_attr_i("spatial", 0), tern_attr_f("epsilon", 0))),
              TERN_FLOAT, TEST_SHAPE(2, 2, 2), y);
}

// Statistics of the batch: channel 0 is -1, 1, 3, 3, channel 1 is 1, -1, 5, 5.
static void batch_normalization_9(void **state) {
  (void)state;
  static const char *const outputs[] = {"a0,y", "a0,a1,y", "a0,a1,a2,y", "a0,a1,a2,a3,y"};
  static const float expected[][2] = {
      {1.25f, 2.75f}, {1.875f, 5.375f}, {1.5f, 2.5f}, {2.75f, 6.75f}};
  for (size_t i = 0; i < TERN_COUNT_OF(outputs); ++i)
    test_expect(OLD_RUN(.op = "BatchNormalization", .opset = 9, BATCH_INPUTS,
                        OLD_ATTRS(tern_attr_f("momentum", 0.5f)), .outputs = outputs[i]),
                TERN_FLOAT, TEST_SHAPE(2), expected[i]);
}

static void reductions_with_axes_as_attribute(void **state) {
  (void)state;
  static const struct {
    const char *op;
    float expected[2];
  } cases[] = {{"ReduceSum", {6, 10}},
               {"ReduceMean", {1.5f, 2.5f}},
               {"ReduceProd", {-9, -25}},
               {"ReduceL1", {8, 12}},
               {"ReduceSumSquare", {20, 52}},
               {"ReduceMax", {3, 5}},
               {"ReduceMin", {-1, -1}},
               {"ReduceL2", {4.4721360f, 7.2111026f}},
               {"ReduceLogSum", {1.7917595f, 2.3025851f}},
               {"ReduceLogSumExp", {3.7671645f, 5.7034907f}}};
  const int64_t axes[] = {0, 2};
  for (size_t i = 0; i < TERN_COUNT_OF(cases); ++i) {
    tern_value *y = OLD_RUN(.op = cases[i].op, .opset = 11,
                            .inputs = {test_tensor(TERN_FLOAT, TEST_SHAPE(2, 2, 2), eight)},
                            OLD_ATTRS(tern_attr_ints("axes", axes, 2), tern_attr_i("keepdims", 0)));
    assert_int_equal(y->shape.rank, 1);
    for (int64_t c = 0; c < 2; ++c)
      assert_true(fabsf(((const float *)y->data)[c] - cases[i].expected[c]) <= 1e-6f);
    tern_value_release(y);
  }
}

static void logarithms_of_integers_18(void **state) {
  (void)state;
  TEST_EXPECT_I64S(OLD_RUN(.op = "ReduceLogSum", .opset = 18, .inputs = {TEST_I64S(100, 50)}), 5);
  TEST_EXPECT_LIST(OLD_RUN(.op = "ReduceLogSumExp", .opset = 18, .inputs = {TEST_I32S(100, 0)}),
                   TERN_INT32, int32_t, 100);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(softmax_1_and_11),
      cmocka_unit_test(group_normalization_18),
      cmocka_unit_test(batch_normalization_1_and_6),
      cmocka_unit_test(batch_normalization_7),
      cmocka_unit_test(batch_normalization_9),
      cmocka_unit_test(reductions_with_axes_as_attribute),
      cmocka_unit_test(logarithms_of_integers_18),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
