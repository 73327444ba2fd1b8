// Any bytes as a model, loaded, run, exported and loaded again. Besides libFuzzer's own mutations,
// which rarely leave a protobuf message whole, fields are removed, doubled, exchanged and filled
// with other contents, with the lengths around them mended.
#include <stdlib.h>
#include <string.h>

#include "support/fields.h"
#include "support/load_run.h"

size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max_size);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned int seed);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static size_t change_field(uint8_t *data, size_t size, size_t max_size, test_random *random) {
  test_fields fields;
  test_fields_find(data, size, &fields);
  uint8_t *copy = malloc(max_size);
  size_t changed = 0;
  for (int attempt = 0; attempt < 8 && copy && !changed; ++attempt)
    changed = test_fields_mutate(data, size, &fields, random, copy, max_size);
  if (changed) memcpy(data, copy, changed);
  free(copy);
  free(fields.items);
  return changed;
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned int seed) {
  test_random random = {seed};
  if (test_random_below(&random, 5) == 0) return LLVMFuzzerMutate(data, size, max_size);
  for (size_t count = 1 + test_random_below(&random, 3); count > 0; --count) {
    size_t changed = change_field(data, size, max_size, &random);
    if (changed) size = changed;
  }
  return size;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static const test_load_run_options limits = {
      .memory_bytes = (int64_t)64 << 20, .run_cpu_ms = 20, .runs = 2, .round_trip = true};
  test_load_run_result result;
  test_load_run(data, size, &limits, &result);
  return 0;
}
