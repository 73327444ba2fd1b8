#include "support/ort.h"

#include <dlfcn.h>
#include <string.h>

enum { OLDEST_API = 17 };

const OrtApi *test_ort_load(const char *library) {
  void *handle = dlopen(library, RTLD_NOW | RTLD_LOCAL);
  if (!handle) test_fail("%s", dlerror());
  const OrtApiBase *(*get_base)(void) = NULL;
  *(void **)&get_base = dlsym(handle, "OrtGetApiBase");
  if (!get_base) test_fail("%s exports no OrtGetApiBase", library);
  const OrtApi *api = NULL;
  for (uint32_t version = ORT_API_VERSION; !api && version >= OLDEST_API; --version) {
    api = get_base()->GetApi(version);
  }
  if (!api)
    test_fail("%s speaks no API version from %d to %d", library, OLDEST_API, ORT_API_VERSION);
  return api;
}

void test_ort_check(const OrtApi *api, OrtStatus *status, const char *what) {
  if (status) test_fail("%s: %s", what, api->GetErrorMessage(status));
}

static char *copy_name(const test_session *session, char *name) {
  size_t size = strlen(name) + 1;
  char *copy = memcpy(test_alloc(size), name, size);
  test_ort_check(session->api, session->api->AllocatorFree(session->allocator, name), "names");
  return copy;
}

static ONNXType type_of(const test_session *session, OrtTypeInfo *info) {
  ONNXType type;
  test_ort_check(session->api, session->api->GetOnnxTypeFromTypeInfo(info, &type), "types");
  session->api->ReleaseTypeInfo(info);
  return type;
}

static void read_inputs(test_session *session) {
  const OrtApi *api = session->api;
  test_ort_check(api, api->SessionGetInputCount(session->session, &session->input_count), "inputs");
  session->input_names = test_alloc((session->input_count + 1) * sizeof(char *));
  session->input_types = test_alloc((session->input_count + 1) * sizeof(ONNXType));
  for (size_t i = 0; i < session->input_count; ++i) {
    char *name;
    OrtTypeInfo *info;
    test_ort_check(api, api->SessionGetInputName(session->session, i, session->allocator, &name),
                   "input name");
    test_ort_check(api, api->SessionGetInputTypeInfo(session->session, i, &info), "input type");
    session->input_names[i] = copy_name(session, name);
    session->input_types[i] = type_of(session, info);
  }
}

static void read_outputs(test_session *session) {
  const OrtApi *api = session->api;
  test_ort_check(api, api->SessionGetOutputCount(session->session, &session->output_count),
                 "outputs");
  session->output_names = test_alloc((session->output_count + 1) * sizeof(char *));
  session->output_types = test_alloc((session->output_count + 1) * sizeof(ONNXType));
  for (size_t i = 0; i < session->output_count; ++i) {
    char *name;
    OrtTypeInfo *info;
    test_ort_check(api, api->SessionGetOutputName(session->session, i, session->allocator, &name),
                   "output name");
    test_ort_check(api, api->SessionGetOutputTypeInfo(session->session, i, &info), "output type");
    session->output_names[i] = copy_name(session, name);
    session->output_types[i] = type_of(session, info);
  }
}

test_session test_session_open(const OrtApi *api, const char *model, test_session_options options) {
  test_session session = {.api = api};
  OrtSessionOptions *made = NULL;
  test_ort_check(api, api->CreateEnv(ORT_LOGGING_LEVEL_FATAL, "test", &session.env), "CreateEnv");
  test_ort_check(api, api->GetAllocatorWithDefaultOptions(&session.allocator), "allocator");
  test_ort_check(api, api->CreateSessionOptions(&made), "CreateSessionOptions");
  test_ort_check(api, api->SetIntraOpNumThreads(made, options.threads), "threads");
  test_ort_check(api,
                 api->SetSessionGraphOptimizationLevel(made, (GraphOptimizationLevel)options.level),
                 "level");
  if (options.saved)
    test_ort_check(api, api->SetOptimizedModelFilePath(made, options.saved), "saved model");
  for (const char *const *entry = options.config; entry && entry[0]; entry += 2)
    test_ort_check(api, api->AddSessionConfigEntry(made, entry[0], entry[1]), entry[0]);
  test_ort_check(api, api->CreateSession(session.env, model, made, &session.session), "load");
  api->ReleaseSessionOptions(made);
  read_inputs(&session);
  read_outputs(&session);
  return session;
}

void test_session_close(test_session *session) {
  session->api->ReleaseSession(session->session);
  session->api->ReleaseEnv(session->env);
}

OrtValue **test_session_run(const test_session *session, OrtValue *const *inputs) {
  OrtValue **outputs = test_alloc((session->output_count + 1) * sizeof *outputs);
  test_ort_check(
      session->api,
      session->api->Run(session->session, NULL, (const char *const *)session->input_names,
                        (const OrtValue *const *)inputs, session->input_count,
                        (const char *const *)session->output_names, session->output_count, outputs),
      "run");
  return outputs;
}

