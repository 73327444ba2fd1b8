// Allocators as callers see them. All of the library's are arenas (api/arena.h).
#include "api/arena.h"
#include "api/memory.h"
#include "api/pairs.h"
#include "api/session.h"

OrtAllocator *tern_api_cpu_allocator(void) {
  return tern_api_arena_allocator(tern_api_arena_of_process());
}

OrtStatus *ort_GetAllocatorWithDefaultOptions(OrtAllocator **out) {
  TERN_API_REQUIRE(out);
  *out = tern_api_cpu_allocator();
  return NULL;
}

OrtStatus *ort_AllocatorAlloc(OrtAllocator *ort_allocator, size_t size, void **out) {
  TERN_API_REQUIRE(ort_allocator);
  TERN_API_REQUIRE(out);
  void *p = ort_allocator->Alloc(ort_allocator, size);
  if (!p && size > 0) return tern_api_status(tern_status_out_of_memory());
  *out = p;
  return NULL;
}

OrtStatus *ort_AllocatorFree(OrtAllocator *ort_allocator, void *p) {
  TERN_API_REQUIRE(ort_allocator);
  ort_allocator->Free(ort_allocator, p);
  return NULL;
}

OrtStatus *ort_AllocatorGetInfo(const OrtAllocator *ort_allocator, const OrtMemoryInfo **out) {
  TERN_API_REQUIRE(ort_allocator);
  TERN_API_REQUIRE(out);
  *out = ort_allocator->Info(ort_allocator);
  return NULL;
}

OrtStatus *ort_AllocatorGetStats(const OrtAllocator *ort_allocator, OrtKeyValuePairs **out) {
  TERN_API_REQUIRE(ort_allocator);
  TERN_API_REQUIRE(out);
  if (ort_allocator->version >= 23 && ort_allocator->GetStats)
    return ort_allocator->GetStats(ort_allocator, out);
  return tern_api_status(tern_api_pairs_create(NULL, out));
}

OrtStatus *ort_CreateAllocator(const OrtSession *session, const OrtMemoryInfo *mem_info,
                               OrtAllocator **out) {
  TERN_API_REQUIRE(session);
  TERN_API_REQUIRE(mem_info);
  TERN_API_REQUIRE(out);
  if (mem_info->device.type != OrtMemoryInfoDeviceType_CPU)
    return tern_api_status(TERN_ERROR(
        TERN_INVALID_ARGUMENT, "the session has no allocator for memory \"%s\"", mem_info->name));
  *out = tern_api_arena_allocator(tern_api_arena_retain(session->arena));
  return NULL;
}

void ort_ReleaseAllocator(OrtAllocator *input) {
  if (input && input != tern_api_cpu_allocator()) tern_api_arena_release(tern_api_arena_of(input));
}
