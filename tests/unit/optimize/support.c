#include "unit/optimize/support.h"

#include <math.h>
#include <string.h>

#include "providers/cpu/blocked.h"
#include "session/executor.h"
#include "session/lower.h"
#include "session/packed_store.h"

enum { MAX_VALUES = 8 };

static void check(tern_status *status) {
  if (!status) return;
  print_error("%s (%s)\n", tern_status_message(status), tern_status_where(status));
  tern_status_free(status);
  fail();
}

static float next_random(uint32_t *state) {
  *state = *state * 1664525u + 1013904223u;
  return (float)(*state >> 8) * 0x1p-23f - 1;
}

static tern_value *random_value(tern_dtype dtype, const tern_shape *shape, uint32_t *state) {
  tern_value *value;
  check(tern_value_create_tensor(tern_allocator_system(), dtype, shape, &value));
  for (int64_t i = 0; i < tern_value_count(value); ++i) {
    const float number = next_random(state);
    if (dtype == TERN_FLOAT)
      ((float *)value->data)[i] = number;
    else if (dtype == TERN_DOUBLE)
      ((double *)value->data)[i] = (double)number;
    else
      tern_dtype_from_f32(dtype, &number, 1, true,
                          (char *)value->data + (size_t)i * tern_dtype_size(dtype));
  }
  return value;
}

tern_edge *optimize_input(optimize_fixture *f, tern_dtype dtype, const tern_shape *shape) {
  return test_graph_input(&f->graph, dtype, shape);
}

tern_edge *optimize_constant(optimize_fixture *f, const tern_shape *shape) {
  return tern_build_constant(f->b, random_value(TERN_FLOAT, shape, &f->seed));
}

tern_edge *optimize_above(optimize_fixture *f, float low, const tern_shape *shape) {
  tern_value *value = random_value(TERN_FLOAT, shape, &f->seed);
  float *data = value->data;
  for (int64_t i = 0; i < tern_value_count(value); ++i) data[i] = low + (data[i] + 1) / 2;
  return tern_build_constant(f->b, value);
}

void optimize_output(optimize_fixture *f, tern_edge *edge) {
  if (f->b->status) fail_msg("%s", tern_status_message(f->b->status));
  check(tern_graph_add_output(f->b->graph, edge));
}

static void open_fixture(optimize_fixture *f, optimize_build_fn build) {
  static tern_provider *providers[1];
  providers[0] = tern_cpu_provider();
  *f = (optimize_fixture){.seed = 7};
  test_graph_open(&f->graph);
  f->b = &f->graph.builder;
  const tern_account_sources sources = tern_account_sources_of(tern_allocator_system());
  f->program = (tern_program_options){.partition = &f->partition,
                                      .packed_allocator = tern_allocator_system()};
  check(tern_account_create(&sources, &f->program.account));
  tern_partition_init(f->program.account, providers, 1, NULL, &f->partition);
  check(tern_packed_store_create(tern_allocator_system(), &f->program.packed_store));
  f->evaluator = tern_evaluator_make(tern_allocator_system());
  build(f);
}

void optimize_close(optimize_fixture *f) {
  tern_partition_deinit(&f->partition);
  test_graph_close(&f->graph);
  tern_packed_store_release(f->program.packed_store);
  tern_account_release(f->program.account);
}

// As a session does: layouts are assigned to the nodes that run.
static void optimize(optimize_fixture *f, int32_t level, const char *disabled) {
  const tern_layout_chooser layout = {NULL, tern_cpu_preferred_block};
  const tern_optimize_options options = {.level = level,
                                         .evaluator = &f->evaluator,
                                         .layout = &layout,
                                         .disabled = disabled,
                                         .folding_max_bytes = (size_t)1 << 24};
  check(tern_optimize(f->graph.model, &options, NULL));
  check(tern_model_verify(f->graph.model));
  check(tern_lower(f->graph.model, &f->partition));
  check(tern_optimize_layout(f->graph.model, &options));
  check(tern_model_verify(f->graph.model));
}

