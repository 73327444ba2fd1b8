// The command line as data: verbs, their options, and the request that a parsed line becomes.
// Parsing and help are both read off the tables in args.c.
#ifndef TERN_TOOL_ARGS_H
#define TERN_TOOL_ARGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "memory.h"

typedef struct cli_list {
  const char **items;
  size_t count;
} cli_list;

// What the line asks for. Options that were not given keep the defaults of cli_parse: NULL, empty,
// false, 0, and as said below.
typedef struct cli_request {
  const char *operand; // the model; of `help` the verb; NULL if not given
  const char *library; // --lib
  const char *against;
  const char *labels;
  const char *by; // "kernel"
  cli_list inputs, outputs, dims;
  uint64_t seed;
  uint64_t topk;
  uint64_t threads;   // 0: the library's default
  uint64_t opt_level; // 99
  uint64_t runs;      // 0: as many as fit a second
  uint64_t warmup;    // 1
  uint64_t rounds;    // 0: the verb's default
  uint64_t rows;      // 20; 0: all
  double tolerance;   // 1e-3
  bool random, json, profile, allow_constant, memory, verbose;
} cli_request;

// A verb. `bit` is its place in the option table's masks; `notes` follow its options in the help.
typedef struct cli_verb {
  const char *name;
  unsigned bit;
  const char *operand; // "MODEL", "[VERB]" when it may be left out, NULL when there is none
  const char *summary;
  const char *notes;
  cli_status *(*run)(cli_arena *arena, const cli_request *request);
} cli_verb;

enum {
  CLI_VERB_RUN = 1,
  CLI_VERB_INSPECT = 2,
  CLI_VERB_BENCH = 4,
  CLI_VERB_DIFF = 8,
  CLI_VERB_INFO = 16,
  CLI_VERB_HELP = 32,
};

// Reads the words after the verb. Fails with CLI_USAGE for what `verb` does not take.
CLI_MUST_USE cli_status *cli_parse(cli_arena *arena, const cli_verb *verb, int count,
                                   char *const *words, cli_request *out_request);

// Usage, options and notes of one verb.
void cli_print_verb_help(FILE *file, const cli_verb *verb);

#endif
