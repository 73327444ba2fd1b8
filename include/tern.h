// What ONNX Runtime's ABI cannot say: Tern's own table. Conventions, handles and statuses are those
// of onnxruntime_c_api.h.
#pragma once
#include "onnxruntime_c_api.h"

#define TERN_API_VERSION 1

#ifdef __cplusplus
extern "C" {
#endif

// Entries are only ever appended; a table for a version has at least that version's entries.
typedef struct TernApi {
  // Tern's own version, "major.minor.patch"; static.
  const char *version_string;
} TernApi;

// The table for `version`, from 1 to TERN_API_VERSION; NULL for any other. Static.
ORT_EXPORT const TernApi *TernGetApi(uint32_t version) NO_EXCEPTION;

#ifdef __cplusplus
}
#endif
