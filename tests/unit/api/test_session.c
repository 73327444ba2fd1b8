// Sessions: creation from files and bytes, what they tell, options, misuse.
#include <stdlib.h>
#include <unistd.h>

#include "model_bytes.h"

static OrtSession *load(model_bytes *model, const OrtSessionOptions *options) {
  OrtEnv *env = make_env();
  OrtSession *session = NULL;
  check_ok(model_load(model, env, options, &session));
  ort()->ReleaseEnv(env); // sessions of other environments may go on using it
  return session;
}

static void check_text(OrtStatus *status, char *text, const char *expected) {
  check_ok(status);
  assert_string_equal(text, expected);
  check_ok(ort()->AllocatorFree(cpu_allocator(), text));
}

static void sessions_tell_their_interface(void **state) {
  (void)state;
  model_bytes model = model_affine();
  OrtSession *session = load(&model, NULL);
  size_t count = 0;
  char *name = NULL;
  OrtTypeInfo *info = NULL;
  const OrtTensorTypeAndShapeInfo *tensor = NULL;
  int64_t dims[2];
  const char *symbols[2];
  check_ok(ort()->SessionGetInputCount(session, &count));
  assert_int_equal(count, 1);
  check_ok(ort()->SessionGetOutputCount(session, &count));
  assert_int_equal(count, 1);
  check_ok(ort()->SessionGetOverridableInitializerCount(session, &count));
  assert_int_equal(count, 1);
  OrtStatus *status = ort()->SessionGetInputName(session, 0, cpu_allocator(), &name);
  check_text(status, name, "x");
  status = ort()->SessionGetOutputName(session, 0, cpu_allocator(), &name);
  check_text(status, name, "y");
  status = ort()->SessionGetOverridableInitializerName(session, 0, cpu_allocator(), &name);
  check_text(status, name, "b");
  check_ok(ort()->SessionGetOutputTypeInfo(session, 0, &info));
  check_ok(ort()->CastTypeInfoToTensorInfo(info, &tensor));
  check_ok(ort()->GetDimensions(tensor, dims, 2));
  check_ok(ort()->GetSymbolicDimensions(tensor, symbols, 2));
  assert_int_equal(dims[0], -1);
  assert_int_equal(dims[1], 3);
  assert_string_equal(symbols[0], "N");
  ort()->ReleaseTypeInfo(info);
  check_invalid(ort()->SessionGetInputName(session, 1, cpu_allocator(), &name));
  check_invalid(ort()->SessionGetInputTypeInfo(session, 1, &info));
  check_invalid(ort()->SessionGetInputName(session, 0, NULL, &name));
  check_invalid(ort()->SessionGetInputCount(NULL, &count));
  ort()->ReleaseSession(session);
}

static void metadata_outlives_the_session(void **state) {
  (void)state;
  model_bytes model = model_affine();
  OrtSession *session = load(&model, NULL);
  OrtModelMetadata *metadata = NULL;
  OrtAllocator *cpu = cpu_allocator();
  char *text = NULL, **keys = NULL;
  int64_t number = 0;
  check_ok(ort()->SessionGetModelMetadata(session, &metadata));
  ort()->ReleaseSession(session);
  OrtStatus *status = ort()->ModelMetadataGetProducerName(metadata, cpu, &text);
  check_text(status, text, "maker");
  status = ort()->ModelMetadataGetGraphName(metadata, cpu, &text);
  check_text(status, text, "graph");
  status = ort()->ModelMetadataGetDomain(metadata, cpu, &text);
  check_text(status, text, "domain.example");
  status = ort()->ModelMetadataGetDescription(metadata, cpu, &text);
  check_text(status, text, "a model");
  status = ort()->ModelMetadataGetGraphDescription(metadata, cpu, &text);
  check_text(status, text, "a graph");
  status = ort()->ModelMetadataLookupCustomMetadataMap(metadata, cpu, "key", &text);
  check_text(status, text, "value");
  check_ok(ort()->ModelMetadataLookupCustomMetadataMap(metadata, cpu, "absent", &text));
  assert_null(text);
  check_ok(ort()->ModelMetadataGetVersion(metadata, &number));
  assert_int_equal(number, 7);
  check_ok(ort()->ModelMetadataGetCustomMetadataMapKeys(metadata, cpu, &keys, &number));
  assert_int_equal(number, 1);
  check_text(NULL, keys[0], "key");
  check_ok(ort()->AllocatorFree(cpu, keys));
  ort()->ReleaseModelMetadata(metadata);
}

