// Several threads run one session while its provider fails again and again: whoever gets a result
// gets the right one, whoever waits for a recovery goes on after it, and under a policy that has
// the run done until it succeeds every run does.
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#include "provider/models.h"
#include "provider/test_provider.h"
#include "unit/test.h"

enum { THREADS = 4, RUNS = 60, SEEDS = 3 };

static bool takes_two_of_three(const tern_node *node) {
  return node->id % 3 != 0;
}

static const test_provider_options manners[] = {
    {.takes = takes_two_of_three},
    {.takes = takes_two_of_three, .has_memory = true, .is_asynchronous = true},
    {.takes = takes_two_of_three, .compiles = true, .has_memory = true},
};

static void check(tern_status *status) {
  if (status) fail_msg("%s", tern_status_message(status));
}

typedef struct crowd {
  tern_session *session;
  test_outputs expected[SEEDS];
  _Atomic int64_t right, wrong, refused;
} crowd;

static void run_many(void *argument) {
  crowd *c = argument;
  for (int i = 0; i < RUNS; ++i) {
    test_outputs outputs;
    tern_status *status = test_model_run(c->session, (uint64_t)(i % SEEDS), &outputs);
    if (status) {
      c->refused++;
      tern_status_free(status);
      continue;
    }
    if (test_outputs_equal(&outputs, &c->expected[i % SEEDS]))
      c->right++;
    else
      c->wrong++;
    test_outputs_release(&outputs);
  }
}

static void open_crowd(crowd *out_crowd, const char *model, test_provider *provider,
                       const char *policy) {
  const tern_metadata config[] = {{"tern.failure.transient", policy},
                                  {"tern.failure.out_of_memory", policy},
                                  {"tern.failure.lost", policy}};
  const tern_provider_request request = {.instance = &provider->base};
  const tern_session_options options = {.optimization_level = TERN_OPTIMIZE_NONE,
                                        .config = config,
                                        .config_count = TERN_COUNT_OF(config),
                                        .providers = &request,
                                        .provider_count = 1};
  tern_session *plain;
  *out_crowd = (crowd){.right = 0};
  check(test_model_load(test_model_find(model), NULL, &plain));
  for (uint64_t seed = 0; seed < SEEDS; ++seed)
    check(test_model_run(plain, seed, &out_crowd->expected[seed]));
  tern_session_destroy(plain);
  check(test_model_load(test_model_find(model), &options, &out_crowd->session));
}

static void close_crowd(crowd *c) {
  tern_session_destroy(c->session);
  for (int seed = 0; seed < SEEDS; ++seed) test_outputs_release(&c->expected[seed]);
}

static void run_all(crowd *c) {
  tern_os_thread threads[THREADS];
  for (int i = 0; i < THREADS; ++i) check(tern_os_thread_create(run_many, c, &threads[i]));
  for (int i = 0; i < THREADS; ++i) tern_os_thread_join(&threads[i]);
}

static void break_everything(test_provider *provider) {
  test_provider_fail_every(provider, TEST_CALL_COMPUTE, 61, TERN_FAILURE_LOST);
  test_provider_fail_every(provider, TEST_CALL_ALLOCATE, 97, TERN_FAILURE_OUT_OF_MEMORY);
  test_provider_fail_every(provider, TEST_CALL_UPLOAD, 41, TERN_FAILURE_TRANSIENT);
  test_provider_fail_every(provider, TEST_CALL_SYNCHRONIZE, 53, TERN_FAILURE_TRANSIENT);
}

static void run_under(const char *model, size_t manner, const char *policy, bool all_succeed) {
  test_provider provider;
  crowd c;
  test_provider_init(&manners[manner], &provider);
  open_crowd(&c, model, &provider, policy);
  break_everything(&provider);
  run_all(&c);
  assert_int_equal(c.wrong, 0);
  assert_int_equal(c.right + c.refused, THREADS * RUNS);
  if (all_succeed) assert_int_equal(c.refused, 0);
  assert_true(all_succeed || c.refused > 0);
  assert_true(provider.calls[TEST_CALL_RECOVER] > 0);
  assert_int_equal(tern_session_get_state(c.session), TERN_SESSION_READY);
  close_crowd(&c);
  assert_true(test_provider_is_clean(&provider));
}

