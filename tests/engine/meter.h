// An allocator that keeps count, for tests that hold memory to what it was. Any number of threads.
#ifndef TERN_TESTS_ENGINE_METER_H_
#define TERN_TESTS_ENGINE_METER_H_

#include <stdatomic.h>

#include "base/allocator.h"

typedef struct meter {
  tern_allocator base;
  _Atomic int64_t live_bytes, peak_bytes, live_blocks, total_blocks;
} meter;

static inline void *meter_alloc(void *self, size_t size) {
  meter *m = self;
  tern_allocator *system = tern_allocator_system();
  void *data = system->alloc(system->self, size);
  if (!data) return NULL;
  int64_t live = atomic_fetch_add(&m->live_bytes, (int64_t)size) + (int64_t)size;
  int64_t peak = atomic_load(&m->peak_bytes);
  while (live > peak && !atomic_compare_exchange_weak(&m->peak_bytes, &peak, live)) {
  }
  atomic_fetch_add(&m->live_blocks, 1);
  atomic_fetch_add(&m->total_blocks, 1);
  return data;
}

static inline void meter_free(void *self, void *data, size_t size) {
  meter *m = self;
  tern_allocator *system = tern_allocator_system();
  atomic_fetch_sub(&m->live_bytes, (int64_t)size);
  atomic_fetch_sub(&m->live_blocks, 1);
  system->free(system->self, data, size);
}

static inline void meter_init(meter *out_meter) {
  *out_meter = (meter){.base = {out_meter, meter_alloc, meter_free}};
}

#endif
