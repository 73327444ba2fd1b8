// Elementwise operators, activations, choices and conversions: what the loops' tests cannot see.
#include <math.h>

#include "unit/ops/support.h"

static const float six[] = {1, 2, 3, 4, 5, 6};

#define SIX(dims) test_tensor(TERN_FLOAT, dims, six)
#define ATTRS(...)                                                                                 \
  .attrs = (const tern_attr[]){__VA_ARGS__},                                                       \
  .attr_count = (int32_t)TERN_COUNT_OF(((const tern_attr[]){__VA_ARGS__}))
#define TEXTS(...)                                                                                 \
  test_tensor(TERN_STRING,                                                                         \
              TEST_SHAPE((int64_t)TERN_COUNT_OF(((const tern_string[]){__VA_ARGS__}))),            \
              (const tern_string[]){__VA_ARGS__})
#define TEXT(text)                                                                                 \
  { (text), sizeof(text) - 1 }

static void operands_broadcast_both_ways(void **state) {
  (void)state;
  const float sums[] = {2, 3, 4, 3, 4, 5};
  test_expect(TEST_RUN(.op = "Add", .inputs = {SIX(TEST_SHAPE(2, 1)), SIX(TEST_SHAPE(1, 3))}),
              TERN_FLOAT, TEST_SHAPE(2, 3), sums);
  test_expect(TEST_RUN(.op = "Mul", .inputs = {SIX(TEST_SHAPE(0, 2)), SIX(TEST_SHAPE(1))}),
              TERN_FLOAT, TEST_SHAPE(0, 2), NULL);
  TEST_FAILS("[3]", .op = "Add", .inputs = {SIX(TEST_SHAPE(2)), SIX(TEST_SHAPE(3))});
}

static void in_place_gives_the_same(void **state) {
  (void)state;
  TEST_EXPECT_F32S(
      TEST_RUN(.op = "Sub", .inputs = {TEST_F32S(5, 6), TEST_F32S(1, 2)}, .in_place = true), 4, 4);
  TEST_EXPECT_F32S(TEST_RUN(.op = "Neg", .inputs = {TEST_F32S(5, -6)}, .in_place = true), -5, 6);
}

static void integers_are_not_divided_by_zero(void **state) {
  (void)state;
  TEST_FAILS("zero", .op = "Div", .inputs = {TEST_I64S(1, 2), TEST_I64S(1, 0)});
  TEST_FAILS("zero", .op = "Mod", .inputs = {TEST_I32S(1, 2), TEST_I32S(0)});
  tern_value *empty = test_tensor(TERN_INT64, TEST_SHAPE(0), NULL);
  test_expect(TEST_RUN(.op = "Div", .inputs = {empty, TEST_I64S(0)}), TERN_INT64, TEST_SHAPE(0),
              NULL);
  TEST_EXPECT_F32S(TEST_RUN(.op = "Div", .inputs = {TEST_F32S(1), TEST_F32S(0)}), INFINITY);
}

static void strings_compare_and_join(void **state) {
  (void)state;
  TEST_EXPECT_LIST(
      TEST_RUN(.op = "Equal", .inputs = {TEXTS(TEXT("a"), TEXT(""), TEXT("ab")), TEXTS(TEXT("a"))}),
      TERN_BOOL, uint8_t, 1, 0, 0);
  const tern_string joined[] = {TEXT("ax"), TEXT("x"), TEXT("a longer textx")};
  test_expect(
      TEST_RUN(.op = "StringConcat",
               .inputs = {TEXTS(TEXT("a"), TEXT(""), TEXT("a longer text")), TEXTS(TEXT("x"))}),
      TERN_STRING, TEST_SHAPE(3), joined);
}

static void powers_mix_types(void **state) {
  (void)state;
  TEST_EXPECT_F32S(TEST_RUN(.op = "Pow", .inputs = {TEST_F32S(2, 3), TEST_I64S(3, 2)}), 8, 9);
  TEST_EXPECT_LIST(TEST_RUN(.op = "Pow", .inputs = {TEST_I32S(2, 9), TEST_F32S(3, 0.5f)}),
                   TERN_INT32, int32_t, 8, 3);
}

