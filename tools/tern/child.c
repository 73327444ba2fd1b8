// Children: the reply's first byte says whether results or a failure's message follow.
#include "child.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "os.h"

enum { REPLY_RESULTS = 1, REPLY_FAILURE = 2 };

struct job {
  cli_child_body body;
  void *arg;
};

static int run_job(void *arg, cli_buffer *reply) {
  struct job *job = arg;
  cli_arena arena = {0};
  uint8_t mark = REPLY_RESULTS;
  cli_status *status = cli_buffer_put(reply, &mark, 1);
  if (!status) status = job->body(&arena, job->arg, reply);
  if (!status) return CLI_OK;
  mark = REPLY_FAILURE;
  reply->size = 0;
  cli_exit exit_code = status->exit_code;
  cli_status *lost = cli_buffer_put(reply, &mark, 1);
  if (!lost) lost = cli_buffer_put(reply, status->message, strlen(status->message));
  cli_status_free(lost);
  return (int)exit_code;
}

static cli_status *judge(cli_arena *arena, const cli_buffer *reply, const cli_os_end *end,
                         cli_cursor *out_reply) {
  if (end->signal_name) return cli_fail(CLI_CRASHED, "the library crashed: %s", end->signal_name);
  if (reply->size && reply->bytes[0] == REPLY_FAILURE)
    return cli_fail((cli_exit)end->exit_code, "%.*s", (int)(reply->size - 1),
                    (const char *)reply->bytes + 1);
  if (end->exit_code != CLI_OK || !reply->size)
    return cli_fail(CLI_CRASHED, "the library ended its process with code %d", end->exit_code);
  uint8_t *copy = cli_arena_try(arena, reply->size);
  if (!copy) return cli_fail(CLI_FAILED, "no memory for the results");
  memcpy(copy, reply->bytes, reply->size);
  *out_reply = (cli_cursor){copy, reply->size, 1};
  return NULL;
}

cli_status *cli_child_run(cli_arena *arena, cli_child_body body, void *arg, cli_cursor *out_reply,
                          uint64_t *out_peak_bytes) {
  struct job job = {body, arg};
  cli_buffer reply = {0};
  cli_os_end end = {0};
  cli_status *status = cli_os_run_child(run_job, &job, &reply, &end);
  if (!status) status = judge(arena, &reply, &end, out_reply);
  cli_buffer_free(&reply);
  *out_peak_bytes = end.peak_bytes;
  return status;
}

void cli_progress(const char *format, ...) {
  if (!cli_os_is_terminal_stderr()) return;
  va_list list;
  va_start(list, format);
  fprintf(stderr, "\r\033[K");
  vfprintf(stderr, format, list);
  fflush(stderr);
  va_end(list);
}

void cli_progress_end(void) {
  if (cli_os_is_terminal_stderr()) fprintf(stderr, "\r\033[K");
}
