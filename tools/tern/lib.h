// A runtime library that speaks ORT's ABI, loaded at run time, and what the command line asks of
// it.
#ifndef TERN_TOOL_LIB_H
#define TERN_TOOL_LIB_H

#include "memory.h"
#include "tern.h"

typedef struct cli_lib {
  const char *path;
  const char *version;  // as the library says it, e.g. "1.30.0"
  uint32_t api_version; // newest ABI version it answers to
  const OrtApi *ort;
  const TernApi *tern; // NULL in other libraries, and in older ones of ours
  OrtEnv *env;
  void *handle;
} cli_lib;

// Loads the library at `path`; NULL means the libtern.so beside this program, or else the one the
// loader finds. The library stays loaded until the process ends. It has no environment yet, so it
// can say who it is and nothing more.
CLI_MUST_USE cli_status *cli_lib_load(cli_arena *arena, const char *path, cli_lib *out_lib);

// The same with an environment, which models need; release it with cli_lib_close.
CLI_MUST_USE cli_status *cli_lib_open(cli_arena *arena, const char *path, cli_lib *out_lib);
void cli_lib_close(cli_lib *lib);

// Where it lies, and its version: Tern's own where it is Tern.
const char *cli_lib_text(cli_arena *arena, const cli_lib *lib);

// A status of the library as one of ours; releases it. NULL stays NULL.
CLI_MUST_USE cli_status *cli_ort(const cli_lib *lib, OrtStatus *status);

#endif
