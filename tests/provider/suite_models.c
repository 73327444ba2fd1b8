// Models on the provider, held to the CPU.
#include "provider/suite_models.h"

#include <stdatomic.h>
#include <string.h>

#include "provider/models.h"
#include "unit/failing_allocator.h"
#include "unit/test.h"

enum { SEEDS = 6, THREADS = 4, RUNS = 20 };

// A failure is seen, not gone around.
static const tern_metadata no_detours[] = {{"tern.failure.error", "error"},
                                           {"tern.failure.transient", "error"},
                                           {"tern.failure.out_of_memory", "error"},
                                           {"tern.failure.lost", "error"}};

static tern_session_options options_with(const tern_provider_request *request) {
  return (tern_session_options){.optimization_level = TERN_OPTIMIZE_NONE,
                                .threads = {.intra_op = 1},
                                .config = no_detours,
                                .config_count = TERN_COUNT_OF(no_detours),
                                .providers = request,
                                .provider_count = 1};
}

static void expect_agreement(const char *model, const test_outputs *expected,
                             const test_outputs *actual) {
  double tolerance = suite_subject()->tolerance;
  assert_int_equal(expected->count, actual->count);
  for (size_t i = 0; i < expected->count; ++i)
    if (!provider_values_agree(expected->values[i], actual->values[i], tolerance))
      fail_msg("%s on %s: output %zu differs from the CPU's", model, suite_subject()->name, i);
}

static void compare(const test_model *model, tern_session *plain, tern_session *session) {
  for (uint64_t seed = 0; seed <= SEEDS; ++seed) {
    test_outputs expected, actual;
    uint64_t of = seed == SEEDS ? TEST_EMPTY_INPUTS : seed % 4; // some sizes come again
    suite_check(test_model_run(plain, of, &expected));
    suite_check(test_model_run(session, of, &actual));
    expect_agreement(model->name, &expected, &actual);
    test_outputs_release(&expected);
    test_outputs_release(&actual);
  }
}

static int32_t count_steps(const tern_program *program, const tern_provider *provider) {
  int32_t count = 0;
  for (int32_t i = 0; i < program->step_count; ++i) {
    const tern_step *step = &program->steps[i];
    count += step->placement->provider == provider;
    for (int32_t k = 0; k < step->subprogram_count; ++k)
      count += count_steps(step->subprograms[k].program, provider);
  }
  return count;
}

static void test_models_agree(void **state) {
  (void)state;
  int32_t placed = 0;
  for (const test_model *model = test_models; model->name; ++model) {
    tern_provider *provider = suite_create();
    const tern_provider_request request = {.instance = provider};
    const tern_session_options options = options_with(&request);
    tern_session *plain, *session;
    suite_check(test_model_load(model, NULL, &plain));
    suite_check(test_model_load(model, &options, &session));
    compare(model, plain, session);
    placed += count_steps(tern_session_program(session), provider);
    tern_session_destroy(session);
    tern_session_destroy(plain);
    suite_destroy(provider);
  }
  assert_true(placed > 0);
}

// Weights lie in the file as they come; the caller's memory is used as it is.
static void test_misaligned_constants(void **state) {
  (void)state;
  const test_model *model = test_model_find("weights");
  tern_session *plain;
  suite_check(test_model_load(model, NULL, &plain));
  for (size_t shift = 0; shift < 8; ++shift) {
    tern_provider *provider = suite_create();
    const tern_provider_request request = {.instance = provider};
    const tern_session_options options = options_with(&request);
    test_model_bytes bytes;
    tern_session *session;
    suite_check(test_model_load_shifted(model, &options, shift, &bytes, &session));
    compare(model, plain, session);
    tern_session_destroy(session);
    test_model_bytes_release(&bytes);
    suite_destroy(provider);
  }
  tern_session_destroy(plain);
}

typedef struct crowd {
  tern_session *session;
  test_outputs expected[2];
  _Atomic int64_t right;
} crowd;

