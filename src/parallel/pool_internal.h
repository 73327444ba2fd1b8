// What the files of the pool share.
#ifndef TERN_PARALLEL_POOL_INTERNAL_H_
#define TERN_PARALLEL_POOL_INTERNAL_H_

#include <stdatomic.h>

#include "base/allocator.h"
#include "base/float_mode.h"
#include "base/os.h"
#include "parallel/affinity.h"
#include "parallel/pool.h"

// A job that idle workers see. Slots belong to the pool, so that a worker may look at one whose job
// has just ended. What several threads write stands on cache lines of its own.
typedef struct tern_pool_slot {
  // Who works on it, see pool_job.c. Whoever got through the gate may read the rest.
  _Alignas(TERN_BUFFER_ALIGNMENT) _Atomic uint32_t gate;
  // The first item that nobody has begun.
  _Alignas(TERN_BUFFER_ALIGNMENT) _Atomic int64_t next;
  _Alignas(TERN_BUFFER_ALIGNMENT) tern_parallel_fn fn;
  void *context;
  const _Atomic bool *stop;
  int64_t count;
  int64_t least; // items taken at a time
  int32_t threads;
  tern_float_mode mode; // of the caller
} tern_pool_slot;

// One bit each in a word.
enum { TERN_POOL_SLOTS = 64 };

typedef struct tern_pool_worker {
  tern_pool *pool;
  struct tern_pool_worker *next;
  int32_t index;   // from 0
  bool is_running; // has a thread; under the pool's mutex
  tern_os_thread thread;
  void *handle; // of the hooks, in place of `thread`
} tern_pool_worker;

struct tern_pool {
  tern_pool *next; // of the process's pools
  int64_t spin_ns;
  int32_t max_spinning; // leaves a processor to the caller
  tern_pool_hooks hooks;
  void (*note)(void *self, const char *message);
  void *note_self;
  tern_affinity affinity;

  tern_os_mutex mutex; // guards the workers and the tasks
  tern_pool_worker *workers;
  tern_pool_task *first_task, *last_task;
  tern_pool_worker *destroyer; // a task on it destroyed the pool: it sees to it when it ends

  _Atomic int32_t worker_count; // with a thread
  _Atomic bool lacks_threads;   // a fork took them

  // A bit for each slot whose job takes helpers.
  _Alignas(TERN_BUFFER_ALIGNMENT) _Atomic uint64_t open;
  _Atomic int32_t task_count;
  _Atomic bool is_ending;
  _Atomic uint32_t calm; // counts tern_pool_stop_spinning
  // A bit for each slot that a caller has.
  _Alignas(TERN_BUFFER_ALIGNMENT) _Atomic uint64_t taken;
  // Workers that look for work, and that sleep on `wake`.
  _Alignas(TERN_BUFFER_ALIGNMENT) _Atomic int32_t spinning;
  _Atomic int32_t sleeping;
  _Atomic uint32_t wake;
  tern_pool_slot slots[TERN_POOL_SLOTS];
};

// ---- pool_job.c

// Joins a job that takes helpers and works on it until no item is left. False where there is none.
// `start` is the slot to look at first.
bool tern_pool_help(tern_pool *pool, uint32_t start);
// After a fork, in the child.
void tern_pool_forget_jobs(tern_pool *pool);

// ---- pool_worker.c

// The whole life of a worker's thread; the argument is the worker.
void tern_pool_worker_main(void *worker);
// Wakes workers for `count` threads' worth of new work, unless enough of them look for it anyway.
void tern_pool_call_workers(tern_pool *pool, int32_t count);
// The worker whose thread this is; NULL on other threads.
tern_pool_worker *tern_pool_current_worker(void);

// ---- pool.c

// Starts the threads that a fork took.
void tern_pool_restart(tern_pool *pool);
// Frees a pool whose threads have been joined.
void tern_pool_free(tern_pool *pool);
// Tells workers to end, and joins all but `except`, which may be NULL.
void tern_pool_join(tern_pool *pool, const tern_pool_worker *except);

static inline void tern_pool_pause(void) {
#if defined __x86_64__ || defined __i386__
  __builtin_ia32_pause();
#elif defined __aarch64__
  __asm__ volatile("yield");
#endif
}

#endif
