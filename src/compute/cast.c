// Casts. Types of C convert directly, one loop each pair. The others are one step from such a type:
// narrow floats from float, packed integers from a byte; they are converted piece by piece.
#include "compute/cast.h"

#include <math.h>
#include <string.h>

#include "compute/packed.h"

typedef void (*convert_fn)(const void *source, void *target, int64_t count);

// Out of range is decided before converting, so that the conversion itself is unconditional.
static inline int32_t cut_i32_f32(float x) {
  return (int32_t)(x >= -0x1p31f && x < 0x1p31f ? x : -0x1p31f);
}
static inline int32_t cut_i32_f64(double x) {
  return (int32_t)(x > -0x1p31 - 1 && x < 0x1p31 ? x : -0x1p31);
}
static inline int64_t cut_i64_f32(float x) {
  return (int64_t)(x >= -0x1p63f && x < 0x1p63f ? x : -0x1p63f);
}
static inline int64_t cut_i64_f64(double x) {
  return (int64_t)(x >= -0x1p63 && x < 0x1p63 ? x : -0x1p63);
}
static inline uint64_t cut_u64_f64(double x) {
  return x >= 0x1p63 && x < 0x1p64 ? (uint64_t)x : (uint64_t)cut_i64_f64(x);
}
static inline uint64_t cut_u64_f32(float x) {
  return cut_u64_f64((double)x);
}

#define LOOP(name, source_type, target_type, expression)                                           \
  static void name(const void *source, void *target, int64_t count) {                              \
    const source_type *from = source;                                                              \
    target_type *to = target;                                                                      \
    TERN_LANES_INDEPENDENT                                                                         \
    for (int64_t i = 0; i < count; ++i) {                                                          \
      const source_type x = from[i];                                                               \
      to[i] = (target_type)(expression);                                                           \
    }                                                                                              \
  }

