// The CPU allocator that callers are given. OrtAllocator frees without a size, so each block starts
// with its own, in front of the aligned bytes.
#include <stdatomic.h>
#include <stdio.h>

#include "api/memory.h"
#include "api/pairs.h"
#include "base/checked.h"

typedef struct cpu_allocator {
  OrtAllocator base;
  _Atomic int64_t live_bytes, peak_bytes, largest_bytes, allocations;
} cpu_allocator;

static void count_block(cpu_allocator *self, int64_t size) {
  int64_t live = atomic_fetch_add(&self->live_bytes, size) + size;
  int64_t peak = atomic_load(&self->peak_bytes), largest = atomic_load(&self->largest_bytes);
  while (live > peak && !atomic_compare_exchange_weak(&self->peak_bytes, &peak, live)) {
  }
  while (size > largest && !atomic_compare_exchange_weak(&self->largest_bytes, &largest, size)) {
  }
  atomic_fetch_add(&self->allocations, 1);
}

static void *allocate(OrtAllocator *this_, size_t size) {
  size_t total;
  void *block;
  if (size == 0 || !tern_checked_add(size, TERN_BUFFER_ALIGNMENT, &total)) return NULL;
  tern_status *status = tern_allocator_alloc(tern_allocator_system(), total, &block);
  if (status) {
    tern_status_free(status);
    return NULL;
  }
  *(size_t *)block = total;
  count_block((cpu_allocator *)this_, (int64_t)size);
  return (char *)block + TERN_BUFFER_ALIGNMENT;
}

static void release(OrtAllocator *this_, void *p) {
  if (!p) return;
  void *block = (char *)p - TERN_BUFFER_ALIGNMENT;
  size_t total = *(size_t *)block;
  atomic_fetch_sub(&((cpu_allocator *)this_)->live_bytes, (int64_t)(total - TERN_BUFFER_ALIGNMENT));
  tern_allocator_free(tern_allocator_system(), block, total);
}

static const OrtMemoryInfo *get_info(const OrtAllocator *this_) {
  (void)this_;
  return tern_api_cpu_memory_info();
}

static tern_status *add_stat(OrtKeyValuePairs *pairs, const char *key, int64_t value) {
  char text[24];
  snprintf(text, sizeof text, "%lld", (long long)value);
  return tern_api_pairs_set(pairs, key, text);
}

static tern_status *add_stats(const cpu_allocator *self, OrtKeyValuePairs *pairs) {
  TERN_TRY(add_stat(pairs, "InUse", self->live_bytes));
  TERN_TRY(add_stat(pairs, "TotalAllocated", self->live_bytes));
  TERN_TRY(add_stat(pairs, "MaxInUse", self->peak_bytes));
  TERN_TRY(add_stat(pairs, "MaxAllocSize", self->largest_bytes));
  return add_stat(pairs, "NumAllocs", self->allocations);
}

static OrtStatus *get_stats(const OrtAllocator *this_, OrtKeyValuePairs **out) {
  OrtKeyValuePairs *pairs;
  TERN_API_TRY(tern_api_pairs_create(NULL, &pairs));
  tern_status *status = add_stats((const cpu_allocator *)this_, pairs);
  if (status) {
    ort_ReleaseKeyValuePairs(pairs);
    return tern_api_status(status);
  }
  *out = pairs;
  return NULL;
}

// It keeps nothing that could be given back.
static OrtStatus *shrink(OrtAllocator *this_) {
  (void)this_;
  return NULL;
}

#define CPU_ALLOCATOR                                                                              \
  {                                                                                                \
    .version = ORT_API_VERSION, .Alloc = allocate, .Free = release, .Info = get_info,              \
    .Reserve = allocate, .GetStats = get_stats, .Shrink = shrink                                   \
  }

static cpu_allocator process_allocator = {.base = CPU_ALLOCATOR};

OrtAllocator *tern_api_cpu_allocator(void) {
  return &process_allocator.base;
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
  cpu_allocator *allocator;
  TERN_API_TRY(TERN_NEW(tern_allocator_system(), &allocator));
  allocator->base = (OrtAllocator)CPU_ALLOCATOR;
  *out = &allocator->base;
  return NULL;
}

void ort_ReleaseAllocator(OrtAllocator *input) {
  if (!input || input == tern_api_cpu_allocator()) return;
  TERN_DELETE(tern_allocator_system(), (cpu_allocator *)input);
}
