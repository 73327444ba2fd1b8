// A reader for the protobuf wire format, enough for test data (protobuf.dev, "Encoding").
#ifndef TERN_TESTS_SUPPORT_WIRE_H_
#define TERN_TESTS_SUPPORT_WIRE_H_

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct wire_reader {
  const unsigned char *at, *end;
  bool is_bad; // the bytes are no protobuf message
} wire_reader;

// One field: `number` of varints and fixed fields, the bytes of length-delimited ones.
typedef struct wire_field {
  uint64_t id;
  unsigned type; // 0 varint, 1 eight bytes, 2 length-delimited, 5 four bytes
  uint64_t number;
  const unsigned char *data;
  size_t size;
} wire_field;

static inline wire_reader wire_open(const void *data, size_t size) {
  const unsigned char *bytes = data;
  return (wire_reader){bytes, bytes + size, false};
}

static inline uint64_t wire_varint(wire_reader *reader) {
  uint64_t value = 0;
  for (unsigned shift = 0; shift < 64; shift += 7) {
    if (reader->at == reader->end) break;
    unsigned char byte = *reader->at++;
    value |= (uint64_t)(byte & 0x7f) << shift;
    if (byte < 0x80) return value;
  }
  reader->is_bad = true;
  return 0;
}

static inline const unsigned char *wire_bytes(wire_reader *reader, uint64_t size) {
  const unsigned char *data = reader->at;
  if (size > (uint64_t)(reader->end - data)) {
    reader->is_bad = true;
    return data;
  }
  reader->at += size;
  return data;
}

static inline uint64_t wire_fixed(wire_reader *reader, size_t size) {
  const unsigned char *data = wire_bytes(reader, size);
  uint64_t value = 0;
  for (size_t i = 0; i < size && !reader->is_bad; ++i) value |= (uint64_t)data[i] << (8 * i);
  return value;
}

// False at the end and on malformed bytes.
static inline bool wire_next(wire_reader *reader, wire_field *out_field) {
  if (reader->is_bad || reader->at == reader->end) return false;
  uint64_t key = wire_varint(reader);
  wire_field field = {.id = key >> 3, .type = (unsigned)(key & 7)};
  switch (field.type) {
  case 0:
    field.number = wire_varint(reader);
    break;
  case 1:
    field.number = wire_fixed(reader, 8);
    break;
  case 2:
    field.size = wire_varint(reader);
    field.data = wire_bytes(reader, field.size);
    break;
  case 5:
    field.number = wire_fixed(reader, 4);
    break;
  default:
    reader->is_bad = true;
  }
  *out_field = field;
  return !reader->is_bad;
}

#endif
