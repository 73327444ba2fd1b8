// The memory planner: gives each buffer an offset in one slab so that buffers alive at the same
// time do not overlap. Knows sizes and lifetimes, nothing of graphs.
//
// Greedy by size: the largest buffer first, each at the lowest offset where it fits between those
// placed before (Pisarchyk and Lee, "Efficient Memory Management for Deep Neural Net Inference",
// 2020, section 5.2).
#ifndef TERN_SESSION_MEMORY_PLAN_H_
#define TERN_SESSION_MEMORY_PLAN_H_

#include "base/allocator.h"

// One buffer, alive from step `first` to step `last`, both included.
typedef struct tern_buffer_usage {
  size_t bytes; // 0: gets offset 0 and no room
  int32_t first, last;
  size_t offset; // out: a multiple of TERN_BUFFER_ALIGNMENT
} tern_buffer_usage;

// Sets every offset and *out_bytes, the size of the slab. An error when sizes overflow or memory
// runs out.
TERN_MUST_USE tern_status *tern_memory_plan(tern_buffer_usage *usages, size_t count,
                                            size_t *out_bytes);

#endif
