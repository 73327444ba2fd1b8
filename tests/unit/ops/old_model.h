// One node of an old version of an operator, in a file of that opset, as a session runs it: loaded,
// upgraded, computed. For the tests of upgrades, each named after the operator and the version.
#ifndef TERN_TESTS_UNIT_OPS_OLD_MODEL_H_
#define TERN_TESTS_UNIT_OPS_OLD_MODEL_H_

#include "unit/ops/support.h"

typedef struct old_node {
  const char *op;
  int64_t opset;
  tern_value *inputs[6];  // graph inputs of their types and shapes; released by the run
  const tern_attr *attrs; // int, float, string, ints
  int32_t attr_count;
  const char *outputs; // the node's, separated by commas; NULL: "y"
} old_node;

// The output "y". The model must load and run.
tern_value *old_model_run(const old_node *node);
#define OLD_RUN(...) old_model_run(&(const old_node){__VA_ARGS__})
#define OLD_ATTRS(...)                                                                             \
  .attrs = (const tern_attr[]){__VA_ARGS__},                                                       \
  .attr_count = (int32_t)TERN_COUNT_OF(((const tern_attr[]){__VA_ARGS__}))

// Loading must fail with a message that contains `text`.
void old_model_refused(const old_node *node, const char *text);
#define OLD_REFUSED(text, ...) old_model_refused(&(const old_node){__VA_ARGS__}, (text))

#endif
