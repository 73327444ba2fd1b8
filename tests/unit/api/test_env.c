// Environments, loggers, memory infos, allocators, pairs and devices.
#include "api_test.h"

static void ORT_API_CALL drop_message(void *param, OrtLoggingLevel severity, const char *category,
                                      const char *logid, const char *code_location,
                                      const char *message) {
  (void)param, (void)severity, (void)category, (void)logid, (void)code_location, (void)message;
}

static void environments_are_created_every_way(void **state) {
  (void)state;
  OrtThreadingOptions *threading = NULL;
  check_ok(ort()->CreateThreadingOptions(&threading));
  check_ok(ort()->SetGlobalIntraOpNumThreads(threading, 2));
  check_invalid(ort()->SetGlobalIntraOpNumThreads(threading, -1));
  check_ok(ort()->SetGlobalSpinControl(threading, 0));
  check_invalid(ort()->SetGlobalSpinControl(threading, 5));
  check_ok(ort()->SetGlobalIntraOpThreadAffinity(threading, "1;2"));
  check_invalid(ort()->SetGlobalIntraOpThreadAffinity(threading, ""));
  OrtKeyValuePairs *config = NULL;
  ort()->CreateKeyValuePairs(&config);
  ort()->AddKeyValuePair(config, "key", "value");
  OrtEnvCreationOptions options = {.version = ORT_API_VERSION,
                                   .logging_severity_level = ORT_LOGGING_LEVEL_ERROR,
                                   .threading_options = threading,
                                   .config_entries = config};
  OrtEnv *envs[5] = {0};
  check_ok(ort()->CreateEnv(ORT_LOGGING_LEVEL_WARNING, "a", &envs[0]));
  check_ok(
      ort()->CreateEnvWithCustomLogger(drop_message, NULL, ORT_LOGGING_LEVEL_INFO, "b", &envs[1]));
  check_ok(ort()->CreateEnvWithGlobalThreadPools(ORT_LOGGING_LEVEL_INFO, "c", threading, &envs[2]));
  check_ok(ort()->CreateEnvWithCustomLoggerAndGlobalThreadPools(
      drop_message, NULL, ORT_LOGGING_LEVEL_INFO, "d", threading, &envs[3]));
  check_ok(ort()->CreateEnvWithOptions(&options, &envs[4]));
  ort()->ReleaseThreadingOptions(threading);
  ort()->ReleaseKeyValuePairs(config);
  for (int i = 1; i < 5; ++i) assert_ptr_equal(envs[i], envs[0]); // one a process
  check_ok(ort()->UpdateEnvWithCustomLogLevel(envs[1], ORT_LOGGING_LEVEL_FATAL));
  check_ok(ort()->SetLanguageProjection(envs[0], ORT_PROJECTION_PYTHON));
  check_ok(ort()->DisableTelemetryEvents(envs[0]));
  for (int i = 0; i < 5; ++i) ort()->ReleaseEnv(envs[i]);
}

static void environments_refuse_misuse(void **state) {
  (void)state;
  OrtEnv *env = NULL;
  check_invalid(ort()->CreateEnv(ORT_LOGGING_LEVEL_WARNING, "x", NULL));
  check_invalid(ort()->CreateEnv(ORT_LOGGING_LEVEL_WARNING, NULL, &env));
  check_invalid(ort()->CreateEnv((OrtLoggingLevel)9, "x", &env));
  check_invalid(ort()->CreateEnvWithCustomLogger(NULL, NULL, ORT_LOGGING_LEVEL_INFO, "x", &env));
  check_invalid(ort()->CreateEnvWithGlobalThreadPools(ORT_LOGGING_LEVEL_INFO, "x", NULL, &env));
  check_invalid(ort()->CreateEnvWithOptions(NULL, &env));
  assert_null(env);
  ort()->ReleaseEnv(NULL);
}

