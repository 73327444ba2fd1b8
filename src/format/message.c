// The one engine behind every message table.
#include "format/message.h"

#include <string.h>

typedef struct field_counts {
  size_t values[TERN_MESSAGE_MAX_FIELDS];
} field_counts;

static bool is_list(tern_field_kind kind) {
  return kind >= TERN_FIELD_BYTES_LIST;
}

static size_t element_bytes(const tern_message_field *row) {
  switch (row->kind) {
  case TERN_FIELD_BYTES_LIST:
    return sizeof(tern_span);
  case TERN_FIELD_I64_LIST:
    return sizeof(int64_t);
  case TERN_FIELD_F32_LIST:
    return sizeof(float);
  default:
    return row->message->bytes;
  }
}

static const tern_message_field *find_row(const tern_message *message, uint32_t number) {
  for (size_t i = 0; i < message->field_count; ++i) {
    if (message->fields[i].number == number) return &message->fields[i];
  }
  return NULL;
}

static bool wire_fits(tern_field_kind kind, tern_pb_wire wire) {
  switch (kind) {
  case TERN_FIELD_I64:
  case TERN_FIELD_I32:
    return wire == TERN_PB_VARINT;
  case TERN_FIELD_F32:
    return wire == TERN_PB_FIXED32;
  case TERN_FIELD_I64_LIST:
    return wire == TERN_PB_VARINT || wire == TERN_PB_BYTES;
  case TERN_FIELD_F32_LIST:
    return wire == TERN_PB_FIXED32 || wire == TERN_PB_BYTES;
  default:
    return wire == TERN_PB_BYTES;
  }
}

// The elements that one field adds to its list. A varint ends with each byte below 128.
static size_t field_elements(const tern_message_field *row, const tern_pb_field *field) {
  if (field->wire != TERN_PB_BYTES) return 1;
  if (row->kind == TERN_FIELD_F32_LIST) return field->bytes.size / 4;
  if (row->kind != TERN_FIELD_I64_LIST) return 1;
  size_t count = 0;
  for (size_t i = 0; i < field->bytes.size; ++i) count += (field->bytes.data[i] & 0x80) == 0;
  return count;
}

static tern_status *count_fields(const tern_message *message, tern_span bytes,
                                 field_counts *counts) {
  tern_pb_reader pb = tern_pb_reader_make(bytes);
  for (;;) {
    tern_pb_field field;
    bool more;
    TERN_TRY(tern_pb_next(&pb, &field, &more));
    if (!more) return NULL;
    const tern_message_field *row = find_row(message, field.number);
    if (!row) continue;
    if (!wire_fits(row->kind, field.wire))
      return TERN_ERROR(TERN_INVALID_PROTOBUF, "field '%s' has wire type %d", row->name,
                        (int)field.wire);
    counts->values[row - message->fields] += field_elements(row, &field);
  }
}

// Members are written through memcpy: the table knows offsets, not types.
static void set_member(void *object, uint16_t offset, const void *value, size_t size) {
  if (offset != TERN_NO_OFFSET) memcpy((char *)object + offset, value, size);
}

static tern_status *allocate_lists(tern_arena *arena, const tern_message *message, void *object,
                                   const field_counts *counts) {
  for (size_t i = 0; i < message->field_count; ++i) {
    const tern_message_field *row = &message->fields[i];
    size_t count = counts->values[i];
    if (!is_list(row->kind)) {
      bool seen = count > 0;
      set_member(object, row->extra_offset, &seen, sizeof seen);
    } else if (count > 0) {
      void *list;
      TERN_TRY(tern_arena_calloc(arena, count, element_bytes(row), &list));
      set_member(object, row->offset, &list, sizeof list);
      set_member(object, row->extra_offset, &count, sizeof count);
    }
  }
  return NULL;
}

static float float_of(uint64_t scalar) {
  uint32_t bits = (uint32_t)scalar;
  float value;
  memcpy(&value, &bits, sizeof value);
  return value;
}

// A list of no elements is NULL, and nothing is written to it.
// NOLINTBEGIN(clang-analyzer-core.NullDereference, clang-analyzer-core.NonNullParamChecker)
static tern_status *fill_i64(const tern_pb_field *field, int64_t *values) {
  if (field->wire == TERN_PB_VARINT) {
    *values = (int64_t)field->scalar;
    return NULL;
  }
  tern_span packed = field->bytes;
  bool bad = false;
  for (uint64_t value; tern_pb_next_packed_varint(&packed, &value, &bad);)
    *values++ = (int64_t)value;
  return bad ? TERN_ERROR(TERN_INVALID_PROTOBUF, "a packed varint is malformed") : NULL;
}

