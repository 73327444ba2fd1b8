// Session options: their life, and the setters that store one field.
#include "api/session_options.h"

#include "api/env.h"

static tern_status *set_defaults(OrtSessionOptions *options) {
  options->optimization_level = ORT_ENABLE_ALL;
  options->log_severity_level = -1;
  options->enable_mem_pattern = true;
  options->enable_cpu_mem_arena = true;
  options->use_per_session_threads = true;
  TERN_TRY(tern_api_text_copy("", &options->log_id));
  return tern_api_text_copy("onnxruntime_profile_", &options->profile_prefix);
}

OrtStatus *ort_CreateSessionOptions(OrtSessionOptions **options) {
  TERN_API_REQUIRE(options);
  OrtSessionOptions *result;
  TERN_API_TRY(TERN_NEW(tern_allocator_system(), &result));
  tern_status *status = set_defaults(result);
  if (status) {
    ort_ReleaseSessionOptions(result);
    return tern_api_status(status);
  }
  *options = result;
  return NULL;
}

void ort_ReleaseSessionOptions(OrtSessionOptions *input) {
  if (!input) return;
  tern_allocator *allocator = tern_allocator_system();
  for (size_t i = 0; i < input->dim_overrides.count; ++i)
    tern_api_text_free(input->dim_overrides.data[i].text);
  for (size_t i = 0; i < input->initializers.count; ++i)
    tern_api_text_free(input->initializers.data[i].name);
  for (size_t i = 0; i < input->memory_files.count; ++i)
    tern_api_text_free(input->memory_files.data[i].name);
  TERN_ARRAY_FREE(allocator, &input->dim_overrides);
  TERN_ARRAY_FREE(allocator, &input->initializers);
  TERN_ARRAY_FREE(allocator, &input->memory_files);
  TERN_ARRAY_FREE(allocator, &input->custom_op_domains);
  tern_api_text_free(input->log_id);
  tern_api_text_free(input->profile_prefix);
  tern_api_text_free(input->optimized_model_path);
  tern_api_pairs_deinit(&input->config);
  TERN_DELETE(allocator, input);
}

OrtStatus *ort_SetSessionExecutionMode(OrtSessionOptions *options, ExecutionMode execution_mode) {
  TERN_API_REQUIRE(options);
  if (execution_mode != ORT_SEQUENTIAL && execution_mode != ORT_PARALLEL)
    return tern_api_status(
        TERN_ERROR(TERN_INVALID_ARGUMENT, "%d is no execution mode", (int)execution_mode));
  options->execution_mode = execution_mode;
  return NULL;
}

OrtStatus *ort_GetSessionExecutionMode(const OrtSessionOptions *options, ExecutionMode *out) {
  TERN_API_REQUIRE(options);
  TERN_API_REQUIRE(out);
  *out = options->execution_mode;
  return NULL;
}

OrtStatus *ort_SetOptimizedModelFilePath(OrtSessionOptions *options,
                                         const ORTCHAR_T *optimized_model_filepath) {
  TERN_API_REQUIRE(options);
  TERN_API_REQUIRE(optimized_model_filepath);
  return tern_api_status(
      tern_api_text_set(&options->optimized_model_path, optimized_model_filepath));
}

OrtStatus *ort_EnableProfiling(OrtSessionOptions *options, const ORTCHAR_T *profile_file_prefix) {
  TERN_API_REQUIRE(options);
  TERN_API_REQUIRE(profile_file_prefix);
  TERN_API_TRY(tern_api_text_set(&options->profile_prefix, profile_file_prefix));
  options->enable_profiling = true;
  return NULL;
}

OrtStatus *ort_DisableProfiling(OrtSessionOptions *options) {
  TERN_API_REQUIRE(options);
  options->enable_profiling = false;
  return NULL;
}

OrtStatus *ort_EnableMemPattern(OrtSessionOptions *options) {
  TERN_API_REQUIRE(options);
  options->enable_mem_pattern = true;
  return NULL;
}

OrtStatus *ort_DisableMemPattern(OrtSessionOptions *options) {
  TERN_API_REQUIRE(options);
  options->enable_mem_pattern = false;
  return NULL;
}

OrtStatus *ort_EnableCpuMemArena(OrtSessionOptions *options) {
  TERN_API_REQUIRE(options);
  options->enable_cpu_mem_arena = true;
  return NULL;
}

OrtStatus *ort_DisableCpuMemArena(OrtSessionOptions *options) {
  TERN_API_REQUIRE(options);
  options->enable_cpu_mem_arena = false;
  return NULL;
}

