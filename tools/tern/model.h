// A model opened by a library: its signature, and running it. This is where values cross between
// the tool and the library; everything the library hands out is owned by the model or released
// here.
#ifndef TERN_TOOL_MODEL_H
#define TERN_TOOL_MODEL_H

#include "lib.h"
#include "value.h"

// One input or output. `type` to `symbols` are set for tensors, and optionals of tensors.
typedef struct cli_port {
  const char *name;
  const char *type_text; // "float32 ?x3x224x224 (batch,,,)", "sequence of map of int64 to float32"
  bool is_tensor, is_optional;
  cli_type type;
  size_t rank;
  int64_t *dims;        // below 0 where the size is not fixed
  const char **symbols; // names of those, "" where they have none
} cli_port;

typedef struct cli_model {
  const cli_lib *lib;
  OrtSession *session;
  cli_port *inputs, *outputs;
  size_t input_count, output_count;
} cli_model;

typedef struct cli_model_options {
  uint64_t threads; // 0: the library's default
  uint64_t opt_level;
  const char *profile_prefix; // NULL: no profile
} cli_model_options;

CLI_MUST_USE cli_status *cli_model_open(cli_arena *arena, const cli_lib *lib, const char *path,
                                        const cli_model_options *options, cli_model *out_model);
void cli_model_close(cli_model *model);

// What one run hands to the library: inputs, made from one tensor an input whose data they borrow,
// and room for outputs, so that a run itself allocates nothing.
typedef struct cli_feeds {
  const char **names;
  OrtValue **values;
  size_t count;
  const char **output_names;
  OrtValue **outputs;
} cli_feeds;

CLI_MUST_USE cli_status *cli_feeds_make(cli_arena *arena, const cli_model *model,
                                        const cli_tensor *inputs, cli_feeds *out_feeds);
void cli_feeds_free(const cli_model *model, cli_feeds *feeds);

// One run. `out_values`, if not NULL, receives one value an output, copied into the arena.
CLI_MUST_USE cli_status *cli_model_run(cli_arena *arena, const cli_model *model, cli_feeds *feeds,
                                       cli_value *out_values);

#endif
