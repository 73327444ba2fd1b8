// The Mersenne Twister MT19937 (Matsumoto and Nishimura, 1998), 32-bit outputs, as numpy's
// RandomState uses it: the same seed gives the same numbers as there, which is what the standard's
// examples of seeded operators are made with.
#ifndef TERN_COMPUTE_MT19937_H_
#define TERN_COMPUTE_MT19937_H_

#include "base/macros.h"

enum { TERN_MT19937_WORDS = 624 };

typedef struct tern_mt19937 {
  uint32_t words[TERN_MT19937_WORDS];
  int32_t next; // of `words`
} tern_mt19937;

void tern_mt19937_seed(tern_mt19937 *out_generator, uint32_t seed);
uint32_t tern_mt19937_next(tern_mt19937 *generator);
// Uniform in [0, 1), 53 bits from two outputs.
double tern_mt19937_uniform(tern_mt19937 *generator);

#endif
