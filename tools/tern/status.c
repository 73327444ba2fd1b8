// Statuses: one allocation that holds code and message, so that a failure can cross any number of
// functions and be printed once, where the process ends.
#include "status.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

// Flexible array members cannot be initialised, so the shared status is laid out by hand.
static union {
  cli_status status;
  char room[sizeof(cli_status) + 32];
} out_of_memory;

static cli_status *shared_out_of_memory(void) {
  out_of_memory.status.exit_code = CLI_FAILED;
  snprintf(out_of_memory.status.message, 32, "out of memory");
  return &out_of_memory.status;
}

static cli_status *fail_with(cli_exit exit_code, const char *format, va_list list,
                             const char *rest) {
  va_list again;
  va_copy(again, list);
  int length = vsnprintf(NULL, 0, format, again);
  va_end(again);
  int rest_length = snprintf(NULL, 0, "%s%s", rest ? ": " : "", rest ? rest : "");
  if (length < 0 || rest_length < 0) return shared_out_of_memory();
  size_t bytes = (size_t)length + (size_t)rest_length + 1;
  cli_status *status = malloc(sizeof *status + bytes);
  if (!status) return shared_out_of_memory();
  status->exit_code = exit_code;
  vsnprintf(status->message, bytes, format, list);
  snprintf(status->message + length, (size_t)rest_length + 1, "%s%s", rest ? ": " : "",
           rest ? rest : "");
  return status;
}

cli_status *(cli_fail)(cli_exit exit_code, const char *format, ...) {
  va_list list;
  va_start(list, format);
  cli_status *status = fail_with(exit_code, format, list, NULL);
  va_end(list);
  return status;
}

cli_status *cli_fail_in(cli_status *status, const char *format, ...) {
  if (!status) return NULL;
  va_list list;
  va_start(list, format);
  cli_status *longer = fail_with(status->exit_code, format, list, status->message);
  va_end(list);
  cli_status_free(status);
  return longer;
}

void cli_status_free(cli_status *status) {
  if (status != &out_of_memory.status) free(status);
}
