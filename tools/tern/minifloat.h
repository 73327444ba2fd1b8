// Floats of 16 bits and fewer, described by their fields and decoded or encoded by one pair of
// functions. Exact and plain rather than fast.
#ifndef TERN_TOOL_MINIFLOAT_H
#define TERN_TOOL_MINIFLOAT_H

#include <stdint.h>

// What the codes at the top of the range stand for.
typedef enum cli_specials {
  CLI_SPECIALS_IEEE,   // infinities and NaNs where the exponent is all ones
  CLI_SPECIALS_FN,     // no infinities; NaN where exponent and mantissa are all ones
  CLI_SPECIALS_FNUZ,   // no infinities, no negative zero, whose code is NaN
  CLI_SPECIALS_FINITE, // every code is a finite number
} cli_specials;

typedef struct cli_minifloat {
  unsigned exponent_bits, mantissa_bits;
  int bias;
  cli_specials specials;
} cli_minifloat;

double cli_minifloat_decode(const cli_minifloat *format, uint32_t code);

// Nearest, ties to even. Beyond the largest value: infinity where the format has one, else the
// largest value.
uint32_t cli_minifloat_encode(const cli_minifloat *format, double value);

#endif
