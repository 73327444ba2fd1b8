// A provider fails in every way, at every call, under every policy. A run that may be done again
// gives the CPU's bits; one that may not says who failed, at what, and which policy holds; and the
// session goes on either way.
#include <stdio.h>
#include <string.h>

#include "provider/models.h"
#include "provider/test_provider.h"
#include "support/load_run.h"
#include "unit/test.h"

static const char *const kind_names[] = {"error", "transient", "out of memory", "device lost"};
static const char *const policies[] = {"error", "retry:1", "fallback", "retry:1,fallback"};
enum { FOREVER = 1 << 20 };

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

// A session of which the provider may fail, and one that cannot.
typedef struct fixture {
  const test_model *model;
  test_limiter memory;
  test_provider provider;
  tern_session *session, *plain;
} fixture;

static tern_status *load(fixture *f, const char *policy) {
  const tern_metadata config[] = {{"tern.failure.error", policy},
                                  {"tern.failure.transient", policy},
                                  {"tern.failure.out_of_memory", policy},
                                  {"tern.failure.lost", policy}};
  const tern_provider_request request = {.instance = &f->provider.base};
  const tern_session_options options = {.allocator = &f->memory.base,
                                        .optimization_level = TERN_OPTIMIZE_NONE,
                                        .config = config,
                                        .config_count = TERN_COUNT_OF(config),
                                        .providers = &request,
                                        .provider_count = 1};
  return test_model_load(f->model, &options, &f->session);
}

static void start(fixture *f, const char *model, const test_provider_options *manner) {
  *f = (fixture){.model = test_model_find(model)};
  test_limiter_init(&f->memory, (int64_t)1 << 30);
  test_provider_init(manner, &f->provider);
  check(test_model_load(f->model, NULL, &f->plain));
}

static void end(fixture *f) {
  tern_session_destroy(f->session);
  tern_session_destroy(f->plain);
  assert_true(test_provider_is_clean(&f->provider));
  assert_int_equal(f->memory.live_blocks, 0);
}

static void expect_right(fixture *f, uint64_t seed) {
  test_outputs expected, actual;
  check(test_model_run(f->plain, seed, &expected));
  check(test_model_run(f->session, seed, &actual));
  assert_true(test_outputs_equal(&expected, &actual));
  test_outputs_release(&expected);
  test_outputs_release(&actual);
}

static void expect_words(tern_status *status, const char *const *words) {
  assert_non_null(status);
  for (; *words; ++words) {
    if (!strstr(tern_status_message(status), *words))
      fail_msg("'%s' is not in: %s", *words, tern_status_message(status));
  }
  tern_status_free(status);
}

// ---- Runs.

static void expect_failure(fixture *f, tern_failure_kind kind, const char *policy) {
  test_outputs outputs;
  char text[64];
  snprintf(text, sizeof text, "policy %s", policy);
  const char *const words[] = {"TestExecutionProvider", "failed to", kind_names[kind], text, NULL};
  expect_words(test_model_run(f->session, 1, &outputs), words);
  for (size_t i = 0; i < TEST_MAX_VALUES; ++i) assert_null(outputs.values[i]);
}

// One failure: the next run gets over it unless it must not try.
static void fail_once(fixture *f, test_call call, int64_t nth, tern_failure_kind kind,
                      const char *policy) {
  test_provider_fail(&f->provider, call, nth, 1, kind);
  if (strcmp(policy, "error") == 0)
    expect_failure(f, kind, policy);
  else
    expect_right(f, 1);
  test_provider_heal(&f->provider);
  expect_right(f, 2);
}

// It goes on: only the CPU helps.
static void fail_forever(fixture *f, test_call call, int64_t nth, tern_failure_kind kind,
                         const char *policy) {
  test_provider_fail(&f->provider, call, nth, FOREVER, kind);
  if (!strstr(policy, "fallback"))
    expect_failure(f, kind, policy);
  else
    expect_right(f, 1);
  test_provider_heal(&f->provider);
  expect_right(f, 2);
}