static void test_until_done(void **state) {
  (void)state;
  for (size_t m = 0; m < TERN_COUNT_OF(manners); ++m) {
    run_under("branches", m, "retry:1000", true);
    run_under("subgraphs", m, "retry:1000", true);
  }
}

static void test_falling_back(void **state) {
  (void)state;
  for (size_t m = 0; m < TERN_COUNT_OF(manners); ++m) {
    run_under("branches", m, "fallback", true);
    run_under("shapes", m, "retry:1,fallback", true);
  }
}

static void test_errors(void **state) {
  (void)state;
  for (size_t m = 0; m < TERN_COUNT_OF(manners); ++m) run_under("branches", m, "error", false);
}

// ---- A recovery that takes its time.

typedef struct gate {
  _Atomic uint32_t entered, opened;
} gate;

static void wait_at(void *self) {
  gate *g = self;
  atomic_store(&g->entered, 1);
  tern_os_wake(&g->entered, INT32_MAX);
  while (!atomic_load(&g->opened)) tern_os_wait(&g->opened, 0);
}

static void open_gate(gate *g) {
  atomic_store(&g->opened, 1);
  tern_os_wake(&g->opened, INT32_MAX);
}

static void run_one(void *argument) {
  crowd *c = argument;
  test_outputs outputs;
  check(test_model_run(c->session, 0, &outputs));
  if (test_outputs_equal(&outputs, &c->expected[0])) c->right++;
  test_outputs_release(&outputs);
}

// Starts a run that loses the device and is held while it recovers.
static void start_losing(crowd *c, test_provider *provider, gate *g, const char *policy,
                         tern_os_thread *out_thread) {
  *g = (gate){0};
  test_provider_options options = manners[1];
  options.on_recover = wait_at;
  options.on_recover_self = g;
  test_provider_init(&options, provider);
  open_crowd(c, "branches", provider, policy);
  test_provider_fail(provider, TEST_CALL_COMPUTE, 2, 1, TERN_FAILURE_LOST);
  check(tern_os_thread_create(run_one, c, out_thread));
  while (!atomic_load(&g->entered)) tern_os_wait(&g->entered, 0);
  assert_int_equal(tern_session_get_state(c->session), TERN_SESSION_RECOVERING);
}

// With somewhere else to go, a run that comes meanwhile does not wait.
static void test_runs_take_the_twin_meanwhile(void **state) {
  (void)state;
  crowd c;
  gate g;
  test_provider provider;
  tern_os_thread thread;
  start_losing(&c, &provider, &g, "fallback", &thread);
  int64_t begun = provider.calls[TEST_CALL_BEGIN];
  run_one(&c); // makes the twin
  run_one(&c); // finds it
  assert_int_equal(c.right, 2);
  assert_int_equal(tern_session_get_state(c.session), TERN_SESSION_RECOVERING);
  assert_int_equal(provider.calls[TEST_CALL_BEGIN], begun);
  open_gate(&g);
  tern_os_thread_join(&thread);
  run_one(&c);
  assert_int_equal(c.right, 4);
  assert_true(provider.calls[TEST_CALL_BEGIN] > begun);
  close_crowd(&c);
  assert_true(test_provider_is_clean(&provider));
}

// Otherwise it waits, and runs on what was made anew.
static void test_runs_wait_for_the_recovery(void **state) {
  (void)state;
  crowd c;
  gate g;
  test_provider provider;
  tern_os_thread thread, late;
  start_losing(&c, &provider, &g, "retry:1", &thread);
  check(tern_os_thread_create(run_one, &c, &late));
  open_gate(&g);
  tern_os_thread_join(&thread);
  tern_os_thread_join(&late);
  assert_int_equal(c.right, 2);
  assert_int_equal(provider.calls[TEST_CALL_RECOVER], 1);
  close_crowd(&c);
  assert_true(test_provider_is_clean(&provider));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_until_done),
      cmocka_unit_test(test_falling_back),
      cmocka_unit_test(test_errors),
      cmocka_unit_test(test_runs_take_the_twin_meanwhile),
      cmocka_unit_test(test_runs_wait_for_the_recovery),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
