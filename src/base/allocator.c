// The system allocators: the C library's aligned allocation, and pages; both counted. Counters are
// relaxed atomics; they are read by statistics and by fault injection only.
#include "base/allocator.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "base/checked.h"
#include "base/os.h"

static _Atomic int64_t live_bytes, peak_bytes, live_blocks, total_blocks;

#ifdef TERN_FAULTS
static _Atomic int64_t attempts, fail_at;

static bool must_fail(void) {
  int64_t n = atomic_fetch_add(&attempts, 1) + 1, at = atomic_load(&fail_at);
  return at >= 0 ? n == at : n >= -at;
}

void tern_allocator_fail_at(int64_t n) {
  atomic_store(&attempts, 0);
  atomic_store(&fail_at, n);
}

int64_t tern_allocator_attempts(void) {
  return atomic_load(&attempts);
}
#else
static bool must_fail(void) {
  return false;
}
void tern_allocator_fail_at(int64_t n) {
  (void)n;
}
int64_t tern_allocator_attempts(void) {
  return 0;
}
#endif

static void count_alloc(int64_t size) {
  int64_t live = atomic_fetch_add_explicit(&live_bytes, size, memory_order_relaxed) + size;
  int64_t peak = atomic_load_explicit(&peak_bytes, memory_order_relaxed);
  while (live > peak && !atomic_compare_exchange_weak_explicit(
                            &peak_bytes, &peak, live, memory_order_relaxed, memory_order_relaxed)) {
  }
  atomic_fetch_add_explicit(&live_blocks, 1, memory_order_relaxed);
  atomic_fetch_add_explicit(&total_blocks, 1, memory_order_relaxed);
}

static void *system_alloc(void *self, size_t size) {
  (void)self;
  size_t rounded;
  if (must_fail() || !tern_checked_align(size, TERN_BUFFER_ALIGNMENT, &rounded)) return NULL;
  if (rounded > (size_t)INT64_MAX) return NULL;
  void *data = aligned_alloc(TERN_BUFFER_ALIGNMENT, rounded);
  if (data) count_alloc((int64_t)size);
  return data;
}

static void count_free(size_t size) {
  atomic_fetch_sub_explicit(&live_bytes, (int64_t)size, memory_order_relaxed);
  atomic_fetch_sub_explicit(&live_blocks, 1, memory_order_relaxed);
}

static void system_free(void *self, void *data, size_t size) {
  (void)self;
  count_free(size);
  free(data);
}

static tern_allocator system_allocator = {.alloc = system_alloc, .free = system_free};

tern_allocator *tern_allocator_system(void) {
  return &system_allocator;
}

// Below this size the last page's rest would be more than a sixtieth of the block. AddressSanitizer
// watches the C library's blocks only.
#if defined(TERN_ADDRESS_SANITIZER)
#define SMALLEST_PAGES_BYTES SIZE_MAX
#else
#define SMALLEST_PAGES_BYTES ((size_t)256 << 10)
#endif

static void *pages_alloc(void *self, size_t size) {
  if (size < SMALLEST_PAGES_BYTES) return system_alloc(self, size);
  if (must_fail() || size > (size_t)INT64_MAX) return NULL;
  void *data = tern_os_pages_take(size);
  if (data) count_alloc((int64_t)size);
  return data;
}

static void pages_free(void *self, void *data, size_t size) {
  if (size < SMALLEST_PAGES_BYTES) {
    system_free(self, data, size);
    return;
  }
  count_free(size);
  tern_os_pages_give_back(data, size);
}

static tern_allocator pages_allocator = {.alloc = pages_alloc, .free = pages_free};

tern_allocator *tern_allocator_pages(void) {
  return &pages_allocator;
}

void tern_allocator_get_stats(tern_allocator_stats *out_stats) {
  out_stats->live_bytes = atomic_load_explicit(&live_bytes, memory_order_relaxed);
  out_stats->peak_bytes = atomic_load_explicit(&peak_bytes, memory_order_relaxed);
  out_stats->live_blocks = atomic_load_explicit(&live_blocks, memory_order_relaxed);
  out_stats->total_blocks = atomic_load_explicit(&total_blocks, memory_order_relaxed);
}

tern_status *tern_allocator_check(tern_allocator *allocator, size_t size) {
  return allocator->refuse ? allocator->refuse(allocator->self, size) : NULL;
}

tern_status *tern_allocator_alloc(tern_allocator *allocator, size_t size, void **out_data) {
  void *data = NULL;
  if (size > 0) {
    data = allocator->alloc(allocator->self, size);
    if (!data) {
      tern_status *reason = tern_allocator_check(allocator, size);
      return reason ? reason : tern_status_out_of_memory();
    }
  }
  *out_data = data;
  return NULL;
}

tern_status *tern_allocator_calloc(tern_allocator *allocator, size_t count, size_t size,
                                   void **out_data) {
  size_t bytes;
  if (!tern_checked_mul(count, size, &bytes)) return tern_status_out_of_memory();
  TERN_TRY(tern_allocator_alloc(allocator, bytes, out_data));
  if (bytes > 0) memset(*out_data, 0, bytes);
  return NULL;
}

void tern_allocator_free(tern_allocator *allocator, void *data, size_t size) {
  if (data) allocator->free(allocator->self, data, size);
}

static void *counting_alloc(void *self, size_t size) {
  tern_counting_allocator *counting = self;
  void *data = counting->source->alloc(counting->source->self, size);
  if (data) atomic_fetch_add_explicit(&counting->live_bytes, (int64_t)size, memory_order_relaxed);
  return data;
}

static void counting_free(void *self, void *data, size_t size) {
  tern_counting_allocator *counting = self;
  atomic_fetch_sub_explicit(&counting->live_bytes, (int64_t)size, memory_order_relaxed);
  counting->source->free(counting->source->self, data, size);
}

static tern_status *counting_refuse(void *self, size_t size) {
  return tern_allocator_check(((tern_counting_allocator *)self)->source, size);
}

void tern_counting_allocator_init(tern_allocator *source, tern_counting_allocator *out_allocator) {
  out_allocator->base =
      (tern_allocator){out_allocator, counting_alloc, counting_free, counting_refuse};
  out_allocator->source = source;
  atomic_init(&out_allocator->live_bytes, 0);
}
