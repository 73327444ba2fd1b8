// Each pass fires where it should and stays away where it must not, and the graph still verifies.
#include "optimize/pass.h"

#include <string.h>

#include "session/evaluator.h"
#include "unit/ops/support.h"

// A graph under test: nodes are counted by operator after optimising.
typedef struct fixture {
  test_graph graph;
  tern_evaluator evaluator;
} fixture;

static void open_fixture(fixture *f) {
  test_graph_open(&f->graph);
  f->evaluator = tern_evaluator_make(tern_allocator_system());
}

static void add_output(fixture *f, tern_edge *edge) {
  assert_non_null(edge);
  assert_null(tern_graph_add_output(f->graph.builder.graph, edge));
}

static void optimize(fixture *f, const char *disabled) {
  tern_optimize_options options = {
      .level = 1, .evaluator = &f->evaluator, .disabled = disabled, .folding_max_bytes = 1 << 20};
  tern_status *status = tern_optimize(f->graph.model, &options, NULL);
  if (status) print_message("%s\n", tern_status_message(status));
  assert_null(status);
  status = tern_model_verify(f->graph.model);
  if (status) print_message("%s\n", tern_status_message(status));
  assert_null(status);
}

static int32_t count_nodes(const fixture *f, const char *op) {
  int32_t n = 0;
  for (const tern_node *node = f->graph.builder.graph->first; node; node = node->next)
    n += !op || strcmp(node->op->name, op) == 0;
  return n;
}

static tern_edge *input(fixture *f, tern_dtype dtype) {
  return test_graph_input(&f->graph, dtype, TEST_SHAPE(2, 3));
}

static tern_edge *cast(fixture *f, tern_edge *x, tern_dtype to) {
  return TERN_BUILD(&f->graph.builder, "Cast", TERN_EDGES(x),
                    TERN_ATTR_ARGS(tern_attr_i("to", to)));
}

static tern_edge *transpose(fixture *f, tern_edge *x, int64_t a, int64_t b) {
  const int64_t perm[2] = {a, b};
  return TERN_BUILD(&f->graph.builder, "Transpose", TERN_EDGES(x),
                    TERN_ATTR_ARGS(tern_attr_ints("perm", perm, 2)));
}

static void test_identity_goes(void **state) {
  (void)state;
  fixture f;
  open_fixture(&f);
  tern_builder *b = &f.graph.builder;
  tern_edge *x = input(&f, TERN_FLOAT);
  tern_edge *y = tern_build1(b, "Neg", tern_build1(b, "Identity", x));
  add_output(&f, tern_build1(b, "Abs", tern_build1(b, "Identity", y)));
  optimize(&f, NULL);
  assert_int_equal(count_nodes(&f, "Identity"), 0);
  assert_int_equal(count_nodes(&f, NULL), 2);
  test_graph_close(&f.graph);
}

// A training mode without an element is the kernel's to refuse, not the pass's to read.
static void test_dropout_without_a_mode_stays(void **state) {
  (void)state;
  fixture f;
  open_fixture(&f);
  tern_builder *b = &f.graph.builder;
  tern_edge *ratio = tern_build_constant(b, test_f32(0.5f));
  tern_edge *mode = tern_build_constant(b, test_tensor(TERN_BOOL, TEST_SHAPE(0), NULL));
  add_output(&f, TERN_BUILD(b, "Dropout", TERN_EDGES(input(&f, TERN_FLOAT), ratio, mode)));
  optimize(&f, NULL);
  assert_int_equal(count_nodes(&f, "Dropout"), 1);
  test_graph_close(&f.graph);
}