OrtStatus *ort_DisablePerSessionThreads(OrtSessionOptions *options) {
  TERN_API_REQUIRE(options);
  options->use_per_session_threads = false;
  return NULL;
}

OrtStatus *ort_GetMemPatternEnabled(const OrtSessionOptions *options, int *out) {
  TERN_API_REQUIRE(options);
  TERN_API_REQUIRE(out);
  *out = options->enable_mem_pattern;
  return NULL;
}

OrtStatus *ort_SetSessionLogId(OrtSessionOptions *options, const char *logid) {
  TERN_API_REQUIRE(options);
  TERN_API_REQUIRE(logid);
  return tern_api_status(tern_api_text_set(&options->log_id, logid));
}

OrtStatus *ort_SetSessionLogVerbosityLevel(OrtSessionOptions *options,
                                           int session_log_verbosity_level) {
  TERN_API_REQUIRE(options);
  options->log_verbosity_level = session_log_verbosity_level;
  return NULL;
}

OrtStatus *ort_SetSessionLogSeverityLevel(OrtSessionOptions *options,
                                          int session_log_severity_level) {
  TERN_API_REQUIRE(options);
  options->log_severity_level = session_log_severity_level;
  return NULL;
}

OrtStatus *ort_SetSessionGraphOptimizationLevel(OrtSessionOptions *options,
                                                GraphOptimizationLevel graph_optimization_level) {
  TERN_API_REQUIRE(options);
  int level = (int)graph_optimization_level;
  if (level < ORT_DISABLE_ALL || (level > ORT_ENABLE_LAYOUT && level != ORT_ENABLE_ALL))
    return tern_api_status(
        TERN_ERROR(TERN_INVALID_ARGUMENT, "%d is no graph optimization level", level));
  options->optimization_level = graph_optimization_level;
  return NULL;
}

OrtStatus *ort_SetIntraOpNumThreads(OrtSessionOptions *options, int intra_op_num_threads) {
  TERN_API_REQUIRE(options);
  if (intra_op_num_threads < 0)
    return tern_api_status(TERN_ERROR(TERN_INVALID_ARGUMENT,
                                      "intra_op_num_threads is %d, and must not be negative",
                                      intra_op_num_threads));
  options->intra_op_threads = intra_op_num_threads;
  return NULL;
}

OrtStatus *ort_SetInterOpNumThreads(OrtSessionOptions *options, int inter_op_num_threads) {
  TERN_API_REQUIRE(options);
  if (inter_op_num_threads < 0)
    return tern_api_status(TERN_ERROR(TERN_INVALID_ARGUMENT,
                                      "inter_op_num_threads is %d, and must not be negative",
                                      inter_op_num_threads));
  options->inter_op_threads = inter_op_num_threads;
  return NULL;
}

OrtStatus *ort_SetDeterministicCompute(OrtSessionOptions *options, bool value) {
  TERN_API_REQUIRE(options);
  options->use_deterministic_compute = value;
  return NULL;
}

OrtStatus *ort_SessionOptionsSetLoadCancellationFlag(OrtSessionOptions *options, bool cancel) {
  TERN_API_REQUIRE(options);
  options->is_load_cancelled = cancel;
  return NULL;
}

OrtStatus *
ort_SessionOptionsSetCustomCreateThreadFn(OrtSessionOptions *options,
                                          OrtCustomCreateThreadFn ort_custom_create_thread_fn) {
  TERN_API_REQUIRE(options);
  options->thread_hooks.create = ort_custom_create_thread_fn;
  return NULL;
}

OrtStatus *
ort_SessionOptionsSetCustomThreadCreationOptions(OrtSessionOptions *options,
                                                 void *ort_custom_thread_creation_options) {
  TERN_API_REQUIRE(options);
  options->thread_hooks.options = ort_custom_thread_creation_options;
  return NULL;
}

OrtStatus *
ort_SessionOptionsSetCustomJoinThreadFn(OrtSessionOptions *options,
                                        OrtCustomJoinThreadFn ort_custom_join_thread_fn) {
  TERN_API_REQUIRE(options);
  options->thread_hooks.join = ort_custom_join_thread_fn;
  return NULL;
}

OrtStatus *ort_SetUserLoggingFunction(OrtSessionOptions *options,
                                      OrtLoggingFunction user_logging_function,
                                      void *user_logging_param) {
  TERN_API_REQUIRE(options);
  options->logging_function = user_logging_function;
  options->logging_param = user_logging_param;
  return NULL;
}
