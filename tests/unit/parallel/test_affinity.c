// ORT's syntax of affinities.
#include <stdio.h>
#include <string.h>

#include "parallel/affinity.h"
#include "unit/test.h"

// "0 1|2 3": each worker's processors.
static const char *read(const char *text) {
  static char result[256];
  tern_affinity affinity = {0};
  tern_status *status = tern_affinity_parse(text, &affinity);
  size_t size = 0;
  result[0] = 0;
  if (status) {
    assert_int_equal(tern_status_get_code(status), TERN_INVALID_ARGUMENT);
    assert_non_null(strstr(tern_status_message(status), text));
    tern_status_free(status);
    return "refused";
  }
  for (size_t w = 0; w < affinity.ends.count; ++w) {
    size_t count;
    const int32_t *processors = tern_affinity_of(&affinity, w, &count);
    for (size_t i = 0; i < count; ++i)
      size += (size_t)snprintf(result + size, sizeof result - size, "%s%d",
                               i ? " " : (w ? "|" : ""), processors[i]);
  }
  size_t none;
  assert_null(tern_affinity_of(&affinity, affinity.ends.count, &none));
  assert_int_equal(none, 0);
  tern_affinity_deinit(&affinity);
  return result;
}

static void reads_lists_and_ranges(void **state) {
  (void)state;
  assert_string_equal(read("1"), "0");
  assert_string_equal(read("1;2;3"), "0|1|2");
  assert_string_equal(read("1,2;3,4"), "0 1|2 3");
  assert_string_equal(read("1-3;2-2,64"), "0 1 2|1 63");
}

static void refuses_what_names_no_processors(void **state) {
  (void)state;
  const char *const wrong[] = {"",     ";", "1;",  ";1",  "0",     "1-0",         "-1",    "1-",
                               "1,,2", "a", "1 2", "1.5", "65537", "99999999999", "1-2-3", "1;x"};
  for (size_t i = 0; i < TERN_COUNT_OF(wrong); ++i) assert_string_equal(read(wrong[i]), "refused");
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(reads_lists_and_ranges),
                                     cmocka_unit_test(refuses_what_names_no_processors)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
