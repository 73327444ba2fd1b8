// Elements of 2 and 4 bits between their packed form, from the low bits of each byte up, and one
// code a byte, on which operators that move elements work.
#ifndef TERN_COMPUTE_PACKED_H_
#define TERN_COMPUTE_PACKED_H_

#include "base/macros.h"

// `bits` is 2 or 4; `codes` holds `count` bytes, whose unused high bits are zero when unpacked and
// ignored when packed. The last packed byte is padded with zeros.
void tern_packed_unpack(unsigned bits, const void *packed, int64_t count, uint8_t *codes);
void tern_packed_pack(unsigned bits, const uint8_t *codes, int64_t count, void *packed);

#endif
