// Session and run options: what is set can be read, copies are independent, misuse is an error.
#include "api_test.h"

static OrtSessionOptions *create(void) {
  OrtSessionOptions *options = NULL;
  check_ok(ort()->CreateSessionOptions(&options));
  assert_non_null(options);
  return options;
}

static void setters_are_read_back(void **state) {
  (void)state;
  OrtSessionOptions *options = create();
  int enabled = -1;
  ExecutionMode mode;
  check_ok(ort()->GetMemPatternEnabled(options, &enabled));
  assert_int_equal(enabled, 1);
  check_ok(ort()->DisableMemPattern(options));
  check_ok(ort()->GetMemPatternEnabled(options, &enabled));
  assert_int_equal(enabled, 0);
  check_ok(ort()->SetSessionExecutionMode(options, ORT_PARALLEL));
  check_ok(ort()->GetSessionExecutionMode(options, &mode));
  assert_int_equal(mode, ORT_PARALLEL);
  check_ok(ort()->SetIntraOpNumThreads(options, 3));
  check_ok(ort()->SetSessionGraphOptimizationLevel(options, ORT_ENABLE_LAYOUT));
  check_ok(OrtSessionOptionsAppendExecutionProvider_CPU(options, 1));
  ort()->ReleaseSessionOptions(options);
}

static void numbers_out_of_range_are_refused(void **state) {
  (void)state;
  OrtSessionOptions *options = create();
  check_invalid(ort()->SetIntraOpNumThreads(options, -1));
  check_invalid(ort()->SetInterOpNumThreads(options, -1));
  check_invalid(ort()->SetSessionGraphOptimizationLevel(options, (GraphOptimizationLevel)7));
  check_invalid(ort()->SetSessionExecutionMode(options, (ExecutionMode)2));
  ort()->ReleaseSessionOptions(options);
}

static void config_entries_have_limits(void **state) {
  (void)state;
  OrtSessionOptions *options = create();
  char text[2050];
  memset(text, 'k', sizeof text);
  text[1024] = 0;
  check_ok(ort()->AddSessionConfigEntry(options, text, "v"));
  text[1024] = 'k';
  text[1025] = 0;
  check_invalid(ort()->AddSessionConfigEntry(options, text, "v"));
  text[1025] = 'k';
  text[2048] = 0;
  check_ok(ort()->AddSessionConfigEntry(options, "key", text));
  text[2048] = 'k';
  text[2049] = 0;
  check_invalid(ort()->AddSessionConfigEntry(options, "key", text));
  check_invalid(ort()->AddSessionConfigEntry(options, "", "v"));
  ort()->ReleaseSessionOptions(options);
}

static void config_values_are_copied_out(void **state) {
  (void)state;
  OrtSessionOptions *options = create();
  check_ok(ort()->AddSessionConfigEntry(options, "a.key", "one"));
  check_ok(ort()->AddSessionConfigEntry(options, "a.key", "three"));
  int has = 0;
  check_ok(ort()->HasSessionConfigEntry(options, "a.key", &has));
  assert_int_equal(has, 1);
  check_ok(ort()->HasSessionConfigEntry(options, "another", &has));
  assert_int_equal(has, 0);
  size_t size = 0;
  check_ok(ort()->GetSessionConfigEntry(options, "a.key", NULL, &size));
  assert_int_equal(size, 6);
  char buffer[6];
  size = 5;
  check_invalid(ort()->GetSessionConfigEntry(options, "a.key", buffer, &size));
  assert_int_equal(size, 6);
  check_ok(ort()->GetSessionConfigEntry(options, "a.key", buffer, &size));
  assert_string_equal(buffer, "three");
  check_error(ort()->GetSessionConfigEntry(options, "another", NULL, &size), ORT_FAIL);
  ort()->ReleaseSessionOptions(options);
}