static void memory_infos_compare(void **state) {
  (void)state;
  OrtMemoryInfo *cpu = NULL, *same = NULL, *gpu = NULL;
  int different = 0, id = 0;
  const char *name = NULL;
  OrtMemoryInfoDeviceType type;
  check_ok(ort()->CreateCpuMemoryInfo(OrtDeviceAllocator, OrtMemTypeDefault, &cpu));
  check_ok(ort()->CreateMemoryInfo("Cpu", OrtDeviceAllocator, 0, OrtMemTypeDefault, &same));
  check_ok(ort()->CreateMemoryInfo_V2("Mine", OrtMemoryInfoDeviceType_GPU, 0x10DE, 3,
                                      OrtDeviceMemoryType_HOST_ACCESSIBLE, 256, OrtArenaAllocator,
                                      &gpu));
  check_ok(ort()->CompareMemoryInfo(cpu, same, &different));
  assert_int_equal(different, 0);
  check_ok(ort()->CompareMemoryInfo(cpu, gpu, &different));
  assert_int_equal(different, -1);
  check_ok(ort()->MemoryInfoGetName(gpu, &name));
  assert_string_equal(name, "Mine");
  check_ok(ort()->MemoryInfoGetId(gpu, &id));
  assert_int_equal(id, 3);
  ort()->MemoryInfoGetDeviceType(gpu, &type);
  assert_int_equal(type, OrtMemoryInfoDeviceType_GPU);
  assert_int_equal(ort()->MemoryInfoGetVendorId(gpu), 0x10DE);
  assert_int_equal(ort()->MemoryInfoGetDeviceMemType(gpu), OrtDeviceMemoryType_HOST_ACCESSIBLE);
  ort()->ReleaseMemoryInfo(cpu);
  ort()->ReleaseMemoryInfo(same);
  ort()->ReleaseMemoryInfo(gpu);
  check_invalid(ort()->CreateMemoryInfo("Nothing", OrtDeviceAllocator, 0, OrtMemTypeDefault, &cpu));
  check_invalid(ort()->CompareMemoryInfo(NULL, NULL, &different));
  check_invalid(ort()->MemoryInfoGetName(NULL, &name));
}

static void allocator_aligns_and_counts(void **state) {
  (void)state;
  OrtAllocator *allocator = NULL;
  const OrtMemoryInfo *info = NULL;
  OrtKeyValuePairs *stats = NULL;
  check_ok(ort()->GetAllocatorWithDefaultOptions(&allocator));
  check_ok(ort()->AllocatorGetInfo(allocator, &info));
  assert_non_null(info);
  for (size_t size = 1; size < 5000; size = size * 3 + 1) {
    void *p = NULL;
    check_ok(ort()->AllocatorAlloc(allocator, size, &p));
    assert_int_equal((uintptr_t)p % 64, 0);
    memset(p, 0xff, size);
    check_ok(ort()->AllocatorGetStats(allocator, &stats));
    char expected[24];
    snprintf(expected, sizeof expected, "%zu", size);
    assert_string_equal(ort()->GetKeyValue(stats, "InUse"), expected);
    ort()->ReleaseKeyValuePairs(stats);
    check_ok(ort()->AllocatorFree(allocator, p));
  }
  void *p = (void *)&allocator;
  check_ok(ort()->AllocatorAlloc(allocator, 0, &p));
  assert_null(p);
  check_ok(ort()->AllocatorFree(allocator, NULL));
  check_error(ort()->AllocatorAlloc(allocator, SIZE_MAX, &p), ORT_FAIL);
  check_invalid(ort()->AllocatorAlloc(NULL, 1, &p));
  check_invalid(ort()->GetAllocatorWithDefaultOptions(NULL));
}

static OrtAllocator *shared(OrtEnv *env, const OrtMemoryInfo *info) {
  OrtAllocator *allocator = NULL;
  check_ok(ort()->GetSharedAllocator(env, info, &allocator));
  return allocator;
}

