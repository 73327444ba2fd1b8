// Broadcasting loops visit the elements that numpy's rules name, in as few loops as possible.
#include "compute/broadcast.h"
#include "unit/test.h"

#define DIMS(...)                                                                                  \
  (tern_dims) {                                                                                    \
    (int32_t) TERN_COUNT_OF(((const int64_t[]){__VA_ARGS__})), (const int64_t[]) {                 \
      __VA_ARGS__                                                                                  \
    }                                                                                              \
  }
static const tern_dims scalar = {0, NULL};

// The offset of output element `index` in `input`, straight from the definition.
static int64_t expected_offset(tern_dims output, tern_dims input, int64_t index) {
  int64_t offset = 0, volume = 1;
  for (int32_t axis = output.rank - 1, own = input.rank - 1; axis >= 0; --axis, --own) {
    const int64_t at = index % output.dims[axis];
    index /= output.dims[axis];
    if (own < 0) continue;
    if (input.dims[own] > 1) offset += at * volume;
    volume *= input.dims[own];
  }
  return offset;
}

static void check(tern_dims output, const tern_dims *inputs, int32_t count, int64_t rows) {
  tern_broadcast b;
  assert_true(tern_broadcast_init(output, inputs, count, &b));
  assert_int_equal(b.row_count, rows);
  tern_broadcast_cursor cursor, sought;
  tern_broadcast_seek(&b, 0, &cursor);
  for (int64_t row = 0, index = 0; row < b.row_count; ++row) {
    tern_broadcast_seek(&b, row, &sought);
    for (int32_t i = 0; i < count; ++i) assert_int_equal(sought.offsets[i], cursor.offsets[i]);
    for (int64_t k = 0; k < b.row_length; ++k, ++index) {
      for (int32_t i = 0; i < count; ++i)
        assert_int_equal(cursor.offsets[i] + k * b.steps[i],
                         expected_offset(output, inputs[i], index));
    }
    tern_broadcast_next(&b, &cursor);
  }
}

// Pieces cover the output in order, each found by itself as by stepping to it.
static void check_pieces(tern_dims output, const tern_dims *inputs, int32_t count, int64_t pieces) {
  tern_broadcast b;
  tern_broadcast_piece piece, sought;
  int64_t index = 0;
  assert_true(tern_broadcast_init(output, inputs, count, &b));
  assert_int_equal(tern_broadcast_piece_count(&b), pieces);
  tern_broadcast_piece_seek(&b, 0, &piece);
  for (int64_t p = 0; p < pieces; ++p) {
    tern_broadcast_piece_seek(&b, p, &sought);
    assert_int_equal(piece.output, index);
    assert_int_equal(sought.output, index);
    assert_in_range(piece.count, 1, TERN_BROADCAST_PIECE);
    assert_int_equal(sought.count, piece.count);
    for (int32_t i = 0; i < count; ++i) {
      assert_int_equal(sought.offsets[i], piece.offsets[i]);
      assert_int_equal(piece.offsets[i], expected_offset(output, inputs[i], index));
    }
    index += piece.count;
    tern_broadcast_piece_next(&b, &piece);
  }
  assert_int_equal(index, b.row_count * b.row_length);
}

static void long_rows_are_cut(void **state) {
  (void)state;
  enum { P = TERN_BROADCAST_PIECE };
  check_pieces(DIMS(3 * P + 1), (tern_dims[]){DIMS(3 * P + 1), scalar}, 2, 4);
  check_pieces(DIMS(5, 2 * P), (tern_dims[]){DIMS(5, 1), DIMS(2 * P)}, 2, 10);
  check_pieces(DIMS(5, 2, P + 7), (tern_dims[]){DIMS(5, 1, P + 7), DIMS(2, 1), DIMS(1)}, 3, 20);
  check_pieces(DIMS(4, 3, 5), (tern_dims[]){DIMS(4, 1, 5), DIMS(3, 1)}, 2, 12);
  check_pieces(scalar, (tern_dims[]){scalar, scalar}, 2, 1);
  check_pieces(DIMS(3, 0, 2), (tern_dims[]){DIMS(3, 1, 2), DIMS(0, 1)}, 2, 0);
}

static void merges_dimensions_walked_alike(void **state) {
  (void)state;
  check(DIMS(2, 3, 4), (tern_dims[]){DIMS(2, 3, 4), DIMS(2, 3, 4)}, 2, 1);
  check(DIMS(2, 3, 4), (tern_dims[]){DIMS(2, 3, 4), scalar}, 2, 1);
  check(DIMS(2, 3, 4), (tern_dims[]){DIMS(1, 1, 1), DIMS(2, 3, 4)}, 2, 1);
  check(DIMS(2, 3, 4, 5), (tern_dims[]){DIMS(2, 3, 4, 5), DIMS(3, 1, 1)}, 2, 6);
  check(DIMS(2, 3, 4, 5), (tern_dims[]){DIMS(2, 3, 4, 5), DIMS(4, 5)}, 2, 6);
  check(DIMS(2, 1, 4, 1), (tern_dims[]){DIMS(2, 1, 4, 1), DIMS(2, 1, 1, 1)}, 2, 2);
}

static void visits_what_numpy_names(void **state) {
  (void)state;
  check(DIMS(4, 3, 5), (tern_dims[]){DIMS(4, 1, 5), DIMS(3, 1)}, 2, 12);
  check(DIMS(2, 3, 2, 3), (tern_dims[]){DIMS(2, 1, 2, 1), DIMS(3, 1, 3), DIMS(3)}, 3, 12);
  check(scalar, (tern_dims[]){scalar, scalar}, 2, 1);
  check(DIMS(1, 1), (tern_dims[]){scalar, DIMS(1)}, 2, 1);
}

static void empty_outputs_have_no_rows(void **state) {
  (void)state;
  check(DIMS(0), (tern_dims[]){DIMS(0), scalar}, 2, 0);
  check(DIMS(3, 0, 2), (tern_dims[]){DIMS(3, 1, 2), DIMS(0, 1)}, 2, 0);
  check(DIMS(0, 4, 2), (tern_dims[]){DIMS(0, 4, 2), DIMS(4, 1)}, 2, 0);
}

static void refuses_shapes_that_do_not_fit(void **state) {
  (void)state;
  tern_broadcast b;
  assert_false(tern_broadcast_init(DIMS(4), (tern_dims[]){DIMS(3)}, 1, &b));
  assert_false(tern_broadcast_init(DIMS(4), (tern_dims[]){DIMS(1, 4)}, 1, &b));
  assert_false(tern_broadcast_init(DIMS(1), (tern_dims[]){DIMS(4)}, 1, &b));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(merges_dimensions_walked_alike),
      cmocka_unit_test(visits_what_numpy_names),
      cmocka_unit_test(long_rows_are_cut),
      cmocka_unit_test(empty_outputs_have_no_rows),
      cmocka_unit_test(refuses_shapes_that_do_not_fit),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
