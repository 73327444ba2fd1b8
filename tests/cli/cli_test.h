// What the tests of the command line share: checking statuses, and an arena that ends with its
// test.
#ifndef TERN_TESTS_CLI_TEST_H
#define TERN_TESTS_CLI_TEST_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "memory.h"

// Fails the test with the status's message.
static inline void assert_success(cli_status *status) {
  if (status) fail_msg("%s", status->message);
}

// The status must be a failure with `exit_code` whose message holds `words`.
static inline void assert_failure(cli_status *status, cli_exit exit_code, const char *words) {
  assert_non_null(status);
  assert_int_equal(status->exit_code, exit_code);
  if (!strstr(status->message, words)) fail_msg("'%s' lacks '%s'", status->message, words);
  cli_status_free(status);
}

static inline int arena_setup(void **state) {
  static cli_arena arena;
  *state = &arena;
  return 0;
}

static inline int arena_teardown(void **state) {
  cli_arena_free(*state);
  return 0;
}

#define ARENA_TEST(name) cmocka_unit_test_setup_teardown(name, arena_setup, arena_teardown)

#endif
