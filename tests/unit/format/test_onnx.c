// ONNX's messages: every struct member against bytes written field by field, and files that lie.
#include <string.h>

#include "format/onnx.h"
#include "unit/failing_allocator.h"
#include "unit/test.h"

static tern_pb_writer writer;
static tern_arena arena;

static int set_up(void **state) {
  (void)state;
  tern_pb_writer_init(tern_allocator_system(), &writer);
  tern_arena_init(tern_allocator_system(), &arena);
  return 0;
}

static int tear_down(void **state) {
  (void)state;
  tern_pb_writer_deinit(&writer);
  tern_arena_deinit(&arena);
  return 0;
}

static tern_status *parse(tern_onnx_model *out_model) {
  return tern_onnx_parse_model((tern_span){(const char *)writer.data, writer.size}, &arena,
                               out_model);
}

static void assert_text(tern_span span, const char *text) {
  assert_int_equal(span.size, strlen(text));
  assert_memory_equal(span.data, text, span.size);
}

static size_t begin(uint32_t number) {
  return tern_pb_begin_message(&writer, number);
}
static void end(size_t mark) {
  tern_pb_end_message(&writer, mark);
}
static void text(uint32_t number, const char *value) {
  tern_pb_write_text(&writer, number, value);
}
static void number(uint32_t field, int64_t value) {
  tern_pb_write_varint(&writer, field, (uint64_t)value);
}
static void entry(uint32_t field, const char *key, const char *value) {
  size_t mark = begin(field);
  text(1, key);
  text(2, value);
  end(mark);
}

// NodeProto fields with one attribute of each kind.
static void write_node(void) {
  text(1, "x");
  text(1, "");
  text(2, "y");
  text(3, "n0");
  text(4, "Op");
  text(7, "dom");
  size_t a = begin(5);
  text(1, "alpha");
  number(20, TERN_ATTR_FLOAT);
  tern_pb_write_float(&writer, 2, 0.5f);
  end(a);
  a = begin(5); // packed and single elements mixed
  text(1, "axes");
  number(8, -1);
  tern_pb_write_packed_i64(&writer, 8, (int64_t[]){2, 300}, 2);
  end(a);
  a = begin(5);
  text(1, "names");
  number(20, TERN_ATTR_STRINGS);
  text(9, "p");
  text(9, "q");
  end(a);
  a = begin(5);
  text(1, "scales");
  tern_pb_write_float(&writer, 7, 1);
  tern_pb_write_packed_f32(&writer, 7, (float[]){2, 3}, 2);
  end(a);
  a = begin(5);
  text(1, "body");
  number(20, TERN_ATTR_GRAPH);
  size_t g = begin(6);
  text(2, "inner");
  end(g);
  end(a);
  a = begin(5);
  text(1, "from_caller");
  number(20, TERN_ATTR_TENSOR);
  text(21, "outer_name");
  end(a);
}

static void check_node(const tern_onnx_node *node) {
  assert_text(node->op_type, "Op");
  assert_text(node->name, "n0");
  assert_text(node->domain, "dom");
  assert_int_equal(node->input_count, 2);
  assert_text(node->inputs[1], "");
  assert_int_equal(node->output_count, 1);
  assert_int_equal(node->attribute_count, 6);
  const tern_onnx_attribute *a = node->attributes;
  assert_true(a[0].type == TERN_ATTR_FLOAT && a[0].f == 0.5f);
  assert_true(a[1].type == TERN_ATTR_INTS && a[1].count == 3);
  assert_true(a[1].ints[0] == -1 && a[1].ints[1] == 2 && a[1].ints[2] == 300);
  assert_int_equal(a[2].count, 2);
  assert_text(a[2].strings[1], "q");
  assert_true(a[3].type == TERN_ATTR_FLOATS && a[3].count == 3 && a[3].floats[2] == 3);
  assert_text(a[4].g->name, "inner");
  assert_text(a[5].ref_name, "outer_name");
  assert_null(a[5].t);
}

static void a_whole_model_is_read(void **state) {
  (void)state;
  number(1, 10);
  text(2, "maker");
  size_t opset = begin(8);
  number(2, 21);
  end(opset);
  entry(14, "k", "v");
  size_t graph = begin(7), node = begin(1);
  write_node();
  end(node);
  text(2, "g");
  size_t info = begin(11);
  text(1, "x");
  size_t type = begin(2), tensor = begin(1);
  number(1, TERN_FLOAT);
  size_t shape = begin(2), dim = begin(1);
  text(2, "batch");
  end(dim);
  dim = begin(1);
  number(1, 3);
  end(dim);
  end(begin(1));
  end(shape);
  end(tensor);
  end(type);
  end(info);
  size_t annotation = begin(14);
  text(1, "x");
  entry(2, "SCALE_TENSOR", "s");
  end(annotation);
  end(graph);
  size_t function = begin(25);
  text(1, "F");
  text(10, "dom");
  text(4, "in");
  text(5, "out");
  text(6, "needed");
  end(function);
  text(1000, "a field of the future");

  tern_onnx_model model;
  assert_null(parse(&model));
  assert_true(model.has_graph && model.ir_version == 10 && model.opsets[0].version == 21);
  assert_text(model.producer_name, "maker");
  assert_text(model.metadata[0].value, "v");
  check_node(&model.graph.nodes[0]);
  const tern_onnx_type *t = &model.graph.inputs[0].type;
  assert_true(t->kind == TERN_KIND_TENSOR && t->dtype == TERN_FLOAT && t->has_shape);
  assert_int_equal(t->dim_count, 3);
  assert_true(!t->dims[0].has_value && t->dims[1].has_value && t->dims[1].value == 3);
  assert_text(t->dims[0].param, "batch");
  assert_true(!t->dims[2].has_value && t->dims[2].param.size == 0);
  assert_text(model.graph.annotations[0].parameters[0].value, "s");
  assert_text(model.functions[0].attributes[0], "needed");
}