// A NULL from an allocator has no kind but these.
static bool is_possible(test_call call, tern_failure_kind kind) {
  return call != TEST_CALL_ALLOCATE || kind == TERN_FAILURE_OUT_OF_MEMORY ||
         kind == TERN_FAILURE_LOST;
}

static int64_t calls_of_a_run(fixture *f, test_call call) {
  expect_right(f, 1);
  int64_t before = f->provider.calls[call];
  expect_right(f, 1);
  return f->provider.calls[call] - before;
}

static int64_t fail_each_call(fixture *f, test_call call, const char *policy) {
  int64_t count = calls_of_a_run(f, call);
  for (int64_t nth = 1; nth <= count; ++nth) {
    for (int kind = TERN_FAILURE_ERROR; kind <= TERN_FAILURE_LOST; ++kind) {
      if (!is_possible(call, (tern_failure_kind)kind)) continue;
      fail_once(f, call, nth, (tern_failure_kind)kind, policy);
      fail_forever(f, call, nth, (tern_failure_kind)kind, policy);
    }
  }
  return count;
}

static void fail_runs(const char *model) {
  for (size_t m = 0; m < TERN_COUNT_OF(manners); ++m) {
    int64_t places[TEST_CALL_COUNT] = {0};
    for (size_t p = 0; p < TERN_COUNT_OF(policies); ++p) {
      fixture f;
      start(&f, model, &manners[m]);
      check(load(&f, policies[p]));
      for (int call = TEST_CALL_ALLOCATE; call < TEST_CALL_RECOVER; ++call)
        places[call] += fail_each_call(&f, (test_call)call, policies[p]);
      assert_int_equal(tern_session_get_state(f.session), TERN_SESSION_READY);
      end(&f);
    }
    // Nothing was left out for want of a call.
    assert_true(places[TEST_CALL_COMPUTE] > 0);
    assert_true(!manners[m].has_memory ||
                (places[TEST_CALL_ALLOCATE] > 0 && places[TEST_CALL_UPLOAD] > 0 &&
                 places[TEST_CALL_DOWNLOAD] > 0));
    assert_true(!manners[m].is_asynchronous ||
                (places[TEST_CALL_BEGIN] > 0 && places[TEST_CALL_SYNCHRONIZE] > 0));
  }
}

static void test_runs_of_a_chain(void **state) {
  (void)state;
  fail_runs("branches");
}

static void test_runs_of_weights(void **state) {
  (void)state;
  fail_runs("weights");
}

static void test_runs_of_subgraphs(void **state) {
  (void)state;
  fail_runs("subgraphs");
}

static void test_runs_of_unknown_shapes(void **state) {
  (void)state;
  fail_runs("shapes");
}

// ---- Loading.

static void fail_load(const test_provider_options *manner, test_call call, int64_t nth,
                      int64_t times, tern_failure_kind kind, const char *policy) {
  fixture f;
  start(&f, "weights", manner);
  test_provider_fail(&f.provider, call, nth, times, kind);
  tern_status *status = load(&f, policy);
  bool falls_back = strstr(policy, "fallback"), retries = strstr(policy, "retry");
  if (falls_back || (retries && times == 1)) {
    check(status);
    expect_right(&f, 1);
  } else {
    char text[64];
    snprintf(text, sizeof text, "policy %s", policy);
    const char *const words[] = {"TestExecutionProvider", test_call_names[call], kind_names[kind],
                                 text, NULL};
    expect_words(status, words);
  }
  end(&f);
}

