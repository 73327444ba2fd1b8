// The seam to the operating system: every POSIX call of the command line is behind these functions.
#ifndef TERN_TOOL_OS_H
#define TERN_TOOL_OS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "memory.h"
#include "status.h"

// A shared library by path, or by bare name for the loader to find. On failure NULL, and
// `*out_reason` says why in words that last until the next call.
void *cli_os_open_library(const char *path, const char **out_reason);

// NULL when the library has no such symbol.
void *cli_os_symbol(void *library, const char *name);

// The file that holds `symbol`, or NULL.
const char *cli_os_symbol_file(cli_arena *arena, void *symbol);

// The folder this program lies in, or NULL.
const char *cli_os_program_folder(cli_arena *arena);

bool cli_os_is_terminal_stderr(void);

// Monotonic nanoseconds.
uint64_t cli_os_now_ns(void);

// How a child ended: `signal_name` is NULL unless a signal ended it.
typedef struct cli_os_end {
  int exit_code;
  const char *signal_name;
  uint64_t peak_bytes; // largest resident set
} cli_os_end;

// Runs `body(arg, reply)` in a child process and collects the bytes it put into `reply`; the body's
// value becomes the child's exit code. The caller must be single-threaded. The bytes of `out_reply`
// are the caller's, whether or not the child came to its end.
CLI_MUST_USE cli_status *cli_os_run_child(int (*body)(void *arg, cli_buffer *reply), void *arg,
                                          cli_buffer *out_reply, cli_os_end *out_end);

#endif
