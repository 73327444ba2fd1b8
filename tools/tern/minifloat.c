// See minifloat.h. Codes of one sign are consecutive integers in the order of their values, which
// is what lets rounding carry from mantissa into exponent by plain addition.
#include "minifloat.h"

#include <math.h>

static uint32_t sign_bit(const cli_minifloat *format) {
  return 1u << (format->exponent_bits + format->mantissa_bits);
}

// The code of the largest finite value.
static uint32_t largest_code(const cli_minifloat *format) {
  uint32_t all = sign_bit(format) - 1;
  if (format->specials == CLI_SPECIALS_IEEE) return all - (1u << format->mantissa_bits);
  return format->specials == CLI_SPECIALS_FN ? all - 1 : all;
}

double cli_minifloat_decode(const cli_minifloat *format, uint32_t code) {
  uint32_t sign = code & sign_bit(format), magnitude = code & (sign_bit(format) - 1);
  if (format->specials == CLI_SPECIALS_FNUZ && sign && !magnitude) return NAN;
  if (magnitude > largest_code(format)) {
    uint32_t infinity = largest_code(format) + 1;
    if (format->specials != CLI_SPECIALS_IEEE || magnitude != infinity) return NAN;
    return sign ? -INFINITY : INFINITY;
  }
  int mantissa_bits = (int)format->mantissa_bits;
  uint32_t exponent = magnitude >> mantissa_bits;
  uint32_t mantissa = magnitude & ((1u << mantissa_bits) - 1);
  if (exponent) mantissa += 1u << mantissa_bits;
  int power = (exponent ? (int)exponent : 1) - format->bias - mantissa_bits;
  double value = ldexp((double)mantissa, power);
  return sign ? -value : value;
}

static uint32_t nan_code(const cli_minifloat *format) {
  if (format->specials == CLI_SPECIALS_FNUZ) return sign_bit(format);
  if (format->specials == CLI_SPECIALS_FINITE) return 0;
  uint32_t all = sign_bit(format) - 1;
  if (format->specials == CLI_SPECIALS_FN) return all;
  return all - (1u << (format->mantissa_bits - 1)) + 1; // quiet, no payload
}

uint32_t cli_minifloat_encode(const cli_minifloat *format, double value) {
  if (isnan(value)) return nan_code(format);
  uint32_t sign = signbit(value) ? sign_bit(format) : 0;
  int exponent = 0, lowest = 1 - format->bias, mantissa_bits = (int)format->mantissa_bits;
  uint32_t code = UINT32_MAX;
  if (!isinf(value)) {
    frexp(value, &exponent);
    exponent = value == 0 || exponent - 1 < lowest ? lowest : exponent - 1;
    double steps = rint(ldexp(fabs(value), mantissa_bits - exponent));
    // An exponent beyond any of these formats must not reach the shift below.
    if (exponent + format->bias <= 1 << format->exponent_bits)
      code = ((uint32_t)(exponent - lowest) << mantissa_bits) + (uint32_t)steps;
  }
  if (code > largest_code(format))
    code = largest_code(format) + (format->specials == CLI_SPECIALS_IEEE ? 1 : 0);
  if (format->specials == CLI_SPECIALS_FNUZ && code == 0) return 0;
  return sign | code;
}