// A result whose size only computing it tells (NonZero's) counts towards the limit like any other,
// and going beyond it does not lift the limit for what comes after.
static void test_folding_keeps_its_limit(void **state) {
  (void)state;
  fixture f;
  open_fixture(&f);
  tern_builder *b = &f.graph.builder;
  static const float ones[64] = {1, 1, 1, 1, 1, 1, 1, 1};
  tern_edge *x = tern_build_constant(b, test_tensor(TERN_FLOAT, TEST_SHAPE(64), ones));
  add_output(&f, tern_build1(b, "Neg", tern_build1(b, "NonZero", x)));
  add_output(&f, tern_build1(b, "Neg", tern_build1(b, "Exp", x)));
  tern_optimize_options options = {
      .level = 1, .evaluator = &f.evaluator, .folding_max_bytes = 4 * sizeof(int64_t)};
  assert_null(tern_optimize(f.graph.model, &options, NULL));
  assert_int_equal(count_nodes(&f, "NonZero"), 1);
  assert_int_equal(count_nodes(&f, "Exp"), 1);
  test_graph_close(&f.graph);
}

// An output that is an input would lose its name.
static void test_identity_of_an_input_stays(void **state) {
  (void)state;
  fixture f;
  open_fixture(&f);
  tern_edge *y = tern_build1(&f.graph.builder, "Identity", input(&f, TERN_FLOAT));
  const char *name = y->name;
  add_output(&f, y);
  optimize(&f, NULL);
  assert_int_equal(count_nodes(&f, "Identity"), 1);
  assert_string_equal(f.graph.builder.graph->outputs.data[0]->name, name);
  test_graph_close(&f.graph);
}

// An output keeps its name when another node comes to make it.
static void test_output_keeps_its_name(void **state) {
  (void)state;
  fixture f;
  open_fixture(&f);
  tern_builder *b = &f.graph.builder;
  tern_edge *y = tern_build1(b, "Identity", tern_build1(b, "Neg", input(&f, TERN_FLOAT)));
  const char *name = y->name;
  add_output(&f, y);
  optimize(&f, NULL);
  assert_int_equal(count_nodes(&f, "Identity"), 0);
  assert_string_equal(f.graph.builder.graph->outputs.data[0]->name, name);
  test_graph_close(&f.graph);
}

static void test_disabled_by_either_name(void **state) {
  (void)state;
  const char *const names[] = {"EliminateIdentity", "Other;eliminate_identity"};
  for (size_t i = 0; i < TERN_COUNT_OF(names); ++i) {
    fixture f;
    open_fixture(&f);
    tern_builder *b = &f.graph.builder;
    add_output(&f, tern_build1(b, "Neg", tern_build1(b, "Identity", input(&f, TERN_FLOAT))));
    optimize(&f, names[i]);
    assert_int_equal(count_nodes(&f, "Identity"), 1);
    test_graph_close(&f.graph);
  }
}

static void test_lossless_casts_go(void **state) {
  (void)state;
  fixture f;
  open_fixture(&f);
  tern_builder *b = &f.graph.builder;
  tern_edge *back = cast(&f, cast(&f, input(&f, TERN_FLOAT), TERN_DOUBLE), TERN_FLOAT);
  add_output(&f, tern_build1(b, "Neg", back));
  optimize(&f, NULL);
  assert_int_equal(count_nodes(&f, "Cast"), 0);
  test_graph_close(&f.graph);
}

// float -> float16 -> float changes values; the model wrote it, so it stays.
static void test_narrowing_casts_of_the_model_stay(void **state) {
  (void)state;
  fixture f;
  open_fixture(&f);
  tern_edge *narrow = cast(&f, input(&f, TERN_FLOAT), TERN_FLOAT16);
  tern_edge *back = cast(&f, narrow, TERN_FLOAT);
  narrow->producer->original_version = back->producer->original_version = 13;
  add_output(&f, tern_build1(&f.graph.builder, "Neg", back));
  optimize(&f, NULL);
  assert_int_equal(count_nodes(&f, "Cast"), 2);
  test_graph_close(&f.graph);
}