// From one type to every other.
#define FROM_INT(type, suffix)                                                                     \
  LOOP(suffix##_to_f32, type, float, x)                                                            \
  LOOP(suffix##_to_f64, type, double, x)                                                           \
  LOOP(suffix##_to_b8, type, uint8_t, x)                                                           \
  LOOP(suffix##_to_b16, type, uint16_t, x)                                                         \
  LOOP(suffix##_to_b32, type, uint32_t, x)                                                         \
  LOOP(suffix##_to_b64, type, uint64_t, x)                                                         \
  LOOP(suffix##_to_bool, type, uint8_t, x != 0)
#define FROM_FLOAT(type, suffix)                                                                   \
  LOOP(suffix##_to_f32, type, float, x)                                                            \
  LOOP(suffix##_to_f64, type, double, x)                                                           \
  LOOP(suffix##_to_b8, type, uint8_t, cut_i32_##suffix(x))                                         \
  LOOP(suffix##_to_b16, type, uint16_t, cut_i32_##suffix(x))                                       \
  LOOP(suffix##_to_i32, type, int32_t, cut_i32_##suffix(x))                                        \
  LOOP(suffix##_to_u32, type, uint32_t, cut_i64_##suffix(x))                                       \
  LOOP(suffix##_to_i64, type, int64_t, cut_i64_##suffix(x))                                        \
  LOOP(suffix##_to_u64, type, uint64_t, cut_u64_##suffix(x))                                       \
  LOOP(suffix##_to_bool, type, uint8_t, x != 0)
#define FROM_BOOL(target_type, suffix) LOOP(bool_to_##suffix, uint8_t, target_type, x != 0)

#define X(dtype, type, suffix) FROM_INT(type, suffix)
TERN_X_INTS(X)
#undef X
FROM_FLOAT(float, f32)
FROM_FLOAT(double, f64)
FROM_BOOL(float, f32)
FROM_BOOL(double, f64)
FROM_BOOL(uint8_t, b8)
FROM_BOOL(uint16_t, b16)
FROM_BOOL(uint32_t, b32)
FROM_BOOL(uint64_t, b64)

// Integers that wrap need no loop for each sign.
#define ROW_WRAPPING(s)                                                                            \
  {                                                                                                \
    [TERN_FLOAT] = s##_to_f32, [TERN_DOUBLE] = s##_to_f64, [TERN_INT8] = s##_to_b8,                \
    [TERN_UINT8] = s##_to_b8, [TERN_INT16] = s##_to_b16, [TERN_UINT16] = s##_to_b16,               \
    [TERN_INT32] = s##_to_b32, [TERN_UINT32] = s##_to_b32, [TERN_INT64] = s##_to_b64,              \
    [TERN_UINT64] = s##_to_b64, [TERN_BOOL] = s##_to_bool                                          \
  }
#define ROW_CUTTING(s)                                                                             \
  {                                                                                                \
    [TERN_FLOAT] = s##_to_f32, [TERN_DOUBLE] = s##_to_f64, [TERN_INT8] = s##_to_b8,                \
    [TERN_UINT8] = s##_to_b8, [TERN_INT16] = s##_to_b16, [TERN_UINT16] = s##_to_b16,               \
    [TERN_INT32] = s##_to_i32, [TERN_UINT32] = s##_to_u32, [TERN_INT64] = s##_to_i64,              \
    [TERN_UINT64] = s##_to_u64, [TERN_BOOL] = s##_to_bool                                          \
  }
#define bool_to_bool bool_to_b8

static const convert_fn converters[TERN_DTYPE_COUNT][TERN_DTYPE_COUNT] = {
#define X(dtype, type, suffix) [dtype] = ROW_WRAPPING(suffix),
    TERN_X_INTS(X)
#undef X
        [TERN_BOOL] = ROW_WRAPPING(bool),
    [TERN_FLOAT] = ROW_CUTTING(f32),
    [TERN_DOUBLE] = ROW_CUTTING(f64),
};

// To float for rounding once more to a narrower type: rounds to odd, so that the second rounding
// sees on which side of a tie the double was.
static void f64_to_f32_odd(const void *source, void *target, int64_t count) {
  const double *from = source;
  float *to = target;
  for (int64_t i = 0; i < count; ++i) {
    float near = (float)from[i];
    uint32_t bits;
    memcpy(&bits, &near, sizeof bits);
    if (isfinite(near) && (double)near != from[i]) {
      if (fabs((double)near) > fabs(from[i])) --bits;
      bits |= 1;
    }
    memcpy(&to[i], &bits, sizeof bits);
  }
}

static bool is_narrow_float(tern_dtype dtype) {
  return tern_dtype_get_info(dtype)->class == TERN_CLASS_B;
}

// The type of C that stands for `dtype` on the way.
static tern_dtype stand_in(tern_dtype dtype) {
  if (is_narrow_float(dtype)) return TERN_FLOAT;
  if (!tern_dtype_is_sub_byte(dtype)) return dtype;
  return tern_dtype_get_info(dtype)->class == TERN_CLASS_I ? TERN_INT8 : TERN_UINT8;
}

bool tern_cast_is_supported(tern_dtype from, tern_dtype to) {
  return converters[stand_in(from)][stand_in(to)] != NULL;
}

// A multiple of 8, so that pieces of packed elements begin at bytes.
enum { PIECE = 512 };

static const void *piece_at(tern_dtype dtype, const void *data, int64_t first) {
  return (const char *)data + (size_t)first / 8 * tern_dtype_get_info(dtype)->bits;
}

static void sign_extend(unsigned bits, int8_t *codes, int64_t count) {
  const int sign = 1 << (bits - 1);
  for (int64_t i = 0; i < count; ++i) codes[i] = (int8_t)((codes[i] ^ sign) - sign);
}

static const void *load(tern_dtype from, const void *source, int64_t count, void *staged) {
  if (is_narrow_float(from)) {
    tern_dtype_to_f32(from, source, count, staged);
    return staged;
  }
  if (!tern_dtype_is_sub_byte(from)) return source;
  const tern_dtype_info *info = tern_dtype_get_info(from);
  tern_packed_unpack(info->bits, source, count, staged);
  if (info->class == TERN_CLASS_I) sign_extend(info->bits, staged, count);
  return staged;
}

static void store(tern_dtype to, const void *staged, int64_t count,
                  const tern_cast_options *options, void *target) {
  if (to == TERN_FLOAT8E8M0) {
    const float *values = staged;
    uint8_t *codes = target;
    for (int64_t i = 0; i < count; ++i)
      codes[i] = tern_f32_to_e8m0(values[i], options->round, options->saturate);
  } else if (is_narrow_float(to)) {
    tern_dtype_from_f32(to, staged, count, options->saturate, target);
  } else {
    tern_packed_pack(tern_dtype_get_info(to)->bits, staged, count, target);
  }
}

void tern_cast(tern_dtype from, const void *source, tern_dtype to, void *target, int64_t count,
               const tern_cast_options *options) {
  if (count <= 0) return;
  size_t bytes;
  if (from == to && from != TERN_BOOL) {
    if (source != target && tern_dtype_bytes(from, count, &bytes)) memmove(target, source, bytes);
    return;
  }
  convert_fn convert = converters[stand_in(from)][stand_in(to)];
  if (!convert) return;
  if (stand_in(from) == from && stand_in(to) == to) {
    convert(source, target, count);
    return;
  }
  if (from == TERN_DOUBLE && is_narrow_float(to)) convert = f64_to_f32_odd;
  _Alignas(8) unsigned char loaded[PIECE * 8], converted[PIECE * 8]; // room for any type
  for (int64_t i = 0; i < count; i += PIECE) {
    const int64_t length = tern_min_i64(PIECE, count - i);
    const void *piece = load(from, piece_at(from, source, i), length, loaded);
    void *goal = (void *)(uintptr_t)piece_at(to, target, i);
    const bool is_direct = stand_in(to) == to;
    convert(piece, is_direct ? goal : converted, length);
    if (!is_direct) store(to, converted, length, options, goal);
  }
}
