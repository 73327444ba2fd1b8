// Old versions of elementwise operators, activations, Clip, Min, Max, Sum and Mean.
#include <float.h>
#include <math.h>

#include "unit/ops/old_model.h"

static const float sixteen[] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
static const int64_t none[] = {0};

#define FLOATS(dims) test_tensor(TERN_FLOAT, dims, sixteen)
#define CONSUMED tern_attr_ints("consumed_inputs", none, 1)
#define BROADCAST tern_attr_i("broadcast", 1)
#define AXIS(n) tern_attr_i("axis", (n))

// [2,3,2] with [3] at axis 1: every element gets the number of its row.
static void broadcast_along_axis(void **state) {
  (void)state;
  const float added[] = {0, 1, 3, 4, 6, 7, 6, 7, 9, 10, 12, 13};
  for (int64_t opset = 1; opset <= 6; opset += 5) {
    tern_value *y = OLD_RUN(.op = "Add", .opset = opset,
                            .inputs = {FLOATS(TEST_SHAPE(2, 3, 2)), FLOATS(TEST_SHAPE(3))},
                            OLD_ATTRS(BROADCAST, AXIS(1)));
    test_expect(y, TERN_FLOAT, TEST_SHAPE(2, 3, 2), added);
  }
  tern_value *y = OLD_RUN(.op = "Add", .opset = 1,
                          .inputs = {FLOATS(TEST_SHAPE(2, 3, 2)), FLOATS(TEST_SHAPE(3))},
                          OLD_ATTRS(BROADCAST, AXIS(-2), CONSUMED));
  test_expect(y, TERN_FLOAT, TEST_SHAPE(2, 3, 2), added);
  // Without an axis B lies along the last dimensions.
  TEST_EXPECT_F32S(OLD_RUN(.op = "Sub", .opset = 6, .inputs = {TEST_F32S(5, 6), test_f32(1)},
                           OLD_ATTRS(BROADCAST)),
                   4, 5);
  OLD_REFUSED("rank 3", .op = "Mul", .opset = 6,
              .inputs = {FLOATS(TEST_SHAPE(2, 3)), FLOATS(TEST_SHAPE(1, 2, 3))},
              OLD_ATTRS(BROADCAST, AXIS(0)));
}

static void every_binary_operator_had_it(void **state) {
  (void)state;
  static const char *const arithmetic[] = {"Mul", "Div", "Pow", "Sub", "Add"};
  static const float expected[][4] = {{3, 6, 9, 12},
                                      {1 / 3.0f, 2 / 3.0f, 1, 4 / 3.0f},
                                      {1, 8, 27, 64},
                                      {-2, -1, 0, 1},
                                      {4, 5, 6, 7}};
  for (size_t i = 0; i < TERN_COUNT_OF(arithmetic); ++i) {
    const float four[] = {1, 2, 3, 4}, threes[] = {3, 3};
    tern_value *a = test_tensor(TERN_FLOAT, TEST_SHAPE(2, 2), four);
    tern_value *b = test_tensor(TERN_FLOAT, TEST_SHAPE(2), threes);
    test_expect(
        OLD_RUN(.op = arithmetic[i], .opset = 1, .inputs = {a, b}, OLD_ATTRS(BROADCAST, AXIS(0))),
        TERN_FLOAT, TEST_SHAPE(2, 2), expected[i]);
  }
  static const char *const relations[] = {"Greater", "Less"};
  static const uint8_t relation_bits[][4] = {{0, 1, 1, 1}, {0, 0, 0, 0}};
  for (size_t i = 0; i < TERN_COUNT_OF(relations); ++i)
    test_expect(OLD_RUN(.op = relations[i], .opset = 1,
                        .inputs = {FLOATS(TEST_SHAPE(2, 2)), FLOATS(TEST_SHAPE(2))},
                        OLD_ATTRS(BROADCAST, AXIS(0))),
                TERN_BOOL, TEST_SHAPE(2, 2), relation_bits[i]);
  static const char *const logic[] = {"And", "Or", "Xor"};
  static const uint8_t bits[] = {0, 1, 0, 1},
                       logic_bits[][4] = {{0, 0, 0, 1}, {0, 1, 1, 1}, {0, 1, 1, 0}};
  for (size_t i = 0; i < TERN_COUNT_OF(logic); ++i) {
    tern_value *a = test_tensor(TERN_BOOL, TEST_SHAPE(2, 2), bits);
    tern_value *b = test_tensor(TERN_BOOL, TEST_SHAPE(2), bits);
    test_expect(
        OLD_RUN(.op = logic[i], .opset = 1, .inputs = {a, b}, OLD_ATTRS(BROADCAST, AXIS(0))),
        TERN_BOOL, TEST_SHAPE(2, 2), logic_bits[i]);
  }
  TEST_EXPECT_LIST(
      OLD_RUN(.op = "Equal", .opset = 1,
              .inputs = {TEST_I32S(1, 2), test_tensor(TERN_INT32, TEST_SCALAR, &(int32_t){2})},
              OLD_ATTRS(BROADCAST)),
      TERN_BOOL, uint8_t, 0, 1);
}

