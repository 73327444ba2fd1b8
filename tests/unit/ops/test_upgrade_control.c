// Scan's first version, which works on batches of sequences.
#include "session/session.h"
#include "unit/graph/proto.h"
#include "unit/ops/upgrade_case.h"

// Running sums: the state and what is scanned become their sum, which is put out too.
static void put_sums(tern_pb_writer *writer) {
  put_attr_i(writer, "num_scan_inputs", 1);
  open_attr body = open_attr_graph(writer, "body");
  put_node(writer, "add", "Add", "before,next", "after");
  put_node(writer, "copy", "Identity", "after", "sum");
  put_info(writer, GRAPH_INPUT, "before", TERN_FLOAT, "1");
  put_info(writer, GRAPH_INPUT, "next", TERN_FLOAT, "1");
  put_info(writer, GRAPH_OUTPUT, "after", TERN_FLOAT, "1");
  put_info(writer, GRAPH_OUTPUT, "sum", TERN_FLOAT, "1");
  end_attr_graph(writer, body);
}

static void put_scan(tern_pb_writer *writer, const char *inputs) {
  put_model(writer, 4, 8);
  size_t graph = open_graph(writer);
  size_t node = open_node(writer, "n", "Scan", inputs, "last,sums");
  put_sums(writer);
  tern_pb_end_message(writer, node);
  put_info(writer, GRAPH_INPUT, "lengths", TERN_INT64, "2");
  put_info(writer, GRAPH_INPUT, "first", TERN_FLOAT, "2,1");
  put_info(writer, GRAPH_INPUT, "x", TERN_FLOAT, "2,3,1");
  put_info(writer, GRAPH_OUTPUT, "last", TERN_FLOAT, "2,1");
  put_info(writer, GRAPH_OUTPUT, "sums", TERN_FLOAT, "2,3,1");
  tern_pb_end_message(writer, graph);
}

static void expect_success(tern_status *status) {
  if (status) fail_msg("%s (%s)", tern_status_message(status), tern_status_where(status));
}

static void run_scan(const char *node_inputs, tern_value *out_values[2]) {
  tern_pb_writer writer;
  tern_session *session;
  const float first[] = {0, 10}, x[] = {1, 2, 3, 4, 5, 6};
  tern_value *inputs[] = {TEST_I64S(3, 2), test_tensor(TERN_FLOAT, TEST_SHAPE(2, 1), first),
                          test_tensor(TERN_FLOAT, TEST_SHAPE(2, 3, 1), x)};
  const tern_value *const fed[] = {inputs[0], inputs[1], inputs[2]};
  out_values[0] = out_values[1] = NULL;
  tern_pb_writer_init(tern_allocator_system(), &writer);
  put_scan(&writer, node_inputs);
  expect_success(tern_pb_writer_finish(&writer));
  expect_success(tern_session_create_from_memory(writer.data, writer.size,
                                                 &(const tern_session_options){0}, &session));
  expect_success(tern_session_run(session, &(const tern_run_options){0},
                                  (const char *const[]){"lengths", "first", "x"}, fed, 3,
                                  (const char *const[]){"last", "sums"}, 2, out_values));
  tern_session_destroy(session);
  tern_pb_writer_deinit(&writer);
  for (int i = 0; i < 3; ++i) tern_value_release(inputs[i]);
}

// Input 0 may give the length of each sequence; zeros fill the rest.
static void scan_8(void **state) {
  (void)state;
  const float last[] = {6, 25}, sums[] = {1, 3, 6, 14, 19, 25};
  const float shorter_last[] = {6, 19}, shorter_sums[] = {1, 3, 6, 14, 19, 0};
  tern_value *outputs[2];
  run_scan(",first,x", outputs);
  test_expect(outputs[0], TERN_FLOAT, TEST_SHAPE(2, 1), last);
  test_expect(outputs[1], TERN_FLOAT, TEST_SHAPE(2, 3, 1), sums);
  run_scan("lengths,first,x", outputs);
  test_expect(outputs[0], TERN_FLOAT, TEST_SHAPE(2, 1), shorter_last);
  test_expect(outputs[1], TERN_FLOAT, TEST_SHAPE(2, 3, 1), shorter_sums);
}

int main(int argc, char **argv) {
  const struct CMUnitTest tests[] = {{.name = "Scan-8", .test_func = scan_8}};
  return upgrade_cases_main(argc, argv, &(const upgrade_case){0}, tests, TERN_COUNT_OF(tests));
}
