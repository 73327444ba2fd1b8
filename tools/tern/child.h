// Work done by a library in a process of its own, so that two libraries never share one, a crash of
// theirs is a result, and peak memory is one library's.
#ifndef TERN_TOOL_CHILD_H
#define TERN_TOOL_CHILD_H

#include "memory.h"

// What runs in the child: puts its results into `reply`.
typedef cli_status *(*cli_child_body)(cli_arena *arena, void *arg, cli_buffer *reply);

// Runs `body` in a child and waits. A failure of the body is returned as if it were our own, a
// crash as CLI_CRASHED. On success `out_reply` reads the results, which live in `arena`.
CLI_MUST_USE cli_status *cli_child_run(cli_arena *arena, cli_child_body body, void *arg,
                                       cli_cursor *out_reply, uint64_t *out_peak_bytes);

// One line on the terminal's last line while work goes on; nothing when stderr is not a terminal.
CLI_PRINTF(1, 2) void cli_progress(const char *format, ...);
// Takes the line away.
void cli_progress_end(void);

#endif
