// Jobs: every item once, by as many threads as asked, for any number of callers at once.
#include <float.h>
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

#include "base/float_mode.h"
#include "base/os.h"
#include "parallel/pool.h"
#include "unit/test.h"

// A cost that is worth any number of threads.
enum { LONG_NS = 1000000000 };

static tern_pool *make_pool(int32_t threads, int64_t spin_ns) {
  tern_pool *pool = NULL;
  tern_pool_options options = {.threads = threads, .spin_ns = spin_ns};
  assert_null(tern_pool_create(&options, &pool));
  assert_int_equal(tern_pool_thread_count(pool), threads);
  return pool;
}

static tern_parallel all_of(tern_pool *pool) {
  return (tern_parallel){.pool = pool, .max_threads = tern_pool_thread_count(pool)};
}

// ---- Items.

enum { MOST_ITEMS = 1000 };

typedef struct counts {
  _Atomic int32_t times[MOST_ITEMS];
  _Atomic int64_t calls;
} counts;

static void count_items(void *context, int64_t begin, int64_t end) {
  counts *c = context;
  atomic_fetch_add(&c->calls, 1);
  for (int64_t i = begin; i < end; ++i) atomic_fetch_add(&c->times[i], 1);
}

static void check_each_once(const tern_parallel *parallel, int64_t count, int64_t item_ns) {
  counts c = {0};
  tern_parallel_for(parallel, count, item_ns, count_items, &c);
  for (int64_t i = 0; i < MOST_ITEMS; ++i) assert_int_equal(c.times[i], i < count);
}

static void computes_each_item_once(void **state) {
  (void)state;
  const int64_t counts_of_items[] = {0, 1, 2, 3, 7, 64, 999, 1000};
  const int64_t costs[] = {0, 1, 100, 10000, LONG_NS, INT64_MAX};
  for (int32_t threads = 1; threads <= 5; threads += 2) {
    tern_pool *pool = make_pool(threads, threads == 3 ? 0 : 50000);
    tern_parallel parallel = all_of(pool);
    for (size_t i = 0; i < TERN_COUNT_OF(counts_of_items); ++i)
      for (size_t j = 0; j < TERN_COUNT_OF(costs); ++j)
        check_each_once(&parallel, counts_of_items[i], costs[j]);
    tern_pool_destroy(pool);
  }
  check_each_once(NULL, 10, LONG_NS);
  check_each_once(&(tern_parallel){.max_threads = 4}, 10, LONG_NS);
}

static void keeps_small_jobs_on_the_caller(void **state) {
  (void)state;
  tern_pool *pool = make_pool(4, 0);
  tern_parallel parallel = all_of(pool);
  counts c = {0};
  tern_parallel_for(&parallel, MOST_ITEMS, 1, count_items, &c);
  assert_int_equal(c.calls, 1);
  assert_int_equal(tern_parallel_lanes(&parallel, MOST_ITEMS, 1), 1);
  assert_int_equal(tern_parallel_lanes(&parallel, 1, LONG_NS), 1);
  assert_int_equal(tern_parallel_lanes(&parallel, 3, LONG_NS), 3);
  assert_int_equal(tern_parallel_lanes(&parallel, MOST_ITEMS, LONG_NS), 4);
  assert_int_equal(tern_parallel_lanes(NULL, MOST_ITEMS, LONG_NS), 1);
  tern_pool_destroy(pool);
}

// ---- Threads.

enum { MOST_THREADS = 8 };

typedef struct meeting {
  int32_t expected;
  _Atomic int32_t arrived;
  _Atomic int64_t ids[MOST_THREADS];
} meeting;

// Returns when `expected` items have come here at once: each then has a thread of its own.
static void meet(void *context, int64_t begin, int64_t end) {
  meeting *m = context;
  for (int64_t i = begin; i < end; ++i) {
    m->ids[i] = tern_os_thread_id();
    atomic_fetch_add(&m->arrived, 1);
    while (atomic_load(&m->arrived) < m->expected) tern_os_thread_yield();
  }
}

static void check_distinct(const meeting *m) {
  for (int32_t i = 0; i < m->expected; ++i)
    for (int32_t j = 0; j < i; ++j) assert_int_not_equal(m->ids[i], m->ids[j]);
}

static void gives_each_item_a_thread(void **state) {
  (void)state;
  for (int32_t threads = 2; threads <= MOST_THREADS; threads *= 2) {
    tern_pool *pool = make_pool(threads, threads == 4 ? 0 : 100000);
    tern_parallel parallel = all_of(pool);
    for (int round = 0; round < 50; ++round) {
      meeting m = {.expected = threads};
      tern_parallel_for(&parallel, threads, LONG_NS, meet, &m);
      check_distinct(&m);
    }
    tern_pool_destroy(pool);
  }
}

