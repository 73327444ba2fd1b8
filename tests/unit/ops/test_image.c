// Resampling and regions: what the conformance cases leave open.
#include "unit/ops/support.h"

static tern_value *row(void) {
  return test_tensor(TERN_FLOAT, TEST_SHAPE(1, 1, 1, 4), (const float[]){1, 2, 3, 4});
}

static void resize_rounds_and_saturates_integers(void **state) {
  (void)state;
  const uint8_t x[] = {0, 255, 0};
  const tern_attr attrs[] = {tern_attr_s("mode", "cubic")};
  tern_value *y =
      TEST_RUN(.op = "Resize",
               .inputs = {test_tensor(TERN_UINT8, TEST_SHAPE(3), x), NULL, NULL, TEST_I64S(3)},
               .attrs = attrs, .attr_count = 1);
  test_expect(y, TERN_UINT8, TEST_SHAPE(3), x);
  // The cubic filter leaves the range of its inputs between them.
  const uint8_t step[] = {0, 0, 255, 255};
  y = TEST_RUN(.op = "Resize",
               .inputs = {test_tensor(TERN_UINT8, TEST_SHAPE(4), step), NULL, TEST_F32S(2)},
               .attrs = attrs, .attr_count = 1);
  const uint8_t *got = y->data;
  assert_int_equal(got[2], 0);
  assert_int_equal(got[5], 255);
  assert_in_range(got[3], 1, 127);
  assert_int_equal(got[3] + got[4], 255);
  tern_value_release(y);
}

static void resize_moves_elements_of_any_type(void **state) {
  (void)state;
  const tern_string words[] = {{"a", 1}, {"bc", 2}};
  tern_value *y =
      TEST_RUN(.op = "Resize",
               .inputs = {test_tensor(TERN_STRING, TEST_SHAPE(2), words), NULL, TEST_F32S(2)});
  const tern_string *got = y->data;
  assert_int_equal(tern_value_count(y), 4);
  assert_memory_equal(got[1].data, "a", 1);
  assert_memory_equal(got[2].data, "bc", 2);
  tern_value_release(y);
}

static void resize_refuses(void **state) {
  (void)state;
  TEST_FAILS("one of 'scales' and 'sizes'", .op = "Resize", .inputs = {row()});
  TEST_FAILS("one of 'scales' and 'sizes'", .op = "Resize",
             .inputs = {row(), NULL, TEST_F32S(1, 1, 1, 2), TEST_I64S(1, 1, 1, 8)});
  TEST_FAILS("'scales' has 1 values", .op = "Resize", .inputs = {row(), NULL, TEST_F32S(2)});
  TEST_FAILS("scale 0", .op = "Resize", .inputs = {row(), NULL, TEST_F32S(1, 1, 1, 0)});
  TEST_FAILS("size -1", .op = "Resize", .inputs = {row(), NULL, NULL, TEST_I64S(1, 1, 1, -1)});
}

static void suppression_prefers_the_first_of_equals(void **state) {
  (void)state;
  const float boxes[] = {0, 0, 1, 1, 5, 5, 6, 6, 0, 0, 1, 1.01f}, scores[] = {0.5f, 0.5f, 0.5f};
  const int64_t expected[] = {0, 0, 0, 0, 0, 1};
  test_expect(TEST_RUN(.op = "NonMaxSuppression",
                       .inputs = {test_tensor(TERN_FLOAT, TEST_SHAPE(1, 3, 4), boxes),
                                  test_tensor(TERN_FLOAT, TEST_SHAPE(1, 1, 3), scores),
                                  test_i64(INT64_MAX), test_f32(0.5f)}),
              TERN_INT64, TEST_SHAPE(2, 3), expected);
  // Without a limit nothing is selected.
  test_expect(TEST_RUN(.op = "NonMaxSuppression",
                       .inputs = {test_tensor(TERN_FLOAT, TEST_SHAPE(1, 3, 4), boxes),
                                  test_tensor(TERN_FLOAT, TEST_SHAPE(1, 1, 3), scores)}),
              TERN_INT64, TEST_SHAPE(0, 3), expected);
  TEST_FAILS("iou_threshold is 2", .op = "NonMaxSuppression",
             .inputs = {test_tensor(TERN_FLOAT, TEST_SHAPE(1, 3, 4), boxes),
                        test_tensor(TERN_FLOAT, TEST_SHAPE(1, 1, 3), scores), test_i64(1),
                        test_f32(2.0f)});
}

static void regions_keep_to_the_image(void **state) {
  (void)state;
  float image[16];
  for (int i = 0; i < 16; ++i) image[i] = (float)i;
  const int64_t pooled[] = {2, 2};
  const tern_attr attrs[] = {tern_attr_ints("pooled_shape", pooled, 2)};
  const float regions[] = {0, 0, 0, 2, 3, 0, 1, 1, 9, 9}, wrong[] = {1, 0, 0, 1, 1};
  const float expected[] = {5, 6, 13, 14, 15, 0, 0, 0};
  test_expect(TEST_RUN(.op = "MaxRoiPool",
                       .inputs = {test_tensor(TERN_FLOAT, TEST_SHAPE(1, 1, 4, 4), image),
                                  test_tensor(TERN_FLOAT, TEST_SHAPE(2, 5), regions)},
                       .attrs = attrs, .attr_count = 1),
              TERN_FLOAT, TEST_SHAPE(2, 1, 2, 2), expected);
  TEST_FAILS("names image 1 of 1", .op = "MaxRoiPool",
             .inputs = {test_tensor(TERN_FLOAT, TEST_SHAPE(1, 1, 4, 4), image),
                        test_tensor(TERN_FLOAT, TEST_SHAPE(1, 5), wrong)},
             .attrs = attrs, .attr_count = 1);
  TEST_FAILS("names image -1 of 1", .op = "RoiAlign",
             .inputs = {test_tensor(TERN_FLOAT, TEST_SHAPE(1, 1, 4, 4), image),
                        test_tensor(TERN_FLOAT, TEST_SHAPE(1, 4), wrong), TEST_I64S(-1)});
}

static void sampling_survives_any_place(void **state) {
  (void)state;
  const float places[] = {__builtin_nanf(""), 0, __builtin_inff(), -1e30f, 1e30f, 1e30f};
  for (int i = 0; i < 3; ++i) {
    static const char *const paddings[] = {"zeros", "border", "reflection"};
    const tern_attr attrs[] = {tern_attr_s("padding_mode", paddings[i])};
    tern_value *y = TEST_RUN(.op = "GridSample",
                             .inputs = {test_tensor(TERN_FLOAT, TEST_SHAPE(1, 1, 2, 2),
                                                    (const float[]){1, 2, 3, 4}),
                                        test_tensor(TERN_FLOAT, TEST_SHAPE(1, 1, 3, 2), places)},
                             .attrs = attrs, .attr_count = 1);
    const float *got = y->data;
    for (int k = 0; k < 3; ++k) assert_true(got[k] >= 0.0f && got[k] <= 4.0f);
    tern_value_release(y);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(resize_rounds_and_saturates_integers),
      cmocka_unit_test(resize_moves_elements_of_any_type),
      cmocka_unit_test(resize_refuses),
      cmocka_unit_test(suppression_prefers_the_first_of_equals),
      cmocka_unit_test(regions_keep_to_the_image),
      cmocka_unit_test(sampling_survives_any_place),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
