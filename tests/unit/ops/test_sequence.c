// Sequences: positions, sharing, and what is refused.
#include "unit/ops/support.h"

static tern_value *two(void) {
  return TEST_RUN(.op = "SequenceConstruct", .inputs = {TEST_F32S(1), TEST_F32S(2, 3)});
}

static void positions(void **state) {
  (void)state;
  TEST_EXPECT_F32S(TEST_RUN(.op = "SequenceAt", .inputs = {two(), test_i64(-2)}), 1);
  TEST_EXPECT_F32S(TEST_RUN(.op = "SequenceAt", .inputs = {two(), test_i64(1)}), 2, 3);
  TEST_FAILS("position 2 in a sequence of 2", .op = "SequenceAt", .inputs = {two(), test_i64(2)});
  TEST_FAILS("position -3 in a sequence of 2", .op = "SequenceErase",
             .inputs = {two(), test_i64(-3)});
  TEST_FAILS("position 3 in a sequence of 2", .op = "SequenceInsert",
             .inputs = {two(), TEST_F32S(9), test_i64(3)});
  tern_value *longer =
      TEST_RUN(.op = "SequenceInsert", .inputs = {two(), TEST_F32S(9), test_i64(2)});
  assert_int_equal(longer->item_count, 3);
  tern_value_release(longer);
}

static void items_of_another_type_are_refused(void **state) {
  (void)state;
  TEST_FAILS("does not fit a sequence", .op = "SequenceInsert", .inputs = {two(), TEST_I64S(9)});
}

static void pieces_cover_the_axis(void **state) {
  (void)state;
  tern_value *pieces =
      TEST_RUN(.op = "SplitToSequence", .inputs = {TEST_F32S(1, 2, 3, 4, 5), test_i64(2)});
  assert_int_equal(pieces->item_count, 3);
  assert_int_equal(pieces->items[2]->shape.dims[0], 1);
  const tern_attr axis[] = {tern_attr_i("axis", 0)};
  TEST_EXPECT_F32S(
      TEST_RUN(.op = "ConcatFromSequence", .inputs = {pieces}, .attrs = axis, .attr_count = 1), 1,
      2, 3, 4, 5);
  TEST_FAILS("the pieces add up to 3", .op = "SplitToSequence",
             .inputs = {TEST_F32S(1, 2, 3, 4), TEST_I64S(1, 2)});
  TEST_FAILS("piece 1 of size 9", .op = "SplitToSequence",
             .inputs = {TEST_F32S(1, 2, 3, 4), TEST_I64S(1, 9)});
  TEST_FAILS("'split' is 0", .op = "SplitToSequence", .inputs = {TEST_F32S(1, 2), test_i64(0)});
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(positions),
      cmocka_unit_test(items_of_another_type_are_refused),
      cmocka_unit_test(pieces_cover_the_axis),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
