// A bump allocator for things that live and die together: a model's graph, an import, a plan.
// Nothing is freed singly. Not thread-safe.
#ifndef TERN_BASE_ARENA_H_
#define TERN_BASE_ARENA_H_

#include "base/allocator.h"

typedef struct tern_arena_block tern_arena_block;

typedef struct tern_arena {
  tern_allocator *allocator;
  tern_arena_block *blocks; // newest first
  size_t used_bytes;        // what was handed out, alignment included
} tern_arena;

void tern_arena_init(tern_allocator *allocator, tern_arena *out_arena);
void tern_arena_deinit(tern_arena *arena);

// Zeroed, aligned to 16 bytes. A size of 0 gives a valid pointer that must not be read.
TERN_MUST_USE tern_status *tern_arena_alloc(tern_arena *arena, size_t size, void **out_data);
// As above for `count` elements of `size` bytes; overflow is an error.
TERN_MUST_USE tern_status *tern_arena_calloc(tern_arena *arena, size_t count, size_t size,
                                             void **out_data);
// Copies `size` bytes and adds a NUL. `text` may be NULL when `size` is 0.
TERN_MUST_USE tern_status *tern_arena_copy_text(tern_arena *arena, const char *text, size_t size,
                                                const char **out_text);
TERN_MUST_USE tern_status *tern_arena_format(tern_arena *arena, const char **out_text,
                                             const char *format, ...) TERN_PRINTF(3, 4);

#define TERN_ARENA_NEW(arena, out) tern_arena_alloc((arena), sizeof(**(out)), (void **)(out))
#define TERN_ARENA_ARRAY(arena, count, out)                                                        \
  tern_arena_calloc((arena), (size_t)(count), sizeof(**(out)), (void **)(out))

#endif