static void consumed_inputs_mean_nothing(void **state) {
  (void)state;
  static const char *const unary[] = {"Abs", "Ceil", "Floor", "Relu"};
  for (size_t i = 0; i < TERN_COUNT_OF(unary); ++i)
    TEST_EXPECT_F32S(
        OLD_RUN(.op = unary[i], .opset = 1, .inputs = {TEST_F32S(2, 3)}, OLD_ATTRS(CONSUMED)), 2,
        3);
  static const char *const real[] = {"Exp",  "Log", "Neg",  "Reciprocal", "Sigmoid",    "Sqrt",
                                     "Tanh", "Elu", "Selu", "LeakyRelu",  "HardSigmoid"};
  for (size_t i = 0; i < TERN_COUNT_OF(real); ++i) {
    tern_value *old =
        OLD_RUN(.op = real[i], .opset = 1, .inputs = {TEST_F32S(0.5f, 2)}, OLD_ATTRS(CONSUMED));
    tern_value_release(old);
  }
  static const char *const variadic[] = {"Min", "Max", "Sum", "Mean"};
  static const float expected[][2] = {{1, 4}, {3, 6}, {4, 10}, {2, 5}};
  for (size_t i = 0; i < TERN_COUNT_OF(variadic); ++i)
    test_expect(OLD_RUN(.op = variadic[i], .opset = 1, .inputs = {TEST_F32S(1, 6), TEST_F32S(3, 4)},
                        OLD_ATTRS(CONSUMED)),
                TERN_FLOAT, TEST_SHAPE(2), expected[i]);
}

static void selu_1_has_shorter_constants(void **state) {
  (void)state;
  TEST_EXPECT_F32S(OLD_RUN(.op = "Selu", .opset = 1, .inputs = {TEST_F32S(1)}), 1.0507f);
  TEST_EXPECT_F32S(OLD_RUN(.op = "Selu", .opset = 6, .inputs = {TEST_F32S(1)}), 1.05070102f);
}

static void prelu_1_and_6_lie_along_channels(void **state) {
  (void)state;
  const float minus[] = {-1, -1, -1, -1, -1, -1}, expected[] = {-0.0f, -0.0f, -1, -1, -2, -2};
  for (int64_t opset = 1; opset <= 6; opset += 5) {
    tern_value *x = test_tensor(TERN_FLOAT, TEST_SHAPE(1, 3, 2), minus);
    test_expect(OLD_RUN(.op = "PRelu", .opset = opset, .inputs = {x, FLOATS(TEST_SHAPE(3))}),
                TERN_FLOAT, TEST_SHAPE(1, 3, 2), expected);
  }
  tern_value *x = test_tensor(TERN_FLOAT, TEST_SHAPE(3), minus);
  const float shared = 2, doubled[] = {-2, -2, -2};
  test_expect(OLD_RUN(.op = "PRelu", .opset = 6,
                      .inputs = {x, test_tensor(TERN_FLOAT, TEST_SHAPE(1), &shared)}),
              TERN_FLOAT, TEST_SHAPE(3), doubled);
}

static void clip_1_and_6_have_bounds_as_attributes(void **state) {
  (void)state;
  const tern_attr low = tern_attr_f("min", -1), high = tern_attr_f("max", 1.5f);
  for (int64_t opset = 1; opset <= 6; opset += 5)
    TEST_EXPECT_F32S(OLD_RUN(.op = "Clip", .opset = opset, .inputs = {TEST_F32S(-3, 0, 3)},
                             OLD_ATTRS(low, high)),
                     -1, 0, 1.5f);
  TEST_EXPECT_F32S(OLD_RUN(.op = "Clip", .opset = 1, .inputs = {TEST_F32S(-3, INFINITY)},
                           OLD_ATTRS(low, CONSUMED)),
                   -1, INFINITY);
  TEST_EXPECT_F32S(
      OLD_RUN(.op = "Clip", .opset = 6, .inputs = {TEST_F32S(-3, INFINITY)}, OLD_ATTRS(low)), -1,
      FLT_MAX);
}

static void cast_1_names_its_type(void **state) {
  (void)state;
  TEST_EXPECT_I64S(OLD_RUN(.op = "Cast", .opset = 1, .inputs = {TEST_F32S(1.5f, -2)},
                           OLD_ATTRS(tern_attr_s("to", "INT64"))),
                   1, -2);
  OLD_REFUSED("FLOAT99", .op = "Cast", .opset = 1, .inputs = {TEST_F32S(1)},
              OLD_ATTRS(tern_attr_s("to", "FLOAT99")));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(broadcast_along_axis),
      cmocka_unit_test(every_binary_operator_had_it),
      cmocka_unit_test(consumed_inputs_mean_nothing),
      cmocka_unit_test(selu_1_has_shorter_constants),
      cmocka_unit_test(prelu_1_and_6_lie_along_channels),
      cmocka_unit_test(clip_1_and_6_have_bounds_as_attributes),
      cmocka_unit_test(cast_1_names_its_type),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
