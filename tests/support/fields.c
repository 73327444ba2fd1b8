#include "support/fields.h"

#include <stdlib.h>
#include <string.h>

#include "support/wire.h"

enum message {
  LEAF,
  MODEL,
  GRAPH,
  NODE,
  ATTRIBUTE,
  TENSOR,
  SPARSE,
  VALUE_INFO,
  TYPE,
  TENSOR_TYPE,
  SEQUENCE_TYPE,
  MAP_TYPE,
  SHAPE,
  FUNCTION,
  PLAIN, // a message of scalars
};

// Which fields are messages.
static const struct {
  uint8_t message, number, child;
} nesting[] = {
    {MODEL, 7, GRAPH},        {MODEL, 8, PLAIN},         {MODEL, 14, PLAIN},
    {MODEL, 25, FUNCTION},    {GRAPH, 1, NODE},          {GRAPH, 5, TENSOR},
    {GRAPH, 11, VALUE_INFO},  {GRAPH, 12, VALUE_INFO},   {GRAPH, 13, VALUE_INFO},
    {GRAPH, 15, SPARSE},      {NODE, 5, ATTRIBUTE},      {ATTRIBUTE, 5, TENSOR},
    {ATTRIBUTE, 6, GRAPH},    {ATTRIBUTE, 10, TENSOR},   {ATTRIBUTE, 11, GRAPH},
    {ATTRIBUTE, 14, TYPE},    {ATTRIBUTE, 15, TYPE},     {ATTRIBUTE, 22, SPARSE},
    {ATTRIBUTE, 23, SPARSE},  {TENSOR, 13, PLAIN},       {SPARSE, 1, TENSOR},
    {SPARSE, 2, TENSOR},      {VALUE_INFO, 2, TYPE},     {TYPE, 1, TENSOR_TYPE},
    {TYPE, 4, SEQUENCE_TYPE}, {TYPE, 5, MAP_TYPE},       {TYPE, 8, TENSOR_TYPE},
    {TYPE, 9, SEQUENCE_TYPE}, {TENSOR_TYPE, 2, SHAPE},   {SEQUENCE_TYPE, 1, TYPE},
    {MAP_TYPE, 2, TYPE},      {SHAPE, 1, PLAIN},         {FUNCTION, 7, NODE},
    {FUNCTION, 9, PLAIN},     {FUNCTION, 11, ATTRIBUTE}, {FUNCTION, 12, VALUE_INFO},
};

static uint8_t child_of(uint8_t message, uint64_t number) {
  for (size_t i = 0; i < sizeof nesting / sizeof *nesting; ++i) {
    if (nesting[i].message == message && nesting[i].number == number) return nesting[i].child;
  }
  return LEAF;
}

static bool is_elements(uint8_t message, uint64_t number) {
  return message == TENSOR && number >= 4 && number <= 11 && number != 8;
}

static void add(test_fields *fields, test_field field) {
  if (fields->count == fields->capacity) {
    size_t capacity = fields->capacity ? fields->capacity * 2 : 64;
    test_field *items = realloc(fields->items, capacity * sizeof *items);
    if (!items) abort();
    fields->items = items;
    fields->capacity = capacity;
  }
  fields->items[fields->count++] = field;
}

// Where a field's tag ends.
static size_t after_tag(const unsigned char *bytes, size_t start) {
  while (bytes[start] & 0x80) ++start;
  return start + 1;
}

static void walk(test_fields *fields, const unsigned char *bytes, size_t begin, size_t end,
                 uint8_t message, int32_t parent, int depth) {
  wire_reader reader = wire_open(bytes + begin, end - begin);
  wire_field at;
  const unsigned char *start = reader.at;
  for (; wire_next(&reader, &at); start = reader.at) {
    test_field field = {.start = (size_t)(start - bytes),
                        .end = (size_t)(reader.at - bytes),
                        .parent = parent,
                        .message = message,
                        .wire = (uint8_t)at.type,
                        .number = (uint32_t)at.id,
                        .is_elements = is_elements(message, at.id)};
    field.data = at.type == 2 ? (size_t)(at.data - bytes) : after_tag(bytes, field.start);
    if (at.type == 2) field.child = child_of(message, at.id);
    int32_t index = (int32_t)fields->count;
    add(fields, field);
    if (field.child && depth < 64)
      walk(fields, bytes, field.data, field.end, field.child, index, depth + 1);
  }
}

void test_fields_find(const unsigned char *bytes, size_t size, test_fields *out_fields) {
  *out_fields = (test_fields){0};
  walk(out_fields, bytes, 0, size, MODEL, -1, 0);
}

// A text being built.
typedef struct sink {
  unsigned char *data;
  size_t size, capacity;
  bool is_full;
} sink;

static void put(sink *out, const void *data, size_t size) {
  if (size > out->capacity - out->size) {
    out->is_full = true;
    return;
  }
  if (size) memmove(out->data + out->size, data, size);
  out->size += size;
}

static size_t encode_varint(uint64_t value, unsigned char bytes[10]) {
  size_t size = 0;
  for (; value >= 0x80; value >>= 7) bytes[size++] = (unsigned char)(value | 0x80);
  bytes[size++] = (unsigned char)value;
  return size;
}

static size_t varint_size(uint64_t value) {
  unsigned char bytes[10];
  return encode_varint(value, bytes);
}

