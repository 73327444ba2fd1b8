// Plans: what a frame has worked out for the first segment of a program, kept for runs with the
// same key in other frames. The key are the types of inputs and captures, and the elements of those
// that sizes follow from.
#ifndef TERN_SESSION_PLAN_H_
#define TERN_SESSION_PLAN_H_

#include "session/frame.h"

// Const and shared between runs; one block of memory, so that its size is known to the byte.
struct tern_plan {
  _Atomic int32_t references;
  tern_allocator *allocator;
  size_t bytes; // of the plan itself, with everything behind it
  uint64_t key_hash;
  const int64_t *key;
  size_t key_count;
  int32_t end; // of the first segment
  size_t slab_bytes;
  const struct tern_plan_slot *slots; // of the program's
  const uint8_t *flags;               // of steps [0, end)
};

typedef struct tern_plan_slot {
  const tern_dim *dims; // NULL: the type is not known before the run, or of rank 0
  const void *known;    // KNOWN: the elements
  size_t offset;        // in the slab, of the buffer founded here
  size_t bytes;
  int32_t rank; // TERN_RANK_UNKNOWN: not known before the run
  int32_t buffer, last, output;
  uint8_t place, dtype;
  bool is_made;
} tern_plan_slot;

// Makes the frame ready for a run on these values: `inputs` has one entry for each input of the
// program, `captures` one for each capture; none is NULL. Its first segment is sized and placed, by
// a plan of the program's cache where there is one. `is_cached` false keeps out of the cache: for
// the iterations of a loop, whose shapes may be new each time.
TERN_MUST_USE tern_status *tern_plan_prepare(tern_program *program, tern_frame *frame,
                                             const tern_value *const *inputs,
                                             const tern_value *const *captures, bool is_cached);

// The plan used last, with a reference for the caller; NULL without.
tern_plan *tern_plan_latest(tern_program *program);
// Accepts NULL.
void tern_plan_release(tern_plan *plan);

#endif
