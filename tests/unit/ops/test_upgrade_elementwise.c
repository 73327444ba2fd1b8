// Old versions of elementwise operators, activations, Clip, Min, Max, Sum, Mean and Cast.
#include <float.h>
#include <math.h>

#include "unit/ops/upgrade_case.h"

#define CONSUMED ATTR_INTS("consumed_inputs", 0)
#define BROADCAST ATTR_I("broadcast", 1)
#define AXIS(n) ATTR_I("axis", (n))

// [2,2] with [2] along axis 0: B's elements are those of the rows.
#define ALONG_ROWS(name, result)                                                                   \
  {                                                                                                \
    (name), {F32(D(2, 2), 1, 2, 3, 4), F32(D(2), 2, 3)}, CASE_ATTRS(BROADCAST, AXIS(0)), {         \
      result                                                                                       \
    }                                                                                              \
  }
#define BITS_ALONG_ROWS(name, ...)                                                                 \
  {                                                                                                \
    (name), {BOOL(D(2, 2), 0, 1, 0, 1), BOOL(D(2), 0, 1)}, CASE_ATTRS(BROADCAST, AXIS(0)), {       \
      BOOL(D(2, 2), __VA_ARGS__)                                                                   \
    }                                                                                              \
  }
#define UNARY(name, input, ...)                                                                    \
  {                                                                                                \
    (name), {input}, CASE_ATTRS(CONSUMED), {                                                       \
      F32(D(2), __VA_ARGS__)                                                                       \
    }                                                                                              \
  }
#define VARIADIC(name, ...)                                                                        \
  {                                                                                                \
    (name), {F32(D(2), 1, 6), F32(D(2), 3, 4)}, CASE_ATTRS(CONSUMED), {                            \
      F32(D(2), __VA_ARGS__)                                                                       \
    }                                                                                              \
  }
#define SLOPES(name)                                                                               \
  {(name),                                                                                         \
   {F32(D(1, 3, 2), -1, -1, -1, -1, -1, 3), F32(D(3), 0, 1, 2)},                                   \
   .expected = {F32(D(1, 3, 2), 0, 0, -1, -1, -2, 3)}},                                            \
  {                                                                                                \
    (name), {F32(D(3), -1, -2, 3), F32(D(1), 2)}, .expected = { F32(D(3), -2, -4, 3) }             \
  }

