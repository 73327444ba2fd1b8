// The protobuf wire format, both ways. The reader only moves over bytes; the writer appends to one
// buffer and keeps its first failure.
#include "format/pb.h"

#include <string.h>

#include "base/checked.h"

enum { LARGEST_VARINT_BYTES = 10, GROUP_BEGIN = 3, GROUP_END = 4 };

tern_pb_reader tern_pb_reader_make(tern_span message) {
  const unsigned char *begin = (const unsigned char *)message.data;
  return (tern_pb_reader){begin, message.size ? begin + message.size : begin, begin};
}

// Moves *cursor behind the varint on success. Bits above the 64th are dropped.
static bool read_varint(const unsigned char **cursor, const unsigned char *end, uint64_t *out) {
  const unsigned char *p = *cursor;
  uint64_t value = 0;
  for (unsigned i = 0; i < LARGEST_VARINT_BYTES && p + i < end; ++i) {
    value |= (uint64_t)(p[i] & 0x7fu) << (7 * i);
    if (p[i] < 0x80) {
      *cursor = p + i + 1;
      *out = value;
      return true;
    }
  }
  return false;
}

static tern_status *malformed(const tern_pb_reader *reader, const char *what) {
  return TERN_ERROR(TERN_INVALID_PROTOBUF, "%s at byte %zu of %zu", what,
                    (size_t)(reader->cursor - reader->begin),
                    (size_t)(reader->end - reader->begin));
}

static tern_status *read_fixed(tern_pb_reader *reader, unsigned size, uint64_t *out_value) {
  if ((size_t)(reader->end - reader->cursor) < size)
    return malformed(reader, "a fixed-size field is cut off");
  uint64_t value = 0;
  for (unsigned i = 0; i < size; ++i) value |= (uint64_t)reader->cursor[i] << (8 * i);
  reader->cursor += size;
  *out_value = value;
  return NULL;
}

static tern_status *read_bytes(tern_pb_reader *reader, tern_span *out_bytes) {
  uint64_t size;
  if (!read_varint(&reader->cursor, reader->end, &size))
    return malformed(reader, "a length is malformed");
  if (size > (uint64_t)(reader->end - reader->cursor))
    return malformed(reader, "a field is longer than its message");
  *out_bytes = (tern_span){(const char *)reader->cursor, (size_t)size};
  reader->cursor += size;
  return NULL;
}

tern_status *tern_pb_next(tern_pb_reader *reader, tern_pb_field *out_field, bool *out_more) {
  if (reader->cursor == reader->end) {
    *out_more = false;
    return NULL;
  }
  uint64_t tag;
  const unsigned char *cursor = reader->cursor;
  if (!read_varint(&cursor, reader->end, &tag)) return malformed(reader, "a tag is malformed");
  if (tag >> 3 == 0 || tag > UINT32_MAX) return malformed(reader, "a field number is out of range");
  tern_pb_field field = {.number = (uint32_t)(tag >> 3)};
  unsigned wire = (unsigned)(tag & 7);
  if (wire == GROUP_BEGIN || wire == GROUP_END || wire > TERN_PB_FIXED32)
    return malformed(reader, "a wire type is not used by ONNX");
  reader->cursor = cursor;
  field.wire = (tern_pb_wire)wire;
  if (field.wire == TERN_PB_BYTES) {
    TERN_TRY(read_bytes(reader, &field.bytes));
  } else if (field.wire == TERN_PB_VARINT) {
    if (!read_varint(&reader->cursor, reader->end, &field.scalar))
      return malformed(reader, "a varint is malformed");
  } else {
    TERN_TRY(read_fixed(reader, field.wire == TERN_PB_FIXED64 ? 8 : 4, &field.scalar));
  }
  *out_field = field;
  *out_more = true;
  return NULL;
}

bool tern_pb_next_packed_varint(tern_span *packed, uint64_t *out_value, bool *out_bad) {
  if (packed->size == 0) return false;
  const unsigned char *begin = (const unsigned char *)packed->data, *cursor = begin;
  if (!read_varint(&cursor, begin + packed->size, out_value)) {
    *out_bad = true;
    return false;
  }
  packed->size -= (size_t)(cursor - begin);
  packed->data = (const char *)cursor;
  return true;
}

void tern_pb_writer_init(tern_allocator *allocator, tern_pb_writer *out_writer) {
  *out_writer = (tern_pb_writer){.allocator = allocator};
}

void tern_pb_writer_deinit(tern_pb_writer *writer) {
  tern_allocator_free(writer->allocator, writer->data, writer->capacity);
  tern_status_free(writer->status);
  *writer = (tern_pb_writer){.allocator = writer->allocator};
}

tern_status *tern_pb_writer_finish(tern_pb_writer *writer) {
  tern_status *status = writer->status;
  writer->status = NULL;
  return status;
}

static tern_status *grow(tern_pb_writer *writer, size_t size) {
  size_t needed, capacity;
  if (!tern_checked_add(writer->size, size, &needed) || !tern_checked_mul(needed, 2, &capacity))
    return tern_status_out_of_memory();
  if (capacity < 256) capacity = 256;
  void *data;
  TERN_TRY(tern_allocator_alloc(writer->allocator, capacity, &data));
  if (writer->size > 0) memcpy(data, writer->data, writer->size);
  tern_allocator_free(writer->allocator, writer->data, writer->capacity);
  writer->data = data;
  writer->capacity = capacity;
  return NULL;
}

