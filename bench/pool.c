// What handing work to the pool costs: a fork and join of a job whose items wait for each other,
// so that every thread has really come, with workers that look for work and with workers that
// sleep; the same without waiting; the processor time of an idle pool.
// Usage: bench_pool [THREADS [SECONDS-IDLE]]
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "base/os.h"
#include "parallel/pool.h"

enum { ROUNDS = 4000, LONG_NS = 1000000000 };

typedef struct meeting {
  int32_t expected;
  _Atomic int32_t arrived;
} meeting;

static void meet(void *context, int64_t begin, int64_t end) {
  meeting *m = context;
  for (int64_t i = begin; i < end; ++i) {
    atomic_fetch_add(&m->arrived, 1);
    while (atomic_load_explicit(&m->arrived, memory_order_relaxed) < m->expected) {
    }
  }
}

static void do_nothing(void *context, int64_t begin, int64_t end) {
  (void)context, (void)begin, (void)end;
}

static void wait_ns(int64_t ns) {
  nanosleep(&(struct timespec){ns / 1000000000, ns % 1000000000}, NULL);
}

static int compare(const void *a, const void *b) {
  const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
  return x < y ? -1 : x > y;
}

// Median and 90th percentile of the time from call to return, with `pause_ns` between calls.
static void measure(const char *what, tern_pool *pool, int32_t threads, tern_parallel_fn fn,
                    int64_t pause_ns) {
  static int64_t taken[ROUNDS];
  const int rounds = pause_ns ? ROUNDS / 10 : ROUNDS;
  const tern_parallel parallel = {.pool = pool, .max_threads = threads};
  for (int i = 0; i < rounds; ++i) {
    meeting m = {.expected = threads};
    if (pause_ns) wait_ns(pause_ns);
    const int64_t start = tern_os_monotonic_ns();
    tern_parallel_for(&parallel, threads, LONG_NS, fn, &m);
    taken[i] = tern_os_monotonic_ns() - start;
  }
  qsort(taken, (size_t)rounds, sizeof *taken, compare);
  printf("%-44s %8.2f us median %8.2f us at 90 %%\n", what, (double)taken[rounds / 2] * 1e-3,
         (double)taken[rounds * 9 / 10] * 1e-3);
}

static tern_pool *make_pool(int32_t threads, int64_t spin_ns) {
  tern_pool *pool;
  const tern_pool_options options = {.threads = threads, .spin_ns = spin_ns};
  if (tern_pool_create(&options, &pool)) exit(1);
  return pool;
}

static void measure_idle(double seconds) {
  tern_pool *pool;
  if (tern_pool_acquire_shared(0, &pool)) exit(1);
  const tern_parallel parallel = {.pool = pool, .max_threads = tern_pool_thread_count(pool)};
  tern_parallel_for(&parallel, 100, LONG_NS, do_nothing, NULL);
  const clock_t before = clock();
  wait_ns((int64_t)(seconds * 1e9));
  printf("%-44s %8.3f ms in %.0f s\n", "processor time of the idle shared pool",
         (double)(clock() - before) * 1e3 / CLOCKS_PER_SEC, seconds);
  tern_pool_release_shared(pool);
}

int main(int argc, char **argv) {
  const int32_t threads = argc > 1 ? (int32_t)atoi(argv[1]) : 2;
  const double idle = argc > 2 ? atof(argv[2]) : 2;
  printf("%d threads on %d processors\n", threads, tern_os_cpu_count());
  tern_pool *awake = make_pool(threads, TERN_POOL_SPIN_NS), *asleep = make_pool(threads, 0);
  measure("fork and join, workers awake", awake, threads, meet, 0);
  measure("the same, nobody waits for anybody", awake, threads, do_nothing, 0);
  measure("fork and join, workers that sleep at once", asleep, threads, meet, 0);
  measure("the same, nobody waits for anybody", asleep, threads, do_nothing, 0);
  measure("fork and join after a pause of 1 ms", awake, threads, meet, 1000000);
  tern_pool_destroy(awake);
  tern_pool_destroy(asleep);
  measure_idle(idle);
  return 0;
}
