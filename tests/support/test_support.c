// The tests' own judge: what numbers bits stand for, how files are read, when values match.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "support/value.h"

static double decode(ONNXTensorElementDataType type, uint64_t bits) {
  return test_element_decode(test_element_of_type(type), bits);
}

#define TYPE(suffix) ONNX_TENSOR_ELEMENT_DATA_TYPE_##suffix

static void test_decode_agrees_with_the_compiler(void **state) {
  (void)state;
  static const float floats[] = {0, -0.f, 1, -1.5f, 3.4e38f, 1e-40f, INFINITY, -INFINITY};
  for (size_t i = 0; i < sizeof floats / sizeof *floats; ++i) {
    uint32_t bits;
    memcpy(&bits, &floats[i], 4);
    assert_true(decode(TYPE(FLOAT), bits) == (double)floats[i]);
    double wide = (double)floats[i];
    uint64_t wide_bits;
    memcpy(&wide_bits, &wide, 8);
    assert_true(decode(TYPE(DOUBLE), wide_bits) == wide);
  }
}

static void test_decode_narrow_floats(void **state) {
  (void)state;
  assert_true(decode(TYPE(FLOAT16), 0x7bff) == 65504);
  assert_true(decode(TYPE(FLOAT16), 0x0001) == 0x1p-24);
  assert_true(decode(TYPE(FLOAT16), 0xfc00) == -(double)INFINITY);
  assert_true(decode(TYPE(BFLOAT16), 0x3f80) == 1);
  assert_true(decode(TYPE(FLOAT8E4M3FN), 0x7e) == 448);
  assert_true(isnan(decode(TYPE(FLOAT8E4M3FN), 0x7f)));
  assert_true(decode(TYPE(FLOAT8E4M3FNUZ), 0x7f) == 240);
  assert_true(isnan(decode(TYPE(FLOAT8E4M3FNUZ), 0x80)));
  assert_true(decode(TYPE(FLOAT8E5M2), 0x7b) == 57344);
  assert_true(isinf(decode(TYPE(FLOAT8E5M2), 0x7c)));
  assert_true(decode(TYPE(FLOAT8E5M2FNUZ), 0x7f) == 57344);
  assert_true(decode(TYPE(FLOAT4E2M1), 0xf) == -6);
  assert_true(decode(TYPE(FLOAT4E2M1), 0x1) == 0.5);
  assert_true(decode(TYPE(FLOAT8E8M0), 127) == 1);
  assert_true(isnan(decode(TYPE(FLOAT8E8M0), 255)));
}

static void test_packed_elements_start_in_the_low_bits(void **state) {
  (void)state;
  const unsigned char data[] = {0x8f, 0x01};
  const test_element *int4 = test_element_of_type(TYPE(INT4));
  const test_element *int2 = test_element_of_type(TYPE(INT2));
  assert_true(test_element_decode(int4, test_element_bits(int4, data, 0)) == -1);
  assert_true(test_element_decode(int4, test_element_bits(int4, data, 1)) == -8);
  assert_true(test_element_decode(int4, test_element_bits(int4, data, 2)) == 1);
  assert_true(test_element_decode(int2, test_element_bits(int2, data, 3)) == -2);
  assert_int_equal(test_element_bytes(int4, 3), 2);
  assert_int_equal(test_element_bytes(int2, 5), 2);
}

static test_value vector(ONNXTensorElementDataType type, void *data, size_t count) {
  test_value value = {.kind = TEST_TENSOR, .element = test_element_of_type(type), .rank = 1};
  value.dims = test_alloc(sizeof *value.dims);
  value.dims[0] = (int64_t)count;
  value.count = count;
  value.data = data;
  return value;
}

static bool matches(const test_value *expected, const test_value *actual) {
  char message[256];
  return test_value_matches(expected, actual, 1e-3, 1e-7, message, sizeof message);
}

static bool floats_match(float expected, float actual) {
  test_value want = vector(TYPE(FLOAT), &expected, 1), got = vector(TYPE(FLOAT), &actual, 1);
  return matches(&want, &got);
}

static void test_tolerance(void **state) {
  (void)state;
  assert_true(floats_match(1.0f, 1.0009f));
  assert_false(floats_match(1.0f, 1.0011f));
  assert_false(floats_match(0.0f, 1e-6f));
  assert_true(floats_match(NAN, NAN));
  assert_true(floats_match(INFINITY, INFINITY));
  assert_false(floats_match(INFINITY, 1e30f));
  assert_false(floats_match(1.0f, NAN));
  assert_false(floats_match(1.0f, INFINITY));
}

