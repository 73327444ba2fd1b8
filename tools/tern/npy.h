// Writing .npy files.
#ifndef TERN_TOOL_NPY_H
#define TERN_TOOL_NPY_H

#include "value.h"

// Version 1.0, C order. Strings become numpy's fixed-width text; float types numpy does not have
// become raw bytes (`V1`, `V2`, as ml_dtypes writes them), sub-byte types int8, uint8 or float32.
CLI_MUST_USE cli_status *cli_npy_write(cli_arena *arena, const char *path,
                                       const cli_tensor *tensor);

#endif
