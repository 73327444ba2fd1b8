// Importing good models: names, order, types, defaults, upgrades, subgraphs.
#include "unit/graph/fixture.h"

static void nodes_are_ordered_and_inferred(void **state) {
  (void)state;
  fixture f;
  tern_pb_writer *w = start(&f);
  put_model(w, 8, 21);
  size_t graph = open_graph(w);
  put_node(w, "second", "Add", "r,b", "y");
  put_node(w, "first", "Relu", "a", "r");
  put_info(w, GRAPH_INPUT, "a", TERN_FLOAT, "2,N");
  put_info(w, GRAPH_INPUT, "b", TERN_FLOAT, "N");
  put_info(w, GRAPH_OUTPUT, "y", TERN_FLOAT, NULL);
  tern_pb_end_message(w, graph);
  tern_graph *g = read_good(&f);
  assert_int_equal(g->node_count, 2);
  assert_string_equal(g->first->name, "first");
  assert_string_equal(g->last->name, "second");
  assert_int_equal(g->last->original_version, 14);
  const tern_edge *y = g->outputs.data[0];
  assert_string_equal(y->name, "y");
  assert_int_equal(y->type.shape.rank, 2);
  assert_int_equal(y->type.shape.dims[0], 2);
  assert_string_equal(tern_model_symbol_name(f.model, y->type.shape.dims[1]), "N");
  end(&f);
}

static void dimensions_are_overridden(void **state) {
  (void)state;
  fixture f;
  tern_pb_writer *w = start(&f);
  put_model(w, 8, 21);
  size_t graph = open_graph(w);
  put_node(w, "", "Relu", "a", "y");
  put_info(w, GRAPH_INPUT, "a", TERN_FLOAT, "N,M,-1");
  put_info(w, GRAPH_OUTPUT, "y", TERN_FLOAT, NULL);
  tern_pb_end_message(w, graph);
  tern_dim_override override = {.name = "N", .size = 7};
  tern_import_options options = {.overrides = &override, .override_count = 1};
  assert_null(read_back(&f, &options));
  const tern_shape *shape = &f.model->graph->outputs.data[0]->type.shape;
  assert_int_equal(shape->dims[0], 7);
  assert_true(shape->dims[1] <= TERN_DIM_FIRST_SYMBOL);
  assert_int_equal(shape->dims[2], TERN_DIM_UNKNOWN);
  end(&f);
}

static void put_defaulted_model(tern_pb_writer *w, int64_t ir_version) {
  static const float two[2] = {1, 2};
  put_model(w, ir_version, 13);
  size_t graph = open_graph(w);
  put_node(w, "", "Add", "a,b", "y");
  put_info(w, GRAPH_INPUT, "a", TERN_FLOAT, "2");
  put_info(w, GRAPH_INPUT, "b", TERN_FLOAT, "2");
  put_info(w, GRAPH_OUTPUT, "y", TERN_FLOAT, "2");
  put_initializer(w, "b", TERN_FLOAT, "2", two, sizeof two);
  tern_pb_end_message(w, graph);
}

static void initializers_can_be_overridden_from_ir_4_on(void **state) {
  (void)state;
  fixture f;
  put_defaulted_model(start(&f), 4);
  tern_graph *g = read_good(&f);
  assert_int_equal(g->inputs.count, 2);
  assert_null(tern_edge_constant(g->first->inputs[1]));
  assert_non_null(g->first->inputs[1]->initializer);
  end(&f);
  put_defaulted_model(start(&f), 3);
  g = read_good(&f);
  assert_int_equal(g->inputs.count, 1);
  assert_non_null(tern_edge_constant(g->first->inputs[1]));
  end(&f);
}

static void callers_replace_initializers(void **state) {
  (void)state;
  fixture f;
  put_defaulted_model(start(&f), 3);
  float numbers[2] = {8, 9};
  tern_value *value;
  tern_shape shape = {.rank = 1, .dims = {2}};
  assert_null(tern_value_wrap_tensor(tern_allocator_system(), TERN_FLOAT, &shape, numbers,
                                     sizeof numbers, &value));
  const char *name = "b";
  tern_import_options options = {
      .initializer_values = &value, .initializer_names = &name, .initializer_count = 1};
  assert_null(read_back(&f, &options));
  assert_ptr_equal(tern_edge_constant(f.model->graph->first->inputs[1]), value);
  end(&f);
  tern_value_release(value);
}

