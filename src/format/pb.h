// The protobuf wire format (protobuf.dev, "Encoding"): a reader that copies nothing and a writer
// into a growing buffer. Neither knows any message; format/onnx.h does.
#ifndef TERN_FORMAT_PB_H_
#define TERN_FORMAT_PB_H_

#include "base/allocator.h"

// Bytes that belong to someone else: a slice of the file. Not NUL-terminated.
typedef struct tern_span {
  const char *data;
  size_t size;
} tern_span;

// The arguments of a "%.*s" that shows a span in a message, cut after 120 bytes.
#define TERN_SPAN_ARGS(span)                                                                       \
  (int)((span).size < 120 ? (span).size : 120), ((span).data ? (span).data : "")

typedef enum tern_pb_wire {
  TERN_PB_VARINT = 0,
  TERN_PB_FIXED64 = 1,
  TERN_PB_BYTES = 2,
  TERN_PB_FIXED32 = 5,
} tern_pb_wire;

// Walks the fields of one message.
typedef struct tern_pb_reader {
  const unsigned char *cursor, *end, *begin;
} tern_pb_reader;

// One field. `number` ≥ 1. Group wire types (3, 4) are skipped or refused, never returned.
typedef struct tern_pb_field {
  uint32_t number;
  tern_pb_wire wire;
  uint64_t scalar; // VARINT, FIXED64, FIXED32
  tern_span bytes; // BYTES
} tern_pb_field;

tern_pb_reader tern_pb_reader_make(tern_span message);
// Reads the next field; *out_more is false at the end of the message. A malformed field is
// TERN_INVALID_PROTOBUF with its byte offset inside the message.
TERN_MUST_USE tern_status *tern_pb_next(tern_pb_reader *reader, tern_pb_field *out_field,
                                        bool *out_more);
// Walks the varints of a packed field; false at its end, *out_bad set on a malformed one.
bool tern_pb_next_packed_varint(tern_span *packed, uint64_t *out_value, bool *out_bad);

// What protobuf's own libraries read and write at most.
enum { TERN_PB_MAX_BYTES = INT32_MAX };

typedef struct tern_pb_writer {
  tern_allocator *allocator;
  unsigned char *data;
  size_t size, capacity;
  size_t size_limit;   // writing more fails; 0: none
  bool is_full;        // size_limit was met
  tern_status *status; // the first failure; later writes do nothing. Owned by the writer.
} tern_pb_writer;

void tern_pb_writer_init(tern_allocator *allocator, tern_pb_writer *out_writer);
void tern_pb_writer_deinit(tern_pb_writer *writer);
// Bytes as they are, outside of any field: for data files, and for messages written elsewhere.
void tern_pb_write_raw(tern_pb_writer *writer, const void *data, size_t size);
void tern_pb_write_varint(tern_pb_writer *writer, uint32_t number, uint64_t value);
void tern_pb_write_float(tern_pb_writer *writer, uint32_t number, float value);
void tern_pb_write_bytes(tern_pb_writer *writer, uint32_t number, const void *data, size_t size);
void tern_pb_write_text(tern_pb_writer *writer, uint32_t number, const char *text);
// Packed repeated fields; nothing is written for a count of 0.
void tern_pb_write_packed_i64(tern_pb_writer *writer, uint32_t number, const int64_t *values,
                              size_t count);
void tern_pb_write_packed_f32(tern_pb_writer *writer, uint32_t number, const float *values,
                              size_t count);
// A nested message: fields written between begin and end belong to it.
size_t tern_pb_begin_message(tern_pb_writer *writer, uint32_t number);
void tern_pb_end_message(tern_pb_writer *writer, size_t mark);
// Takes the writer's failure, if any; the caller owns it.
TERN_MUST_USE tern_status *tern_pb_writer_finish(tern_pb_writer *writer);

#endif