static void test_loading(void **state) {
  (void)state;
  for (size_t m = 0; m < TERN_COUNT_OF(manners); ++m) {
    test_call call = manners[m].compiles ? TEST_CALL_COMPILE : TEST_CALL_PREPARE;
    for (size_t p = 0; p < TERN_COUNT_OF(policies); ++p) {
      for (int kind = TERN_FAILURE_ERROR; kind <= TERN_FAILURE_LOST; ++kind) {
        for (int64_t nth = 1; nth <= (manners[m].compiles ? 1 : 3); ++nth) {
          fail_load(&manners[m], call, nth, 1, (tern_failure_kind)kind, policies[p]);
          fail_load(&manners[m], call, nth, FOREVER, (tern_failure_kind)kind, policies[p]);
        }
      }
    }
  }
}

// ---- A device that does not come back.

static void lose(fixture *f, const char *policy) {
  start(f, "branches", &manners[1]);
  check(load(f, policy));
  expect_right(f, 1);
  test_provider_fail(&f->provider, TEST_CALL_COMPUTE, 2, 1, TERN_FAILURE_LOST);
}

static void expect_fatal(fixture *f) {
  test_outputs outputs;
  expect_failure(f, TERN_FAILURE_LOST, "error");
  assert_int_equal(tern_session_get_state(f->session), TERN_SESSION_FATAL);
  // The provider is not asked again.
  int64_t begun = f->provider.calls[TEST_CALL_BEGIN];
  const char *const words[] = {"out of service", "device lost", "told to fail", NULL};
  expect_words(test_model_run(f->session, 1, &outputs), words);
  assert_int_equal(f->provider.calls[TEST_CALL_BEGIN], begun);
}

static void test_a_lost_device_ends_the_session(void **state) {
  (void)state;
  fixture f;
  lose(&f, "error");
  test_provider_fail(&f.provider, TEST_CALL_RECOVER, 1, 1, TERN_FAILURE_ERROR);
  expect_fatal(&f);
  end(&f);
}

static void test_kernels_that_cannot_be_prepared_again(void **state) {
  (void)state;
  fixture f;
  lose(&f, "error");
  test_provider_fail(&f.provider, TEST_CALL_PREPARE, 2, FOREVER, TERN_FAILURE_ERROR);
  expect_fatal(&f);
  end(&f);
}

static void expect_described(fixture *f, const char *words) {
  tern_text text;
  tern_text_init(tern_allocator_system(), &text);
  check(tern_session_describe(f->session, &text));
  if (!strstr(text.data, words)) fail_msg("'%s' is not in: %s", words, text.data);
  tern_text_deinit(&text);
}

static void test_the_cpu_takes_the_place_of_a_lost_device(void **state) {
  (void)state;
  fixture f;
  lose(&f, "fallback");
  test_provider_fail(&f.provider, TEST_CALL_RECOVER, 1, FOREVER, TERN_FAILURE_ERROR);
  expect_right(&f, 1);
  int64_t begun = f.provider.calls[TEST_CALL_BEGIN];
  expect_right(&f, 2);
  expect_right(&f, 3);
  assert_int_equal(f.provider.calls[TEST_CALL_BEGIN], begun);
  assert_int_equal(f.provider.live_kernels, 0); // it holds nothing any more
  assert_int_equal(tern_session_get_state(f.session), TERN_SESSION_READY);
  expect_described(&f, "\"fell_back_for\":\"TestExecutionProvider failed to compute");
  expect_described(&f, "\"recoveries\":0");
  end(&f);
}

static void test_a_device_comes_back(void **state) {
  (void)state;
  fixture f;
  lose(&f, "retry:1");
  expect_right(&f, 1);
  assert_int_equal(f.provider.calls[TEST_CALL_RECOVER], 1);
  expect_described(&f, "\"recoveries\":1");
  expect_described(&f, "\"state\":\"ready\"");
  int64_t computed = f.provider.calls[TEST_CALL_COMPUTE];
  expect_right(&f, 2);
  assert_true(f.provider.calls[TEST_CALL_COMPUTE] > computed);
  end(&f);
}

// ---- What callers own.

