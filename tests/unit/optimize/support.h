// Graphs as they are against graphs as passes leave them: one function builds both, both run on the
// same random inputs, and their outputs agree.
#ifndef TERN_TESTS_UNIT_OPTIMIZE_SUPPORT_H_
#define TERN_TESTS_UNIT_OPTIMIZE_SUPPORT_H_

#include "optimize/optimize.h"
#include "session/evaluator.h"
#include "session/program.h"
#include "unit/ops/support.h"

typedef struct optimize_fixture {
  test_graph graph;
  tern_builder *b; // the graph's
  tern_partition partition;
  tern_program_options program; // with an account and a store of its own
  tern_evaluator evaluator;
  uint32_t seed; // of constants
} optimize_fixture;

// Builds a graph with its inputs and outputs.
typedef void (*optimize_build_fn)(optimize_fixture *f);

tern_edge *optimize_input(optimize_fixture *f, tern_dtype dtype, const tern_shape *shape);
// A float constant of random numbers in [-1, 1), or [low, low + 1) with optimize_above.
tern_edge *optimize_constant(optimize_fixture *f, const tern_shape *shape);
tern_edge *optimize_above(optimize_fixture *f, float low, const tern_shape *shape);
void optimize_output(optimize_fixture *f, tern_edge *edge);

// Builds the graph twice, optimises one at `level` without the passes in `disabled` (NULL: with
// all), runs both and compares; *out_fixture holds the optimised one for questions. Close it.
void optimize_and_compare(optimize_build_fn build, int32_t level, const char *disabled,
                          optimize_fixture *out_fixture);
// The same with `change` made to the optimised graph before it runs.
void optimize_change_and_compare(optimize_build_fn build, int32_t level,
                                 void (*change)(optimize_fixture *f),
                                 optimize_fixture *out_fixture);
void optimize_close(optimize_fixture *f);
// Nodes of operator `op` (any domain; NULL: all) in the optimised graph.
int32_t optimize_count(const optimize_fixture *f, const char *op);
// The only node of operator `op`.
const tern_node *optimize_find(const optimize_fixture *f, const char *op);

#endif
