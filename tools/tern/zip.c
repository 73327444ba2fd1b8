// The members of a .npz file, which is a zip archive. Every offset and size is checked against the
// archive before it is used. Format: PKWARE's APPNOTE.
#include <limits.h>
#include <string.h>

#include "input.h"
#include "text.h"

#ifdef TERN_CLI_ZLIB
#include <zlib.h>
#endif

enum {
  END_SIGNATURE = 0x06054b50,
  END_BYTES = 22,
  ENTRY_SIGNATURE = 0x02014b50,
  LOCAL_SIGNATURE = 0x04034b50,
  STORED = 0,
  DEFLATED = 8,
};

// One row of the archive's directory.
struct entry {
  const char *name; // without ".npy"
  uint64_t flags, method, crc, packed_bytes, bytes, local_at;
};

static cli_status *find_directory(const uint8_t *bytes, size_t size, cli_cursor *out_cursor,
                                  uint64_t *out_count) {
  size_t longest = END_BYTES + UINT16_MAX;
  for (size_t back = END_BYTES; back <= size && back <= longest; back++) {
    cli_cursor cursor = {bytes, size, size - back};
    uint64_t signature, offset;
    CLI_TRY(cli_cursor_unsigned(&cursor, 4, &signature));
    if (signature != END_SIGNATURE) continue;
    CLI_TRY(cli_cursor_skip(&cursor, 6, NULL));
    CLI_TRY(cli_cursor_unsigned(&cursor, 2, out_count));
    CLI_TRY(cli_cursor_skip(&cursor, 4, NULL));
    CLI_TRY(cli_cursor_unsigned(&cursor, 4, &offset));
    if (offset == UINT32_MAX)
      return cli_fail(CLI_FAILED, "zip archives of 4 GiB and more are not supported");
    if (offset > size) return cli_fail(CLI_FAILED, "the zip directory lies outside the file");
    *out_cursor = (cli_cursor){bytes, size, (size_t)offset};
    return NULL;
  }
  return cli_fail(CLI_FAILED, "not a .npz file: no zip directory in it");
}

// A 64-bit size stands in the extra field, in this order, for each 32-bit one that is all ones.
static cli_status *read_wide_sizes(const uint8_t *extra, size_t size, struct entry *out_entry) {
  uint64_t *fields[] = {&out_entry->bytes, &out_entry->packed_bytes, &out_entry->local_at};
  cli_cursor cursor = {extra, size, 0};
  while (size - cursor.at >= 4) {
    uint64_t id, length;
    const uint8_t *body;
    CLI_TRY(cli_cursor_unsigned(&cursor, 2, &id));
    CLI_TRY(cli_cursor_unsigned(&cursor, 2, &length));
    CLI_TRY(cli_cursor_skip(&cursor, length, &body));
    if (id != 1) continue;
    cli_cursor wide = {body, (size_t)length, 0};
    for (size_t i = 0; i < 3; i++)
      if (*fields[i] == UINT32_MAX) CLI_TRY(cli_cursor_unsigned(&wide, 8, fields[i]));
  }
  return NULL;
}

static cli_status *read_entry(cli_arena *arena, cli_cursor *cursor, struct entry *out_entry) {
  uint64_t signature, name_bytes, extra_bytes, comment_bytes;
  const uint8_t *name, *extra;
  CLI_TRY(cli_cursor_unsigned(cursor, 4, &signature));
  if (signature != ENTRY_SIGNATURE) return cli_fail(CLI_FAILED, "the zip directory is damaged");
  CLI_TRY(cli_cursor_skip(cursor, 4, NULL));
  CLI_TRY(cli_cursor_unsigned(cursor, 2, &out_entry->flags));
  CLI_TRY(cli_cursor_unsigned(cursor, 2, &out_entry->method));
  CLI_TRY(cli_cursor_skip(cursor, 4, NULL));
  CLI_TRY(cli_cursor_unsigned(cursor, 4, &out_entry->crc));
  CLI_TRY(cli_cursor_unsigned(cursor, 4, &out_entry->packed_bytes));
  CLI_TRY(cli_cursor_unsigned(cursor, 4, &out_entry->bytes));
  CLI_TRY(cli_cursor_unsigned(cursor, 2, &name_bytes));
  CLI_TRY(cli_cursor_unsigned(cursor, 2, &extra_bytes));
  CLI_TRY(cli_cursor_unsigned(cursor, 2, &comment_bytes));
  CLI_TRY(cli_cursor_skip(cursor, 8, NULL));
  CLI_TRY(cli_cursor_unsigned(cursor, 4, &out_entry->local_at));
  CLI_TRY(cli_cursor_skip(cursor, name_bytes, &name));
  CLI_TRY(cli_cursor_skip(cursor, extra_bytes, &extra));
  CLI_TRY(cli_cursor_skip(cursor, comment_bytes, NULL));
  char *copy = cli_copy(arena, (const char *)name, (size_t)name_bytes);
  if (cli_ends(copy, ".npy")) copy[strlen(copy) - 4] = 0;
  out_entry->name = copy;
  return read_wide_sizes(extra, (size_t)extra_bytes, out_entry);
}

