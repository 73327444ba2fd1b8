// Profiles in ORT's form: a Chrome trace (the "Trace Event Format", JSON array) with one event a
// node and one a phase of the session. Any number of threads add events.
#ifndef TERN_SESSION_PROFILER_H_
#define TERN_SESSION_PROFILER_H_

#include "session/program.h"

typedef struct tern_profiler tern_profiler;

// Events will go to "<prefix>_<date>_<time>.json" when the profile ends.
TERN_MUST_USE tern_status *tern_profiler_create(tern_allocator *allocator, const char *prefix,
                                                tern_profiler **out_profiler);
// Accepts NULL. A profile that was not ended is lost.
void tern_profiler_destroy(tern_profiler *profiler);
// When the profile started, in nanoseconds of the monotonic clock.
int64_t tern_profiler_start_ns(const tern_profiler *profiler);
// A node's event, category "Node", named "<node>_kernel_time"; `start_ns` is when the kernel began,
// the end is now. Events that memory has no room for are lost.
void tern_profiler_add_step(tern_profiler *profiler, const tern_step *step,
                            const tern_value *const *inputs, tern_value *const *outputs,
                            int64_t start_ns);
// A session's event ("model_loading_uri", "session_initialization", "model_run").
void tern_profiler_add_phase(tern_profiler *profiler, const char *name, int64_t start_ns);
// Writes the file. *out_path is the profiler's.
TERN_MUST_USE tern_status *tern_profiler_end(tern_profiler *profiler, const char **out_path);

#endif
