// Values of any static type. Elements stay near zero, where indices, axes and sizes are valid often
// enough for runs to get far, or are those that nobody expects.
#include <float.h>
#include <math.h>
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

// Numbers that are no index, axis, size or amount, among a few that are.
static int64_t hostile_integer(test_random *random) {
  static const int64_t numbers[] = {INT64_MIN,
                                    INT64_MIN + 1,
                                    INT64_MAX,
                                    INT64_MAX / 2,
                                    INT32_MIN,
                                    INT32_MAX,
                                    -INT32_MAX - 2L,
                                    1L + INT32_MAX,
                                    1L + UINT32_MAX,
                                    1 << 20,
                                    -(1 << 20),
                                    1000,
                                    -1000,
                                    255,
                                    128,
                                    -128,
                                    24,
                                    -24,
                                    3,
                                    2,
                                    1,
                                    0,
                                    -1,
                                    -2};
  return numbers[test_random_below(random, TERN_COUNT_OF(numbers))];
}

static double hostile_real(test_random *random) {
  static const double numbers[] = {(double)NAN,
                                   (double)INFINITY,
                                   (double)-INFINITY,
                                   DBL_MAX,
                                   -DBL_MAX,
                                   (double)FLT_MAX,
                                   -0.0,
                                   (double)FLT_MIN / 4,
                                   0x1p63,
                                   -0x1p63,
                                   0x1p31,
                                   -0x1p32,
                                   1e10,
                                   -1e10,
                                   0.5,
                                   -1,
                                   1,
                                   0};
  return numbers[test_random_below(random, TERN_COUNT_OF(numbers))];
}

// Element bytes at `to`, up to 8.
static void make_number(tern_dtype dtype, bool is_hostile, test_random *random, unsigned char *to) {
  double real = is_hostile ? hostile_real(random) : (double)test_random_below(random, 17) / 8 - 1;
  int64_t integer = is_hostile ? hostile_integer(random) : (int64_t)test_random_below(random, 3);
  size_t size = tern_dtype_size(dtype);
  if (dtype == TERN_FLOAT)
    memcpy(to, &(float){(float)real}, sizeof(float));
  else if (dtype == TERN_DOUBLE)
    memcpy(to, &real, sizeof real);
  else if (dtype == TERN_FLOAT16)
    memcpy(to, &(uint16_t){tern_f32_to_f16((float)real)}, 2);
  else if (dtype == TERN_BOOL)
    *to = integer & 1;
  else
    memcpy(to, &integer, size > 8 ? 8 : size ? size : 1);
}

static void fill_numbers(tern_value *value, bool is_hostile, test_random *random) {
  size_t size = tern_dtype_size(value->dtype);
  unsigned char *bytes = value->data;
  // Beyond these bytes a pattern repeats: a huge input is not worth more time.
  enum { PATTERN_BYTES = 1 << 16 };
  for (size_t i = 0; i < value->data_bytes && i < PATTERN_BYTES; i += size ? size : 1)
    make_number(value->dtype, is_hostile, random, bytes + i);
  for (size_t i = PATTERN_BYTES; i < value->data_bytes; ++i) bytes[i] = bytes[i - PATTERN_BYTES];
}

typedef struct maker {
  tern_allocator *allocator;
  uint64_t seed;
  bool is_hostile;
} maker;

static tern_status *make_tensor(const maker *m, const tern_type *type, tern_value **out_value) {
  tern_shape shape;
  choose_shape(&type->shape, m->seed, &shape);
  tern_dtype dtype = type->dtype ? type->dtype : TERN_FLOAT;
  tern_value *value;
  TERN_TRY(tern_value_create_tensor(m->allocator, dtype, &shape, &value));
  test_random random = {m->seed + 1};
  tern_status *status = NULL;
  if (dtype == TERN_STRING) {
    status = fill_strings(value, &random);
  } else if (value->data_bytes) {
    memset(value->data, 0, value->data_bytes);
    fill_numbers(value, m->is_hostile, &random);
  }
  if (status)
    tern_value_release(value);
  else
    *out_value = value;
  return status;
}

static tern_status *make(const maker *m, const tern_type *type, int depth, tern_value **out_value);

static tern_status *append_new(const maker *m, const tern_type *type, int depth,
                               tern_value *container) {
  tern_value *item;
  TERN_TRY(make(m, type, depth, &item));
  tern_status *status = tern_value_append(container, item);
  tern_value_release(item);
  return status;
}

static tern_status *make_container(const maker *m, const tern_type *type, int depth,
                                   tern_value **out_value) {
  tern_value *value;
  TERN_TRY(
      tern_value_create_container(m->allocator, type->kind, type->dtype, type->element, &value));
  tern_type keys = tern_type_tensor(type->dtype);
  keys.shape = (tern_shape){.rank = 1, .dims = {2}};
  tern_type scalars = keys;
  if (type->element) scalars.dtype = type->element->dtype;
  tern_status *status = NULL;
  if (type->kind == TERN_KIND_MAP) {
    status = append_new(m, &keys, depth, value);
    if (!status) status = append_new(m, &scalars, depth, value);
  } else if (type->element) {
    size_t count = type->kind == TERN_KIND_SEQUENCE ? 2 + m->seed % 2 : m->seed % 2;
    for (size_t i = 0; i < count && !status; ++i)
      status = append_new(m, type->element, depth, value);
  }
  if (status)
    tern_value_release(value);
  else
    *out_value = value;
  return status;
}

static tern_status *make(const maker *m, const tern_type *type, int depth, tern_value **out_value) {
  if (depth > DEEPEST_TYPE) return TERN_ERROR(TERN_INVALID_ARGUMENT, "the type is too deep");
  switch (type->kind) {
  case TERN_KIND_SEQUENCE:
  case TERN_KIND_MAP:
  case TERN_KIND_OPTIONAL:
    return make_container(m, type, depth + 1, out_value);
  default:
    return make_tensor(m, type, out_value);
  }
}

tern_status *test_make_value(tern_allocator *allocator, const tern_type *type, uint64_t seed,
                             tern_value **out_value) {
  return make(&(maker){allocator, seed, false}, type, 0, out_value);
}

tern_status *test_make_hostile_value(tern_allocator *allocator, const tern_type *type,
                                     uint64_t seed, tern_value **out_value) {
  return make(&(maker){allocator, seed, true}, type, 0, out_value);
}