static void old_versions_are_upgraded(void **state) {
  (void)state;
  fixture f;
  tern_pb_writer *w = start(&f);
  put_model(w, 3, 1);
  size_t graph = open_graph(w);
  size_t node = open_node(w, "add", "Add", "a,a", "s");
  put_attr_i(w, "axis", 1);
  tern_pb_end_message(w, node);
  node = open_node(w, "reshape", "Reshape", "s", "y");
  put_attr_ints(w, "shape", (const int64_t[]){3, 2}, 2);
  tern_pb_end_message(w, node);
  put_info(w, GRAPH_INPUT, "a", TERN_FLOAT, "2,3");
  put_info(w, GRAPH_OUTPUT, "y", TERN_FLOAT, "3,2");
  tern_pb_end_message(w, graph);
  tern_graph *g = read_good(&f);
  assert_int_equal(g->node_count, 2);
  assert_int_equal(g->last->input_count, 2);
  assert_int_equal(g->last->original_version, 1);
  assert_int_equal(tern_node_attr_i(g->last, "allowzero"), 0);
  assert_int_equal(tern_edge_constant(g->last->inputs[1])->shape.dims[0], 2);
  assert_int_equal(g->outputs.data[0]->type.shape.dims[0], 3);
  end(&f);
}

static void upgrades_rename_and_replace(void **state) {
  (void)state;
  fixture f;
  tern_pb_writer *w = start(&f);
  put_model(w, 8, 9);
  size_t graph = open_graph(w);
  put_node(w, "up", "Upsample", "a", "u");
  put_info(w, GRAPH_INPUT, "a", TERN_FLOAT, "2");
  put_info(w, GRAPH_OUTPUT, "u", TERN_FLOAT, NULL);
  tern_pb_end_message(w, graph);
  tern_graph *g = read_good(&f);
  assert_string_equal(g->first->op->name, "Resize");
  assert_string_equal(g->first->original_type, "Upsample");
  assert_int_equal(g->first->original_version, 7);
  end(&f);

  w = start(&f);
  put_model(w, 8, 2);
  graph = open_graph(w);
  put_node(w, "twin", "Twin", "a", "y");
  put_info(w, GRAPH_INPUT, "a", TERN_FLOAT, "2");
  put_info(w, GRAPH_OUTPUT, "y", TERN_FLOAT, NULL);
  tern_pb_end_message(w, graph);
  g = read_good(&f);
  assert_int_equal(g->node_count, 2);
  assert_string_equal(g->outputs.data[0]->name, "y");
  assert_string_equal(g->last->name, "twin/Relu");
  end(&f);
}

// An output keeps its own name when an upgrade hands an input through.
static void outputs_keep_their_names(void **state) {
  (void)state;
  fixture f;
  tern_pb_writer *w = start(&f);
  put_model(w, 8, 1);
  size_t graph = open_graph(w);
  put_node(w, "twin", "Twin", "a", "y");
  put_info(w, GRAPH_INPUT, "a", TERN_FLOAT, "2");
  put_info(w, GRAPH_OUTPUT, "y", TERN_FLOAT, NULL);
  put_info(w, GRAPH_OUTPUT, "a", TERN_FLOAT, NULL);
  tern_pb_end_message(w, graph);
  tern_graph *g = read_good(&f);
  assert_string_equal(g->outputs.data[0]->name, "y");
  assert_string_equal(g->outputs.data[0]->producer->op->name, "Identity");
  assert_ptr_equal(g->outputs.data[1], g->inputs.data[0]);
  end(&f);
}

