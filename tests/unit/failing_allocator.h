// An allocator for tests: the system's, with a count of live blocks and one allocation that fails.
#ifndef TERN_TESTS_UNIT_FAILING_ALLOCATOR_H_
#define TERN_TESTS_UNIT_FAILING_ALLOCATOR_H_

#include "base/allocator.h"

typedef struct failing_allocator {
  tern_allocator base;
  int64_t live_blocks, live_bytes;
  int64_t attempts, fail_at; // fail_at 0: none fails
} failing_allocator;

static inline void *failing_alloc(void *self, size_t size) {
  failing_allocator *allocator = self;
  if (++allocator->attempts == allocator->fail_at) return NULL;
  void *data = NULL;
  tern_status *status = tern_allocator_alloc(tern_allocator_system(), size, &data);
  if (status) {
    tern_status_ignore(status);
    return NULL;
  }
  ++allocator->live_blocks;
  allocator->live_bytes += (int64_t)size;
  return data;
}

static inline void failing_free(void *self, void *data, size_t size) {
  failing_allocator *allocator = self;
  --allocator->live_blocks;
  allocator->live_bytes -= (int64_t)size;
  tern_allocator_free(tern_allocator_system(), data, size);
}

static inline void failing_allocator_init(failing_allocator *out, int64_t fail_at) {
  *out = (failing_allocator){.base = {out, failing_alloc, failing_free}, .fail_at = fail_at};
}

// Ends a test's use of a status: its code, and the status freed.
static inline tern_status_code take_code(tern_status *status) {
  tern_status_code code = tern_status_get_code(status);
  tern_status_free(status);
  return code;
}

#endif
