// Any bytes as a model, through everything that a session does with them: loaded, run on small
// inputs made from the declared types, released. Bounded in memory and in the time of each run. The
// outcome is of no interest beyond being one: what is proved is that the process survives and that
// nothing is left behind, so a leaked block or a broken promise aborts.
#ifndef TERN_TESTS_SUPPORT_LOAD_RUN_H_
#define TERN_TESTS_SUPPORT_LOAD_RUN_H_

#include "session/session.h"

// An allocator that refuses to go beyond `limit_bytes` in all. Any number of
// threads.
typedef struct test_limiter {
  tern_allocator base;
  int64_t limit_bytes;
  _Atomic int64_t live_bytes, live_blocks;
} test_limiter;

void test_limiter_init(test_limiter *out_limiter, int64_t limit_bytes);

// What an input is to be, where a model needs more than any value of its type.
typedef struct test_given {
  const char *name;
  tern_shape shape; // taken where the declared shape leaves a size open; rank unknown: no shape
  bool has_number;
  int64_t number; // every element, of types of integers
} test_given;

typedef struct test_load_run_options {
  int64_t memory_bytes; // for the model and its runs in all
  int run_cpu_ms;       // CPU time after which a run is asked to stop
  int runs;             // with other sizes for unknown dimensions each time
  int hostile_runs;     // further ones, with numbers in some of the inputs that nobody expects
  bool round_trip;      // what can be exported must be read again
  const test_given *given;
  size_t given_count;
} test_load_run_options;

typedef struct test_load_run_result {
  bool loaded;
  int completed;         // runs that succeeded
  int stopped;           // runs that the limit of CPU time ended
  tern_status_code code; // of the first failure; TERN_OK without one
  char message[512];     // of the first failure, cut
} test_load_run_result;

// Not for several threads at once: uses the process's profiling timer.
void test_load_run(const void *bytes, size_t size, const test_load_run_options *options,
                   test_load_run_result *out_result);

// A value of a static type of small numbers, with unknown dimensions chosen by `seed`, the same for
// the same symbol.
TERN_MUST_USE tern_status *test_make_value(tern_allocator *allocator, const tern_type *type,
                                           uint64_t seed, tern_value **out_value);
// As above, of the least and largest numbers, infinities, and others that are no index or size.
TERN_MUST_USE tern_status *test_make_hostile_value(tern_allocator *allocator, const tern_type *type,
                                                   uint64_t seed, tern_value **out_value);

#endif
