// The movement family: what each operator does to a small tensor, its edges, and the symbolic
// dimensions and values that it passes on.
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

static tern_attr ints(const char *name, const int64_t *items, size_t count) {
  return tern_attr_ints(name, items, count);
}

static void test_transpose_moves_every_type(void **state) {
  (void)state;
  const float expected[] = {1, 4, 2, 5, 3, 6};
  test_expect(TEST_RUN(.op = "Transpose", .inputs = {make_six()}), TERN_FLOAT, TEST_SHAPE(3, 2),
              expected);
  const tern_string words[] = {TEXT("a"), TEXT("bb"), TEXT(""), TEXT("d")};
  const tern_string turned[] = {TEXT("a"), TEXT(""), TEXT("bb"), TEXT("d")};
  test_expect(
      TEST_RUN(.op = "Transpose", .inputs = {test_tensor(TERN_STRING, TEST_SHAPE(2, 2), words)}),
      TERN_STRING, TEST_SHAPE(2, 2), turned);
  const uint8_t codes[] = {0x21, 0x43, 0x65}, turned_codes[] = {0x41, 0x52, 0x63};
  test_expect(
      TEST_RUN(.op = "Transpose", .inputs = {test_tensor(TERN_INT4, TEST_SHAPE(2, 3), codes)}),
      TERN_INT4, TEST_SHAPE(3, 2), turned_codes);
  const int64_t twice[] = {1, 1};
  TEST_FAILS("axis 1 twice", .op = "Transpose", .inputs = {make_six()},
             ATTRS(ints("perm", twice, 2)));
}

static void test_concat_and_split_are_inverse(void **state) {
  (void)state;
  tern_value *parts[3] = {NULL};
  const test_node split = {.op = "Split",
                           .inputs = {make_six(), TEST_I64S(1, 0, 2)},
                           ATTRS(tern_attr_i("axis", -1)),
                           .output_count = 3};
  assert_null(test_try_node(&split, parts));
  const float first[] = {1, 4};
  tern_value_retain(parts[0]);
  test_expect(parts[0], TERN_FLOAT, TEST_SHAPE(2, 1), first);
  test_expect(TEST_RUN(.op = "Concat", .inputs = {parts[0], parts[1], parts[2]},
                       ATTRS(tern_attr_i("axis", 1))),
              TERN_FLOAT, TEST_SHAPE(2, 3), six);
  TEST_FAILS("rank", .op = "Concat", .inputs = {make_six(), TEST_F32S(1)},
             ATTRS(tern_attr_i("axis", 0)));
  TEST_FAILS("along axis 0", .op = "Concat",
             .inputs = {make_six(), test_tensor(TERN_FLOAT, TEST_SHAPE(1, 2), six)},
             ATTRS(tern_attr_i("axis", 0)));
  TEST_FAILS("add up to 2", .op = "Split", .inputs = {make_six(), TEST_I64S(1, 1)},
             ATTRS(tern_attr_i("axis", 1)), .output_count = 2);
}

static void test_split_gives_the_last_part_the_rest(void **state) {
  (void)state;
  tern_value *parts[2] = {NULL};
  const test_node split = {.op = "Split",
                           .inputs = {TEST_I64S(1, 2, 3)},
                           ATTRS(tern_attr_i("num_outputs", 2)),
                           .output_count = 2};
  assert_null(test_try_node(&split, parts));
  TEST_EXPECT_I64S(parts[0], 1, 2);
  TEST_EXPECT_I64S(parts[1], 3);
}

static void test_slice_clamps_as_numpy(void **state) {
  (void)state;
#define ROW TEST_I64S(0, 1, 2, 3, 4)
  TEST_EXPECT_I64S(TEST_RUN(.op = "Slice", .inputs = {ROW, TEST_I64S(1), TEST_I64S(-1)}), 1, 2, 3);
  TEST_EXPECT_I64S(TEST_RUN(.op = "Slice", .inputs = {ROW, TEST_I64S(-1), TEST_I64S(INT64_MIN),
                                                      TEST_I64S(0), TEST_I64S(-2)}),
                   4, 2, 0);
  TEST_EXPECT_I64S(TEST_RUN(.op = "Slice", .inputs = {ROW, TEST_I64S(3), TEST_I64S(INT64_MAX),
                                                      TEST_I64S(-1), TEST_I64S(INT64_MAX)}),
                   3);
  TEST_EXPECT_I64S(TEST_RUN(.op = "Slice", .inputs = {ROW, TEST_I64S(9), TEST_I64S(INT64_MIN),
                                                      TEST_I64S(0), TEST_I64S(INT64_MIN)}),
                   4);
  test_expect(TEST_RUN(.op = "Slice", .inputs = {ROW, TEST_I64S(3), TEST_I64S(1)}), TERN_INT64,
              TEST_SHAPE(0), NULL);
  tern_value *empty = test_tensor(TERN_FLOAT, TEST_SHAPE(0, 2), NULL);
  test_expect(TEST_RUN(.op = "Slice", .inputs = {empty, TEST_I64S(-1), TEST_I64S(-9), TEST_I64S(0),
                                                 TEST_I64S(-1)}),
              TERN_FLOAT, TEST_SHAPE(0, 2), NULL);
  TEST_FAILS("step", .op = "Slice",
             .inputs = {ROW, TEST_I64S(0), TEST_I64S(1), TEST_I64S(0), TEST_I64S(0)});
  TEST_FAILS("axis 1", .op = "Slice", .inputs = {ROW, TEST_I64S(0), TEST_I64S(1), TEST_I64S(1)});
#undef ROW
}

