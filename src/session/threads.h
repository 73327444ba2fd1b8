// The threads of a session's runs: which pool helps them, how many of it, in which floating-point
// mode.
#ifndef TERN_SESSION_THREADS_H_
#define TERN_SESSION_THREADS_H_

#include "base/float_mode.h"
#include "parallel/pool.h"
#include "session/executor.h"

// Borrowed for the duration of the create call, except where said. Config entries of the session
// say more, by ORT's keys:
// - "session.intra_op_thread_affinities": tern_pool_options.affinity;
// - "session.intra_op.allow_spinning" "0": threads sleep as soon as they have no work;
//   "session.intra_op.spin_duration_us": for how long they look for it instead of the default;
// - "session.force_spinning_stop" "1": they stop looking when the last run under way ends;
// - "session.set_denormal_as_zero" "1": as `flush_denormals`.
// A session with the first ones, or with hooks, has a pool of its own; others share the process's.
typedef struct tern_thread_options {
  int32_t intra_op; // threads that compute one step, with the caller's; 0: tern_os_cpu_count()
  int32_t inter_op; // steps that do not need each other, at once; 0 and 1: one after the other
  tern_pool *pool;  // to be used whatever else is said; must outlive the session; NULL: see above
  tern_pool_hooks hooks; // kept; zeroed: threads of the system
  bool flush_denormals;  // denormal numbers count as zero in runs
} tern_thread_options;

// session/session.h
typedef struct tern_session_options tern_session_options;
typedef struct tern_logger tern_logger;

typedef struct tern_session_threads {
  tern_pool *pool;            // NULL: runs keep to their callers' threads
  bool is_own, is_shared;     // neither: the caller's
  int32_t intra_op, inter_op; // at least 1
  bool flush_denormals, stops_spinning;
  _Atomic int32_t runs; // under way
} tern_session_threads;

// `logger`, which is kept, hears what the system refuses. On an error there is nothing to deinit.
TERN_MUST_USE tern_status *tern_session_threads_init(const tern_session_options *options,
                                                     const tern_logger *logger,
                                                     tern_session_threads *out_threads);
// Accepts a zeroed one. No run may be under way. Joins the threads of a pool of its own.
void tern_session_threads_deinit(tern_session_threads *threads);

// What a run has of them.
typedef struct tern_run_threads {
  tern_parallel parallel, branches;
  tern_float_mode mode; // of the caller before the run
} tern_run_threads;

// Around a run, on its thread. `run`, whose `terminate` is set, borrows from `out_own`.
void tern_session_threads_begin(tern_session_threads *threads, tern_run_threads *out_own,
                                tern_run *run);
void tern_session_threads_end(tern_session_threads *threads, const tern_run_threads *own);

#endif
