// A core: a model and the program made from it, ready to run. A session is made of a core and what
// its callers ask it for.
#ifndef TERN_SESSION_CORE_H_
#define TERN_SESSION_CORE_H_

#include "session/source.h"

typedef struct tern_core {
  tern_account *account;
  tern_model *model;
  tern_packed_store *packed_store;
  tern_program *program;
} tern_core;

// Imports, optimises, lowers and prepares what `source` holds; it and `account` must outlive the
// core. `options` are borrowed for the call. `profiler`, or NULL, is told how long the phases take.
TERN_MUST_USE tern_status *tern_core_create(tern_account *account, const tern_source *source,
                                            const tern_session_options *options,
                                            tern_profiler *profiler, tern_core **out_core);
// Accepts NULL and half-built cores. No run may be under way.
void tern_core_destroy(tern_core *core);

#endif