// A splice: bytes [begin, end) inside field `within` (-1: the top) become `with`.
typedef struct splice {
  size_t begin, end;
  int32_t within;
  const unsigned char *with;
  size_t with_size;
} splice;

enum { DEEPEST = 80 };

// Copies everything with the splice made; lengths of the fields around it are written anew.
static size_t apply(const unsigned char *bytes, size_t size, const test_fields *fields,
                    const splice *change, unsigned char *out, size_t capacity) {
  int32_t chain[DEEPEST];
  uint64_t lengths[DEEPEST];
  int depth = 0;
  int64_t delta = (int64_t)change->with_size - (int64_t)(change->end - change->begin);
  for (int32_t f = change->within; f >= 0; f = fields->items[f].parent) {
    if (depth == DEEPEST) return 0;
    const test_field *field = &fields->items[f];
    uint64_t old = field->end - field->data, length = (uint64_t)((int64_t)old + delta);
    size_t old_header = field->data - after_tag(bytes, field->start);
    delta += (int64_t)varint_size(length) - (int64_t)old_header;
    chain[depth] = f;
    lengths[depth++] = length;
  }
  sink sunk = {.data = out, .capacity = capacity};
  size_t at = 0;
  while (depth-- > 0) {
    const test_field *field = &fields->items[chain[depth]];
    put(&sunk, bytes + at, after_tag(bytes, field->start) - at);
    unsigned char length[10];
    put(&sunk, length, encode_varint(lengths[depth], length));
    at = field->data;
  }
  put(&sunk, bytes + at, change->begin - at);
  put(&sunk, change->with, change->with_size);
  put(&sunk, bytes + change->end, size - change->end);
  return sunk.is_full ? 0 : sunk.size;
}

// Another field with the same content type: the same message and number, or any text for a text.
static const test_field *similar(const test_fields *fields, const test_field *field,
                                 test_random *random) {
  for (int attempt = 0; attempt < 64; ++attempt) {
    const test_field *other = &fields->items[test_random_below(random, fields->count)];
    bool both_texts = field->wire == 2 && other->wire == 2 && !field->child && !other->child &&
                      !field->is_elements && !other->is_elements;
    if (other != field && ((other->message == field->message && other->number == field->number) ||
                           (both_texts && attempt > 32)))
      return other;
  }
  return NULL;
}

static uint64_t interesting_number(test_random *random) {
  static const int64_t numbers[] = {
      0,  1,   2,   3,         4,         5,  6,  7,     8,         9,         10,
      11, 16,  17,  21,        22,        25, 28, 64,    -1,        -2,        -3,
      -4, 127, 255, INT32_MAX, INT32_MIN, -5, 13, 65536, INT64_MAX, INT64_MIN, INT64_MAX / 2};
  size_t pick = test_random_below(random, sizeof numbers / sizeof *numbers + 4);
  if (pick < sizeof numbers / sizeof *numbers) return (uint64_t)numbers[pick];
  return test_random_next(random) >> test_random_below(random, 64);
}

// New content for a field: a number, or bytes with some damage.
static size_t other_content(const unsigned char *bytes, const test_field *field,
                            test_random *random, unsigned char *with, size_t capacity) {
  size_t size = field->end - field->data;
  if (field->wire == 0) return encode_varint(interesting_number(random), with);
  if (size > capacity) return 0;
  memcpy(with, bytes + field->data, size);
  if (field->wire != 2 || (size > 0 && test_random_below(random, 3))) {
    if (size) with[test_random_below(random, size)] = (unsigned char)test_random_next(random);
    return size;
  }
  size_t shorter = size ? test_random_below(random, size) : 0;
  if (test_random_below(random, 2)) return shorter;
  size_t more = test_random_below(random, 9);
  if (size + more > capacity) return shorter;
  for (size_t i = 0; i < more; ++i) with[size + i] = (unsigned char)(test_random_next(random) & 3);
  return size + more;
}

size_t test_fields_mutate(const unsigned char *bytes, size_t size, const test_fields *fields,
                          test_random *random, unsigned char *out, size_t capacity) {
  if (fields->count == 0) return 0;
  const test_field *field = &fields->items[test_random_below(random, fields->count)];
  int32_t index = (int32_t)(field - fields->items);
  const test_field *other = similar(fields, field, random);
  splice change = {.begin = field->start, .end = field->end, .within = field->parent};
  unsigned char fresh[4096];
  switch (test_random_below(random, 8)) {
  case 0: // gone
    break;
  case 1: // twice
    change.end = field->start;
    change.with = bytes + field->start;
    change.with_size = field->end - field->start;
    break;
  case 2: // another beside it
    if (!other) return 0;
    change.end = field->start;
    change.with = bytes + other->start;
    change.with_size = other->end - other->start;
    break;
  case 3:
  case 4: // another's content in its place
    if (!other || (field->wire == 2) != (other->wire == 2)) return 0;
    change.begin = field->data;
    change.with = bytes + other->data;
    change.with_size = other->end - other->data;
    if (field->wire == 2) change.within = index;
    break;
  default:
    if (field->child) return 0;
    change.begin = field->data;
    change.with = fresh;
    change.with_size = other_content(bytes, field, random, fresh, sizeof fresh);
    if (field->wire == 2) change.within = index;
  }
  return apply(bytes, size, fields, &change, out, capacity);
}
