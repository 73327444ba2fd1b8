// Numbers as text, the same in every locale.
#ifndef TERN_BASE_NUMBER_H_
#define TERN_BASE_NUMBER_H_

#include "base/macros.h"

enum { TERN_NUMBER_TEXT_BYTES = 40 };

// Writes the shortest decimal text of at least 8 (float) or 15 (double) digits, trailing zeros
// dropped, that reads back as `value`; "NaN", "INF", "-INF" for the others. NUL-terminated. Returns
// its length.
size_t tern_number_format_f32(float value, char buffer[TERN_NUMBER_TEXT_BYTES]);
size_t tern_number_format_f64(double value, char buffer[TERN_NUMBER_TEXT_BYTES]);

// Reads a decimal or scientific number, an infinity or a NaN in either case, with white space
// around it. False when the text is anything else or has more than 255 bytes.
bool tern_number_parse_f64(const char *text, size_t size, double *out_value);
// Reads a decimal integer of at most 64 bits, negative ones in two's complement; white space as
// above. False when the text is anything else or out of range.
bool tern_number_parse_i64(const char *text, size_t size, int64_t *out_value);

#endif
