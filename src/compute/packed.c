// Packing and unpacking of sub-byte codes.
#include "compute/packed.h"

void tern_packed_unpack(unsigned bits, const void *packed, int64_t count, uint8_t *codes) {
  const uint8_t *bytes = packed;
  int64_t per_byte = 8 / (int64_t)bits;
  unsigned mask = (1u << bits) - 1;
  for (int64_t i = 0; i < count; ++i)
    codes[i] = (uint8_t)((unsigned)bytes[i / per_byte] >> ((unsigned)(i % per_byte) * bits) & mask);
}

void tern_packed_pack(unsigned bits, const uint8_t *codes, int64_t count, void *packed) {
  uint8_t *bytes = packed;
  int64_t per_byte = 8 / (int64_t)bits;
  unsigned mask = (1u << bits) - 1;
  for (int64_t i = 0; i < count; i += per_byte) {
    unsigned byte = 0;
    for (int64_t k = 0; k < per_byte && i + k < count; ++k)
      byte |= (codes[i + k] & mask) << ((unsigned)k * bits);
    bytes[i / per_byte] = (uint8_t)byte;
  }
}
