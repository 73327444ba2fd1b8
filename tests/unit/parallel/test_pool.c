// Pools: threads that come and go, the shared one, hooks, tasks, forks, idleness.
#include <dirent.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/os.h"
#include "parallel/pool.h"
#include "unit/test.h"

enum { LONG_NS = 1000000000 };

static tern_pool *make_pool(int32_t threads, int64_t spin_ns) {
  tern_pool *pool = NULL;
  tern_pool_options options = {.threads = threads, .spin_ns = spin_ns};
  assert_null(tern_pool_create(&options, &pool));
  return pool;
}

typedef struct meeting {
  int32_t expected;
  _Atomic int32_t arrived;
} meeting;

// Returns when `expected` items are here at once, each on a thread of its own.
static void meet(void *context, int64_t begin, int64_t end) {
  meeting *m = context;
  for (int64_t i = begin; i < end; ++i) {
    atomic_fetch_add(&m->arrived, 1);
    while (atomic_load(&m->arrived) < m->expected) tern_os_thread_yield();
  }
}

// Comes back when `threads` threads have worked on one job at once.
static void meet_on(tern_pool *pool, int32_t threads) {
  meeting m = {.expected = threads};
  tern_parallel parallel = {.pool = pool, .max_threads = threads};
  tern_parallel_for(&parallel, threads, LONG_NS, meet, &m);
}

// ---- The shared pool.

static void shares_one_pool_that_grows(void **state) {
  (void)state;
  tern_pool *a, *b, *c;
  assert_null(tern_pool_acquire_shared(2, &a));
  assert_int_equal(tern_pool_thread_count(a), 2);
  assert_null(tern_pool_acquire_shared(4, &b));
  assert_ptr_equal(a, b);
  assert_int_equal(tern_pool_thread_count(a), 4);
  meet_on(a, 4);
  assert_null(tern_pool_acquire_shared(1, &c));
  assert_int_equal(tern_pool_thread_count(c), 4);
  tern_pool_release_shared(a);
  tern_pool_release_shared(b);
  meet_on(c, 4);
  tern_pool_release_shared(c);
  // The last one joined them: the next pool is a new one.
  assert_null(tern_pool_acquire_shared(2, &a));
  assert_int_equal(tern_pool_thread_count(a), 2);
  tern_pool_release_shared(a);
  tern_pool_release_shared(NULL);
}

static void takes_as_many_threads_as_there_are_processors(void **state) {
  (void)state;
  tern_pool *pool = make_pool(0, 0);
  assert_int_equal(tern_pool_thread_count(pool), tern_os_cpu_count());
  tern_pool_destroy(pool);
  tern_pool_destroy(NULL);
}

// ---- Options.

static void expect_refused(const tern_pool_options *options, const char *part) {
  tern_pool *pool = NULL;
  tern_status *status = tern_pool_create(options, &pool);
  assert_int_equal(tern_status_get_code(status), TERN_INVALID_ARGUMENT);
  assert_non_null(strstr(tern_status_message(status), part));
  assert_null(pool);
  tern_status_free(status);
}

static void refuses_what_contradicts_itself(void **state) {
  (void)state;
  tern_pool *pool = NULL;
  expect_refused(&(tern_pool_options){.threads = -1}, "-1 threads");
  expect_refused(&(tern_pool_options){.threads = TERN_POOL_MAX_THREADS + 1}, "threads");
  expect_refused(&(tern_pool_options){.threads = 2, .spin_ns = -1}, "negative");
  expect_refused(&(tern_pool_options){.threads = 3, .affinity = "1"}, "2 of their own");
  expect_refused(&(tern_pool_options){.threads = 2, .affinity = "x"}, "\"x\"");
  tern_status *status = tern_pool_acquire_shared(-1, &pool);
  assert_int_equal(tern_status_get_code(status), TERN_INVALID_ARGUMENT);
  tern_status_free(status);
}

static void count_notes(void *self, const char *message) {
  assert_non_null(strstr(message, "processors"));
  atomic_fetch_add((_Atomic int32_t *)self, 1);
}

// Processors that are not there cannot be kept to.
static void computes_where_affinity_is_refused(void **state) {
  (void)state;
  _Atomic int32_t notes = 0;
  tern_pool *pool;
  tern_pool_options options = {
      .threads = 3, .affinity = "1;65000", .note = count_notes, .note_self = (void *)&notes};
  assert_null(tern_pool_create(&options, &pool));
  meet_on(pool, 3);
  tern_pool_destroy(pool);
  assert_int_equal(notes, 1);
}

