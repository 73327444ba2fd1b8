// Which entries of the ABI's tables work. Everything not named here is stamped by stubs.h: a status
// that names the entry, or nothing, NULL or 0. A file of src/api defines an entry as ort_<entry>
// (ort_model_editor_<entry> for OrtModelEditorApi, and so on), with the prototype of the table.
#ifndef TERN_API_IMPLEMENTED_H_
#define TERN_API_IMPLEMENTED_H_

// clang-format off
#define ORT_API_IMPLEMENTED(X) \
  /* status.c */ \
  X(CreateStatus) X(GetErrorCode) X(GetErrorMessage) X(ReleaseStatus) \
  /* table.c */ \
  X(GetBuildInfoString) X(GetModelEditorApi) X(GetCompileApi) X(GetEpApi) X(GetInteropApi)

#define ORT_MODEL_EDITOR_API_IMPLEMENTED(X)
#define ORT_COMPILE_API_IMPLEMENTED(X)
#define ORT_INTEROP_API_IMPLEMENTED(X)
#define ORT_EP_API_IMPLEMENTED(X)
// clang-format on

#endif
