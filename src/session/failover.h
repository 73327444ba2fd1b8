// Keeping a session running when its providers fail. It has a core on all of its providers and,
// once it is needed, a twin on the CPU provider alone, made from the same source; a run that a
// provider has failed is done again from its start, on one or the other, as the session's policies
// say (session/policy.h). What callers gave as inputs is never written, so that a run can be done
// again.
#ifndef TERN_SESSION_FAILOVER_H_
#define TERN_SESSION_FAILOVER_H_

#include "session/core.h"
#include "session/options.h"
#include "session/policy.h"
#include "session/recovery.h"

typedef struct tern_failover {
  tern_account *account;
  const tern_source *source;
  const tern_logger *logger;
  tern_roster roster;
  tern_failure_policies policies;
  tern_options_copy options; // where a core may have to be made again
  tern_recovery recovery;
  tern_core *core;  // what runs use; changes only while the session recovers
  tern_core *first; // whose model answers for names and types
  TERN_ARRAY(tern_core *) retired;
  _Atomic int64_t recoveries; // that have succeeded
  _Atomic int32_t plain_runs; // under way, where there is no provider but the CPU's to fail
  _Atomic bool is_profiled;   // a run was, and its profile points into the core it ran on
  tern_status *fell_back_for; // why the core is the twin, for good; NULL: it is not
  tern_os_mutex building;     // one core is made at a time
  tern_core *_Atomic twin;    // NULL: not needed yet
} tern_failover;

// Makes the first core. `account`, `source` and `logger` outlive the failover; everything else is
// borrowed for the call.
TERN_MUST_USE tern_status *tern_failover_create(tern_account *account, const tern_source *source,
                                                const tern_session_options *options,
                                                const tern_logger *logger, tern_profiler *profiler,
                                                tern_failover **out_failover);
// Accepts NULL. No run may be under way.
void tern_failover_destroy(tern_failover *failover);

// As tern_program_run of the main graph, with all that the policies say.
TERN_MUST_USE tern_status *tern_failover_run(tern_failover *failover, tern_run *run,
                                             const tern_value *const *inputs,
                                             tern_value **inout_outputs);

tern_session_state tern_failover_state(tern_failover *failover);

// What runs use now, for a look at it: it does not go away until it is let go.
typedef struct tern_held_core {
  const tern_core *core;
  bool is_counted; // as a run
} tern_held_core;
tern_held_core tern_failover_hold(tern_failover *failover);
void tern_failover_let_go(tern_failover *failover, tern_held_core held);

// Destroys pooled frames. Does not wait: a run may call it that a recovery waits for. One that is
// under way drops them itself.
void tern_failover_drop_frames(tern_failover *failover);

#endif
