// What one run of a program works in: the current value of every slot, the slab, scratch memory.
// Frames are pooled by their program.
#ifndef TERN_SESSION_FRAME_H_
#define TERN_SESSION_FRAME_H_

#include "session/invoke.h"
#include "session/plan.h"

struct tern_frame {
  const tern_program *program;
  tern_plan *plan;     // of the run under way
  tern_value **values; // by slot; NULL: not made, or gone
  tern_value *headers; // by slot: the value itself where it lives in the slab or is a view
  char *slab;
  size_t slab_bytes;
  tern_scratch scratch;
  // For the step at work, with room for the largest.
  const tern_value **inputs;
  tern_value **outputs;
  tern_type *types;            // inputs, then outputs
  const tern_type **type_list; // of the inputs
};

// A frame from the program's pool, or a new one.
TERN_MUST_USE tern_status *tern_frame_acquire(tern_program *program, tern_frame **out_frame);
// Gives a frame back: its values are released first.
void tern_frame_give_back(tern_program *program, tern_frame *frame);
// Destroys the pooled frames of a program and of those inside it.
void tern_frame_drop_pooled(tern_program *program);
// Accepts NULL.
void tern_frame_destroy(tern_frame *frame);
// Makes the slab hold at least the plan's bytes.
TERN_MUST_USE tern_status *tern_frame_reserve(tern_frame *frame, size_t slab_bytes);
// Whether slot `slot` holds a reference that the frame must release.
bool tern_frame_owns(const tern_frame *frame, int32_t slot);

#endif
