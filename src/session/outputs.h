// Values that leave a run, and other memory that a step's outputs get only when its turn comes.
#ifndef TERN_SESSION_OUTPUTS_H_
#define TERN_SESSION_OUTPUTS_H_

#include "session/executor.h"

// An entry of execution.given is NULL, or
// - in the main graph, the caller's tensor for an output: borrowed, and written in place;
// - in a subgraph, a reference to an output of an earlier run that is given up: its memory becomes
//   the new output's where it fits and nobody else holds it.

// Gives the outputs of the step at work that have no memory yet theirs: of tensors that leave the
// run, of views of what has been made meanwhile. What the kernel makes itself stays NULL.
TERN_MUST_USE tern_status *tern_outputs_bind(tern_execution *execution);
// A tensor for output `output` of the step at work, whose type the kernel has found; a new
// reference. `self` is the execution.
TERN_MUST_USE tern_status *tern_outputs_make(void *self, int32_t output, tern_dtype dtype,
                                             const tern_shape *shape, tern_value **out_value);
// After the last step: puts the program's outputs into `inout_outputs`, a reference for each entry
// that the caller has not given. On an error nothing is changed there.
TERN_MUST_USE tern_status *tern_outputs_take(tern_execution *execution, tern_value **inout_outputs);

#endif
