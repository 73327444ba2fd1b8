// A session assigns layouts at level 3, to what lowering leaves, and saves what it had before.
#include <stdio.h>
#include <string.h>

#include "session/session.h"
#include "unit/graph/proto.h"
#include "unit/test.h"

enum { CHANNELS = 32 };

static uint16_t weights[CHANNELS * 2 * CHANNELS * 9];

// Two convolutions of float16 and what lies between them, which lowering makes float.
static void put_network(tern_pb_writer *writer) {
  put_model(writer, 10, 21);
  size_t graph = open_graph(writer);
  put_info(writer, GRAPH_INPUT, "x", TERN_FLOAT16, "1,3,20,20");
  put_initializer(writer, "w1", TERN_FLOAT16, "32,3,3,3", weights, CHANNELS * 3 * 9 * 2);
  put_initializer(writer, "w2", TERN_FLOAT16, "32,64,3,3", weights, sizeof weights);
  put_node(writer, "", "Conv", "x,w1", "c1");
  put_node(writer, "", "Relu", "c1", "r1");
  put_node(writer, "", "Tanh", "c1", "t1");
  size_t concat = open_node(writer, "", "Concat", "r1,t1", "j");
  put_attr_i(writer, "axis", 1);
  tern_pb_end_message(writer, concat);
  put_node(writer, "", "Conv", "j,w2", "y");
  put_info(writer, GRAPH_OUTPUT, "y", 0, NULL);
  tern_pb_end_message(writer, graph);
}

static tern_session *create(int32_t level, const char *saved_path) {
  tern_pb_writer writer;
  tern_session *session = NULL;
  tern_pb_writer_init(tern_allocator_system(), &writer);
  put_network(&writer);
  assert_null(tern_pb_writer_finish(&writer));
  tern_session_options options = {.optimization_level = level, .optimized_model_path = saved_path};
  tern_status *status =
      tern_session_create_from_memory(writer.data, writer.size, &options, &session);
  if (status) fail_msg("%s", tern_status_message(status));
  tern_pb_writer_deinit(&writer);
  return session;
}

static int count(const tern_session *session, const char *op) {
  int n = 0;
  for (const tern_node *node = tern_session_model(session)->graph->first; node; node = node->next)
    n += strcmp(node->op->name, op) == 0;
  return n;
}

static void test_lowered_nodes_are_assigned_too(void **state) {
  (void)state;
  for (size_t i = 0; i < TERN_COUNT_OF(weights); ++i) weights[i] = (uint16_t)(0x2000 + i % 0x400);
  tern_session *session = create(TERN_OPTIMIZE_LAYOUT, NULL);
  assert_int_equal(count(session, "BlockedConv"), 2);
  assert_int_equal(count(session, "ToBlocked"), 0);
  assert_int_equal(count(session, "FromBlocked"), 1);
  tern_session_destroy(session);
  session = create(TERN_OPTIMIZE_EXTENDED, NULL);
  assert_int_equal(count(session, "BlockedConv"), 0);
  tern_session_destroy(session);
}

static bool holds(const char *path, const char *text) {
  static char bytes[1 << 18];
  FILE *file = fopen(path, "rb");
  assert_non_null(file);
  size_t size = fread(bytes, 1, sizeof bytes, file);
  fclose(file);
  for (size_t i = 0; i + strlen(text) <= size; ++i)
    if (memcmp(bytes + i, text, strlen(text)) == 0) return true;
  return false;
}

static void test_saved_models_have_no_layout(void **state) {
  (void)state;
  static const char path[] = "test_layout_saved.onnx";
  tern_session *session = create(TERN_OPTIMIZE_ALL, path);
  assert_int_equal(count(session, "BlockedConv"), 2);
  tern_session_destroy(session);
  assert_true(holds(path, "Concat"));
  assert_false(holds(path, "Blocked"));
  remove(path);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_lowered_nodes_are_assigned_too),
      cmocka_unit_test(test_saved_models_have_no_layout),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
