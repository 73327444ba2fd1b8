// The options of a session, as the session layer reads them.
#ifndef TERN_API_SESSION_OPTIONS_H_
#define TERN_API_SESSION_OPTIONS_H_

#include "api/pairs.h"
#include "api/threading.h"
#include "base/array.h"

// A free dimension of the model's inputs, fixed.
typedef struct tern_api_dim_override {
  char *text; // a denotation, or a symbolic name
  bool is_name;
  int64_t value;
} tern_api_dim_override;

// A value in place of an initializer; the value is borrowed from the caller.
typedef struct tern_api_initializer {
  char *name;
  const OrtValue *value;
  bool is_external; // replaces one whose data is external
} tern_api_initializer;

// A buffer in place of a file of external data, borrowed from the caller.
typedef struct tern_api_memory_file {
  char *name;
  char *data;
  size_t size;
} tern_api_memory_file;

struct OrtSessionOptions {
  ExecutionMode execution_mode;
  GraphOptimizationLevel optimization_level;
  int intra_op_threads, inter_op_threads; // 0: as many as there are cores to use
  int log_severity_level;                 // an OrtLoggingLevel, or -1: the environment's
  int log_verbosity_level;
  bool enable_mem_pattern, enable_cpu_mem_arena, enable_profiling;
  bool use_per_session_threads, use_deterministic_compute;
  _Atomic bool is_load_cancelled; // loading looks here between steps

  char *log_id;               // never NULL
  char *profile_prefix;       // never NULL
  char *optimized_model_path; // NULL: not written
  OrtKeyValuePairs config;

  TERN_ARRAY(tern_api_dim_override) dim_overrides;
  TERN_ARRAY(tern_api_initializer) initializers;
  TERN_ARRAY(tern_api_memory_file) memory_files;
  TERN_ARRAY(OrtCustomOpDomain *) custom_op_domains; // borrowed

  tern_api_thread_hooks thread_hooks;
  OrtLoggingFunction logging_function; // NULL: the environment's
  void *logging_param;
  OrtExecutionProviderDevicePolicy ep_policy;
  EpSelectionDelegate ep_delegate;
  void *ep_delegate_state;
  const void *weightless_source; // borrowed
  size_t weightless_source_bytes;
};

struct OrtCustomOpDomain {
  char *name;
  TERN_ARRAY(const OrtCustomOp *) ops; // borrowed
};

// Sets the field that a config key stands for, where it is one of those; others are left alone.
TERN_MUST_USE tern_status *tern_api_session_options_apply_config(OrtSessionOptions *options,
                                                                 const char *key,
                                                                 const char *value);

#endif
