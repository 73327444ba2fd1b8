// Files that say impossible things: each is refused with an error that names the culprit, and
// nothing is leaked or read out of bounds.
#include <stdio.h>

#include "unit/graph/fixture.h"

// A model with float inputs a and b of shapes [2,3] and [3], and float output y.
static size_t open_model(tern_pb_writer *w, int64_t opset) {
  put_model(w, 8, opset);
  size_t graph = open_graph(w);
  put_info(w, GRAPH_INPUT, "a", TERN_FLOAT, "2,3");
  put_info(w, GRAPH_INPUT, "b", TERN_FLOAT, "3");
  put_info(w, GRAPH_OUTPUT, "y", TERN_FLOAT, NULL);
  return graph;
}

static void cycles(void **state) {
  (void)state;
  fixture f;
  tern_pb_writer *w = start(&f);
  size_t graph = open_model(w, 13);
  put_node(w, "one", "Add", "a,v", "u");
  put_node(w, "two", "Relu", "u", "v");
  put_node(w, "", "Relu", "v", "y");
  tern_pb_end_message(w, graph);
  EXPECT_REFUSED(&f, "cycle", "'one'");
}

static void cycles_through_a_body(void **state) {
  (void)state;
  fixture f;
  tern_pb_writer *w = start(&f);
  size_t graph = open_model(w, 13);
  size_t node = open_node(w, "loop", "Loop", "a", "y");
  open_attr body = open_attr_graph(w, "body");
  put_node(w, "", "Relu", "z", "out");
  put_info(w, GRAPH_INPUT, "x", 0, NULL);
  put_info(w, GRAPH_OUTPUT, "out", 0, NULL);
  end_attr_graph(w, body);
  tern_pb_end_message(w, node);
  put_node(w, "", "Relu", "y", "z");
  tern_pb_end_message(w, graph);
  EXPECT_REFUSED(&f, "cycle", "'loop'");
}

static void duplicate_names(void **state) {
  (void)state;
  static const char *const outputs[] = {"y", "a"};
  for (size_t i = 0; i < TERN_COUNT_OF(outputs); ++i) {
    fixture f;
    tern_pb_writer *w = start(&f);
    size_t graph = open_model(w, 13);
    put_node(w, "", "Relu", "a", "y");
    put_node(w, "again", "Relu", "a", outputs[i]);
    tern_pb_end_message(w, graph);
    EXPECT_REFUSED(&f, "twice", outputs[i]);
  }
}

static void missing_names(void **state) {
  (void)state;
  fixture f;
  tern_pb_writer *w = start(&f);
  size_t graph = open_model(w, 13);
  put_node(w, "sum", "Add", "a,ghost", "y");
  tern_pb_end_message(w, graph);
  EXPECT_REFUSED(&f, "'sum' (Add)", "'ghost'");
  w = start(&f);
  graph = open_model(w, 13);
  tern_pb_end_message(w, graph);
  EXPECT_REFUSED(&f, "output 0", "'y'");
}

static void wrong_types_shapes_and_counts(void **state) {
  (void)state;
  static const struct {
    const char *op, *inputs, *word;
  } cases[] = {
      {"Reshape", "a,b", "tensor(float)[3]"},
      {"Add", "a", "lacks its input 1"},
      {"Relu", "a,b", "2 inputs"},
      {"Relu", "i", "int64"},
      {"Add", "a,i", "int64"},
      {"Add", "a,c", "'n'"},
      {"Nothing", "a", "Nothing"},
  };
  for (size_t i = 0; i < TERN_COUNT_OF(cases); ++i) {
    fixture f;
    tern_pb_writer *w = start(&f);
    size_t graph = open_model(w, 13);
    put_info(w, GRAPH_INPUT, "i", TERN_INT64, "3");
    put_info(w, GRAPH_INPUT, "c", TERN_FLOAT, "4,4");
    put_node(w, "n", cases[i].op, cases[i].inputs, "y");
    tern_pb_end_message(w, graph);
    tern_status *status = read_back(&f, NULL);
    assert_non_null(status);
    if (!strstr(tern_status_message(status), cases[i].word))
      fail_msg("case %zu: %s", i, tern_status_message(status));
    tern_status_free(status);
    end(&f);
  }
}

static void attributes(void **state) {
  (void)state;
  fixture f;
  for (int i = 0; i < 4; ++i) {
    tern_pb_writer *w = start(&f);
    size_t graph = open_model(w, 13);
    size_t node = open_node(w, "leaky", "Leaky", "a", "y");
    if (i != 0) put_attr_i(w, "n", 1);
    if (i == 1) put_attr_i(w, "alpha", 1);
    if (i == 2) put_attr_i(w, "beta", 1);
    if (i == 3) put_attr_i(w, "n", 1);
    tern_pb_end_message(w, node);
    tern_pb_end_message(w, graph);
    static const char *const words[] = {"'n'", "'alpha'", "'beta'", "twice"};
    EXPECT_REFUSED(&f, "'leaky'", words[i]);
  }
}

