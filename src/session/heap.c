// The heap of later segments.
#include "session/heap.h"

#include <stdlib.h>
#include <string.h>

#include "base/checked.h"
#include "base/poison.h"

// A block is at least this large, so that segments of a few small values share one.
enum { LEAST_BLOCK_BYTES = 16 * 1024 };

void tern_heap_init(tern_allocator *allocator, tern_heap *out_heap) {
  *out_heap = (tern_heap){.allocator = allocator};
}

static void free_blocks(tern_heap *heap) {
  for (size_t i = 0; i < heap->blocks.count; ++i) {
    tern_heap_block block = heap->blocks.data[i];
    tern_unpoison(block.data, block.bytes);
    tern_allocator_free(heap->allocator, block.data, block.bytes);
  }
  heap->blocks.count = 0;
}

void tern_heap_deinit(tern_heap *heap) {
  free_blocks(heap);
  TERN_ARRAY_FREE(heap->allocator, &heap->blocks);
  TERN_ARRAY_FREE(heap->allocator, &heap->free);
}

size_t tern_heap_bytes(const tern_heap *heap) {
  size_t total = 0;
  for (size_t i = 0; i < heap->blocks.count; ++i) total += heap->blocks.data[i].bytes;
  return total;
}

size_t tern_heap_needed(const tern_heap *heap) {
  size_t total = 0;
  for (size_t i = 0; i < heap->blocks.count; ++i) total += heap->blocks.data[i].needed;
  return total;
}

void tern_heap_clear(tern_heap *heap) {
  free_blocks(heap);
  heap->free.count = heap->taken_count = 0;
}

// A piece that ends at `end` is in use.
static void note_needed(tern_heap *heap, const char *end) {
  for (size_t i = 0; i < heap->blocks.count; ++i) {
    tern_heap_block *block = &heap->blocks.data[i];
    if (end <= block->data || end > block->data + block->bytes) continue;
    size_t needed = (size_t)(end - block->data);
    if (block->needed < needed) block->needed = needed;
    return;
  }
}

static size_t rounded(size_t bytes) {
  return (bytes + TERN_BUFFER_ALIGNMENT - 1) & ~(size_t)(TERN_BUFFER_ALIGNMENT - 1);
}

// The last bytes of a block are never given out: pieces of neighbouring blocks do not touch.
static tern_heap_piece usable(tern_heap_block block) {
  return (tern_heap_piece){block.data, block.bytes - TERN_BUFFER_ALIGNMENT};
}

// Room in the free list for whatever tern_heap_put may add: one piece between any two taken ones.
static tern_status *reserve_free(tern_heap *heap, size_t taken_count) {
  size_t needed = taken_count + heap->blocks.count + 2;
  while (heap->free.capacity < needed)
    TERN_TRY(tern_array_grow(heap->allocator, sizeof *heap->free.data, heap->free.count,
                             (void **)&heap->free.data, &heap->free.capacity));
  return NULL;
}

static void insert_free(tern_heap *heap, size_t at, tern_heap_piece piece) {
  memmove(heap->free.data + at + 1, heap->free.data + at,
          (heap->free.count - at) * sizeof *heap->free.data);
  heap->free.data[at] = piece;
  heap->free.count++;
}

static void remove_free(tern_heap *heap, size_t at) {
  heap->free.count--;
  memmove(heap->free.data + at, heap->free.data + at + 1,
          (heap->free.count - at) * sizeof *heap->free.data);
}

static int by_address(const void *a, const void *b) {
  uintptr_t left = (uintptr_t)((const tern_heap_piece *)a)->data;
  uintptr_t right = (uintptr_t)((const tern_heap_piece *)b)->data;
  return (left > right) - (left < right);
}

// Appends what of `whole` lies between the pieces taken from it.
static void add_gaps(tern_heap *heap, tern_heap_piece whole, const tern_heap_piece *taken,
                     size_t count) {
  char *at = whole.data, *end = whole.data + whole.bytes;
  for (size_t i = 0; i < count; ++i) {
    if (taken[i].data < at || taken[i].data >= end) continue;
    if (taken[i].data > at)
      heap->free.data[heap->free.count++] = (tern_heap_piece){at, (size_t)(taken[i].data - at)};
    at = taken[i].data + rounded(taken[i].bytes);
  }
  if (at < end) heap->free.data[heap->free.count++] = (tern_heap_piece){at, (size_t)(end - at)};
}

