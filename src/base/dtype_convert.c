// Narrow floats to and from float, bit by bit: half and bfloat16 in forms that compilers
// vectorise, everything of eight bits and less from one table of formats. Results do not depend on
// the denormal mode of the thread: nothing here reads or makes a float32 denormal by arithmetic.
#include <string.h>

#include "base/dtype.h"

static inline uint32_t bits_of(float value) {
  uint32_t bits;
  memcpy(&bits, &value, sizeof bits);
  return bits;
}

static inline float float_of(uint32_t bits) {
  float value;
  memcpy(&value, &bits, sizeof value);
  return value;
}

static const uint32_t F32_INFINITY = 0x7f800000u;

static inline float f16_to_f32(uint16_t half) {
  uint32_t sign = (uint32_t)(half & 0x8000u) << 16;
  uint32_t shifted = (uint32_t)(half & 0x7fffu) << 13;
  uint32_t exponent = shifted & 0x0f800000u;
  uint32_t normal = shifted + ((127u - 15u) << 23);
  uint32_t special = shifted + ((255u - 31u) << 23);
  // A subnormal half is a fraction of 2^-14: put it behind an implicit one and take that away.
  uint32_t subnormal = bits_of(float_of(shifted + (113u << 23)) - float_of(113u << 23));
  uint32_t magnitude = exponent == 0 ? subnormal : exponent == 0x0f800000u ? special : normal;
  return float_of(sign | magnitude);
}

static inline uint16_t f32_to_f16(float value) {
  uint32_t bits = bits_of(value), magnitude = bits & 0x7fffffffu;
  // Above 65504 the carry of the rounding reaches the exponent of infinity by itself; values whose
  // exponent a half does not have are cut to infinity first.
  uint32_t odd = (magnitude >> 13) & 1u;
  uint32_t normal = (magnitude - ((127u - 15u) << 23) + 0xfffu + odd) >> 13;
  // Adding 0.5 leaves a subnormal's 2^-24 steps in the lowest mantissa bits, rounded to even by
  // the addition itself.
  uint32_t subnormal = bits_of(float_of(magnitude) + 0.5f) - bits_of(0.5f);
  uint32_t quiet_nan = 0x7e00u | ((magnitude >> 13) & 0x3ffu);
  uint32_t half = magnitude < (113u << 23) ? subnormal : normal;
  half = magnitude >= (143u << 23) ? 0x7c00u : half;
  half = magnitude > F32_INFINITY ? quiet_nan : half;
  return (uint16_t)((bits >> 16 & 0x8000u) | half);
}

static inline float bf16_to_f32(uint16_t value) {
  return float_of((uint32_t)value << 16);
}

static inline uint16_t f32_to_bf16(float value) {
  uint32_t bits = bits_of(value);
  uint32_t rounded = (bits + 0x7fffu + ((bits >> 16) & 1u)) >> 16;
  uint32_t quiet_nan = (bits >> 16) | 0x40u;
  return (uint16_t)((bits & 0x7fffffffu) > F32_INFINITY ? quiet_nan : rounded);
}

float tern_f16_to_f32(uint16_t value) {
  return f16_to_f32(value);
}
uint16_t tern_f32_to_f16(float value) {
  return f32_to_f16(value);
}
float tern_bf16_to_f32(uint16_t value) {
  return bf16_to_f32(value);
}
uint16_t tern_f32_to_bf16(float value) {
  return f32_to_bf16(value);
}

// A signed format of at most eight bits. Codes are magnitudes: the sign bit is above them.
typedef struct narrow_format {
  uint8_t bits, mantissa_bits;
  uint8_t bias;
  uint8_t largest;   // the largest finite magnitude
  uint8_t infinity;  // the magnitude of infinity; 0: the format has none
  uint8_t nan;       // the magnitude of the NaN that is written; 0: the format has none
  bool unsigned_nan; // FNUZ: the code of -0 is the only NaN, and zero has no sign
} narrow_format;

