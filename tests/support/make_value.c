// Small values of any static type. Elements stay near zero, where indices, axes and sizes are
// valid often enough for runs to get far.
#include <stdio.h>
#include <string.h>

#include "support/load_run.h"
#include "support/random.h"

enum { DEEPEST_TYPE = 16 };

static tern_dim size_for(tern_dim dim, uint64_t seed) {
  if (dim >= 0) return dim;
  test_random random = {seed ^ (uint64_t)dim};
  return 1 + (tern_dim)test_random_below(&random, 3);
}

static void choose_shape(const tern_shape *declared, uint64_t seed, tern_shape *out_shape) {
  test_random random = {seed};
  out_shape->rank = declared->rank >= 0 ? declared->rank : (int32_t)test_random_below(&random, 5);
  for (int32_t i = 0; i < out_shape->rank; ++i)
    out_shape->dims[i] =
        size_for(declared->rank >= 0 ? declared->dims[i] : (tern_dim)(-2 - i), seed);
}

static tern_status *fill_strings(tern_value *value, test_random *random) {
  static const char *const texts[] = {"a", "", "1.5", "\xc3\xa4 b", "NaN"};
  // The rest of a huge input stays empty: it is not worth more time.
  enum { MOST_TEXTS = 1024 };
  int64_t count = tern_min_i64(tern_value_count(value), MOST_TEXTS);
  for (int64_t i = 0; i < count; ++i) {
    const char *text = texts[test_random_below(random, TERN_COUNT_OF(texts))];
    TERN_TRY(tern_value_set_string(value, i, text, strlen(text)));
  }
  return NULL;
}

static void fill_numbers(tern_value *value, test_random *random) {
  size_t size = tern_dtype_size(value->dtype);
  unsigned char *bytes = value->data;
  // Beyond these bytes a pattern repeats: a huge input is not worth more time.
  enum { PATTERN_BYTES = 1 << 16 };
  for (size_t i = 0; i < value->data_bytes && i < PATTERN_BYTES; i += size ? size : 1) {
    float real = (float)test_random_below(random, 17) / 8 - 1;
    int64_t integer = (int64_t)test_random_below(random, 3);
    if (value->dtype == TERN_FLOAT)
      memcpy(bytes + i, &real, sizeof real);
    else if (value->dtype == TERN_DOUBLE)
      memcpy(bytes + i, &(double){(double)real}, sizeof(double));
    else if (value->dtype == TERN_FLOAT16)
      memcpy(bytes + i, &(uint16_t){tern_f32_to_f16(real)}, 2);
    else if (value->dtype == TERN_BOOL)
      bytes[i] = integer & 1;
    else
      memcpy(bytes + i, &integer, size > 8 ? 8 : size ? size : 1);
  }
  for (size_t i = PATTERN_BYTES; i < value->data_bytes; ++i) bytes[i] = bytes[i - PATTERN_BYTES];
}

static tern_status *make_tensor(tern_allocator *allocator, const tern_type *type, uint64_t seed,
                                tern_value **out_value) {
  tern_shape shape;
  choose_shape(&type->shape, seed, &shape);
  tern_dtype dtype = type->dtype ? type->dtype : TERN_FLOAT;
  tern_value *value;
  TERN_TRY(tern_value_create_tensor(allocator, dtype, &shape, &value));
  test_random random = {seed + 1};
  tern_status *status = NULL;
  if (dtype == TERN_STRING) {
    status = fill_strings(value, &random);
  } else if (value->data_bytes) {
    memset(value->data, 0, value->data_bytes);
    fill_numbers(value, &random);
  }
  if (status)
    tern_value_release(value);
  else
    *out_value = value;
  return status;
}

static tern_status *make(tern_allocator *allocator, const tern_type *type, uint64_t seed, int depth,
                         tern_value **out_value);

static tern_status *append_new(tern_allocator *allocator, const tern_type *type, uint64_t seed,
                               int depth, tern_value *container) {
  tern_value *item;
  TERN_TRY(make(allocator, type, seed, depth, &item));
  tern_status *status = tern_value_append(container, item);
  tern_value_release(item);
  return status;
}

static tern_status *make_container(tern_allocator *allocator, const tern_type *type, uint64_t seed,
                                   int depth, tern_value **out_value) {
  tern_value *value;
  TERN_TRY(tern_value_create_container(allocator, type->kind, type->dtype, type->element, &value));
  tern_type keys = tern_type_tensor(type->dtype);
  keys.shape = (tern_shape){.rank = 1, .dims = {2}};
  tern_type scalars = keys;
  if (type->element) scalars.dtype = type->element->dtype;
  tern_status *status = NULL;
  if (type->kind == TERN_KIND_MAP) {
    status = append_new(allocator, &keys, seed, depth, value);
    if (!status) status = append_new(allocator, &scalars, seed, depth, value);
  } else if (type->element) {
    size_t count = type->kind == TERN_KIND_SEQUENCE ? 2 + seed % 2 : seed % 2;
    for (size_t i = 0; i < count && !status; ++i)
      status = append_new(allocator, type->element, seed, depth, value);
  }
  if (status)
    tern_value_release(value);
  else
    *out_value = value;
  return status;
}

static tern_status *make(tern_allocator *allocator, const tern_type *type, uint64_t seed, int depth,
                         tern_value **out_value) {
  if (depth > DEEPEST_TYPE) return TERN_ERROR(TERN_INVALID_ARGUMENT, "the type is too deep");
  switch (type->kind) {
  case TERN_KIND_SEQUENCE:
  case TERN_KIND_MAP:
  case TERN_KIND_OPTIONAL:
    return make_container(allocator, type, seed, depth + 1, out_value);
  default:
    return make_tensor(allocator, type, seed, out_value);
  }
}

tern_status *test_make_value(tern_allocator *allocator, const tern_type *type, uint64_t seed,
                             tern_value **out_value) {
  return make(allocator, type, seed, 0, out_value);
}