#ifdef TERN_CLI_ZLIB
static cli_status *inflate_entry(cli_arena *arena, const struct entry *entry, const uint8_t *packed,
                                 const uint8_t **out_bytes) {
  // Deflate packs at most 1032 to 1, so a larger claim is false and not worth its memory.
  if (entry->bytes / 1032 > entry->packed_bytes || entry->bytes > UINT_MAX)
    return cli_fail(CLI_FAILED, "the size of member '%s' is false", entry->name);
  uint8_t *bytes = cli_arena_try(arena, (size_t)entry->bytes + 1);
  if (!bytes) return cli_fail(CLI_FAILED, "no memory for member '%s'", entry->name);
  z_stream stream = {.next_in = (z_const Bytef *)packed,
                     .avail_in = (uInt)entry->packed_bytes,
                     .next_out = bytes,
                     .avail_out = (uInt)entry->bytes + 1};
  if (inflateInit2(&stream, -MAX_WBITS) != Z_OK) return cli_fail(CLI_FAILED, "zlib has no memory");
  int end = inflate(&stream, Z_FINISH);
  inflateEnd(&stream);
  if (end != Z_STREAM_END || stream.total_out != entry->bytes)
    return cli_fail(CLI_FAILED, "member '%s' is damaged", entry->name);
  *out_bytes = bytes;
  return NULL;
}

static cli_status *check_entry(const struct entry *entry, const uint8_t *bytes) {
  if (crc32_z(crc32_z(0, NULL, 0), bytes, (size_t)entry->bytes) != entry->crc)
    return cli_fail(CLI_FAILED, "member '%s' is damaged: its checksum differs", entry->name);
  return NULL;
}
#else
static cli_status *inflate_entry(cli_arena *arena, const struct entry *entry, const uint8_t *packed,
                                 const uint8_t **out_bytes) {
  (void)arena, (void)packed, (void)out_bytes;
  return cli_fail(CLI_FAILED,
                  "member '%s' is compressed, and tern was built without zlib: "
                  "install zlib1g-dev and build again",
                  entry->name);
}

static cli_status *check_entry(const struct entry *entry, const uint8_t *bytes) {
  (void)entry, (void)bytes;
  return NULL;
}
#endif

static cli_status *unpack(cli_arena *arena, const uint8_t *bytes, size_t size,
                          const struct entry *entry, const uint8_t **out_bytes, size_t *out_size) {
  if (entry->flags & 1) return cli_fail(CLI_FAILED, "member '%s' is encrypted", entry->name);
  if (entry->local_at > size) return cli_fail(CLI_FAILED, "member '%s' is damaged", entry->name);
  cli_cursor cursor = {bytes, size, (size_t)entry->local_at};
  uint64_t signature, name_bytes, extra_bytes;
  const uint8_t *packed;
  CLI_TRY(cli_cursor_unsigned(&cursor, 4, &signature));
  if (signature != LOCAL_SIGNATURE)
    return cli_fail(CLI_FAILED, "member '%s' is damaged", entry->name);
  CLI_TRY(cli_cursor_skip(&cursor, 22, NULL));
  CLI_TRY(cli_cursor_unsigned(&cursor, 2, &name_bytes));
  CLI_TRY(cli_cursor_unsigned(&cursor, 2, &extra_bytes));
  CLI_TRY(cli_cursor_skip(&cursor, name_bytes + extra_bytes, NULL));
  CLI_TRY(cli_cursor_skip(&cursor, entry->packed_bytes, &packed));
  if (entry->method == DEFLATED)
    CLI_TRY(inflate_entry(arena, entry, packed, out_bytes));
  else if (entry->method == STORED && entry->packed_bytes == entry->bytes)
    *out_bytes = packed;
  else
    return cli_fail(CLI_FAILED, "member '%s' is packed by method %llu, which is not supported",
                    entry->name, (unsigned long long)entry->method);
  CLI_TRY(check_entry(entry, *out_bytes));
  *out_size = (size_t)entry->bytes;
  return NULL;
}

cli_status *cli_zip_member(cli_arena *arena, const uint8_t *bytes, size_t size, const char *name,
                           const uint8_t **out_bytes, size_t *out_size) {
  cli_cursor cursor;
  uint64_t count;
  CLI_TRY(find_directory(bytes, size, &cursor, &count));
  const char **names = cli_arena_array(arena, (size_t)count, sizeof *names);
  for (size_t i = 0; i < count; i++) {
    struct entry entry;
    CLI_TRY(read_entry(arena, &cursor, &entry));
    names[i] = entry.name;
    if (name ? strcmp(name, entry.name) == 0 : count == 1)
      return unpack(arena, bytes, size, &entry, out_bytes, out_size);
  }
  return cli_fail(CLI_FAILED, "no member '%s' in it; it has %s", name ? name : "",
                  cli_list_names(arena, names, (size_t)count));
}
