// Preparing the kernel of one step.
#ifndef TERN_SESSION_PREPARE_H_
#define TERN_SESSION_PREPARE_H_

#include "session/program.h"

// `step` has its node and placement; gets its kernel. The error for a node that nobody runs has the
// providers' reasons.
TERN_MUST_USE tern_status *tern_step_prepare(tern_program *program,
                                             const tern_program_options *options, tern_step *step);

#endif
