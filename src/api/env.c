// Environments. A process has one at a time, as in ONNX Runtime: creating it again gives the same
// one, as it was first set up, and it goes with its last release. What sessions share is then
// shared by every part of a program that knows nothing of the others.
#include "api/env.h"

static struct {
  tern_os_once once;
  tern_os_mutex mutex;
  OrtEnv *env; // NULL: none
  size_t references;
} process = {.once = TERN_OS_ONCE_INIT};

static void init_process(void) {
  tern_os_mutex_init(&process.mutex);
}

// What the ways to create an environment have in common; `threading` may be NULL.
static tern_status *fill_env(const OrtEnvCreationOptions *options, OrtEnv *env) {
  TERN_TRY(tern_api_logger_init(options->custom_logging_function, options->custom_logging_param,
                                (OrtLoggingLevel)options->logging_severity_level, options->log_id,
                                &env->logger));
  if (options->threading_options) {
    TERN_TRY(tern_api_threading_copy(options->threading_options, &env->threading));
    env->has_global_threads = true;
    TERN_TRY(tern_api_threading_create_pool(&env->threading, &env->logger, &env->global_pool));
  }
  TERN_TRY(tern_pool_acquire_shared(1, &env->shared_pool));
  return options->config_entries ? tern_api_pairs_copy(options->config_entries, &env->config)
                                 : NULL;
}

static void destroy_env(OrtEnv *env) {
  tern_pool_destroy(env->global_pool);
  tern_pool_release_shared(env->shared_pool);
  tern_api_env_drop_allocators(env);
  tern_os_mutex_deinit(&env->mutex);
  tern_packed_store_release(env->packed_store);
  tern_api_pairs_deinit(&env->config);
  tern_api_threading_deinit(&env->threading);
  tern_api_logger_deinit(&env->logger);
  TERN_DELETE(tern_allocator_system(), env);
}

static tern_status *make_env(const OrtEnvCreationOptions *options, OrtEnv **out_env) {
  OrtEnv *env;
  TERN_TRY(TERN_NEW(tern_allocator_system(), &env));
  tern_os_mutex_init(&env->mutex);
  tern_status *status = tern_packed_store_create(tern_allocator_system(), &env->packed_store);
  if (!status) status = fill_env(options, env);
  if (status) {
    destroy_env(env);
    return status;
  }
  *out_env = env;
  return NULL;
}

static OrtStatus *create_env(const OrtEnvCreationOptions *options, OrtEnv **out) {
  int32_t level = options->logging_severity_level;
  if (level < ORT_LOGGING_LEVEL_VERBOSE || level > ORT_LOGGING_LEVEL_FATAL)
    return tern_api_status(TERN_ERROR(TERN_INVALID_ARGUMENT, "%d is no logging level", (int)level));
  tern_os_once_run(&process.once, init_process);
  tern_os_mutex_lock(&process.mutex);
  tern_status *status = process.env ? NULL : make_env(options, &process.env);
  if (!status) {
    process.references++;
    *out = process.env;
  }
  tern_os_mutex_unlock(&process.mutex);
  return tern_api_status(status);
}

OrtEnv *tern_api_env_retain(OrtEnv *env) {
  tern_os_mutex_lock(&process.mutex);
  process.references++;
  tern_os_mutex_unlock(&process.mutex);
  return env;
}

void ort_ReleaseEnv(OrtEnv *input) {
  if (!input) return;
  tern_os_once_run(&process.once, init_process);
  tern_os_mutex_lock(&process.mutex);
  bool is_last = input == process.env && --process.references == 0;
  if (is_last) process.env = NULL;
  tern_os_mutex_unlock(&process.mutex);
  if (is_last) destroy_env(input);
}

OrtStatus *ort_CreateEnv(OrtLoggingLevel log_severity_level, const char *logid, OrtEnv **out) {
  TERN_API_REQUIRE(logid);
  TERN_API_REQUIRE(out);
  OrtEnvCreationOptions options = {.logging_severity_level = (int32_t)log_severity_level,
                                   .log_id = logid};
  return create_env(&options, out);
}

OrtStatus *ort_CreateEnvWithCustomLogger(OrtLoggingFunction logging_function, void *logger_param,
                                         OrtLoggingLevel log_severity_level, const char *logid,
                                         OrtEnv **out) {
  TERN_API_REQUIRE(logging_function);
  TERN_API_REQUIRE(logid);
  TERN_API_REQUIRE(out);
  OrtEnvCreationOptions options = {.logging_severity_level = (int32_t)log_severity_level,
                                   .log_id = logid,
                                   .custom_logging_function = logging_function,
                                   .custom_logging_param = logger_param};
  return create_env(&options, out);
}

OrtStatus *ort_CreateEnvWithGlobalThreadPools(OrtLoggingLevel log_severity_level, const char *logid,
                                              const OrtThreadingOptions *tp_options, OrtEnv **out) {
  TERN_API_REQUIRE(logid);
  TERN_API_REQUIRE(tp_options);
  TERN_API_REQUIRE(out);
  OrtEnvCreationOptions options = {.logging_severity_level = (int32_t)log_severity_level,
                                   .log_id = logid,
                                   .threading_options = tp_options};
  return create_env(&options, out);
}

OrtStatus *ort_CreateEnvWithCustomLoggerAndGlobalThreadPools(
    OrtLoggingFunction logging_function, void *logger_param, OrtLoggingLevel log_severity_level,
    const char *logid, const OrtThreadingOptions *tp_options, OrtEnv **out) {
  TERN_API_REQUIRE(logging_function);
  TERN_API_REQUIRE(logid);
  TERN_API_REQUIRE(tp_options);
  TERN_API_REQUIRE(out);
  OrtEnvCreationOptions options = {.logging_severity_level = (int32_t)log_severity_level,
                                   .log_id = logid,
                                   .custom_logging_function = logging_function,
                                   .custom_logging_param = logger_param,
                                   .threading_options = tp_options};
  return create_env(&options, out);
}

OrtStatus *ort_CreateEnvWithOptions(const OrtEnvCreationOptions *options, OrtEnv **out) {
  TERN_API_REQUIRE(options);
  TERN_API_REQUIRE(out);
  OrtEnvCreationOptions filled = *options;
  if (!filled.log_id) filled.log_id = "default";
  return create_env(&filled, out);
}

OrtStatus *ort_UpdateEnvWithCustomLogLevel(OrtEnv *ort_env, OrtLoggingLevel log_severity_level) {
  TERN_API_REQUIRE(ort_env);
  ort_env->logger.severity = (int)log_severity_level;
  return NULL;
}

OrtStatus *ort_EnableTelemetryEvents(const OrtEnv *env) {
  TERN_API_REQUIRE(env);
  return NULL;
}

OrtStatus *ort_DisableTelemetryEvents(const OrtEnv *env) {
  TERN_API_REQUIRE(env);
  return NULL;
}

// A hint for telemetry, of which there is none.
OrtStatus *ort_SetLanguageProjection(const OrtEnv *ort_env, OrtLanguageProjection projection) {
  TERN_API_REQUIRE(ort_env);
  (void)projection;
  return NULL;
}

OrtStatus *ort_SetPerSessionThreadPoolCallbacks(OrtEnv *env,
                                                const OrtThreadPoolCallbacksConfig *config) {
  TERN_API_REQUIRE(env);
  TERN_API_REQUIRE(config);
  env->thread_callbacks = *config;
  return NULL;
}
