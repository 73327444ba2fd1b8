// Which pool the options of a session lead to, and how much of it its runs have.
#include <string.h>

#include "base/os.h"
#include "session/session.h"
#include "unit/test.h"

static const tern_logger silent = {0};

static tern_session_threads init(tern_session_options options) {
  tern_session_threads threads;
  assert_null(tern_session_threads_init(&options, &silent, &threads));
  return threads;
}

static void one_thread_needs_no_pool(void **state) {
  (void)state;
  tern_session_threads threads = init((tern_session_options){.threads = {.intra_op = 1}});
  tern_run run = {0};
  tern_run_threads own;
  assert_null(threads.pool);
  tern_session_threads_begin(&threads, &own, &run);
  assert_null(run.parallel->pool);
  assert_null(run.branches);
  tern_session_threads_end(&threads, &own);
  tern_session_threads_deinit(&threads);
}

static void sessions_share_a_pool_and_cap_it(void **state) {
  (void)state;
  tern_session_threads two = init((tern_session_options){.threads = {.intra_op = 2}});
  tern_session_threads five =
      init((tern_session_options){.threads = {.intra_op = 2, .inter_op = 5}});
  _Atomic bool stop = false;
  tern_run run = {.terminate = &stop};
  tern_run_threads own;
  assert_ptr_equal(two.pool, five.pool);
  assert_int_equal(tern_pool_thread_count(two.pool), 5);
  tern_session_threads_begin(&two, &own, &run);
  assert_ptr_equal(run.parallel->pool, two.pool);
  assert_int_equal(run.parallel->max_threads, 2);
  assert_ptr_equal(run.parallel->stop, &stop);
  assert_null(run.branches);
  tern_session_threads_end(&two, &own);
  tern_session_threads_begin(&five, &own, &run);
  assert_int_equal(run.parallel->max_threads, 2);
  assert_int_equal(run.branches->max_threads, 5);
  tern_session_threads_end(&five, &own);
  tern_session_threads_deinit(&two);
  tern_session_threads_deinit(&five);
}

static void processors_are_the_default(void **state) {
  (void)state;
  tern_session_threads threads = init((tern_session_options){0});
  assert_int_equal(threads.intra_op, tern_os_cpu_count());
  assert_int_equal(threads.inter_op, 1);
  tern_session_threads_deinit(&threads);
}

static void some_have_a_pool_of_their_own(void **state) {
  (void)state;
  const tern_metadata entries[] = {{"session.intra_op_thread_affinities", "1"},
                                   {"session.intra_op.allow_spinning", "0"},
                                   {"session.intra_op.spin_duration_us", "7"},
                                   {"session.force_spinning_stop", "1"}};
  tern_pool *shared;
  assert_null(tern_pool_acquire_shared(2, &shared));
  for (size_t i = 0; i < TERN_COUNT_OF(entries); ++i) {
    tern_session_threads threads = init((tern_session_options){
        .threads = {.intra_op = 2}, .config = &entries[i], .config_count = 1});
    tern_run run = {0};
    tern_run_threads own;
    assert_ptr_not_equal(threads.pool, shared);
    assert_int_equal(tern_pool_thread_count(threads.pool), 2);
    tern_session_threads_begin(&threads, &own, &run);
    tern_session_threads_end(&threads, &own);
    tern_session_threads_deinit(&threads);
  }
  // One that is given serves whatever else is said.
  tern_session_threads threads = init(
      (tern_session_options){.threads = {.pool = shared}, .config = entries, .config_count = 1});
  assert_ptr_equal(threads.pool, shared);
  assert_int_equal(threads.intra_op, tern_pool_thread_count(shared));
  tern_session_threads_deinit(&threads);
  tern_pool_release_shared(shared);
}

static void negative_numbers_are_refused(void **state) {
  (void)state;
  const tern_session_options options[] = {{.threads = {.intra_op = -1}},
                                          {.threads = {.inter_op = -1}}};
  for (size_t i = 0; i < TERN_COUNT_OF(options); ++i) {
    tern_session_threads threads;
    tern_status *status = tern_session_threads_init(&options[i], &silent, &threads);
    assert_int_equal(tern_status_get_code(status), TERN_INVALID_ARGUMENT);
    tern_status_free(status);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(one_thread_needs_no_pool),
                                     cmocka_unit_test(sessions_share_a_pool_and_cap_it),
                                     cmocka_unit_test(processors_are_the_default),
                                     cmocka_unit_test(some_have_a_pool_of_their_own),
                                     cmocka_unit_test(negative_numbers_are_refused)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
