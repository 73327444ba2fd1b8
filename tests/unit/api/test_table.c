// The library as a program sees it: what it exports, the versions it answers, and entries that do
// not work.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include <dlfcn.h>

#include "tern.h"

static void versions_answer_one_table(void **state) {
  (void)state;
  const OrtApiBase *base = OrtGetApiBase();
  assert_string_equal(base->GetVersionString(), "1.30.0");
  const OrtApi *api = base->GetApi(1);
  assert_non_null(api);
  for (uint32_t version = 1; version <= ORT_API_VERSION; ++version)
    assert_ptr_equal(base->GetApi(version), api);
  assert_null(base->GetApi(0));
  assert_null(base->GetApi(ORT_API_VERSION + 1));
}

static void no_entry_is_null(void **state) {
  (void)state;
  const OrtApi *api = OrtGetApiBase()->GetApi(ORT_API_VERSION);
  void *const none = NULL;
  const struct {
    const void *table;
    size_t size;
  } tables[] = {{api, sizeof *api},
                {api->GetModelEditorApi(), sizeof(OrtModelEditorApi)},
                {api->GetCompileApi(), sizeof(OrtCompileApi)},
                {api->GetInteropApi(), sizeof(OrtInteropApi)},
                {api->GetEpApi(), sizeof(OrtEpApi)}};
  for (size_t t = 0; t < sizeof tables / sizeof tables[0]; ++t) {
    assert_non_null(tables[t].table);
    for (size_t at = 0; at < tables[t].size; at += sizeof none)
      assert_memory_not_equal((const char *)tables[t].table + at, &none, sizeof none);
  }
}

static void missing_entries_say_their_name(void **state) {
  (void)state;
  const OrtApi *api = OrtGetApiBase()->GetApi(ORT_API_VERSION);
  OrtStatus *status = api->SetCurrentGpuDeviceId(0);
  assert_non_null(status);
  assert_int_equal(api->GetErrorCode(status), ORT_NOT_IMPLEMENTED);
  assert_non_null(strstr(api->GetErrorMessage(status), "OrtApi::SetCurrentGpuDeviceId"));
  api->ReleaseStatus(status);
  assert_null(api->GetTrainingApi(ORT_API_VERSION));
  api->ReleaseCANNProviderOptions(NULL);
}

static void earlier_releases_are_served(void **state) {
  (void)state;
  void *library = dlopen("libonnxruntime.so.1", RTLD_NOW);
  if (!library) fail_msg("%s", dlerror());
  static const char *const versions[] = {"VERS_1.8.1",  "VERS_1.17.3", "VERS_1.18.1",
                                         "VERS_1.20.1", "VERS_1.22.2", "VERS_1.23.2",
                                         "VERS_1.24.4", "VERS_1.30.0"};
  for (size_t i = 0; i < sizeof versions / sizeof versions[0]; ++i) {
    const OrtApiBase *(*get)(void);
    void *symbol = dlvsym(library, "OrtGetApiBase", versions[i]);
    assert_non_null(symbol);
    memcpy(&get, &symbol, sizeof get);
    assert_string_equal(get()->GetVersionString(), "1.30.0");
  }
  assert_non_null(dlvsym(library, "TernGetApi", "TERN_1"));
  assert_null(dlsym(library, "tern_status_create"));
  assert_null(dlsym(library, "ort_CreateStatus"));
  dlclose(library);
}

static void own_table(void **state) {
  (void)state;
  assert_non_null(TernGetApi(1));
  assert_non_null(strchr(TernGetApi(1)->version_string, '.'));
  assert_null(TernGetApi(0));
  assert_null(TernGetApi(TERN_API_VERSION + 1));
}

static void absent_providers_answer_an_error(void **state) {
  (void)state;
  const OrtApi *api = OrtGetApiBase()->GetApi(ORT_API_VERSION);
  OrtStatus *status = OrtSessionOptionsAppendExecutionProvider_CUDA(NULL, 0);
  assert_non_null(status);
  assert_int_equal(api->GetErrorCode(status), ORT_NOT_IMPLEMENTED);
  api->ReleaseStatus(status);
}

static void statuses_carry_code_and_message(void **state) {
  (void)state;
  const OrtApi *api = OrtGetApiBase()->GetApi(ORT_API_VERSION);
  char message[] = "the message";
  OrtStatus *status = api->CreateStatus(ORT_EP_FAIL, message);
  memset(message, 'x', sizeof message - 1);
  assert_int_equal(api->GetErrorCode(status), ORT_EP_FAIL);
  assert_string_equal(api->GetErrorMessage(status), "the message");
  api->ReleaseStatus(status);
  api->ReleaseStatus(NULL);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(versions_answer_one_table),
      cmocka_unit_test(no_entry_is_null),
      cmocka_unit_test(missing_entries_say_their_name),
      cmocka_unit_test(earlier_releases_are_served),
      cmocka_unit_test(own_table),
      cmocka_unit_test(absent_providers_answer_an_error),
      cmocka_unit_test(statuses_carry_code_and_message),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
