// The command line's words: what parses, what does not, and what the error says.
#include "cli_test.h"

#include "args.h"
#include "text.h"

static const cli_verb run = {"run", CLI_VERB_RUN, "MODEL", "", NULL, NULL};
static const cli_verb info = {"info", CLI_VERB_INFO, NULL, "", NULL, NULL};

// Parses up to eight words.
static cli_status *parse(cli_arena *arena, const cli_verb *verb, const char *const *words,
                         cli_request *out_request) {
  char *copies[8];
  int count = 0;
  for (; words[count]; count++) copies[count] = cli_copy(arena, words[count], strlen(words[count]));
  return cli_parse(arena, verb, count, copies, out_request);
}

static void options_in_any_place_and_form(void **state) {
  cli_request request;
  const char *words[] = {"--seed=7", "m.onnx", "--input", "a=b=c", "--input=x", "--random", NULL};
  assert_success(parse(*state, &run, words, &request));
  assert_string_equal(request.operand, "m.onnx");
  assert_int_equal(request.seed, 7);
  assert_int_equal(request.inputs.count, 2);
  assert_string_equal(request.inputs.items[0], "a=b=c");
  assert_string_equal(request.inputs.items[1], "x");
  assert_true(request.random);
  assert_int_equal(request.opt_level, 99);
}

static void words_after_two_dashes_are_operands(void **state) {
  cli_request request;
  const char *words[] = {"--", "--odd-name.onnx", NULL};
  assert_success(parse(*state, &run, words, &request));
  assert_string_equal(request.operand, "--odd-name.onnx");
}

static void errors_say_what_was_expected(void **state) {
  static const struct {
    const char *words[4];
    const char *message;
  } cases[] = {
      {{"m", "--sead", "1"}, "did you mean '--seed'?"},
      {{"m", "--against", "x"}, "'run' takes no option '--against'"},
      {{"m", "--seed", "-1"}, "--seed expects a whole number, not '-1'"},
      {{"m", "--seed", "18446744073709551616"}, "--seed expects a whole number"},
      {{"m", "--opt", "4"}, "--opt expects 0|1|2|3|99, not '4'"},
      {{"m", "--seed"}, "--seed expects a value"},
      {{"m", "--lib", "--seed"}, "--lib expects a value"},
      {{"m", "--random=1"}, "--random takes no value"},
      {{"m", "n"}, "'n' was not expected"},
      {{NULL}, "'run' expects MODEL"},
      {{"m", "-x"}, "takes no option '-x'"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    cli_request request;
    assert_failure(parse(*state, &run, cases[i].words, &request), CLI_USAGE, cases[i].message);
  }
  cli_request request;
  const char *words[] = {"m", NULL};
  assert_failure(parse(*state, &info, words, &request), CLI_USAGE, "'m' was not expected");
}

static void numbers_are_read_whole_or_not_at_all(void **state) {
  uint64_t count;
  int64_t integer;
  double real;
  (void)state;
  assert_true(cli_parse_unsigned("18446744073709551615", &count) && count == UINT64_MAX);
  assert_true(cli_parse_integer("-9223372036854775808", &integer) && integer == INT64_MIN);
  assert_true(cli_parse_real("1e-3", &real) && real == 1e-3);
  const char *wrong[] = {"", " 1", "1 ", "1x", "+", "-", "--1", "0x"};
  for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
    assert_false(cli_parse_unsigned(wrong[i], &count));
    assert_false(cli_parse_integer(wrong[i], &integer));
    assert_false(cli_parse_real(wrong[i], &real));
  }
  assert_false(cli_parse_integer("9223372036854775808", &integer));
}

static void suggestions_are_near_or_none(void **state) {
  const char *const names[] = {"input_ids", "attention_mask"};
  assert_string_equal(cli_suggest(*state, "input_id", names, 2), " (did you mean 'input_ids'?)");
  assert_string_equal(cli_suggest(*state, "pixels", names, 2), "");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      ARENA_TEST(options_in_any_place_and_form), ARENA_TEST(words_after_two_dashes_are_operands),
      ARENA_TEST(errors_say_what_was_expected),  ARENA_TEST(numbers_are_read_whole_or_not_at_all),
      ARENA_TEST(suggestions_are_near_or_none),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
