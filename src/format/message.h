// Protobuf messages read into plain structs by table: one row a field. A message is walked twice,
// to count its lists and to fill them, so that lists are arrays and the work is linear in the
// number of fields; bytes that a field holds are never looked at. Private to src/format.
#ifndef TERN_FORMAT_MESSAGE_H_
#define TERN_FORMAT_MESSAGE_H_

#include "base/arena.h"
#include "format/pb.h"

typedef enum tern_field_kind {
  TERN_FIELD_BYTES,        // tern_span
  TERN_FIELD_I64,          // int64_t
  TERN_FIELD_I32,          // int32_t; enumerations too
  TERN_FIELD_F32,          // float
  TERN_FIELD_MESSAGE,      // a struct in place
  TERN_FIELD_POINTER,      // a pointer to a struct in the arena
  TERN_FIELD_BYTES_LIST,   // a pointer to tern_span
  TERN_FIELD_I64_LIST,     // a pointer to int64_t, packed or not
  TERN_FIELD_F32_LIST,     // a pointer to float, packed or not
  TERN_FIELD_MESSAGE_LIST, // a pointer to structs
} tern_field_kind;

#define TERN_NO_OFFSET UINT16_MAX

typedef struct tern_message tern_message;
typedef struct tern_message_reader tern_message_reader;

typedef struct tern_message_field {
  const char *name; // as the .proto file has it
  uint32_t number;
  tern_field_kind kind;
  uint16_t offset;             // of the member in the struct
  uint16_t extra_offset;       // lists: of a size_t count; others: of a bool, "was there"
  const tern_message *message; // of messages
} tern_message_field;

enum { TERN_MESSAGE_MAX_FIELDS = 24 };

struct tern_message {
  const char *name;
  size_t bytes; // of the struct, which starts zeroed
  const tern_message_field *fields;
  size_t field_count;
  // NULL, or what to do once the fields are read; `seen[i]` is how often field i was there (lists:
  // elements).
  tern_status *(*finish)(void *object, const size_t *seen);
  // Reads the message in place of the table when not NULL.
  tern_status *(*read)(tern_message_reader *reader, tern_span bytes, void *object);
};

struct tern_message_reader {
  tern_arena *arena;
  int depth, largest_depth; // nested messages
};

// Reads one message. A field that is not a list and comes twice: the last one counts.
TERN_MUST_USE tern_status *tern_message_read(tern_message_reader *reader,
                                             const tern_message *message, tern_span bytes,
                                             void *object);

#endif