static void run_many(void *argument) {
  crowd *c = argument;
  double tolerance = suite_subject()->tolerance;
  for (uint64_t i = 0; i < RUNS; ++i) {
    test_outputs outputs;
    tern_status *status = test_model_run(c->session, i % 2, &outputs);
    if (status) {
      tern_status_free(status);
      continue;
    }
    bool right = true;
    for (size_t k = 0; k < outputs.count; ++k)
      right &= provider_values_agree(outputs.values[k], c->expected[i % 2].values[k], tolerance);
    c->right += right;
    test_outputs_release(&outputs);
  }
}

static void test_threads(void **state) {
  (void)state;
  for (const test_model *model = test_models; model->name; ++model) {
    tern_provider *provider = suite_create();
    const tern_provider_request request = {.instance = provider};
    const tern_session_options options = options_with(&request);
    crowd c = {.right = 0};
    tern_session *plain;
    tern_os_thread threads[THREADS];
    suite_check(test_model_load(model, NULL, &plain));
    for (uint64_t i = 0; i < 2; ++i) suite_check(test_model_run(plain, i, &c.expected[i]));
    suite_check(test_model_load(model, &options, &c.session));
    for (int i = 0; i < THREADS; ++i) suite_check(tern_os_thread_create(run_many, &c, &threads[i]));
    for (int i = 0; i < THREADS; ++i) tern_os_thread_join(&threads[i]);
    assert_int_equal(c.right, THREADS * RUNS);
    for (int i = 0; i < 2; ++i) test_outputs_release(&c.expected[i]);
    tern_session_destroy(c.session);
    tern_session_destroy(plain);
    suite_destroy(provider);
  }
}

// The same provider as far as the session sees, but for groups.
static void test_groups(void **state) {
  (void)state;
  tern_provider *grouping = suite_create();
  if (!grouping->compile || !grouping->prepare) {
    suite_destroy(grouping);
    skip();
  }
  tern_provider single = *grouping;
  single.compile = NULL;
  single.takes_group = NULL;
  for (const test_model *model = test_models; model->name; ++model) {
    const tern_provider_request requests[] = {{.instance = grouping}, {.instance = &single}};
    const tern_session_options of[] = {options_with(&requests[0]), options_with(&requests[1])};
    tern_session *sessions[2];
    for (int i = 0; i < 2; ++i) suite_check(test_model_load(model, &of[i], &sessions[i]));
    compare(model, sessions[0], sessions[1]);
    for (int i = 0; i < 2; ++i) tern_session_destroy(sessions[i]);
  }
  suite_destroy(grouping);
}

// ---- Running out of memory.

static tern_status *load_and_run(const test_model *model, const tern_session_options *options) {
  tern_session *session;
  test_outputs outputs;
  TERN_TRY(test_model_load(model, options, &session));
  tern_status *status = test_model_run(session, 1, &outputs);
  test_outputs_release(&outputs);
  tern_session_destroy(session);
  return status;
}

static void starve(const test_model *model) {
  enum { MOST_RUNS = 300 };
  tern_provider *provider = suite_create();
  const tern_provider_request request = {.instance = provider};
  failing_allocator memory;
  tern_session_options options = options_with(&request);
  options.allocator = &memory.base;
  failing_allocator_init(&memory, 0);
  suite_check(load_and_run(model, &options));
  int64_t attempts = memory.attempts, stride = attempts / MOST_RUNS + 1;
  for (int64_t n = 1; n <= attempts; n += stride) {
    failing_allocator_init(&memory, n);
    tern_status *status = load_and_run(model, &options);
    if (status && !tern_status_is_out_of_memory(status))
      fail_msg("%s, allocation %lld: %s", model->name, (long long)n, tern_status_message(status));
    tern_status_free(status);
    assert_int_equal(memory.live_blocks, 0);
  }
  suite_destroy(provider);
}

static void test_failing_allocations(void **state) {
  (void)state;
  starve(test_model_find("branches"));
  starve(test_model_find("weights"));
  starve(test_model_find("shapes"));
}

int suite_run_models(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_models_agree),
      cmocka_unit_test(test_misaligned_constants),
      cmocka_unit_test(test_threads),
      cmocka_unit_test(test_groups),
      cmocka_unit_test(test_failing_allocations),
  };
  return _cmocka_run_group_tests(suite_subject()->name, tests, TERN_COUNT_OF(tests), NULL, NULL);
}