static void constants_become_initializers(void **state) {
  (void)state;
  fixture f;
  tern_pb_writer *w = start(&f);
  put_model(w, 8, 13);
  size_t graph = open_graph(w);
  size_t node = open_node(w, "", "Constant", "", "shape");
  put_attr_ints(w, "value_ints", (const int64_t[]){6}, 1);
  tern_pb_end_message(w, node);
  put_node(w, "", "Reshape", "a,shape", "y");
  put_info(w, GRAPH_INPUT, "a", TERN_FLOAT, "2,3");
  put_info(w, GRAPH_OUTPUT, "y", TERN_FLOAT, NULL);
  put_info(w, GRAPH_OUTPUT, "shape", TERN_INT64, NULL);
  tern_pb_end_message(w, graph);
  tern_graph *g = read_good(&f);
  assert_int_equal(g->node_count, 1);
  assert_int_equal(g->outputs.data[0]->type.shape.dims[0], 6);
  assert_non_null(tern_edge_constant(g->outputs.data[1]));
  end(&f);
}

static void shapes_are_followed(void **state) {
  (void)state;
  fixture f;
  tern_pb_writer *w = start(&f);
  put_model(w, 8, 13);
  size_t graph = open_graph(w);
  put_node(w, "", "Shape", "a", "s");
  put_node(w, "", "Reshape", "b,s", "y");
  put_info(w, GRAPH_INPUT, "a", TERN_FLOAT, "N,4");
  put_info(w, GRAPH_INPUT, "b", TERN_FLOAT, NULL);
  put_info(w, GRAPH_OUTPUT, "y", TERN_FLOAT, NULL);
  tern_pb_end_message(w, graph);
  tern_graph *g = read_good(&f);
  assert_true(tern_shape_equal(&g->inputs.data[0]->type.shape, &g->outputs.data[0]->type.shape));
  end(&f);
}

// Declared types join what is inferred; a contradicting shape is a warning or, when strict, an
// error; a contradicting element type is always one.
static void put_declared_model(tern_pb_writer *w, tern_dtype dtype, const char *dims) {
  put_model(w, 8, 13);
  size_t graph = open_graph(w);
  put_node(w, "", "Relu", "a", "m");
  put_node(w, "", "Relu", "m", "y");
  put_info(w, GRAPH_INPUT, "a", TERN_FLOAT, "2,?");
  put_info(w, GRAPH_OUTPUT, "y", TERN_FLOAT, NULL);
  put_info(w, GRAPH_VALUE_INFO, "m", dtype, dims);
  tern_pb_end_message(w, graph);
}

static void declared_types_are_joined(void **state) {
  (void)state;
  fixture f;
  put_declared_model(start(&f), TERN_FLOAT, "?,5");
  tern_graph *g = read_good(&f);
  assert_int_equal(g->outputs.data[0]->type.shape.dims[0], 2);
  assert_int_equal(g->outputs.data[0]->type.shape.dims[1], 5);
  assert_int_equal(f.model->warnings.count, 0);
  end(&f);

  put_declared_model(start(&f), TERN_FLOAT, "3,5");
  g = read_good(&f);
  assert_int_equal(f.model->warnings.count, 1);
  assert_int_equal(g->outputs.data[0]->type.shape.dims[0], 2);
  end(&f);

  put_declared_model(start(&f), TERN_FLOAT, "3,5");
  tern_import_options strict = {.strict_types = true};
  expect_refused(&f, &strict, TERN_INVALID_GRAPH, (const char *const[]){"'m'", "[3,5]", NULL});

  put_declared_model(start(&f), TERN_INT64, "2,5");
  EXPECT_REFUSED(&f, "'m'", "int64");
}

// A body reads outer names, may define a name that an outer graph has, and is fed by its operator.
static void subgraphs_capture_and_shadow(void **state) {
  (void)state;
  fixture f;
  tern_pb_writer *w = start(&f);
  put_model(w, 8, 13);
  size_t graph = open_graph(w);
  size_t node = open_node(w, "loop", "Loop", "a", "y");
  open_attr body = open_attr_graph(w, "body");
  put_node(w, "", "Add", "x,outer", "later");
  put_node(w, "", "Relu", "later", "out");
  put_info(w, GRAPH_INPUT, "x", 0, NULL);
  put_info(w, GRAPH_OUTPUT, "out", 0, NULL);
  end_attr_graph(w, body);
  tern_pb_end_message(w, node);
  put_node(w, "", "Relu", "a", "outer");
  put_node(w, "", "Relu", "y", "later");
  put_info(w, GRAPH_INPUT, "a", TERN_FLOAT, "4");
  put_info(w, GRAPH_OUTPUT, "later", TERN_FLOAT, NULL);
  tern_pb_end_message(w, graph);
  tern_graph *g = read_good(&f);
  assert_int_equal(g->node_count, 3);
  const tern_node *loop = g->first->next;
  assert_string_equal(loop->op->name, "Loop");
  assert_int_equal(loop->captures.count, 1);
  assert_string_equal(loop->captures.data[0]->name, "outer");
  const tern_graph *inner = tern_node_attr_graph(loop, "body");
  assert_ptr_equal(inner->parent_node, loop);
  assert_int_equal(inner->outputs.data[0]->type.shape.dims[0], 4);
  assert_string_not_equal(inner->first->outputs[0]->name, "later");
  end(&f);
}

