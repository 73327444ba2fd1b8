// The Mersenne Twister MT19937.
#include "compute/mt19937.h"

enum { WORDS = TERN_MT19937_WORDS, SHIFT = 397 };

void tern_mt19937_seed(tern_mt19937 *out_generator, uint32_t seed) {
  uint32_t *words = out_generator->words;
  words[0] = seed;
  for (uint32_t i = 1; i < WORDS; ++i)
    words[i] = 1812433253u * (words[i - 1] ^ (words[i - 1] >> 30)) + i;
  out_generator->next = WORDS;
}

static uint32_t twist(uint32_t high, uint32_t low) {
  uint32_t y = (high & 0x80000000u) | (low & 0x7fffffffu);
  return (y >> 1) ^ (low & 1u ? 0x9908b0dfu : 0u);
}

static void refill(tern_mt19937 *generator) {
  uint32_t *words = generator->words;
  for (int32_t i = 0; i < WORDS; ++i)
    words[i] = words[(i + SHIFT) % WORDS] ^ twist(words[i], words[(i + 1) % WORDS]);
  generator->next = 0;
}

uint32_t tern_mt19937_next(tern_mt19937 *generator) {
  if (generator->next == WORDS) refill(generator);
  uint32_t y = generator->words[generator->next++];
  y ^= y >> 11;
  y ^= (y << 7) & 0x9d2c5680u;
  y ^= (y << 15) & 0xefc60000u;
  return y ^ (y >> 18);
}

double tern_mt19937_uniform(tern_mt19937 *generator) {
  uint32_t high = tern_mt19937_next(generator) >> 5, low = tern_mt19937_next(generator) >> 6;
  return ((double)high * 67108864.0 + (double)low) / 9007199254740992.0;
}
