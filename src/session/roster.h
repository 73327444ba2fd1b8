// The providers of one session, in priority order.
#ifndef TERN_SESSION_ROSTER_H_
#define TERN_SESSION_ROSTER_H_

#include "session/partition.h"
#include "session/session.h"

typedef struct tern_roster {
  tern_provider *providers[TERN_MAX_PROVIDERS];
  bool is_owned[TERN_MAX_PROVIDERS];
  int32_t count;
} tern_roster;

// Those that the options name or give, and the CPU provider, which is the last: what is asked for
// behind it has nothing left to do and is left out. Destroy what a failed call leaves.
TERN_MUST_USE tern_status *tern_roster_create(tern_allocator *allocator,
                                              const tern_session_options *options,
                                              tern_roster *out_roster);
// Accepts a zeroed roster.
void tern_roster_destroy(tern_roster *roster);

#endif