// A branch that hands out an outer edge gets an edge of its own.
static void branches_return_outer_edges(void **state) {
  (void)state;
  fixture f;
  tern_pb_writer *w = start(&f);
  put_model(w, 8, 13);
  size_t graph = open_graph(w);
  size_t node = open_node(w, "", "If", "c", "y");
  for (int i = 0; i < 2; ++i) {
    open_attr branch = open_attr_graph(w, i ? "else_branch" : "then_branch");
    put_info(w, GRAPH_OUTPUT, "a", 0, NULL);
    end_attr_graph(w, branch);
  }
  tern_pb_end_message(w, node);
  put_info(w, GRAPH_INPUT, "c", TERN_BOOL, "");
  put_info(w, GRAPH_INPUT, "a", TERN_FLOAT, "4");
  put_info(w, GRAPH_OUTPUT, "y", TERN_FLOAT, NULL);
  tern_pb_end_message(w, graph);
  tern_graph *g = read_good(&f);
  assert_int_equal(g->first->captures.count, 1);
  const tern_graph *branch = tern_node_attr_graph(g->first, "then_branch");
  assert_int_equal(branch->node_count, 1);
  assert_int_equal(g->outputs.data[0]->type.shape.dims[0], 4);
  end(&f);
}

// Labels of the form that Tern uses itself do not collide.
static void reserved_labels_stay_apart(void **state) {
  (void)state;
  fixture f;
  tern_pb_writer *w = start(&f);
  put_model(w, 8, 2);
  size_t graph = open_graph(w);
  put_node(w, "twin", "Twin", "a", "m");
  put_node(w, "", "Relu", "m", "t#0");
  put_node(w, "", "Relu", "t#0", "t#1");
  put_info(w, GRAPH_INPUT, "a", TERN_FLOAT, "2");
  put_info(w, GRAPH_OUTPUT, "t#1", TERN_FLOAT, NULL);
  tern_pb_end_message(w, graph);
  tern_graph *g = read_good(&f);
  assert_string_equal(g->outputs.data[0]->name, "t#1");
  assert_int_equal(g->node_count, 4);
  end(&f);
}

// Every allocation that fails leaves an error and nothing else.
static void memory_may_run_out(void **state) {
  (void)state;
  for (int64_t n = 1;; ++n) {
    fixture f;
    put_declared_model(start(&f), TERN_FLOAT, "2,5");
    f.allocator.fail_at = n;
    tern_status *status = read_back(&f, NULL);
    bool is_good = !status;
    if (status) assert_true(tern_status_is_out_of_memory(status));
    tern_status_free(status);
    end(&f);
    if (is_good) return;
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(nodes_are_ordered_and_inferred),
      cmocka_unit_test(dimensions_are_overridden),
      cmocka_unit_test(initializers_can_be_overridden_from_ir_4_on),
      cmocka_unit_test(callers_replace_initializers),
      cmocka_unit_test(old_versions_are_upgraded),
      cmocka_unit_test(upgrades_rename_and_replace),
      cmocka_unit_test(outputs_keep_their_names),
      cmocka_unit_test(constants_become_initializers),
      cmocka_unit_test(shapes_are_followed),
      cmocka_unit_test(declared_types_are_joined),
      cmocka_unit_test(subgraphs_capture_and_shadow),
      cmocka_unit_test(branches_return_outer_edges),
      cmocka_unit_test(reserved_labels_stay_apart),
      cmocka_unit_test(memory_may_run_out),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
