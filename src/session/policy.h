// What a session does when a provider fails: one policy for each kind of failure.
#ifndef TERN_SESSION_POLICY_H_
#define TERN_SESSION_POLICY_H_

#include "session/failure.h"
#include "session/session.h"

enum { TERN_FAILURE_KINDS = TERN_FAILURE_LOST + 1 };

// The work is done again from its start, up to `retries` times; when that does not help, without
// the provider, or not at all.
typedef struct tern_failure_policy {
  int32_t retries;
  bool falls_back;
} tern_failure_policy;

typedef struct tern_failure_policies {
  tern_failure_policy of[TERN_FAILURE_KINDS]; // by tern_failure_kind
} tern_failure_policies;

// Reads the config entries "tern.failure.error", ".transient", ".out_of_memory" and ".lost":
// "error", "fallback", "retry:N", or "retry:N,fallback" with N from 1 to 1000. Where nothing is
// said: errors are errors, transient failures are tried once more, and the other two fall back;
// with "session.disable_cpu_ep_fallback" "1" nothing falls back.
TERN_MUST_USE tern_status *tern_failure_policies_read(const tern_session_options *options,
                                                      tern_failure_policies *out_policies);

// "retry:2,fallback" into `buffer`, NUL-terminated. Returns `buffer`.
const char *tern_failure_policy_format(const tern_failure_policy *policy, char *buffer,
                                       size_t size);
enum { TERN_POLICY_TEXT_BYTES = 32 };

#endif
