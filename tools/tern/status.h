// Errors of the command line, as values: NULL is success, anything else carries the message to
// print and the code the process ends with. A status is owned by whoever receives it.
#ifndef TERN_TOOL_STATUS_H
#define TERN_TOOL_STATUS_H

#define CLI_MUST_USE __attribute__((warn_unused_result))
#define CLI_NEVER_NULL __attribute__((returns_nonnull))
#define CLI_PRINTF(text_at, first_at) __attribute__((format(printf, text_at, first_at)))

// What the process ends with; `tern help` prints the same list.
typedef enum cli_exit {
  CLI_OK = 0,
  CLI_FAILED = 1,
  CLI_USAGE = 2,
  CLI_REFUSED = 3,
  CLI_CRASHED = 4,
} cli_exit;

typedef struct cli_status {
  cli_exit exit_code;
  char message[];
} cli_status;

// A new status. When memory is short, a shared one that says so.
CLI_MUST_USE CLI_NEVER_NULL CLI_PRINTF(2, 3) cli_status *cli_fail(cli_exit exit_code,
                                                                  const char *format, ...);

#ifdef __clang_analyzer__
// The static analyzer does not read the attribute, so it is shown what the attribute says.
static inline cli_status *cli_never_null(cli_status *status) {
  if (!status) __builtin_unreachable();
  return status;
}
#define cli_fail(...) cli_never_null(cli_fail(__VA_ARGS__))
#endif

// The same failure with "context: " before its message; takes `status` over. NULL stays NULL.
CLI_MUST_USE CLI_PRINTF(2, 3) cli_status *cli_fail_in(cli_status *status, const char *format, ...);

void cli_status_free(cli_status *status);

// Returns early with the failure of `expr`, if it fails.
#define CLI_TRY(expr)                                                                              \
  do {                                                                                             \
    cli_status *cli_try_status = (expr);                                                           \
    if (cli_try_status) return cli_try_status;                                                     \
  } while (0)

#endif