// The caller's memory for an output is that of an input: a run that is done again must find the
// input as it was.
static void test_outputs_over_inputs(void **state) {
  (void)state;
  static const char *const names[] = {"x", "y"}, *const outputs[] = {"g"};
  const tern_type type = {
      .kind = TERN_KIND_TENSOR, .dtype = TERN_FLOAT, .shape = {.rank = 2, .dims = {4, 3}}};
  fixture f;
  start(&f, "branches", &manners[1]);
  check(load(&f, "retry:1,fallback"));
  int64_t count = calls_of_a_run(&f, TEST_CALL_COMPUTE);
  for (int64_t nth = 0; nth <= count; ++nth) {
    tern_value *x, *y, *expected = NULL, *view;
    check(test_make_value(tern_allocator_system(), &type, 5, &x));
    check(test_make_value(tern_allocator_system(), &type, 6, &y));
    const tern_value *inputs[] = {x, y};
    check(tern_session_run(f.plain, NULL, names, inputs, 2, outputs, 1, &expected));
    check(tern_value_wrap_tensor(tern_allocator_system(), TERN_FLOAT, &x->shape, x->data,
                                 x->data_bytes, &view));
    if (nth > 0)
      test_provider_fail(&f.provider, TEST_CALL_COMPUTE, nth, 1,
                         nth % 2 ? TERN_FAILURE_TRANSIENT : TERN_FAILURE_LOST);
    check(tern_session_run(f.session, NULL, names, inputs, 2, outputs, 1, &view));
    assert_memory_equal(view->data, expected->data, expected->data_bytes);
    tern_value_release(view);
    tern_value_release(expected);
    tern_value_release(x);
    tern_value_release(y);
  }
  end(&f);
}

// A run that is asked to stop is no failure of the provider's.
static void test_stopping_is_no_failure(void **state) {
  (void)state;
  static const char *const names[] = {"x", "y"}, *const outputs[] = {"g"};
  static const _Atomic bool stop = true;
  const tern_type type = {
      .kind = TERN_KIND_TENSOR, .dtype = TERN_FLOAT, .shape = {.rank = 2, .dims = {4, 3}}};
  fixture f;
  tern_value *x, *result = NULL;
  start(&f, "branches", &manners[1]);
  check(load(&f, "fallback"));
  check(test_make_value(tern_allocator_system(), &type, 5, &x));
  const tern_value *inputs[] = {x, x};
  const tern_run_options options = {.terminate = &stop};
  const char *const words[] = {"asked to stop", NULL};
  expect_words(tern_session_run(f.session, &options, names, inputs, 2, outputs, 1, &result), words);
  tern_value_release(x);
  end(&f);
}

static void test_bad_policies(void **state) {
  (void)state;
  static const char *const bad[] = {"",          "retry",     "retry:0",         "retry:x",
                                    "maybe",     "fallback,", "retry:1,retry:2", "fallback,retry:1",
                                    "retry:1001"};
  for (size_t i = 0; i < TERN_COUNT_OF(bad); ++i) {
    fixture f;
    start(&f, "branches", &manners[0]);
    const char *const words[] = {"tern.failure.", "must be", NULL};
    expect_words(load(&f, bad[i]), words);
    end(&f);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_runs_of_a_chain),
      cmocka_unit_test(test_runs_of_weights),
      cmocka_unit_test(test_runs_of_subgraphs),
      cmocka_unit_test(test_runs_of_unknown_shapes),
      cmocka_unit_test(test_loading),
      cmocka_unit_test(test_a_lost_device_ends_the_session),
      cmocka_unit_test(test_kernels_that_cannot_be_prepared_again),
      cmocka_unit_test(test_the_cpu_takes_the_place_of_a_lost_device),
      cmocka_unit_test(test_a_device_comes_back),
      cmocka_unit_test(test_outputs_over_inputs),
      cmocka_unit_test(test_stopping_is_no_failure),
      cmocka_unit_test(test_bad_policies),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
