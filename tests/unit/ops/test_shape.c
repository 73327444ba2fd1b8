// The shape family: symbolic dimensions through Reshape and its kin, and what the kernels make.
#include <string.h>

#include "unit/ops/support.h"

#define TEXT(text)                                                                                 \
  { (text), sizeof(text) - 1 }

static const float six[] = {1, 2, 3, 4, 5, 6};

static tern_value *make_six(void) {
  return test_tensor(TERN_FLOAT, TEST_SHAPE(2, 3), six);
}

static void test_shape_takes_a_range_of_dimensions(void **state) {
  (void)state;
  TEST_EXPECT_I64S(TEST_RUN(.op = "Shape", .inputs = {make_six()}), 2, 3);
  const tern_attr tail[] = {tern_attr_i("start", -1)};
  TEST_EXPECT_I64S(TEST_RUN(.op = "Shape", .inputs = {make_six()}, .attrs = tail, .attr_count = 1),
                   3);
  const tern_attr beyond[] = {tern_attr_i("start", -9), tern_attr_i("end", -1)};
  TEST_EXPECT_I64S(
      TEST_RUN(.op = "Shape", .inputs = {make_six()}, .attrs = beyond, .attr_count = 2), 2);
}

static void test_reshape_settles_one_dimension(void **state) {
  (void)state;
  test_expect(TEST_RUN(.op = "Reshape", .inputs = {make_six(), TEST_I64S(-1, 2)}), TERN_FLOAT,
              TEST_SHAPE(3, 2), six);
  test_expect(TEST_RUN(.op = "Reshape", .inputs = {make_six(), TEST_I64S(0, 1, -1)}), TERN_FLOAT,
              TEST_SHAPE(2, 1, 3), six);
  tern_value *empty = test_tensor(TERN_FLOAT, TEST_SHAPE(0, 4, 2), NULL);
  test_expect(TEST_RUN(.op = "Reshape", .inputs = {empty, TEST_I64S(0, -1)}), TERN_FLOAT,
              TEST_SHAPE(0, 8), NULL);
  TEST_FAILS("[2,3]", .op = "Reshape", .inputs = {make_six(), TEST_I64S(4, -1)});
  TEST_FAILS("-1 twice", .op = "Reshape", .inputs = {make_six(), TEST_I64S(-1, -1)});
  TEST_FAILS("rank 2", .op = "Reshape", .inputs = {make_six(), TEST_I64S(6, 1, 0)});
  TEST_FAILS("[7]", .op = "Reshape", .inputs = {make_six(), TEST_I64S(7)});
}

static void test_reshape_cancels_symbols(void **state) {
  (void)state;
  test_graph graph;
  test_graph_open(&graph);
  tern_builder *b = &graph.builder;
  tern_dim n = test_graph_symbol(&graph, "n"), t = test_graph_symbol(&graph, "t");
  tern_edge *x = test_graph_input(&graph, TERN_FLOAT, TEST_SHAPE(n, t, 768));
  const int64_t heads[] = {0, 0, 12, -1}, rows[] = {-1, 768}, back[] = {-1, 12, 64};
  tern_edge *split = tern_build2(b, "Reshape", x, tern_build_i64s(b, heads, 4));
  test_expect_shape(split, TEST_SHAPE(n, t, 12, 64));
  test_expect_shape(tern_build2(b, "Reshape", x, tern_build_i64s(b, rows, 2)),
                    TEST_SHAPE(TERN_DIM_UNKNOWN, 768));
  tern_edge *one = test_graph_input(&graph, TERN_FLOAT, TEST_SHAPE(t, 768));
  test_expect_shape(tern_build2(b, "Reshape", one, tern_build_i64s(b, back, 3)),
                    TEST_SHAPE(t, 12, 64));
  test_graph_close(&graph);
}

static void test_a_shape_is_followed_to_its_reshape(void **state) {
  (void)state;
  test_graph graph;
  test_graph_open(&graph);
  tern_builder *b = &graph.builder;
  tern_dim n = test_graph_symbol(&graph, "n");
  tern_edge *x = test_graph_input(&graph, TERN_FLOAT, TEST_SHAPE(n, 4, 5));
  tern_edge *shape = tern_build1(b, "Shape", x);
  assert_int_equal(shape->symints.count, 3);
  assert_int_equal(shape->symints.items[0].kind, TERN_SYMINT_SYMBOL);
  assert_int_equal(shape->symints.items[2].value, 5);
  tern_edge *flat = test_graph_input(&graph, TERN_FLOAT, NULL);
  test_expect_shape(tern_build2(b, "Reshape", flat, shape), TEST_SHAPE(n, 4, 5));
  test_expect_shape(tern_build1(b, "ConstantOfShape", shape), TEST_SHAPE(n, 4, 5));
  tern_edge *row = test_graph_input(&graph, TERN_FLOAT, TEST_SHAPE(5));
  test_expect_shape(tern_build2(b, "Expand", row, shape), TEST_SHAPE(n, 4, 5));
  const int64_t axes[] = {1, 2};
  tern_edge *thin = test_graph_input(&graph, TERN_FLOAT, TEST_SHAPE(n, 1, 1));
  test_expect_shape(tern_build2(b, "Squeeze", thin, tern_build_i64s(b, axes, 2)), TEST_SHAPE(n));
  tern_edge *wide = tern_build2(b, "Unsqueeze", x, tern_build_i64s(b, axes, 2));
  test_expect_shape(wide, TEST_SHAPE(n, 1, 1, 4, 5));
  test_expect_shape(tern_build1(b, "Flatten", wide), TEST_SHAPE(n, 20));
  tern_edge *size = tern_build1(b, "Size", thin);
  assert_int_equal(size->symints.items[0].value, n);
  test_expect_shape(
      TERN_BUILD(b, "Range", TERN_EDGES(tern_build_i64(b, 0), size, tern_build_i64(b, 1))),
      TEST_SHAPE(n));
  test_graph_close(&graph);
}