typedef struct crowd {
  _Atomic int32_t inside, most;
} crowd;

static void count_crowd(void *context, int64_t begin, int64_t end) {
  crowd *c = context;
  for (int64_t i = begin; i < end; ++i) {
    int32_t inside = atomic_fetch_add(&c->inside, 1) + 1, most = atomic_load(&c->most);
    while (inside > most && !atomic_compare_exchange_weak(&c->most, &most, inside)) {
    }
    tern_os_thread_yield();
    atomic_fetch_sub(&c->inside, 1);
  }
}

static void takes_no_more_threads_than_allowed(void **state) {
  (void)state;
  tern_pool *pool = make_pool(6, 100000);
  for (int32_t cap = 1; cap <= 6; ++cap) {
    tern_parallel parallel = {.pool = pool, .max_threads = cap};
    for (int round = 0; round < 30; ++round) {
      crowd c = {0};
      tern_parallel_for(&parallel, 200, LONG_NS, count_crowd, &c);
      assert_in_range(c.most, 1, cap);
    }
  }
  tern_pool_destroy(pool);
}

// ---- Lanes: no two threads of a job have the same at a time.

typedef struct lanes {
  _Atomic int32_t in_use[MOST_THREADS], collisions;
} lanes;

static void use_lane(void *context, int64_t begin, int64_t end) {
  lanes *l = context;
  for (int64_t i = begin; i < end; ++i) {
    int32_t lane = tern_parallel_lane();
    if (lane < 0 || lane >= MOST_THREADS || atomic_fetch_add(&l->in_use[lane], 1) != 0)
      atomic_fetch_add(&l->collisions, 1);
    tern_os_thread_yield();
    atomic_fetch_sub(&l->in_use[lane], 1);
  }
}

static void gives_each_thread_a_lane(void **state) {
  (void)state;
  tern_pool *pool = make_pool(MOST_THREADS, 100000);
  tern_parallel parallel = all_of(pool);
  for (int round = 0; round < 30; ++round) {
    lanes l = {0};
    tern_parallel_for(&parallel, 300, LONG_NS, use_lane, &l);
    assert_int_equal(l.collisions, 0);
  }
  assert_int_equal(tern_parallel_lane(), 0);
  tern_pool_destroy(pool);
}

// ---- Jobs inside jobs.

typedef struct outer {
  const tern_parallel *parallel;
  _Atomic int64_t done;
} outer;

typedef struct inner {
  int64_t id;
  bool moved;
  int64_t done;
} inner;

static void do_inner(void *context, int64_t begin, int64_t end) {
  inner *in = context;
  in->moved |= tern_os_thread_id() != in->id || tern_parallel_lane() != 0;
  in->done += end - begin;
}

static void do_outer(void *context, int64_t begin, int64_t end) {
  outer *out = context;
  for (int64_t i = begin; i < end; ++i) {
    inner in = {.id = tern_os_thread_id()};
    int32_t lane = tern_parallel_lane();
    tern_parallel_for(out->parallel, 100, LONG_NS, do_inner, &in);
    if (!in.moved && tern_parallel_lane() == lane) atomic_fetch_add(&out->done, in.done);
  }
}

static void runs_inner_jobs_where_they_are(void **state) {
  (void)state;
  tern_pool *pool = make_pool(4, 100000);
  tern_parallel parallel = all_of(pool);
  outer out = {.parallel = &parallel};
  tern_parallel_for(&parallel, 50, LONG_NS, do_outer, &out);
  assert_int_equal(out.done, 5000);
  tern_pool_destroy(pool);
}

// ---- Many callers.

enum { CALLERS = 16, JOBS_EACH = 200, JOB_ITEMS = 64 };

typedef struct caller {
  tern_parallel parallel;
  int64_t values[JOB_ITEMS]; // not atomic: the job's end makes them the caller's
  bool right;
} caller;

static void add_index(void *context, int64_t begin, int64_t end) {
  caller *c = context;
  for (int64_t i = begin; i < end; ++i) c->values[i] += i;
}

static void *call(void *argument) {
  caller *c = argument;
  for (int i = 0; i < JOBS_EACH; ++i)
    tern_parallel_for(&c->parallel, JOB_ITEMS, i % 2 ? LONG_NS : 1000, add_index, c);
  c->right = true;
  for (int64_t i = 0; i < JOB_ITEMS; ++i) c->right &= c->values[i] == i * JOBS_EACH;
  return NULL;
}

