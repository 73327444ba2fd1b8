// Upgrades of the normalisations' older versions, for the rows of normalize.c.
#ifndef TERN_OPS_NORMALIZE_H_
#define TERN_OPS_NORMALIZE_H_

#include "ops/legacy_forms.h"

// Softmax, LogSoftmax and Hardmax before opset 13 worked on the matrix that is the input flattened
// at 'axis'.
tern_status *tern_upgrade_softmax(tern_draft *draft);

// GroupNormalization-18 had one scale and bias a group.
tern_status *tern_upgrade_group_norm(tern_draft *draft);

// BatchNormalization: versions 1 and 6, 7, and 9.
tern_status *tern_upgrade_batch_norm_6(tern_draft *draft);
tern_status *tern_upgrade_batch_norm_7(tern_draft *draft);
tern_status *tern_upgrade_batch_norm_9(tern_draft *draft);

#endif
