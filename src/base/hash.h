// A hash of bytes that is as good as the bytes: two different inputs share one with a probability
// below 2^-120, whoever chose them, because the key is drawn at random for each user of the hash
// and never shown. It says nothing once written down: another key gives another hash.
//
// Blocks go through NH (Black, Halevi, Krawczyk, Krovetz, Rogaway, "UMAC: Fast and Secure Message
// Authentication", 1999) on 64-bit words, twice with shifted keys; its results are coefficients of
// a polynomial over the prime 2^127 - 1, evaluated at two secret points (as VHASH does: Dai and
// Krovetz, 2007). A pair of inputs collides in one half with probability 5 * 2^-64 at most, plus
// 2^-127 for each block.
#ifndef TERN_BASE_HASH_H_
#define TERN_BASE_HASH_H_

#include "base/macros.h"

enum { TERN_HASH_BLOCK_WORDS = 64, TERN_HASH_BLOCK_BYTES = 8 * TERN_HASH_BLOCK_WORDS };

// Drawn by tern_hash_key_init; const afterwards.
typedef struct tern_hash_key {
  uint64_t nh[TERN_HASH_BLOCK_WORDS + 2];
  uint64_t points[2][2]; // low word, high word
} tern_hash_key;
void tern_hash_key_init(tern_hash_key *out_key);

typedef struct tern_hash {
  uint64_t words[4];
} tern_hash;

// A hash of several parts, each of any size: where one ends and the next begins counts too.
void tern_hash_begin(tern_hash *out_hash);
// `data` may be NULL when `size` is 0; it need not be aligned.
void tern_hash_add(const tern_hash_key *key, const void *data, size_t size, tern_hash *inout_hash);
bool tern_hash_equal(const tern_hash *a, const tern_hash *b);

#endif
