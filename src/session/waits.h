// Waiting for providers that compute behind the caller's back.
#ifndef TERN_SESSION_WAITS_H_
#define TERN_SESSION_WAITS_H_

#include "session/program.h"

// Finds, for each step, the providers whose results it reads and that have not been waited for
// since, and keeps what a provider may still read or write on the host alive until it is waited
// for. Steps and slots are there; what dies with which step is found afterwards.
void tern_program_set_waits(tern_program *program);

#endif