// ---- Hooks.

typedef struct hooks {
  int created, joined, fails_at; // -1: never
  pthread_t threads[4];
  void (*worker)(void *);
  void *arguments[4];
} hooks;

typedef struct entry {
  void (*worker)(void *);
  void *argument;
} entry;

static void *enter(void *argument) {
  entry e = *(entry *)argument;
  free(argument);
  e.worker(e.argument);
  return NULL;
}

static tern_status *create_hooked(void *self, void (*worker)(void *), void *argument,
                                  void **out_handle) {
  hooks *h = self;
  if (h->created == h->fails_at) return TERN_ERROR(TERN_ENGINE_ERROR, "no thread today");
  entry *e = malloc(sizeof *e);
  *e = (entry){worker, argument};
  assert_int_equal(pthread_create(&h->threads[h->created], NULL, enter, e), 0);
  *out_handle = &h->threads[h->created++];
  return NULL;
}

static void join_hooked(void *self, void *handle) {
  hooks *h = self;
  h->joined++;
  assert_int_equal(pthread_join(*(pthread_t *)handle, NULL), 0);
}

static void uses_the_callers_threads(void **state) {
  (void)state;
  hooks h = {.fails_at = -1};
  tern_pool *pool = NULL;
  tern_pool_options options = {.threads = 4, .hooks = {&h, create_hooked, join_hooked}};
  assert_null(tern_pool_create(&options, &pool));
  assert_int_equal(h.created, 3);
  meet_on(pool, 4);
  tern_pool_destroy(pool);
  assert_int_equal(h.joined, 3);

  h = (hooks){.fails_at = 1};
  tern_status *status = tern_pool_create(&options, &pool);
  assert_int_equal(tern_status_get_code(status), TERN_ENGINE_ERROR);
  tern_status_free(status);
  assert_int_equal(h.created, 1);
  assert_int_equal(h.joined, 1);

  options.hooks.join = NULL;
  expect_refused(&options, "both or neither");
}

// ---- Tasks.

typedef struct counted_task {
  tern_pool_task task;
  tern_pool *meets_on, *destroys; // NULL: not
  int64_t thread;
  _Atomic int32_t *done;
} counted_task;

static void do_task(tern_pool_task *task) {
  counted_task *t = (counted_task *)task;
  t->thread = tern_os_thread_id();
  // Its own jobs find helpers: all workers, as this thread is one of them.
  if (t->meets_on) meet_on(t->meets_on, tern_pool_thread_count(t->meets_on) - 1);
  tern_pool_destroy(t->destroys);
  atomic_fetch_add(t->done, 1);
}

static void runs_tasks_on_workers(void **state) {
  (void)state;
  _Atomic int32_t done = 0;
  tern_pool *pool = make_pool(4, 0);
  counted_task tasks[20];
  for (size_t i = 0; i < TERN_COUNT_OF(tasks); ++i) {
    tasks[i] = (counted_task){.task = {.run = do_task}, .done = &done};
    if (i == 0) tasks[i].meets_on = pool;
    assert_true(tern_pool_post(pool, &tasks[i].task));
  }
  tern_pool_destroy(pool);
  assert_int_equal(done, 20);
  for (size_t i = 0; i < TERN_COUNT_OF(tasks); ++i)
    assert_int_not_equal(tasks[i].thread, tern_os_thread_id());
}

static void takes_no_task_without_workers(void **state) {
  (void)state;
  _Atomic int32_t done = 0;
  counted_task task = {.task = {.run = do_task}, .done = &done};
  tern_pool *pool = make_pool(1, 0);
  assert_false(tern_pool_post(pool, &task.task));
  tern_pool_destroy(pool);
  assert_int_equal(done, 0);
}

static size_t count_threads(void) {
  DIR *folder = opendir("/proc/self/task");
  if (!folder) return 0;
  size_t count = 0;
  for (struct dirent *e; (e = readdir(folder));) count += e->d_name[0] != '.';
  closedir(folder);
  return count;
}

// What a program that releases everything in the callback of its last run does.
static void is_destroyed_by_its_own_task(void **state) {
  (void)state;
  size_t before = count_threads();
  if (!before) skip();
  _Atomic int32_t done = 0;
  tern_pool *pool = make_pool(3, 100000);
  counted_task tasks[2] = {{.task = {.run = do_task}, .destroys = pool, .done = &done},
                           {.task = {.run = do_task}, .done = &done}};
  assert_true(tern_pool_post(pool, &tasks[0].task));
  while (atomic_load(&done) < 1 || count_threads() > before) tern_os_thread_yield();
}

