// Reading policies.
#include "session/policy.h"

#include <stdio.h>
#include <string.h>

#include "base/number.h"

enum { MOST_RETRIES = 1000 };

// By kind: its key, and what holds without it.
static const struct {
  const char *key;
  tern_failure_policy otherwise;
} rows[TERN_FAILURE_KINDS] = {
    [TERN_FAILURE_ERROR] = {"tern.failure.error", {0, false}},
    [TERN_FAILURE_TRANSIENT] = {"tern.failure.transient", {1, false}},
    [TERN_FAILURE_OUT_OF_MEMORY] = {"tern.failure.out_of_memory", {0, true}},
    [TERN_FAILURE_LOST] = {"tern.failure.lost", {0, true}},
};

static bool read_retries(const char *text, size_t size, tern_failure_policy *policy) {
  static const char word[] = "retry:";
  int64_t count;
  const size_t length = sizeof word - 1;
  if (size < length || strncmp(text, word, length) != 0) return false;
  if (!tern_number_parse_i64(text + length, size - length, &count)) return false;
  if (count < 1 || count > MOST_RETRIES) return false;
  policy->retries = (int32_t)count;
  return true;
}

static bool read_policy(const char *text, tern_failure_policy *out_policy) {
  const char *comma = strchr(text, ',');
  const char *last = comma ? comma + 1 : text;
  *out_policy = (tern_failure_policy){0};
  if (comma && !read_retries(text, (size_t)(comma - text), out_policy)) return false;
  if (strcmp(last, "fallback") == 0) {
    out_policy->falls_back = true;
    return true;
  }
  if (strcmp(last, "error") == 0) return true;
  return !comma && read_retries(last, strlen(last), out_policy);
}

tern_status *tern_failure_policies_read(const tern_session_options *options,
                                        tern_failure_policies *out_policies) {
  bool stays = tern_session_options_is(options, "session.disable_cpu_ep_fallback", "1");
  for (int kind = 0; kind < TERN_FAILURE_KINDS; ++kind) {
    tern_failure_policy *policy = &out_policies->of[kind];
    const char *text = tern_session_options_get(options, rows[kind].key);
    *policy = rows[kind].otherwise;
    if (stays) policy->falls_back = false;
    if (text && !read_policy(text, policy))
      return TERN_ERROR(TERN_INVALID_ARGUMENT,
                        "%s is '%s', and must be error, fallback, retry:N or retry:N,fallback with "
                        "N from 1 to %d",
                        rows[kind].key, text, MOST_RETRIES);
    if (stays && policy->falls_back)
      return TERN_ERROR(TERN_INVALID_ARGUMENT,
                        "%s is '%s', but session.disable_cpu_ep_fallback is set", rows[kind].key,
                        text);
  }
  return NULL;
}

const char *tern_failure_policy_format(const tern_failure_policy *policy, char *buffer,
                                       size_t size) {
  const char *then = policy->falls_back ? "fallback" : "error";
  if (policy->retries > 0)
    snprintf(buffer, size, policy->falls_back ? "retry:%d,%s" : "retry:%d", (int)policy->retries,
             then);
  else
    snprintf(buffer, size, "%s", then);
  return buffer;
}
