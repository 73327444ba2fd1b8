// Reductions, positions of extremes and running sums: axes, nothing to reduce, NaN, accuracy.
#include <math.h>
#include <stdlib.h>

#include "unit/ops/support.h"

#define ATTRS(...)                                                                                 \
  .attrs = (const tern_attr[]){__VA_ARGS__},                                                       \
  .attr_count = (int32_t)TERN_COUNT_OF(((const tern_attr[]){__VA_ARGS__}))
#define NO_KEEP ATTRS(tern_attr_i("keepdims", 0))

static const float numbers[] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11};

static tern_value *block(void) {
  return test_tensor(TERN_FLOAT, TEST_SHAPE(2, 3, 2), numbers);
}

static void any_axes_are_reduced(void **state) {
  (void)state;
  TEST_EXPECT_F32S(TEST_RUN(.op = "ReduceSum", .inputs = {block(), TEST_I64S(0, 2)}, NO_KEEP), 14,
                   22, 30);
  TEST_EXPECT_F32S(TEST_RUN(.op = "ReduceSum", .inputs = {block(), TEST_I64S(-1, 1)}, NO_KEEP), 15,
                   51);
  TEST_EXPECT_F32S(TEST_RUN(.op = "ReduceMean", .inputs = {block(), TEST_I64S(1, 0)}, NO_KEEP), 5,
                   6);
  const float all = 66;
  test_expect(TEST_RUN(.op = "ReduceSum", .inputs = {block()}), TERN_FLOAT, TEST_SHAPE(1, 1, 1),
              &all);
  TEST_FAILS("twice", .op = "ReduceSum", .inputs = {block(), TEST_I64S(1, -2)});
  TEST_FAILS("axis", .op = "ReduceSum", .inputs = {block(), TEST_I64S(3)});
}

static void no_axes_are_all_or_none(void **state) {
  (void)state;
  tern_value *none = test_tensor(TERN_INT64, TEST_SHAPE(0), NULL);
  const float scalar = 14;
  test_expect(TEST_RUN(.op = "ReduceSumSquare", .inputs = {TEST_F32S(1, 2, 3), none}, NO_KEEP),
              TERN_FLOAT, TEST_SCALAR, &scalar);
  TEST_EXPECT_F32S(TEST_RUN(.op = "ReduceSumSquare", .inputs = {TEST_F32S(1, 2, 3)},
                            ATTRS(tern_attr_i("noop_with_empty_axes", 1))),
                   1, 4, 9);
}

static void nothing_gives_the_identity(void **state) {
  (void)state;
  static const struct {
    const char *op;
    float expected;
  } cases[] = {{"ReduceSum", 0},
               {"ReduceProd", 1},
               {"ReduceMax", -INFINITY},
               {"ReduceMin", INFINITY},
               {"ReduceL2", 0},
               {"ReduceLogSum", -INFINITY},
               {"ReduceLogSumExp", -INFINITY}};
  for (size_t i = 0; i < TERN_COUNT_OF(cases); ++i) {
    const float expected[] = {cases[i].expected, cases[i].expected};
    tern_value *x = test_tensor(TERN_FLOAT, TEST_SHAPE(2, 0), NULL);
    test_expect(TEST_RUN(.op = cases[i].op, .inputs = {x, TEST_I64S(1)}, NO_KEEP), TERN_FLOAT,
                TEST_SHAPE(2), expected);
  }
  const uint8_t yes = 1;
  tern_value *x = test_tensor(TERN_BOOL, TEST_SHAPE(0), NULL);
  test_expect(TEST_RUN(.op = "ReduceMin", .inputs = {x}, NO_KEEP), TERN_BOOL, TEST_SCALAR, &yes);
}

static void integers_wrap_and_means_are_cut(void **state) {
  (void)state;
  TEST_EXPECT_LIST(TEST_RUN(.op = "ReduceSum", .inputs = {TEST_I32S(INT32_MAX, 1)}), TERN_INT32,
                   int32_t, INT32_MIN);
  TEST_EXPECT_LIST(TEST_RUN(.op = "ReduceMean", .inputs = {TEST_I32S(-3, -4)}), TERN_INT32, int32_t,
                   -3);
  TEST_EXPECT_I64S(TEST_RUN(.op = "ReduceL1", .inputs = {TEST_I64S(INT64_MIN)}), INT64_MIN);
  TEST_EXPECT_I64S(TEST_RUN(.op = "ReduceL2", .inputs = {TEST_I64S(-3, 4)}), 5);
}

