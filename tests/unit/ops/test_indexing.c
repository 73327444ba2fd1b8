// The indexing family: what is read, written, found and selected, and what is refused.
#include <math.h>
#include <string.h>

#include "unit/ops/support.h"

#define TEXT(text)                                                                                 \
  { (text), sizeof(text) - 1 }
#define ATTRS(...)                                                                                 \
  .attrs = (const tern_attr[]){__VA_ARGS__},                                                       \
  .attr_count = (int32_t)TERN_COUNT_OF(((const tern_attr[]){__VA_ARGS__}))

static const float six[] = {1, 2, 3, 4, 5, 6};

static tern_value *make_six(void) {
  return test_tensor(TERN_FLOAT, TEST_SHAPE(2, 3), six);
}

static tern_value *i64s(const tern_shape *shape, const int64_t *items) {
  return test_tensor(TERN_INT64, shape, items);
}
#define I64S(shape, ...) i64s((shape), (const int64_t[]){__VA_ARGS__})

static void test_gather_takes_rows_and_columns(void **state) {
  (void)state;
  const float rows[] = {4, 5, 6, 1, 2, 3}, columns[] = {3, 1, 6, 4}, row[] = {4, 5, 6};
  test_expect(TEST_RUN(.op = "Gather", .inputs = {make_six(), TEST_I64S(-1, 0)}), TERN_FLOAT,
              TEST_SHAPE(2, 3), rows);
  test_expect(TEST_RUN(.op = "Gather", .inputs = {make_six(), TEST_I32S(2, 0)},
                       ATTRS(tern_attr_i("axis", 1))),
              TERN_FLOAT, TEST_SHAPE(2, 2), columns);
  test_expect(TEST_RUN(.op = "Gather", .inputs = {make_six(), test_i64(1)}), TERN_FLOAT,
              TEST_SHAPE(3), row);
  const tern_string words[] = {TEXT("a"), TEXT("bc")}, word[] = {TEXT("bc"), TEXT("bc")};
  test_expect(TEST_RUN(.op = "Gather",
                       .inputs = {test_tensor(TERN_STRING, TEST_SHAPE(2), words), TEST_I64S(1, 1)}),
              TERN_STRING, TEST_SHAPE(2), word);
  TEST_FAILS("index 2 is not within [-2, 2)", .op = "Gather", .inputs = {make_six(), test_i64(2)});
  TEST_FAILS("index -3", .op = "Gather", .inputs = {make_six(), TEST_I32S(-3)});
}

static void test_gather_elements_keeps_the_other_coordinates(void **state) {
  (void)state;
  const float expected[] = {4, 2, 1, 5};
  test_expect(
      TEST_RUN(.op = "GatherElements", .inputs = {make_six(), I64S(TEST_SHAPE(2, 2), 1, 0, 0, -1)}),
      TERN_FLOAT, TEST_SHAPE(2, 2), expected);
  TEST_FAILS("reach beyond", .op = "GatherElements",
             .inputs = {make_six(), I64S(TEST_SHAPE(1, 4), 0, 0, 0, 0)});
  TEST_FAILS("rank", .op = "GatherElements", .inputs = {make_six(), TEST_I64S(0)});
}

static void test_gather_nd_takes_tuples(void **state) {
  (void)state;
  const float elements[] = {3, 4}, rows[] = {4, 5, 6}, batch[] = {2, 6};
  test_expect(
      TEST_RUN(.op = "GatherND", .inputs = {make_six(), I64S(TEST_SHAPE(2, 2), 0, -1, 1, 0)}),
      TERN_FLOAT, TEST_SHAPE(2), elements);
  test_expect(TEST_RUN(.op = "GatherND", .inputs = {make_six(), I64S(TEST_SHAPE(1, 1), 1)}),
              TERN_FLOAT, TEST_SHAPE(1, 3), rows);
  test_expect(TEST_RUN(.op = "GatherND", .inputs = {make_six(), I64S(TEST_SHAPE(2, 1), 1, 2)},
                       ATTRS(tern_attr_i("batch_dims", 1))),
              TERN_FLOAT, TEST_SHAPE(2), batch);
  TEST_FAILS("index 3", .op = "GatherND", .inputs = {make_six(), I64S(TEST_SHAPE(1, 2), 0, 3)});
  TEST_FAILS("3 indices", .op = "GatherND",
             .inputs = {make_six(), I64S(TEST_SHAPE(1, 3), 0, 0, 0)});
}