static void narrow_floats_are_tested_as_they_are(void **state) {
  (void)state;
  const uint16_t halves[] = {0x7c00, 0xfc00, 0x7e00, 0x3c00};
  const uint8_t codes[] = {0x7c, 0xfc, 0x7f, 0x3c}; // float8e5m2
  TEST_EXPECT_LIST(
      TEST_RUN(.op = "IsNaN", .inputs = {test_tensor(TERN_FLOAT16, TEST_SHAPE(4), halves)}),
      TERN_BOOL, uint8_t, 0, 0, 1, 0);
  TEST_EXPECT_LIST(TEST_RUN(.op = "IsInf",
                            .inputs = {test_tensor(TERN_FLOAT8E5M2, TEST_SHAPE(4), codes)},
                            ATTRS(tern_attr_i("detect_negative", 0))),
                   TERN_BOOL, uint8_t, 1, 0, 0, 0);
}

static void any_number_of_operands_broadcast(void **state) {
  (void)state;
  const float sums[] = {12, 13, 14, 13, 14, 15};
  test_expect(
      TEST_RUN(.op = "Sum", .inputs = {SIX(TEST_SHAPE(2, 1)), TEST_F32S(10), SIX(TEST_SHAPE(3))}),
      TERN_FLOAT, TEST_SHAPE(2, 3), sums);
  TEST_EXPECT_F32S(
      TEST_RUN(.op = "Mean", .inputs = {TEST_F32S(1, 2), TEST_F32S(3, 6), TEST_F32S(5, 1)}), 3, 3);
  TEST_EXPECT_I64S(TEST_RUN(.op = "Max", .inputs = {TEST_I64S(4, 9)}), 4, 9);
}

static void where_chooses_any_type(void **state) {
  (void)state;
  const uint8_t yes[] = {1, 0, 2};
  tern_value *condition = test_tensor(TERN_BOOL, TEST_SHAPE(3), yes);
  const tern_string chosen[] = {TEXT("a"), TEXT("z"), TEXT("a")};
  test_expect(TEST_RUN(.op = "Where", .inputs = {condition, TEXTS(TEXT("a")),
                                                 TEXTS(TEXT("x"), TEXT("z"), TEXT("y"))}),
              TERN_STRING, TEST_SHAPE(3), chosen);
  const double complexes[] = {1, 2, 3, 4};
  const double first_again[] = {1, 2, 3, 4, 1, 2};
  tern_value *a = test_tensor(TERN_COMPLEX128, TEST_SHAPE(1), complexes);
  tern_value *b = test_tensor(TERN_COMPLEX128, TEST_SHAPE(1), complexes + 2);
  test_expect(TEST_RUN(.op = "Where", .inputs = {test_tensor(TERN_BOOL, TEST_SHAPE(3), yes), a, b}),
              TERN_COMPLEX128, TEST_SHAPE(3), first_again);
}

static void bounds_of_clip_are_scalars(void **state) {
  (void)state;
  TEST_EXPECT_F32S(TEST_RUN(.op = "Clip", .inputs = {TEST_F32S(-1, 9), NULL, test_f32(5)}), -1, 5);
  TEST_EXPECT_I64S(TEST_RUN(.op = "Clip", .inputs = {TEST_I64S(-1, 9), test_i64(0)}), 0, 9);
  TEST_FAILS("scalar", .op = "Clip", .inputs = {TEST_F32S(1), TEST_F32S(1, 2)});
}

static void casts_read_and_write_texts(void **state) {
  (void)state;
  const tern_attr to_text[] = {tern_attr_i("to", TERN_STRING)};
  const tern_string floats[] = {TEXT("1.5"), TEXT("-INF"), TEXT("100")};
  test_expect(TEST_RUN(.op = "Cast", .inputs = {TEST_F32S(1.5f, -INFINITY, 100)}, .attrs = to_text,
                       .attr_count = 1),
              TERN_STRING, TEST_SHAPE(3), floats);
  TEST_EXPECT_I64S(TEST_RUN(.op = "Cast", .inputs = {TEXTS(TEXT("9007199254740993"), TEXT("-7"))},
                            ATTRS(tern_attr_i("to", TERN_INT64))),
                   9007199254740993, -7);
  TEST_EXPECT_I64S(TEST_RUN(.op = "Cast", .inputs = {TEXTS(TEXT("100.5"), TEXT("3"))},
                            ATTRS(tern_attr_i("to", TERN_INT64))),
                   100, 3);
  TEST_FAILS("Hello", .op = "Cast", .inputs = {TEXTS(TEXT("Hello"))},
             ATTRS(tern_attr_i("to", TERN_FLOAT)));
  TEST_FAILS("'to'", .op = "Cast", .inputs = {TEST_F32S(1)}, ATTRS(tern_attr_i("to", 99)));
}

