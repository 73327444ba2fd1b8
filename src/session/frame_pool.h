// The pool of a program's frames: as many are kept as runs have used lately, and each with as much
// memory as they have needed. "Lately" counts runs, not time: what is kept is the same whenever the
// same is run.
#ifndef TERN_SESSION_FRAME_POOL_H_
#define TERN_SESSION_FRAME_POOL_H_

#include "session/frame.h"

// A pooled frame goes when this many others have been given back since its last use; those of a
// subprogram when the main program has run as often without them.
enum { TERN_FRAME_POOL_USES = 64 };

// The pooled frame used last, or a new one.
TERN_MUST_USE tern_status *tern_frame_acquire(tern_program *program, tern_frame **out_frame);
// Gives a frame back, after tern_frame_clear.
void tern_frame_give_back(tern_program *program, tern_frame *frame);
// Destroys the pooled frames of a program and of those inside it. Any thread, also while frames are
// in use.
void tern_frame_pool_drop(tern_program *program);

#endif
