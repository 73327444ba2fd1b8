// Memory as callers describe it, and the allocators they are given.
#ifndef TERN_API_MEMORY_H_
#define TERN_API_MEMORY_H_

#include "api/api.h"

// Where memory is; what two memory infos must share to be interchangeable.
struct OrtMemoryDevice {
  OrtMemoryInfoDeviceType type;
  OrtDeviceMemoryType memory_type;
  uint32_t vendor_id; // PCI; 0 for the CPU
  int32_t device_id;
  size_t alignment; // bytes; 0: the default
};

struct OrtMemoryInfo {
  char *name; // "Cpu", "Cuda" …
  OrtAllocatorType allocator_type;
  OrtMemType mem_type;
  struct OrtMemoryDevice device;
};

// The CPU's, static.
const OrtMemoryInfo *tern_api_cpu_memory_info(void);
bool tern_api_memory_info_equal(const OrtMemoryInfo *a, const OrtMemoryInfo *b);
TERN_MUST_USE tern_status *tern_api_memory_info_copy(const OrtMemoryInfo *info,
                                                     OrtMemoryInfo **out_info);
// The process's CPU allocator: buffers aligned to TERN_BUFFER_ALIGNMENT, on the system allocator.
OrtAllocator *tern_api_cpu_allocator(void);

// Limits and growth of an arena, in bytes; -1 (0 for max_bytes) keeps a default.
struct OrtArenaCfg {
  size_t max_bytes;
  int64_t extend_strategy, initial_chunk_bytes, max_dead_bytes_per_chunk,
      initial_growth_chunk_bytes, max_power_of_two_extend_bytes;
};

#endif
