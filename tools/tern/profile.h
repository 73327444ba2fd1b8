// Where a run's time goes: a trace summed up and set out for people.
#ifndef TERN_TOOL_PROFILE_H
#define TERN_TOOL_PROFILE_H

#include "args.h"
#include "trace.h"

// Prints the trace at `path`, whose first run warmed up and does not count: a row for each kernel,
// operator or step, as the request says, of the median run. `plain_ns` is the median of runs
// without the profiler.
CLI_MUST_USE cli_status *cli_profile_print(cli_arena *arena, const cli_request *request,
                                           const char *path, double plain_ns);

#endif
