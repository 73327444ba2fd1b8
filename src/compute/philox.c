// The generator, and numbers of the two usual distributions.
#include "compute/philox.h"

#include <math.h>

void tern_philox(uint64_t key, const uint32_t counter[4], uint32_t out_numbers[4]) {
  uint32_t k0 = (uint32_t)key, k1 = (uint32_t)(key >> 32);
  uint32_t c0 = counter[0], c1 = counter[1], c2 = counter[2], c3 = counter[3];
  for (int32_t round = 0; round < 10; ++round) {
    uint64_t a = (uint64_t)UINT32_C(0xD2511F53) * c0, b = (uint64_t)UINT32_C(0xCD9E8D57) * c2;
    c0 = (uint32_t)(b >> 32) ^ c1 ^ k0;
    c2 = (uint32_t)(a >> 32) ^ c3 ^ k1;
    c1 = (uint32_t)b;
    c3 = (uint32_t)a;
    k0 += UINT32_C(0x9E3779B9);
    k1 += UINT32_C(0xBB67AE85);
  }
  out_numbers[0] = c0;
  out_numbers[1] = c1;
  out_numbers[2] = c2;
  out_numbers[3] = c3;
}

static double unit(uint32_t high, uint32_t low) {
  return (double)(((uint64_t)high << 32 | low) >> 11) * 0x1p-53;
}

double tern_philox_uniform(uint64_t key, uint64_t index) {
  const uint32_t counter[4] = {(uint32_t)index, (uint32_t)(index >> 32), 0, 0};
  uint32_t numbers[4];
  tern_philox(key, counter, numbers);
  return unit(numbers[0], numbers[1]);
}

double tern_philox_normal(uint64_t key, uint64_t index) {
  const uint32_t counter[4] = {(uint32_t)index, (uint32_t)(index >> 32), 1, 0};
  uint32_t numbers[4];
  tern_philox(key, counter, numbers);
  double radius = sqrt(-2.0 * log(1.0 - unit(numbers[0], numbers[1])));
  return radius * cos(6.283185307179586 * unit(numbers[2], numbers[3]));
}
