// Config entries of session options, and the keys that stand for a setter.
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "api/session_options.h"

typedef enum setting_kind { SETTING_INT, SETTING_BOOL, SETTING_TEXT } setting_kind;

// A key, the field it sets, and the numbers it may have.
static const struct setting {
  const char *key;
  setting_kind kind;
  size_t offset;
  int minimum, maximum;
} settings[] = {
#define FIELD(name) offsetof(OrtSessionOptions, name)
    {"session.intra_op_num_threads", SETTING_INT, FIELD(intra_op_threads), 0, INT_MAX},
    {"session.inter_op_num_threads", SETTING_INT, FIELD(inter_op_threads), 0, INT_MAX},
    {"session.log_severity_level", SETTING_INT, FIELD(log_severity_level), -1,
     ORT_LOGGING_LEVEL_FATAL},
    {"session.log_verbosity_level", SETTING_INT, FIELD(log_verbosity_level), 0, INT_MAX},
    {"session.graph_optimization_level", SETTING_INT, FIELD(optimization_level), ORT_DISABLE_ALL,
     ORT_ENABLE_ALL},
    {"session.execution_mode", SETTING_INT, FIELD(execution_mode), ORT_SEQUENTIAL, ORT_PARALLEL},
    {"session.enable_mem_pattern", SETTING_BOOL, FIELD(enable_mem_pattern), 0, 1},
    {"session.enable_cpu_mem_arena", SETTING_BOOL, FIELD(enable_cpu_mem_arena), 0, 1},
    {"session.enable_profiling", SETTING_BOOL, FIELD(enable_profiling), 0, 1},
    {"session.use_per_session_threads", SETTING_BOOL, FIELD(use_per_session_threads), 0, 1},
    {"session.use_deterministic_compute", SETTING_BOOL, FIELD(use_deterministic_compute), 0, 1},
    {"session.log_id", SETTING_TEXT, FIELD(log_id), 0, 0},
    {"session.optimized_model_filepath", SETTING_TEXT, FIELD(optimized_model_path), 0, 0},
#undef FIELD
};

_Static_assert(sizeof(GraphOptimizationLevel) == sizeof(int), "enums are set as int");
_Static_assert(sizeof(ExecutionMode) == sizeof(int), "enums are set as int");

static tern_status *apply(const struct setting *setting, const char *value, void *field) {
  if (setting->kind == SETTING_TEXT) return tern_api_text_set(field, value);
  char *end;
  long number = strtol(value, &end, 10);
  if (end == value || *end || number < setting->minimum || number > setting->maximum)
    return TERN_ERROR(TERN_INVALID_ARGUMENT, "%s is \"%s\", and must be a number from %d to %d",
                      setting->key, value, setting->minimum, setting->maximum);
  int narrow = (int)number;
  bool flag = number != 0;
  if (setting->kind == SETTING_BOOL)
    memcpy(field, &flag, sizeof flag);
  else
    memcpy(field, &narrow, sizeof narrow);
  return NULL;
}

tern_status *tern_api_session_options_apply_config(OrtSessionOptions *options, const char *key,
                                                   const char *value) {
  for (size_t i = 0; i < TERN_COUNT_OF(settings); ++i)
    if (strcmp(settings[i].key, key) == 0)
      return apply(&settings[i], value, (char *)options + settings[i].offset);
  return NULL;
}

OrtStatus *ort_AddSessionConfigEntry(OrtSessionOptions *options, const char *config_key,
                                     const char *config_value) {
  TERN_API_REQUIRE(options);
  TERN_API_REQUIRE(config_key);
  TERN_API_REQUIRE(config_value);
  TERN_API_TRY(tern_api_config_set(&options->config, config_key, config_value));
  return tern_api_status(tern_api_session_options_apply_config(options, config_key, config_value));
}

OrtStatus *ort_HasSessionConfigEntry(const OrtSessionOptions *options, const char *config_key,
                                     int *out) {
  TERN_API_REQUIRE(options);
  TERN_API_REQUIRE(config_key);
  TERN_API_REQUIRE(out);
  *out = tern_api_pairs_get(&options->config, config_key) != NULL;
  return NULL;
}

OrtStatus *ort_GetSessionConfigEntry(const OrtSessionOptions *options, const char *config_key,
                                     char *config_value, size_t *size) {
  TERN_API_REQUIRE(options);
  TERN_API_REQUIRE(config_key);
  TERN_API_REQUIRE(size);
  const char *value = tern_api_pairs_get(&options->config, config_key);
  if (!value)
    return tern_api_status(
        TERN_ERROR(TERN_FAIL, "there is no session config entry \"%s\"", config_key));
  return tern_api_status(tern_api_text_get(value, config_value, size));
}

OrtStatus *ort_GetSessionOptionsConfigEntries(const OrtSessionOptions *options,
                                              OrtKeyValuePairs **out) {
  TERN_API_REQUIRE(options);
  TERN_API_REQUIRE(out);
  return tern_api_status(tern_api_pairs_create(&options->config, out));
}
