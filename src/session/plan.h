// A plan: where every slot of a program lives in a run with given input shapes. Made once for each
// set of shapes, cached by the program, const and shared between runs.
#ifndef TERN_SESSION_PLAN_H_
#define TERN_SESSION_PLAN_H_

#include "session/program.h"

typedef enum tern_place {
  TERN_PLACE_RUN,   // made while running: size known only then, strings, other kinds, outputs
  TERN_PLACE_SLAB,  // at an offset of the slab
  TERN_PLACE_VIEW,  // the bytes of slot `source`, seen with another shape
  TERN_PLACE_KNOWN, // computed when planning: the step is skipped
  TERN_PLACE_GIVEN, // constants, inputs, captures: not made by this program
} tern_place;

typedef struct tern_planned_slot {
  tern_place place;
  tern_dtype dtype;     // of SLAB and VIEW, and where the shape is known
  int32_t rank;         // TERN_RANK_UNKNOWN: not known before the run; so of constants too
  const tern_dim *dims; // of the plan's arena
  size_t bytes;         // SLAB, VIEW
  size_t offset;        // SLAB
  int32_t source;       // VIEW
  tern_value *value;    // KNOWN; the plan's reference
} tern_planned_slot;

struct tern_plan {
  _Atomic int32_t references;
  tern_allocator *allocator;
  tern_arena arena;
  const tern_program *program;
  tern_dim *key; // the shapes it was made for
  size_t key_count;
  tern_planned_slot *slots; // one for each of the program's
  bool *skipped;            // one for each step: all its outputs are KNOWN
  bool *is_open;            // one for each step: the shape of an input or output is not known
  size_t slab_bytes;
};

// The plan for a run with these values, from the program's cache or new. `inputs` has one entry for
// each input of the program, `captures` one for each capture; none is NULL. The caller releases it.
TERN_MUST_USE tern_status *tern_plan_get(tern_program *program, const tern_value *const *inputs,
                                         const tern_value *const *captures, tern_plan **out_plan);
// Accepts NULL.
void tern_plan_release(tern_plan *plan);

#endif
