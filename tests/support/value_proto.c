// Test values from and to the messages of onnx.proto: TensorProto, SequenceProto, OptionalProto.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/value.h"
#include "support/wire.h"

// Field numbers of onnx.proto3.
enum {
  TENSOR_DIMS = 1,
  TENSOR_DATA_TYPE = 2,
  TENSOR_FLOAT_DATA = 4,
  TENSOR_INT32_DATA = 5,
  TENSOR_STRING_DATA = 6,
  TENSOR_INT64_DATA = 7,
  TENSOR_RAW_DATA = 9,
  TENSOR_DOUBLE_DATA = 10,
  TENSOR_UINT64_DATA = 11,
  SEQUENCE_TENSOR_VALUES = 3,
  SEQUENCE_SEQUENCE_VALUES = 5,
  SEQUENCE_OPTIONAL_VALUES = 7,
  OPTIONAL_ELEM_TYPE = 2,
  OPTIONAL_TENSOR_VALUE = 3,
  OPTIONAL_SEQUENCE_VALUE = 5,
  OPTIONAL_ELEM_SEQUENCE = 3,
  MAX_RANK = 64,
};

// The elements of a tensor while its fields are read: dims and data_type may come after the data.
typedef struct builder {
  int64_t dims[MAX_RANK];
  size_t rank;
  const test_element *element;
  const unsigned char *raw;
  size_t raw_bytes;
  uint64_t *numbers; // of the typed fields
  char **strings;
  size_t count, capacity;
} builder;

static void add(builder *tensor, uint64_t number, char *string) {
  if (tensor->count == tensor->capacity) {
    size_t capacity = tensor->capacity ? tensor->capacity * 2 : 16;
    uint64_t *numbers = test_alloc(capacity * sizeof *numbers);
    char **strings = test_alloc(capacity * sizeof *strings);
    if (tensor->count) {
      memcpy(numbers, tensor->numbers, tensor->count * sizeof *numbers);
      memcpy(strings, tensor->strings, tensor->count * sizeof *strings);
    }
    tensor->numbers = numbers;
    tensor->strings = strings;
    tensor->capacity = capacity;
  }
  tensor->numbers[tensor->count] = number;
  tensor->strings[tensor->count++] = string;
}

static void add_dim(builder *tensor, uint64_t dim) {
  if (tensor->rank == MAX_RANK) test_fail("a tensor of more than %d dimensions", MAX_RANK);
  tensor->dims[tensor->rank++] = (int64_t)dim;
}

// A repeated number, packed or not. `fixed` is its size on the wire; 0 is a varint.
static void add_numbers(builder *tensor, const wire_field *field, size_t fixed) {
  if (field->type != 2) {
    add(tensor, field->number, NULL);
    return;
  }
  wire_reader packed = wire_open(field->data, field->size);
  while (packed.at < packed.end && !packed.is_bad) {
    add(tensor, fixed ? wire_fixed(&packed, fixed) : wire_varint(&packed), NULL);
  }
  if (packed.is_bad) test_fail("malformed packed numbers");
}

static void add_dims(builder *tensor, const wire_field *field) {
  if (field->type != 2) {
    add_dim(tensor, field->number);
    return;
  }
  wire_reader packed = wire_open(field->data, field->size);
  while (packed.at < packed.end && !packed.is_bad) add_dim(tensor, wire_varint(&packed));
}

static void add_string(builder *tensor, const wire_field *field) {
  char *text = test_alloc(field->size + 1);
  if (field->size) memcpy(text, field->data, field->size);
  add(tensor, 0, text);
}

static void add_field(builder *tensor, const wire_field *field) {
  switch (field->id) {
  case TENSOR_DIMS:
    add_dims(tensor, field);
    break;
  case TENSOR_DATA_TYPE:
    tensor->element = test_element_of_proto((int64_t)field->number);
    break;
  case TENSOR_FLOAT_DATA:
    add_numbers(tensor, field, 4);
    break;
  case TENSOR_DOUBLE_DATA:
    add_numbers(tensor, field, 8);
    break;
  case TENSOR_INT32_DATA:
  case TENSOR_INT64_DATA:
  case TENSOR_UINT64_DATA:
    add_numbers(tensor, field, 0);
    break;
  case TENSOR_STRING_DATA:
    add_string(tensor, field);
    break;
  case TENSOR_RAW_DATA:
    tensor->raw = field->data;
    tensor->raw_bytes = field->size;
    break;
  default:
    break;
  }
}

// Packs numbers of the typed fields; one number holds one element, or one byte of packed ones.
static void pack(const builder *tensor, unsigned char *data, size_t bytes) {
  size_t unit = tensor->element->bits < 8 ? 1 : tensor->element->bits / 8;
  if (tensor->count * unit != bytes) {
    test_fail("%zu numbers for %zu bytes of %s", tensor->count, bytes, tensor->element->name);
  }
  for (size_t i = 0; i < tensor->count; ++i) memcpy(data + i * unit, &tensor->numbers[i], unit);
}