tern_status *tern_heap_reset(tern_heap *heap, char *slab, size_t slab_bytes, tern_heap_piece *taken,
                             size_t count) {
  heap->free.count = 0;
  heap->taken_count = count;
  for (size_t i = 0; i < heap->blocks.count; ++i) heap->blocks.data[i].needed = 0;
  for (size_t i = 0; i < count; ++i) note_needed(heap, taken[i].data + taken[i].bytes);
  TERN_TRY(reserve_free(heap, count + 1));
  if (count > 1) qsort(taken, count, sizeof *taken, by_address);
  if (slab_bytes) add_gaps(heap, (tern_heap_piece){slab, slab_bytes}, taken, count);
  for (size_t i = 0; i < heap->blocks.count; ++i)
    add_gaps(heap, usable(heap->blocks.data[i]), taken, count);
  if (heap->free.count > 1)
    qsort(heap->free.data, heap->free.count, sizeof *heap->free.data, by_address);
  return NULL;
}

static size_t best_fit(const tern_heap *heap, size_t bytes) {
  size_t best = SIZE_MAX, best_bytes = SIZE_MAX;
  for (size_t i = 0; i < heap->free.count; ++i) {
    size_t found = heap->free.data[i].bytes;
    if (found < bytes || found >= best_bytes) continue;
    best = i;
    best_bytes = found;
    if (found == bytes) break;
  }
  return best;
}

// The first free piece at or after `data`.
static size_t position_of(const tern_heap *heap, const char *data) {
  size_t low = 0, high = heap->free.count;
  while (low < high) {
    size_t middle = (low + high) / 2;
    if ((uintptr_t)heap->free.data[middle].data < (uintptr_t)data)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

static tern_status *add_block(tern_heap *heap, size_t bytes) {
  size_t held = tern_heap_bytes(heap);
  if (bytes < held / 4) bytes = held / 4; // a number of blocks that is logarithmic in their sum
  if (bytes < LEAST_BLOCK_BYTES) bytes = LEAST_BLOCK_BYTES;
  tern_heap_block block = {.bytes = rounded(bytes) + TERN_BUFFER_ALIGNMENT};
  TERN_TRY(TERN_ARRAY_RESERVE_ONE(heap->allocator, &heap->blocks));
  TERN_TRY(reserve_free(heap, heap->taken_count + 1));
  TERN_TRY(tern_allocator_alloc(heap->allocator, block.bytes, (void **)&block.data));
  heap->blocks.data[heap->blocks.count++] = block;
  insert_free(heap, position_of(heap, block.data), usable(block));
  return NULL;
}

tern_status *tern_heap_take(tern_heap *heap, size_t bytes, char **out_data) {
  if (bytes > (size_t)PTRDIFF_MAX - 2 * TERN_BUFFER_ALIGNMENT) return tern_status_out_of_memory();
  bytes = rounded(bytes);
  TERN_TRY(reserve_free(heap, heap->taken_count + 1));
  size_t at = best_fit(heap, bytes);
  if (at == SIZE_MAX) {
    TERN_TRY(add_block(heap, bytes));
    at = best_fit(heap, bytes);
  }
  tern_heap_piece *piece = &heap->free.data[at];
  *out_data = piece->data;
  piece->data += bytes;
  piece->bytes -= bytes;
  if (piece->bytes == 0) remove_free(heap, at);
  heap->taken_count++;
  note_needed(heap, *out_data + bytes);
  return NULL;
}

void tern_heap_put(tern_heap *heap, char *data, size_t bytes) {
  bytes = rounded(bytes);
  size_t at = position_of(heap, data);
  tern_heap_piece *before = at > 0 ? &heap->free.data[at - 1] : NULL;
  tern_heap_piece *after = at < heap->free.count ? &heap->free.data[at] : NULL;
  bool joins_before = before && before->data + before->bytes == data;
  bool joins_after = after && data + bytes == after->data;
  heap->taken_count--;
  if (joins_before && joins_after) {
    before->bytes += bytes + after->bytes;
    remove_free(heap, at);
  } else if (joins_before) {
    before->bytes += bytes;
  } else if (joins_after) {
    after->data = data;
    after->bytes += bytes;
  } else {
    insert_free(heap, at, (tern_heap_piece){data, bytes});
  }
}

bool tern_heap_settle(tern_heap *heap) {
  if (heap->blocks.count < 2) return false;
  size_t total = tern_heap_bytes(heap);
  free_blocks(heap);
  heap->free.count = 0;
  // Without the memory now, the next run asks for it again.
  tern_status_ignore(add_block(heap, total));
  return true;
}