static void test_transposes_merge(void **state) {
  (void)state;
  fixture f;
  open_fixture(&f);
  tern_builder *b = &f.graph.builder;
  tern_edge *x = input(&f, TERN_FLOAT);
  add_output(&f, tern_build1(b, "Neg", transpose(&f, transpose(&f, x, 1, 0), 1, 0)));
  add_output(&f, tern_build1(b, "Abs", transpose(&f, x, 1, 0)));
  optimize(&f, NULL);
  assert_int_equal(count_nodes(&f, "Transpose"), 1);
  test_graph_close(&f.graph);
}

static void test_constants_fold(void **state) {
  (void)state;
  fixture f;
  open_fixture(&f);
  tern_builder *b = &f.graph.builder;
  tern_edge *two = tern_build2(b, "Add", tern_build_scalar(b, TERN_FLOAT, 1),
                               tern_build_scalar(b, TERN_FLOAT, 1));
  add_output(&f, tern_build2(b, "Mul", input(&f, TERN_FLOAT), two));
  optimize(&f, NULL);
  assert_int_equal(count_nodes(&f, NULL), 1);
  const tern_value *value = tern_edge_constant(f.graph.builder.graph->first->inputs[1]);
  assert_non_null(value);
  assert_true(*(const float *)value->data == 2.0f);
  test_graph_close(&f.graph);
}

// A shape that is known without the input's elements is a constant too.
static void test_known_shapes_fold(void **state) {
  (void)state;
  fixture f;
  open_fixture(&f);
  tern_builder *b = &f.graph.builder;
  tern_edge *x = input(&f, TERN_FLOAT);
  add_output(&f, tern_build2(b, "Expand", tern_build_scalar(b, TERN_FLOAT, 1),
                             tern_build1(b, "Shape", x)));
  optimize(&f, "eliminate_identity");
  assert_int_equal(count_nodes(&f, "Shape"), 0);
  test_graph_close(&f.graph);
}

static void test_nothing_larger_than_the_limit_is_folded(void **state) {
  (void)state;
  fixture f;
  open_fixture(&f);
  tern_builder *b = &f.graph.builder;
  const int64_t shape[2] = {2048, 2048};
  tern_edge *large = tern_build1(b, "ConstantOfShape", tern_build_i64s(b, shape, 2));
  add_output(&f, tern_build1(b, "Neg", large));
  optimize(&f, NULL);
  assert_int_equal(count_nodes(&f, "ConstantOfShape"), 1);
  test_graph_close(&f.graph);
}

static void test_equal_nodes_merge(void **state) {
  (void)state;
  fixture f;
  open_fixture(&f);
  tern_builder *b = &f.graph.builder;
  tern_edge *x = input(&f, TERN_FLOAT);
  tern_edge *sum = tern_build2(b, "Add", tern_build1(b, "Exp", x), tern_build1(b, "Exp", x));
  add_output(&f, tern_build2(b, "Mul", sum, transpose(&f, transpose(&f, x, 0, 1), 0, 1)));
  optimize(&f, NULL);
  assert_int_equal(count_nodes(&f, "Exp"), 1);
  test_graph_close(&f.graph);
}

static void test_different_attributes_do_not_merge(void **state) {
  (void)state;
  fixture f;
  open_fixture(&f);
  tern_builder *b = &f.graph.builder;
  tern_edge *x = test_graph_input(&f.graph, TERN_FLOAT, TEST_SHAPE(3, 3));
  add_output(&f, tern_build2(b, "Add", cast(&f, x, TERN_INT32), cast(&f, x, TERN_INT32)));
  add_output(&f, cast(&f, x, TERN_INT64));
  optimize(&f, NULL);
  assert_int_equal(count_nodes(&f, "Cast"), 2);
  test_graph_close(&f.graph);
}