static test_value build(const builder *tensor) {
  if (!tensor->element) test_fail("a tensor of unknown element type");
  test_value value = {.kind = TEST_TENSOR, .element = tensor->element, .rank = tensor->rank};
  value.dims = test_alloc(tensor->rank * sizeof *value.dims);
  value.count = 1;
  for (size_t i = 0; i < tensor->rank; ++i) {
    value.dims[i] = tensor->dims[i];
    value.count *= (size_t)tensor->dims[i];
  }
  if (tensor->element->class == TEST_STRING) {
    if (tensor->count != value.count) test_fail("%zu strings for the shape", tensor->count);
    value.strings = tensor->strings;
    return value;
  }
  size_t bytes = test_element_bytes(tensor->element, value.count);
  value.data = test_alloc(bytes);
  if (!tensor->raw) {
    pack(tensor, value.data, bytes);
  } else if (tensor->raw_bytes == bytes) {
    if (bytes) memcpy(value.data, tensor->raw, bytes);
  } else {
    test_fail("%zu raw bytes, the shape needs %zu", tensor->raw_bytes, bytes);
  }
  return value;
}

static test_value parse_tensor(const void *data, size_t size) {
  builder tensor = {0};
  wire_reader reader = wire_open(data, size);
  wire_field field;
  while (wire_next(&reader, &field)) add_field(&tensor, &field);
  if (reader.is_bad) test_fail("malformed TensorProto");
  return build(&tensor);
}

static test_value parse_optional(const void *data, size_t size);

static test_value parse_sequence(const void *data, size_t size) {
  test_value sequence = {.kind = TEST_SEQUENCE};
  sequence.items = test_alloc((size / 2 + 1) * sizeof *sequence.items); // a field takes ≥ 2 bytes
  wire_reader reader = wire_open(data, size);
  wire_field field;
  while (wire_next(&reader, &field)) {
    test_value *item = &sequence.items[sequence.item_count];
    switch (field.id) {
    case SEQUENCE_TENSOR_VALUES:
      *item = parse_tensor(field.data, field.size);
      break;
    case SEQUENCE_SEQUENCE_VALUES:
      *item = parse_sequence(field.data, field.size);
      break;
    case SEQUENCE_OPTIONAL_VALUES:
      *item = parse_optional(field.data, field.size);
      break;
    default:
      continue;
    }
    ++sequence.item_count;
  }
  if (reader.is_bad) test_fail("malformed SequenceProto");
  return sequence;
}

static test_value parse_optional(const void *data, size_t size) {
  test_value held = {.kind = TEST_NONE};
  wire_reader reader = wire_open(data, size);
  wire_field field;
  while (wire_next(&reader, &field)) {
    if (field.id == OPTIONAL_TENSOR_VALUE) held = parse_tensor(field.data, field.size);
    if (field.id == OPTIONAL_SEQUENCE_VALUE) held = parse_sequence(field.data, field.size);
    // An empty sequence may leave out its field.
    if (field.id == OPTIONAL_ELEM_TYPE && field.number == OPTIONAL_ELEM_SEQUENCE &&
        held.kind == TEST_NONE) {
      held.kind = TEST_SEQUENCE;
    }
  }
  if (reader.is_bad) test_fail("malformed OptionalProto");
  return held;
}

test_value test_value_read(const char *path, ONNXType type) {
  size_t size;
  void *data = test_file_read(path, &size);
  switch (type) {
  case ONNX_TYPE_TENSOR:
    return parse_tensor(data, size);
  case ONNX_TYPE_SEQUENCE:
    return parse_sequence(data, size);
  case ONNX_TYPE_OPTIONAL:
    return parse_optional(data, size);
  default:
    test_fail("%s: values of ONNXType %d are not read here", path, (int)type);
  }
}

static void put_varint(FILE *file, uint64_t value) {
  for (; value >= 0x80; value >>= 7) fputc((int)(value & 0x7f) | 0x80, file);
  fputc((int)value, file);
}

static void put_bytes(FILE *file, uint64_t id, const void *data, size_t size) {
  put_varint(file, id << 3 | 2);
  put_varint(file, size);
  if (size) fwrite(data, 1, size, file);
}

void test_value_write(const test_value *tensor, const char *path) {
  FILE *file = fopen(path, "wb");
  if (!file) test_fail("cannot write %s", path);
  for (size_t i = 0; i < tensor->rank; ++i) {
    put_varint(file, TENSOR_DIMS << 3);
    put_varint(file, (uint64_t)tensor->dims[i]);
  }
  put_varint(file, TENSOR_DATA_TYPE << 3);
  put_varint(file, (uint64_t)tensor->element->proto);
  if (tensor->element->class == TEST_STRING) {
    for (size_t i = 0; i < tensor->count; ++i) {
      put_bytes(file, TENSOR_STRING_DATA, tensor->strings[i], strlen(tensor->strings[i]));
    }
  } else {
    put_bytes(file, TENSOR_RAW_DATA, tensor->data,
              test_element_bytes(tensor->element, tensor->count));
  }
  if (fclose(file)) test_fail("cannot write %s", path);
}
