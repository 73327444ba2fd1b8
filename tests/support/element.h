// Element types as the tests know them: how each is numbered and stored, and what number the bits
// of one element stand for. Written from the standard alone and sharing nothing with the library,
// because it judges the library's conversions.
#ifndef TERN_TESTS_SUPPORT_ELEMENT_H_
#define TERN_TESTS_SUPPORT_ELEMENT_H_

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "onnxruntime_c_api.h"

typedef enum test_element_class {
  TEST_UNSIGNED,
  TEST_SIGNED,
  TEST_IEEE,     // all-ones exponent: infinities and NaN
  TEST_FINITE,   // no infinities; NaN only where exponent and fraction are all ones
  TEST_FNUZ,     // "fnuz": no infinities, no -0; the bit pattern of -0 is NaN
  TEST_PLAIN,    // every pattern is a finite number
  TEST_EXPONENT, // a power of two, no sign and no fraction; all ones is NaN
  TEST_STRING,
} test_element_class;

// A row of onnx.proto's TensorProto.DataType.
typedef struct test_element {
  const char *name;
  int proto;                      // TensorProto.DataType
  ONNXTensorElementDataType type; // the C ABI's number, which differs for some
  unsigned bits;                  // of one element; below 8, elements are packed from the low bits
  test_element_class class;
  unsigned exponent_bits, fraction_bits;
  int bias;
} test_element;

// NULL: no such type.
const test_element *test_element_of_proto(int64_t proto);
const test_element *test_element_of_type(ONNXTensorElementDataType type);

// Bytes that hold `count` elements.
size_t test_element_bytes(const test_element *element, size_t count);
// The bits of element `index` of packed little-endian data.
uint64_t test_element_bits(const test_element *element, const void *data, size_t index);
// The number those bits stand for (64-bit integers are rounded). Not for strings.
double test_element_decode(const test_element *element, uint64_t bits);

#endif