// Symbols of the inputs' shapes stand for 5.
static tern_value *input_value(const tern_edge *edge, uint32_t *state) {
  tern_shape shape = edge->type.shape;
  for (int32_t i = 0; i < shape.rank; ++i)
    if (shape.dims[i] < 0) shape.dims[i] = 5;
  return random_value(edge->type.dtype, &shape, state);
}

static void run(optimize_fixture *f, tern_value **out_values) {
  const tern_graph *graph = f->graph.model->graph;
  tern_value *inputs[MAX_VALUES] = {NULL};
  tern_program *program;
  uint32_t state = 3;
  for (size_t i = 0; i < graph->inputs.count; ++i)
    inputs[i] = input_value(graph->inputs.data[i], &state);
  check(tern_lower(f->graph.model, &f->partition)); // new nodes need somebody to run them
  check(tern_program_create(graph, &f->program, &program));
  tern_run context = {.allocator = tern_allocator_system()};
  check(tern_program_run(program, &context, (const tern_value *const *)inputs, out_values));
  tern_program_destroy(program);
  for (size_t i = 0; i < graph->inputs.count; ++i) tern_value_release(inputs[i]);
}

static void expect_near(const tern_value *actual, const tern_value *expected) {
  assert_int_equal(actual->dtype, expected->dtype);
  assert_true(tern_shape_equal(&actual->shape, &expected->shape));
  double largest = 0, apart = 0;
  for (int64_t i = 0; i < tern_value_count(expected); ++i) {
    const double a = tern_dtype_read_f64(actual->dtype, actual->data, i);
    const double e = tern_dtype_read_f64(expected->dtype, expected->data, i);
    assert_true(isfinite(a));
    largest = fmax(largest, fabs(e));
    apart = fmax(apart, fabs(a - e));
  }
  assert_true(largest > 0);
  const double bound = expected->dtype == TERN_FLOAT ? 1e-5 : 1e-2;
  if (apart > bound * largest) fail_msg("outputs are %g apart, of %g", apart, largest);
}

// Both graphs are open; they run, and their outputs agree. Closes the plain one.
static void run_and_compare(optimize_fixture *plain, optimize_fixture *optimized) {
  tern_value *expected[MAX_VALUES] = {NULL}, *actual[MAX_VALUES] = {NULL};
  run(plain, expected);
  run(optimized, actual);
  for (size_t i = 0; i < plain->graph.model->graph->outputs.count; ++i) {
    expect_near(actual[i], expected[i]);
    tern_value_release(actual[i]);
    tern_value_release(expected[i]);
  }
  optimize_close(plain);
}

void optimize_change_and_compare(optimize_build_fn build, int32_t level,
                                 void (*change)(optimize_fixture *f),
                                 optimize_fixture *out_fixture) {
  optimize_fixture plain;
  open_fixture(&plain, build);
  open_fixture(out_fixture, build);
  optimize(out_fixture, level, NULL);
  change(out_fixture);
  run_and_compare(&plain, out_fixture);
}

void optimize_and_compare(optimize_build_fn build, int32_t level, const char *disabled,
                          optimize_fixture *out_fixture) {
  optimize_fixture plain;
  open_fixture(&plain, build);
  open_fixture(out_fixture, build);
  optimize(out_fixture, level, disabled);
  run_and_compare(&plain, out_fixture);
}

int32_t optimize_count(const optimize_fixture *f, const char *op) {
  int32_t n = 0;
  for (const tern_node *node = f->graph.model->graph->first; node; node = node->next)
    n += !op || strcmp(node->op->name, op) == 0;
  return n;
}

const tern_node *optimize_find(const optimize_fixture *f, const char *op) {
  const tern_node *found = NULL;
  for (const tern_node *node = f->graph.model->graph->first; node; node = node->next) {
    if (strcmp(node->op->name, op) != 0) continue;
    assert_null(found);
    found = node;
  }
  assert_non_null(found);
  return found;
}
