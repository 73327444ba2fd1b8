// Running a program.
#ifndef TERN_SESSION_EXECUTOR_H_
#define TERN_SESSION_EXECUTOR_H_

#include "session/frame.h"
#include "session/lanes.h"
#include "session/profiler.h"

// What all programs of one run share.
typedef struct tern_run {
  tern_allocator *allocator;
  const _Atomic bool *terminate; // NULL: cannot be asked to stop
  tern_profiler *profiler;       // NULL: not profiled
  int32_t depth;                 // of subgraphs inside subgraphs
  // Who helps kernels, and steps that do not need each other: NULL, nobody. Both stop with
  // `terminate`.
  const tern_parallel *parallel, *branches;
  tern_lanes *lanes; // of the providers at work; NULL where none but the last has any
} tern_run;

enum { TERN_MAX_RUN_DEPTH = 256 };

// One run of one program.
typedef struct tern_execution {
  tern_program *program;
  tern_run *run;
  tern_frame *frame;
  const tern_frame *around; // of the program whose step runs this one; NULL for the main graph
  const tern_value *const *inputs;
  tern_value **given;    // by output of the program: outputs.h
  const tern_step *step; // at work
  tern_invoke invoke;    // of its kernel
} tern_execution;

// The lane of the step at work; NULL without.
static inline tern_lane *tern_execution_lane(const tern_execution *execution) {
  tern_lanes *lanes = execution->run->lanes;
  return lanes ? &lanes->lanes[execution->step->placement->index] : NULL;
}

// Runs the main graph's program. `inputs` has one value for each input (borrowed). `inout_outputs`
// has one entry for each output: NULL gets a new reference; a tensor given by the caller is written
// in place and must have the result's type and shape. On an error the entries are as before.
TERN_MUST_USE tern_status *tern_program_run(tern_program *program, tern_run *run,
                                            const tern_value *const *inputs,
                                            tern_value **inout_outputs);

#endif