// Ones after a number so large that adding one to it in float changes nothing.
static void long_sums_are_accurate(void **state) {
  (void)state;
  enum { COUNT = 1 << 20 };
  float *ones = malloc(COUNT * sizeof *ones);
  assert_non_null(ones);
  ones[0] = 16777216.0f;
  for (int i = 1; i < COUNT; ++i) ones[i] = 1;
  // Only the lane that holds the large number rounds.
  const float expected = 16777216.0f + COUNT;
  tern_value *y = TEST_RUN(.op = "ReduceSum",
                           .inputs = {test_tensor(TERN_FLOAT, TEST_SHAPE(COUNT), ones)}, NO_KEEP);
  assert_true(fabsf(*(const float *)y->data - expected) <= 64);
  tern_value_release(y);
  free(ones);
}

static void log_sum_exp_does_not_overflow(void **state) {
  (void)state;
  const float infinity = INFINITY;
  TEST_EXPECT_F32S(TEST_RUN(.op = "ReduceLogSumExp", .inputs = {TEST_F32S(1000)}), 1000);
  TEST_EXPECT_F32S(TEST_RUN(.op = "ReduceLogSumExp", .inputs = {TEST_F32S(-INFINITY, -INFINITY)}),
                   -infinity);
  TEST_EXPECT_F32S(TEST_RUN(.op = "ReduceLogSumExp", .inputs = {TEST_F32S(INFINITY, 1)}), infinity);
}

static void nan_is_the_extreme(void **state) {
  (void)state;
  tern_value *y = TEST_RUN(.op = "ReduceMax", .inputs = {TEST_F32S(NAN, 1, 2)});
  assert_true(isnan(*(const float *)y->data));
  tern_value_release(y);
  TEST_EXPECT_I64S(TEST_RUN(.op = "ArgMin", .inputs = {TEST_F32S(0, NAN, -1, NAN)}), 1);
  TEST_EXPECT_I64S(TEST_RUN(.op = "ArgMin", .inputs = {TEST_F32S(0, NAN, -1, NAN)},
                            ATTRS(tern_attr_i("select_last_index", 1))),
                   3);
}

static void the_extreme_of_nothing_is_refused(void **state) {
  (void)state;
  TEST_FAILS("no elements", .op = "ArgMax",
             .inputs = {test_tensor(TERN_FLOAT, TEST_SHAPE(2, 0), NULL)},
             ATTRS(tern_attr_i("axis", 1)));
  test_expect(TEST_RUN(.op = "ArgMax", .inputs = {test_tensor(TERN_FLOAT, TEST_SHAPE(2, 0), NULL)}),
              TERN_INT64, TEST_SHAPE(1, 0), NULL);
}

static void running_sums_go_either_way(void **state) {
  (void)state;
  TEST_EXPECT_F32S(
      TEST_RUN(.op = "CumSum", .inputs = {TEST_F32S(1, 2, 3), test_i64(-1)}, .in_place = true), 1,
      3, 6);
  TEST_EXPECT_F32S(TEST_RUN(.op = "CumProd", .inputs = {TEST_F32S(1, 2, 3), test_i64(0)},
                            ATTRS(tern_attr_i("exclusive", 1), tern_attr_i("reverse", 1)),
                            .in_place = true),
                   6, 3, 1);
  TEST_FAILS("axis", .op = "CumSum", .inputs = {TEST_F32S(1), test_i64(1)});
}

// What import knows when the axes come while running.
static void unknown_axes_leave_a_rank(void **state) {
  (void)state;
  test_graph graph;
  test_graph_open(&graph);
  tern_dim n = test_graph_symbol(&graph, "n");
  tern_edge *x = test_graph_input(&graph, TERN_FLOAT, TEST_SHAPE(n, 3, 4));
  tern_edge *axes = test_graph_input(&graph, TERN_INT64, TEST_SHAPE(2));
  const int64_t last = -1;
  const tern_dim unknown = TERN_DIM_UNKNOWN;
  test_expect_shape(tern_build2(&graph.builder, "ReduceSum", x, axes),
                    TEST_SHAPE(unknown, unknown, unknown));
  test_expect_shape(TERN_BUILD(&graph.builder, "ReduceSum", TERN_EDGES(x, axes),
                               TERN_ATTR_ARGS(tern_attr_i("keepdims", 0))),
                    TEST_SHAPE(unknown));
  test_expect_shape(
      tern_build2(&graph.builder, "ReduceSum", x, tern_build_i64s(&graph.builder, &last, 1)),
      TEST_SHAPE(n, 3, 1));
  test_graph_close(&graph);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(any_axes_are_reduced),
      cmocka_unit_test(no_axes_are_all_or_none),
      cmocka_unit_test(nothing_gives_the_identity),
      cmocka_unit_test(integers_wrap_and_means_are_cut),
      cmocka_unit_test(long_sums_are_accurate),
      cmocka_unit_test(log_sum_exp_does_not_overflow),
      cmocka_unit_test(nan_is_the_extreme),
      cmocka_unit_test(the_extreme_of_nothing_is_refused),
      cmocka_unit_test(running_sums_go_either_way),
      cmocka_unit_test(unknown_axes_leave_a_rank),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