// ONNX, "Float stored in 8 bits", and OCP Microscaling Formats 1.0 for the 6- and 4-bit ones.
static const narrow_format formats[TERN_DTYPE_COUNT] = {
    [TERN_FLOAT8E4M3FN] = {8, 3, 7, 0x7e, 0, 0x7f, false},
    [TERN_FLOAT8E4M3FNUZ] = {8, 3, 8, 0x7f, 0, 0, true},
    [TERN_FLOAT8E5M2] = {8, 2, 15, 0x7b, 0x7c, 0x7e, false},
    [TERN_FLOAT8E5M2FNUZ] = {8, 2, 16, 0x7f, 0, 0, true},
    [TERN_FLOAT6E2M3] = {6, 3, 1, 0x1f, 0, 0, false},
    [TERN_FLOAT6E3M2] = {6, 2, 3, 0x1f, 0, 0, false},
    [TERN_FLOAT4E2M1] = {4, 1, 1, 0x07, 0, 0, false},
};

static float e8m0_to_f32(unsigned code) {
  if (code == 0xff) return float_of(0x7fc00000u);
  return float_of(code == 0 ? 0x00400000u : (uint32_t)code << 23);
}

static float narrow_to_f32(const narrow_format *format, unsigned code) {
  unsigned sign_bit = 1u << (format->bits - 1), magnitude = code & (sign_bit - 1);
  uint32_t sign = code & sign_bit ? 0x80000000u : 0;
  if (format->unsigned_nan && code == sign_bit) return float_of(0x7fc00000u);
  if (magnitude > format->largest)
    return float_of(
        sign | (format->infinity && magnitude == format->infinity ? F32_INFINITY : 0x7fc00000u));
  uint32_t exponent = magnitude >> format->mantissa_bits;
  uint32_t mantissa = magnitude & ((1u << format->mantissa_bits) - 1);
  if (exponent == 0) {
    if (mantissa == 0) return float_of(sign);
    for (exponent = 1; !(mantissa >> format->mantissa_bits); --exponent) mantissa <<= 1;
    mantissa &= (1u << format->mantissa_bits) - 1;
  }
  // Unsigned arithmetic wraps back: exponent may be "negative" here, the sum is not.
  return float_of(sign | (exponent + 127u - format->bias) << 23 |
                  mantissa << (23 - format->mantissa_bits));
}

static unsigned narrow_nan(const narrow_format *format, bool negative) {
  unsigned sign_bit = 1u << (format->bits - 1);
  if (format->unsigned_nan) return sign_bit;
  // Without a NaN it is zero with the sign turned, as the standard's reference has it.
  if (format->nan == 0) return negative ? 0 : sign_bit;
  return format->nan | (negative ? sign_bit : 0);
}

static unsigned narrow_overflow(const narrow_format *format, bool negative, bool saturate) {
  unsigned sign = negative ? 1u << (format->bits - 1) : 0;
  bool has_nan = format->nan || format->unsigned_nan;
  if (saturate || !has_nan) return format->largest | sign;
  return format->infinity ? format->infinity | sign : narrow_nan(format, negative);
}

// Shifts `mantissa` right by 1 to 24 bits, rounding to nearest even.
static uint32_t shift_to_even(uint32_t mantissa, unsigned shift) {
  uint32_t odd = (mantissa >> shift) & 1u;
  return (mantissa + (1u << (shift - 1)) - 1 + odd) >> shift;
}

static unsigned narrow_from_f32(const narrow_format *format, float value, bool saturate) {
  uint32_t bits = bits_of(value), magnitude = bits & 0x7fffffffu;
  bool negative = bits >> 31;
  if (magnitude > F32_INFINITY) return narrow_nan(format, negative);
  int exponent = (int)(magnitude >> 23) - 127 + format->bias;
  unsigned shift = 23u - format->mantissa_bits;
  // Below the smallest normal the step stays that of exponent 1.
  if (exponent < 1) shift += (unsigned)(1 - exponent);
  uint32_t code = 0;
  if (shift <= 24) { // float32 denormals have a larger shift in every format
    code = shift_to_even((magnitude & 0x7fffffu) | 0x800000u, shift);
    if (exponent > 1) code += (uint32_t)(exponent - 1) << format->mantissa_bits;
  }
  if (code > format->largest) return narrow_overflow(format, negative, saturate);
  if (format->unsigned_nan && code == 0) return 0;
  return code | (negative ? 1u << (format->bits - 1) : 0);
}