static tern_status *fill_f32(const tern_pb_field *field, float *values) {
  if (field->wire == TERN_PB_FIXED32) {
    *values = float_of(field->scalar);
    return NULL;
  }
  if (field->bytes.size % sizeof *values != 0)
    return TERN_ERROR(TERN_INVALID_PROTOBUF, "packed floats are cut off");
  if (field->bytes.size > 0) memcpy(values, field->bytes.data, field->bytes.size);
  return NULL;
}
// NOLINTEND(clang-analyzer-core.NullDereference, clang-analyzer-core.NonNullParamChecker)

// Adds the elements of `field` to its list in `object`, behind the first *filled ones.
static tern_status *fill_list(tern_message_reader *reader, const tern_message_field *row,
                              const tern_pb_field *field, void *object, size_t *filled) {
  size_t at = *filled;
  void *list;
  memcpy(&list, (char *)object + row->offset, sizeof list);
  *filled += field_elements(row, field);
  switch (row->kind) {
  case TERN_FIELD_BYTES_LIST:
    ((tern_span *)list)[at] = field->bytes;
    return NULL;
  case TERN_FIELD_I64_LIST:
    return fill_i64(field, list ? (int64_t *)list + at : NULL);
  case TERN_FIELD_F32_LIST:
    return fill_f32(field, list ? (float *)list + at : NULL);
  default:
    return tern_message_read(reader, row->message, field->bytes,
                             (char *)list + at * row->message->bytes);
  }
}

static tern_status *fill_single(tern_message_reader *reader, const tern_message_field *row,
                                const tern_pb_field *field, void *object) {
  char *member = (char *)object + row->offset;
  switch (row->kind) {
  case TERN_FIELD_BYTES:
    memcpy(member, &field->bytes, sizeof field->bytes);
    return NULL;
  case TERN_FIELD_I64:
    memcpy(member, &field->scalar, sizeof(int64_t));
    return NULL;
  case TERN_FIELD_I32: {
    int32_t value = (int32_t)(uint32_t)field->scalar;
    memcpy(member, &value, sizeof value);
    return NULL;
  }
  case TERN_FIELD_F32: {
    float value = float_of(field->scalar);
    memcpy(member, &value, sizeof value);
    return NULL;
  }
  case TERN_FIELD_MESSAGE:
    memset(member, 0, row->message->bytes);
    return tern_message_read(reader, row->message, field->bytes, member);
  default: {
    void *inner;
    TERN_TRY(tern_arena_alloc(reader->arena, row->message->bytes, &inner));
    memcpy(member, &inner, sizeof inner);
    return tern_message_read(reader, row->message, field->bytes, inner);
  }
  }
}

static tern_status *fill_fields(tern_message_reader *reader, const tern_message *message,
                                tern_span bytes, void *object) {
  tern_pb_reader pb = tern_pb_reader_make(bytes);
  field_counts filled = {{0}};
  for (;;) {
    tern_pb_field field;
    bool more;
    TERN_TRY(tern_pb_next(&pb, &field, &more));
    if (!more) return NULL;
    const tern_message_field *row = find_row(message, field.number);
    if (!row) continue;
    if (is_list(row->kind)) {
      size_t *at = &filled.values[row - message->fields], index = *at;
      TERN_TRY(tern_status_annotate(fill_list(reader, row, &field, object, at), "%s[%zu]",
                                    row->name, index));
    } else {
      TERN_TRY(tern_status_annotate(fill_single(reader, row, &field, object), "%s", row->name));
    }
  }
}

static tern_status *read_by_table(tern_message_reader *reader, const tern_message *message,
                                  tern_span bytes, void *object) {
  field_counts counts = {{0}};
  TERN_TRY(tern_status_annotate(count_fields(message, bytes, &counts), "%s", message->name));
  TERN_TRY(allocate_lists(reader->arena, message, object, &counts));
  TERN_TRY(fill_fields(reader, message, bytes, object));
  return message->finish ? message->finish(object, counts.values) : NULL;
}

tern_status *tern_message_read(tern_message_reader *reader, const tern_message *message,
                               tern_span bytes, void *object) {
  if (reader->depth >= reader->largest_depth)
    return TERN_ERROR(TERN_INVALID_PROTOBUF, "messages are nested more than %d deep",
                      reader->largest_depth);
  ++reader->depth;
  tern_status *status = message->read ? message->read(reader, bytes, object)
                                      : read_by_table(reader, message, bytes, object);
  --reader->depth;
  return status;
}
