// Lowering: the last changes to a graph before it becomes a program. Nodes that no provider runs as
// they stand are replaced by their operator's function body, or wrapped in casts to float.
#ifndef TERN_SESSION_LOWER_H_
#define TERN_SESSION_LOWER_H_

#include "session/partition.h"

// Bodies may hold operators that need lowering themselves; that goes on until nothing changes.
TERN_MUST_USE tern_status *tern_lower(tern_model *model, tern_partition *partition);

#endif
