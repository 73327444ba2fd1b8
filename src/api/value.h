// Values across the ABI: an OrtValue is a tern_value, so that what a run takes and gives needs no
// translation. An optional that holds something shows as what it holds, as in ONNX Runtime.
#ifndef TERN_API_VALUE_H_
#define TERN_API_VALUE_H_

#include "api/memory.h"
#include "base/value.h"

static inline OrtValue *tern_api_value(tern_value *value) {
  return (OrtValue *)value;
}
static inline tern_value *tern_api_value_get(OrtValue *value) {
  return (tern_value *)value;
}
static inline const tern_value *tern_api_value_view(const OrtValue *value) {
  return (const tern_value *)value;
}

// A shape from the caller's dimensions. Errors: more than TERN_MAX_RANK, a negative size, `dims`
// NULL where `rank` is not 0.
TERN_MUST_USE tern_status *tern_api_shape_set(const int64_t *dims, size_t rank,
                                              tern_shape *out_shape);
// The element type that `type` numbers; an error where there is none.
TERN_MUST_USE tern_status *tern_api_dtype_read(ONNXTensorElementDataType type,
                                               tern_dtype *out_dtype);
// An error where `info` describes memory that the CPU cannot read.
TERN_MUST_USE tern_status *tern_api_memory_check(const OrtMemoryInfo *info);

// An uninitialised tensor whose elements lie in memory of `allocator`. Strings, whose elements are
// objects of this library, always lie in its own.
TERN_MUST_USE tern_status *tern_api_tensor_create(OrtAllocator *allocator, tern_dtype dtype,
                                                  const tern_shape *shape, tern_value **out_value);

// The deleter of values whose data is memory of an OrtAllocator, which is the context.
void tern_api_free_with_allocator(void *deleter_context, void *data);

// Errors that name the entry `where`: `value` is not a tensor; not a tensor of strings.
TERN_MUST_USE tern_status *tern_api_value_require_tensor(const OrtValue *value, const char *where);
TERN_MUST_USE tern_status *tern_api_value_require_strings(const OrtValue *value, const char *where);

#endif
