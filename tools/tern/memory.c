// Arena, buffer, cursor and whole files. An arena keeps one heap block an allocation, so that
// address sanitizers still see the edge of each.
#include "memory.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct cli_block {
  struct cli_block *next;
  max_align_t bytes[];
};

void *cli_arena_try(cli_arena *arena, size_t bytes) {
  if (bytes > SIZE_MAX - sizeof(struct cli_block)) return NULL;
  struct cli_block *block = calloc(1, sizeof *block + bytes);
  if (!block) return NULL;
  block->next = arena->blocks;
  arena->blocks = block;
  return block->bytes;
}

void *cli_arena_take(cli_arena *arena, size_t bytes) {
  void *memory = cli_arena_try(arena, bytes);
  if (!memory) {
    fprintf(stderr, "tern: out of memory\n");
    exit(CLI_FAILED);
  }
  return memory;
}

void *cli_arena_array(cli_arena *arena, size_t count, size_t item_bytes) {
  size_t bytes = item_bytes && count > SIZE_MAX / item_bytes ? SIZE_MAX : count * item_bytes;
  return cli_arena_take(arena, bytes);
}

void cli_arena_free(cli_arena *arena) {
  while (arena->blocks) {
    struct cli_block *block = arena->blocks;
    arena->blocks = block->next;
    free(block);
  }
}

char *cli_print(cli_arena *arena, const char *format, ...) {
  va_list list, again;
  va_start(list, format);
  va_copy(again, list);
  int length = vsnprintf(NULL, 0, format, again);
  va_end(again);
  char *text = cli_arena_take(arena, length < 0 ? 1 : (size_t)length + 1);
  if (length > 0) vsnprintf(text, (size_t)length + 1, format, list);
  va_end(list);
  return text;
}

char *cli_copy(cli_arena *arena, const char *text, size_t length) {
  char *copy = cli_arena_take(arena, length + 1);
  if (length) memcpy(copy, text, length);
  return copy;
}

cli_status *cli_buffer_put(cli_buffer *buffer, const void *bytes, size_t size) {
  if (size > buffer->capacity - buffer->size) {
    if (size > SIZE_MAX / 2 - buffer->size) return cli_fail(CLI_FAILED, "out of memory");
    size_t capacity = buffer->capacity ? buffer->capacity : 4096;
    while (capacity < buffer->size + size) capacity *= 2;
    uint8_t *grown = realloc(buffer->bytes, capacity);
    if (!grown) return cli_fail(CLI_FAILED, "out of memory");
    buffer->bytes = grown;
    buffer->capacity = capacity;
  }
  if (size) memcpy(buffer->bytes + buffer->size, bytes, size);
  buffer->size += size;
  return NULL;
}

cli_status *cli_buffer_put_u64(cli_buffer *buffer, uint64_t value) {
  uint8_t bytes[8];
  for (int i = 0; i < 8; i++) bytes[i] = (uint8_t)(value >> (8 * i));
  return cli_buffer_put(buffer, bytes, sizeof bytes);
}

void cli_buffer_free(cli_buffer *buffer) {
  free(buffer->bytes);
  *buffer = (cli_buffer){0};
}

cli_status *cli_cursor_skip(cli_cursor *cursor, uint64_t size, const uint8_t **out_bytes) {
  if (size > cursor->size - cursor->at)
    return cli_fail(CLI_FAILED, "ends early: %llu bytes expected at offset %zu, %zu left",
                    (unsigned long long)size, cursor->at, cursor->size - cursor->at);
  if (out_bytes) *out_bytes = cursor->bytes + cursor->at;
  cursor->at += (size_t)size;
  return NULL;
}

cli_status *cli_cursor_unsigned(cli_cursor *cursor, size_t size, uint64_t *out_value) {
  const uint8_t *bytes;
  CLI_TRY(cli_cursor_skip(cursor, size, &bytes));
  uint64_t value = 0;
  for (size_t i = 0; i < size; i++) value |= (uint64_t)bytes[i] << (8 * i);
  *out_value = value;
  return NULL;
}

// Reads to the end rather than asking for a size, so that pipes work too.
static cli_status *read_all(FILE *file, const char *path, cli_buffer *buffer) {
  uint8_t chunk[65536];
  size_t got;
  while ((got = fread(chunk, 1, sizeof chunk, file)) > 0)
    CLI_TRY(cli_buffer_put(buffer, chunk, got));
  if (ferror(file)) return cli_fail(CLI_FAILED, "cannot read '%s': %s", path, strerror(errno));
  return NULL;
}

cli_status *cli_file_read(cli_arena *arena, const char *path, uint8_t **out_bytes,
                          size_t *out_size) {
  FILE *file = fopen(path, "rb");
  if (!file) return cli_fail(CLI_FAILED, "cannot open '%s': %s", path, strerror(errno));
  cli_buffer buffer = {0};
  cli_status *status = read_all(file, path, &buffer);
  fclose(file);
  uint8_t *bytes = status ? NULL : cli_arena_try(arena, buffer.size + 1);
  if (bytes && buffer.size) memcpy(bytes, buffer.bytes, buffer.size);
  size_t size = buffer.size;
  cli_buffer_free(&buffer);
  if (status) return status;
  if (!bytes) return cli_fail(CLI_FAILED, "out of memory for '%s' (%zu bytes)", path, size);
  *out_bytes = bytes;
  *out_size = size;
  return NULL;
}
