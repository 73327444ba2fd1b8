// The state machine. Every change of state goes through `post`, which looks it up in the table.
#include "session/recovery.h"

#include <assert.h>
#include <stdatomic.h>

typedef enum event {
  EVENT_LOADED,
  EVENT_RUN_BEGINS,
  EVENT_LAST_RUN_ENDS,
  EVENT_DEVICE_LOST,
  EVENT_RECOVERED,
  EVENT_GIVEN_UP,
  EVENT_COUNT
} event;

#define NEVER 0xff // the event does not happen in the state

static const uint8_t transitions[][EVENT_COUNT] = {
    // loaded, run begins, last run ends, device lost, recovered, given up
    [TERN_SESSION_INITIALISING] = {TERN_SESSION_READY, NEVER, NEVER, NEVER, NEVER, NEVER},
    [TERN_SESSION_READY] = {NEVER, TERN_SESSION_EXECUTING, NEVER, NEVER, NEVER, NEVER},
    [TERN_SESSION_EXECUTING] = {NEVER, TERN_SESSION_EXECUTING, TERN_SESSION_READY,
                                TERN_SESSION_RECOVERING, NEVER, NEVER},
    [TERN_SESSION_RECOVERING] = {NEVER, NEVER, TERN_SESSION_RECOVERING, NEVER, TERN_SESSION_READY,
                                 TERN_SESSION_FATAL},
    [TERN_SESSION_FATAL] = {NEVER, NEVER, NEVER, NEVER, NEVER, NEVER},
};

const char *tern_session_state_name(tern_session_state state) {
  static const char *const names[] = {"initialising", "ready", "executing", "recovering", "fatal"};
  return names[state];
}

void tern_recovery_init(tern_recovery *out_recovery) {
  *out_recovery = (tern_recovery){.state = TERN_SESSION_INITIALISING};
  tern_os_mutex_init(&out_recovery->mutex);
}

void tern_recovery_deinit(tern_recovery *recovery) {
  tern_status_free(recovery->reason);
  tern_os_mutex_deinit(&recovery->mutex);
}

// Under the mutex.
static void post(tern_recovery *recovery, event what) {
  uint8_t next = transitions[recovery->state][what];
  assert(next != NEVER);
  if (next != NEVER) recovery->state = (tern_session_state)next;
}

// Lets go of the mutex until something has changed.
static void wait_for_change(tern_recovery *recovery) {
  uint32_t seen = atomic_load(&recovery->changes);
  tern_os_mutex_unlock(&recovery->mutex);
  tern_os_wait(&recovery->changes, seen);
  tern_os_mutex_lock(&recovery->mutex);
}

static void tell(tern_recovery *recovery) {
  atomic_fetch_add(&recovery->changes, 1);
  tern_os_wake(&recovery->changes, INT32_MAX);
}

void tern_recovery_set_loaded(tern_recovery *recovery) {
  tern_os_mutex_lock(&recovery->mutex);
  post(recovery, EVENT_LOADED);
  tern_os_mutex_unlock(&recovery->mutex);
}

tern_entry tern_recovery_enter(tern_recovery *recovery, bool waits) {
  tern_entry entry = TERN_ENTRY_GRANTED;
  tern_os_mutex_lock(&recovery->mutex);
  while (waits && recovery->state == TERN_SESSION_RECOVERING) wait_for_change(recovery);
  if (recovery->state == TERN_SESSION_RECOVERING) {
    entry = TERN_ENTRY_BUSY;
  } else if (recovery->state == TERN_SESSION_FATAL) {
    entry = TERN_ENTRY_REFUSED;
  } else {
    post(recovery, EVENT_RUN_BEGINS);
    recovery->runs++;
  }
  tern_os_mutex_unlock(&recovery->mutex);
  return entry;
}

// Under the mutex.
static void leave(tern_recovery *recovery) {
  if (--recovery->runs > 0) return;
  post(recovery, EVENT_LAST_RUN_ENDS);
  if (recovery->state == TERN_SESSION_RECOVERING) tell(recovery);
}

void tern_recovery_leave(tern_recovery *recovery) {
  tern_os_mutex_lock(&recovery->mutex);
  leave(recovery);
  tern_os_mutex_unlock(&recovery->mutex);
}

bool tern_recovery_begin(tern_recovery *recovery) {
  tern_os_mutex_lock(&recovery->mutex);
  bool is_first = recovery->state == TERN_SESSION_EXECUTING;
  if (is_first) post(recovery, EVENT_DEVICE_LOST);
  leave(recovery);
  while (is_first && recovery->runs > 0) wait_for_change(recovery);
  tern_os_mutex_unlock(&recovery->mutex);
  return is_first;
}

void tern_recovery_end(tern_recovery *recovery, tern_status *reason) {
  tern_os_mutex_lock(&recovery->mutex);
  post(recovery, reason ? EVENT_GIVEN_UP : EVENT_RECOVERED);
  recovery->reason = reason;
  tell(recovery);
  tern_os_mutex_unlock(&recovery->mutex);
}

tern_session_state tern_recovery_state(tern_recovery *recovery) {
  tern_os_mutex_lock(&recovery->mutex);
  tern_session_state state = recovery->state;
  tern_os_mutex_unlock(&recovery->mutex);
  return state;
}

tern_status *tern_recovery_reason(tern_recovery *recovery) {
  tern_os_mutex_lock(&recovery->mutex);
  tern_status *copy = NULL;
  if (recovery->reason)
    copy = TERN_ERROR(tern_status_get_code(recovery->reason), "%s",
                      tern_status_message(recovery->reason));
  tern_os_mutex_unlock(&recovery->mutex);
  return copy;
}
