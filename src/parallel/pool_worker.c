// The life of a worker: jobs and tasks, looking for them awake, then asleep.
#include <stdio.h>

#include "parallel/pool_internal.h"

enum { PAUSES = 32 };

static _Thread_local tern_pool_worker *current;

tern_pool_worker *tern_pool_current_worker(void) {
  return current;
}

static void note(const tern_pool *pool, const char *message) {
  if (pool->note) pool->note(pool->note_self, message);
}

static void keep_to_processors(const tern_pool_worker *worker) {
  size_t count;
  const int32_t *processors =
      tern_affinity_of(&worker->pool->affinity, (size_t)worker->index, &count);
  if (!count || tern_os_thread_set_affinity(processors, count)) return;
  char message[96];
  snprintf(message, sizeof message, "the system does not let worker %d keep to its processors",
           worker->index);
  note(worker->pool, message);
}

// ---- Tasks.

static tern_pool_task *take_task(tern_pool *pool) {
  if (atomic_load_explicit(&pool->task_count, memory_order_relaxed) == 0) return NULL;
  tern_os_mutex_lock(&pool->mutex);
  tern_pool_task *task = pool->first_task;
  if (task) {
    pool->first_task = task->next;
    if (!task->next) pool->last_task = NULL;
    atomic_fetch_sub_explicit(&pool->task_count, 1, memory_order_relaxed);
  }
  tern_os_mutex_unlock(&pool->mutex);
  return task;
}

static bool run_task(tern_pool *pool) {
  tern_pool_task *task = take_task(pool);
  if (task) task->run(task);
  return task != NULL;
}

bool tern_pool_post(tern_pool *pool, tern_pool_task *task) {
  if (atomic_load_explicit(&pool->lacks_threads, memory_order_relaxed)) tern_pool_restart(pool);
  if (atomic_load_explicit(&pool->worker_count, memory_order_relaxed) == 0) return false;
  task->next = NULL;
  tern_os_mutex_lock(&pool->mutex);
  if (pool->last_task)
    pool->last_task->next = task;
  else
    pool->first_task = task;
  pool->last_task = task;
  atomic_fetch_add(&pool->task_count, 1);
  tern_os_mutex_unlock(&pool->mutex);
  tern_pool_call_workers(pool, 1);
  return true;
}

// ---- Waiting.

static bool has_work(tern_pool *pool) {
  return atomic_load(&pool->open) || atomic_load(&pool->task_count) ||
         atomic_load(&pool->is_ending);
}

static void spin(tern_pool *pool) {
  uint32_t calm = atomic_load_explicit(&pool->calm, memory_order_relaxed);
  int64_t deadline = tern_os_monotonic_ns() + pool->spin_ns;
  for (int i = 0; !has_work(pool); i = (i + 1) % PAUSES) {
    tern_pool_pause();
    if (i == PAUSES - 1 && (tern_os_monotonic_ns() > deadline ||
                            atomic_load_explicit(&pool->calm, memory_order_relaxed) != calm))
      return;
  }
}

// Either the poster of work sees this thread among the sleeping and changes `wake`, or this thread
// sees the work: both sides write first and read then, in one order of all threads.
static void sleep_until_called(tern_pool *pool) {
  atomic_fetch_add(&pool->sleeping, 1);
  uint32_t wake = atomic_load(&pool->wake);
  if (!has_work(pool)) tern_os_wait(&pool->wake, wake);
  atomic_fetch_sub(&pool->sleeping, 1);
}

static void wait_for_work(tern_pool *pool) {
  if (pool->spin_ns) {
    if (atomic_fetch_add(&pool->spinning, 1) < pool->max_spinning) spin(pool);
    atomic_fetch_sub(&pool->spinning, 1);
  }
  if (!has_work(pool)) sleep_until_called(pool);
}

void tern_pool_call_workers(tern_pool *pool, int32_t count) {
  int32_t wanted = count - atomic_load(&pool->spinning);
  int32_t sleeping = atomic_load(&pool->sleeping);
  if (sleeping <= 0 || wanted <= 0) return;
  atomic_fetch_add(&pool->wake, 1);
  tern_os_wake(&pool->wake, wanted < sleeping ? wanted : sleeping);
}

void tern_pool_stop_spinning(tern_pool *pool) {
  atomic_fetch_add_explicit(&pool->calm, 1, memory_order_relaxed);
}

// ---- Life.

static bool is_destroyed_here(tern_pool *pool, const tern_pool_worker *worker) {
  tern_os_mutex_lock(&pool->mutex);
  bool here = pool->destroyer == worker;
  tern_os_mutex_unlock(&pool->mutex);
  return here;
}

void tern_pool_worker_main(void *argument) {
  tern_pool_worker *worker = argument;
  tern_pool *pool = worker->pool;
  char name[24];
  current = worker;
  snprintf(name, sizeof name, "tern-%d", worker->index + 1);
  tern_os_thread_set_name(name);
  keep_to_processors(worker);
  for (uint32_t start = (uint32_t)worker->index;;) {
    if (run_task(pool)) continue;
    if (tern_pool_help(pool, start)) {
      ++start;
      continue;
    }
    if (atomic_load(&pool->is_ending)) break;
    wait_for_work(pool);
  }
  if (!is_destroyed_here(pool, worker)) return;
  tern_pool_join(pool, worker);
  tern_pool_free(pool);
}