static tern_value *scatter(const char *reduction, tern_value *data, tern_value *updates,
                           bool in_place) {
  return TEST_RUN(.op = "ScatterElements", .inputs = {data, TEST_I64S(1, -1, 1), updates},
                  ATTRS(tern_attr_s("reduction", reduction)), .in_place = in_place);
}

static void test_scatter_reduces_in_order(void **state) {
  (void)state;
  for (int i = 0; i < 2; ++i) {
    bool in_place = i == 1;
    TEST_EXPECT_I64S(scatter("none", TEST_I64S(9, 8, 7), TEST_I64S(1, 2, 3), in_place), 9, 3, 2);
    TEST_EXPECT_I64S(scatter("add", TEST_I64S(9, 8, 7), TEST_I64S(1, 2, 3), in_place), 9, 12, 9);
    TEST_EXPECT_I64S(scatter("mul", TEST_I64S(9, 8, 7), TEST_I64S(1, 2, 3), in_place), 9, 24, 14);
    TEST_EXPECT_I64S(scatter("max", TEST_I64S(9, 2, 7), TEST_I64S(1, 9, 3), in_place), 9, 3, 9);
    TEST_EXPECT_I64S(scatter("min", TEST_I64S(9, 2, 7), TEST_I64S(1, 9, 3), in_place), 9, 1, 7);
  }
  TEST_EXPECT_I64S(scatter("add", TEST_I64S(0, INT64_MAX, 0), TEST_I64S(1, 0, 0), false), 0,
                   INT64_MIN, 0);
  const uint16_t halves[] = {0x3c00, 0x3c00, 0x3c00}, sums[] = {0x3c00, 0x4200, 0x4000};
  test_expect(scatter("add", test_tensor(TERN_FLOAT16, TEST_SHAPE(3), halves),
                      test_tensor(TERN_FLOAT16, TEST_SHAPE(3), halves), false),
              TERN_FLOAT16, TEST_SHAPE(3), sums);
  tern_value *nan = scatter("max", TEST_F32S(1, 1, 1), TEST_F32S(NAN, 0, 5), false);
  assert_true(isnan(((const float *)nan->data)[1]));
  tern_value_release(nan);
  const tern_string words[] = {TEXT("a"), TEXT("b"), TEXT("c")};
  const tern_string written[] = {TEXT("a"), TEXT("c"), TEXT("b")};
  test_expect(scatter("none", test_tensor(TERN_STRING, TEST_SHAPE(3), words),
                      test_tensor(TERN_STRING, TEST_SHAPE(3), words), false),
              TERN_STRING, TEST_SHAPE(3), written);
  TEST_FAILS("'sum'", .op = "ScatterElements", .inputs = {TEST_I64S(1), TEST_I64S(0), TEST_I64S(1)},
             ATTRS(tern_attr_s("reduction", "sum")));
}

static void test_scatter_nd_writes_slices(void **state) {
  (void)state;
  const float expected[] = {1, 2, 3, 7, 8, 9}, one[] = {1, 2, 3, 4, 5, 10};
  const float update[] = {7, 8, 9};
  test_expect(
      TEST_RUN(.op = "ScatterND", .inputs = {make_six(), I64S(TEST_SHAPE(1, 1), -1),
                                             test_tensor(TERN_FLOAT, TEST_SHAPE(1, 3), update)}),
      TERN_FLOAT, TEST_SHAPE(2, 3), expected);
  test_expect(TEST_RUN(.op = "ScatterND",
                       .inputs = {make_six(), I64S(TEST_SHAPE(1, 2), 1, 2), TEST_F32S(4)},
                       ATTRS(tern_attr_s("reduction", "add"))),
              TERN_FLOAT, TEST_SHAPE(2, 3), one);
  TEST_FAILS("updates of shape [1]", .op = "ScatterND",
             .inputs = {make_six(), I64S(TEST_SHAPE(1, 1), 0), TEST_F32S(4)});
}

static void test_tensor_scatter_wraps_around(void **state) {
  (void)state;
  const float cache[8] = {0}, update[] = {1, 2, 3, 4};
  const float linear[] = {0, 1, 2, 0, 3, 4, 0, 0}, circular[] = {2, 0, 0, 1, 0, 3, 4, 0};
  const tern_shape *whole = TEST_SHAPE(2, 4, 1), *part = TEST_SHAPE(2, 2, 1);
  test_expect(TEST_RUN(.op = "TensorScatter",
                       .inputs = {test_tensor(TERN_FLOAT, whole, cache),
                                  test_tensor(TERN_FLOAT, part, update), TEST_I64S(1, 0)}),
              TERN_FLOAT, whole, linear);
  test_expect(TEST_RUN(.op = "TensorScatter",
                       .inputs = {test_tensor(TERN_FLOAT, whole, cache),
                                  test_tensor(TERN_FLOAT, part, update), TEST_I64S(7, 1)},
                       ATTRS(tern_attr_s("mode", "circular"))),
              TERN_FLOAT, whole, circular);
  TEST_FAILS("exceed", .op = "TensorScatter",
             .inputs = {test_tensor(TERN_FLOAT, whole, cache),
                        test_tensor(TERN_FLOAT, part, update), TEST_I64S(3, 0)});
}

