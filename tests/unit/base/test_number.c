// Numbers as text and back, in a locale that writes commas too, where there is one.
#include "base/number.h"

#include <locale.h>
#include <math.h>
#include <string.h>

#include "unit/test.h"

static const char *f32(float value) {
  static char buffer[TERN_NUMBER_TEXT_BYTES];
  const size_t size = tern_number_format_f32(value, buffer);
  assert_int_equal(size, strlen(buffer));
  return buffer;
}

static void formats_as_few_digits_as_read_back(void **state) {
  (void)state;
  assert_string_equal(f32(0.1f), "0.1");
  assert_string_equal(f32(314.15926f), "314.15927");
  assert_string_equal(f32(119.439384f), "119.439384");
  assert_string_equal(f32(100), "100");
  assert_string_equal(f32(33554450.0f * 4), "1.3421779e+08");
  assert_string_equal(f32(NAN), "NaN");
  assert_string_equal(f32(-INFINITY), "-INF");
  char buffer[TERN_NUMBER_TEXT_BYTES];
  tern_number_format_f64(0.1, buffer);
  assert_string_equal(buffer, "0.1");
  tern_number_format_f64(0.1 + 0.2, buffer);
  assert_string_equal(buffer, "0.30000000000000004");
}

static void reads_numbers_and_nothing_else(void **state) {
  (void)state;
  double value;
  int64_t number;
  assert_true(tern_number_parse_f64(" 1e-5 ", 6, &value) && value == 1e-5);
  assert_true(tern_number_parse_f64("+INF", 4, &value) && isinf(value));
  assert_true(tern_number_parse_f64("nan", 3, &value) && isnan(value));
  assert_false(tern_number_parse_f64("1.5x", 4, &value));
  assert_false(tern_number_parse_f64("", 0, &value));
  assert_false(tern_number_parse_f64("1\0002", 3, &value));
  assert_true(tern_number_parse_i64("-42", 3, &number) && number == -42);
  assert_true(tern_number_parse_i64("18446744073709551615", 20, &number) && number == -1);
  assert_false(tern_number_parse_i64("1.5", 3, &number));
  assert_false(tern_number_parse_i64("99999999999999999999", 20, &number));
}

static void does_not_ask_the_locale(void **state) {
  (void)state;
  if (!setlocale(LC_NUMERIC, "de_DE.UTF-8")) skip();
  double value;
  assert_string_equal(f32(1.5f), "1.5");
  assert_true(tern_number_parse_f64("2.25", 4, &value) && value == 2.25);
  setlocale(LC_NUMERIC, "C");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(formats_as_few_digits_as_read_back),
      cmocka_unit_test(reads_numbers_and_nothing_else),
      cmocka_unit_test(does_not_ask_the_locale),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