static tern_value *pad(const char *mode, tern_value *data, tern_value *pads) {
  return TEST_RUN(.op = "Pad", .inputs = {data, pads}, ATTRS(tern_attr_s("mode", mode)));
}

static void test_pad_continues_in_every_mode(void **state) {
  (void)state;
#define ROW TEST_I64S(1, 2, 3)
  TEST_EXPECT_I64S(pad("constant", ROW, TEST_I64S(1, 2)), 0, 1, 2, 3, 0, 0);
  TEST_EXPECT_I64S(pad("edge", ROW, TEST_I64S(2, 1)), 1, 1, 1, 2, 3, 3);
  TEST_EXPECT_I64S(pad("reflect", ROW, TEST_I64S(5, 2)), 2, 1, 2, 3, 2, 1, 2, 3, 2, 1);
  TEST_EXPECT_I64S(pad("wrap", ROW, TEST_I64S(4, 1)), 3, 1, 2, 3, 1, 2, 3, 1);
  TEST_EXPECT_I64S(pad("edge", ROW, TEST_I64S(-1, 2)), 2, 3, 3, 3);
  TEST_EXPECT_I64S(pad("constant", ROW, TEST_I64S(-4, 3)), 0, 0);
  TEST_FAILS("cannot be padded", .op = "Pad", .inputs = {ROW, TEST_I64S(-2, -2)});
  TEST_FAILS("continued", .op = "Pad",
             .inputs = {test_tensor(TERN_INT64, TEST_SHAPE(0), NULL), TEST_I64S(1, 0)},
             ATTRS(tern_attr_s("mode", "edge")));
#undef ROW
}

static void test_pad_fills_both_axes(void **state) {
  (void)state;
  const float constant[] = {9, 9, 9, 9, 9, 9, 1, 2, 3, 9, 9, 4, 5, 6, 9};
  test_expect(TEST_RUN(.op = "Pad", .inputs = {make_six(), TEST_I64S(1, 1, 0, 1), test_f32(9)}),
              TERN_FLOAT, TEST_SHAPE(3, 5), constant);
  const float edge[] = {1, 1, 2, 3, 1, 1, 2, 3, 4, 4, 5, 6};
  test_expect(TEST_RUN(.op = "Pad", .inputs = {make_six(), TEST_I64S(1, 1, 0, 0)},
                       ATTRS(tern_attr_s("mode", "edge"))),
              TERN_FLOAT, TEST_SHAPE(3, 4), edge);
  const float one_axis[] = {1, 2, 3, 0, 4, 5, 6, 0};
  test_expect(TEST_RUN(.op = "Pad", .inputs = {make_six(), TEST_I64S(0, 1), NULL, TEST_I32S(-1)}),
              TERN_FLOAT, TEST_SHAPE(2, 4), one_axis);
  const tern_string word = TEXT("x"), padded[] = {TEXT(""), TEXT("x")};
  test_expect(TEST_RUN(.op = "Pad",
                       .inputs = {test_tensor(TERN_STRING, TEST_SHAPE(1), &word), TEST_I64S(1, 0)}),
              TERN_STRING, TEST_SHAPE(2), padded);
}

static void test_tile_repeats(void **state) {
  (void)state;
  const float expected[] = {1, 2, 3, 1, 2, 3, 4, 5, 6, 4, 5, 6, 1, 2, 3, 1, 2, 3, 4, 5, 6, 4, 5, 6};
  test_expect(TEST_RUN(.op = "Tile", .inputs = {make_six(), TEST_I64S(2, 2)}), TERN_FLOAT,
              TEST_SHAPE(4, 6), expected);
  test_expect(TEST_RUN(.op = "Tile", .inputs = {make_six(), TEST_I64S(0, 2)}), TERN_FLOAT,
              TEST_SHAPE(0, 6), NULL);
  TEST_FAILS("repeated -1", .op = "Tile", .inputs = {make_six(), TEST_I64S(1, -1)});
  TEST_FAILS("times", .op = "Tile", .inputs = {make_six(), TEST_I64S(1, INT64_MAX)});
}