static void test_squeeze_and_unsqueeze_check_axes(void **state) {
  (void)state;
  tern_value *x = test_tensor(TERN_FLOAT, TEST_SHAPE(1, 2, 1, 3), six);
  test_expect(TEST_RUN(.op = "Squeeze", .inputs = {x}), TERN_FLOAT, TEST_SHAPE(2, 3), six);
  x = test_tensor(TERN_FLOAT, TEST_SHAPE(1, 2, 1, 3), six);
  test_expect(TEST_RUN(.op = "Squeeze", .inputs = {x, TEST_I64S(-2)}), TERN_FLOAT,
              TEST_SHAPE(1, 2, 3), six);
  TEST_FAILS("axis 1", .op = "Squeeze", .inputs = {make_six(), TEST_I64S(1)});
  test_expect(TEST_RUN(.op = "Unsqueeze", .inputs = {make_six(), TEST_I64S(-1, 0)}), TERN_FLOAT,
              TEST_SHAPE(1, 2, 3, 1), six);
  TEST_FAILS("given twice", .op = "Unsqueeze", .inputs = {make_six(), TEST_I64S(3, -1)});
}

static void test_views_copy_strings_and_packed_elements(void **state) {
  (void)state;
  const tern_string words[] = {TEXT("a"), TEXT(""), TEXT("c\0d"), TEXT("efg")};
  tern_value *x = test_tensor(TERN_STRING, TEST_SHAPE(2, 2), words);
  test_expect(TEST_RUN(.op = "Identity", .inputs = {x}), TERN_STRING, TEST_SHAPE(2, 2), words);
  const uint8_t packed[] = {0x21, 0x03};
  x = test_tensor(TERN_INT4, TEST_SHAPE(3), packed);
  test_expect(TEST_RUN(.op = "Reshape", .inputs = {x, TEST_I64S(1, 3)}), TERN_INT4,
              TEST_SHAPE(1, 3), packed);
  x = make_six();
  test_expect(TEST_RUN(.op = "Flatten", .inputs = {x}, .in_place = true), TERN_FLOAT,
              TEST_SHAPE(2, 3), six);
}

static void test_expand_repeats(void **state) {
  (void)state;
  const float column[] = {1, 2}, expected[] = {1, 1, 1, 2, 2, 2, 1, 1, 1, 2, 2, 2};
  tern_value *x = test_tensor(TERN_FLOAT, TEST_SHAPE(2, 1), column);
  test_expect(TEST_RUN(.op = "Expand", .inputs = {x, TEST_I64S(2, 1, 3)}), TERN_FLOAT,
              TEST_SHAPE(2, 2, 3), expected);
  const tern_string word = TEXT("ab"), words[] = {word, word};
  x = test_tensor(TERN_STRING, TEST_SCALAR, &word);
  test_expect(TEST_RUN(.op = "Expand", .inputs = {x, TEST_I64S(2)}), TERN_STRING, TEST_SHAPE(2),
              words);
  TEST_FAILS("does not expand", .op = "Expand", .inputs = {make_six(), TEST_I64S(2, 2)});
}

static void test_constant_of_shape_fills_any_type(void **state) {
  (void)state;
  TEST_EXPECT_F32S(TEST_RUN(.op = "ConstantOfShape", .inputs = {TEST_I64S(3)}), 0, 0, 0);
  const uint8_t seven = 0x7, sevens[] = {0x77, 0x07};
  tern_attr value = {.name = "value", .type = TERN_ATTR_TENSOR};
  value.u.tensor = test_tensor(TERN_UINT4, TEST_SHAPE(1), &seven);
  test_expect(
      TEST_RUN(.op = "ConstantOfShape", .inputs = {TEST_I64S(3)}, .attrs = &value, .attr_count = 1),
      TERN_UINT4, TEST_SHAPE(3), sevens);
  tern_value_release(value.u.tensor);
  TEST_FAILS("is -2", .op = "ConstantOfShape", .inputs = {TEST_I64S(1, -2)});
}

