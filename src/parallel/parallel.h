// Loops whose iterations any thread may compute. The caller works too, and idle workers of a pool
// join in; a loop inside an iteration of another runs on the thread it is on.
#ifndef TERN_PARALLEL_PARALLEL_H_
#define TERN_PARALLEL_PARALLEL_H_

#include "base/macros.h"

typedef struct tern_pool tern_pool; // parallel/pool.h

// Computes items [begin, end) of a job, on whichever thread. It must not fail: errors are kept in
// the context. How items are grouped into calls is not defined, so each item's result must not
// depend on the others of its call.
typedef void (*tern_parallel_fn)(void *context, int64_t begin, int64_t end);

// Who may help with a job. NULL in place of one, no pool, or one thread: the caller alone.
typedef struct tern_parallel {
  tern_pool *pool;     // borrowed
  int32_t max_threads; // that work on one job, with the caller
  // NULL, or a flag that stops the work: once it is set, items that are not begun are left out, and
  // the caller of tern_parallel_for must not use the result.
  const _Atomic bool *stop;
} tern_parallel;

// Computes items [0, count) and returns when all are done. What an item is follows from shapes,
// types and the instruction set alone, never from the number of threads. `item_ns` is about how
// long one takes: a job is spread over no more threads than pay for themselves, and a small one
// stays with the caller. Workers compute in the caller's floating-point mode (base/float_mode.h).
// Takes no memory.
void tern_parallel_for(const tern_parallel *parallel, int64_t count, int64_t item_ns,
                       tern_parallel_fn fn, void *context);

// Workspaces: a job that needs one for each thread takes memory for `tern_parallel_lanes` of them,
// which is the most threads that work on such a job and at least 1. Inside an item,
// `tern_parallel_lane` is the number, from 0, of the thread among those of the innermost job.
int32_t tern_parallel_lanes(const tern_parallel *parallel, int64_t count, int64_t item_ns);
int32_t tern_parallel_lane(void);

// A job whose threads each have a workspace.
typedef struct tern_parallel_job {
  int64_t count, item_ns;
  size_t workspace_bytes; // of one thread
  // As a tern_parallel_fn; `workspace` is aligned to TERN_BUFFER_ALIGNMENT.
  void (*fn)(const void *context, int64_t begin, int64_t end, void *workspace);
  const void *context;
} tern_parallel_job;
// Of all its workspaces together.
size_t tern_parallel_job_bytes(const tern_parallel *parallel, const tern_parallel_job *job);
// `workspaces` is aligned to TERN_BUFFER_ALIGNMENT.
void tern_parallel_job_run(const tern_parallel *parallel, const tern_parallel_job *job,
                           void *workspaces);

// A loop over `count` elements, `element_ns` each, whose items are blocks of `block` neighbours: fn
// is called with elements [begin, end), and every bound but the last is a multiple of `block`.
void tern_parallel_for_blocks(const tern_parallel *parallel, int64_t count, int64_t block,
                              double element_ns, tern_parallel_fn fn, void *context);

// About how long a core takes for so many arithmetic operations and so many bytes read and written,
// in ns: 64 operations and 32 bytes a ns, which vector kernels reach on data in a second-level
// cache. What takes longer is spread a little later than it could be.
static inline double tern_cost(double operations, double bytes) {
  return operations * (1.0 / 64) + bytes * (1.0 / 32);
}
// As the cost of an item: at least 1.
static inline int64_t tern_cost_ns(double operations, double bytes) {
  double ns = tern_cost(operations, bytes);
  return ns < 1 ? 1 : ns > 1e15 ? (int64_t)1e15 : (int64_t)ns;
}

#endif
