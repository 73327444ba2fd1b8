// Memory. Every object is created from a `tern_allocator`, which the creator keeps until the object
// is gone. Buffers are aligned to TERN_BUFFER_ALIGNMENT. Running out of memory is an ordinary
// error.
#ifndef TERN_BASE_ALLOCATOR_H_
#define TERN_BASE_ALLOCATOR_H_

#include "base/status.h"

typedef struct tern_allocator tern_allocator;

struct tern_allocator {
  void *self; // passed back to the functions below
  // Returns at least `size` bytes (size > 0) aligned to TERN_BUFFER_ALIGNMENT, or NULL.
  void *(*alloc)(void *self, size_t size);
  // `size` is what was asked for. Never called with NULL.
  void (*free)(void *self, void *data, size_t size);
  // Why `size` bytes more cannot be had: a tern_status_over_limit, or NULL where nothing is known
  // against it. NULL: without a limit.
  tern_status *(*refuse)(void *self, size_t size);
};

// The process's allocator, on the C library. Any number of threads.
tern_allocator *tern_allocator_system(void);

// As the system's, for what is held long: large blocks are pages of their own, which the OS has
// back as soon as they are freed. (The C library keeps what is freed between blocks in use.)
tern_allocator *tern_allocator_pages(void);

// Uninitialised memory. A size of 0 gives NULL and success.
TERN_MUST_USE tern_status *tern_allocator_alloc(tern_allocator *allocator, size_t size,
                                                void **out_data);
// Zeroed memory for `count` elements of `size` bytes; overflow is an error.
TERN_MUST_USE tern_status *tern_allocator_calloc(tern_allocator *allocator, size_t count,
                                                 size_t size, void **out_data);
// Before memory is asked for: an error when `size` bytes would go beyond a limit.
TERN_MUST_USE tern_status *tern_allocator_check(tern_allocator *allocator, size_t size);
// Accepts NULL.
void tern_allocator_free(tern_allocator *allocator, void *data, size_t size);

// Hands requests on to `source` and keeps count of them. It must outlive what is made from it.
typedef struct tern_counting_allocator {
  tern_allocator base;
  tern_allocator *source;
  _Atomic int64_t live_bytes; // handed out and not got back
} tern_counting_allocator;
void tern_counting_allocator_init(tern_allocator *source, tern_counting_allocator *out_allocator);

// A zeroed object: TERN_TRY(TERN_NEW(allocator, &graph)).
#define TERN_NEW(allocator, out)                                                                   \
  tern_allocator_calloc((allocator), 1, sizeof(**(out)), (void **)(out))
#define TERN_DELETE(allocator, object) tern_allocator_free((allocator), (object), sizeof(*(object)))

// Fault injection (builds with TERN_FAULTS): the `n`-th allocation of the two above from now on
// fails, once, or, with `n` negative, the -n-th and all after it; 0 turns it off. In other builds
// the calls do nothing and the count stays 0.
void tern_allocator_fail_at(int64_t n);
// Allocations asked for since the last tern_allocator_fail_at.
int64_t tern_allocator_attempts(void);
// Bytes and blocks that the two have handed out and not got back.
typedef struct tern_allocator_stats {
  int64_t live_bytes, peak_bytes, live_blocks, total_blocks;
} tern_allocator_stats;
void tern_allocator_get_stats(tern_allocator_stats *out_stats);

#endif
