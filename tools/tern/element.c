// The table of element types, and load and store over it.
#include "element.h"

#include <math.h>
#include <string.h>

#include "minifloat.h"

static const cli_minifloat float16 = {5, 10, 15, CLI_SPECIALS_IEEE};
static const cli_minifloat bfloat16 = {8, 7, 127, CLI_SPECIALS_IEEE};
static const cli_minifloat float8e4m3fn = {4, 3, 7, CLI_SPECIALS_FN};
static const cli_minifloat float8e4m3fnuz = {4, 3, 8, CLI_SPECIALS_FNUZ};
static const cli_minifloat float8e5m2 = {5, 2, 15, CLI_SPECIALS_IEEE};
static const cli_minifloat float8e5m2fnuz = {5, 2, 16, CLI_SPECIALS_FNUZ};
static const cli_minifloat float4e2m1 = {2, 1, 1, CLI_SPECIALS_FINITE};

static const cli_element elements[] = {
    [ONNX_TENSOR_ELEMENT_DATA_TYPE_UNDEFINED] = {"undefined", CLI_KIND_NONE, 0, NULL, NULL},
    [ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT] = {"float32", CLI_KIND_FLOAT, 32, "f4", NULL},
    [ONNX_TENSOR_ELEMENT_DATA_TYPE_UINT8] = {"uint8", CLI_KIND_UNSIGNED, 8, "u1", NULL},
    [ONNX_TENSOR_ELEMENT_DATA_TYPE_INT8] = {"int8", CLI_KIND_SIGNED, 8, "i1", NULL},
    [ONNX_TENSOR_ELEMENT_DATA_TYPE_UINT16] = {"uint16", CLI_KIND_UNSIGNED, 16, "u2", NULL},
    [ONNX_TENSOR_ELEMENT_DATA_TYPE_INT16] = {"int16", CLI_KIND_SIGNED, 16, "i2", NULL},
    [ONNX_TENSOR_ELEMENT_DATA_TYPE_INT32] = {"int32", CLI_KIND_SIGNED, 32, "i4", NULL},
    [ONNX_TENSOR_ELEMENT_DATA_TYPE_INT64] = {"int64", CLI_KIND_SIGNED, 64, "i8", NULL},
    [ONNX_TENSOR_ELEMENT_DATA_TYPE_STRING] = {"string", CLI_KIND_STRING, 0, NULL, NULL},
    [ONNX_TENSOR_ELEMENT_DATA_TYPE_BOOL] = {"bool", CLI_KIND_BOOL, 8, "b1", NULL},
    [ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT16] = {"float16", CLI_KIND_FLOAT, 16, "f2", &float16},
    [ONNX_TENSOR_ELEMENT_DATA_TYPE_DOUBLE] = {"float64", CLI_KIND_FLOAT, 64, "f8", NULL},
    [ONNX_TENSOR_ELEMENT_DATA_TYPE_UINT32] = {"uint32", CLI_KIND_UNSIGNED, 32, "u4", NULL},
    [ONNX_TENSOR_ELEMENT_DATA_TYPE_UINT64] = {"uint64", CLI_KIND_UNSIGNED, 64, "u8", NULL},
    [ONNX_TENSOR_ELEMENT_DATA_TYPE_COMPLEX64] = {"complex64", CLI_KIND_NONE, 0, NULL, NULL},
    [ONNX_TENSOR_ELEMENT_DATA_TYPE_COMPLEX128] = {"complex128", CLI_KIND_NONE, 0, NULL, NULL},
    [ONNX_TENSOR_ELEMENT_DATA_TYPE_BFLOAT16] = {"bfloat16", CLI_KIND_FLOAT, 16, NULL, &bfloat16},
    [ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT8E4M3FN] = {"float8e4m3fn", CLI_KIND_FLOAT, 8, NULL,
                                                    &float8e4m3fn},
    [ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT8E4M3FNUZ] = {"float8e4m3fnuz", CLI_KIND_FLOAT, 8, NULL,
                                                      &float8e4m3fnuz},
    [ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT8E5M2] = {"float8e5m2", CLI_KIND_FLOAT, 8, NULL,
                                                  &float8e5m2},
    [ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT8E5M2FNUZ] = {"float8e5m2fnuz", CLI_KIND_FLOAT, 8, NULL,
                                                      &float8e5m2fnuz},
    [ONNX_TENSOR_ELEMENT_DATA_TYPE_UINT4] = {"uint4", CLI_KIND_UNSIGNED, 4, NULL, NULL},
    [ONNX_TENSOR_ELEMENT_DATA_TYPE_INT4] = {"int4", CLI_KIND_SIGNED, 4, NULL, NULL},
    [ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT4E2M1] = {"float4e2m1", CLI_KIND_FLOAT, 4, NULL,
                                                  &float4e2m1},
    [ONNX_TENSOR_ELEMENT_DATA_TYPE_UINT2] = {"uint2", CLI_KIND_UNSIGNED, 2, NULL, NULL},
    [ONNX_TENSOR_ELEMENT_DATA_TYPE_INT2] = {"int2", CLI_KIND_SIGNED, 2, NULL, NULL},
};
enum { ELEMENT_COUNT = sizeof elements / sizeof elements[0] };

