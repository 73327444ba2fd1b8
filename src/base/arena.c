// Blocks double in size up to a limit; a request larger than the block size gets a block of its
// own behind the current one, so that a big copy does not waste the rest of a small block.
#include "base/arena.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/checked.h"

enum { ARENA_ALIGNMENT = 16, FIRST_BLOCK_BYTES = 4096, LARGEST_BLOCK_BYTES = 1 << 20 };

struct tern_arena_block {
  tern_arena_block *next;
  size_t capacity, used; // of the bytes behind this header
  size_t padding;        // keeps the data behind the header aligned
};

void tern_arena_init(tern_allocator *allocator, tern_arena *out_arena) {
  *out_arena = (tern_arena){.allocator = allocator};
}

void tern_arena_deinit(tern_arena *arena) {
  for (tern_arena_block *block = arena->blocks; block;) {
    tern_arena_block *next = block->next;
    tern_allocator_free(arena->allocator, block, sizeof *block + block->capacity);
    block = next;
  }
  arena->blocks = NULL;
}

static tern_status *add_block(tern_arena *arena, size_t size, tern_arena_block **out_block) {
  size_t capacity = arena->blocks ? arena->blocks->capacity * 2 : FIRST_BLOCK_BYTES;
  if (capacity > LARGEST_BLOCK_BYTES) capacity = LARGEST_BLOCK_BYTES;
  bool own_block = size > capacity / 2;
  if (own_block) capacity = size;
  size_t bytes;
  if (!tern_checked_add(capacity, sizeof(tern_arena_block), &bytes))
    return tern_status_out_of_memory();
  tern_arena_block *block;
  TERN_TRY(tern_allocator_alloc(arena->allocator, bytes, (void **)&block));
  *block = (tern_arena_block){.capacity = capacity};
  if (own_block && arena->blocks) {
    block->next = arena->blocks->next;
    arena->blocks->next = block;
  } else {
    block->next = arena->blocks;
    arena->blocks = block;
  }
  *out_block = block;
  return NULL;
}

tern_status *tern_arena_alloc(tern_arena *arena, size_t size, void **out_data) {
  size_t rounded;
  if (!tern_checked_align(size ? size : 1, ARENA_ALIGNMENT, &rounded))
    return tern_status_out_of_memory();
  tern_arena_block *block = arena->blocks;
  if (!block || block->capacity - block->used < rounded)
    TERN_TRY(add_block(arena, rounded, &block));
  char *data = (char *)(block + 1) + block->used;
  block->used += rounded;
  arena->used_bytes += rounded;
  memset(data, 0, rounded);
  *out_data = data;
  return NULL;
}

tern_status *tern_arena_calloc(tern_arena *arena, size_t count, size_t size, void **out_data) {
  size_t bytes;
  if (!tern_checked_mul(count, size, &bytes)) return tern_status_out_of_memory();
  return tern_arena_alloc(arena, bytes, out_data);
}

tern_status *tern_arena_copy_text(tern_arena *arena, const char *text, size_t size,
                                  const char **out_text) {
  size_t bytes;
  if (!tern_checked_add(size, 1, &bytes)) return tern_status_out_of_memory();
  char *copy;
  TERN_TRY(tern_arena_alloc(arena, bytes, (void **)&copy));
  if (size > 0) memcpy(copy, text, size);
  *out_text = copy;
  return NULL;
}

tern_status *tern_arena_format(tern_arena *arena, const char **out_text, const char *format, ...) {
  va_list args, again;
  va_start(args, format);
  va_copy(again, args);
  int length = vsnprintf(NULL, 0, format, args);
  va_end(args);
  char *text = NULL;
  tern_status *status = length < 0 ? TERN_ERROR(TERN_FAIL, "text cannot be formatted")
                                   : tern_arena_alloc(arena, (size_t)length + 1, (void **)&text);
  if (!status) {
    vsnprintf(text, (size_t)length + 1, format, again);
    *out_text = text;
  }
  va_end(again);
  return status;
}
