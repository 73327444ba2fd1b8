// C types of element types that have one, as X-lists: a kernel family is stamped once for each
// entry. X(element type, C type, suffix).
#ifndef TERN_COMPUTE_TYPES_H_
#define TERN_COMPUTE_TYPES_H_

#include "base/dtype.h"

#define TERN_X_FLOATS(X) X(TERN_FLOAT, float, f32) X(TERN_DOUBLE, double, f64)
#define TERN_X_SIGNED(X)                                                                           \
  X(TERN_INT8, int8_t, i8)                                                                         \
  X(TERN_INT16, int16_t, i16) X(TERN_INT32, int32_t, i32) X(TERN_INT64, int64_t, i64)
#define TERN_X_UNSIGNED(X)                                                                         \
  X(TERN_UINT8, uint8_t, u8)                                                                       \
  X(TERN_UINT16, uint16_t, u16) X(TERN_UINT32, uint32_t, u32) X(TERN_UINT64, uint64_t, u64)
#define TERN_X_INTS(X) TERN_X_SIGNED(X) TERN_X_UNSIGNED(X)
#define TERN_X_NUMBERS(X) TERN_X_FLOATS(X) TERN_X_INTS(X)

// For operators that work on element size alone: X(bytes, C type, suffix).
#define TERN_X_SIZES(X)                                                                            \
  X(1, uint8_t, b8) X(2, uint16_t, b16) X(4, uint32_t, b32) X(8, uint64_t, b64)

#endif
