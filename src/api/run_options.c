// Run options: setters, getters, config entries.
#include "api/run_options.h"

OrtStatus *ort_CreateRunOptions(OrtRunOptions **out) {
  TERN_API_REQUIRE(out);
  OrtRunOptions *options;
  TERN_API_TRY(TERN_NEW(tern_allocator_system(), &options));
  options->log_severity_level = -1;
  tern_status *status = tern_api_text_copy("", &options->tag);
  if (status) {
    ort_ReleaseRunOptions(options);
    return tern_api_status(status);
  }
  *out = options;
  return NULL;
}

void ort_ReleaseRunOptions(OrtRunOptions *input) {
  if (!input) return;
  tern_api_text_free(input->tag);
  tern_api_text_free(input->profile_prefix);
  tern_api_pairs_deinit(&input->config);
  TERN_DELETE(tern_allocator_system(), input);
}

OrtStatus *ort_RunOptionsSetRunLogVerbosityLevel(OrtRunOptions *options, int log_verbosity_level) {
  TERN_API_REQUIRE(options);
  options->log_verbosity_level = log_verbosity_level;
  return NULL;
}

OrtStatus *ort_RunOptionsSetRunLogSeverityLevel(OrtRunOptions *options, int log_severity_level) {
  TERN_API_REQUIRE(options);
  options->log_severity_level = log_severity_level;
  return NULL;
}

OrtStatus *ort_RunOptionsSetRunTag(OrtRunOptions *options, const char *run_tag) {
  TERN_API_REQUIRE(options);
  return tern_api_status(tern_api_text_set(&options->tag, run_tag ? run_tag : ""));
}

OrtStatus *ort_RunOptionsGetRunLogVerbosityLevel(const OrtRunOptions *options,
                                                 int *log_verbosity_level) {
  TERN_API_REQUIRE(options);
  TERN_API_REQUIRE(log_verbosity_level);
  *log_verbosity_level = options->log_verbosity_level;
  return NULL;
}

OrtStatus *ort_RunOptionsGetRunLogSeverityLevel(const OrtRunOptions *options,
                                                int *log_severity_level) {
  TERN_API_REQUIRE(options);
  TERN_API_REQUIRE(log_severity_level);
  *log_severity_level = options->log_severity_level;
  return NULL;
}

OrtStatus *ort_RunOptionsGetRunTag(const OrtRunOptions *options, const char **run_tag) {
  TERN_API_REQUIRE(options);
  TERN_API_REQUIRE(run_tag);
  *run_tag = options->tag;
  return NULL;
}

OrtStatus *ort_RunOptionsSetTerminate(OrtRunOptions *options) {
  TERN_API_REQUIRE(options);
  options->terminate = true;
  return NULL;
}

OrtStatus *ort_RunOptionsUnsetTerminate(OrtRunOptions *options) {
  TERN_API_REQUIRE(options);
  options->terminate = false;
  return NULL;
}

OrtStatus *ort_AddRunConfigEntry(OrtRunOptions *options, const char *config_key,
                                 const char *config_value) {
  TERN_API_REQUIRE(options);
  TERN_API_REQUIRE(config_key);
  TERN_API_REQUIRE(config_value);
  return tern_api_status(tern_api_config_set(&options->config, config_key, config_value));
}

const char *ort_GetRunConfigEntry(const OrtRunOptions *options, const char *config_key) {
  return options && config_key ? tern_api_pairs_get(&options->config, config_key) : NULL;
}

OrtStatus *ort_RunOptionsEnableProfiling(OrtRunOptions *options,
                                         const ORTCHAR_T *profile_file_prefix) {
  TERN_API_REQUIRE(options);
  TERN_API_REQUIRE(profile_file_prefix);
  return tern_api_status(tern_api_text_set(&options->profile_prefix, profile_file_prefix));
}

OrtStatus *ort_RunOptionsDisableProfiling(OrtRunOptions *options) {
  TERN_API_REQUIRE(options);
  return tern_api_status(tern_api_text_set(&options->profile_prefix, NULL));
}

void ort_RunOptionsSetSyncStream(OrtRunOptions *options, OrtSyncStream *sync_stream) {
  if (options) options->sync_stream = sync_stream;
}
