// Running one node, and building small graphs, for the operators' unit tests.
#include "unit/ops/support.h"

#include <stdlib.h>
#include <string.h>

#include "ops/ops.h"
#include "providers/cpu/cpu.h"

enum { MAX_VALUES = 8, MAX_SCRATCH = 32 };

static tern_allocator *allocator(void) {
  return tern_allocator_system();
}

static void check(tern_status *status) {
  if (!status) return;
  print_error("%s (%s)\n", tern_status_message(status), tern_status_where(status));
  tern_status_free(status);
  fail();
}

static void set_elements(tern_value *value, const void *data) {
  const tern_string *strings = data;
  if (value->dtype != TERN_STRING) {
    if (value->data_bytes > 0) memcpy(value->data, data, value->data_bytes);
    return;
  }
  for (int64_t i = 0; i < tern_value_count(value); ++i)
    check(tern_value_set_string(value, i, strings[i].data, strings[i].size));
}

tern_value *test_tensor(tern_dtype dtype, const tern_shape *shape, const void *data) {
  tern_value *value;
  check(tern_value_create_tensor(allocator(), dtype, shape, &value));
  set_elements(value, data);
  return value;
}

tern_value *test_i64(int64_t number) {
  return test_tensor(TERN_INT64, TEST_SCALAR, &number);
}

tern_value *test_f32(float number) {
  return test_tensor(TERN_FLOAT, TEST_SCALAR, &number);
}

// What a session would keep for one invocation.
typedef struct runner {
  test_graph graph;
  tern_node *node;
  const tern_value *inputs[MAX_VALUES];
  tern_value *outputs[MAX_VALUES];
  void *scratch[MAX_SCRATCH];
  int scratch_count;
} runner;

static tern_status *allocate(void *self, int32_t output, tern_dtype dtype, const tern_shape *shape,
                             tern_value **out_value) {
  runner *run = self;
  assert_null(run->outputs[output]);
  TERN_TRY(tern_value_create_tensor(allocator(), dtype, shape, &run->outputs[output]));
  *out_value = run->outputs[output];
  return NULL;
}

static tern_status *set_output(void *self, int32_t output, tern_value *value) {
  runner *run = self;
  run->outputs[output] = tern_value_retain(value);
  return NULL;
}

static tern_status *get_scratch(void *self, size_t bytes, void **out_data) {
  runner *run = self;
  assert_true(run->scratch_count < MAX_SCRATCH);
  *out_data = NULL;
  if (bytes == 0) return NULL;
  // Exactly as large as asked for, so that AddressSanitizer sees every step beyond.
  *out_data = malloc(bytes);
  assert_non_null(*out_data);
  memset(*out_data, 0xa5, bytes);
  run->scratch[run->scratch_count++] = *out_data;
  return NULL;
}

static bool is_terminated(void *self) {
  (void)self;
  return false;
}

static const tern_invocation_services services = {.allocate = allocate,
                                                  .set_output = set_output,
                                                  .scratch = get_scratch,
                                                  .is_terminated = is_terminated};

static int32_t count_inputs(const test_node *node) {
  int32_t count = node->input_count;
  for (int32_t i = 0; i < (int32_t)TERN_COUNT_OF(node->inputs); ++i)
    if (node->inputs[i] && i >= count) count = i + 1;
  return count;
}

static tern_status *make_node(const test_node *spec, runner *run) {
  const tern_op_registry *registry = run->graph.model->registry;
  const tern_op *op = tern_op_registry_find(registry, spec->domain ? spec->domain : "", spec->op);
  if (!op) return TERN_ERROR(TERN_NOT_FOUND, "no operator %s", spec->op);
  tern_graph *graph = run->graph.model->graph;
  tern_edge *inputs[MAX_VALUES] = {NULL}, *outputs[MAX_VALUES] = {NULL};
  int32_t input_count = count_inputs(spec);
  int32_t output_count = spec->output_count ? spec->output_count : 1;
  for (int32_t i = 0; i < input_count; ++i) {
    if (!spec->inputs[i]) continue;
    TERN_TRY(tern_graph_new_edge(graph, NULL, &inputs[i]));
    tern_value_get_type(spec->inputs[i], &inputs[i]->type);
  }
  for (int32_t i = 0; i < output_count; ++i)
    TERN_TRY(tern_graph_new_edge(graph, NULL, &outputs[i]));
  tern_attr *attrs;
  TERN_TRY(
      tern_op_resolve_attrs(op, spec->attrs, spec->attr_count, &run->graph.model->arena, &attrs));
  return tern_node_create(graph, op, "", inputs, input_count, outputs, output_count, attrs,
                          &run->node);
}

static tern_status *infer_outputs(const test_node *spec, runner *run) {
  tern_type types[MAX_VALUES], output_types[MAX_VALUES];
  const tern_type *input_types[MAX_VALUES] = {NULL};
  for (int32_t i = 0; i < run->node->input_count; ++i) {
    run->inputs[i] = spec->inputs[i];
    if (!spec->inputs[i]) continue;
    tern_value_get_type(spec->inputs[i], &types[i]);
    input_types[i] = &types[i];
  }
  TERN_TRY(tern_infer_run(run->node, input_types, run->inputs, output_types));
  bool allocates = run->node->op->flags & TERN_OP_DATA_DEPENDENT;
  for (int32_t i = 0; i < run->node->output_count; ++i) {
    run->node->outputs[i]->type = output_types[i];
    if (allocates || output_types[i].kind != TERN_KIND_TENSOR) continue;
    if (!tern_shape_is_known(&output_types[i].shape))
      return TERN_ERROR(TERN_FAIL, "the shape of output %d is not known with every input known", i);
    if (i == 0 && spec->in_place)
      run->outputs[i] = tern_value_retain(spec->inputs[0]);
    else
      TERN_TRY(tern_value_create_tensor(allocator(), output_types[i].dtype, &output_types[i].shape,
                                        &run->outputs[i]));
  }
  return NULL;
}

