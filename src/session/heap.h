// Memory of the segments that are sized while running: buffers are given out and taken back in the
// order in which the steps will need them, best fit first, from a list of free pieces. The list is
// over memory of the heap's own, which grows to the most that was ever needed at once, and over the
// slab where the first segment has left it free.
#ifndef TERN_SESSION_HEAP_H_
#define TERN_SESSION_HEAP_H_

#include "base/array.h"

typedef struct tern_heap_piece {
  char *data;
  size_t bytes;
} tern_heap_piece;

typedef struct tern_heap_block {
  char *data;
  size_t bytes;
  size_t needed; // from its start to the end of the last piece given out since the heap's reset
} tern_heap_block;

typedef struct tern_heap {
  tern_allocator *allocator;
  TERN_ARRAY(tern_heap_block) blocks; // owned
  TERN_ARRAY(tern_heap_piece) free;   // sorted by address; no two touch
  size_t taken_count;
} tern_heap;

void tern_heap_init(tern_allocator *allocator, tern_heap *out_heap);
void tern_heap_deinit(tern_heap *heap);

// Starts anew: all of the heap's memory, and the `slab_bytes` at `slab`, are free but for the
// `count` pieces of `taken`, which are sorted here. Pieces lie apart, within that memory.
TERN_MUST_USE tern_status *tern_heap_reset(tern_heap *heap, char *slab, size_t slab_bytes,
                                           tern_heap_piece *taken, size_t count);
// Aligned to TERN_BUFFER_ALIGNMENT. `bytes` > 0. Memory is asked for only when no piece fits.
TERN_MUST_USE tern_status *tern_heap_take(tern_heap *heap, size_t bytes, char **out_data);
// `bytes` is what was asked for. Cannot fail.
void tern_heap_put(tern_heap *heap, char *data, size_t bytes);
// Between runs: makes one block of several, so that the next run finds room without a seam. Returns
// whether it did; nothing that was taken is valid any more then.
bool tern_heap_settle(tern_heap *heap);
// What the heap holds of its own, and what of it pieces have needed since it started anew.
size_t tern_heap_bytes(const tern_heap *heap);
size_t tern_heap_needed(const tern_heap *heap);
// Frees all of it. Nothing that was taken is valid any more.
void tern_heap_clear(tern_heap *heap);

#endif