static void test_dead_nodes_go(void **state) {
  (void)state;
  fixture f;
  open_fixture(&f);
  tern_builder *b = &f.graph.builder;
  tern_edge *x = input(&f, TERN_FLOAT);
  tern_build1(b, "Exp", tern_build1(b, "Neg", x));
  add_output(&f, tern_build1(b, "Abs", x));
  optimize(&f, NULL);
  assert_int_equal(count_nodes(&f, NULL), 1);
  test_graph_close(&f.graph);
}

static void test_stop_after_n_changes(void **state) {
  (void)state;
  fixture f;
  open_fixture(&f);
  tern_builder *b = &f.graph.builder;
  tern_edge *x = tern_build1(b, "Neg", input(&f, TERN_FLOAT));
  for (int32_t i = 0; i < 4; ++i) x = tern_build1(b, "Neg", tern_build1(b, "Identity", x));
  add_output(&f, x);
  tern_optimize_options options = {.level = 1, .stop_after = 2};
  assert_null(tern_optimize(f.graph.model, &options, NULL));
  assert_int_equal(count_nodes(&f, "Identity"), 2);
  test_graph_close(&f.graph);
}

// A branch that gives x * (outer + 1); the sum folds, and with it goes the branch's use of `outer`.
static tern_graph *make_branch(fixture *f, tern_edge *x, tern_edge *outer) {
  tern_graph *graph;
  tern_builder b;
  assert_null(tern_graph_create(f->graph.model, NULL, "branch", &graph));
  tern_builder_init(&b, graph, NULL, NULL);
  tern_edge *sum = tern_build2(&b, "Add", outer, tern_build_scalar(&b, TERN_FLOAT, 1));
  assert_null(tern_graph_add_output(graph, tern_build2(&b, "Mul", x, sum)));
  assert_null(tern_builder_finish(&b));
  return graph;
}

static void test_folding_in_a_branch_lets_captures_go(void **state) {
  (void)state;
  fixture f;
  open_fixture(&f);
  tern_builder *b = &f.graph.builder;
  tern_edge *x = input(&f, TERN_FLOAT), *outer = tern_build_scalar(b, TERN_FLOAT, 2);
  tern_edge *condition = test_graph_input(&f.graph, TERN_BOOL, TEST_SCALAR);
  tern_attr branches[2] = {
      {.name = "then_branch", .type = TERN_ATTR_GRAPH, .u.graph = make_branch(&f, x, outer)},
      {.name = "else_branch", .type = TERN_ATTR_GRAPH, .u.graph = make_branch(&f, x, outer)}};
  tern_edge *y = TERN_BUILD(b, "If", TERN_EDGES(condition), .attrs = branches, .attr_count = 2);
  add_output(&f, y);
  assert_null(tern_graph_collect_captures(b->graph));
  assert_int_equal(y->producer->captures.count, 2);
  optimize(&f, NULL);
  assert_int_equal(y->producer->captures.count, 1);
  assert_ptr_equal(y->producer->captures.data[0], x);
  assert_int_equal(outer->uses.count, 0);
  test_graph_close(&f.graph);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_identity_goes),
      cmocka_unit_test(test_folding_keeps_its_limit),
      cmocka_unit_test(test_dropout_without_a_mode_stays),
      cmocka_unit_test(test_identity_of_an_input_stays),
      cmocka_unit_test(test_output_keeps_its_name),
      cmocka_unit_test(test_disabled_by_either_name),
      cmocka_unit_test(test_lossless_casts_go),
      cmocka_unit_test(test_narrowing_casts_of_the_model_stay),
      cmocka_unit_test(test_transposes_merge),
      cmocka_unit_test(test_constants_fold),
      cmocka_unit_test(test_known_shapes_fold),
      cmocka_unit_test(test_nothing_larger_than_the_limit_is_folded),
      cmocka_unit_test(test_equal_nodes_merge),
      cmocka_unit_test(test_different_attributes_do_not_merge),
      cmocka_unit_test(test_dead_nodes_go),
      cmocka_unit_test(test_stop_after_n_changes),
      cmocka_unit_test(test_folding_in_a_branch_lets_captures_go),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
