// Memory of one verb. Everything a verb builds lives in its arena and goes with it, so no function
// below frees what it made. Buffers are the exception: they grow, and own their bytes.
#ifndef TERN_TOOL_MEMORY_H
#define TERN_TOOL_MEMORY_H

#include <stddef.h>
#include <stdint.h>

#include "status.h"

typedef struct cli_arena {
  struct cli_block *blocks;
} cli_arena;

// `bytes` zeroed bytes, aligned for anything, living as long as the arena; NULL when there is no
// memory. For sizes that come from a file or a model.
void *cli_arena_try(cli_arena *arena, size_t bytes);

// The same for the tool's own bookkeeping: small, and the process ends with a message when there is
// no memory even for that.
void *cli_arena_take(cli_arena *arena, size_t bytes);

// An array of `count` items of `item_bytes`, checked for overflow, from cli_arena_take.
void *cli_arena_array(cli_arena *arena, size_t count, size_t item_bytes);

void cli_arena_free(cli_arena *arena);

// Formatted text, and a copy of the first `length` bytes of `text`, both ended by a NUL.
CLI_PRINTF(2, 3) char *cli_print(cli_arena *arena, const char *format, ...);
char *cli_copy(cli_arena *arena, const char *text, size_t length);

// Bytes that grow. Zero-initialise; free with cli_buffer_free.
typedef struct cli_buffer {
  uint8_t *bytes;
  size_t size, capacity;
} cli_buffer;

CLI_MUST_USE cli_status *cli_buffer_put(cli_buffer *buffer, const void *bytes, size_t size);
CLI_MUST_USE cli_status *cli_buffer_put_u64(cli_buffer *buffer, uint64_t value);
void cli_buffer_free(cli_buffer *buffer);

// A place in bytes that someone else owns. A read past the end is an error and moves nothing.
typedef struct cli_cursor {
  const uint8_t *bytes;
  size_t size, at;
} cli_cursor;

CLI_MUST_USE cli_status *cli_cursor_skip(cli_cursor *cursor, uint64_t size,
                                         const uint8_t **out_bytes);
// Little-endian unsigned number of `size` bytes, at most 8.
CLI_MUST_USE cli_status *cli_cursor_unsigned(cli_cursor *cursor, size_t size, uint64_t *out_value);

// The whole file, in the arena, with a NUL after it.
CLI_MUST_USE cli_status *cli_file_read(cli_arena *arena, const char *path, uint8_t **out_bytes,
                                       size_t *out_size);

#endif