static void test_shape_type_and_kind_must_agree(void **state) {
  (void)state;
  float data[2] = {1, 2};
  test_value two = vector(TYPE(FLOAT), data, 2), one = vector(TYPE(FLOAT), data, 1);
  test_value integers = vector(TYPE(INT32), data, 2);
  test_value none = {.kind = TEST_NONE};
  test_value sequence = {.kind = TEST_SEQUENCE, .item_count = 1, .items = &two};
  test_value longer = {.kind = TEST_SEQUENCE, .item_count = 2, .items = (test_value[]){two, two}};
  assert_true(matches(&two, &two));
  assert_false(matches(&two, &one));
  assert_false(matches(&two, &integers));
  assert_false(matches(&two, &none));
  assert_true(matches(&none, &none));
  assert_true(matches(&sequence, &sequence));
  assert_false(matches(&sequence, &longer));
  test_value matrix = two;
  matrix.rank = 2;
  matrix.dims = (int64_t[]){2, 1};
  assert_false(matches(&two, &matrix));
}

static void test_strings_match_exactly(void **state) {
  (void)state;
  test_value want = vector(TYPE(STRING), NULL, 1), got = want;
  want.strings = (char *[]){"a"};
  got.strings = (char *[]){"b"};
  assert_true(matches(&want, &want));
  assert_false(matches(&want, &got));
}

// Writes the bytes to a file of their own and reads them as a value of the type.
static test_value read_bytes(const void *bytes, size_t size, ONNXType type) {
  char path[] = "/tmp/tern_support_XXXXXX";
  int file = mkstemp(path);
  assert_true(file >= 0);
  assert_int_equal(write(file, bytes, size), size);
  close(file);
  test_value value = test_value_read(path, type);
  unlink(path);
  return value;
}

static void test_read_typed_fields(void **state) {
  (void)state;
  // dims [2] (packed), data_type INT32, int32_data [1, -1] (packed varints).
  static const unsigned char message[] = {0x0a, 1,    2,    0x10, 6,    0x2a, 11,   1,    0xff,
                                          0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1};
  test_value value = read_bytes(message, sizeof message, ONNX_TYPE_TENSOR);
  assert_int_equal(value.count, 2);
  assert_int_equal(((int32_t *)value.data)[0], 1);
  assert_int_equal(((int32_t *)value.data)[1], -1);
}

static void test_read_optional(void **state) {
  (void)state;
  // A scalar uint8 of raw data 7, as the tensor_value of an OptionalProto.
  static const unsigned char message[] = {0x10, 1, 0x1a, 5, 0x10, 2, 0x4a, 1, 7};
  test_value value = read_bytes(message, sizeof message, ONNX_TYPE_OPTIONAL);
  assert_int_equal(value.kind, TEST_TENSOR);
  assert_int_equal(value.rank, 0);
  assert_int_equal(*(uint8_t *)value.data, 7);
  assert_int_equal(read_bytes("", 0, ONNX_TYPE_OPTIONAL).kind, TEST_NONE);
}

static void test_write_reads_back(void **state) {
  (void)state;
  float data[3] = {1, -2, 0.5f};
  test_value value = vector(TYPE(FLOAT), data, 3);
  char path[] = "/tmp/tern_support_XXXXXX";
  int file = mkstemp(path);
  assert_true(file >= 0);
  close(file);
  test_value_write(&value, path);
  test_value back = test_value_read(path, ONNX_TYPE_TENSOR);
  unlink(path);
  char message[256];
  assert_true(test_value_matches(&value, &back, 0, 0, message, sizeof message));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_decode_agrees_with_the_compiler),
      cmocka_unit_test(test_decode_narrow_floats),
      cmocka_unit_test(test_packed_elements_start_in_the_low_bits),
      cmocka_unit_test(test_tolerance),
      cmocka_unit_test(test_shape_type_and_kind_must_agree),
      cmocka_unit_test(test_strings_match_exactly),
      cmocka_unit_test(test_read_typed_fields),
      cmocka_unit_test(test_read_optional),
      cmocka_unit_test(test_write_reads_back),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