static void serves_many_callers(void **state) {
  (void)state;
  for (int32_t threads = 2; threads <= 4; ++threads) {
    tern_pool *pool = make_pool(threads, threads == 3 ? 0 : 20000);
    static caller callers[CALLERS];
    pthread_t handles[CALLERS];
    for (int i = 0; i < CALLERS; ++i) {
      callers[i] = (caller){.parallel = all_of(pool)};
      assert_int_equal(pthread_create(&handles[i], NULL, call, &callers[i]), 0);
    }
    for (int i = 0; i < CALLERS; ++i) {
      assert_int_equal(pthread_join(handles[i], NULL), 0);
      assert_true(callers[i].right);
    }
    tern_pool_destroy(pool);
  }
}

// ---- More callers than slots: the rest compute alone.

typedef struct gate {
  const tern_parallel *parallel;
  _Atomic int32_t entered, wanted;
  _Atomic int64_t items;
} gate;

static void wait_at_gate(void *context, int64_t begin, int64_t end) {
  gate *g = context;
  atomic_fetch_add(&g->items, end - begin);
  atomic_fetch_add(&g->entered, 1);
  while (atomic_load(&g->entered) < atomic_load(&g->wanted)) tern_os_thread_yield();
}

static void *call_at_gate(void *argument) {
  gate *g = argument;
  tern_parallel_for(g->parallel, 2, LONG_NS, wait_at_gate, g);
  return NULL;
}

static void serves_more_callers_than_it_has_slots(void **state) {
  (void)state;
  enum { MANY = 70 };
  tern_pool *pool = make_pool(2, 0);
  tern_parallel parallel = all_of(pool);
  gate g = {.parallel = &parallel, .wanted = MANY};
  pthread_t handles[MANY];
  for (int i = 0; i < MANY; ++i)
    assert_int_equal(pthread_create(&handles[i], NULL, call_at_gate, &g), 0);
  for (int i = 0; i < MANY; ++i) assert_int_equal(pthread_join(handles[i], NULL), 0);
  assert_int_equal(g.items, 2 * MANY);
  tern_pool_destroy(pool);
}

// ---- Stopping.

typedef struct stopping {
  _Atomic bool stop;
  _Atomic int64_t items;
} stopping;

static void stop_at_once(void *context, int64_t begin, int64_t end) {
  stopping *s = context;
  atomic_fetch_add(&s->items, end - begin);
  s->stop = true;
}

static void leaves_items_out_when_stopped(void **state) {
  (void)state;
  tern_pool *pool = make_pool(3, 100000);
  for (int32_t threads = 1; threads <= 3; ++threads) {
    stopping s = {0};
    tern_parallel parallel = {.pool = pool, .max_threads = threads, .stop = &s.stop};
    tern_parallel_for(&parallel, 1000, LONG_NS, stop_at_once, &s);
    // Each thread may have taken a share before it saw the flag.
    assert_in_range(s.items, 1, 999);
  }
  tern_pool_destroy(pool);
}

// ---- Floating point.

static void halve_smallest(void *context, int64_t begin, int64_t end) {
  float *results = context;
  for (int64_t i = begin; i < end; ++i) {
    volatile float smallest = FLT_MIN;
    results[i] = smallest / 2;
  }
}

static void computes_in_the_callers_mode(void **state) {
  (void)state;
  const tern_float_mode before = tern_float_mode_get();
  const tern_float_mode without = tern_float_mode_without_denormals(before);
  if (without == before) skip();
  tern_pool *pool = make_pool(4, 100000);
  tern_parallel parallel = all_of(pool);
  for (int round = 0; round < 20; ++round) {
    float results[MOST_ITEMS];
    tern_float_mode_set(round % 2 ? before : without);
    tern_parallel_for(&parallel, MOST_ITEMS, LONG_NS, halve_smallest, results);
    tern_float_mode_set(before);
    for (int i = 0; i < MOST_ITEMS; ++i)
      assert_true(results[i] == (round % 2 ? FLT_MIN / 2 : 0.0f));
  }
  assert_true(tern_float_mode_get() == before);
  tern_pool_destroy(pool);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(computes_each_item_once),
                                     cmocka_unit_test(keeps_small_jobs_on_the_caller),
                                     cmocka_unit_test(gives_each_item_a_thread),
                                     cmocka_unit_test(takes_no_more_threads_than_allowed),
                                     cmocka_unit_test(gives_each_thread_a_lane),
                                     cmocka_unit_test(runs_inner_jobs_where_they_are),
                                     cmocka_unit_test(serves_many_callers),
                                     cmocka_unit_test(serves_more_callers_than_it_has_slots),
                                     cmocka_unit_test(leaves_items_out_when_stopped),
                                     cmocka_unit_test(computes_in_the_callers_mode)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
