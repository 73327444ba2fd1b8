// The verbs. Each takes a parsed request, prints to stdout what was asked for, and returns a status
// whose exit code is the verdict.
#ifndef TERN_TOOL_VERBS_H
#define TERN_TOOL_VERBS_H

#include "args.h"

CLI_MUST_USE cli_status *cli_run(cli_arena *arena, const cli_request *request);
CLI_MUST_USE cli_status *cli_inspect(cli_arena *arena, const cli_request *request);
CLI_MUST_USE cli_status *cli_bench(cli_arena *arena, const cli_request *request);
CLI_MUST_USE cli_status *cli_diff(cli_arena *arena, const cli_request *request);
CLI_MUST_USE cli_status *cli_info(cli_arena *arena, const cli_request *request);

#endif
