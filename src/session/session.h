// A session: a model made ready to run. Created once, then run by any number of threads; it does
// not change after it is created.
#ifndef TERN_SESSION_SESSION_H_
#define TERN_SESSION_SESSION_H_

#include "graph/import.h"
#include "session/executor.h"
#include "session/recovery.h"
#include "session/threads.h"

typedef enum tern_log_severity {
  TERN_LOG_VERBOSE = 0,
  TERN_LOG_INFO,
  TERN_LOG_WARNING,
  TERN_LOG_ERROR,
  TERN_LOG_FATAL,
} tern_log_severity;

// Where messages go. `log` may be NULL. Called by any thread.
typedef struct tern_logger {
  void *self;
  tern_log_severity severity; // less severe messages are not made
  void (*log)(void *self, tern_log_severity severity, const char *where, const char *message);
} tern_logger;
void tern_logger_log(const tern_logger *logger, tern_log_severity severity, const char *message);

typedef enum tern_optimization_level {
  TERN_OPTIMIZE_NONE = 0,
  TERN_OPTIMIZE_BASIC = 1,
  TERN_OPTIMIZE_EXTENDED = 2,
  TERN_OPTIMIZE_LAYOUT = 3,
  TERN_OPTIMIZE_ALL = 99,
} tern_optimization_level;

// A provider that a session is to have: by name, or as it is.
typedef struct tern_provider_request {
  tern_provider *instance; // outlives the session; NULL: created by name, and owned
  const char *name;        // as providers/providers.h finds it
  const tern_metadata *options;
  size_t option_count;
} tern_provider_request;

// Everything here is borrowed for the duration of the create call, except where said.
typedef struct tern_session_options {
  tern_allocator *allocator;    // kept; NULL: the system's
  tern_account_sources sources; // kept; of what they name instead, where not NULL
  int32_t optimization_level; // a tern_optimization_level; others in between count as the lower one
  const char *optimized_model_path; // NULL: not saved
  const tern_dim_override *overrides;
  size_t override_count;
  // Values for initializers of these names; the tensors' data must outlive the session.
  const char *const *initializer_names;
  tern_value *const *initializer_values;
  size_t initializer_count;
  // External data files given in memory; the bytes must outlive the session.
  const char *const *external_names;
  const tern_span *external_bytes;
  size_t external_count;
  // Config entries by ORT's keys ("session.disable_prepacking" …), and "tern.failure.…", what to do
  // when a provider fails (session/policy.h). The last of equal keys counts.
  const tern_metadata *config;
  size_t config_count;
  // Where packed weights are shared with other sessions; retained. NULL: not beyond the session.
  // What is shared comes from `packed_allocator` (NULL: the system's), which outlives all of them.
  tern_packed_store *packed_store;
  tern_allocator *packed_allocator;
  tern_packed_keeper *packed_keeper; // keeps what the session packs, too; NULL: nobody does
  // Who computes, in priority order. The CPU provider takes what they leave.
  const tern_provider_request *providers;
  size_t provider_count;
  tern_thread_options threads;
  const char *profile_prefix; // of the trace's path (session/profiler.h); NULL: no profile
  tern_logger logger;         // kept
  const _Atomic bool *cancel; // set from another thread: loading stops with MODEL_LOAD_CANCELED
} tern_session_options;

typedef struct tern_session tern_session;

TERN_MUST_USE tern_status *tern_session_create_from_file(const char *path,
                                                         const tern_session_options *options,
                                                         tern_session **out_session);
// The bytes are copied unless "session.use_ort_model_bytes_for_initializers" is "1": then they must
// outlive the session. External data is looked for in the folder that the config entry
// "session.model_external_initializers_file_folder_path" names.
TERN_MUST_USE tern_status *tern_session_create_from_memory(const void *bytes, size_t size,
                                                           const tern_session_options *options,
                                                           tern_session **out_session);
// Accepts NULL. No run may be under way. Writes the profile, if there is one that was not ended.
void tern_session_destroy(tern_session *session);

// The value of a config entry, or NULL.
const char *tern_session_options_get(const tern_session_options *options, const char *key);
// Whether a config entry is there and says `value`.
bool tern_session_options_is(const tern_session_options *options, const char *key,
                             const char *value);

// The model, for names, types and metadata. Its graph's inputs include overridable initializers;
// `tern_session_input` and friends separate them as ORT does.
const tern_model *tern_session_model(const tern_session *session);
size_t tern_session_input_count(const tern_session *session);
size_t tern_session_output_count(const tern_session *session);
size_t tern_session_overridable_count(const tern_session *session);
const tern_edge *tern_session_input(const tern_session *session, size_t index);
const tern_edge *tern_session_output(const tern_session *session, size_t index);
const tern_edge *tern_session_overridable(const tern_session *session, size_t index);
tern_profiler *tern_session_profiler(const tern_session *session); // NULL: not profiled
// What runs use now; where a provider may be lost, it changes with the next run.
tern_program *tern_session_program(const tern_session *session);
// For reports: session/failover.h.
struct tern_failover *tern_session_failover(const tern_session *session);
tern_session_state tern_session_get_state(const tern_session *session);
const tern_account *tern_session_account(const tern_session *session);

// Frees what runs have left for the next ones to work in. Any thread, also while others run.
void tern_session_drop_frames(tern_session *session);

typedef struct tern_run_options {
  const _Atomic bool *terminate; // NULL: cannot be asked to stop
  tern_profiler *profiler;       // of this run; NULL: the session's
} tern_run_options;

// Runs the model. Inputs and outputs are given by name, in any order; every input without a default
// must be there, with the declared element type and the sizes declared. `inout_outputs[i]` NULL
// gets a new reference; a tensor given there is written in place. On an error nothing is left in
// entries that were NULL.
TERN_MUST_USE tern_status *tern_session_run(tern_session *session, const tern_run_options *options,
                                            const char *const *input_names,
                                            const tern_value *const *inputs, size_t input_count,
                                            const char *const *output_names, size_t output_count,
                                            tern_value **inout_outputs);

// Has one of the session's threads do `task`, in turn. False where it has none but its callers'.
TERN_MUST_USE bool tern_session_post(tern_session *session, tern_pool_task *task);

// What a session knows of itself, as one JSON object appended to `out_text`:
// - "producer", "graph", "ir_version", "opsets" as the model says; "inputs", "overridable",
//   "outputs": names and types;
// - "nodes" and "operators" after optimisation, "parameters" and "parameter_bytes" of initializers;
// - "flops" for the declared sizes, and after a run for those of the latest run, a subgraph counted
//   once where it ran. "flops_complete" is false when a shape that they need is not known;
// - "memory": session/memory_report.h;
// - "planning": "planning_ns" that all runs so far have spent on it, "plans_made", "plans_found" in
//   the cache, and "segments_placed" that are known only within a run;
// - "state": "ready", "executing", "recovering", "fatal"; "providers" in priority order;
//   "recoveries" from the loss of a device; "fell_back_for", where the CPU computes everything
//   because a provider has failed for good: why;
// - "placement": each node with its provider, kernel, "flops" where known and "packed_bytes", and
//   "left_by" where a provider before it did not take it: which, and why.
TERN_MUST_USE tern_status *tern_session_describe(const tern_session *session, tern_text *out_text);

#endif