static const upgrade_case cases[] = {
    ALONG_ROWS("Add-1", F32(D(2, 2), 3, 4, 6, 7)),
    {"Add-1",
     {F32(D(2, 3, 2), 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11), F32(D(3), 0, 1, 2)},
     CASE_ATTRS(BROADCAST, AXIS(-2), CONSUMED),
     {F32(D(2, 3, 2), 0, 1, 3, 4, 6, 7, 6, 7, 9, 10, 12, 13)}},
    ALONG_ROWS("Add-6", F32(D(2, 2), 3, 4, 6, 7)),
    ALONG_ROWS("Sub-1", F32(D(2, 2), -1, 0, 0, 1)),
    ALONG_ROWS("Sub-6", F32(D(2, 2), -1, 0, 0, 1)),
    // Without an axis B lies along the last dimensions.
    {"Sub-6", {F32(D(2), 5, 6), F32(TEST_SCALAR, 1)}, CASE_ATTRS(BROADCAST), {F32(D(2), 4, 5)}},
    ALONG_ROWS("Mul-1", F32(D(2, 2), 2, 4, 9, 12)),
    ALONG_ROWS("Mul-6", F32(D(2, 2), 2, 4, 9, 12)),
    ALONG_ROWS("Div-1", F32(D(2, 2), 0.5f, 1, 1, 4 / 3.0f)),
    ALONG_ROWS("Div-6", F32(D(2, 2), 0.5f, 1, 1, 4 / 3.0f)),
    ALONG_ROWS("Pow-1", F32(D(2, 2), 1, 4, 27, 64)),
    ALONG_ROWS("Greater-1", BOOL(D(2, 2), 0, 0, 0, 1)),
    ALONG_ROWS("Less-1", BOOL(D(2, 2), 1, 0, 0, 0)),
    {"Equal-1",
     {I32(D(2, 2), 1, 2, 3, 4), I32(D(2), 2, 3)},
     CASE_ATTRS(BROADCAST, AXIS(0)),
     {BOOL(D(2, 2), 0, 1, 1, 0)}},
    BITS_ALONG_ROWS("And-1", 0, 0, 0, 1),
    BITS_ALONG_ROWS("Or-1", 0, 1, 1, 1),
    BITS_ALONG_ROWS("Xor-1", 0, 1, 1, 0),

    UNARY("Abs-1", F32(D(2), -2, 3), 2, 3),
    UNARY("Ceil-1", F32(D(2), -1.5f, 1.5f), -1, 2),
    UNARY("Floor-1", F32(D(2), -1.5f, 1.5f), -2, 1),
    UNARY("Exp-1", F32(D(2), 0, 1), 1, 2.7182818f),
    UNARY("Log-1", F32(D(2), 1, 2.7182818f), 0, 1),
    UNARY("Neg-1", F32(D(2), -2, 3), 2, -3),
    UNARY("Reciprocal-1", F32(D(2), 2, -4), 0.5f, -0.25f),
    UNARY("Sigmoid-1", F32(D(2), 0, 1), 0.5f, 0.7310586f),
    UNARY("Sqrt-1", F32(D(2), 4, 9), 2, 3),
    UNARY("Tanh-1", F32(D(2), 0, 1), 0, 0.7615942f),
    UNARY("Relu-1", F32(D(2), -1, 2), 0, 2),
    {"Elu-1",
     {F32(D(2), -1, 3)},
     CASE_ATTRS(ATTR_F("alpha", 2), CONSUMED),
     {F32(D(2), -1.2642411f, 3)}},
    {"HardSigmoid-1",
     {F32(D(3), 1, 5, -9)},
     CASE_ATTRS(CONSUMED),
     {F32(D(3), 0.7f, 1, 0)}}, // alpha 0.2, beta 0.5
    UNARY("LeakyRelu-1", F32(D(2), -1, 2), -0.01f, 2),
    UNARY("Selu-1", F32(D(2), -1, 1), -1.1112877f, 1.0507f),
    VARIADIC("Max-1", 3, 6),
    VARIADIC("Mean-1", 2, 5),
    VARIADIC("Min-1", 1, 4),
    VARIADIC("Sum-1", 4, 10),

    SLOPES("PRelu-1"),
    SLOPES("PRelu-6"),
    {"Clip-1",
     {F32(D(3), -3, 0, 3)},
     CASE_ATTRS(ATTR_F("min", -1), ATTR_F("max", 1.5f)),
     {F32(D(3), -1, 0, 1.5f)}},
    {"Clip-1",
     {F32(D(2), -3, INFINITY)},
     CASE_ATTRS(ATTR_F("min", -1), CONSUMED),
     {F32(D(2), -1, INFINITY)}},
    {"Clip-6",
     {F32(D(3), -3, 0, 3)},
     CASE_ATTRS(ATTR_F("min", -1), ATTR_F("max", 1.5f)),
     {F32(D(3), -1, 0, 1.5f)}},
    {"Clip-6",
     {F32(D(2), -3, INFINITY)},
     CASE_ATTRS(ATTR_F("min", -1)),
     {F32(D(2), -1, FLT_MAX)}}, // the default of max
    {"Cast-1", {F32(D(2), 1.5f, -2)}, CASE_ATTRS(ATTR_S("to", "INT64")), {I64(D(2), 1, -2)}},
    {0},
};

static void test_b_must_fit_below_a(void **state) {
  (void)state;
  const float six[] = {1, 2, 3, 4, 5, 6};
  OLD_REFUSED("rank 3", .op = "Mul", .opset = 6,
              .inputs = {test_tensor(TERN_FLOAT, TEST_SHAPE(2, 3), six),
                         test_tensor(TERN_FLOAT, TEST_SHAPE(1, 2, 3), six)},
              OLD_ATTRS(tern_attr_i("broadcast", 1), tern_attr_i("axis", 0)));
}

static void test_selu_6_has_its_own_constants(void **state) {
  (void)state;
  TEST_EXPECT_F32S(OLD_RUN(.op = "Selu", .opset = 6, .inputs = {TEST_F32S(1)}), 1.05070102f);
}

static void test_cast_to_an_unknown_type(void **state) {
  (void)state;
  OLD_REFUSED("FLOAT99", .op = "Cast", .opset = 1, .inputs = {TEST_F32S(1)},
              OLD_ATTRS(tern_attr_s("to", "FLOAT99")));
}

int main(int argc, char **argv) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_b_must_fit_below_a),
      cmocka_unit_test(test_selu_6_has_its_own_constants),
      cmocka_unit_test(test_cast_to_an_unknown_type),
  };
  return upgrade_cases_main(argc, argv, cases, tests, TERN_COUNT_OF(tests));
}
