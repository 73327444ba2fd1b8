// What is written says the same as what was read; and what verify finds broken.
#include "unit/graph/fixture.h"

static void put_rich_model(tern_pb_writer *w) {
  static const float numbers[6] = {1, 2, 3, 4, 5, 6};
  put_model(w, 8, 9);
  put_opset(w, "ai.tern", 1);
  size_t graph = open_graph(w);
  put_node(w, "up", "Upsample", "a", "u");
  size_t node = open_node(w, "loop", "Loop", "u", "l");
  open_attr body = open_attr_graph(w, "body");
  put_node(w, "", "Add", "x,weight", "out");
  put_info(w, GRAPH_INPUT, "x", 0, NULL);
  put_info(w, GRAPH_OUTPUT, "out", 0, NULL);
  end_attr_graph(w, body);
  tern_pb_end_message(w, node);
  node = open_node(w, "leaky", "Leaky", "l", "k");
  put_attr_i(w, "n", -4);
  size_t entry = tern_pb_begin_message(w, 9);
  tern_pb_write_text(w, 1, "from");
  tern_pb_write_text(w, 2, "module");
  tern_pb_end_message(w, entry);
  tern_pb_end_message(w, node);
  static const char *const doubles[][2] = {{"k", "d"}, {"d", "e"}, {"e", "y"}};
  for (size_t i = 0; i < 3; ++i) {
    node = open_node(w, "", "Double", doubles[i][0], doubles[i][1]);
    put_domain(w, "ai.tern");
    put_attr_i(w, "offset", i == 2);
    tern_pb_end_message(w, node);
  }
  put_node(w, "", "Split2", "k", ",s");
  put_info(w, GRAPH_INPUT, "a", TERN_FLOAT, "2,N");
  put_info(w, GRAPH_INPUT, "weight", TERN_FLOAT, "2,3");
  put_info(w, GRAPH_OUTPUT, "y", TERN_FLOAT, "2,N");
  put_info(w, GRAPH_OUTPUT, "s", TERN_FLOAT, NULL);
  put_initializer(w, "weight", TERN_FLOAT, "2,3", numbers, sizeof numbers);
  tern_pb_end_message(w, graph);
}

static void print(const tern_model *model, tern_text *out) {
  tern_text_init(tern_allocator_system(), out);
  tern_graph_print(model->graph, out);
  assert_null(tern_text_check(out));
}

static void models_survive_a_round_trip(void **state) {
  (void)state;
  fixture f, again;
  put_rich_model(start(&f));
  read_good(&f);
  tern_text before, after;
  print(f.model, &before);
  tern_pb_writer *w = start(&again);
  assert_null(tern_export(f.model, NULL, w, NULL));
  assert_null(tern_model_verify(f.model));
  read_good(&again);
  print(again.model, &after);
  assert_string_equal(before.data, after.data);
  assert_true(again.model->graph->inputs.data[1]->initializer != NULL);
  tern_text_deinit(&before);
  tern_text_deinit(&after);
  end(&again);
  end(&f);
}

// Two of three calls are equal: two functions, each expandable where `ai.tern` is unknown. The
// label is the lowest that every node allows: the bodies' Relu is 14, Tern made it.
static void internal_operators_become_functions(void **state) {
  (void)state;
  fixture f;
  put_rich_model(start(&f));
  read_good(&f);
  tern_pb_writer out;
  tern_pb_writer_init(tern_allocator_system(), &out);
  assert_null(tern_export(f.model, NULL, &out, NULL));
  tern_arena arena;
  tern_arena_init(tern_allocator_system(), &arena);
  tern_onnx_model model;
  assert_null(tern_onnx_parse_model((tern_span){(const char *)out.data, out.size}, &arena, &model));
  assert_int_equal(model.function_count, 2);
  assert_int_equal(model.functions[0].node_count, 4); // a Constant, two Adds, a Relu
  assert_int_equal(model.functions[0].opset_count, model.opset_count);
  assert_int_equal(model.ir_version, 10);
  const tern_onnx_node *leaky = &model.graph.nodes[2];
  assert_int_equal(leaky->metadata_count, 1);
  assert_memory_equal(leaky->metadata[0].value.data, "module", 6);
  for (size_t i = 0; i < model.opset_count; ++i) {
    if (model.opsets[i].domain.size == 0) assert_int_equal(model.opsets[i].version, 14);
  }
  tern_arena_deinit(&arena);
  tern_pb_writer_deinit(&out);
  end(&f);
}

