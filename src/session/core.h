// A core: a model and the program made from it, ready to run. A session is made of a core and what
// its callers ask it for.
#ifndef TERN_SESSION_CORE_H_
#define TERN_SESSION_CORE_H_

#include "session/partition.h"
#include "session/roster.h"
#include "session/source.h"

typedef struct tern_core {
  tern_account *account;
  tern_model *model;
  tern_packed_store *packed_store;
  tern_partition partition;
  tern_program *program;
} tern_core;

// What a core is made of. Everything but the source, the providers and the account is borrowed
// for the call.
typedef struct tern_core_args {
  tern_account *account; // outlives the core
  const tern_source *source;
  const tern_session_options *options;
  const tern_roster *roster;
  tern_profiler *profiler; // told how long the phases take; NULL: nobody is
  tern_failure *failure;   // a provider's, if the call fails for it; NULL: nobody asks
} tern_core_args;

// Imports, optimises, lowers and prepares what the source holds.
TERN_MUST_USE tern_status *tern_core_create(const tern_core_args *args, tern_core **out_core);
// Everything that kernels hold goes; the core can be looked at still, and not run.
void tern_core_release_kernels(tern_core *core);
// Accepts NULL and half-built cores. No run may be under way.
void tern_core_destroy(tern_core *core);

#endif
