// Windows as operators have them, for the kernels of compute/.
#ifndef TERN_PROVIDERS_CPU_WINDOW_H_
#define TERN_PROVIDERS_CPU_WINDOW_H_

#include "compute/window.h"
#include "ops/window.h"

// All sizes of `window` are known. `transposed`: its `in` is the kernel's output.
void tern_cpu_window_set(const tern_op_window *window, bool transposed, tern_window *out_window);

#endif
