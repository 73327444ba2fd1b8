// Element types of tensors as data: one row a type, and one way to read or write an element of any
// of them. Bytes are little-endian, and sub-byte elements packed low bits first, as in ONNX.
#ifndef TERN_TOOL_ELEMENT_H
#define TERN_TOOL_ELEMENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "onnxruntime_c_api.h"
#include "status.h"

typedef ONNXTensorElementDataType cli_type;

typedef enum cli_kind {
  CLI_KIND_NONE, // not a type this tool can hold
  CLI_KIND_FLOAT,
  CLI_KIND_SIGNED,
  CLI_KIND_UNSIGNED,
  CLI_KIND_BOOL,
  CLI_KIND_STRING,
} cli_kind;

// `numpy` is the kind and size of a .npy file's descr, NULL where numpy has no such type.
typedef struct cli_element {
  const char *name;
  cli_kind kind;
  unsigned bits; // 0 for strings
  const char *numpy;
  const struct cli_minifloat *minifloat; // floats other than 32 and 64 bits
} cli_element;

// Never NULL: types outside the table get a row of kind CLI_KIND_NONE.
const cli_element *cli_element_of(cli_type type);

// The type of that row of ONNX's TensorProto or of numpy's descr, UNDEFINED when there is none.
cli_type cli_type_of_numpy(const char *numpy);

// An element's value. Integers that fit int64 stay exact; all else is a double.
typedef struct cli_number {
  bool is_integer;
  int64_t integer;
  double real; // always set
} cli_number;

cli_number cli_number_integer(int64_t value);
cli_number cli_number_real(double value);

// Element `index` of numeric `data`.
cli_number cli_element_load(cli_type type, const void *data, size_t index);

// Rounds floats to nearest even; an integer type takes only whole numbers in its range, a bool only
// 0 and 1.
CLI_MUST_USE cli_status *cli_element_store(cli_type type, void *data, size_t index,
                                           cli_number value);

#endif
