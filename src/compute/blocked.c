// Blocked images: their block, and the way there and back.
#include "compute/blocked.h"

#include <string.h>

#include "compute/leaves.h"

size_t tern_blocked_block(void) {
  return tern_leaves_selected()->blocked_f32->block;
}

// Four channels of four pixels, turned around in registers: y[i][k] = x[k][i], where a row of x is
// `ldx` numbers long and one of y `ldy`. Twice as fast as number by number.
enum { COLUMNS = 64 };
typedef float four __attribute__((vector_size(16)));

static void transpose_four(const float *x, size_t ldx, float *y, size_t ldy) {
  four a, b, c, d;
  memcpy(&a, x, sizeof a);
  memcpy(&b, x + ldx, sizeof b);
  memcpy(&c, x + 2 * ldx, sizeof c);
  memcpy(&d, x + 3 * ldx, sizeof d);
  const four ab_low = __builtin_shufflevector(a, b, 0, 4, 1, 5);
  const four ab_high = __builtin_shufflevector(a, b, 2, 6, 3, 7);
  const four cd_low = __builtin_shufflevector(c, d, 0, 4, 1, 5);
  const four cd_high = __builtin_shufflevector(c, d, 2, 6, 3, 7);
  const four rows[4] = {__builtin_shufflevector(ab_low, cd_low, 0, 1, 4, 5),
                        __builtin_shufflevector(ab_low, cd_low, 2, 3, 6, 7),
                        __builtin_shufflevector(ab_high, cd_high, 0, 1, 4, 5),
                        __builtin_shufflevector(ab_high, cd_high, 2, 3, 6, 7)};
  for (size_t i = 0; i < 4; i++) memcpy(y + i * ldy, &rows[i], sizeof rows[i]);
}

// y[i][k] = x[k][i] for i < rows and k < cols.
static void transpose(size_t rows, size_t cols, const float *x, size_t ldx, float *y, size_t ldy) {
  const size_t whole_rows = rows / 4 * 4, whole_cols = cols / 4 * 4;
  for (size_t first = 0; first < whole_cols; first += COLUMNS) { // what is read stays in cache
    const size_t end = tern_min_size(first + COLUMNS, whole_cols);
    for (size_t i = 0; i < whole_rows; i += 4)
      for (size_t k = first; k < end; k += 4)
        transpose_four(x + k * ldx + i, ldx, y + i * ldy + k, ldy);
  }
  for (size_t i = 0; i < rows; i++)
    for (size_t k = i < whole_rows ? whole_cols : 0; k < cols; k++) y[i * ldy + k] = x[k * ldx + i];
}

void tern_blocked_from_planar(size_t block, size_t channels, size_t size, const float *x,
                              float *y) {
  for (size_t c = 0; c < channels; c += block, x += block * size, y += block * size) {
    const size_t count = tern_min_size(channels - c, block);
    if (count < block) memset(y, 0, block * size * sizeof *y);
    transpose(size, count, x, size, y, block);
  }
}

void tern_blocked_to_planar(size_t block, size_t channels, size_t size, const float *x, float *y) {
  for (size_t c = 0; c < channels; c += block, x += block * size, y += block * size)
    transpose(tern_min_size(channels - c, block), size, x, block, y, size);
}
