// Pools: their options, threads, the one that a process shares, and forks.
#include "parallel/pool.h"

#include "parallel/pool_internal.h"

// What a process has. Locks are taken in this order: `sharing`, `mutex`, that of a pool.
static struct {
  tern_os_once once;
  tern_os_mutex sharing; // guards `shared` and its count, also while it is made or grows
  tern_pool *shared;
  size_t references;
  tern_os_mutex mutex; // guards `pools`
  tern_pool *pools;    // all, for forks
} process = {.once = TERN_OS_ONCE_INIT};

// ---- Forks. The locks are held over a fork, so that the child finds everything whole.

static void before_fork(void) {
  tern_os_mutex_lock(&process.sharing);
  tern_os_mutex_lock(&process.mutex);
  for (tern_pool *pool = process.pools; pool; pool = pool->next) tern_os_mutex_lock(&pool->mutex);
}

static void after_fork(void) {
  for (tern_pool *pool = process.pools; pool; pool = pool->next) tern_os_mutex_unlock(&pool->mutex);
  tern_os_mutex_unlock(&process.mutex);
  tern_os_mutex_unlock(&process.sharing);
}

// The child has one thread. What the others had is forgotten.
static void reset_in_child(tern_pool *pool) {
  for (tern_pool_worker *worker = pool->workers; worker; worker = worker->next)
    worker->is_running = false;
  pool->first_task = pool->last_task = NULL;
  atomic_store(&pool->task_count, 0);
  atomic_store(&pool->worker_count, 0);
  atomic_store(&pool->spinning, 0);
  atomic_store(&pool->sleeping, 0);
  atomic_store(&pool->lacks_threads, true);
  tern_pool_forget_jobs(pool);
}

static void after_fork_in_child(void) {
  for (tern_pool *pool = process.pools; pool; pool = pool->next) reset_in_child(pool);
  after_fork();
}

static void init_process(void) {
  tern_os_mutex_init(&process.sharing);
  tern_os_mutex_init(&process.mutex);
  tern_os_at_fork(before_fork, after_fork, after_fork_in_child);
}

static void add_to_process(tern_pool *pool) {
  tern_os_once_run(&process.once, init_process);
  tern_os_mutex_lock(&process.mutex);
  pool->next = process.pools;
  process.pools = pool;
  tern_os_mutex_unlock(&process.mutex);
}

static void remove_from_process(const tern_pool *pool) {
  tern_os_mutex_lock(&process.mutex);
  tern_pool **at = &process.pools;
  while (*at && *at != pool) at = &(*at)->next;
  if (*at) *at = pool->next;
  tern_os_mutex_unlock(&process.mutex);
}

// ---- Threads.

// Under the pool's mutex, as the next two.
static tern_status *start(tern_pool *pool, tern_pool_worker *worker) {
  if (pool->hooks.create)
    TERN_TRY(pool->hooks.create(pool->hooks.self, tern_pool_worker_main, worker, &worker->handle));
  else
    TERN_TRY(tern_os_thread_create(tern_pool_worker_main, worker, &worker->thread));
  worker->is_running = true;
  atomic_fetch_add(&pool->worker_count, 1);
  return NULL;
}

static tern_status *add_worker(tern_pool *pool, int32_t index) {
  tern_pool_worker *worker;
  TERN_TRY(TERN_NEW(tern_allocator_system(), &worker));
  worker->pool = pool;
  worker->index = index;
  tern_status *status = start(pool, worker);
  if (status) {
    TERN_DELETE(tern_allocator_system(), worker);
    return status;
  }
  worker->next = pool->workers;
  pool->workers = worker;
  return NULL;
}

// What a fork took. Where there are no threads to be had, jobs do with those there are.
static void restart(tern_pool *pool) {
  if (!atomic_load(&pool->lacks_threads)) return;
  for (tern_pool_worker *worker = pool->workers; worker; worker = worker->next)
    if (!worker->is_running) tern_status_ignore(start(pool, worker));
  atomic_store(&pool->lacks_threads, false);
}

void tern_pool_restart(tern_pool *pool) {
  tern_os_mutex_lock(&pool->mutex);
  restart(pool);
  tern_os_mutex_unlock(&pool->mutex);
}

// Up to `count` workers. A system that gives fewer threads is made do with.
static tern_status *grow(tern_pool *pool, int32_t count) {
  tern_status *status = NULL;
  tern_os_mutex_lock(&pool->mutex);
  restart(pool);
  for (int32_t i = atomic_load(&pool->worker_count); i < count && !status; ++i)
    status = add_worker(pool, i);
  tern_os_mutex_unlock(&pool->mutex);
  if (!status || pool->hooks.create || tern_status_is_out_of_memory(status)) return status;
  if (pool->note) pool->note(pool->note_self, tern_status_message(status));
  tern_status_ignore(status);
  return NULL;
}

static void join(const tern_pool *pool, tern_pool_worker *worker) {
  if (pool->hooks.create)
    pool->hooks.join(pool->hooks.self, worker->handle);
  else
    tern_os_thread_join(&worker->thread);
}

