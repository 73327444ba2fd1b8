// Col2Im, by the definition.
#include "compute/col2im.h"

#include "compute/types.h"

// Where column element (kernel position, output position) lands in the image; false: in the
// padding.
static bool find_target(const tern_window *w, const size_t *out, const size_t *kernel,
                        size_t *out_index) {
  size_t index = 0;
  for (size_t d = 0; d < w->rank; ++d) {
    ptrdiff_t at = tern_window_at(w, d, out[d], kernel[d]);
    if (at < 0 || (size_t)at >= w->in[d]) return false;
    index = index * w->in[d] + (size_t)at;
  }
  *out_index = index;
  return true;
}

typedef void (*add_fn)(void *target, size_t target_index, const void *source, size_t source_index);

// Adds modulo 2^bits: through the unsigned 64-bit sum, whose low bits are the narrower sum.
#define X(dtype, type, suffix)                                                                     \
  static void add_##suffix(void *target, size_t to, const void *source, size_t from) {             \
    type *t = target;                                                                              \
    t[to] = (type)((uint64_t)t[to] + (uint64_t)((const type *)source)[from]);                      \
  }
TERN_X_INTS(X)
#undef X

#define COMPLEX(type, suffix)                                                                      \
  static void add_##suffix(void *target, size_t to, const void *source, size_t from) {             \
    ((type *)target)[2 * to] += ((const type *)source)[2 * from];                                  \
    ((type *)target)[2 * to + 1] += ((const type *)source)[2 * from + 1];                          \
  }
COMPLEX(float, c64)
COMPLEX(double, c128)
#undef COMPLEX

static void add_bool(void *target, size_t to, const void *source, size_t from) {
  ((uint8_t *)target)[to] |= ((const uint8_t *)source)[from] != 0;
}

static const add_fn adders[TERN_DTYPE_COUNT] = {
#define X(dtype, type, suffix) [dtype] = add_##suffix,
    TERN_X_INTS(X)
#undef X
        [TERN_COMPLEX64] = add_c64,
    [TERN_COMPLEX128] = add_c128,
    [TERN_BOOL] = add_bool,
};

bool tern_col2im(tern_dtype dtype, const tern_window *window, const void *columns, void *image) {
  const add_fn add = adders[dtype];
  size_t kernel[TERN_WINDOW_MAX_RANK] = {0}, out[TERN_WINDOW_MAX_RANK] = {0}, from = 0, to;
  if (!add) return false;
  if (tern_window_out_size(window) == 0) return true;
  do {
    do {
      if (find_target(window, out, kernel, &to)) add(image, to, columns, from);
      ++from;
    } while (tern_window_advance(window->rank, window->out, out));
  } while (tern_window_advance(window->rank, window->kernel, kernel));
  return true;
}
