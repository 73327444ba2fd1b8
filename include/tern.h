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
  // What a session is made of, as one JSON object: "inputs", "outputs", "ir_version", "opsets",
  // "operators" after optimisation, "parameters" and "parameter_bytes", "flops" of the latest sizes
  // run ("flops_complete" false: some are not known before a run), "memory", and "placement":
  // provider, kernel, "flops" and "packed_bytes" of each node, and "left_by" where providers of
  // higher priority did not take it: which, and why. "memory" is exact when nothing of the session
  // runs meanwhile, in bytes:
  // - "held", what the session has taken, by use, and "total"; packed weights are here as long as
  //   no other session holds them too, and otherwise in "shared_bytes";
  // - the model's parameters by what became of them: "mapped_bytes" are read where the model's
  //   files are mapped, or the caller's memory lies; "held_bytes" in memory of the session;
  //   "spent_bytes" by nobody any more, because kernels have packed them;
  // - "packed_bytes", shared or not; "plans" kept, and "slab_bytes" of the largest; "frames"
  // pooled. "planning": nanoseconds that runs have spent on it, "plans_made" and "plans_found", and
  // "segments_placed" while running. From `allocator`, NUL-terminated.
  OrtStatus *(ORT_API_CALL *DescribeSession)(const OrtSession *session, OrtAllocator *allocator,
                                             char **out_json);
  // What this library computes with on this machine, as one JSON object: "version", "isa" (in use)
  // and "isas" (that this machine and build have), "features" of the processor, and "kernels" with
  // their shapes. From `allocator`, NUL-terminated.
  OrtStatus *(ORT_API_CALL *DescribeRuntime)(OrtAllocator *allocator, char **out_json);
} TernApi;

// The table for `version`, from 1 to TERN_API_VERSION; NULL for any other. Static.
ORT_EXPORT const TernApi *TernGetApi(uint32_t version) NO_EXCEPTION;

#ifdef __cplusplus
}
#endif
