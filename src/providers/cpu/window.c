// From an operator's window to a kernel's.
#include "providers/cpu/window.h"

_Static_assert(TERN_OP_WINDOW_MAX_RANK <= TERN_WINDOW_MAX_RANK, "kernels take every window");

void tern_cpu_window_set(const tern_op_window *window, bool transposed, tern_window *out_window) {
  out_window->rank = (size_t)window->rank;
  for (int32_t i = 0; i < window->rank; ++i) {
    out_window->in[i] = (size_t)(transposed ? window->out[i] : window->in[i]);
    out_window->out[i] = (size_t)(transposed ? window->in[i] : window->out[i]);
    out_window->kernel[i] = (size_t)window->kernel[i];
    out_window->stride[i] = (size_t)window->stride[i];
    out_window->dilation[i] = (size_t)window->dilation[i];
    out_window->pad_begin[i] = (ptrdiff_t)window->pad_begin[i];
    out_window->pad_end[i] = (ptrdiff_t)window->pad_end[i];
  }
}