static void allocators_are_shared_by_registration(void **state) {
  (void)state;
  OrtEnv *env = NULL;
  OrtMemoryInfo *info = NULL, *gpu = NULL;
  OrtAllocator *cpu = NULL;
  OrtArenaCfg *arena = NULL;
  check_ok(ort()->CreateEnv(ORT_LOGGING_LEVEL_WARNING, "x", &env));
  check_ok(ort()->GetAllocatorWithDefaultOptions(&cpu));
  check_ok(ort()->CreateArenaCfg(0, -1, -1, -1, &arena));
  check_ok(ort()->CreateCpuMemoryInfo(OrtArenaAllocator, OrtMemTypeDefault, &info));
  check_ok(ort()->CreateMemoryInfo("Cuda", OrtArenaAllocator, 0, OrtMemTypeDefault, &gpu));
  assert_ptr_equal(shared(env, info), cpu); // none is registered
  assert_null(shared(env, gpu));
  check_ok(ort()->CreateAndRegisterAllocator(env, info, arena));
  OrtAllocator *first = shared(env, info);
  assert_ptr_not_equal(first, cpu);
  check_ok(ort()->CreateAndRegisterAllocator(env, info, arena)); // in its place
  check_ok(
      ort()->CreateAndRegisterAllocatorV2(env, "CPUExecutionProvider", info, arena, NULL, NULL, 0));
  check_invalid(ort()->CreateAndRegisterAllocatorV2(env, "Nobody", info, arena, NULL, NULL, 0));
  check_invalid(ort()->CreateAndRegisterAllocator(env, gpu, arena));
  check_ok(ort()->UnregisterAllocator(env, info));
  assert_ptr_equal(shared(env, info), cpu);
  check_invalid(ort()->UnregisterAllocator(env, info));
  check_ok(ort()->RegisterAllocator(env, cpu));
  check_ok(ort()->RegisterAllocator(env, cpu));
  assert_ptr_equal(shared(env, info), cpu);
  ort()->ReleaseArenaCfg(arena);
  ort()->ReleaseMemoryInfo(info);
  ort()->ReleaseMemoryInfo(gpu);
  ort()->ReleaseEnv(env);
}

static void arena_settings_have_names(void **state) {
  (void)state;
  OrtArenaCfg *arena = NULL;
  const char *keys[] = {"max_mem", "max_dead_bytes_per_chunk", "unknown"};
  const size_t values[] = {1, 2, 3};
  check_ok(ort()->CreateArenaCfgV2(keys, values, 2, &arena));
  ort()->ReleaseArenaCfg(arena);
  check_invalid(ort()->CreateArenaCfgV2(keys, values, 3, &arena));
}

static void devices_have_shared_allocators(void **state) {
  (void)state;
  OrtEnv *env = NULL;
  OrtMemoryInfo *info = NULL;
  OrtAllocator *made = NULL;
  OrtKeyValuePairs *options = NULL, *stats = NULL;
  const OrtEpDevice *const *devices = NULL;
  size_t count;
  check_ok(ort()->CreateEnv(ORT_LOGGING_LEVEL_WARNING, "x", &env));
  check_ok(ort()->CreateCpuMemoryInfo(OrtDeviceAllocator, OrtMemTypeDefault, &info));
  check_ok(ort()->GetEpDevices(env, &devices, &count));
  ort()->CreateKeyValuePairs(&options);
  ort()->AddKeyValuePair(options, "arena.max_mem", "1000");
  check_ok(ort()->CreateSharedAllocator(env, devices[0], OrtDeviceMemoryType_DEFAULT,
                                        OrtDeviceAllocator, options, &made));
  assert_ptr_equal(shared(env, info), made);
  void *p = NULL, *q = NULL;
  check_ok(ort()->AllocatorAlloc(made, 600, &p));
  check_error(ort()->AllocatorAlloc(made, 401, &q), ORT_FAIL);
  check_ok(ort()->AllocatorAlloc(made, 400, &q));
  check_ok(ort()->AllocatorGetStats(made, &stats));
  assert_string_equal(ort()->GetKeyValue(stats, "Limit"), "1000");
  assert_string_equal(ort()->GetKeyValue(stats, "InUse"), "1000");
  assert_string_equal(ort()->GetKeyValue(stats, "MaxAllocSize"), "600");
  assert_string_equal(ort()->GetKeyValue(stats, "NumAllocs"), "2");
  ort()->ReleaseKeyValuePairs(stats);
  // Blocks outlive the registration.
  check_ok(ort()->ReleaseSharedAllocator(env, devices[0], OrtDeviceMemoryType_DEFAULT));
  check_invalid(ort()->ReleaseSharedAllocator(env, devices[0], OrtDeviceMemoryType_DEFAULT));
  made->Free(made, p);
  made->Free(made, q);
  ort()->AddKeyValuePair(options, "arena.max_mem", "much");
  check_invalid(ort()->CreateSharedAllocator(env, devices[0], OrtDeviceMemoryType_DEFAULT,
                                             OrtDeviceAllocator, options, NULL));
  check_invalid(ort()->CreateSharedAllocator(env, devices[0], OrtDeviceMemoryType_HOST_ACCESSIBLE,
                                             OrtDeviceAllocator, NULL, NULL));
  ort()->ReleaseKeyValuePairs(options);
  ort()->ReleaseMemoryInfo(info);
  ort()->ReleaseEnv(env);
}

