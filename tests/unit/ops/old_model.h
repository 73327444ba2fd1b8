// One node of an old version of an operator, in a file of that opset, as a session runs it: loaded,
// upgraded, computed. For the tests of upgrades, each named after the operator and the version.
#ifndef TERN_TESTS_UNIT_OPS_OLD_MODEL_H_
#define TERN_TESTS_UNIT_OPS_OLD_MODEL_H_

#include "unit/ops/support.h"

enum { OLD_MAX_INPUTS = 8, OLD_MAX_OUTPUTS = 5 };

typedef struct old_node {
  const char *domain; // NULL: ai.onnx
  const char *op;
  int64_t opset;                      // of the domain
  tern_value *inputs[OLD_MAX_INPUTS]; // graph inputs; released by the run; NULL: omitted
  bool has_constants;                 // all inputs but the first are initializers instead
  const tern_attr *attrs;             // int, float, string, ints, floats
  int32_t attr_count;
} old_node;

// Runs a node that gives the outputs that are `wanted`; the others it omits, and their values stay.
tern_status *old_model_try(const old_node *node, const bool wanted[OLD_MAX_OUTPUTS],
                           tern_value *out_values[OLD_MAX_OUTPUTS]);
// The same, and the model must load and run.
void old_model_run_outputs(const old_node *node, const bool wanted[OLD_MAX_OUTPUTS],
                           tern_value *out_values[OLD_MAX_OUTPUTS]);
// The first output of a node with one.
tern_value *old_model_run(const old_node *node);
#define OLD_RUN(...) old_model_run(&(const old_node){__VA_ARGS__})
#define OLD_ATTRS(...)                                                                             \
  .attrs = (const tern_attr[]){__VA_ARGS__},                                                       \
  .attr_count = (int32_t)TERN_COUNT_OF(((const tern_attr[]){__VA_ARGS__}))

// Loading must fail with a message that contains `text`.
void old_model_refused(const old_node *node, const char *text);
#define OLD_REFUSED(text, ...) old_model_refused(&(const old_node){__VA_ARGS__}, (text))

#endif