static void config_keys_stand_for_setters(void **state) {
  (void)state;
  OrtSessionOptions *options = create();
  int enabled;
  ExecutionMode mode;
  check_ok(ort()->AddSessionConfigEntry(options, "session.enable_mem_pattern", "0"));
  check_ok(ort()->GetMemPatternEnabled(options, &enabled));
  assert_int_equal(enabled, 0);
  check_ok(ort()->AddSessionConfigEntry(options, "session.execution_mode", "1"));
  check_ok(ort()->GetSessionExecutionMode(options, &mode));
  assert_int_equal(mode, ORT_PARALLEL);
  check_invalid(ort()->AddSessionConfigEntry(options, "session.intra_op_num_threads", "many"));
  check_invalid(ort()->AddSessionConfigEntry(options, "session.intra_op_num_threads", "-2"));
  ort()->ReleaseSessionOptions(options);
}

static void clones_are_independent(void **state) {
  (void)state;
  OrtSessionOptions *options = create(), *clone = NULL;
  check_ok(ort()->AddSessionConfigEntry(options, "key", "old"));
  check_ok(ort()->AddFreeDimensionOverrideByName(options, "batch", 4));
  check_ok(ort()->AddFreeDimensionOverride(options, "DATA_BATCH", 4));
  check_ok(ort()->SetSessionLogId(options, "log"));
  check_ok(ort()->EnableProfiling(options, "profile"));
  check_ok(ort()->SetOptimizedModelFilePath(options, "path"));
  check_ok(ort()->CloneSessionOptions(options, &clone));
  check_ok(ort()->AddSessionConfigEntry(options, "key", "new"));
  ort()->ReleaseSessionOptions(options);
  char value[8];
  size_t size = sizeof value;
  check_ok(ort()->GetSessionConfigEntry(clone, "key", value, &size));
  assert_string_equal(value, "old");
  OrtKeyValuePairs *pairs = NULL;
  check_ok(ort()->GetSessionOptionsConfigEntries(clone, &pairs));
  assert_string_equal(ort()->GetKeyValue(pairs, "key"), "old");
  ort()->ReleaseKeyValuePairs(pairs);
  ort()->ReleaseSessionOptions(clone);
}

static void initializers_have_one_name_each(void **state) {
  (void)state;
  OrtSessionOptions *options = create();
  const OrtValue *value = (const OrtValue *)&state; // only kept, never read
  const char *names[] = {"a", "b", "a"};
  const OrtValue *values[] = {value, value, value};
  check_ok(ort()->AddExternalInitializers(options, names, values, 2));
  check_invalid(ort()->AddInitializer(options, "a", value));
  check_ok(ort()->AddInitializer(options, "c", value));
  check_invalid(ort()->AddExternalInitializers(options, names + 2, values, 1));
  char bytes[4] = {0};
  const char *files[] = {"weights.bin"};
  char *buffers[] = {bytes};
  const size_t sizes[] = {sizeof bytes};
  check_ok(ort()->AddExternalInitializersFromFilesInMemory(options, files, buffers, sizes, 1));
  ort()->ReleaseSessionOptions(options);
}

static void providers_are_known_by_name(void **state) {
  (void)state;
  OrtSessionOptions *options = create();
  check_ok(
      ort()->SessionOptionsAppendExecutionProvider(options, "CPUExecutionProvider", NULL, NULL, 0));
  check_error(ort()->SessionOptionsAppendExecutionProvider(options, "QNN", NULL, NULL, 0),
              ORT_NOT_IMPLEMENTED);
  check_invalid(ort()->SessionOptionsAppendExecutionProvider(options, "CPU", NULL, NULL, 1));
  ort()->ReleaseSessionOptions(options);
}

