// Element types as data. The numbers are ONNX's (TensorProto.DataType), so that files need no
// translation (the C ABI numbers three of them otherwise). Narrow and sub-byte formats convert
// through float or int64 here, once for the whole library.
#ifndef TERN_BASE_DTYPE_H_
#define TERN_BASE_DTYPE_H_

#include "base/status.h"

// X(enumerator, ONNX number, name, bits, class). Class: F float, B narrow float, I signed integer,
// U unsigned integer, L boolean, C complex, S string.
#define TERN_DTYPES(X)                                                                             \
  X(TERN_FLOAT, 1, "float", 32, F)                                                                 \
  X(TERN_UINT8, 2, "uint8", 8, U)                                                                  \
  X(TERN_INT8, 3, "int8", 8, I)                                                                    \
  X(TERN_UINT16, 4, "uint16", 16, U)                                                               \
  X(TERN_INT16, 5, "int16", 16, I)                                                                 \
  X(TERN_INT32, 6, "int32", 32, I)                                                                 \
  X(TERN_INT64, 7, "int64", 64, I)                                                                 \
  X(TERN_STRING, 8, "string", 128, S)                                                              \
  X(TERN_BOOL, 9, "bool", 8, L)                                                                    \
  X(TERN_FLOAT16, 10, "float16", 16, B)                                                            \
  X(TERN_DOUBLE, 11, "double", 64, F)                                                              \
  X(TERN_UINT32, 12, "uint32", 32, U)                                                              \
  X(TERN_UINT64, 13, "uint64", 64, U)                                                              \
  X(TERN_COMPLEX64, 14, "complex64", 64, C)                                                        \
  X(TERN_COMPLEX128, 15, "complex128", 128, C)                                                     \
  X(TERN_BFLOAT16, 16, "bfloat16", 16, B)                                                          \
  X(TERN_FLOAT8E4M3FN, 17, "float8e4m3fn", 8, B)                                                   \
  X(TERN_FLOAT8E4M3FNUZ, 18, "float8e4m3fnuz", 8, B)                                               \
  X(TERN_FLOAT8E5M2, 19, "float8e5m2", 8, B)                                                       \
  X(TERN_FLOAT8E5M2FNUZ, 20, "float8e5m2fnuz", 8, B)                                               \
  X(TERN_UINT4, 21, "uint4", 4, U)                                                                 \
  X(TERN_INT4, 22, "int4", 4, I)                                                                   \
  X(TERN_FLOAT4E2M1, 23, "float4e2m1", 4, B)                                                       \
  X(TERN_FLOAT8E8M0, 24, "float8e8m0", 8, B)                                                       \
  X(TERN_UINT2, 25, "uint2", 2, U)                                                                 \
  X(TERN_INT2, 26, "int2", 2, I)                                                                   \
  X(TERN_FLOAT6E2M3, 27, "float6e2m3", 6, B)                                                       \
  X(TERN_FLOAT6E3M2, 28, "float6e3m2", 6, B)

typedef enum tern_dtype {
  TERN_DTYPE_UNDEFINED = 0,
#define X(enumerator, number, name, bits, class) enumerator = number,
  TERN_DTYPES(X)
#undef X
      TERN_DTYPE_COUNT = 29,
} tern_dtype;

typedef enum tern_dtype_class {
  TERN_CLASS_NONE,
  TERN_CLASS_F,
  TERN_CLASS_B,
  TERN_CLASS_I,
  TERN_CLASS_U,
  TERN_CLASS_L,
  TERN_CLASS_C,
  TERN_CLASS_S,
} tern_dtype_class;

typedef struct tern_dtype_info {
  const char *name; // as the standard writes it: "float", "int64"; "undefined" for 0
  uint8_t bits;     // of one element in memory
  uint8_t class;    // tern_dtype_class
} tern_dtype_info;

// Never NULL; numbers that are no type give the row of TERN_DTYPE_UNDEFINED.
const tern_dtype_info *tern_dtype_get_info(tern_dtype dtype);
static inline const char *tern_dtype_name(tern_dtype dtype) {
  return tern_dtype_get_info(dtype)->name;
}
static inline bool tern_dtype_is_valid(int64_t number) {
  return number > 0 && number < TERN_DTYPE_COUNT;
}
// TERN_DTYPE_UNDEFINED when there is no such name.
tern_dtype tern_dtype_from_name(const char *name);

// Bytes of `count` elements: sub-byte elements are packed from the low bits up (6-bit ones straddle
// bytes) and the last byte is padded with zeros. False on overflow, a negative count or no type.
bool tern_dtype_bytes(tern_dtype dtype, int64_t count, size_t *out_bytes);
// Bytes of one element; 0 for sub-byte types.
static inline size_t tern_dtype_size(tern_dtype dtype) {
  return (size_t)tern_dtype_get_info(dtype)->bits / 8;
}
static inline bool tern_dtype_is_sub_byte(tern_dtype dtype) {
  return tern_dtype_get_info(dtype)->bits < 8 && dtype != TERN_DTYPE_UNDEFINED;
}

// Sets of types: bit d stands for type number d.
typedef uint32_t tern_dtype_set;
#define TERN_DTYPE_BIT(dtype) ((tern_dtype_set)1 << (dtype))
static inline bool tern_dtype_set_has(tern_dtype_set set, tern_dtype dtype) {
  return (set >> dtype) & 1u;
}

// An element of a string tensor: any bytes, not NUL-terminated, owned by the tensor's storage.
typedef struct tern_string {
  const char *data;
  size_t size;
} tern_string;

// Single conversions, round to nearest even. They agree bit for bit with the array versions.
float tern_f16_to_f32(uint16_t value);
uint16_t tern_f32_to_f16(float value);
float tern_bf16_to_f32(uint16_t value);
uint16_t tern_f32_to_bf16(float value);

// Array conversions of `count` elements between float and a narrow float type (class B). From
// float: round to nearest even; with `saturate` out-of-range values become the largest finite value
// where the format says so (ONNX Cast, "saturate"), otherwise infinity or NaN as the format has it.
// float8e8m0 holds powers of two and rounds up as the Cast operator's default `round_mode` says.
// Sub-byte formats read and write packed bytes, from the first bit of `source` or `target`. Formats
// without a NaN hold zero for it.
void tern_dtype_to_f32(tern_dtype narrow, const void *source, int64_t count, float *target);
void tern_dtype_from_f32(tern_dtype narrow, const float *source, int64_t count, bool saturate,
                         void *target);

// How a float becomes a power of two (Cast's `round_mode`): away from zero, towards zero, or to the
// nearest with ties away from zero.
typedef enum tern_e8m0_round {
  TERN_E8M0_UP,
  TERN_E8M0_DOWN,
  TERN_E8M0_NEAREST,
} tern_e8m0_round;

// The float8e8m0 code of |value|. Out of range, zero and infinity included: the nearest code with
// `saturate`, otherwise NaN (0xff).
uint8_t tern_f32_to_e8m0(float value, tern_e8m0_round round, bool saturate);

// One element of any integer or boolean type, packed sub-byte types too.
int64_t tern_dtype_read_i64(tern_dtype dtype, const void *data, int64_t index);
// One element of any real type, packed sub-byte types too. Integers beyond 2^53 are rounded.
double tern_dtype_read_f64(tern_dtype dtype, const void *data, int64_t index);
// Writes the low bits of `value`.
void tern_dtype_write_i64(tern_dtype dtype, void *data, int64_t index, int64_t value);

#endif
