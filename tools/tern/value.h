// Values on the tool's side: what is fed to a model and what came out of it, free of any runtime
// library, so that they can cross a pipe, be compared, printed and written to files. All memory is
// the arena's that made them.
#ifndef TERN_TOOL_VALUE_H
#define TERN_TOOL_VALUE_H

#include "element.h"
#include "memory.h"

// `data` holds packed elements, or for strings is NULL and `strings` holds `count` texts.
typedef struct cli_tensor {
  cli_type type;
  size_t rank;
  int64_t *dims;
  size_t count; // elements
  size_t bytes; // of data
  void *data;
  char **strings;
} cli_tensor;

// A zeroed tensor; strings are empty. Fails for negative dimensions, sizes that overflow, types the
// tool cannot hold, and when memory is short.
CLI_MUST_USE cli_status *cli_tensor_new(cli_arena *arena, cli_type type, size_t rank,
                                        const int64_t *dims, cli_tensor *out_tensor);

// Product of dimensions, checked. Fails for negative ones.
CLI_MUST_USE cli_status *cli_shape_count(size_t rank, const int64_t *dims, size_t *out_count);

// The same numbers as elements of `type`; fails at the first that does not fit.
CLI_MUST_USE cli_status *cli_tensor_convert(cli_arena *arena, const cli_tensor *tensor,
                                            cli_type type, cli_tensor *out_tensor);

typedef enum cli_form { CLI_FORM_NONE, CLI_FORM_TENSOR, CLI_FORM_SEQUENCE, CLI_FORM_MAP } cli_form;

// CLI_FORM_NONE is an empty optional. A map has two items: its keys and its values, both tensors.
typedef struct cli_value {
  cli_form form;
  cli_tensor tensor;
  struct cli_value *items;
  size_t count;
} cli_value;

// "float32 1x10", "sequence of 3", "map of 5".
const char *cli_value_text(cli_arena *arena, const cli_value *value);

// Values as bytes and back, for pipes between this program and its own children.
CLI_MUST_USE cli_status *cli_value_put(cli_buffer *buffer, const cli_value *value);
CLI_MUST_USE cli_status *cli_value_get(cli_arena *arena, cli_cursor *cursor, cli_value *out_value);

#endif
