#include "support/element.h"

#include <math.h>
#include <string.h>

#define TYPE(suffix) ONNX_TENSOR_ELEMENT_DATA_TYPE_##suffix

static const test_element elements[] = {
    {"float", 1, TYPE(FLOAT), 32, TEST_IEEE, 8, 23, 127},
    {"uint8", 2, TYPE(UINT8), 8, TEST_UNSIGNED, 0, 0, 0},
    {"int8", 3, TYPE(INT8), 8, TEST_SIGNED, 0, 0, 0},
    {"uint16", 4, TYPE(UINT16), 16, TEST_UNSIGNED, 0, 0, 0},
    {"int16", 5, TYPE(INT16), 16, TEST_SIGNED, 0, 0, 0},
    {"int32", 6, TYPE(INT32), 32, TEST_SIGNED, 0, 0, 0},
    {"int64", 7, TYPE(INT64), 64, TEST_SIGNED, 0, 0, 0},
    {"string", 8, TYPE(STRING), 0, TEST_STRING, 0, 0, 0},
    {"bool", 9, TYPE(BOOL), 8, TEST_UNSIGNED, 0, 0, 0},
    {"float16", 10, TYPE(FLOAT16), 16, TEST_IEEE, 5, 10, 15},
    {"double", 11, TYPE(DOUBLE), 64, TEST_IEEE, 11, 52, 1023},
    {"uint32", 12, TYPE(UINT32), 32, TEST_UNSIGNED, 0, 0, 0},
    {"uint64", 13, TYPE(UINT64), 64, TEST_UNSIGNED, 0, 0, 0},
    {"bfloat16", 16, TYPE(BFLOAT16), 16, TEST_IEEE, 8, 7, 127},
    {"float8e4m3fn", 17, TYPE(FLOAT8E4M3FN), 8, TEST_FINITE, 4, 3, 7},
    {"float8e4m3fnuz", 18, TYPE(FLOAT8E4M3FNUZ), 8, TEST_FNUZ, 4, 3, 8},
    {"float8e5m2", 19, TYPE(FLOAT8E5M2), 8, TEST_IEEE, 5, 2, 15},
    {"float8e5m2fnuz", 20, TYPE(FLOAT8E5M2FNUZ), 8, TEST_FNUZ, 5, 2, 16},
    {"uint4", 21, TYPE(UINT4), 4, TEST_UNSIGNED, 0, 0, 0},
    {"int4", 22, TYPE(INT4), 4, TEST_SIGNED, 0, 0, 0},
    {"float4e2m1", 23, TYPE(FLOAT4E2M1), 4, TEST_PLAIN, 2, 1, 1},
    {"float8e8m0", 24, TYPE(FLOAT8E8M0), 8, TEST_EXPONENT, 8, 0, 127},
    {"uint2", 25, TYPE(UINT2), 2, TEST_UNSIGNED, 0, 0, 0},
    {"int2", 26, TYPE(INT2), 2, TEST_SIGNED, 0, 0, 0},
};

enum { ELEMENT_COUNT = sizeof elements / sizeof *elements };

const test_element *test_element_of_proto(int64_t proto) {
  for (size_t i = 0; i < ELEMENT_COUNT; ++i) {
    if (elements[i].proto == proto) return &elements[i];
  }
  return NULL;
}

const test_element *test_element_of_type(ONNXTensorElementDataType type) {
  for (size_t i = 0; i < ELEMENT_COUNT; ++i) {
    if (elements[i].type == type) return &elements[i];
  }
  return NULL;
}

size_t test_element_bytes(const test_element *element, size_t count) {
  return (count * element->bits + 7) / 8;
}

uint64_t test_element_bits(const test_element *element, const void *data, size_t index) {
  const unsigned char *bytes = data;
  if (element->bits < 8) {
    size_t per_byte = 8 / element->bits;
    unsigned shift = (unsigned)(index % per_byte) * element->bits;
    return (uint64_t)(bytes[index / per_byte] >> shift) & ((1u << element->bits) - 1u);
  }
  uint64_t bits = 0;
  memcpy(&bits, bytes + index * (element->bits / 8), element->bits / 8);
  return bits;
}

static double decode_signed(const test_element *element, uint64_t bits) {
  unsigned unused = 64 - element->bits;
  return (double)((int64_t)(bits << unused) >> unused);
}

// IEEE 754 interchange formats and the small ones derived from them (OCP 8-bit and microscaling
// formats, "fnuz" variants), as the standard's float8 and float4 pages define them.
static double decode_float(const test_element *element, uint64_t bits) {
  uint64_t fraction_mask = (UINT64_C(1) << element->fraction_bits) - 1;
  uint64_t exponent_mask = (UINT64_C(1) << element->exponent_bits) - 1;
  uint64_t fraction = bits & fraction_mask;
  uint64_t exponent = (bits >> element->fraction_bits) & exponent_mask;
  bool negative = (bits >> (element->bits - 1)) != 0;
  if (element->class == TEST_IEEE && exponent == exponent_mask) {
    return fraction ? (double)NAN : negative ? -(double)INFINITY : (double)INFINITY;
  }
  if (element->class == TEST_FINITE && exponent == exponent_mask && fraction == fraction_mask) {
    return (double)NAN;
  }
  if (element->class == TEST_FNUZ && negative && exponent == 0 && fraction == 0) {
    return (double)NAN;
  }
  int scale = (exponent ? (int)exponent : 1) - element->bias - (int)element->fraction_bits;
  if (exponent) fraction |= fraction_mask + 1;
  double magnitude = ldexp((double)fraction, scale);
  return negative ? -magnitude : magnitude;
}

double test_element_decode(const test_element *element, uint64_t bits) {
  switch (element->class) {
  case TEST_UNSIGNED:
    return (double)bits;
  case TEST_SIGNED:
    return decode_signed(element, bits);
  case TEST_EXPONENT:
    return bits == 255 ? (double)NAN : ldexp(1, (int)bits - element->bias);
  case TEST_STRING:
    return (double)NAN;
  default:
    return decode_float(element, bits);
  }
}