static void test_nonzero_lists_coordinates(void **state) {
  (void)state;
  const float data[] = {0, 1, -0.0f, NAN, 0, 2};
  const int64_t expected[] = {0, 1, 1, 1, 0, 2};
  test_expect(
      TEST_RUN(.op = "NonZero", .inputs = {test_tensor(TERN_FLOAT, TEST_SHAPE(2, 3), data)}),
      TERN_INT64, TEST_SHAPE(2, 3), expected);
  const bool none[] = {false, false};
  test_expect(TEST_RUN(.op = "NonZero", .inputs = {test_tensor(TERN_BOOL, TEST_SHAPE(2), none)}),
              TERN_INT64, TEST_SHAPE(1, 0), NULL);
}

static void expect_topk(tern_value *x, int64_t k, const tern_attr *attrs, int32_t attr_count,
                        const float *values, const int64_t *indices, const tern_shape *shape) {
  tern_value *outputs[2] = {NULL};
  const test_node node = {.op = "TopK",
                          .inputs = {x, TEST_I64S(k)},
                          .attrs = attrs,
                          .attr_count = attr_count,
                          .output_count = 2};
  assert_null(test_try_node(&node, outputs));
  test_expect(outputs[0], TERN_FLOAT, shape, values);
  test_expect(outputs[1], TERN_INT64, shape, indices);
}

static void test_topk_breaks_ties_by_index(void **state) {
  (void)state;
  const tern_attr smallest[] = {tern_attr_i("largest", 0), tern_attr_i("axis", 0)};
  expect_topk(TEST_F32S(2, -1, 2, 7, 2), 3, NULL, 0, (const float[]){7, 2, 2},
              (const int64_t[]){3, 0, 2}, TEST_SHAPE(3));
  expect_topk(TEST_F32S(2, -1, 2, -1, -3), 4, smallest, 2, (const float[]){-3, -1, -1, 2},
              (const int64_t[]){4, 1, 3, 0}, TEST_SHAPE(4));
  const tern_attr rows[] = {tern_attr_i("axis", 0)};
  expect_topk(make_six(), 1, rows, 1, (const float[]){4, 5, 6}, (const int64_t[]){1, 1, 1},
              TEST_SHAPE(1, 3));
  expect_topk(TEST_F32S(0.0f, -0.0f), 1, NULL, 0, (const float[]){0}, (const int64_t[]){0},
              TEST_SHAPE(1));
  expect_topk(make_six(), 0, NULL, 0, NULL, NULL, TEST_SHAPE(2, 0));
  TEST_FAILS("K is 4", .op = "TopK", .inputs = {make_six(), TEST_I64S(4)}, .output_count = 2);
}

static void test_unique_sorts_or_keeps_order(void **state) {
  (void)state;
  tern_value *outputs[4] = {NULL};
  test_node node = {.op = "Unique", .inputs = {TEST_F32S(2, 1, 1, 3, 4, 3)}, .output_count = 4};
  assert_null(test_try_node(&node, outputs));
  TEST_EXPECT_F32S(outputs[0], 1, 2, 3, 4);
  TEST_EXPECT_I64S(outputs[1], 1, 0, 3, 4);
  TEST_EXPECT_I64S(outputs[2], 1, 0, 0, 2, 3, 2);
  TEST_EXPECT_I64S(outputs[3], 2, 1, 2, 1);
  const tern_attr keep[] = {tern_attr_i("sorted", 0)};
  node = (test_node){.op = "Unique",
                     .inputs = {TEST_F32S(2, 1, 1, 3, 4, 3)},
                     .attrs = keep,
                     .attr_count = 1,
                     .output_count = 4};
  assert_null(test_try_node(&node, outputs));
  TEST_EXPECT_F32S(outputs[0], 2, 1, 3, 4);
  TEST_EXPECT_I64S(outputs[1], 0, 1, 3, 4);
  TEST_EXPECT_I64S(outputs[2], 0, 1, 1, 2, 3, 2);
  TEST_EXPECT_I64S(outputs[3], 1, 2, 2, 1);
}

