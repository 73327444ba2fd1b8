// What stands in the tables for entries that do not work: one static function each, stamped from
// the lists in include/ort_entries. Included by table.c alone.
#ifndef TERN_API_STUBS_H_
#define TERN_API_STUBS_H_

#include "api/api.h"

static OrtStatus *not_implemented(const char *table, const char *entry) {
  return tern_api_status(
      TERN_ERROR(TERN_NOT_IMPLEMENTED, "%s::%s is not implemented", table, entry));
}

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-parameter"
#pragma GCC diagnostic ignored "-Wunused-function"

// clang-format off
#define ORT_ENTRY_STATUS(NAME, ...) \
  static OrtStatusPtr ORT_API_CALL ORT_STUB(NAME)(__VA_ARGS__) { \
    return not_implemented(ORT_TABLE, #NAME); \
  }
#define ORT_ENTRY_VALUE(TYPE, NAME, ...) \
  static TYPE ORT_API_CALL ORT_STUB(NAME)(__VA_ARGS__) { return (TYPE)0; }
#define ORT_ENTRY_VOID(NAME, ...) static void ORT_API_CALL ORT_STUB(NAME)(__VA_ARGS__) {}
#define ORT_ENTRY_RELEASE(CLASS) \
  static void ORT_API_CALL ORT_STUB(Release##CLASS)(Ort##CLASS *input) {}

#define ORT_TABLE "OrtApi"
#define ORT_STUB(NAME) stub_##NAME
#include "ort_entries/OrtApi.inc"
#undef ORT_TABLE
#undef ORT_STUB
#define ORT_TABLE "OrtModelEditorApi"
#define ORT_STUB(NAME) stub_model_editor_##NAME
#include "ort_entries/OrtModelEditorApi.inc"
#undef ORT_TABLE
#undef ORT_STUB
#define ORT_TABLE "OrtCompileApi"
#define ORT_STUB(NAME) stub_compile_##NAME
#include "ort_entries/OrtCompileApi.inc"
#undef ORT_TABLE
#undef ORT_STUB
#define ORT_TABLE "OrtInteropApi"
#define ORT_STUB(NAME) stub_interop_##NAME
#include "ort_entries/OrtInteropApi.inc"
#undef ORT_TABLE
#undef ORT_STUB
#define ORT_TABLE "OrtEpApi"
#define ORT_STUB(NAME) stub_ep_##NAME
#include "ort_entries/OrtEpApi.inc"
#undef ORT_TABLE
#undef ORT_STUB
// clang-format on

#undef ORT_ENTRY_STATUS
#undef ORT_ENTRY_VALUE
#undef ORT_ENTRY_VOID
#undef ORT_ENTRY_RELEASE
#pragma GCC diagnostic pop

#endif