static void pairs_keep_one_value_a_key(void **state) {
  (void)state;
  OrtKeyValuePairs *pairs = NULL;
  ort()->CreateKeyValuePairs(&pairs);
  char key[] = "k00";
  for (int i = 0; i < 40; ++i) {
    key[1] = (char)('0' + i / 10);
    key[2] = (char)('0' + (i * 7) % 10);
    ort()->AddKeyValuePair(pairs, key, "first");
    ort()->AddKeyValuePair(pairs, key, key);
  }
  ort()->AddKeyValuePair(pairs, "", "dropped");
  ort()->AddKeyValuePair(pairs, NULL, "dropped");
  const char *const *keys, *const *values;
  size_t count;
  ort()->GetKeyValuePairs(pairs, &keys, &values, &count);
  assert_int_equal(count, 40);
  for (size_t i = 0; i < count; ++i) assert_string_equal(keys[i], values[i]);
  ort()->RemoveKeyValuePair(pairs, "k07");
  ort()->RemoveKeyValuePair(pairs, "absent");
  assert_null(ort()->GetKeyValue(pairs, "k07"));
  assert_string_equal(ort()->GetKeyValue(pairs, "k08"), "k08");
  ort()->ReleaseKeyValuePairs(pairs);
  assert_null(ort()->GetKeyValue(NULL, "k"));
  ort()->GetKeyValuePairs(NULL, &keys, &values, &count);
  assert_int_equal(count, 0);
  ort()->CreateKeyValuePairs(NULL);
  ort()->ReleaseKeyValuePairs(NULL);
}

static void the_cpu_is_the_one_device(void **state) {
  (void)state;
  OrtEnv *env = NULL;
  const OrtEpDevice *const *devices = NULL;
  const OrtHardwareDevice *hardware = NULL;
  size_t count = 0;
  char **providers = NULL;
  int provider_count = 0;
  check_ok(ort()->GetAvailableProviders(&providers, &provider_count));
  assert_int_equal(provider_count, 1);
  assert_string_equal(providers[0], "CPUExecutionProvider");
  check_ok(ort()->ReleaseAvailableProviders(providers, provider_count));
  check_ok(ort()->CreateEnv(ORT_LOGGING_LEVEL_WARNING, "x", &env));
  check_ok(ort()->GetEpDevices(env, &devices, &count));
  assert_int_equal(count, 1);
  assert_string_equal(ort()->EpDevice_EpName(devices[0]), "CPUExecutionProvider");
  check_ok(ort()->GetNumHardwareDevices(env, &count));
  check_ok(ort()->GetHardwareDevices(env, &hardware, count));
  assert_ptr_equal(ort()->EpDevice_Device(devices[0]), hardware);
  assert_int_equal(ort()->HardwareDevice_Type(hardware), OrtHardwareDeviceType_CPU);
  assert_non_null(ort()->EpDevice_MemoryInfo(devices[0], OrtDeviceMemoryType_DEFAULT));
  check_invalid(ort()->GetEpDevices(NULL, &devices, &count));
  check_invalid(ort()->GetHardwareDevices(env, &hardware, 0));
  assert_null(ort()->EpDevice_EpName(NULL));
  OrtSessionOptions *options = NULL;
  check_ok(ort()->CreateSessionOptions(&options));
  check_ok(
      ort()->SessionOptionsAppendExecutionProvider_V2(options, env, devices, 1, NULL, NULL, 0));
  check_invalid(
      ort()->SessionOptionsAppendExecutionProvider_V2(options, env, devices, 0, NULL, NULL, 0));
  ort()->ReleaseSessionOptions(options);
  ort()->ReleaseEnv(env);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(environments_are_created_every_way),
      cmocka_unit_test(environments_refuse_misuse),
      cmocka_unit_test(memory_infos_compare),
      cmocka_unit_test(allocator_aligns_and_counts),
      cmocka_unit_test(allocators_are_shared_by_registration),
      cmocka_unit_test(arena_settings_have_names),
      cmocka_unit_test(devices_have_shared_allocators),
      cmocka_unit_test(pairs_keep_one_value_a_key),
      cmocka_unit_test(the_cpu_is_the_one_device),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
