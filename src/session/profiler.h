// Profiles: when each step of a run began and ended, on which thread, with which kernel and which
// shapes. Any number of threads record, without a lock and without formatting: an event is a record
// of a hundred bytes or so in a chunk of memory that belongs to its thread. What follows from the
// records, bytes and operations, is worked out when the profile ends and its trace is written.
//
// Records point at steps: the programs that were run must outlive the profile's end.
#ifndef TERN_SESSION_PROFILER_H_
#define TERN_SESSION_PROFILER_H_

#include "session/program.h"

typedef struct tern_profiler tern_profiler;

// What a profile holds at most, unless it is told otherwise: some 400,000 steps. Events beyond it
// are dropped and counted.
enum { TERN_PROFILE_MAX_BYTES = 64 << 20 };

typedef struct tern_profiler_options {
  const char *prefix; // the trace goes to "<prefix>_<date>_<time>_<ms>.json"
  int64_t start_ns;   // on the monotonic clock: what the trace's times count from
  size_t max_bytes;   // of records; 0: TERN_PROFILE_MAX_BYTES
} tern_profiler_options;

TERN_MUST_USE tern_status *tern_profiler_create(tern_allocator *allocator,
                                                const tern_profiler_options *options,
                                                tern_profiler **out_profiler);
// Accepts NULL. A profile that was not ended is lost.
void tern_profiler_destroy(tern_profiler *profiler);
// When the profile started, in nanoseconds of the monotonic clock.
int64_t tern_profiler_start_ns(const tern_profiler *profiler);
// One call of a step, which began at `start_ns` and ended now. `kernel` is the one that computed.
// An event that memory has no room for is dropped and counted.
void tern_profiler_add_step(tern_profiler *profiler, const tern_step *step,
                            const tern_kernel *kernel, const tern_value *const *inputs,
                            tern_value *const *outputs, int64_t start_ns);
// A part of the session's or a run's work, which began at `start_ns` and ended now: "model_run".
// `name` is static.
void tern_profiler_add_phase(tern_profiler *profiler, const char *name, int64_t start_ns);
// Writes the trace; nothing is recorded from here on. *out_path is the profiler's. A profile ends
// once: later calls give the same path.
TERN_MUST_USE tern_status *tern_profiler_end(tern_profiler *profiler, const char **out_path);

#endif