uint8_t tern_f32_to_e8m0(float value, tern_e8m0_round round, bool saturate) {
  uint32_t magnitude = bits_of(value) & 0x7fffffffu;
  if (magnitude > F32_INFINITY) return 0xff;
  if (magnitude < 0x00400000u) return saturate ? 0 : 0xff; // below 2^-127
  bool is_denormal = magnitude < 0x00800000u;              // 2^-127 and a fraction
  uint32_t code = magnitude >> 23;
  uint32_t fraction = (is_denormal ? magnitude << 1 : magnitude) & 0x7fffffu;
  if (round == TERN_E8M0_UP && fraction > 0) ++code;
  if (round == TERN_E8M0_NEAREST && fraction >= 0x400000u) ++code;
  if (code > 0xfe) return saturate ? 0xfe : 0xff;
  return (uint8_t)code;
}

static unsigned read_code(const unsigned char *bytes, int64_t index, unsigned bits) {
  if (bits == 8) return bytes[index];
  uint64_t offset = (uint64_t)index * bits;
  unsigned shift = (unsigned)(offset % 8);
  unsigned code = (unsigned)bytes[offset / 8] >> shift;
  if (shift + bits > 8) code |= (unsigned)bytes[offset / 8 + 1] << (8 - shift);
  return code & ((1u << bits) - 1);
}

// Into bytes whose bits from this element on are zero.
static void write_code(unsigned char *bytes, int64_t index, unsigned bits, unsigned code) {
  uint64_t offset = (uint64_t)index * bits;
  unsigned shift = (unsigned)(offset % 8);
  unsigned char *byte = bytes + offset / 8;
  byte[0] = (unsigned char)(byte[0] | code << shift);
  if (shift + bits > 8) byte[1] = (unsigned char)(code >> (8 - shift));
}

static float code_to_f32(tern_dtype narrow, unsigned code) {
  return narrow == TERN_FLOAT8E8M0 ? e8m0_to_f32(code) : narrow_to_f32(&formats[narrow], code);
}

void tern_dtype_to_f32(tern_dtype narrow, const void *source, int64_t count, float *target) {
  if (narrow == TERN_FLOAT16) {
    const uint16_t *halves = source;
    for (int64_t i = 0; i < count; ++i) target[i] = f16_to_f32(halves[i]);
  } else if (narrow == TERN_BFLOAT16) {
    const uint16_t *halves = source;
    for (int64_t i = 0; i < count; ++i) target[i] = bf16_to_f32(halves[i]);
  } else if (tern_dtype_get_info(narrow)->class == TERN_CLASS_B) {
    float table[256];
    unsigned bits = tern_dtype_get_info(narrow)->bits;
    bool few = count < (int64_t)1 << bits;
    // Where every code is likely to be seen, decoding each once makes an element one load.
    for (unsigned code = 0; !few && code < 1u << bits; ++code)
      table[code] = code_to_f32(narrow, code);
    for (int64_t i = 0; i < count; ++i) {
      unsigned code = read_code(source, i, bits);
      target[i] = few ? code_to_f32(narrow, code) : table[code];
    }
  }
}

// Half and bfloat16 ignore `saturate`: the operator's attribute covers the 8-bit formats only.
static void from_f32_narrow(tern_dtype narrow, const float *source, int64_t count, bool saturate,
                            unsigned char *target) {
  const narrow_format *format = &formats[narrow];
  size_t bytes;
  if (!tern_dtype_bytes(narrow, count, &bytes)) return;
  if (format->bits == 8) {
    for (int64_t i = 0; i < count; ++i)
      target[i] = (unsigned char)narrow_from_f32(format, source[i], saturate);
    return;
  }
  if (bytes > 0) memset(target, 0, bytes);
  for (int64_t i = 0; i < count; ++i)
    write_code(target, i, format->bits, narrow_from_f32(format, source[i], saturate));
}

void tern_dtype_from_f32(tern_dtype narrow, const float *source, int64_t count, bool saturate,
                         void *target) {
  if (narrow == TERN_FLOAT16) {
    uint16_t *halves = target;
    for (int64_t i = 0; i < count; ++i) halves[i] = f32_to_f16(source[i]);
  } else if (narrow == TERN_BFLOAT16) {
    uint16_t *halves = target;
    for (int64_t i = 0; i < count; ++i) halves[i] = f32_to_bf16(source[i]);
  } else if (narrow == TERN_FLOAT8E8M0) {
    uint8_t *codes = target;
    for (int64_t i = 0; i < count; ++i)
      codes[i] = tern_f32_to_e8m0(source[i], TERN_E8M0_UP, saturate);
  } else if (tern_dtype_get_info(narrow)->class == TERN_CLASS_B) {
    from_f32_narrow(narrow, source, count, saturate, target);
  }
}
