// A TensorProto's elements as a value: borrowed where the file's bytes will do, decoded from the
// typed fields where not.
#include <string.h>

#include "base/checked.h"
#include "format/onnx.h"

#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "raw_data is little-endian and is used in place"
#endif

enum { FIELD_STRING_DATA = 6 };

// The typed field that holds each type's elements (TensorProto's comments) and the bytes of one
// unit: what one number of the field becomes. A complex element is two units; a unit of a sub-byte
// type is a byte of packed elements, but for the 6-bit ones, which come singly.
typedef struct typed_field {
  uint8_t number, unit_bytes;
  tern_pb_wire wire;
} typed_field;

static const typed_field typed_fields[TERN_DTYPE_COUNT] = {
    [TERN_FLOAT] = {4, 4, TERN_PB_FIXED32},         [TERN_COMPLEX64] = {4, 4, TERN_PB_FIXED32},
    [TERN_DOUBLE] = {10, 8, TERN_PB_FIXED64},       [TERN_COMPLEX128] = {10, 8, TERN_PB_FIXED64},
    [TERN_INT64] = {7, 8, TERN_PB_VARINT},          [TERN_UINT32] = {11, 4, TERN_PB_VARINT},
    [TERN_UINT64] = {11, 8, TERN_PB_VARINT},        [TERN_INT32] = {5, 4, TERN_PB_VARINT},
    [TERN_INT16] = {5, 2, TERN_PB_VARINT},          [TERN_UINT16] = {5, 2, TERN_PB_VARINT},
    [TERN_FLOAT16] = {5, 2, TERN_PB_VARINT},        [TERN_BFLOAT16] = {5, 2, TERN_PB_VARINT},
    [TERN_INT8] = {5, 1, TERN_PB_VARINT},           [TERN_UINT8] = {5, 1, TERN_PB_VARINT},
    [TERN_BOOL] = {5, 1, TERN_PB_VARINT},           [TERN_FLOAT8E4M3FN] = {5, 1, TERN_PB_VARINT},
    [TERN_FLOAT8E4M3FNUZ] = {5, 1, TERN_PB_VARINT}, [TERN_FLOAT8E5M2] = {5, 1, TERN_PB_VARINT},
    [TERN_FLOAT8E5M2FNUZ] = {5, 1, TERN_PB_VARINT}, [TERN_FLOAT8E8M0] = {5, 1, TERN_PB_VARINT},
    [TERN_UINT4] = {5, 1, TERN_PB_VARINT},          [TERN_INT4] = {5, 1, TERN_PB_VARINT},
    [TERN_FLOAT4E2M1] = {5, 1, TERN_PB_VARINT},     [TERN_UINT2] = {5, 1, TERN_PB_VARINT},
    [TERN_INT2] = {5, 1, TERN_PB_VARINT},           [TERN_FLOAT6E2M3] = {5, 1, TERN_PB_VARINT},
    [TERN_FLOAT6E3M2] = {5, 1, TERN_PB_VARINT},
};

// Where decoded units go. `done` counts on past `capacity`, so that a wrong number of units can be
// named.
typedef struct unit_sink {
  tern_dtype dtype;
  unsigned char *data;
  size_t unit_bytes, capacity, done;
} unit_sink;

static bool is_six_bit(tern_dtype dtype) {
  return tern_dtype_get_info(dtype)->bits == 6;
}

// Ors a 6-bit code into zeroed bytes.
static void put_six_bits(unsigned char *bytes, size_t index, unsigned code) {
  size_t offset = index * 6;
  unsigned shifted = (code & 0x3fu) << (offset % 8);
  bytes[offset / 8] = (unsigned char)(bytes[offset / 8] | shifted);
  if (shifted > 0xff) bytes[offset / 8 + 1] = (unsigned char)(shifted >> 8);
}

static void put_unit(unit_sink *sink, uint64_t unit) {
  size_t at = sink->done++;
  if (at >= sink->capacity) return;
  if (is_six_bit(sink->dtype)) {
    put_six_bits(sink->data, at, (unsigned)unit);
    return;
  }
  if (sink->dtype == TERN_BOOL) unit = unit != 0;
  memcpy(sink->data + at * sink->unit_bytes, &unit, sink->unit_bytes);
}

