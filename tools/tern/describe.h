// What only Tern can say of itself and of a session, through tern.h: fetched as JSON, and printed
// as text.
#ifndef TERN_TOOL_DESCRIBE_H
#define TERN_TOOL_DESCRIBE_H

#include "json.h"
#include "model.h"

// NULL from other libraries, and where the tool was built without JSON. Freed by cli_json_free.
CLI_MUST_USE cli_status *cli_describe_session(const cli_model *model, cli_json **out_json);
CLI_MUST_USE cli_status *cli_describe_runtime(const cli_lib *lib, cli_json **out_json);

// `ran` names the inputs of the run before, NULL when there was none.
typedef struct cli_describe_options {
  const char *ran;
  bool verbose; // every node
} cli_describe_options;

void cli_describe_print_session(cli_arena *arena, const cli_json *session,
                                const cli_describe_options *options);
void cli_describe_print_runtime(const cli_json *runtime);

#endif