static void sessions_refuse_what_is_no_model(void **state) {
  (void)state;
  OrtEnv *env = make_env();
  OrtSession *session = NULL;
  OrtPrepackedWeightsContainer *container = NULL;
  check_error(ort()->CreateSession(env, "/nowhere/model.onnx", NULL, &session), ORT_NO_SUCHFILE);
  check_error(ort()->CreateSessionFromArray(env, "\xff\xff\xff", 3, NULL, &session),
              ORT_INVALID_PROTOBUF);
  check_invalid(ort()->CreateSession(NULL, "m", NULL, &session));
  check_invalid(ort()->CreateSession(env, NULL, NULL, &session));
  check_invalid(ort()->CreateSession(env, "m", NULL, NULL));
  check_invalid(ort()->CreateSessionFromArray(env, NULL, 3, NULL, &session));
  check_invalid(ort()->CreateSessionWithPrepackedWeightsContainer(env, "m", NULL, NULL, &session));
  check_ok(ort()->CreatePrepackedWeightsContainer(&container));
  check_error(ort()->CreateSessionWithPrepackedWeightsContainer(env, "/nowhere/model.onnx", NULL,
                                                                container, &session),
              ORT_NO_SUCHFILE);
  ort()->ReleasePrepackedWeightsContainer(container);
  model_bytes model = model_begin();
  model_node(&model, "NoSuchOperator", "x", "y");
  model_port(&model, MODEL_INPUT, 0, "x", 1, "1");
  model_port(&model, MODEL_OUTPUT, 0, "y", 1, "1");
  OrtStatus *status = model_load(&model, env, NULL, &session);
  assert_non_null(status);
  assert_non_null(strstr(ort()->GetErrorMessage(status), "NoSuchOperator"));
  ort()->ReleaseStatus(status);
  assert_null(session);
  ort()->ReleaseSession(NULL);
  ort()->ReleaseEnv(env);
}

static void dimensions_are_fixed_by_name(void **state) {
  (void)state;
  OrtSessionOptions *options = NULL;
  OrtTypeInfo *info = NULL;
  const OrtTensorTypeAndShapeInfo *tensor = NULL;
  int64_t dims[2];
  check_ok(ort()->CreateSessionOptions(&options));
  check_ok(ort()->AddFreeDimensionOverrideByName(options, "N", 5));
  model_bytes model = model_affine();
  OrtSession *session = load(&model, options);
  ort()->ReleaseSessionOptions(options);
  check_ok(ort()->SessionGetInputTypeInfo(session, 0, &info));
  check_ok(ort()->CastTypeInfoToTensorInfo(info, &tensor));
  check_ok(ort()->GetDimensions(tensor, dims, 2));
  assert_int_equal(dims[0], 5);
  ort()->ReleaseTypeInfo(info);
  ort()->ReleaseSession(session);
}

static void loading_is_cancelled_by_its_flag(void **state) {
  (void)state;
  OrtEnv *env = make_env();
  OrtSessionOptions *options = NULL;
  OrtSession *session = NULL;
  check_ok(ort()->CreateSessionOptions(&options));
  check_ok(ort()->SessionOptionsSetLoadCancellationFlag(options, true));
  model_bytes model = model_affine();
  check_error(model_load(&model, env, options, &session), ORT_MODEL_LOAD_CANCELED);
  ort()->ReleaseSessionOptions(options);
  ort()->ReleaseEnv(env);
}

static void everything_is_the_cpus(void **state) {
  (void)state;
  OrtSessionOptions *options = NULL;
  check_ok(ort()->CreateSessionOptions(&options));
  check_ok(ort()->AddSessionConfigEntry(options, "session.record_ep_graph_assignment_info", "1"));
  model_bytes model = model_affine();
  OrtSession *session = load(&model, options);
  const OrtMemoryInfo *info = NULL;
  const OrtEpDevice *device = NULL;
  const OrtEpAssignedSubgraph *const *subgraphs = NULL;
  const OrtEpAssignedNode *const *nodes = NULL;
  const char *text = NULL;
  size_t count = 0;
  check_ok(ort()->SessionGetMemoryInfoForInputs(session, &info, 1));
  check_ok(ort()->MemoryInfoGetName(info, &text));
  assert_string_equal(text, "Cpu");
  check_ok(ort()->SessionGetEpDeviceForOutputs(session, &device, 1));
  assert_string_equal(ort()->EpDevice_EpName(device), "CPUExecutionProvider");
  check_invalid(ort()->SessionGetMemoryInfoForOutputs(session, &info, 2));
  check_ok(ort()->Session_GetEpGraphAssignmentInfo(session, &subgraphs, &count));
  assert_int_equal(count, 2);
  check_ok(ort()->EpAssignedSubgraph_GetEpName(subgraphs[0], &text));
  assert_string_equal(text, "CPUExecutionProvider");
  check_ok(ort()->EpAssignedSubgraph_GetNodes(subgraphs[0], &nodes, &count));
  assert_int_equal(count, 1);
  check_ok(ort()->EpAssignedNode_GetOperatorType(nodes[0], &text));
  assert_string_equal(text, "Mul");
  check_ok(ort()->EpAssignedNode_GetName(nodes[0], &text));
  assert_string_equal(text, "m");
  ort()->ReleaseSessionOptions(options);
  ort()->ReleaseSession(session);
  model = model_affine();
  session = load(&model, NULL);
  check_error(ort()->Session_GetEpGraphAssignmentInfo(session, &subgraphs, &count), ORT_FAIL);
  ort()->ReleaseSession(session);
}

