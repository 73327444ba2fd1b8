// Models spread over a provider and the CPU's, in every way that a provider may be: what comes out
// is what the CPU alone gives, bit by bit, and nothing is left behind.
#include <stdio.h>
#include <string.h>

#include "provider/models.h"
#include "provider/test_provider.h"
#include "unit/test.h"

static bool takes_every_second(const tern_node *node) {
  return node->id % 2 == 0;
}
static bool takes_two_of_three(const tern_node *node) {
  return node->id % 3 != 0;
}

static const test_provider_options manners[] = {
    {.takes = NULL},
    {.takes = takes_every_second},
    {.is_asynchronous = true},
    {.takes = takes_every_second, .is_asynchronous = true},
    {.has_memory = true},
    {.takes = takes_every_second, .has_memory = true},
    {.takes = takes_two_of_three, .has_memory = true, .is_asynchronous = true},
    {.has_memory = true, .is_asynchronous = true},
    {.has_memory = true, .is_host_visible = true},
    {.takes = takes_every_second,
     .has_memory = true,
     .is_host_visible = true,
     .is_asynchronous = true},
    {.takes = takes_two_of_three, .has_memory = true, .host_inputs = 1, .host_outputs = 1},
    {.has_memory = true, .host_inputs = 2, .is_asynchronous = true},
    {.compiles = true},
    {.takes = takes_two_of_three, .compiles = true},
    {.compiles = true, .is_asynchronous = true},
    {.compiles = true, .has_memory = true},
    {.takes = takes_two_of_three, .compiles = true, .has_memory = true, .is_asynchronous = true},
    {.compiles = true, .has_memory = true, .host_inputs = 1, .host_outputs = 2},
    {.compiles = true, .least_group = 3, .has_memory = true},
    {.compiles = true, .refuses_to_compile = "Relu", .has_memory = true},
};

static void check(tern_status *status) {
  if (status) fail_msg("%s", tern_status_message(status));
}

static void compare(const test_model *model, tern_session *expected, tern_session *actual,
                    size_t manner) {
  for (uint64_t seed = 0; seed < 6; ++seed) {
    test_outputs left, right;
    check(test_model_run(expected, seed % 4, &left)); // plans are found again
    tern_status *status = test_model_run(actual, seed % 4, &right);
    if (status) fail_msg("%s, manner %zu: %s", model->name, manner, tern_status_message(status));
    if (!test_outputs_equal(&left, &right)) fail_msg("%s, manner %zu differs", model->name, manner);
    test_outputs_release(&left);
    test_outputs_release(&right);
  }
}

static void test_every_manner(void **state) {
  (void)state;
  for (const test_model *model = test_models; model->name; ++model) {
    tern_session *plain;
    check(test_model_load(model, NULL, &plain));
    for (size_t m = 0; m < TERN_COUNT_OF(manners); ++m) {
      test_provider provider;
      test_provider_init(&manners[m], &provider);
      tern_session *session;
      tern_status *status = test_model_load_on(model, &provider.base, &session);
      if (status) fail_msg("%s, manner %zu: %s", model->name, m, tern_status_message(status));
      check(tern_model_verify((tern_model *)(uintptr_t)tern_session_model(session)));
      compare(model, plain, session, m);
      if (provider.calls[TEST_CALL_COMPUTE] == 0 && !manners[m].refuses_to_compile)
        fail_msg("%s, manner %zu: idle", model->name, m);
      tern_session_destroy(session);
      if (!test_provider_is_clean(&provider))
        fail_msg("%s, manner %zu: %lld kernels, %lld blocks, %lld streams, %lld violations",
                 model->name, m, (long long)provider.live_kernels, (long long)provider.live_blocks,
                 (long long)provider.live_streams, (long long)provider.violations);
    }
    tern_session_destroy(plain);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_every_manner),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