static void bits_keep_their_width(void **state) {
  (void)state;
  TEST_EXPECT_LIST(TEST_RUN(.op = "BitCast", .inputs = {TEST_F32S(1, -0.0f)},
                            ATTRS(tern_attr_i("to", TERN_UINT32))),
                   TERN_UINT32, uint32_t, 0x3f800000u, 0x80000000u);
  TEST_FAILS("width", .op = "BitCast", .inputs = {TEST_F32S(1)},
             ATTRS(tern_attr_i("to", TERN_INT64)));
}

static void quantises_to_packed_types_and_back(void **state) {
  (void)state;
  const uint8_t packed[] = {0x78, 0x01};
  test_expect(TEST_RUN(.op = "QuantizeLinear",
                       .inputs = {TEST_F32S(-100, 100, 0.5f), test_f32(0.5f)},
                       ATTRS(tern_attr_i("output_dtype", TERN_INT4))),
              TERN_INT4, TEST_SHAPE(3), packed);
  TEST_EXPECT_F32S(
      TEST_RUN(.op = "DequantizeLinear",
               .inputs = {test_tensor(TERN_INT4, TEST_SHAPE(3), packed), test_f32(0.5f)}),
      -4, 3.5f, 0.5f);
  // In half precision 2049 / 1 is 2048.
  TEST_EXPECT_LIST(TEST_RUN(.op = "QuantizeLinear",
                            .inputs = {TEST_F32S(2049), test_f32(1),
                                       test_tensor(TERN_INT16, TEST_SCALAR, &(int16_t){1})},
                            ATTRS(tern_attr_i("precision", TERN_FLOAT16))),
                   TERN_INT16, int16_t, 2049);
  TEST_FAILS("scale", .op = "QuantizeLinear", .inputs = {SIX(TEST_SHAPE(2, 3)), TEST_F32S(1, 2)});
}

static void a_tensor_of_zeros_has_a_scale(void **state) {
  (void)state;
  tern_value *outputs[3];
  const test_node node = {
      .op = "DynamicQuantizeLinear", .inputs = {TEST_F32S(0, 0)}, .output_count = 3};
  assert_null(test_try_node(&node, outputs));
  TEST_EXPECT_LIST(outputs[0], TERN_UINT8, uint8_t, 0, 0);
  const float one = 1;
  test_expect(outputs[1], TERN_FLOAT, TEST_SCALAR, &one);
  test_expect(outputs[2], TERN_UINT8, TEST_SCALAR, &(uint8_t){0});
}

static void sizes_pass_through_neutral_operands(void **state) {
  (void)state;
  test_graph graph;
  test_graph_open(&graph);
  tern_builder *b = &graph.builder;
  tern_dim n = test_graph_symbol(&graph, "n");
  tern_edge *x = test_graph_input(&graph, TERN_FLOAT, TEST_SHAPE(n, 4));
  tern_edge *size = TERN_BUILD(b, "Shape", TERN_EDGES(x), ATTRS(tern_attr_i("end", 1)));
  const int64_t one[] = {1}, zero[] = {0};
  size = tern_build2(b, "Mul", tern_build_i64s(b, one, 1), size);
  size = tern_build2(b, "Add", size, tern_build_i64s(b, zero, 1));
  size = TERN_BUILD(b, "Cast", TERN_EDGES(size), ATTRS(tern_attr_i("to", TERN_INT64)));
  test_expect_shape(tern_build1(b, "ConstantOfShape", size), TEST_SHAPE(n));
  test_graph_close(&graph);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(operands_broadcast_both_ways),
      cmocka_unit_test(in_place_gives_the_same),
      cmocka_unit_test(integers_are_not_divided_by_zero),
      cmocka_unit_test(strings_compare_and_join),
      cmocka_unit_test(powers_mix_types),
      cmocka_unit_test(narrow_floats_are_tested_as_they_are),
      cmocka_unit_test(any_number_of_operands_broadcast),
      cmocka_unit_test(where_chooses_any_type),
      cmocka_unit_test(bounds_of_clip_are_scalars),
      cmocka_unit_test(casts_read_and_write_texts),
      cmocka_unit_test(bits_keep_their_width),
      cmocka_unit_test(quantises_to_packed_types_and_back),
      cmocka_unit_test(a_tensor_of_zeros_has_a_scale),
      cmocka_unit_test(sizes_pass_through_neutral_operands),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