static void versions(void **state) {
  (void)state;
  fixture f;
  static const struct {
    int64_t opset;
    const char *op, *word;
  } cases[] = {{29, "Relu", "29"},
               {0, "Relu", "opset 0"},
               {5, "Upsample", "opset 7"},
               {10, "Upsample", "removed in opset 10"}};
  for (size_t i = 0; i < TERN_COUNT_OF(cases); ++i) {
    tern_pb_writer *w = start(&f);
    size_t graph = open_model(w, cases[i].opset);
    put_node(w, "", cases[i].op, "a", "y");
    tern_pb_end_message(w, graph);
    EXPECT_REFUSED(&f, cases[i].word);
  }
}

// A domain nobody uses may have any version.
static void unknown_domains_are_accepted_unused(void **state) {
  (void)state;
  fixture f;
  tern_pb_writer *w = start(&f);
  put_opset(w, "com.example", 99);
  size_t graph = open_model(w, 13);
  put_node(w, "", "Relu", "a", "y");
  tern_pb_end_message(w, graph);
  read_good(&f);
  end(&f);
}

static void initializers(void **state) {
  (void)state;
  static const float numbers[6] = {0};
  static const struct {
    const char *dims;
    size_t bytes;
    const char *name, *word;
  } cases[] = {{"-1", 4, "w", "w"},
               {"4", 12, "w", "w"},
               {"3000000000,3000000000,3000000000", 4, "w", "w"},
               {"2", 8, "b", "'b'"}};
  for (size_t i = 0; i < TERN_COUNT_OF(cases); ++i) {
    fixture f;
    tern_pb_writer *w = start(&f);
    size_t graph = open_model(w, 13);
    put_initializer(w, cases[i].name, TERN_FLOAT, cases[i].dims, numbers, cases[i].bytes);
    put_node(w, "", "Relu", "a", "y");
    tern_pb_end_message(w, graph);
    tern_status *status = read_back(&f, NULL);
    assert_non_null(status);
    assert_non_null(strstr(tern_status_message(status), cases[i].word));
    tern_status_free(status);
    end(&f);
  }
}

static void put_nested(tern_pb_writer *w, int depth) {
  size_t node = open_node(w, "", "Loop", "a", "y");
  open_attr body = open_attr_graph(w, "body");
  if (depth > 0)
    put_nested(w, depth - 1);
  else
    put_node(w, "", "Relu", "x", "y");
  put_info(w, GRAPH_INPUT, depth > 0 ? "a" : "x", 0, NULL);
  put_info(w, GRAPH_OUTPUT, "y", 0, NULL);
  end_attr_graph(w, body);
  tern_pb_end_message(w, node);
}

static void deep_nesting(void **state) {
  (void)state;
  static const int depths[] = {60, 500, 5000};
  for (size_t i = 0; i < TERN_COUNT_OF(depths); ++i) {
    fixture f;
    tern_pb_writer *w = start(&f);
    size_t graph = open_model(w, 13);
    put_nested(w, depths[i]);
    tern_pb_end_message(w, graph);
    tern_status *status = read_back(&f, NULL);
    if (depths[i] < 80) {
      if (status) fail_msg("%s", tern_status_message(status));
      assert_null(tern_model_verify(f.model));
    } else {
      assert_non_null(status);
      tern_status_free(status);
    }
    end(&f);
  }
}

// A chain as long as a file must not recurse, also when it stands in the file backwards.
static void long_chains(void **state) {
  (void)state;
  fixture f;
  tern_pb_writer *w = start(&f);
  size_t graph = open_model(w, 13);
  enum { LENGTH = 20000 };
  for (int i = LENGTH; i-- > 0;) {
    char from[16], to[16];
    snprintf(from, sizeof from, i ? "n%d" : "a", i);
    snprintf(to, sizeof to, i == LENGTH - 1 ? "y" : "n%d", i + 1);
    put_node(w, "", "Relu", from, to);
  }
  tern_pb_end_message(w, graph);
  assert_int_equal(read_good(&f)->node_count, LENGTH);
  end(&f);
}

// Whatever byte is damaged, the file is read or refused, never more than that.
static void damaged_files(void **state) {
  (void)state;
  fixture f;
  tern_pb_writer *w = start(&f);
  size_t graph = open_model(w, 13);
  put_node(w, "", "Shape", "a", "s");
  put_node(w, "", "Reshape", "a,s", "r");
  put_nested(w, 1);
  tern_pb_end_message(w, graph);
  for (size_t i = 0; i < w->size; ++i) {
    for (int bit = 0; bit < 8; ++bit) {
      w->data[i] ^= (unsigned char)(1 << bit);
      tern_status_ignore(read_back(&f, NULL));
      tern_model_destroy(f.model);
      assert_int_equal(f.allocator.live_blocks, 0);
      w->data[i] ^= (unsigned char)(1 << bit);
    }
  }
  f.model = NULL;
  end(&f);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(cycles),
      cmocka_unit_test(cycles_through_a_body),
      cmocka_unit_test(duplicate_names),
      cmocka_unit_test(missing_names),
      cmocka_unit_test(wrong_types_shapes_and_counts),
      cmocka_unit_test(attributes),
      cmocka_unit_test(versions),
      cmocka_unit_test(unknown_domains_are_accepted_unused),
      cmocka_unit_test(initializers),
      cmocka_unit_test(deep_nesting),
      cmocka_unit_test(long_chains),
      cmocka_unit_test(damaged_files),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