static void test_unique_compares_slices_and_strings(void **state) {
  (void)state;
  const float rows[] = {1, 0, 0, 1, 0, 0, 2, 3, 4}, unique[] = {1, 0, 0, 2, 3, 4};
  test_expect(TEST_RUN(.op = "Unique", .inputs = {test_tensor(TERN_FLOAT, TEST_SHAPE(3, 3), rows)},
                       ATTRS(tern_attr_i("axis", 0))),
              TERN_FLOAT, TEST_SHAPE(2, 3), unique);
  const tern_string words[] = {TEXT("b"), TEXT("a"), TEXT("b"), TEXT("")};
  const tern_string sorted[] = {TEXT(""), TEXT("a"), TEXT("b")};
  test_expect(TEST_RUN(.op = "Unique", .inputs = {test_tensor(TERN_STRING, TEST_SHAPE(4), words)}),
              TERN_STRING, TEST_SHAPE(3), sorted);
  test_expect(TEST_RUN(.op = "Unique", .inputs = {test_tensor(TERN_FLOAT, TEST_SHAPE(0), NULL)}),
              TERN_FLOAT, TEST_SHAPE(0), NULL);
}

static void test_one_hot_ignores_what_is_out_of_range(void **state) {
  (void)state;
  const float expected[] = {0, 1, 0, 0, 0, 1, 0, 0, 0};
  test_expect(
      TEST_RUN(.op = "OneHot", .inputs = {TEST_I64S(1, -1, 3), test_f32(3), TEST_F32S(0, 1)}),
      TERN_FLOAT, TEST_SHAPE(3, 3), expected);
  test_expect(TEST_RUN(.op = "OneHot",
                       .inputs = {TEST_F32S(1.9f, 0, -7), TEST_I64S(2), TEST_F32S(5, 9)},
                       ATTRS(tern_attr_i("axis", 0))),
              TERN_FLOAT, TEST_SHAPE(2, 3), (const float[]){5, 9, 5, 9, 5, 5});
  TEST_FAILS("depth is -1", .op = "OneHot",
             .inputs = {TEST_I64S(1), test_f32(-1), TEST_F32S(0, 1)});
}

static void test_symbols_pass_through(void **state) {
  (void)state;
  test_graph graph;
  test_graph_open(&graph);
  tern_builder *b = &graph.builder;
  tern_dim n = test_graph_symbol(&graph, "n");
  tern_edge *x = test_graph_input(&graph, TERN_FLOAT, TEST_SHAPE(5, n));
  tern_edge *shape = tern_build1(b, "Shape", x);
  tern_edge *size = tern_build2(b, "Gather", shape, tern_build_i64(b, -1));
  assert_int_equal(size->type.shape.rank, 0);
  assert_int_equal(size->symints.items[0].value, n);
  const int64_t zero[] = {0};
  tern_edge *k = tern_build2(b, "Unsqueeze", size, tern_build_i64s(b, zero, 1));
  tern_edge *wide = test_graph_input(&graph, TERN_FLOAT, TEST_SHAPE(2, 900));
  tern_node *top = TERN_BUILD_NODE(b, "TopK", TERN_EDGES(wide, k), .output_count = 2);
  assert_non_null(top);
  test_expect_shape(top->outputs[1], TEST_SHAPE(2, n));
  tern_edge *rows = test_graph_input(&graph, TERN_INT64, TEST_SHAPE(n, 7));
  test_expect_shape(tern_build2(b, "Gather", x, rows), TEST_SHAPE(n, 7, n));
  test_graph_close(&graph);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_gather_takes_rows_and_columns),
      cmocka_unit_test(test_gather_elements_keeps_the_other_coordinates),
      cmocka_unit_test(test_gather_nd_takes_tuples),
      cmocka_unit_test(test_scatter_reduces_in_order),
      cmocka_unit_test(test_scatter_nd_writes_slices),
      cmocka_unit_test(test_tensor_scatter_wraps_around),
      cmocka_unit_test(test_nonzero_lists_coordinates),
      cmocka_unit_test(test_topk_breaks_ties_by_index),
      cmocka_unit_test(test_unique_sorts_or_keeps_order),
      cmocka_unit_test(test_unique_compares_slices_and_strings),
      cmocka_unit_test(test_one_hot_ignores_what_is_out_of_range),
      cmocka_unit_test(test_symbols_pass_through),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