static tern_status *compute(const test_node *spec, runner *run) {
  tern_kernel kernel = {0};
  const tern_value *constants[MAX_VALUES] = {NULL};
  tern_prepare prepare = {.node = run->node, .allocator = allocator(), .constants = constants};
  tern_provider *provider = tern_cpu_provider();
  TERN_TRY(provider->prepare(provider->self, &prepare, &kernel));
  tern_invocation invocation = {.node = run->node,
                                .state = kernel.state,
                                .inputs = run->inputs,
                                .input_count = run->node->input_count,
                                .outputs = run->outputs,
                                .output_count = run->node->output_count,
                                .allocator = allocator(),
                                .parallel = spec->parallel,
                                .services = &services,
                                .services_self = run};
  tern_status *status = kernel.compute(&invocation);
  if (kernel.release) kernel.release(kernel.state, allocator());
  return status;
}

static tern_status *run_node(const test_node *spec, runner *run) {
  TERN_TRY(make_node(spec, run));
  TERN_TRY(infer_outputs(spec, run));
  return compute(spec, run);
}

tern_status *test_try_node(const test_node *node, tern_value **out_values) {
  runner run = {.node = NULL};
  test_graph_open(&run.graph);
  tern_status *status = run_node(node, &run);
  for (int i = 0; i < run.scratch_count; ++i) free(run.scratch[i]);
  for (int32_t i = 0; i < MAX_VALUES; ++i) {
    if (!status && run.outputs[i])
      out_values[i] = run.outputs[i];
    else
      tern_value_release(run.outputs[i]);
  }
  for (size_t i = 0; i < TERN_COUNT_OF(node->inputs); ++i) tern_value_release(node->inputs[i]);
  test_graph_close(&run.graph);
  return status;
}

tern_value *test_run_node(const test_node *node) {
  tern_value *outputs[MAX_VALUES] = {NULL};
  check(test_try_node(node, outputs));
  for (int32_t i = 1; i < MAX_VALUES; ++i) tern_value_release(outputs[i]);
  assert_non_null(outputs[0]);
  return outputs[0];
}

void test_node_fails(const test_node *node, const char *text) {
  tern_value *outputs[MAX_VALUES] = {NULL};
  tern_status *status = test_try_node(node, outputs);
  if (!status) fail_msg("expected an error with '%s'", text);
  if (!strstr(tern_status_message(status), text))
    fail_msg("'%s' lacks '%s'", tern_status_message(status), text);
  tern_status_free(status);
}

static void expect_elements(const tern_value *value, const void *data) {
  if (value->dtype != TERN_STRING) {
    size_t bytes;
    assert_true(tern_dtype_bytes(value->dtype, tern_value_count(value), &bytes));
    if (bytes > 0) assert_memory_equal(value->data, data, bytes);
    return;
  }
  const tern_string *found = value->data, *expected = data;
  for (int64_t i = 0; i < tern_value_count(value); ++i) {
    assert_int_equal(found[i].size, expected[i].size);
    if (expected[i].size > 0)
      assert_memory_equal(found[i].data, expected[i].data, expected[i].size);
  }
}

static void expect_same_shape(const tern_shape *found, const tern_shape *expected) {
  char a[TERN_SHAPE_TEXT_BYTES], b[TERN_SHAPE_TEXT_BYTES];
  if (!tern_shape_equal(found, expected))
    fail_msg("shape %s, expected %s", tern_shape_format(found, a, sizeof a),
             tern_shape_format(expected, b, sizeof b));
}

void test_expect(tern_value *value, tern_dtype dtype, const tern_shape *shape, const void *data) {
  assert_non_null(value);
  assert_int_equal(value->dtype, dtype);
  expect_same_shape(&value->shape, shape);
  expect_elements(value, data);
  tern_value_release(value);
}

void test_graph_open(test_graph *out_graph) {
  const tern_op_registry *registry;
  check(tern_ops_registry(&registry));
  check(tern_model_create(allocator(), registry, &out_graph->model));
  if (!out_graph->model->graph)
    check(tern_graph_create(out_graph->model, NULL, "test", &out_graph->model->graph));
  tern_builder_init(&out_graph->builder, out_graph->model->graph, NULL, "test");
}

void test_graph_close(test_graph *graph) {
  check(tern_builder_finish(&graph->builder));
  tern_model_destroy(graph->model);
}

tern_edge *test_graph_input(test_graph *graph, tern_dtype dtype, const tern_shape *shape) {
  tern_edge *edge;
  check(tern_graph_new_edge(graph->model->graph, NULL, &edge));
  edge->type = tern_type_tensor(dtype);
  if (shape) tern_shape_copy(&edge->type.shape, shape);
  check(tern_graph_add_input(graph->model->graph, edge));
  return edge;
}

tern_dim test_graph_symbol(test_graph *graph, const char *name) {
  tern_dim dim = TERN_DIM_UNKNOWN;
  check(tern_model_symbol(graph->model, name, &dim));
  return dim;
}

void test_expect_shape(const tern_edge *edge, const tern_shape *shape) {
  assert_non_null(edge);
  expect_same_shape(&edge->type.shape, shape);
}