// optional(seq(map(string, tensor without a shape))).
static void types_nest(void **state) {
  (void)state;
  size_t graph = begin(7), info = begin(12), type = begin(2);
  size_t optional = begin(9), a = begin(1), sequence = begin(4), b = begin(1), map = begin(5);
  number(1, TERN_STRING);
  size_t c = begin(2), tensor = begin(1);
  number(1, TERN_DOUBLE);
  end(tensor), end(c), end(map), end(b), end(sequence), end(a), end(optional);
  text(6, "IMAGE");
  end(type), end(info), end(graph);
  tern_onnx_model model;
  assert_null(parse(&model));
  const tern_onnx_type *t = &model.graph.outputs[0].type;
  assert_text(t->denotation, "IMAGE");
  assert_int_equal(t->kind, TERN_KIND_OPTIONAL);
  assert_int_equal(t->element->kind, TERN_KIND_SEQUENCE);
  t = t->element->element;
  assert_true(t->kind == TERN_KIND_MAP && t->dtype == TERN_STRING);
  assert_true(t->element->dtype == TERN_DOUBLE && !t->element->has_shape);
}

static void the_last_of_two_graphs_counts(void **state) {
  (void)state;
  size_t graph = begin(7);
  text(2, "first");
  end(begin(1));
  end(graph);
  graph = begin(7);
  text(2, "second");
  end(graph);
  tern_onnx_model model;
  assert_null(parse(&model));
  assert_text(model.graph.name, "second");
  assert_int_equal(model.graph.node_count, 0);
}

static void errors_name_the_way_to_the_field(void **state) {
  (void)state;
  size_t graph = begin(7);
  end(begin(1));
  size_t node = begin(1), attribute = begin(5);
  text(1, "value");
  number(20, TERN_ATTR_TENSOR);
  end(attribute), end(node), end(graph);
  tern_onnx_model model;
  tern_status *status = parse(&model);
  assert_string_equal(tern_status_message(status),
                      "graph: node[1]: attribute[0]: AttributeProto 'value': the field 't' is "
                      "missing");
  assert_int_equal(take_code(status), TERN_INVALID_PROTOBUF);
}

static void wrong_fields_are_refused(void **state) {
  (void)state;
  const unsigned char files[][8] = {
      {2, 0x38, 0x01},                               // graph as a number
      {4, 0x3a, 0x02, 0x0a, 0x05},                   // node longer than the graph
      {7, 0x3a, 0x05, 0x0a, 0x03, 0x2a, 0x01, 0x80}, // attribute with half a tag
  };
  tern_onnx_model model = {.ir_version = 77};
  for (size_t i = 0; i < TERN_COUNT_OF(files); ++i) {
    tern_span bytes = {(const char *)files[i] + 1, files[i][0]};
    assert_int_equal(take_code(tern_onnx_parse_model(bytes, &arena, &model)),
                     TERN_INVALID_PROTOBUF);
  }
  size_t graph = begin(7), node = begin(1), attribute = begin(5);
  number(20, 99);
  end(attribute), end(node), end(graph);
  assert_int_equal(take_code(parse(&model)), TERN_INVALID_PROTOBUF);
  assert_int_equal(model.ir_version, 77);
}

// Subgraphs in subgraphs: a depth that is allowed, and one that is not.
static void nesting_has_a_limit(void **state) {
  (void)state;
  const struct {
    int levels;
    tern_status_code code;
  } cases[] = {{60, TERN_OK}, {2000, TERN_INVALID_PROTOBUF}};
  for (size_t i = 0; i < TERN_COUNT_OF(cases); ++i) {
    static size_t marks[3 * 2000 + 1];
    size_t depth = 0;
    writer.size = 0;
    marks[depth++] = begin(7);
    for (int level = 0; level < cases[i].levels; ++level) {
      marks[depth++] = begin(1);
      marks[depth++] = begin(5);
      marks[depth++] = begin(6);
    }
    while (depth > 0) end(marks[--depth]);
    tern_onnx_model model;
    assert_int_equal(take_code(parse(&model)), cases[i].code);
  }
}

static void failed_allocations_are_errors(void **state) {
  (void)state;
  size_t graph = begin(7);
  for (int i = 0; i < 200; ++i) {
    size_t node = begin(1);
    write_node();
    end(node);
  }
  end(graph);
  bool finished = false;
  for (int64_t n = 1; !finished; ++n) {
    failing_allocator allocator;
    failing_allocator_init(&allocator, n);
    tern_arena small;
    tern_arena_init(&allocator.base, &small);
    tern_onnx_model model;
    tern_status *status =
        tern_onnx_parse_model((tern_span){(const char *)writer.data, writer.size}, &small, &model);
    finished = status == NULL;
    assert_true(finished || tern_status_is_out_of_memory(status));
    tern_arena_deinit(&small);
    assert_int_equal(allocator.live_blocks, 0);
    assert_true(n < 1000);
  }
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, set_up, tear_down)

int main(void) {
  const struct CMUnitTest tests[] = {
      TEST(a_whole_model_is_read),         TEST(types_nest),
      TEST(the_last_of_two_graphs_counts), TEST(errors_name_the_way_to_the_field),
      TEST(wrong_fields_are_refused),      TEST(nesting_has_a_limit),
      TEST(failed_allocations_are_errors),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
