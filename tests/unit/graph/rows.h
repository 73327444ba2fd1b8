// A handful of operators, enough to say everything an importer can get wrong. They are the tests'
// own, so that a change of src/ops is not a change here.
#ifndef TERN_TESTS_UNIT_GRAPH_ROWS_H_
#define TERN_TESTS_UNIT_GRAPH_ROWS_H_

#include "graph/op.h"

// Identity, Relu; Add-1 (its `axis` is dropped), -7, -14; Reshape-1 (`shape` becomes an input), -5;
// Upsample-7 (becomes Resize), removed in 10; Resize-10; Shape (followed); Leaky (float `alpha`,
// required int `n`); If (no inputs but the condition); Loop; Twin (one output from an upgrade that
// hands its input through, Twin-1); Split2 with two outputs;
// ai.tern's Double, which has a body.
const tern_op_registry *test_rows(void);

#endif
