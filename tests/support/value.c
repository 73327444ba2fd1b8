#include "support/value.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void test_fail(const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  vfprintf(stderr, format, arguments);
  va_end(arguments);
  fputc('\n', stderr);
  exit(1);
}

void *test_alloc(size_t bytes) {
  // The chain keeps every block reachable, so that leak checkers report only the library's.
  typedef struct block {
    struct block *next;
    _Alignas(64) unsigned char bytes[];
  } block;
  static block *blocks;
  size_t size = (sizeof(block) + bytes + 63) & ~(size_t)63;
  block *made = aligned_alloc(64, size);
  if (!made) test_fail("out of memory for %zu bytes", bytes);
  memset(made, 0, size);
  made->next = blocks;
  blocks = made;
  return made->bytes;
}

char *test_format(const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  int size = vsnprintf(NULL, 0, format, arguments);
  va_end(arguments);
  if (size < 0) test_fail("cannot format \"%s\"", format);
  char *text = test_alloc((size_t)size + 1);
  va_start(arguments, format);
  vsnprintf(text, (size_t)size + 1, format, arguments);
  va_end(arguments);
  return text;
}

void *test_file_read(const char *path, size_t *out_bytes) {
  FILE *file = fopen(path, "rb");
  if (!file || fseek(file, 0, SEEK_END)) test_fail("cannot read %s", path);
  long size = ftell(file);
  if (size < 0 || fseek(file, 0, SEEK_SET)) test_fail("cannot read %s", path);
  char *bytes = test_alloc((size_t)size + 1);
  if (fread(bytes, 1, (size_t)size, file) != (size_t)size) test_fail("cannot read %s", path);
  fclose(file);
  *out_bytes = (size_t)size;
  return bytes;
}

static void print_shape(const test_value *value, char *text, size_t capacity) {
  size_t used = 0;
  text[0] = 0;
  for (size_t i = 0; i < value->rank && used < capacity; ++i) {
    int written =
        snprintf(text + used, capacity - used, i ? ",%lld" : "%lld", (long long)value->dims[i]);
    used += written > 0 ? (size_t)written : 0;
  }
}

static bool same_shape(const test_value *expected, const test_value *actual) {
  return expected->rank == actual->rank &&
         (!expected->rank ||
          !memcmp(expected->dims, actual->dims, expected->rank * sizeof *expected->dims));
}

static bool numbers_match(const test_value *expected, const test_value *actual, double rtol,
                          double atol, char *message, size_t capacity) {
  const test_element *element = expected->element;
  if (element->type == ONNX_TENSOR_ELEMENT_DATA_TYPE_BFLOAT16) rtol = fmax(rtol, 0x1p-6);
  size_t worse = 0, first = 0;
  for (size_t i = 0; i < expected->count; ++i) {
    uint64_t want_bits = test_element_bits(element, expected->data, i);
    uint64_t got_bits = test_element_bits(element, actual->data, i);
    if (want_bits == got_bits) continue;
    double want = test_element_decode(element, want_bits);
    double got = test_element_decode(element, got_bits);
    if (isnan(want) && isnan(got)) continue;
    if (isfinite(want) && fabs(got - want) <= atol + rtol * fabs(want)) continue;
    if (worse++ == 0) first = i;
  }
  if (!worse) return true;
  snprintf(message, capacity, "%zu of %zu elements differ, first [%zu]: %.9g, expected %.9g", worse,
           expected->count, first,
           test_element_decode(element, test_element_bits(element, actual->data, first)),
           test_element_decode(element, test_element_bits(element, expected->data, first)));
  return false;
}

static bool strings_match(const test_value *expected, const test_value *actual, char *message,
                          size_t capacity) {
  for (size_t i = 0; i < expected->count; ++i) {
    if (strcmp(expected->strings[i], actual->strings[i]) != 0) {
      snprintf(message, capacity, "[%zu]: \"%s\", expected \"%s\"", i, actual->strings[i],
               expected->strings[i]);
      return false;
    }
  }
  return true;
}

static bool tensors_match(const test_value *expected, const test_value *actual, double rtol,
                          double atol, char *message, size_t capacity) {
  if (!same_shape(expected, actual)) {
    char want[128], got[128];
    print_shape(expected, want, sizeof want);
    print_shape(actual, got, sizeof got);
    snprintf(message, capacity, "shape [%s], expected [%s]", got, want);
    return false;
  }
  if (expected->element != actual->element) {
    snprintf(message, capacity, "type %s, expected %s", actual->element->name,
             expected->element->name);
    return false;
  }
  return expected->element->class == TEST_STRING
             ? strings_match(expected, actual, message, capacity)
             : numbers_match(expected, actual, rtol, atol, message, capacity);
}

bool test_value_matches(const test_value *expected, const test_value *actual, double rtol,
                        double atol, char *message, size_t capacity) {
  static const char *const kinds[] = {"none", "tensor", "sequence"};
  if (expected->kind != actual->kind) {
    snprintf(message, capacity, "%s, expected %s", kinds[actual->kind], kinds[expected->kind]);
    return false;
  }
  if (expected->kind == TEST_NONE) return true;
  if (expected->kind == TEST_TENSOR) {
    return tensors_match(expected, actual, rtol, atol, message, capacity);
  }
  if (expected->item_count != actual->item_count) {
    snprintf(message, capacity, "%zu items, expected %zu", actual->item_count,
             expected->item_count);
    return false;
  }
  for (size_t i = 0; i < expected->item_count; ++i) {
    if (!test_value_matches(&expected->items[i], &actual->items[i], rtol, atol, message,
                            capacity)) {
      return false;
    }
  }
  return true;
}
