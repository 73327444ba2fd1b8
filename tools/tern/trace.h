// Reading a profile: the Chrome trace that a runtime library writes, one event a line.
#ifndef TERN_TOOL_TRACE_H
#define TERN_TOOL_TRACE_H

#include <stdbool.h>

#include "memory.h"

// One call of a node's kernel. Texts are "" where the library does not tell.
typedef struct cli_trace_call {
  const char *node, *op, *kernel, *provider;
  const char *shapes; // of the inputs: "1x3x8x8 24x3x3x3"
  uint64_t index;     // the library's number for the node
  uint64_t thread;
  double start_us, us;
  double own_us; // without the calls of its subgraphs
  double flops;  // below 0: the library does not tell
  double bytes;  // read and written
} cli_trace_call;

// A part of the session's work: "model_run", or one of loading.
typedef struct cli_trace_phase {
  const char *name;
  double start_us, us;
} cli_trace_phase;

typedef struct cli_trace {
  cli_trace_call *calls; // by thread and start
  size_t call_count;
  cli_trace_phase *phases; // by start
  size_t phase_count;
  double dropped; // events the library had no room for
} cli_trace;

CLI_MUST_USE cli_status *cli_trace_read(cli_arena *arena, const char *path, cli_trace *out_trace);

#endif
