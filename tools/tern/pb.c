// Reading a serialised TensorProto (the .pb files of ONNX's test data). A small reader of its own:
// the command line stands on the public headers alone. Fields: onnx.proto.
#include <string.h>

#include "input.h"
#include "text.h"

// Field numbers of TensorProto.
enum {
  FIELD_DIMS = 1,
  FIELD_DATA_TYPE = 2,
  FIELD_FLOAT_DATA = 4,
  FIELD_INT32_DATA = 5,
  FIELD_STRING_DATA = 6,
  FIELD_INT64_DATA = 7,
  FIELD_RAW_DATA = 9,
  FIELD_DOUBLE_DATA = 10,
  FIELD_UINT64_DATA = 11,
  FIELD_DATA_LOCATION = 14,
};

enum { WIRE_VARINT = 0, WIRE_64 = 1, WIRE_BYTES = 2, WIRE_32 = 5 };

// One field: a number, or bytes when wire is WIRE_BYTES.
struct field {
  uint64_t number, wire, value;
  const uint8_t *bytes;
};

static cli_status *read_varint(cli_cursor *cursor, uint64_t *out_value) {
  uint64_t value = 0;
  for (unsigned shift = 0; shift < 64; shift += 7) {
    uint64_t byte;
    CLI_TRY(cli_cursor_unsigned(cursor, 1, &byte));
    value |= (byte & 0x7F) << shift;
    if (byte < 0x80) {
      *out_value = value;
      return NULL;
    }
  }
  return cli_fail(CLI_FAILED, "a varint of more than 10 bytes at offset %zu", cursor->at);
}

static cli_status *read_scalar(cli_cursor *cursor, uint64_t wire, uint64_t *out_value) {
  if (wire == WIRE_VARINT) return read_varint(cursor, out_value);
  return cli_cursor_unsigned(cursor, wire == WIRE_64 ? 8 : 4, out_value);
}

static cli_status *read_field(cli_cursor *cursor, struct field *out_field) {
  uint64_t tag;
  CLI_TRY(read_varint(cursor, &tag));
  *out_field = (struct field){.number = tag >> 3, .wire = tag & 7};
  switch (out_field->wire) {
  case WIRE_VARINT:
  case WIRE_64:
  case WIRE_32:
    return read_scalar(cursor, out_field->wire, &out_field->value);
  case WIRE_BYTES:
    CLI_TRY(read_varint(cursor, &out_field->value));
    return cli_cursor_skip(cursor, out_field->value, &out_field->bytes);
  default:
    return cli_fail(CLI_FAILED, "not a TensorProto");
  }
}

// What the first walk over the message finds: all but the elements, and how many those are.
struct shape {
  uint64_t type;
  cli_buffer dims; // int64
  size_t stored;   // elements in the typed fields
  const uint8_t *raw;
  size_t raw_bytes;
};

// The wire type of one element of a repeated field.
static uint64_t element_wire(uint64_t number) {
  if (number == FIELD_FLOAT_DATA) return WIRE_32;
  return number == FIELD_DOUBLE_DATA ? WIRE_64 : WIRE_VARINT;
}

static bool is_data(uint64_t number) {
  return number == FIELD_FLOAT_DATA || number == FIELD_INT32_DATA || number == FIELD_INT64_DATA ||
         number == FIELD_DOUBLE_DATA || number == FIELD_UINT64_DATA;
}

// Calls `take` for each element of a repeated field, packed or not.
static cli_status *each_element(const struct field *field,
                                cli_status *(*take)(void *, uint64_t, uint64_t), void *context) {
  uint64_t wire = element_wire(field->number), value;
  if (field->wire == wire) return take(context, field->number, field->value);
  if (field->wire != WIRE_BYTES) return cli_fail(CLI_FAILED, "not a TensorProto");
  cli_cursor cursor = {field->bytes, (size_t)field->value, 0};
  while (cursor.at < cursor.size) {
    CLI_TRY(read_scalar(&cursor, wire, &value));
    CLI_TRY(take(context, field->number, value));
  }
  return NULL;
}

static cli_status *take_dim(void *context, uint64_t number, uint64_t value) {
  (void)number;
  return cli_buffer_put(&((struct shape *)context)->dims, &value, sizeof value);
}

static cli_status *count_element(void *context, uint64_t number, uint64_t value) {
  (void)number, (void)value;
  ((struct shape *)context)->stored++;
  return NULL;
}

static cli_status *read_shape(cli_cursor cursor, struct shape *shape) {
  while (cursor.at < cursor.size) {
    struct field field;
    CLI_TRY(read_field(&cursor, &field));
    bool is_bytes = field.wire == WIRE_BYTES;
    if (field.number == FIELD_DIMS) CLI_TRY(each_element(&field, take_dim, shape));
    if (is_data(field.number)) CLI_TRY(each_element(&field, count_element, shape));
    if (field.number == FIELD_STRING_DATA) shape->stored++;
    if (field.number == FIELD_DATA_TYPE) shape->type = field.value;
    if (field.number == FIELD_RAW_DATA && is_bytes) {
      shape->raw = field.bytes;
      shape->raw_bytes = (size_t)field.value;
    }
    if (field.number == FIELD_DATA_LOCATION && field.value == 1)
      return cli_fail(CLI_FAILED, "its data lies in another file, which is not supported");
  }
  return NULL;
}

