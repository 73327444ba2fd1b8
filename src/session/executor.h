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

// Runs `program`. `inputs` has one value for each input (borrowed); `around` is the frame of the
// program whose step runs this one, NULL for the main graph. `inout_outputs` has one entry for each
// output: NULL gets a new reference; a tensor given by the caller is written in place and must have
// the result's type and shape. On an error nothing is left in entries that were NULL.
TERN_MUST_USE tern_status *tern_program_run(tern_program *program, tern_run *run,
                                            const tern_value *const *inputs,
                                            const tern_frame *around, tern_value **inout_outputs);

#endif