static void profiles_name_their_file(void **state) {
  (void)state;
  OrtSessionOptions *options = NULL;
  uint64_t start = 0;
  char *path = NULL;
  check_ok(ort()->CreateSessionOptions(&options));
  check_ok(ort()->EnableProfiling(options, "test_api_session_profile"));
  model_bytes model = model_affine();
  OrtSession *session = load(&model, options);
  check_ok(ort()->SessionGetProfilingStartTimeNs(session, &start));
  assert_true(start > 0);
  check_ok(ort()->SessionEndProfiling(session, cpu_allocator(), &path));
  assert_non_null(strstr(path, "test_api_session_profile"));
  assert_int_equal(remove(path), 0);
  check_ok(ort()->AllocatorFree(cpu_allocator(), path));
  ort()->ReleaseSessionOptions(options);
  ort()->ReleaseSession(session);
}

static void tern_describes_sessions_and_itself(void **state) {
  (void)state;
  const TernApi *tern = TernGetApi(TERN_API_VERSION);
  model_bytes model = model_affine();
  OrtSession *session = load(&model, NULL);
  char *json = NULL;
  check_ok(tern->DescribeSession(session, cpu_allocator(), &json));
  assert_int_equal(json[0], '{');
  assert_non_null(strstr(json, "{\"name\":\"x\",\"type\":\"tensor(float)[?,3]\"}"));
  assert_non_null(strstr(json, "\"parameters\":6,"));
  assert_non_null(strstr(json, "\"opsets\":[{\"domain\":\"\",\"version\":21}]"));
  assert_non_null(strstr(json, "\"provider\":\"CPUExecutionProvider\""));
  check_ok(ort()->AllocatorFree(cpu_allocator(), json));
  check_invalid(tern->DescribeSession(NULL, cpu_allocator(), &json));
  ort()->ReleaseSession(session);
  check_ok(tern->DescribeRuntime(cpu_allocator(), &json));
  assert_non_null(strstr(json, tern->version_string));
  assert_non_null(strstr(json, "\"isas\":[\"scalar\""));
  check_ok(ort()->AllocatorFree(cpu_allocator(), json));
  check_invalid(tern->DescribeRuntime(NULL, &json));
}

#define EXTERNAL_KEY "session.optimized_model_external_initializers_"

// Saves the model to `path` with its weights, from `min_bytes` on, in `name`.
static OrtStatus *save(const char *path, const char *name, const char *min_bytes) {
  model_bytes model = model_affine();
  OrtEnv *env = make_env();
  OrtSessionOptions *options = NULL;
  OrtSession *session = NULL;
  check_ok(ort()->CreateSessionOptions(&options));
  check_ok(ort()->SetOptimizedModelFilePath(options, path));
  check_ok(ort()->AddSessionConfigEntry(options, EXTERNAL_KEY "file_name", name));
  check_ok(ort()->AddSessionConfigEntry(options, EXTERNAL_KEY "min_size_in_bytes", min_bytes));
  OrtStatus *status = model_load(&model, env, options, &session);
  if (session) ort()->ReleaseSession(session);
  ort()->ReleaseSessionOptions(options);
  ort()->ReleaseEnv(env);
  return status;
}

static void weights_are_saved_beside_the_model(void **state) {
  (void)state;
  char folder[] = "/tmp/tern-save-XXXXXX", path[64], weights[64];
  assert_non_null(mkdtemp(folder));
  snprintf(path, sizeof path, "%s/saved.onnx", folder);
  snprintf(weights, sizeof weights, "%s/weights", folder);
  check_invalid(save(path, "../weights", "1"));
  check_invalid(save(path, "..", "1"));
  check_invalid(save(path, "saved.onnx", "1"));
  check_invalid(save(path, "weights", "-1"));
  check_invalid(save(path, "weights", "many"));
  assert_int_not_equal(access(path, F_OK), 0); // a failure leaves no model
  check_ok(save(path, "weights", "1"));
  OrtEnv *env = make_env();
  OrtSession *session = NULL;
  check_ok(ort()->CreateSession(env, path, NULL, &session));
  ort()->ReleaseSession(session);
  assert_int_equal(remove(weights), 0);
  check_error(ort()->CreateSession(env, path, NULL, &session), ORT_NO_SUCHFILE);
  ort()->ReleaseEnv(env);
  remove(path);
  remove(folder);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(sessions_tell_their_interface),
      cmocka_unit_test(metadata_outlives_the_session),
      cmocka_unit_test(sessions_refuse_what_is_no_model),
      cmocka_unit_test(dimensions_are_fixed_by_name),
      cmocka_unit_test(loading_is_cancelled_by_its_flag),
      cmocka_unit_test(everything_is_the_cpus),
      cmocka_unit_test(profiles_name_their_file),
      cmocka_unit_test(tern_describes_sessions_and_itself),
      cmocka_unit_test(weights_are_saved_beside_the_model),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
