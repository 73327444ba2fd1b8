// What CPU detection promises: levels imply their features, and a choice the machine can run.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/cpu.h"

static void test_levels_imply_features(void **state) {
  (void)state;
  assert_true(tern_cpu_has_isa(TERN_ISA_SCALAR));
  if (tern_cpu_has_isa(TERN_ISA_AVX512)) assert_true(tern_cpu_has_isa(TERN_ISA_AVX2));
  if (tern_cpu_has_isa(TERN_ISA_AVX2)) assert_true(tern_cpu_has_feature(TERN_CPU_FMA));
  if (tern_cpu_has_feature(TERN_CPU_AVX512_VNNI)) assert_true(tern_cpu_has_feature(TERN_CPU_AVX));
}

// The environment was set before the first question, as at the start of a process.
static void test_environment_lowers_the_choice(void **state) {
  (void)state;
  assert_int_equal(setenv("TERN_ISA", "scalar", 1), 0);
  assert_int_equal(tern_cpu_selected_isa(), TERN_ISA_SCALAR);
  assert_int_equal(setenv("TERN_ISA", "avx2", 1), 0);
  assert_int_equal(tern_cpu_selected_isa(), TERN_ISA_SCALAR);
}

static void test_names_are_distinct(void **state) {
  (void)state;
  for (int i = 0; i < TERN_CPU_FEATURE_COUNT; i++)
    for (int j = 0; j < i; j++)
      assert_string_not_equal(tern_cpu_feature_name((tern_cpu_feature)i),
                              tern_cpu_feature_name((tern_cpu_feature)j));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_levels_imply_features),
      cmocka_unit_test(test_environment_lowers_the_choice),
      cmocka_unit_test(test_names_are_distinct),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