static void null_arguments_are_errors(void **state) {
  (void)state;
  OrtSessionOptions *options = create();
  check_invalid(ort()->CreateSessionOptions(NULL));
  check_invalid(ort()->CloneSessionOptions(NULL, &options));
  check_invalid(ort()->CloneSessionOptions(options, NULL));
  check_invalid(ort()->EnableProfiling(options, NULL));
  check_invalid(ort()->SetOptimizedModelFilePath(options, NULL));
  check_invalid(ort()->SetSessionLogId(NULL, "x"));
  check_invalid(ort()->AddSessionConfigEntry(options, NULL, "x"));
  check_invalid(ort()->AddSessionConfigEntry(options, "x", NULL));
  check_invalid(ort()->AddFreeDimensionOverride(options, NULL, 1));
  check_invalid(ort()->AddInitializer(options, "x", NULL));
  check_invalid(ort()->AddExternalInitializers(options, NULL, NULL, 1));
  check_invalid(ort()->SessionOptionsSetEpSelectionPolicyDelegate(options, NULL, NULL));
  check_invalid(ort()->CreateCustomOpDomain(NULL, NULL));
  check_invalid(ort()->CustomOpDomain_Add(NULL, NULL));
  check_invalid(ort()->AddCustomOpDomain(options, NULL));
  ort()->ReleaseSessionOptions(options);
  ort()->ReleaseSessionOptions(NULL);
  ort()->ReleaseCustomOpDomain(NULL);
}

static void run_options_are_read_back(void **state) {
  (void)state;
  OrtRunOptions *options = NULL;
  const char *tag = NULL;
  int level = 0;
  check_ok(ort()->CreateRunOptions(&options));
  check_ok(ort()->RunOptionsGetRunTag(options, &tag));
  assert_string_equal(tag, "");
  check_ok(ort()->RunOptionsSetRunTag(options, "tag"));
  check_ok(ort()->RunOptionsGetRunTag(options, &tag));
  assert_string_equal(tag, "tag");
  check_ok(ort()->RunOptionsGetRunLogSeverityLevel(options, &level));
  assert_int_equal(level, -1);
  check_ok(ort()->RunOptionsSetRunLogSeverityLevel(options, 3));
  check_ok(ort()->RunOptionsGetRunLogSeverityLevel(options, &level));
  assert_int_equal(level, 3);
  check_ok(ort()->RunOptionsSetRunLogVerbosityLevel(options, 2));
  check_ok(ort()->RunOptionsGetRunLogVerbosityLevel(options, &level));
  assert_int_equal(level, 2);
  check_ok(ort()->RunOptionsSetTerminate(options));
  check_ok(ort()->RunOptionsUnsetTerminate(options));
  check_ok(ort()->AddRunConfigEntry(options, "memory.enable_memory_arena_shrinkage", "cpu:0"));
  assert_string_equal(ort()->GetRunConfigEntry(options, "memory.enable_memory_arena_shrinkage"),
                      "cpu:0");
  assert_null(ort()->GetRunConfigEntry(options, "another"));
  check_ok(ort()->RunOptionsEnableProfiling(options, "run"));
  check_ok(ort()->RunOptionsDisableProfiling(options));
  ort()->ReleaseRunOptions(options);
  check_invalid(ort()->CreateRunOptions(NULL));
  check_invalid(ort()->RunOptionsSetTerminate(NULL));
  check_invalid(ort()->RunOptionsGetRunTag(NULL, &tag));
  assert_null(ort()->GetRunConfigEntry(NULL, "x"));
  ort()->ReleaseRunOptions(NULL);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(setters_are_read_back),
      cmocka_unit_test(numbers_out_of_range_are_refused),
      cmocka_unit_test(config_entries_have_limits),
      cmocka_unit_test(config_values_are_copied_out),
      cmocka_unit_test(config_keys_stand_for_setters),
      cmocka_unit_test(clones_are_independent),
      cmocka_unit_test(initializers_have_one_name_each),
      cmocka_unit_test(providers_are_known_by_name),
      cmocka_unit_test(null_arguments_are_errors),
      cmocka_unit_test(run_options_are_read_back),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
