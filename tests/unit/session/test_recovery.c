// The states of a session, without one: who is let in when, and who waits for whom.
#include "session/recovery.h"

#include <stdatomic.h>
#include <string.h>

#include "base/os.h"
#include "unit/test.h"

static void start(tern_recovery *recovery) {
  tern_recovery_init(recovery);
  assert_int_equal(tern_recovery_state(recovery), TERN_SESSION_INITIALISING);
  tern_recovery_set_loaded(recovery);
}

static void enter(tern_recovery *recovery) {
  assert_int_equal(tern_recovery_enter(recovery, true), TERN_ENTRY_GRANTED);
}

static void test_runs_come_and_go(void **state) {
  (void)state;
  tern_recovery recovery;
  start(&recovery);
  assert_int_equal(tern_recovery_state(&recovery), TERN_SESSION_READY);
  enter(&recovery);
  enter(&recovery);
  tern_recovery_leave(&recovery);
  assert_int_equal(tern_recovery_state(&recovery), TERN_SESSION_EXECUTING);
  tern_recovery_leave(&recovery);
  assert_int_equal(tern_recovery_state(&recovery), TERN_SESSION_READY);
  tern_recovery_deinit(&recovery);
}

static void test_a_recovery_alone(void **state) {
  (void)state;
  tern_recovery recovery;
  start(&recovery);
  enter(&recovery);
  assert_true(tern_recovery_begin(&recovery));
  assert_int_equal(tern_recovery_state(&recovery), TERN_SESSION_RECOVERING);
  assert_int_equal(tern_recovery_enter(&recovery, false), TERN_ENTRY_BUSY);
  tern_recovery_end(&recovery, NULL);
  assert_int_equal(tern_recovery_state(&recovery), TERN_SESSION_READY);
  enter(&recovery);
  tern_recovery_leave(&recovery);
  assert_null(tern_recovery_reason(&recovery));
  tern_recovery_deinit(&recovery);
}

static void test_a_recovery_that_fails(void **state) {
  (void)state;
  tern_recovery recovery;
  start(&recovery);
  enter(&recovery);
  assert_true(tern_recovery_begin(&recovery));
  tern_recovery_end(&recovery, TERN_ERROR(TERN_EP_FAIL, "it is gone"));
  assert_int_equal(tern_recovery_state(&recovery), TERN_SESSION_FATAL);
  assert_int_equal(tern_recovery_enter(&recovery, true), TERN_ENTRY_REFUSED);
  tern_status *reason = tern_recovery_reason(&recovery);
  assert_int_equal(tern_status_get_code(reason), TERN_EP_FAIL);
  assert_non_null(strstr(tern_status_message(reason), "it is gone"));
  tern_status_free(reason);
  tern_recovery_deinit(&recovery);
}

typedef struct company {
  tern_recovery recovery;
  _Atomic int has_begun, has_entered;
} company;

static void recover(void *argument) {
  company *c = argument;
  assert_true(tern_recovery_begin(&c->recovery));
  c->has_begun = 1;
  tern_recovery_end(&c->recovery, NULL);
}

static void enter_late(void *argument) {
  company *c = argument;
  enter(&c->recovery);
  c->has_entered = 1;
  tern_recovery_leave(&c->recovery);
}

static void wait_until(tern_recovery *recovery, tern_session_state state) {
  while (tern_recovery_state(recovery) != state) tern_os_thread_yield();
}

// Two runs find the device lost: the first recovers, once the second has left; a third, which comes
// meanwhile, waits for that.
static void test_a_recovery_in_company(void **state) {
  (void)state;
  company c = {.has_begun = 0};
  tern_os_thread first, third;
  start(&c.recovery);
  enter(&c.recovery);
  enter(&c.recovery);
  assert_null(tern_os_thread_create(recover, &c, &first));
  wait_until(&c.recovery, TERN_SESSION_RECOVERING);
  assert_null(tern_os_thread_create(enter_late, &c, &third));
  assert_int_equal(c.has_begun, 0); // this run has not left
  assert_int_equal(c.has_entered, 0);
  assert_false(tern_recovery_begin(&c.recovery)); // somebody else does it; now it has
  tern_os_thread_join(&first);
  tern_os_thread_join(&third);
  assert_int_equal(c.has_entered, 1);
  assert_int_equal(tern_recovery_state(&c.recovery), TERN_SESSION_READY);
  tern_recovery_deinit(&c.recovery);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_runs_come_and_go),
      cmocka_unit_test(test_a_recovery_alone),
      cmocka_unit_test(test_a_recovery_that_fails),
      cmocka_unit_test(test_a_recovery_in_company),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