// ---- Forks.

// The thread sanitizer ends a child that starts threads.
#if defined __SANITIZE_THREAD__
#define CHILD_MAY_START_THREADS 0
#elif defined __has_feature
#if __has_feature(thread_sanitizer)
#define CHILD_MAY_START_THREADS 0
#endif
#endif
#ifndef CHILD_MAY_START_THREADS
#define CHILD_MAY_START_THREADS 1
#endif

static void do_nothing(void *context, int64_t begin, int64_t end) {
  (void)context, (void)begin, (void)end;
}

typedef struct background {
  tern_pool *pool;
  _Atomic bool stop;
} background;

static void *keep_busy(void *argument) {
  background *b = argument;
  tern_parallel parallel = {.pool = b->pool, .max_threads = 3};
  while (!b->stop) tern_parallel_for(&parallel, 8, LONG_NS, do_nothing, NULL);
  return NULL;
}

// The child's exit code: 0 when its pools work.
static int use_pools(tern_pool *pool, tern_pool *shared) {
  alarm(60);
  meet_on(pool, 3);
  meet_on(shared, 4);
  _Atomic int32_t done = 0;
  counted_task task = {.task = {.run = do_task}, .meets_on = pool, .done = &done};
  if (!tern_pool_post(pool, &task.task)) return 1;
  tern_pool_destroy(pool);
  if (done != 1) return 2;
  tern_pool_release_shared(shared);
  if (tern_pool_acquire_shared(2, &shared)) return 3;
  meet_on(shared, 2);
  tern_pool_release_shared(shared);
  return 0;
}

static void starts_again_in_a_child(void **state) {
  (void)state;
  if (!CHILD_MAY_START_THREADS) {
    print_message("the thread sanitizer allows no threads after a fork\n");
    skip();
  }
  tern_pool *pool = make_pool(3, 50000), *shared;
  assert_null(tern_pool_acquire_shared(4, &shared));
  background b = {.pool = pool};
  pthread_t busy;
  assert_int_equal(pthread_create(&busy, NULL, keep_busy, &b), 0);
  for (int i = 0; i < 10; ++i) {
    pid_t child = fork();
    if (child == 0) _exit(use_pools(pool, shared));
    int code = -1;
    assert_int_equal(waitpid(child, &code, 0), child);
    assert_true(WIFEXITED(code));
    assert_int_equal(WEXITSTATUS(code), 0);
  }
  b.stop = true;
  pthread_join(busy, NULL);
  meet_on(pool, 3);
  tern_pool_destroy(pool);
  tern_pool_release_shared(shared);
}

// ---- Idleness.

static double processor_seconds(void) {
  struct timespec time;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

static void wait_ms(long ms) {
  struct timespec time = {.tv_nsec = ms * 1000000};
  nanosleep(&time, NULL);
}

// Threads that may look for work for an hour do so until they are told to stop: far from the same
// amount of work whatever else the machine does.
static void stops_spinning_when_told(void **state) {
  (void)state;
  if (tern_os_cpu_count() < 2) skip();
  tern_pool *pool = make_pool(2, (int64_t)3600 * 1000000000);
  meet_on(pool, 2);
  double start = processor_seconds();
  while (processor_seconds() - start < 0.01) wait_ms(1);
  tern_pool_stop_spinning(pool);
  for (int still = 0; still < 5;) {
    start = processor_seconds();
    wait_ms(20);
    still = processor_seconds() - start < 0.005 ? still + 1 : 0;
  }
  tern_pool_destroy(pool);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(shares_one_pool_that_grows),
      cmocka_unit_test(takes_as_many_threads_as_there_are_processors),
      cmocka_unit_test(refuses_what_contradicts_itself),
      cmocka_unit_test(computes_where_affinity_is_refused),
      cmocka_unit_test(uses_the_callers_threads),
      cmocka_unit_test(runs_tasks_on_workers),
      cmocka_unit_test(takes_no_task_without_workers),
      cmocka_unit_test(is_destroyed_by_its_own_task),
      cmocka_unit_test(starts_again_in_a_child),
      cmocka_unit_test(stops_spinning_when_told)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
