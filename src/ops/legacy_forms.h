// What many operators had in ONNX's first versions: upgrades that rows share.
#ifndef TERN_OPS_LEGACY_FORMS_H_
#define TERN_OPS_LEGACY_FORMS_H_

#include "graph/upgrade.h"

// Opset 1 named the inputs that may be overwritten in `consumed_inputs`, which never changed a
// result.
tern_status *tern_upgrade_drop_consumed_inputs(tern_draft *draft);

// Before opset 7 binary operators broadcast only under `broadcast`, B to a run of A's dimensions
// that starts at `axis` (without it: A's last ones). B gets trailing dimensions of 1, so
// that numpy's rule says the same. `consumed_inputs` goes too.
tern_status *tern_upgrade_legacy_broadcast(tern_draft *draft);

// Appends `count` dimensions of 1 to `edge`, whose rank is known.
tern_edge *tern_upgrade_append_dims(tern_builder *builder, tern_edge *edge, int32_t count);

// Rows of .versions.
#define TERN_VERSION_CONSUMED_INPUTS                                                               \
  { 1, tern_upgrade_drop_consumed_inputs, "drops consumed_inputs, which never changed a result" }
#define TERN_VERSION_LEGACY_BROADCAST(number)                                                      \
  {                                                                                                \
    (number), tern_upgrade_legacy_broadcast,                                                       \
        "gives B trailing dimensions of 1 where broadcast and axis asked for it"                   \
  }

#endif
