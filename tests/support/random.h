// Reproducible pseudo-random numbers for tests (splitmix64, Steele, Lea and Flood 2014).
#ifndef TERN_TESTS_SUPPORT_RANDOM_H_
#define TERN_TESTS_SUPPORT_RANDOM_H_

#include <stddef.h>
#include <stdint.h>

typedef struct test_random {
  uint64_t state; // any seed
} test_random;

static inline uint64_t test_random_next(test_random *random) {
  uint64_t z = random->state += UINT64_C(0x9e3779b97f4a7c15);
  z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
  z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
  return z ^ (z >> 31);
}

// Below `limit` > 0.
static inline size_t test_random_below(test_random *random, size_t limit) {
  return (size_t)(test_random_next(random) % limit);
}

#endif