static OrtValue *tensor_to_ort(const test_session *session, const test_value *value) {
  const OrtApi *api = session->api;
  OrtValue *made = NULL;
  if (value->element->class == TEST_STRING) {
    test_ort_check(api,
                   api->CreateTensorAsOrtValue(session->allocator, value->dims, value->rank,
                                               value->element->type, &made),
                   "string tensor");
    test_ort_check(api,
                   api->FillStringTensor(made, (const char *const *)value->strings, value->count),
                   "FillStringTensor");
    return made;
  }
  OrtMemoryInfo *cpu;
  test_ort_check(api, api->CreateCpuMemoryInfo(OrtArenaAllocator, OrtMemTypeDefault, &cpu), "cpu");
  test_ort_check(api,
                 api->CreateTensorWithDataAsOrtValue(
                     cpu, value->data, test_element_bytes(value->element, value->count),
                     value->dims, value->rank, value->element->type, &made),
                 "tensor");
  api->ReleaseMemoryInfo(cpu);
  return made;
}

OrtValue *test_value_to_ort(const test_session *session, const test_value *value) {
  const OrtApi *api = session->api;
  if (value->kind == TEST_TENSOR) return tensor_to_ort(session, value);
  if (value->kind == TEST_NONE) test_fail("an empty optional has no constructor");
  OrtValue **items = test_alloc((value->item_count + 1) * sizeof *items);
  OrtValue *made = NULL;
  for (size_t i = 0; i < value->item_count; ++i) {
    items[i] = test_value_to_ort(session, &value->items[i]);
  }
  test_ort_check(api,
                 api->CreateValue((const OrtValue *const *)items, value->item_count,
                                  ONNX_TYPE_SEQUENCE, &made),
                 "sequence");
  for (size_t i = 0; i < value->item_count; ++i) api->ReleaseValue(items[i]);
  return made;
}

static void read_strings(const test_session *session, const OrtValue *from, test_value *into) {
  const OrtApi *api = session->api;
  size_t bytes;
  test_ort_check(api, api->GetStringTensorDataLength(from, &bytes), "string length");
  char *text = test_alloc(bytes + 1);
  size_t *offsets = test_alloc((into->count + 1) * sizeof *offsets);
  test_ort_check(api, api->GetStringTensorContent(from, text, bytes, offsets, into->count),
                 "strings");
  offsets[into->count] = bytes;
  into->strings = test_alloc(into->count * sizeof *into->strings);
  for (size_t i = 0; i < into->count; ++i) {
    size_t size = offsets[i + 1] - offsets[i];
    into->strings[i] = test_alloc(size + 1);
    memcpy(into->strings[i], text + offsets[i], size);
  }
}

static test_value tensor_from_ort(const test_session *session, const OrtValue *from) {
  const OrtApi *api = session->api;
  test_value value = {.kind = TEST_TENSOR};
  OrtTensorTypeAndShapeInfo *info;
  ONNXTensorElementDataType type;
  test_ort_check(api, api->GetTensorTypeAndShape(from, &info), "output shape");
  test_ort_check(api, api->GetTensorElementType(info, &type), "output element type");
  test_ort_check(api, api->GetDimensionsCount(info, &value.rank), "output rank");
  test_ort_check(api, api->GetTensorShapeElementCount(info, &value.count), "output size");
  value.dims = test_alloc(value.rank * sizeof *value.dims);
  test_ort_check(api, api->GetDimensions(info, value.dims, value.rank), "output dimensions");
  api->ReleaseTensorTypeAndShapeInfo(info);
  value.element = test_element_of_type(type);
  if (!value.element) test_fail("output of unknown element type %d", (int)type);
  if (value.element->class == TEST_STRING) {
    read_strings(session, from, &value);
    return value;
  }
  size_t bytes = test_element_bytes(value.element, value.count);
  const void *data;
  test_ort_check(api, api->GetTensorData(from, &data), "output data");
  value.data = test_alloc(bytes);
  if (bytes) memcpy(value.data, data, bytes);
  return value;
}

static test_value sequence_from_ort(const test_session *session, const OrtValue *from) {
  const OrtApi *api = session->api;
  test_value value = {.kind = TEST_SEQUENCE};
  test_ort_check(api, api->GetValueCount(from, &value.item_count), "sequence length");
  value.items = test_alloc((value.item_count + 1) * sizeof *value.items);
  for (size_t i = 0; i < value.item_count; ++i) {
    OrtValue *item;
    test_ort_check(api, api->GetValue(from, (int)i, session->allocator, &item), "sequence item");
    value.items[i] = test_value_from_ort(session, item);
    api->ReleaseValue(item);
  }
  return value;
}

test_value test_value_from_ort(const test_session *session, const OrtValue *value) {
  const OrtApi *api = session->api;
  int has_value = 0;
  ONNXType type;
  if (value) test_ort_check(api, api->HasValue(value, &has_value), "HasValue");
  if (!has_value) return (test_value){.kind = TEST_NONE};
  test_ort_check(api, api->GetValueType(value, &type), "output type");
  switch (type) {
  case ONNX_TYPE_TENSOR:
    return tensor_from_ort(session, value);
  case ONNX_TYPE_SEQUENCE:
    return sequence_from_ort(session, value);
  default:
    test_fail("output of ONNXType %d is not read here", (int)type);
  }
}
