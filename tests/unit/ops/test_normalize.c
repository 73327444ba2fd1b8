// Normalisations and softmax: what the conformance cases leave open.
#include <math.h>

#include "unit/ops/support.h"

#define ATTRS(...)                                                                                 \
  .attrs = (const tern_attr[]){__VA_ARGS__},                                                       \
  .attr_count = (int32_t)TERN_COUNT_OF(((const tern_attr[]){__VA_ARGS__}))

static const float pair[] = {-1, 1, 3, 5};

static tern_value *pairs(void) {
  return test_tensor(TERN_FLOAT, TEST_SHAPE(2, 2), pair);
}

static void softmax_takes_empty_and_in_place(void **state) {
  (void)state;
  const float same[] = {7, 7, 7, 7}, quarter[] = {0.25f, 0.25f, 0.25f, 0.25f};
  test_expect(TEST_RUN(.op = "Softmax", .inputs = {test_tensor(TERN_FLOAT, TEST_SHAPE(1, 4), same)},
                       .in_place = true),
              TERN_FLOAT, TEST_SHAPE(1, 4), quarter);
  test_expect(
      TEST_RUN(.op = "Softmax", .inputs = {test_tensor(TERN_FLOAT, TEST_SHAPE(3, 0), NULL)}),
      TERN_FLOAT, TEST_SHAPE(3, 0), NULL);
  TEST_FAILS("axis", .op = "Softmax", .inputs = {pairs()}, ATTRS(tern_attr_i("axis", 2)));
}

static void hardmax_marks_the_first_of_equals(void **state) {
  (void)state;
  TEST_EXPECT_F32S(TEST_RUN(.op = "Hardmax", .inputs = {TEST_F32S(1, 3, 3, 2)}, .in_place = true),
                   0, 1, 0, 0);
  TEST_EXPECT_F32S(TEST_RUN(.op = "Hardmax", .inputs = {TEST_F32S(1, NAN, 3)}), 0, 1, 0);
}

static void lp_norm_of_zeros_is_zero(void **state) {
  (void)state;
  TEST_EXPECT_F32S(TEST_RUN(.op = "LpNormalization", .inputs = {TEST_F32S(0, 0)}), 0, 0);
  TEST_EXPECT_F32S(
      TEST_RUN(.op = "LpNormalization", .inputs = {TEST_F32S(3, -4)}, .in_place = true), 0.6f,
      -0.8f);
  TEST_FAILS("'p' is 3", .op = "LpNormalization", .inputs = {pairs()}, ATTRS(tern_attr_i("p", 3)));
}

static void batch_norm_has_parameters_of_any_float(void **state) {
  (void)state;
  const double scale[] = {2, 4};
  const float bias[] = {0, 1}, variance[] = {4, 1}, expected[] = {-2, -7, 2, 9};
  test_expect(TEST_RUN(.op = "BatchNormalization",
                       .inputs = {pairs(), test_tensor(TERN_DOUBLE, TEST_SHAPE(2), scale),
                                  test_tensor(TERN_DOUBLE, TEST_SHAPE(2), (const double[]){0, 1}),
                                  test_tensor(TERN_FLOAT, TEST_SHAPE(2), (const float[]){1, 3}),
                                  test_tensor(TERN_FLOAT, TEST_SHAPE(2), variance)},
                       ATTRS(tern_attr_f("epsilon", 0))),
              TERN_FLOAT, TEST_SHAPE(2, 2), expected);
  TEST_FAILS("scale has the shape [3]", .op = "BatchNormalization",
             .inputs = {pairs(), TEST_F32S(1, 2, 3), test_tensor(TERN_FLOAT, TEST_SHAPE(2), bias),
                        TEST_F32S(1, 2), TEST_F32S(1, 2)});
}

// The batch's own statistics, and the running ones beside them.
static void batch_norm_trains(void **state) {
  (void)state;
  tern_value *y[8] = {NULL};
  const tern_attr attrs[] = {tern_attr_i("training_mode", 1), tern_attr_f("momentum", 0.5f),
                             tern_attr_f("epsilon", 0)};
  const test_node node = {
      .op = "BatchNormalization",
      .inputs = {pairs(), TEST_F32S(1, 1), TEST_F32S(0, 0), TEST_F32S(3, 5), TEST_F32S(2, 0)},
      .attrs = attrs,
      .attr_count = 3,
      .output_count = 3,
      .in_place = true};
  const float expected[] = {-1, -1, 1, 1};
  assert_null(test_try_node(&node, y));
  test_expect(y[0], TERN_FLOAT, TEST_SHAPE(2, 2), expected);
  TEST_EXPECT_F32S(y[1], 2, 4);
  TEST_EXPECT_F32S(y[2], 3, 2);
}

static void layer_norm_broadcasts_its_scale(void **state) {
  (void)state;
  const float rows[] = {10, 100}, expected[] = {-10, 10, -100, 100};
  test_expect(TEST_RUN(.op = "LayerNormalization",
                       .inputs = {pairs(), test_tensor(TERN_FLOAT, TEST_SHAPE(2, 1), rows)},
                       ATTRS(tern_attr_f("epsilon", 0))),
              TERN_FLOAT, TEST_SHAPE(2, 2), expected);
  TEST_FAILS("[3]", .op = "LayerNormalization", .inputs = {pairs(), TEST_F32S(1, 2, 3)});
}

static void layer_norm_stashes_bfloat16(void **state) {
  (void)state;
  tern_value *y[8] = {NULL};
  const tern_attr attrs[] = {tern_attr_i("stash_type", TERN_BFLOAT16), tern_attr_f("epsilon", 0)};
  const test_node node = {.op = "LayerNormalization",
                          .inputs = {pairs(), TEST_F32S(1, 1)},
                          .attrs = attrs,
                          .attr_count = 2,
                          .output_count = 3};
  const uint16_t means[] = {0x0000, 0x4080}, ones[] = {0x3f80, 0x3f80};
  const float expected[] = {-1, 1, -1, 1};
  assert_null(test_try_node(&node, y));
  test_expect(y[0], TERN_FLOAT, TEST_SHAPE(2, 2), expected);
  test_expect(y[1], TERN_BFLOAT16, TEST_SHAPE(2, 1), means);
  test_expect(y[2], TERN_BFLOAT16, TEST_SHAPE(2, 1), ones);
}

static void group_norm_checks_its_groups(void **state) {
  (void)state;
  const float expected[] = {-1, 1, -1, 1};
  test_expect(TEST_RUN(.op = "GroupNormalization",
                       .inputs = {pairs(), TEST_F32S(1, 1), TEST_F32S(0, 0)},
                       ATTRS(tern_attr_i("num_groups", 1), tern_attr_f("epsilon", 0))),
              TERN_FLOAT, TEST_SHAPE(2, 2), expected);
  TEST_FAILS("3 groups", .op = "GroupNormalization",
             .inputs = {pairs(), TEST_F32S(1, 1), TEST_F32S(0, 0)},
             ATTRS(tern_attr_i("num_groups", 3)));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(softmax_takes_empty_and_in_place),
      cmocka_unit_test(hardmax_marks_the_first_of_equals),
      cmocka_unit_test(lp_norm_of_zeros_is_zero),
      cmocka_unit_test(batch_norm_has_parameters_of_any_float),
      cmocka_unit_test(batch_norm_trains),
      cmocka_unit_test(layer_norm_broadcasts_its_scale),
      cmocka_unit_test(layer_norm_stashes_bfloat16),
      cmocka_unit_test(group_norm_checks_its_groups),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
