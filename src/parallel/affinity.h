// Which processors the workers of a pool keep to.
#ifndef TERN_PARALLEL_AFFINITY_H_
#define TERN_PARALLEL_AFFINITY_H_

#include "base/array.h"

typedef struct tern_affinity {
  TERN_ARRAY(int32_t) processors; // numbered from 0; of all workers, one after the other
  TERN_ARRAY(size_t) ends;        // by worker: where its processors end
} tern_affinity;

// Reads ORT's syntax (tern_pool_options). TERN_INVALID_ARGUMENT says what is wrong with it.
TERN_MUST_USE tern_status *tern_affinity_parse(const char *text, tern_affinity *out_affinity);
// Accepts a zeroed one.
void tern_affinity_deinit(tern_affinity *affinity);
// The processors of a worker; none for one that is not named.
const int32_t *tern_affinity_of(const tern_affinity *affinity, size_t worker, size_t *out_count);

#endif
