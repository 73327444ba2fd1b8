// Internal operators in a file: the layout pass makes them with attributes that fit, a file may say
// anything. Function bodies get them as they are where inference knows no shapes.
#include <string.h>

#include "support/load_run.h"
#include "unit/graph/proto.h"
#include "unit/test.h"

typedef struct internal_case {
  const char *op, *inputs, *attr;
  int64_t number;   // of `attr`
  const char *dims; // of X; NULL: not declared
  bool runs;
} internal_case;

static tern_pb_writer writer;

static void put_internal(const internal_case *c) {
  static const double weights[8 * 3 * 3 * 3];
  put_model(&writer, 10, 21);
  put_opset(&writer, "ai.tern", 1);
  size_t graph = open_graph(&writer);
  put_initializer(&writer, "w", TERN_DOUBLE, "8,3,3,3", weights, sizeof weights);
  put_info(&writer, GRAPH_INPUT, "x", TERN_DOUBLE, c->dims);
  size_t node = open_node(&writer, "n", c->op, c->inputs, "y");
  put_domain(&writer, "ai.tern");
  if (strcmp(c->attr, "block") != 0) put_attr_i(&writer, "block", 8);
  if (strcmp(c->op, "FromBlocked") == 0 && strcmp(c->attr, "channels") != 0)
    put_attr_i(&writer, "channels", 3);
  put_attr_i(&writer, c->attr, c->number);
  tern_pb_end_message(&writer, node);
  put_info(&writer, GRAPH_OUTPUT, "y", 0, NULL);
  tern_pb_end_message(&writer, graph);
}

static void blocks_that_cannot_be(void **state) {
  (void)state;
  static const internal_case cases[] = {
      {"BlockedConv", "x,w", "group", INT64_MAX, NULL, false},
      {"BlockedConv", "x,w", "group", INT64_MAX, "1,3,5,5", false},
      {"BlockedConv", "x,w", "group", INT64_MIN, NULL, false},
      {"BlockedConv", "x,w", "group", 1, "1,3,5,5", true},
      {"BlockedConv", "x,x", "group", 1, NULL, false},
      {"BlockedConv", "x,w", "block", 0, NULL, false},
      {"BlockedConv", "x,w", "block", INT64_MIN, "1,3,5,5", false},
      {"ToBlocked", "x", "block", 0, "1,3,5,5", false},
      {"ToBlocked", "x", "block", 8, "1,3,5,5", true},
      {"ToBlocked", "x", "block", 8, NULL, false},
      {"ToBlocked", "x", "block", 8, "1,9223372036854775807,0,5", false},
      {"FromBlocked", "x", "channels", INT64_MAX, NULL, false},
      {"FromBlocked", "x", "channels", INT64_MAX, "1,1,5,5,8", false},
      {"FromBlocked", "x", "channels", -1, "1,1,5,5,8", false},
      {"FromBlocked", "x", "channels", 3, "1,1,5,5,8", true},
      {"FromBlocked", "x", "channels", 3, "1,1,5,5", false},
  };
  for (size_t i = 0; i < TERN_COUNT_OF(cases); ++i) {
    static const test_load_run_options limits = {
        .memory_bytes = (int64_t)64 << 20, .run_cpu_ms = 1000, .runs = 1, .round_trip = true};
    test_load_run_result result;
    tern_pb_writer_init(tern_allocator_system(), &writer);
    put_internal(&cases[i]);
    test_load_run(writer.data, writer.size, &limits, &result);
    tern_pb_writer_deinit(&writer);
    if ((result.completed == 1) != cases[i].runs)
      fail_msg("%s with %s of %lld: %s", cases[i].op, cases[i].attr, (long long)cases[i].number,
               result.completed ? "it runs" : result.message);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(blocks_that_cannot_be)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
