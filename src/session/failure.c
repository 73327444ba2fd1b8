// Noting failures.
#include "session/failure.h"

static tern_failure_kind classify(const tern_provider *provider, const tern_status *status) {
  if (provider->classify) return provider->classify(provider->self, status);
  return tern_status_is_out_of_memory(status) ? TERN_FAILURE_OUT_OF_MEMORY : TERN_FAILURE_ERROR;
}

tern_status *tern_failure_note(tern_failure *failure, const tern_provider *provider,
                               const char *action, const tern_node *node, tern_status *status) {
  if (!status || !failure || failure->provider) return status;
  *failure =
      (tern_failure){.provider = provider, .kind = classify(provider, status), .action = action};
  if (node) tern_node_describe(node, failure->node, sizeof failure->node);
  return status;
}

const char *tern_failure_kind_name(tern_failure_kind kind) {
  static const char *const names[] = {[TERN_FAILURE_ERROR] = "error",
                                      [TERN_FAILURE_TRANSIENT] = "transient",
                                      [TERN_FAILURE_OUT_OF_MEMORY] = "out of memory",
                                      [TERN_FAILURE_LOST] = "device lost"};
  return names[kind];
}
