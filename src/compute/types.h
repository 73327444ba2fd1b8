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

// Entries of a table that is indexed by element type: [TERN_FLOAT] = add_f32, …
#define TERN_ENTRIES_FLOATS(name) [TERN_FLOAT] = name##_f32, [TERN_DOUBLE] = name##_f64
#define TERN_ENTRIES_SIGNED(name)                                                                  \
  [TERN_INT8] = name##_i8, [TERN_INT16] = name##_i16, [TERN_INT32] = name##_i32,                   \
  [TERN_INT64] = name##_i64
#define TERN_ENTRIES_UNSIGNED(name)                                                                \
  [TERN_UINT8] = name##_u8, [TERN_UINT16] = name##_u16, [TERN_UINT32] = name##_u32,                \
  [TERN_UINT64] = name##_u64
#define TERN_ENTRIES_INTS(name) TERN_ENTRIES_SIGNED(name), TERN_ENTRIES_UNSIGNED(name)
#define TERN_ENTRIES_NUMBERS(name) TERN_ENTRIES_FLOATS(name), TERN_ENTRIES_INTS(name)

// Before a loop whose iterations do not depend on each other, also when it writes over an operand:
// compilers then make vectors of it without asking where the arrays lie.
#if defined(__clang__)
#define TERN_LANES_INDEPENDENT _Pragma("clang loop vectorize(assume_safety)")
#elif defined(__GNUC__)
#define TERN_LANES_INDEPENDENT _Pragma("GCC ivdep")
#else
#define TERN_LANES_INDEPENDENT
#endif

// For operators that work on element size alone: X(bytes, C type, suffix).
#define TERN_X_SIZES(X)                                                                            \
  X(1, uint8_t, b8) X(2, uint16_t, b16) X(4, uint32_t, b32) X(8, uint64_t, b64)

#endif
