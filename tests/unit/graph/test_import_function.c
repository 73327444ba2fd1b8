// Model-local functions are expanded where they are called.
#include <stdio.h>

#include "unit/graph/fixture.h"

static void put_call_graph(tern_pb_writer *w, const char *function, int64_t n) {
  size_t graph = open_graph(w);
  size_t node = open_node(w, "call", function, "a", "y");
  put_domain(w, "local");
  if (n) put_attr_i(w, "count", n);
  tern_pb_end_message(w, node);
  put_info(w, GRAPH_INPUT, "a", TERN_FLOAT, "2,3");
  put_info(w, GRAPH_OUTPUT, "y", TERN_FLOAT, NULL);
  tern_pb_end_message(w, graph);
}

static void put_call(tern_pb_writer *w, const char *function, const char *from, const char *to) {
  size_t node = open_body_node(w, function, from, to);
  put_domain(w, "local");
  tern_pb_end_message(w, node);
}

// The caller's attribute, or else the default, reaches the body, through two functions too; the
// function's own opset counts there.
static void attributes_are_passed_on(void **state) {
  (void)state;
  for (int64_t given = 0; given <= 5; given += 5) {
    fixture f;
    tern_pb_writer *w = start(&f);
    put_model(w, 8, 13);
    put_call_graph(w, "Outer", given);
    size_t function = open_function(w, "Outer", "x", "z", NULL);
    put_default_i(w, "count", 3);
    size_t node = open_body_node(w, "Inner", "x", "z");
    put_domain(w, "local");
    put_attr_ref(w, "k", TERN_ATTR_INT, "count");
    tern_pb_end_message(w, node);
    put_function_opset(w, "local", 1);
    tern_pb_end_message(w, function);
    function = open_function(w, "Inner", "x,unused", "z", "k");
    node = open_body_node(w, "Leaky", "x", "t");
    put_attr_ref(w, "n", TERN_ATTR_INT, "k");
    put_attr_ref(w, "alpha", TERN_ATTR_FLOAT, "nobody_gives_this");
    tern_pb_end_message(w, node);
    put_body_node(w, "Relu", "t", "z");
    put_function_opset(w, "", 1);
    tern_pb_end_message(w, function);
    tern_graph *g = read_good(&f);
    assert_int_equal(g->node_count, 2);
    assert_int_equal(tern_node_attr_i(g->first, "n"), given ? given : 3);
    assert_float_equal(tern_node_attr_f(g->first, "alpha"), 0.5, 0);
    assert_int_equal(g->last->original_version, 1); // Relu of the function's opset
    assert_string_equal(g->outputs.data[0]->name, "y");
    assert_string_equal(g->last->name, "call/Inner/Relu");
    end(&f);
  }
}

// Two calls, and a function that hands its input through.
static void names_stay_apart(void **state) {
  (void)state;
  fixture f;
  tern_pb_writer *w = start(&f);
  put_model(w, 8, 13);
  size_t graph = open_graph(w);
  static const char *const calls[][2] = {{"a", "b"}, {"b", "y"}};
  for (size_t i = 0; i < 2; ++i) {
    size_t node = open_node(w, "", "Twice", calls[i][0], calls[i][1]);
    put_domain(w, "local");
    tern_pb_end_message(w, node);
  }
  size_t node = open_node(w, "", "Pass", "a", "z");
  put_domain(w, "local");
  tern_pb_end_message(w, node);
  put_info(w, GRAPH_INPUT, "a", TERN_FLOAT, "2,3");
  put_info(w, GRAPH_OUTPUT, "y", TERN_FLOAT, NULL);
  put_info(w, GRAPH_OUTPUT, "z", TERN_FLOAT, NULL);
  tern_pb_end_message(w, graph);
  size_t function = open_function(w, "Twice", "x", "y", NULL);
  put_body_node(w, "Relu", "x", "a");
  put_body_node(w, "Relu", "a", "y");
  tern_pb_end_message(w, function);
  function = open_function(w, "Pass", "x", "x", NULL);
  tern_pb_end_message(w, function);
  tern_graph *g = read_good(&f);
  assert_int_equal(g->node_count, 5);
  assert_string_equal(g->outputs.data[0]->name, "y");
  assert_string_equal(g->outputs.data[1]->name, "z");
  assert_string_equal(g->last->op->name, "Identity");
  end(&f);
}

static void recursion_is_refused(void **state) {
  (void)state;
  fixture f;
  tern_pb_writer *w = start(&f);
  put_model(w, 8, 13);
  put_call_graph(w, "A", 0);
  size_t function = open_function(w, "A", "x", "z", NULL);
  put_call(w, "B", "x", "z");
  tern_pb_end_message(w, function);
  function = open_function(w, "B", "x", "z", NULL);
  put_call(w, "A", "x", "z");
  tern_pb_end_message(w, function);
  EXPECT_REFUSED(&f, "'call' (A)", "calls itself");
}

// Sixty functions, each calling the next twice: 2^60 nodes, if nobody counts.
static void expansion_is_bounded(void **state) {
  (void)state;
  fixture f;
  tern_pb_writer *w = start(&f);
  put_model(w, 8, 13);
  put_call_graph(w, "f0", 0);
  for (int i = 0; i < 60; ++i) {
    char name[8], next[8];
    snprintf(name, sizeof name, "f%d", i);
    snprintf(next, sizeof next, "f%d", i + 1);
    size_t function = open_function(w, name, "x", "z", NULL);
    put_call(w, next, "x", "t");
    put_call(w, next, "t", "z");
    tern_pb_end_message(w, function);
  }
  size_t function = open_function(w, "f60", "x", "x", NULL);
  tern_pb_end_message(w, function);
  EXPECT_REFUSED(&f, "expand to more than");
}

static void wrong_calls_are_refused(void **state) {
  (void)state;
  fixture f;
  tern_pb_writer *w = start(&f);
  put_model(w, 8, 13);
  put_call_graph(w, "F", 0);
  tern_pb_end_message(w, open_function(w, "F", NULL, "z", NULL));
  EXPECT_REFUSED(&f, "1 inputs");

  w = start(&f);
  put_model(w, 8, 13);
  put_call_graph(w, "F", 0);
  size_t function = open_function(w, "F", "x", "z", NULL);
  tern_pb_end_message(w, function);
  EXPECT_REFUSED(&f, "'z'");

  w = start(&f);
  put_model(w, 8, 13);
  put_call_graph(w, "F", 7);
  function = open_function(w, "F", "x", "z", NULL);
  size_t node = open_body_node(w, "Leaky", "x", "z");
  put_attr_ref(w, "n", TERN_ATTR_FLOAT, "count");
  tern_pb_end_message(w, node);
  tern_pb_end_message(w, function);
  EXPECT_REFUSED(&f, "'n'", "type");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(attributes_are_passed_on), cmocka_unit_test(names_stay_apart),
      cmocka_unit_test(recursion_is_refused),     cmocka_unit_test(expansion_is_bounded),
      cmocka_unit_test(wrong_calls_are_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