// Room for `size` bytes at the end, counted as written; NULL after a failure.
static unsigned char *append(tern_pb_writer *writer, size_t size) {
  if (writer->status) return NULL;
  writer->is_full |= writer->size_limit && size > writer->size_limit - writer->size;
  if (writer->is_full)
    writer->status = TERN_ERROR(TERN_FAIL, "a message of more than %zu bytes cannot be written",
                                writer->size_limit);
  if (writer->status) return NULL;
  if (writer->capacity - writer->size < size) writer->status = grow(writer, size);
  if (writer->status) return NULL;
  writer->size += size;
  return writer->data + writer->size - size;
}

void tern_pb_write_raw(tern_pb_writer *writer, const void *data, size_t size) {
  unsigned char *target = size > 0 ? append(writer, size) : NULL;
  if (target) memcpy(target, data, size);
}

static size_t encode_varint(uint64_t value, unsigned char out[LARGEST_VARINT_BYTES]) {
  size_t n = 0;
  for (; value >= 0x80; value >>= 7) out[n++] = (unsigned char)(value | 0x80);
  out[n++] = (unsigned char)value;
  return n;
}

static void append_varint(tern_pb_writer *writer, uint64_t value) {
  unsigned char bytes[LARGEST_VARINT_BYTES];
  tern_pb_write_raw(writer, bytes, encode_varint(value, bytes));
}

static void append_tag(tern_pb_writer *writer, uint32_t number, tern_pb_wire wire) {
  append_varint(writer, (uint64_t)number << 3 | (uint64_t)wire);
}

void tern_pb_write_varint(tern_pb_writer *writer, uint32_t number, uint64_t value) {
  append_tag(writer, number, TERN_PB_VARINT);
  append_varint(writer, value);
}

static void append_float(tern_pb_writer *writer, float value) {
  uint32_t bits;
  memcpy(&bits, &value, sizeof bits);
  unsigned char bytes[4] = {(unsigned char)bits, (unsigned char)(bits >> 8),
                            (unsigned char)(bits >> 16), (unsigned char)(bits >> 24)};
  tern_pb_write_raw(writer, bytes, sizeof bytes);
}

void tern_pb_write_float(tern_pb_writer *writer, uint32_t number, float value) {
  append_tag(writer, number, TERN_PB_FIXED32);
  append_float(writer, value);
}

void tern_pb_write_bytes(tern_pb_writer *writer, uint32_t number, const void *data, size_t size) {
  append_tag(writer, number, TERN_PB_BYTES);
  append_varint(writer, size);
  tern_pb_write_raw(writer, data, size);
}

void tern_pb_write_text(tern_pb_writer *writer, uint32_t number, const char *text) {
  tern_pb_write_bytes(writer, number, text, strlen(text));
}

void tern_pb_write_packed_i64(tern_pb_writer *writer, uint32_t number, const int64_t *values,
                              size_t count) {
  if (count == 0) return;
  size_t mark = tern_pb_begin_message(writer, number);
  for (size_t i = 0; i < count; ++i) append_varint(writer, (uint64_t)values[i]);
  tern_pb_end_message(writer, mark);
}

void tern_pb_write_packed_f32(tern_pb_writer *writer, uint32_t number, const float *values,
                              size_t count) {
  if (count == 0) return;
  append_tag(writer, number, TERN_PB_BYTES);
  append_varint(writer, (uint64_t)count * 4);
  for (size_t i = 0; i < count; ++i) append_float(writer, values[i]);
}

// A message's length is known when it ends. Room for five bytes is kept; small messages are moved
// down to a length of the smallest size, large ones keep five, which costs less than the move and
// which every reader accepts.
enum { LENGTH_BYTES = 5, LARGEST_MOVE_BYTES = 1 << 20 };

size_t tern_pb_begin_message(tern_pb_writer *writer, uint32_t number) {
  append_tag(writer, number, TERN_PB_BYTES);
  append(writer, LENGTH_BYTES);
  return writer->size;
}

void tern_pb_end_message(tern_pb_writer *writer, size_t mark) {
  if (writer->status) return;
  size_t size = writer->size - mark;
  unsigned char *body = writer->data + mark, length[LARGEST_VARINT_BYTES];
  size_t n = encode_varint(size, length);
  if (n > LENGTH_BYTES) {
    writer->status = TERN_ERROR(TERN_FAIL, "a message of %zu bytes is too large to write", size);
    return;
  }
  if (size <= LARGEST_MOVE_BYTES) {
    memcpy(body - LENGTH_BYTES, length, n);
    memmove(body - LENGTH_BYTES + n, body, size);
    writer->size -= LENGTH_BYTES - n;
    return;
  }
  for (; n < LENGTH_BYTES; ++n) {
    length[n - 1] |= 0x80;
    length[n] = 0;
  }
  memcpy(body - LENGTH_BYTES, length, LENGTH_BYTES);
}