static void test_depth_and_space_are_inverse(void **state) {
  (void)state;
  float x[2 * 8 * 2 * 3];
  for (int i = 0; i < 96; ++i) x[i] = (float)i;
  const char *const modes[] = {"DCR", "CRD"};
  for (int m = 0; m < 2; ++m) {
    tern_value *space = TEST_RUN(.op = "DepthToSpace",
                                 .inputs = {test_tensor(TERN_FLOAT, TEST_SHAPE(2, 8, 2, 3), x)},
                                 ATTRS(tern_attr_i("blocksize", 2), tern_attr_s("mode", modes[m])));
    // Element (0, 0, 0, 1) comes from block column 1: channel 2 of 8, or channel 1 of the group.
    assert_float_equal(((const float *)space->data)[1], m == 0 ? x[2 * 6] : x[1 * 6], 0);
    test_expect(TEST_RUN(.op = "SpaceToDepth", .inputs = {space},
                         ATTRS(tern_attr_i("blocksize", 2), tern_attr_s("mode", modes[m]))),
                TERN_FLOAT, TEST_SHAPE(2, 8, 2, 3), x);
  }
  TEST_FAILS("divided", .op = "DepthToSpace",
             .inputs = {test_tensor(TERN_FLOAT, TEST_SHAPE(1, 6, 1, 1), six)},
             ATTRS(tern_attr_i("blocksize", 2)));
}

static void test_reverse_sequence_stops_at_each_length(void **state) {
  (void)state;
  const float expected[] = {4, 2, 3, 1, 5, 6};
  test_expect(TEST_RUN(.op = "ReverseSequence", .inputs = {make_six(), TEST_I64S(2, 1, 0)}),
              TERN_FLOAT, TEST_SHAPE(2, 3), expected);
  const float rows[] = {3, 2, 1, 5, 4, 6};
  test_expect(TEST_RUN(.op = "ReverseSequence", .inputs = {make_six(), TEST_I64S(3, 2)},
                       ATTRS(tern_attr_i("time_axis", 1), tern_attr_i("batch_axis", 0))),
              TERN_FLOAT, TEST_SHAPE(2, 3), rows);
  TEST_FAILS("length 3", .op = "ReverseSequence", .inputs = {make_six(), TEST_I64S(3, 0, 0)});
}

static void test_trilu_keeps_a_triangle(void **state) {
  (void)state;
  const float upper[] = {0, 2, 3, 0, 0, 6}, lower[] = {1, 0, 0, 4, 5, 0}, none[6] = {0};
  test_expect(TEST_RUN(.op = "Trilu", .inputs = {make_six(), test_i64(1)}), TERN_FLOAT,
              TEST_SHAPE(2, 3), upper);
  test_expect(TEST_RUN(.op = "Trilu", .inputs = {make_six()}, ATTRS(tern_attr_i("upper", 0))),
              TERN_FLOAT, TEST_SHAPE(2, 3), lower);
  test_expect(TEST_RUN(.op = "Trilu", .inputs = {make_six(), test_i64(INT64_MAX)}), TERN_FLOAT,
              TEST_SHAPE(2, 3), none);
}

static void test_center_crop_pad_shifts_left(void **state) {
  (void)state;
  TEST_EXPECT_I64S(TEST_RUN(.op = "CenterCropPad", .inputs = {TEST_I64S(1, 2, 3, 4), TEST_I64S(1)}),
                   2);
  TEST_EXPECT_I64S(TEST_RUN(.op = "CenterCropPad", .inputs = {TEST_I64S(1, 2), TEST_I64S(5)}), 0, 1,
                   2, 0, 0);
}

static void test_col2im_adds_overlapping_columns(void **state) {
  (void)state;
  // Blocks of 2 over an image of 3: positions 0 and 1 share element 1.
  const float columns[] = {1, 2, 10, 20}, image[] = {1, 12, 20};
  test_expect(
      TEST_RUN(.op = "Col2Im", .inputs = {test_tensor(TERN_FLOAT, TEST_SHAPE(1, 2, 2), columns),
                                          TEST_I64S(3), TEST_I64S(2)}),
      TERN_FLOAT, TEST_SHAPE(1, 1, 3), image);
  TEST_FAILS("columns", .op = "Col2Im",
             .inputs = {test_tensor(TERN_FLOAT, TEST_SHAPE(1, 2, 2), columns), TEST_I64S(4),
                        TEST_I64S(2)});
}

