// Sizing: the types of what steps will make, from what is known when they are reached. One walk
// serves the first segment, from the inputs' shapes, and later ones, from what has run by then.
// Results stay in the frame; in the next run only what depends on something that changed is worked
// out again.
#ifndef TERN_SESSION_SIZE_H_
#define TERN_SESSION_SIZE_H_

#include "session/frame.h"

// How far a walk came.
typedef struct tern_sized {
  int32_t end;  // the first step that has to wait for something to run; step_count: none
  bool changed; // whether a type, or which steps are skipped, is not what it was; also on failure
  bool waits_for_elements; // of its inputs; otherwise for their types
} tern_sized;

// Tells the frame a value that is given to the run: an input or a capture.
TERN_MUST_USE tern_status *tern_size_given(tern_frame *frame, int32_t slot,
                                           const tern_value *value);
// Sizes steps from `begin` on. `has_run`: the steps before `begin` have run, and their values may
// be read; otherwise only those that the key of the plan has (tern_slot's `reaches_shape`).
TERN_MUST_USE tern_status *tern_size_steps(tern_frame *frame, int32_t begin, bool has_run,
                                           tern_sized *out_sized);
// After a kernel has made `slot` while running.
void tern_size_made(tern_frame *frame, int32_t slot);

// Puts a tensor's type into a header. Returns whether it was another.
bool tern_size_set_type(tern_value *header, tern_dtype dtype, const tern_shape *shape,
                        size_t bytes);

// Whether a value is one that sizes may follow from.
bool tern_size_is_small(const tern_value *value);

// Whether all that matters of the step's input `index` is its shape.
bool tern_size_is_shape_only(const tern_step *step, int32_t index);

// A walk stopped at `sized->end` for want of elements. Marks what they are computed from, where
// that is small values only: inputs and captures for the key, and steps that a later segment
// computes before their turn. Returns whether an input or a capture is among them that was not
// before.
TERN_MUST_USE tern_status *tern_size_learn(const tern_frame *frame, int32_t begin, bool has_run,
                                           const tern_sized *sized, bool *out_learned);

#endif
