// What a session says of itself: its numbers follow from the model, and from the sizes that ran.
#include <string.h>

#include "session/session.h"
#include "unit/graph/proto.h"
#include "unit/test.h"

static tern_pb_writer writer;

static size_t begin(void) {
  tern_pb_writer_init(tern_allocator_system(), &writer);
  put_model(&writer, 8, 21);
  return open_graph(&writer);
}

static tern_session *end(size_t graph) {
  tern_pb_end_message(&writer, graph);
  assert_null(tern_pb_writer_finish(&writer));
  tern_session *session;
  tern_session_options options = {.optimization_level = TERN_OPTIMIZE_ALL};
  tern_status *status =
      tern_session_create_from_memory(writer.data, writer.size, &options, &session);
  if (status) fail_msg("%s", tern_status_message(status));
  tern_pb_writer_deinit(&writer);
  return session;
}

// Runs the model, whose only input is "x" and output "y", on zeros.
static void run(tern_session *session, tern_dim rows, tern_dim columns) {
  static const char *const x = "x", *const y = "y";
  tern_shape shape = {.rank = 2, .dims = {rows, columns}};
  tern_value *input, *output = NULL;
  assert_null(tern_value_create_tensor(tern_allocator_system(), TERN_FLOAT, &shape, &input));
  memset(input->data, 0, input->data_bytes);
  tern_run_options options = {.terminate = NULL};
  tern_status *status =
      tern_session_run(session, &options, &x, (const tern_value *const *)&input, 1, &y, 1, &output);
  if (status) fail_msg("%s", tern_status_message(status));
  tern_value_release(input);
  tern_value_release(output);
}

// Every one of these words, up to NULL, is in the session's text.
static void expect(const tern_session *session, const char *const *words) {
  tern_text text;
  tern_text_init(tern_allocator_system(), &text);
  assert_null(tern_session_describe(session, &text));
  for (; *words; ++words)
    if (!strstr(text.data, *words)) fail_msg("'%s' is not in: %s", *words, text.data);
  tern_text_deinit(&text);
}
#define EXPECT(session, ...) expect((session), (const char *const[]){__VA_ARGS__, NULL})

// y = x[N,3] * w[3,4]
static void operations_are_those_of_the_latest_sizes(void **state) {
  (void)state;
  static const float w[12] = {1};
  size_t graph = begin();
  put_info(&writer, GRAPH_INPUT, "x", TERN_FLOAT, "N,3");
  put_initializer(&writer, "w", TERN_FLOAT, "3,4", w, sizeof w);
  put_node(&writer, "product", "MatMul", "x,w", "y");
  put_info(&writer, GRAPH_OUTPUT, "y", TERN_FLOAT, "N,4");
  tern_session *session = end(graph);
  EXPECT(session, "\"flops\":0,\"flops_complete\":false", "\"parameters\":12,",
         "\"parameter_bytes\":48,", "\"plans\":0,\"slab_bytes\":0,\"frames\":0");
  run(session, 5, 3);
  EXPECT(session, "\"flops\":120,\"flops_complete\":true",
         "\"plans\":1,\"slab_bytes\":0,\"frames\":1",
         "\"node\":\"product\",\"op\":\"MatMul\",\"domain\":\"\"");
  run(session, 7, 3);
  run(session, 7, 3);
  EXPECT(session, "\"plans_made\":2,\"plans_found\":0,\"segments_placed\":0");
  EXPECT(session, "\"flops\":168,\"flops_complete\":true",
         "\"plans\":2,\"slab_bytes\":0,\"frames\":1");
  tern_session_destroy(session);
}

// Sizes that come from a Shape are known when a run is planned: y = Relu(Expand(one, Shape(x))).
static void shape_arithmetic_is_planned(void **state) {
  (void)state;
  static const float one = 1;
  size_t graph = begin();
  put_info(&writer, GRAPH_INPUT, "x", TERN_FLOAT, "N,M");
  put_initializer(&writer, "one", TERN_FLOAT, "", &one, sizeof one);
  put_node(&writer, "", "Shape", "x", "shape");
  put_node(&writer, "", "Expand", "one,shape", "ones");
  put_node(&writer, "", "Relu", "ones", "y");
  put_info(&writer, GRAPH_OUTPUT, "y", TERN_FLOAT, "N,M");
  tern_session *session = end(graph);
  run(session, 20, 30);
  EXPECT(session, "\"flops\":1200,\"flops_complete\":true",
         "{\"op\":\"Shape\",\"domain\":\"\",\"count\":1,\"flops\":0}",
         "{\"op\":\"Relu\",\"domain\":\"\",\"count\":1,\"flops\":600}");
  tern_session_destroy(session);
}

// An initializer that a subgraph reads too counts once, and only the branch that ran costs.
static void subgraphs_count_once(void **state) {
  (void)state;
  static const float w[3] = {1, 2, 3};
  size_t graph = begin();
  put_info(&writer, GRAPH_INPUT, "x", TERN_FLOAT, "N,3");
  put_initializer(&writer, "w", TERN_FLOAT, "3", w, sizeof w);
  put_initializer(&writer, "limit", TERN_FLOAT, "", w, sizeof *w);
  put_node(&writer, "", "Add", "x,w", "sum");
  put_node(&writer, "", "ReduceMax", "sum", "largest");
  put_node(&writer, "", "GreaterOrEqual", "largest,limit", "condition");
  size_t node = open_node(&writer, "choice", "If", "condition", "y");
  for (int i = 0; i < 2; ++i) {
    open_attr branch = open_attr_graph(&writer, i ? "else_branch" : "then_branch");
    put_node(&writer, "", i ? "Sub" : "Mul", "sum,w", i ? "difference" : "product");
    put_info(&writer, GRAPH_OUTPUT, i ? "difference" : "product", TERN_FLOAT, NULL);
    end_attr_graph(&writer, branch);
  }
  tern_pb_end_message(&writer, node);
  put_info(&writer, GRAPH_OUTPUT, "y", TERN_FLOAT, NULL);
  tern_session *session = end(graph);
  run(session, 2, 3);
  EXPECT(session, "{\"op\":\"Add\",\"domain\":\"\",\"count\":1,\"flops\":6}",
         "{\"op\":\"Mul\",\"domain\":\"\",\"count\":1,\"flops\":6}",
         "{\"op\":\"Sub\",\"domain\":\"\",\"count\":1,\"flops\":0}", "\"parameters\":4,");
  tern_session_destroy(session);
}

// Weights that a kernel has packed are held as it packed them, and no longer as they were.
static void packed_weights_replace_the_models(void **state) {
  (void)state;
  static float w[64 * 64];
  size_t graph = begin();
  put_info(&writer, GRAPH_INPUT, "x", TERN_FLOAT, "N,64");
  put_initializer(&writer, "w", TERN_FLOAT, "64,64", w, sizeof w);
  put_node(&writer, "", "MatMul", "x,w", "y");
  put_info(&writer, GRAPH_OUTPUT, "y", TERN_FLOAT, "N,64");
  tern_session *session = end(graph);
  EXPECT(session, "\"parameter_bytes\":16384,",
         "\"mapped_bytes\":0,\"held_bytes\":0,\"spent_bytes\":16384,");
  const tern_step *step = &tern_session_program(session)->steps[0];
  assert_true(step->state_bytes >= (int64_t)sizeof w);
  tern_session_destroy(session);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(operations_are_those_of_the_latest_sizes),
      cmocka_unit_test(shape_arithmetic_is_planned),
      cmocka_unit_test(subgraphs_count_once),
      cmocka_unit_test(packed_weights_replace_the_models),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