static void test_col2im_adds_in_every_type(void **state) {
  (void)state;
  const int8_t bytes[] = {1, 100, 100, 20}, wrapped[] = {1, -56, 20};
  test_expect(
      TEST_RUN(.op = "Col2Im", .inputs = {test_tensor(TERN_INT8, TEST_SHAPE(1, 2, 2), bytes),
                                          TEST_I64S(3), TEST_I64S(2)}),
      TERN_INT8, TEST_SHAPE(1, 1, 3), wrapped);
  const bool flags[] = {false, true, false, false}, any[] = {false, true, false};
  test_expect(
      TEST_RUN(.op = "Col2Im", .inputs = {test_tensor(TERN_BOOL, TEST_SHAPE(1, 2, 2), flags),
                                          TEST_I64S(3), TEST_I64S(2)}),
      TERN_BOOL, TEST_SHAPE(1, 1, 3), any);
  const float pairs[] = {1, 2, 3, 4, 10, 20, 30, 40}, sums[] = {1, 2, 13, 24, 30, 40};
  test_expect(
      TEST_RUN(.op = "Col2Im", .inputs = {test_tensor(TERN_COMPLEX64, TEST_SHAPE(1, 2, 2), pairs),
                                          TEST_I64S(3), TEST_I64S(2)}),
      TERN_COMPLEX64, TEST_SHAPE(1, 1, 3), sums);
}

static void test_compress_selects(void **state) {
  (void)state;
  const bool keeps[] = {false, true, true};
  const float flat[] = {2, 3}, columns[] = {2, 3, 5, 6};
  test_expect(TEST_RUN(.op = "Compress",
                       .inputs = {make_six(), test_tensor(TERN_BOOL, TEST_SHAPE(3), keeps)}),
              TERN_FLOAT, TEST_SHAPE(2), flat);
  test_expect(TEST_RUN(.op = "Compress",
                       .inputs = {make_six(), test_tensor(TERN_BOOL, TEST_SHAPE(3), keeps)},
                       ATTRS(tern_attr_i("axis", -1))),
              TERN_FLOAT, TEST_SHAPE(2, 2), columns);
}

static void test_symbols_pass_through(void **state) {
  (void)state;
  test_graph graph;
  test_graph_open(&graph);
  tern_builder *b = &graph.builder;
  tern_dim n = test_graph_symbol(&graph, "n");
  tern_edge *x = test_graph_input(&graph, TERN_FLOAT, TEST_SHAPE(n, 4));
  const int64_t zero[] = {0}, one[] = {1}, huge[] = {INT64_MAX}, seven[] = {7};
  tern_edge *shape = tern_build1(b, "Shape", x);
  tern_edge *batch = TERN_BUILD(
      b, "Slice", TERN_EDGES(shape, tern_build_i64s(b, zero, 1), tern_build_i64s(b, one, 1)));
  assert_int_equal(batch->symints.count, 1);
  assert_int_equal(batch->symints.items[0].value, n);
  tern_edge *joined = TERN_BUILD(b, "Concat", TERN_EDGES(batch, tern_build_i64s(b, seven, 1)),
                                 TERN_ATTR_ARGS(tern_attr_i("axis", 0)));
  tern_edge *y = test_graph_input(&graph, TERN_FLOAT, NULL);
  test_expect_shape(tern_build2(b, "Reshape", y, joined), TEST_SHAPE(n, 7));
  tern_edge *row = test_graph_input(&graph, TERN_FLOAT, TEST_SHAPE(1, 3));
  test_expect_shape(tern_build2(b, "Tile", row, joined), TEST_SHAPE(n, 21));
  test_expect_shape(
      TERN_BUILD(b, "Slice",
                 TERN_EDGES(x, tern_build_i64s(b, zero, 1), tern_build_i64s(b, huge, 1))),
      TEST_SHAPE(n, 4));
  test_expect_shape(
      TERN_BUILD(b, "Concat", TERN_EDGES(x, x), TERN_ATTR_ARGS(tern_attr_i("axis", 1))),
      TEST_SHAPE(n, 8));
  test_expect_shape(tern_build1(b, "Transpose", x), TEST_SHAPE(4, n));
  test_graph_close(&graph);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_transpose_moves_every_type),
      cmocka_unit_test(test_concat_and_split_are_inverse),
      cmocka_unit_test(test_split_gives_the_last_part_the_rest),
      cmocka_unit_test(test_slice_clamps_as_numpy),
      cmocka_unit_test(test_pad_continues_in_every_mode),
      cmocka_unit_test(test_pad_fills_both_axes),
      cmocka_unit_test(test_tile_repeats),
      cmocka_unit_test(test_depth_and_space_are_inverse),
      cmocka_unit_test(test_reverse_sequence_stops_at_each_length),
      cmocka_unit_test(test_trilu_keeps_a_triangle),
      cmocka_unit_test(test_center_crop_pad_shifts_left),
      cmocka_unit_test(test_col2im_adds_overlapping_columns),
      cmocka_unit_test(test_col2im_adds_in_every_type),
      cmocka_unit_test(test_compress_selects),
      cmocka_unit_test(test_symbols_pass_through),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
