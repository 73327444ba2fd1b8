// Einsum: equations that are refused, and shapes of results, broadcasts and diagonals.
#include "unit/ops/support.h"

#define EQUATION(text)                                                                             \
  .attrs = (const tern_attr[]){tern_attr_s("equation", (text))}, .attr_count = 1

static const float numbers[] = {1, 2, 3, 4, 5, 6};

static tern_value *matrix(int64_t rows, int64_t columns) {
  return test_tensor(TERN_FLOAT, TEST_SHAPE(rows, columns), numbers);
}

static void products_and_diagonals(void **state) {
  (void)state;
  const float product[] = {9, 12, 15, 19, 26, 33, 29, 40, 51}, trace = 5;
  test_expect(
      TEST_RUN(.op = "Einsum", .inputs = {matrix(3, 2), matrix(2, 3)}, EQUATION("ij, jk -> ik")),
      TERN_FLOAT, TEST_SHAPE(3, 3), product);
  TEST_EXPECT_F32S(TEST_RUN(.op = "Einsum", .inputs = {matrix(2, 2)}, EQUATION("ii->i")), 1, 4);
  test_expect(TEST_RUN(.op = "Einsum", .inputs = {matrix(2, 2)}, EQUATION("ii")), TERN_FLOAT,
              TEST_SCALAR, &trace);
  TEST_EXPECT_F32S(
      TEST_RUN(.op = "Einsum", .inputs = {matrix(2, 3), TEST_F32S(1, 0, -1)}, EQUATION("ij,j")), -2,
      -2);
}

static void the_implicit_result_is_sorted(void **state) {
  (void)state;
  const float transposed[] = {1, 4, 2, 5, 3, 6};
  test_expect(TEST_RUN(.op = "Einsum", .inputs = {matrix(2, 3)}, EQUATION("ba")), TERN_FLOAT,
              TEST_SHAPE(3, 2), transposed);
  test_expect(TEST_RUN(.op = "Einsum", .inputs = {matrix(2, 3)}, EQUATION("aB")), TERN_FLOAT,
              TEST_SHAPE(3, 2), transposed);
}

static void ellipses_broadcast(void **state) {
  (void)state;
  const float expected[] = {1, 4, 9, 4, 10, 18};
  test_expect(TEST_RUN(.op = "Einsum", .inputs = {matrix(2, 3), TEST_F32S(1, 2, 3)},
                       EQUATION("...,...->...")),
              TERN_FLOAT, TEST_SHAPE(2, 3), expected);
}

static void narrow_integers_wrap(void **state) {
  (void)state;
  const uint8_t a[] = {200, 100}, b[] = {2, 3};
  const uint8_t sum = (200 * 2 + 100 * 3) & 0xff;
  test_expect(TEST_RUN(.op = "Einsum",
                       .inputs = {test_tensor(TERN_UINT8, TEST_SHAPE(2), a),
                                  test_tensor(TERN_UINT8, TEST_SHAPE(2), b)},
                       EQUATION("i,i->")),
              TERN_UINT8, TEST_SCALAR, &sum);
}

static void sums_of_nothing_are_zero(void **state) {
  (void)state;
  const float zeros[] = {0, 0};
  test_expect(TEST_RUN(.op = "Einsum",
                       .inputs = {test_tensor(TERN_FLOAT, TEST_SHAPE(2, 0), NULL),
                                  test_tensor(TERN_FLOAT, TEST_SHAPE(0), NULL)},
                       EQUATION("ij,j->i")),
              TERN_FLOAT, TEST_SHAPE(2), zeros);
}

static void bad_equations_are_refused(void **state) {
  (void)state;
  static const struct {
    const char *equation, *message;
  } cases[] = {{"ij,jk->ik", "2 terms for 1"}, {"ijk->i", "rank 2"},   {"i1->i", "character"},
               {"ij->k", "in no operand"},     {"ij->ii", "twice"},    {"......", "two ellipses"},
               {"ij->i->j", "character"},      {"ii->i", "operand 0"}, {"i->i", "rank 2"}};
  for (size_t i = 0; i < TERN_COUNT_OF(cases); ++i)
    TEST_FAILS(cases[i].message, .op = "Einsum", .inputs = {matrix(2, 3)},
               EQUATION(cases[i].equation));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(products_and_diagonals),   cmocka_unit_test(the_implicit_result_is_sorted),
      cmocka_unit_test(ellipses_broadcast),       cmocka_unit_test(narrow_integers_wrap),
      cmocka_unit_test(sums_of_nothing_are_zero), cmocka_unit_test(bad_equations_are_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
