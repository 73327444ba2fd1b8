// A run is asked to stop by another thread while it is in a loop that would not end: it stops, with
// an error that says so, and runs of other threads on the same session neither stop nor change.
#include <pthread.h>
#include <unistd.h>

#include "engine/engine_test.h"

enum { OTHERS = 3, TURNS = 200 };

// A run of a loop model: the counts, then the condition and x.
typedef struct loop_run {
  tern_session *session;
  int64_t counts[2];
  size_t count_count;
  _Atomic bool terminate;
  tern_status *status;
  float y;
} loop_run;

static void *run_loop(void *argument) {
  loop_run *r = argument;
  bool yes = true;
  float zero = 0;
  tern_value values[4], *inputs[4], *y;
  size_t n = 0;
  for (; n < r->count_count; ++n) values[n] = engine_tensor(TERN_INT64, &r->counts[n], 0, NULL);
  values[n++] = engine_tensor(TERN_BOOL, &yes, 0, NULL);
  values[n++] = engine_tensor(TERN_FLOAT, &zero, 1, (tern_dim[]){1});
  for (size_t i = 0; i < n; ++i) inputs[i] = &values[i];
  r->status = engine_run(r->session, &r->terminate, inputs, &y);
  if (r->status) return NULL;
  r->y = *(float *)y->data;
  tern_value_release(y);
  return NULL;
}

// Counts to 100 again and again. Returns NULL when one time came out wrong.
static void *count_to_hundred(void *argument) {
  loop_run *r = argument;
  for (int i = 0; i < TURNS; ++i) {
    run_loop(r);
    if (r->status || r->y != 100) return NULL;
  }
  return r;
}

// `endless` and the runs of `others` at once; the endless one is stopped while the others run, and
// they go on after it.
static void stop_among_others(tern_session *session, loop_run *endless, loop_run *others) {
  pthread_t stopped, running[OTHERS];
  endless->session = session;
  assert_int_equal(pthread_create(&stopped, NULL, run_loop, endless), 0);
  for (size_t i = 0; i < OTHERS; ++i) {
    others[i].session = session;
    assert_int_equal(pthread_create(&running[i], NULL, count_to_hundred, &others[i]), 0);
  }
  usleep(20000); // into the loop
  atomic_store(&endless->terminate, true);
  assert_int_equal(pthread_join(stopped, NULL), 0);
  for (size_t i = 0; i < OTHERS; ++i) {
    void *result = NULL;
    assert_int_equal(pthread_join(running[i], &result), 0);
    if (!result)
      fail_msg("counted to %f: %s", (double)others[i].y, tern_status_message(others[i].status));
  }
  assert_non_null(endless->status);
  assert_non_null(strstr(tern_status_message(endless->status), "asked to stop"));
  tern_status_free(endless->status);
}

static void test_loop_model(void (*make)(tern_pb_writer *), loop_run *endless, loop_run *others) {
  meter m;
  tern_pb_writer model;
  meter_init(&m);
  make(&model);
  tern_session *session = engine_open(&model, &m);
  stop_among_others(session, endless, others);
  // The session is as good as before.
  loop_run again = others[0];
  assert_ptr_equal(count_to_hundred(&again), &again);
  tern_session_destroy(session);
  assert_int_equal(m.live_bytes, 0);
}

static void an_endless_loop_stops(void **state) {
  (void)state;
  loop_run endless = {.counts = {INT64_MAX}, .count_count = 1}, others[OTHERS] = {0};
  for (size_t i = 0; i < OTHERS; ++i) others[i] = (loop_run){.counts = {100}, .count_count = 1};
  test_loop_model(model_loop, &endless, others);
}

static void an_endless_loop_in_a_loop_stops(void **state) {
  (void)state;
  loop_run endless = {.counts = {2, INT64_MAX}, .count_count = 2}, others[OTHERS] = {0};
  for (size_t i = 0; i < OTHERS; ++i) others[i] = (loop_run){.counts = {4, 25}, .count_count = 2};
  test_loop_model(model_nested_loop, &endless, others);
}

static void an_endless_loop_of_loops_stops(void **state) {
  (void)state;
  loop_run endless = {.counts = {INT64_MAX, 0}, .count_count = 2}, others[OTHERS] = {0};
  for (size_t i = 0; i < OTHERS; ++i) others[i] = (loop_run){.counts = {25, 4}, .count_count = 2};
  test_loop_model(model_nested_loop, &endless, others);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(an_endless_loop_stops),
      cmocka_unit_test(an_endless_loop_in_a_loop_stops),
      cmocka_unit_test(an_endless_loop_of_loops_stops),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
