// Words and numbers typed by people: strict parsing, and the nearest of the names they may have
// meant.
#ifndef TERN_TOOL_TEXT_H
#define TERN_TOOL_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "memory.h"

// The whole of `text` as a number; false when it is anything else or out of range.
bool cli_parse_unsigned(const char *text, uint64_t *out_value);
bool cli_parse_integer(const char *text, int64_t *out_value);
bool cli_parse_real(const char *text, double *out_value);

// True when `text` starts, or ends, with `part`; endings are compared without case.
bool cli_starts(const char *text, const char *part);
bool cli_ends(const char *text, const char *part);

// The pieces of `text` between `separator`, in the arena. An empty text has no pieces.
size_t cli_split(cli_arena *arena, const char *text, char separator, char ***out_pieces);

// " (did you mean 'NAME'?)" for the name nearest to `word`, or "" when none is near.
const char *cli_suggest(cli_arena *arena, const char *word, const char *const *names, size_t count);

// `names` as "'a', 'b', 'c'".
const char *cli_list_names(cli_arena *arena, const char *const *names, size_t count);

// "1x3x224x224", or "scalar" for rank 0; a dimension under 0 is "?".
const char *cli_shape_text(cli_arena *arena, size_t rank, const int64_t *dims);

// Durations and sizes as people read them: "1.52 ms", "12.3 MB".
const char *cli_duration_text(cli_arena *arena, double ns);
const char *cli_bytes_text(cli_arena *arena, double bytes);

#endif
