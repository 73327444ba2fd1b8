// The evaluator that import and the passes are given: it computes a node by preparing its kernel,
// running it once, and dropping it.
#ifndef TERN_SESSION_EVALUATOR_H_
#define TERN_SESSION_EVALUATOR_H_

#include "graph/import.h"

// No single result larger than this is made ahead of a run.
#define TERN_EVALUATE_MAX_BYTES ((size_t)1 << 30)

// What it computes comes from `allocator`, which must outlive it.
tern_evaluator tern_evaluator_make(tern_allocator *allocator);

#endif
