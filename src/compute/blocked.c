// Blocked images: their block, and the way there and back.
#include "compute/blocked.h"

#include <string.h>

#include "compute/leaves.h"

size_t tern_blocked_block(void) {
  return tern_leaves_selected()->blocked_f32->block;
}

// Pixels at a time: what is read of every channel, and what is written, stays in the first-level
// cache.
enum { PIXELS = 64 };

void tern_blocked_from_planar(size_t block, size_t channels, size_t size, const float *x,
                              float *y) {
  for (size_t c = 0; c < channels; c += block, x += block * size, y += block * size) {
    const size_t count = channels - c < block ? channels - c : block;
    if (count < block) memset(y, 0, block * size * sizeof *y);
    for (size_t first = 0; first < size; first += PIXELS) {
      const size_t end = size - first < PIXELS ? size : first + PIXELS;
      for (size_t k = 0; k < count; k++)
        for (size_t i = first; i < end; i++) y[i * block + k] = x[k * size + i];
    }
  }
}

void tern_blocked_to_planar(size_t block, size_t channels, size_t size, const float *x, float *y) {
  for (size_t c = 0; c < channels; c += block, x += block * size, y += block * size) {
    const size_t count = channels - c < block ? channels - c : block;
    for (size_t first = 0; first < size; first += PIXELS) {
      const size_t end = size - first < PIXELS ? size : first + PIXELS;
      for (size_t k = 0; k < count; k++)
        for (size_t i = first; i < end; i++) y[k * size + i] = x[i * block + k];
    }
  }
}
