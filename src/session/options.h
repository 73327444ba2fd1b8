// A copy of a session's options, for whoever makes something of them after the session was created.
#ifndef TERN_SESSION_OPTIONS_H_
#define TERN_SESSION_OPTIONS_H_

#include "session/session.h"

typedef struct tern_options_copy {
  tern_session_options options; // of the arena, without what only creating a session is about
  tern_arena arena;
  TERN_ARRAY(tern_value *) values;
} tern_options_copy;

// Copies what import, optimisation and kernels go by; what is kept anyway is borrowed still.
// Without a path to save to, a profile and a flag to stop.
TERN_MUST_USE tern_status *tern_options_copy_make(tern_allocator *allocator,
                                                  const tern_session_options *options,
                                                  tern_options_copy *out_copy);
// Accepts a zeroed copy.
void tern_options_copy_deinit(tern_options_copy *copy);

#endif
