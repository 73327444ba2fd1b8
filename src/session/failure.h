// What went wrong with a provider: noted where it is called, judged where the session decides what
// to do about it.
#ifndef TERN_SESSION_FAILURE_H_
#define TERN_SESSION_FAILURE_H_

#include "providers/provider.h"

// The first failure of a run or of a load. Zeroed: none.
typedef struct tern_failure {
  const tern_provider *provider; // NULL: no provider has failed
  tern_failure_kind kind;
  const char *action;              // what it was asked to do: "compute"; static
  char node[TERN_NODE_TEXT_BYTES]; // for which node; "" for none
} tern_failure;

// Notes that `provider` gave `status` when asked for `action`, unless there is no status, nobody
// asks (`failure` NULL) or a failure is noted already. `node` may be NULL. Returns `status`.
TERN_MUST_USE tern_status *tern_failure_note(tern_failure *failure, const tern_provider *provider,
                                             const char *action, const tern_node *node,
                                             tern_status *status);

// "transient", "out of memory" …
const char *tern_failure_kind_name(tern_failure_kind kind);

#endif
