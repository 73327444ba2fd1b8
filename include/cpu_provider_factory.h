// The CPU provider as an exported function. Every session has this provider last anyway.
#pragma once
#include "onnxruntime_c_api.h"

#ifdef __cplusplus
extern "C" {
#endif

// `use_arena`: 0 turns the CPU arena off.
ORT_EXPORT ORT_API_STATUS(OrtSessionOptionsAppendExecutionProvider_CPU, OrtSessionOptions *options,
                          int use_arena);

#ifdef __cplusplus
}
#endif
