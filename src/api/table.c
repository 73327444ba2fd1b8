// The ABI's tables: a stub in every entry, replaced by the function of that name where
// implemented.h lists one. OrtGetApiBase hands them out, the same for every version.
#include "api/api.h"
#include "api/implemented.h"
#include "api/stubs.h"
#include "base/macros.h"

// A later initializer replaces an earlier one: that is how the tables are built.
#pragma GCC diagnostic ignored "-Woverride-init"

// clang-format off
#define ORT_ENTRY_STATUS(NAME, ...) .NAME = ORT_STUB(NAME),
#define ORT_ENTRY_VALUE(TYPE, NAME, ...) .NAME = ORT_STUB(NAME),
#define ORT_ENTRY_VOID(NAME, ...) .NAME = ORT_STUB(NAME),
#define ORT_ENTRY_RELEASE(CLASS) .Release##CLASS = ORT_STUB(Release##CLASS),

static const OrtApi api = {
#define ORT_STUB(NAME) stub_##NAME
#include "ort_entries/OrtApi.inc"
#undef ORT_STUB
#define X(NAME) .NAME = ort_##NAME,
  ORT_API_IMPLEMENTED(X)
#undef X
};

static const OrtModelEditorApi model_editor_api = {
#define ORT_STUB(NAME) stub_model_editor_##NAME
#include "ort_entries/OrtModelEditorApi.inc"
#undef ORT_STUB
#define X(NAME) .NAME = ort_model_editor_##NAME,
  ORT_MODEL_EDITOR_API_IMPLEMENTED(X)
#undef X
};

static const OrtCompileApi compile_api = {
#define ORT_STUB(NAME) stub_compile_##NAME
#include "ort_entries/OrtCompileApi.inc"
#undef ORT_STUB
#define X(NAME) .NAME = ort_compile_##NAME,
  ORT_COMPILE_API_IMPLEMENTED(X)
#undef X
};

static const OrtInteropApi interop_api = {
#define ORT_STUB(NAME) stub_interop_##NAME
#include "ort_entries/OrtInteropApi.inc"
#undef ORT_STUB
#define X(NAME) .NAME = ort_interop_##NAME,
  ORT_INTEROP_API_IMPLEMENTED(X)
#undef X
};

static const OrtEpApi ep_api = {
#define ORT_STUB(NAME) stub_ep_##NAME
#include "ort_entries/OrtEpApi.inc"
#undef ORT_STUB
#define X(NAME) .NAME = ort_ep_##NAME,
  ORT_EP_API_IMPLEMENTED(X)
#undef X
};

#undef ORT_ENTRY_STATUS
#undef ORT_ENTRY_VALUE
#undef ORT_ENTRY_VOID
#undef ORT_ENTRY_RELEASE

// Every entry with whether its slot still holds the stub.
#define ORT_ENTRY_STATUS(NAME, ...) {ORT_TABLE_NAME, #NAME, ORT_TABLE.NAME != ORT_STUB(NAME)},
#define ORT_ENTRY_VALUE(TYPE, NAME, ...) ORT_ENTRY_STATUS(NAME)
#define ORT_ENTRY_VOID(NAME, ...) ORT_ENTRY_STATUS(NAME)
#define ORT_ENTRY_RELEASE(CLASS) ORT_ENTRY_STATUS(Release##CLASS)

bool tern_api_get_entry(size_t index, tern_api_entry *out_entry) {
  const tern_api_entry entries[] = {
#define ORT_TABLE_NAME "OrtApi"
#define ORT_TABLE api
#define ORT_STUB(NAME) stub_##NAME
#include "ort_entries/OrtApi.inc"
#undef ORT_TABLE_NAME
#undef ORT_TABLE
#undef ORT_STUB
#define ORT_TABLE_NAME "OrtModelEditorApi"
#define ORT_TABLE model_editor_api
#define ORT_STUB(NAME) stub_model_editor_##NAME
#include "ort_entries/OrtModelEditorApi.inc"
#undef ORT_TABLE_NAME
#undef ORT_TABLE
#undef ORT_STUB
#define ORT_TABLE_NAME "OrtCompileApi"
#define ORT_TABLE compile_api
#define ORT_STUB(NAME) stub_compile_##NAME
#include "ort_entries/OrtCompileApi.inc"
#undef ORT_TABLE_NAME
#undef ORT_TABLE
#undef ORT_STUB
#define ORT_TABLE_NAME "OrtInteropApi"
#define ORT_TABLE interop_api
#define ORT_STUB(NAME) stub_interop_##NAME
#include "ort_entries/OrtInteropApi.inc"
#undef ORT_TABLE_NAME
#undef ORT_TABLE
#undef ORT_STUB
#define ORT_TABLE_NAME "OrtEpApi"
#define ORT_TABLE ep_api
#define ORT_STUB(NAME) stub_ep_##NAME
#include "ort_entries/OrtEpApi.inc"
#undef ORT_TABLE_NAME
#undef ORT_TABLE
#undef ORT_STUB
  };
  // clang-format on
  if (index >= TERN_COUNT_OF(entries)) return false;
  *out_entry = entries[index];
  return true;
}

const char *ort_GetBuildInfoString(void) {
  return "ORT Build Info: tern " TERN_VERSION ", ABI of ONNX Runtime " TERN_API_ORT_VERSION;
}

const OrtModelEditorApi *ort_GetModelEditorApi(void) {
  return &model_editor_api;
}

const OrtCompileApi *ort_GetCompileApi(void) {
  return &compile_api;
}

const OrtInteropApi *ort_GetInteropApi(void) {
  return &interop_api;
}

const OrtEpApi *ort_GetEpApi(void) {
  return &ep_api;
}

static const OrtApi *get_api(uint32_t version) {
  return version >= 1 && version <= ORT_API_VERSION ? &api : NULL;
}

static const char *get_version_string(void) {
  return TERN_API_ORT_VERSION;
}

const OrtApiBase *tern_api_base(void) {
  static const OrtApiBase base = {.GetApi = get_api, .GetVersionString = get_version_string};
  return &base;
}
