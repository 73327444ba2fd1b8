// The prototype of every entry of the ABI's tables, stamped from the lists in include/ort_entries.
// Declaring is not defining: implemented.h says which exist.
#ifndef TERN_API_PROTOTYPES_H_
#define TERN_API_PROTOTYPES_H_

#include "onnxruntime_c_api.h"

// clang-format off
#define ORT_ENTRY_STATUS(NAME, ...) \
  OrtStatusPtr ORT_API_CALL ORT_ENTRY_NAME(NAME)(__VA_ARGS__) ORT_MUST_USE_RESULT;
#define ORT_ENTRY_VALUE(TYPE, NAME, ...) TYPE ORT_API_CALL ORT_ENTRY_NAME(NAME)(__VA_ARGS__);
#define ORT_ENTRY_VOID(NAME, ...) void ORT_API_CALL ORT_ENTRY_NAME(NAME)(__VA_ARGS__);
#define ORT_ENTRY_RELEASE(CLASS) void ORT_API_CALL ORT_ENTRY_NAME(Release##CLASS)(Ort##CLASS *input);

#define ORT_ENTRY_NAME(NAME) ort_##NAME
#include "ort_entries/OrtApi.inc"
#undef ORT_ENTRY_NAME
#define ORT_ENTRY_NAME(NAME) ort_model_editor_##NAME
#include "ort_entries/OrtModelEditorApi.inc"
#undef ORT_ENTRY_NAME
#define ORT_ENTRY_NAME(NAME) ort_compile_##NAME
#include "ort_entries/OrtCompileApi.inc"
#undef ORT_ENTRY_NAME
#define ORT_ENTRY_NAME(NAME) ort_interop_##NAME
#include "ort_entries/OrtInteropApi.inc"
#undef ORT_ENTRY_NAME
#define ORT_ENTRY_NAME(NAME) ort_ep_##NAME
#include "ort_entries/OrtEpApi.inc"
#undef ORT_ENTRY_NAME
// clang-format on

#undef ORT_ENTRY_STATUS
#undef ORT_ENTRY_VALUE
#undef ORT_ENTRY_VOID
#undef ORT_ENTRY_RELEASE

#endif
