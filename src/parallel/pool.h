// Pools of threads: their life, the one a process shares, and tasks. How kernels use them stands in
// parallel.h.
//
// Any number of callers share a pool: a job that finds no idle worker is computed by its caller
// alone. Workers look for work for a bounded time, then sleep: an idle pool takes no processor
// time. A child process finds its pools without threads, and starts them again with its first job;
// a fork from inside a job leaves the items that other threads had begun undone there.
#ifndef TERN_PARALLEL_POOL_H_
#define TERN_PARALLEL_POOL_H_

#include "base/status.h"
#include "parallel/parallel.h"

// Threads made by somebody else. `create` starts a thread that calls worker(argument) and returns
// when it does, and sets *out_handle, which `join` gets. Both or neither are given. Called by the
// thread that creates and destroys the pool, and in a forked child by the first job's.
typedef struct tern_pool_hooks {
  void *self;
  tern_status *(*create)(void *self, void (*worker)(void *argument), void *argument,
                         void **out_handle);
  void (*join)(void *self, void *handle);
} tern_pool_hooks;

enum { TERN_POOL_MAX_THREADS = 4096 };

// How long workers look for work when nothing else is said. A run's steps follow each other within
// microseconds; a worker that sleeps takes 10 to 50 of them to wake, and its caller 2 to 5 to wake
// it (bench/pool.c).
#define TERN_POOL_SPIN_NS ((int64_t)100000)

typedef struct tern_pool_options {
  // That compute, with one caller: one worker fewer is started. 0: tern_os_cpu_count(). Where the
  // system gives fewer, the pool has fewer.
  int32_t threads;
  // How long a worker looks for work before it sleeps, and a caller for the end of its job. 0:
  // both sleep at once.
  int64_t spin_ns;
  // Which processors each worker keeps to, in ORT's syntax: an entry a worker, separated by ';';
  // an entry is a list of processors, numbered from 1, and of ranges: "1,2;3-4". NULL: anywhere.
  // Another number of entries than workers is an error; processors that the system refuses are not.
  const char *affinity;
  tern_pool_hooks hooks; // zeroed: threads of the system
  // Told what the system refused, by any thread, while the pool exists. NULL: nobody.
  void (*note)(void *self, const char *message);
  void *note_self;
} tern_pool_options;

// TERN_INVALID_ARGUMENT for options that contradict themselves; an error of `hooks.create` fails
// the pool.
TERN_MUST_USE tern_status *tern_pool_create(const tern_pool_options *options, tern_pool **out_pool);
// Finishes the tasks that were posted and joins the threads. No job may be under way. On a worker
// of the pool itself, inside a task, it takes effect when the task returns. Accepts NULL.
void tern_pool_destroy(tern_pool *pool);

// The process's pool, with at least `threads` (0: tern_os_cpu_count()): it grows to the largest
// number asked for. Each is given back; the last one back joins the threads.
TERN_MUST_USE tern_status *tern_pool_acquire_shared(int32_t threads, tern_pool **out_pool);
// Accepts NULL.
void tern_pool_release_shared(tern_pool *pool);

// With the caller: how many threads a job can have at most.
int32_t tern_pool_thread_count(const tern_pool *pool);

// Workers that look for work go to sleep now.
void tern_pool_stop_spinning(tern_pool *pool);

// Something to do once, on a worker: not part of any job, so that its own jobs find helpers. Kept
// by whoever posts it until `run` is called, which may free it.
typedef struct tern_pool_task {
  void (*run)(struct tern_pool_task *task);
  struct tern_pool_task *next; // the pool's
} tern_pool_task;

// In turn, as workers come free. False where the pool has no worker. A forked child forgets tasks
// that were not begun.
TERN_MUST_USE bool tern_pool_post(tern_pool *pool, tern_pool_task *task);

#endif