static void test_range_counts_exactly(void **state) {
  (void)state;
  TEST_EXPECT_I64S(TEST_RUN(.op = "Range", .inputs = {test_i64(10), test_i64(4), test_i64(-4)}), 10,
                   6);
  TEST_EXPECT_I64S(TEST_RUN(.op = "Range",
                            .inputs = {test_i64(INT64_MAX - 2), test_i64(INT64_MAX), test_i64(1)}),
                   INT64_MAX - 2, INT64_MAX - 1);
  test_expect(TEST_RUN(.op = "Range", .inputs = {test_i64(3), test_i64(1), test_i64(1)}),
              TERN_INT64, TEST_SHAPE(0), NULL);
  TEST_EXPECT_F32S(TEST_RUN(.op = "Range", .inputs = {test_f32(0), test_f32(1), test_f32(0.5f)}), 0,
                   0.5f);
  TEST_FAILS("step", .op = "Range", .inputs = {test_i64(0), test_i64(4), test_i64(0)});
  TEST_FAILS("too long", .op = "Range",
             .inputs = {test_i64(INT64_MIN), test_i64(INT64_MAX), test_i64(1)});
}

static void test_eye_like_places_the_diagonal(void **state) {
  (void)state;
  const tern_attr attrs[] = {tern_attr_i("k", -1), tern_attr_i("dtype", TERN_FLOAT16)};
  const uint16_t eye[] = {0, 0, 0, 0x3c00, 0, 0};
  test_expect(TEST_RUN(.op = "EyeLike", .inputs = {make_six()}, .attrs = attrs, .attr_count = 2),
              TERN_FLOAT16, TEST_SHAPE(2, 3), eye);
  const tern_attr far[] = {tern_attr_i("k", INT64_MIN)};
  const float zeros[6] = {0};
  test_expect(TEST_RUN(.op = "EyeLike", .inputs = {make_six()}, .attrs = far, .attr_count = 1),
              TERN_FLOAT, TEST_SHAPE(2, 3), zeros);
}

static void test_dropout_copies_or_draws(void **state) {
  (void)state;
  tern_value *outputs[2] = {NULL};
  const test_node inference = {.op = "Dropout", .inputs = {make_six()}, .output_count = 2};
  assert_null(test_try_node(&inference, outputs));
  const bool ones[] = {true, true, true, true, true, true};
  test_expect(outputs[0], TERN_FLOAT, TEST_SHAPE(2, 3), six);
  test_expect(outputs[1], TERN_BOOL, TEST_SHAPE(2, 3), ones);

  // numpy.random.RandomState(0).uniform(size=6) is 0.549 0.715 0.603 0.545 0.424 0.646.
  const bool yes = true, mask[] = {false, true, true, false, false, true};
  const tern_attr seed[] = {tern_attr_i("seed", 0)};
  const test_node training = {
      .op = "Dropout",
      .inputs = {make_six(), test_f32(0.6f), test_tensor(TERN_BOOL, TEST_SCALAR, &yes)},
      .attrs = seed,
      .attr_count = 1,
      .output_count = 2};
  assert_null(test_try_node(&training, outputs));
  const float *y = outputs[0]->data;
  for (int i = 0; i < 6; ++i) {
    const float expected = mask[i] ? six[i] * 2.5f : 0.0f;
    assert_float_equal(y[i], expected, 1e-5f);
  }
  tern_value_release(outputs[0]);
  test_expect(outputs[1], TERN_BOOL, TEST_SHAPE(2, 3), mask);
}

static void test_constants_of_every_form(void **state) {
  (void)state;
  const tern_attr ints[] = {tern_attr_ints("value_ints", (const int64_t[]){4, 5}, 2)};
  TEST_EXPECT_I64S(TEST_RUN(.op = "Constant", .attrs = ints, .attr_count = 1), 4, 5);
  const tern_attr number[] = {tern_attr_f("value_float", 2.5f)};
  const float expected = 2.5f;
  test_expect(TEST_RUN(.op = "Constant", .attrs = number, .attr_count = 1), TERN_FLOAT, TEST_SCALAR,
              &expected);
  const tern_attr word[] = {tern_attr_s("value_string", "xyz")};
  const tern_string text = TEXT("xyz");
  test_expect(TEST_RUN(.op = "Constant", .attrs = word, .attr_count = 1), TERN_STRING, TEST_SCALAR,
              &text);
  TEST_FAILS("no value", .op = "Constant");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_shape_takes_a_range_of_dimensions),
      cmocka_unit_test(test_reshape_settles_one_dimension),
      cmocka_unit_test(test_reshape_cancels_symbols),
      cmocka_unit_test(test_a_shape_is_followed_to_its_reshape),
      cmocka_unit_test(test_squeeze_and_unsqueeze_check_axes),
      cmocka_unit_test(test_views_copy_strings_and_packed_elements),
      cmocka_unit_test(test_expand_repeats),
      cmocka_unit_test(test_constant_of_shape_fills_any_type),
      cmocka_unit_test(test_range_counts_exactly),
      cmocka_unit_test(test_eye_like_places_the_diagonal),
      cmocka_unit_test(test_dropout_copies_or_draws),
      cmocka_unit_test(test_constants_of_every_form),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