static tern_status *put_packed(unit_sink *sink, tern_pb_wire wire, tern_span packed) {
  if (wire == TERN_PB_VARINT) {
    bool bad = false;
    for (uint64_t unit; tern_pb_next_packed_varint(&packed, &unit, &bad);) put_unit(sink, unit);
    return bad ? TERN_ERROR(TERN_INVALID_PROTOBUF, "a packed varint is malformed") : NULL;
  }
  if (packed.size % sink->unit_bytes != 0)
    return TERN_ERROR(TERN_INVALID_PROTOBUF, "packed elements are cut off");
  size_t count = packed.size / sink->unit_bytes;
  if (sink->done <= sink->capacity && count <= sink->capacity - sink->done && count > 0)
    memcpy(sink->data + sink->done * sink->unit_bytes, packed.data, packed.size);
  sink->done += count;
  return NULL;
}

static tern_status *put_field(unit_sink *sink, const typed_field *typed,
                              const tern_pb_field *field) {
  if (field->wire == TERN_PB_BYTES) return put_packed(sink, typed->wire, field->bytes);
  if (field->wire != typed->wire)
    return TERN_ERROR(TERN_INVALID_PROTOBUF, "the elements have wire type %d", (int)field->wire);
  put_unit(sink, field->scalar);
  return NULL;
}

static tern_status *wrong_count(size_t found, size_t needed) {
  return TERN_ERROR(TERN_INVALID_PROTOBUF, "%zu values where the shape needs %zu", found, needed);
}

static tern_status *decode_typed(tern_span message, tern_value *value) {
  const typed_field *typed = &typed_fields[value->dtype];
  unit_sink sink = {value->dtype, value->data, typed->unit_bytes, 0, 0};
  sink.capacity = is_six_bit(value->dtype) ? (size_t)tern_value_count(value)
                                           : value->data_bytes / typed->unit_bytes;
  if (is_six_bit(value->dtype) && value->data_bytes > 0) memset(value->data, 0, value->data_bytes);
  tern_pb_reader pb = tern_pb_reader_make(message);
  for (;;) {
    tern_pb_field field;
    bool more;
    TERN_TRY(tern_pb_next(&pb, &field, &more));
    if (!more) break;
    if (field.number == typed->number) TERN_TRY(put_field(&sink, typed, &field));
  }
  return sink.done == sink.capacity ? NULL : wrong_count(sink.done, sink.capacity);
}

static tern_status *decode_strings(tern_span message, tern_value *value) {
  size_t count = (size_t)tern_value_count(value), done = 0;
  tern_pb_reader pb = tern_pb_reader_make(message);
  for (;;) {
    tern_pb_field field;
    bool more;
    TERN_TRY(tern_pb_next(&pb, &field, &more));
    if (!more) break;
    if (field.number != FIELD_STRING_DATA) continue;
    if (field.wire != TERN_PB_BYTES)
      return TERN_ERROR(TERN_INVALID_PROTOBUF, "a string has wire type %d", (int)field.wire);
    if (done < count)
      TERN_TRY(tern_value_set_string(value, (int64_t)done, field.bytes.data, field.bytes.size));
    ++done;
  }
  return done == count ? NULL : wrong_count(done, count);
}

static size_t alignment_of(tern_dtype dtype) {
  size_t unit = typed_fields[dtype].unit_bytes;
  return unit > 0 ? unit : 1;
}

// Misaligned data up to this size is copied at once; more of it may be packed before anything
// loads it, and stays where it is until then.
enum { MOST_COPIED_AT_ONCE = 4096 };

// Borrows the file's bytes.
static tern_status *decode_raw(tern_dtype dtype, const tern_shape *shape, tern_span raw,
                               size_t bytes, tern_allocator *allocator, tern_value **out_value) {
  if (raw.size != bytes)
    return TERN_ERROR(TERN_INVALID_PROTOBUF, "%zu bytes of data where the shape needs %zu",
                      raw.size, bytes);
  tern_value *value;
  TERN_TRY(
      tern_value_wrap_tensor(allocator, dtype, shape, (void *)(uintptr_t)raw.data, bytes, &value));
  value->is_misaligned = bytes > 0 && (uintptr_t)raw.data % alignment_of(dtype) != 0;
  tern_status *status = bytes <= MOST_COPIED_AT_ONCE ? tern_value_align(value) : NULL;
  if (status) {
    tern_value_release(value);
    return status;
  }
  *out_value = value;
  return NULL;
}

