// A model file as a tree of protobuf fields: where each field stands, what it belongs to and what
// it is, by the standard's onnx.proto3. For tests that damage files where it hurts.
#ifndef TERN_TESTS_SUPPORT_FIELDS_H_
#define TERN_TESTS_SUPPORT_FIELDS_H_

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "support/random.h"

typedef struct test_field {
  size_t start, data, end; // the tag, the payload (after a length), one past the payload
  int32_t parent;          // index of the field it stands in; -1 at the top
  uint8_t message;         // what it stands in (a number of fields.c)
  uint8_t child;           // the message it is; 0: a scalar, text or bytes
  uint8_t wire;            // 0 varint, 1 eight bytes, 2 length-delimited, 5 four bytes
  uint32_t number;
  bool is_elements; // of a tensor: numbers or bytes without structure
} test_field;

typedef struct test_fields {
  test_field *items; // in the order of their starts; free() it
  size_t count, capacity;
} test_fields;

// Finds the fields of a ModelProto. Where the bytes stop making sense, the walk of that message
// ends.
void test_fields_find(const unsigned char *bytes, size_t size, test_fields *out_fields);

// Writes a damaged copy to `out` (`capacity` bytes): one field removed, doubled, exchanged with
// another of its kind or given another content, with the lengths around it mended. Returns its
// size, 0 when it found nothing to do or no room.
size_t test_fields_mutate(const unsigned char *bytes, size_t size, const test_fields *fields,
                          test_random *random, unsigned char *out, size_t capacity);

#endif
