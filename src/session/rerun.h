// What makes it possible to do a run again from its start: its inputs are as they were. A caller's
// tensor for an output that shares memory with an input is filled at the end only.
#ifndef TERN_SESSION_RERUN_H_
#define TERN_SESSION_RERUN_H_

#include "base/value.h"

typedef struct tern_rerun {
  tern_allocator *allocator;
  tern_value **given;   // the caller's outputs
  tern_value **outputs; // what to run with: `given` itself where no memory is shared
  size_t count;
} tern_rerun;

// Everything is borrowed until the end. NULL stands for omitted inputs and outputs to be made.
TERN_MUST_USE tern_status *tern_rerun_begin(tern_allocator *allocator,
                                            const tern_value *const *inputs, size_t input_count,
                                            tern_value **given, size_t output_count,
                                            tern_rerun *out_rerun);
// Fills the caller's outputs after a run that ended with `status`, and returns what the caller
// gets to know.
TERN_MUST_USE tern_status *tern_rerun_end(tern_rerun *rerun, tern_status *status);

#endif
