// Showing what came out of a model.
#ifndef TERN_TOOL_OUTPUT_H
#define TERN_TOOL_OUTPUT_H

#include <stdio.h>

#include "value.h"

// Smallest, largest and mean of the finite elements, and how many are not finite.
typedef struct cli_stats {
  double min, max, mean;
  size_t finite, nan, infinite;
} cli_stats;

cli_stats cli_tensor_stats(const cli_tensor *tensor);

// Name, type and shape, statistics and first elements; items of sequences and maps below, indented.
void cli_output_print(cli_arena *arena, FILE *file, const char *name, const cli_value *value);

// The `k` largest elements of each row (the last axis) of a numeric tensor, with the `labels` of
// their places where there are as many.
void cli_output_print_top(cli_arena *arena, FILE *file, const cli_tensor *tensor, size_t k,
                          char *const *labels, size_t label_count);

// To a .npy file (tensors) or a .json file (everything).
CLI_MUST_USE cli_status *cli_output_write(cli_arena *arena, const char *path,
                                          const cli_value *value);

#endif