static tern_status *decode_fields(tern_dtype dtype, const tern_shape *shape, tern_span message,
                                  tern_allocator *allocator, tern_value **out_value) {
  tern_value *value;
  TERN_TRY(tern_value_create_tensor(allocator, dtype, shape, &value));
  tern_status *status =
      dtype == TERN_STRING ? decode_strings(message, value) : decode_typed(message, value);
  if (status) {
    tern_value_release(value);
    return status;
  }
  *out_value = value;
  return NULL;
}

static tern_status *read_shape(const int64_t *dims, size_t dim_count, tern_shape *out_shape) {
  if (dim_count > TERN_MAX_RANK)
    return TERN_ERROR(TERN_INVALID_PROTOBUF, "%zu dimensions; at most %d are possible", dim_count,
                      TERN_MAX_RANK);
  for (size_t i = 0; i < dim_count; ++i) {
    if (dims[i] < 0)
      return TERN_ERROR(TERN_INVALID_PROTOBUF, "dimension %zu is %lld", i, (long long)dims[i]);
  }
  tern_shape_set(out_shape, (int32_t)dim_count, dims);
  return NULL;
}

// A tensor may not need more elements than the file can hold before memory is asked for them: each
// unit of a typed field is at least one byte of the message.
static tern_status *check_message_size(tern_dtype dtype, size_t bytes, tern_span message) {
  size_t unit = dtype == TERN_STRING ? sizeof(tern_string) : typed_fields[dtype].unit_bytes;
  size_t units = bytes / unit;
  return units > message.size ? wrong_count(0, units) : NULL;
}

static tern_status *decode(const tern_onnx_tensor *tensor, tern_span external,
                           tern_allocator *allocator, tern_value **out_value) {
  if (!tern_dtype_is_valid(tensor->dtype))
    return TERN_ERROR(TERN_INVALID_PROTOBUF, "the element type %d is not known", tensor->dtype);
  tern_dtype dtype = (tern_dtype)tensor->dtype;
  tern_shape shape;
  TERN_TRY(read_shape(tensor->dims, tensor->dim_count, &shape));
  int64_t count;
  size_t bytes;
  if (!tern_shape_count(&shape, &count) || !tern_dtype_bytes(dtype, count, &bytes))
    return TERN_ERROR(TERN_INVALID_PROTOBUF, "the dimensions are too large");
  // Some writers leave an empty raw_data beside typed fields.
  bool use_raw = tensor->has_raw && (tensor->raw.size > 0 || bytes == 0);
  if (dtype == TERN_STRING && (tensor->is_external || (use_raw && bytes > 0)))
    return TERN_ERROR(TERN_INVALID_PROTOBUF, "strings cannot be raw or external data");
  if (dtype != TERN_STRING && (tensor->is_external || use_raw))
    return decode_raw(dtype, &shape, tensor->is_external ? external : tensor->raw, bytes, allocator,
                      out_value);
  TERN_TRY(check_message_size(dtype, bytes, tensor->message));
  return decode_fields(dtype, &shape, tensor->message, allocator, out_value);
}

tern_status *tern_onnx_tensor_decode(const tern_onnx_tensor *tensor, tern_span external,
                                     tern_allocator *allocator, tern_value **out_value) {
  return tern_status_annotate(decode(tensor, external, allocator, out_value), "tensor '%.*s'",
                              TERN_SPAN_ARGS(tensor->name));
}

void tern_onnx_write_tensor(tern_pb_writer *writer, const char *name, const tern_value *value) {
  tern_pb_write_packed_i64(writer, 1, value->shape.dims, (size_t)value->shape.rank);
  tern_pb_write_varint(writer, 2, (uint64_t)value->dtype);
  if (name && name[0]) tern_pb_write_text(writer, 8, name);
  int64_t count = tern_value_count(value);
  const tern_string *strings = value->data;
  size_t bytes;
  if (value->dtype == TERN_STRING) {
    for (int64_t i = 0; i < count; ++i)
      tern_pb_write_bytes(writer, FIELD_STRING_DATA, strings[i].data, strings[i].size);
  } else if (tern_dtype_bytes(value->dtype, count, &bytes)) {
    tern_pb_write_bytes(writer, 9, value->data, bytes);
  }
}
