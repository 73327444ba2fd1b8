// Running the rows of upgrade_case.h.
#include "unit/ops/upgrade_case.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ops/ops.h"

tern_value *case_tensor_make(const case_tensor *tensor) {
  if (!tensor->dtype) return NULL;
  tern_value *value = test_tensor(tensor->dtype, tensor->shape, tensor->data);
  assert_int_equal(tern_value_count(value), tensor->count);
  return value;
}

static bool is_near(float found, float expected) {
  if (isnan(expected)) return isnan(found);
  return found == expected || fabsf(found - expected) <= 2e-6f * fmaxf(1, fabsf(expected));
}

// Floats within the tolerance of the rows, everything else exactly.
static void expect_near(tern_value *value, const case_tensor *expected) {
  assert_non_null(value);
  int64_t count;
  assert_true(tern_shape_count(expected->shape, &count));
  assert_int_equal(count, expected->count);
  if (value->dtype == TERN_FLOAT && expected->dtype == TERN_FLOAT &&
      tern_shape_equal(&value->shape, expected->shape)) {
    float *found = value->data;
    const float *wanted = expected->data;
    for (size_t i = 0; i < expected->count; ++i) {
      if (!is_near(found[i], wanted[i]))
        fail_msg("element %zu is %g, expected %g", i, (double)found[i], (double)wanted[i]);
      found[i] = wanted[i];
    }
  }
  test_expect(value, expected->dtype, expected->shape, expected->data);
}

static void run_at(const upgrade_case *row, const char *op, int64_t opset) {
  old_node node = {.domain = row->domain,
                   .op = op,
                   .opset = opset,
                   .has_constants = row->has_constants,
                   .attrs = row->attrs,
                   .attr_count = row->attr_count};
  tern_value *outputs[OLD_MAX_OUTPUTS] = {NULL};
  bool wanted[OLD_MAX_OUTPUTS];
  for (int i = 0; i < OLD_MAX_INPUTS; ++i) node.inputs[i] = case_tensor_make(&row->inputs[i]);
  for (int i = 0; i < OLD_MAX_OUTPUTS; ++i) wanted[i] = row->expected[i].dtype != 0;
  old_model_run_outputs(&node, wanted, outputs);
  for (int i = 0; i < OLD_MAX_OUTPUTS; ++i)
    if (wanted[i]) expect_near(outputs[i], &row->expected[i]);
}

// The version and those right before it that mean the same.
static void run_row(const upgrade_case *row) {
  const tern_op_registry *registry;
  char op[64];
  const char *dash = strrchr(row->name, '-');
  snprintf(op, sizeof op, "%.*s", (int)(dash - row->name), row->name);
  int64_t version = strtoll(dash + 1, NULL, 10);
  assert_null(tern_ops_registry(&registry));
  const tern_op *found = tern_op_registry_find(registry, row->domain ? row->domain : "", op);
  if (!found) fail_msg("there is no operator %s", op);
  const tern_op_version *history = found->versions;
  int32_t at = 0;
  while (history && history[at].version && history[at].version != version) ++at;
  if (!history || !history[at].version || !history[at].upgrade)
    fail_msg("%s has no upgrade", row->name);
  run_at(row, op, version);
  while (--at >= 0 && !history[at].upgrade) run_at(row, op, history[at].version);
}

static void run_rows(void **state) {
  const upgrade_case *row = *state;
  const char *name = row->name;
  for (; row->name && strcmp(row->name, name) == 0; ++row) run_row(row);
}

static size_t make_tests(const upgrade_case *cases, struct CMUnitTest *out_tests) {
  size_t count = 0;
  for (const upgrade_case *row = cases; row->name; ++row)
    if (row == cases || strcmp(row->name, row[-1].name) != 0)
      out_tests[count++] = (struct CMUnitTest){
          .name = row->name, .test_func = run_rows, .initial_state = (void *)(uintptr_t)row};
  return count;
}

int upgrade_cases_main(int argc, char **argv, const upgrade_case *cases,
                       const struct CMUnitTest *tests, size_t test_count) {
  size_t capacity = test_count;
  int failures = 0;
  while (cases[capacity - test_count].name) ++capacity;
  struct CMUnitTest *all = calloc(capacity + 1, sizeof *all);
  if (!all) return 1;
  size_t count = make_tests(cases, all);
  for (size_t i = 0; i < test_count; ++i) all[count++] = tests[i];
  if (argc == 2 && strcmp(argv[1], "--list") == 0)
    for (size_t i = 0; i < count; ++i) printf("%s\n", all[i].name);
  else // what cmocka's macro calls, which counts arrays of the compiler only
    failures = _cmocka_run_group_tests("upgrades", all, count, NULL, NULL);
  free(all);
  return failures != 0;
}