void tern_pool_join(tern_pool *pool, const tern_pool_worker *except) {
  atomic_store(&pool->is_ending, true);
  atomic_fetch_add(&pool->wake, 1);
  tern_os_wake(&pool->wake, INT32_MAX);
  tern_pool_worker *worker = pool->workers;
  while (worker) {
    tern_pool_worker *next = worker->next;
    if (worker->is_running && worker != except) join(pool, worker);
    // A thread of the system that nobody can join frees itself.
    if (worker->is_running && worker == except && !pool->hooks.create)
      tern_os_thread_detach(&worker->thread);
    TERN_DELETE(tern_allocator_system(), worker);
    worker = next;
  }
  pool->workers = NULL;
}

// ---- Life.

static tern_status *check(const tern_pool_options *options, int32_t threads,
                          const tern_affinity *affinity) {
  if (threads < 1 || threads > TERN_POOL_MAX_THREADS)
    return TERN_ERROR(TERN_INVALID_ARGUMENT, "a pool of %d threads; 1 to %d are possible", threads,
                      TERN_POOL_MAX_THREADS);
  if (options->spin_ns < 0)
    return TERN_ERROR(TERN_INVALID_ARGUMENT, "threads cannot spin for a negative time");
  if (!options->hooks.create != !options->hooks.join)
    return TERN_ERROR(TERN_INVALID_ARGUMENT,
                      "the functions that create and join threads are given both or neither");
  if (options->affinity && affinity->ends.count != (size_t)threads - 1)
    return TERN_ERROR(TERN_INVALID_ARGUMENT,
                      "the affinity \"%s\" is for %zu threads; %d threads with the caller's have "
                      "%d of their own",
                      options->affinity, affinity->ends.count, threads, threads - 1);
  return NULL;
}

static tern_status *fill(const tern_pool_options *options, tern_pool *pool) {
  int32_t processors = tern_os_cpu_count();
  int32_t threads = options->threads ? options->threads : processors;
  if (options->affinity) TERN_TRY(tern_affinity_parse(options->affinity, &pool->affinity));
  TERN_TRY(check(options, threads, &pool->affinity));
  pool->spin_ns = options->spin_ns;
  pool->max_spinning = processors - 1;
  pool->hooks = options->hooks;
  pool->note = options->note;
  pool->note_self = options->note_self;
  return grow(pool, threads - 1);
}

tern_status *tern_pool_create(const tern_pool_options *options, tern_pool **out_pool) {
  tern_pool *pool;
  TERN_TRY(TERN_NEW(tern_allocator_system(), &pool));
  tern_os_mutex_init(&pool->mutex);
  add_to_process(pool);
  tern_status *status = fill(options, pool);
  if (status) {
    tern_pool_destroy(pool);
    return status;
  }
  *out_pool = pool;
  return NULL;
}

void tern_pool_free(tern_pool *pool) {
  remove_from_process(pool);
  tern_affinity_deinit(&pool->affinity);
  tern_os_mutex_deinit(&pool->mutex);
  TERN_DELETE(tern_allocator_system(), pool);
}

void tern_pool_destroy(tern_pool *pool) {
  if (!pool) return;
  tern_pool_worker *self = tern_pool_current_worker();
  if (self && self->pool == pool) {
    tern_os_mutex_lock(&pool->mutex);
    pool->destroyer = self;
    tern_os_mutex_unlock(&pool->mutex);
    atomic_store(&pool->is_ending, true);
    return;
  }
  tern_pool_join(pool, NULL);
  tern_pool_free(pool);
}

int32_t tern_pool_thread_count(const tern_pool *pool) {
  return 1 + atomic_load_explicit(&pool->worker_count, memory_order_relaxed);
}

// ---- The shared pool.

static tern_status *grow_shared(int32_t threads) {
  if (!process.shared) {
    const tern_pool_options options = {.threads = threads, .spin_ns = TERN_POOL_SPIN_NS};
    return tern_pool_create(&options, &process.shared);
  }
  if (threads == 0) threads = tern_os_cpu_count();
  TERN_TRY(check(&(tern_pool_options){0}, threads, NULL));
  return grow(process.shared, threads - 1);
}

tern_status *tern_pool_acquire_shared(int32_t threads, tern_pool **out_pool) {
  tern_os_once_run(&process.once, init_process);
  tern_os_mutex_lock(&process.sharing);
  tern_status *status = grow_shared(threads);
  if (!status) {
    process.references++;
    *out_pool = process.shared;
  }
  tern_os_mutex_unlock(&process.sharing);
  return status;
}

void tern_pool_release_shared(tern_pool *pool) {
  if (!pool) return;
  tern_os_mutex_lock(&process.sharing);
  bool is_last = --process.references == 0;
  if (is_last) process.shared = NULL;
  tern_os_mutex_unlock(&process.sharing);
  if (is_last) tern_pool_destroy(pool);
}