// Where the second walk puts elements.
struct filling {
  cli_tensor *tensor;
  size_t at;
};

// Types narrower than 32 bits keep their bits in the low part of int32_data.
static cli_status *take_element(void *context, uint64_t number, uint64_t value) {
  struct filling *filling = context;
  size_t bytes = cli_element_of(filling->tensor->type)->bits / 8;
  (void)number;
  memcpy((char *)filling->tensor->data + filling->at++ * bytes, &value, bytes);
  return NULL;
}

static cli_status *read_elements(cli_arena *arena, cli_cursor cursor, cli_tensor *tensor) {
  struct filling filling = {tensor, 0};
  while (cursor.at < cursor.size) {
    struct field field;
    CLI_TRY(read_field(&cursor, &field));
    if (is_data(field.number)) CLI_TRY(each_element(&field, take_element, &filling));
    if (field.number == FIELD_STRING_DATA && field.wire == WIRE_BYTES)
      tensor->strings[filling.at++] =
          cli_copy(arena, (const char *)field.bytes, (size_t)field.value);
  }
  return NULL;
}

// The typed field that holds elements of `type`, 0 when only raw_data can.
static uint64_t data_field(cli_type type) {
  switch (type) {
  case ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT:
    return FIELD_FLOAT_DATA;
  case ONNX_TENSOR_ELEMENT_DATA_TYPE_DOUBLE:
    return FIELD_DOUBLE_DATA;
  case ONNX_TENSOR_ELEMENT_DATA_TYPE_INT64:
    return FIELD_INT64_DATA;
  case ONNX_TENSOR_ELEMENT_DATA_TYPE_STRING:
    return FIELD_STRING_DATA;
  case ONNX_TENSOR_ELEMENT_DATA_TYPE_UINT32:
  case ONNX_TENSOR_ELEMENT_DATA_TYPE_UINT64:
    return FIELD_UINT64_DATA;
  default:
    return cli_element_of(type)->bits >= 8 ? FIELD_INT32_DATA : 0;
  }
}

// Every typed field that is there must be the type's own, so that take_element reads what it means.
static cli_status *check_fields(cli_cursor cursor, cli_type type) {
  uint64_t own = data_field(type);
  while (cursor.at < cursor.size) {
    struct field field;
    CLI_TRY(read_field(&cursor, &field));
    bool holds = is_data(field.number) || field.number == FIELD_STRING_DATA;
    bool text = field.number == FIELD_STRING_DATA && field.wire != WIRE_BYTES;
    if (holds && (field.number != own || text))
      return cli_fail(CLI_FAILED, "elements of type %s in field %llu", cli_element_of(type)->name,
                      (unsigned long long)field.number);
  }
  return NULL;
}

static cli_status *read_tensor(cli_arena *arena, cli_cursor cursor, const struct shape *shape,
                               cli_tensor *out_tensor) {
  if (shape->type == 0 || shape->type > 1000)
    return cli_fail(CLI_FAILED, "not a TensorProto: it names no element type");
  cli_type type = (cli_type)shape->type;
  size_t rank = shape->dims.size / sizeof(int64_t), count;
  const int64_t *dims = (const int64_t *)(const void *)shape->dims.bytes;
  CLI_TRY(cli_shape_count(rank, dims, &count));
  unsigned bits = cli_element_of(type)->bits;
  bool fits = shape->raw ? bits && (count * bits + 7) / 8 == shape->raw_bytes && !shape->stored
                         : shape->stored == count;
  if (!fits)
    return cli_fail(CLI_FAILED, "%s %s was announced, but it holds %zu bytes and %zu elements",
                    cli_element_of(type)->name, cli_shape_text(arena, rank, dims), shape->raw_bytes,
                    shape->stored);
  CLI_TRY(check_fields(cursor, type));
  cli_tensor tensor;
  CLI_TRY(cli_tensor_new(arena, type, rank, dims, &tensor));
  if (shape->raw && tensor.data)
    memcpy(tensor.data, shape->raw, shape->raw_bytes);
  else
    CLI_TRY(read_elements(arena, cursor, &tensor));
  *out_tensor = tensor;
  return NULL;
}

cli_status *cli_pb_parse(cli_arena *arena, const uint8_t *bytes, size_t size,
                         cli_tensor *out_tensor) {
  cli_cursor cursor = {bytes, size, 0};
  struct shape shape = {0};
  cli_status *status = read_shape(cursor, &shape);
  if (!status) status = read_tensor(arena, cursor, &shape, out_tensor);
  cli_buffer_free(&shape.dims);
  return status;
}
