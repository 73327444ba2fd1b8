// The evaluator that import and the passes are given: it computes a node by preparing its kernel,
// running it once, and dropping it.
#ifndef TERN_SESSION_EVALUATOR_H_
#define TERN_SESSION_EVALUATOR_H_

#include "graph/import.h"
#include "session/program.h"

// No single result larger than this is made ahead of a run.
#define TERN_EVALUATE_MAX_BYTES ((size_t)1 << 30)

// `options` must outlive the evaluator.
tern_evaluator tern_evaluator_make(const tern_program_options *options);

#endif