static void weights_go_to_a_data_file(void **state) {
  (void)state;
  fixture f, again;
  put_rich_model(start(&f));
  read_good(&f);
  tern_pb_writer *w = start(&again), data;
  tern_pb_writer_init(tern_allocator_system(), &data);
  tern_export_options options = {.external_name = "w.bin", .external_min_bytes = 24};
  assert_null(tern_export(f.model, &options, w, &data));
  assert_int_equal(data.size, 24);
  assert_null(tern_model_create(&again.allocator.base, test_rows(), &again.model));
  tern_external_files *externals;
  assert_null(tern_external_files_create(tern_allocator_system(), NULL, NULL, &externals));
  assert_null(
      tern_external_files_add(externals, "w.bin", (tern_span){(const char *)data.data, data.size}));
  again.model->externals = externals;
  assert_null(tern_import(again.model, (tern_span){(const char *)w->data, w->size}, NULL));
  const tern_value *weight = again.model->graph->inputs.data[1]->initializer;
  assert_float_equal(((const float *)weight->data)[5], 6, 0);
  end(&again);
  tern_external_files_destroy(externals);
  tern_pb_writer_deinit(&data);
  end(&f);
}

static tern_edge *add_constant(tern_graph *graph) {
  static const tern_shape shape = {.rank = 1, .dims = {6}};
  tern_value *value;
  tern_edge *edge;
  assert_null(tern_value_create_tensor(graph->model->allocator, TERN_FLOAT, &shape, &value));
  assert_null(tern_graph_new_constant(graph, NULL, value, &edge));
  return edge;
}

static void only_constants_that_nobody_reads_are_spent(void **state) {
  (void)state;
  fixture f;
  put_rich_model(start(&f));
  tern_graph *graph = read_good(&f);
  tern_edge *read = add_constant(graph), *unread = add_constant(graph), *held = add_constant(graph);
  tern_node *leaky = graph->first->next->next;
  assert_null(tern_node_set_input(leaky, 0, read));
  tern_value *holder = tern_value_retain(held->initializer);
  tern_model_spend_unread(f.model);
  assert_true(unread->initializer->is_spent);
  assert_false(read->initializer->is_spent);
  assert_false(holder->is_spent);
  assert_false(graph->inputs.data[1]->initializer->is_spent); // callers read it
  tern_value_release(holder);
  end(&f);
}

static void expect_broken(const fixture *f, const char *word) {
  tern_status *status = tern_model_verify(f->model);
  assert_non_null(status);
  if (!strstr(tern_status_message(status), word)) fail_msg("%s", tern_status_message(status));
  tern_status_free(status);
}

static void broken_graphs_are_found(void **state) {
  (void)state;
  fixture f;
  put_rich_model(start(&f));
  tern_graph *g = read_good(&f);
  tern_node *up = g->first, *loop = up->next;

  size_t captures = loop->captures.count;
  loop->captures.count = 0;
  expect_broken(&f, "not captured");
  loop->captures.count = captures;

  g->inputs.data[0]->uses.count--;
  expect_broken(&f, "uses are listed");
  g->inputs.data[0]->uses.count++;

  const char *name = up->outputs[0]->name;
  up->outputs[0]->name = "y";
  expect_broken(&f, "two edges are named 'y'");
  up->outputs[0]->name = name;

  g->node_count++;
  expect_broken(&f, "nodes");
  g->node_count--;

  tern_edge *input = loop->inputs[0];
  loop->inputs[0] = g->outputs.data[0];
  expect_broken(&f, "before it is made");
  loop->inputs[0] = input;

  up->outputs[0]->producer = loop;
  expect_broken(&f, "producer");
  up->outputs[0]->producer = up;

  g->outputs.data[0]->output_uses = 0;
  expect_broken(&f, "is an output");
  g->outputs.data[0]->output_uses = 1;

  assert_null(tern_model_verify(f.model));
  end(&f);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(models_survive_a_round_trip),
      cmocka_unit_test(internal_operators_become_functions),
      cmocka_unit_test(weights_go_to_a_data_file),
      cmocka_unit_test(only_constants_that_nobody_reads_are_spent),
      cmocka_unit_test(broken_graphs_are_found),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