const cli_element *cli_element_of(cli_type type) {
  size_t index = (size_t)type;
  return index < ELEMENT_COUNT ? &elements[index] : &elements[0];
}

cli_type cli_type_of_numpy(const char *numpy) {
  for (size_t i = 0; i < ELEMENT_COUNT; i++)
    if (elements[i].numpy && strcmp(elements[i].numpy, numpy) == 0) return (cli_type)i;
  return ONNX_TENSOR_ELEMENT_DATA_TYPE_UNDEFINED;
}

cli_number cli_number_integer(int64_t value) {
  return (cli_number){.is_integer = true, .integer = value, .real = (double)value};
}

cli_number cli_number_real(double value) {
  return (cli_number){.real = value};
}

static uint64_t load_bits(unsigned bits, const void *data, size_t index) {
  uint64_t value = 0;
  if (bits >= 8) {
    size_t bytes = bits / 8;
    memcpy(&value, (const char *)data + index * bytes, bytes);
    return value;
  }
  size_t per_byte = 8 / bits;
  uint8_t byte = ((const uint8_t *)data)[index / per_byte];
  return (uint64_t)(byte >> (index % per_byte * bits)) & ((1u << bits) - 1);
}

static void store_bits(unsigned bits, void *data, size_t index, uint64_t value) {
  if (bits >= 8) {
    size_t bytes = bits / 8;
    memcpy((char *)data + index * bytes, &value, bytes);
    return;
  }
  size_t per_byte = 8 / bits, shift = index % per_byte * bits;
  uint8_t *byte = (uint8_t *)data + index / per_byte;
  unsigned mask = ((1u << bits) - 1) << shift;
  *byte = (uint8_t)((*byte & ~mask) | ((unsigned)value << shift & mask));
}

static double load_float(const cli_element *element, uint64_t code) {
  if (element->minifloat) return cli_minifloat_decode(element->minifloat, (uint32_t)code);
  if (element->bits == 64) {
    double value;
    memcpy(&value, &code, sizeof value);
    return value;
  }
  float value;
  memcpy(&value, &code, sizeof value);
  return (double)value;
}

static uint64_t float_code(const cli_element *element, double value) {
  if (element->minifloat) return cli_minifloat_encode(element->minifloat, value);
  uint64_t code = 0;
  if (element->bits == 64) {
    memcpy(&code, &value, sizeof value);
  } else {
    float narrow = (float)value;
    memcpy(&code, &narrow, sizeof narrow);
  }
  return code;
}

cli_number cli_element_load(cli_type type, const void *data, size_t index) {
  const cli_element *element = cli_element_of(type);
  if (element->bits == 0) return cli_number_real(NAN);
  uint64_t code = load_bits(element->bits, data, index);
  if (element->kind == CLI_KIND_FLOAT) return cli_number_real(load_float(element, code));
  if (element->kind == CLI_KIND_SIGNED) {
    uint64_t sign = 1ull << (element->bits - 1);
    return cli_number_integer((int64_t)((code ^ sign) - sign));
  }
  if (code > INT64_MAX) return cli_number_real((double)code);
  return cli_number_integer((int64_t)code);
}

// `value` as the bits of an integer type; false when it is not a whole number in the type's range.
static bool integer_code(const cli_element *element, cli_number value, uint64_t *out_code) {
  bool is_signed = element->kind == CLI_KIND_SIGNED;
  unsigned bits = element->kind == CLI_KIND_BOOL ? 1 : element->bits;
  if (!value.is_integer) {
    double limit = ldexp(1, (int)(is_signed ? bits - 1 : bits));
    if (!(value.real >= (is_signed ? -limit : 0) && value.real < limit)) return false;
    if (value.real != trunc(value.real)) return false;
    *out_code = value.real < 0 ? (uint64_t)(int64_t)value.real : (uint64_t)value.real;
    return true;
  }
  *out_code = (uint64_t)value.integer;
  if (is_signed && bits == 64) return true;
  if (is_signed) {
    int64_t limit = (int64_t)1 << (bits - 1);
    return value.integer >= -limit && value.integer < limit;
  }
  return value.integer >= 0 && (bits >= 63 || value.integer < (int64_t)1 << bits);
}

cli_status *cli_element_store(cli_type type, void *data, size_t index, cli_number value) {
  const cli_element *element = cli_element_of(type);
  uint64_t code;
  if (element->kind == CLI_KIND_FLOAT)
    code = float_code(element, value.real);
  else if (element->bits == 0)
    return cli_fail(CLI_FAILED, "a number cannot be stored as %s", element->name);
  else if (!integer_code(element, value, &code))
    return cli_fail(CLI_FAILED, "%.17g is not a value of type %s", value.real, element->name);
  store_bits(element->bits, data, index, code);
  return NULL;
}
