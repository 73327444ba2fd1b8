// Philox4x32-10 (Salmon, Moraes, Dror and Shaw, "Parallel random numbers: as easy as 1, 2, 3",
// 2011): four 32-bit numbers from a counter and a key, without a state, so that the numbers of any
// place in a stream are known without those before it.
#ifndef TERN_COMPUTE_PHILOX_H_
#define TERN_COMPUTE_PHILOX_H_

#include "base/macros.h"

void tern_philox(uint64_t key, const uint32_t counter[4], uint32_t out_numbers[4]);

// Number `index` of the stream `key` names: uniform in [0, 1), a multiple of 2^-53.
double tern_philox_uniform(uint64_t key, uint64_t index);
// Standard normal, by the Box-Muller transform.
double tern_philox_normal(uint64_t key, uint64_t index);

#endif
