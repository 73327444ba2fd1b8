// The states of a session, and who waits for whom when a device is lost. The table of transitions
// in recovery.c is all there is to it; this knows neither providers nor programs.
//
// Any number of threads. Runs enter and leave; one that finds the device lost begins a recovery,
// which waits until the others have left, and ends it with or without success. Runs that come
// meanwhile wait, unless they have somewhere else to go.
#ifndef TERN_SESSION_RECOVERY_H_
#define TERN_SESSION_RECOVERY_H_

#include "base/os.h"

typedef enum tern_session_state {
  TERN_SESSION_INITIALISING, // it is being created
  TERN_SESSION_READY,        // no run is under way
  TERN_SESSION_EXECUTING,    // runs are
  TERN_SESSION_RECOVERING,   // a device was lost; what runs need is made anew
  TERN_SESSION_FATAL,        // it was not to be had again: every run fails
} tern_session_state;

// "initialising", "ready" …
const char *tern_session_state_name(tern_session_state state);

typedef struct tern_recovery {
  tern_os_mutex mutex;
  _Atomic uint32_t changes; // that somebody may wait for
  // Under the mutex.
  tern_session_state state;
  int32_t runs;        // under way
  tern_status *reason; // why it is fatal
} tern_recovery;

void tern_recovery_init(tern_recovery *out_recovery);
void tern_recovery_deinit(tern_recovery *recovery);

// Creating has ended.
void tern_recovery_set_loaded(tern_recovery *recovery);

typedef enum tern_entry {
  TERN_ENTRY_GRANTED, // the run is counted, and has to leave
  TERN_ENTRY_BUSY,    // a recovery is under way, and the caller does not wait
  TERN_ENTRY_REFUSED, // fatal
} tern_entry;
// A run wants to begin.
tern_entry tern_recovery_enter(tern_recovery *recovery, bool waits);
void tern_recovery_leave(tern_recovery *recovery);

// A run has found the device lost; it has left when this returns. True: the caller recovers, nobody
// else runs, and tern_recovery_end has to be called. False: somebody else does, and it may enter
// again.
bool tern_recovery_begin(tern_recovery *recovery);
// NULL: runs may begin again. Otherwise the session is fatal for this reason, which is taken.
void tern_recovery_end(tern_recovery *recovery, tern_status *reason);

tern_session_state tern_recovery_state(tern_recovery *recovery);
// A copy of the reason why the session is fatal; NULL where it is not.
TERN_MUST_USE tern_status *tern_recovery_reason(tern_recovery *recovery);

#endif
