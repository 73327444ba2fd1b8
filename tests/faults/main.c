// The n-th allocation fails, for every n: models named on the command line, and a few made here,
// are loaded, run and released while one allocation after the other fails. Every time the outcome
// is success or "out of memory", and what was allocated before is all that is left.
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/os.h"
#include "support/load_run.h"
#include "unit/graph/proto.h"

enum { MOST_RUNS = 600 }; // of one model: a larger one skips allocations evenly

static int failures;

static int64_t live_blocks(void) {
  tern_allocator_stats stats;
  tern_allocator_get_stats(&stats);
  return stats.live_blocks;
}

// Unknown sizes become 1, the last one of a shape a number of samples that audio models take.
static tern_type with_sizes(const tern_type *declared) {
  tern_type type = *declared;
  for (int32_t i = 0; i < type.shape.rank; ++i) {
    if (type.shape.dims[i] < 0) type.shape.dims[i] = i + 1 == type.shape.rank ? 256 : 1;
  }
  return type;
}

static tern_status *run(tern_session *session) {
  const char *input_names[64], *output_names[64];
  tern_value *inputs[64] = {NULL}, *outputs[64] = {NULL};
  size_t in = tern_session_input_count(session), out = tern_session_output_count(session);
  if (in > 64 || out > 64) return TERN_ERROR(TERN_INVALID_ARGUMENT, "too many inputs or outputs");
  tern_status *status = NULL;
  for (size_t i = 0; i < in && !status; ++i) {
    const tern_edge *edge = tern_session_input(session, i);
    input_names[i] = edge->name;
    tern_type type = with_sizes(&edge->type);
    status = test_make_value(tern_allocator_system(), &type, 1, &inputs[i]);
  }
  for (size_t i = 0; i < out; ++i) output_names[i] = tern_session_output(session, i)->name;
  if (!status)
    status = tern_session_run(session, NULL, input_names, (const tern_value *const *)inputs, in,
                              output_names, out, outputs);
  for (size_t i = 0; i < in; ++i) tern_value_release(inputs[i]);
  for (size_t i = 0; i < out; ++i) tern_value_release(outputs[i]);
  return status;
}

static tern_status *load_and_run(tern_span bytes, bool *out_loaded) {
  tern_session_options options = {.optimization_level = TERN_OPTIMIZE_ALL};
  tern_session *session = NULL;
  *out_loaded = false;
  TERN_TRY(tern_session_create_from_memory(bytes.data, bytes.size, &options, &session));
  *out_loaded = true;
  tern_status *status = run(session);
  tern_session_destroy(session);
  return status;
}

static void complain(const char *name, int64_t n, const char *what) {
  printf("%s: allocation %lld: %s\n", name, (long long)n, what);
  ++failures;
}

static void fail_each(const char *name, tern_span bytes) {
  bool loaded;
  tern_allocator_fail_at(0);
  tern_status *status =
      load_and_run(bytes, &loaded); // also fills what lives as long as the process
  if (status) complain(name, 0, tern_status_message(status));
  tern_status_free(status);
  tern_allocator_fail_at(0);
  tern_status_ignore(load_and_run(bytes, &loaded));
  int64_t attempts = tern_allocator_attempts(), refused = 0, runs = 0;
  int64_t stride = attempts / MOST_RUNS + 1, before = live_blocks();
  for (int64_t n = 1; n <= attempts; n += stride, ++runs) {
    tern_allocator_fail_at(n);
    status = load_and_run(bytes, &loaded);
    tern_allocator_fail_at(0);
    if (status && !tern_status_is_out_of_memory(status))
      complain(name, n, tern_status_message(status));
    refused += status != NULL;
    tern_status_free(status);
    if (live_blocks() != before) complain(name, n, "blocks are left behind");
    before = live_blocks();
  }
  if (attempts == 0) complain(name, 0, "nothing was allocated; is this a build with TERN_FAULTS?");
  printf("%s: %lld of %lld allocations failed, %lld were fatal\n", name, (long long)runs,
         (long long)attempts, (long long)refused);
}

static void fail_file(const char *path) {
  tern_os_file file;
  tern_status *status = tern_os_file_open(path, tern_allocator_system(), &file);
  if (status) {
    complain(path, 0, tern_status_message(status));
    tern_status_free(status);
    return;
  }
  fail_each(path, (tern_span){file.data, file.size});
  tern_os_file_close(&file);
}

static void put_loop(tern_pb_writer *writer) {
  static const int64_t trips = 2;
  put_model(writer, 10, 21);
  size_t graph = open_graph(writer);
  put_initializer(writer, "trips", TERN_INT64, "", &trips, 8);
  put_info(writer, GRAPH_INPUT, "x", TERN_FLOAT, "N,3");
  size_t node = open_node(writer, "loop", "Loop", "trips,,x", "y,scans");
  open_attr body = open_attr_graph(writer, "body");
  put_info(writer, GRAPH_INPUT, "i", TERN_INT64, "");
  put_info(writer, GRAPH_INPUT, "go", TERN_BOOL, "");
  put_info(writer, GRAPH_INPUT, "state", 0, NULL);
  put_node(writer, "", "Identity", "go", "go_on");
  put_node(writer, "", "Add", "state,x", "next");
  put_info(writer, GRAPH_OUTPUT, "go_on", 0, NULL);
  put_info(writer, GRAPH_OUTPUT, "next", 0, NULL);
  put_info(writer, GRAPH_OUTPUT, "next", 0, NULL);
  end_attr_graph(writer, body);
  tern_pb_end_message(writer, node);
  put_info(writer, GRAPH_OUTPUT, "y", 0, NULL);
  put_info(writer, GRAPH_OUTPUT, "scans", 0, NULL);
  tern_pb_end_message(writer, graph);
}

// Shapes that are computed, sizes known only while running, a function body, a narrow float.
static void put_shapes(tern_pb_writer *writer) {
  static const int64_t flat = -1;
  put_model(writer, 10, 21);
  size_t graph = open_graph(writer);
  put_initializer(writer, "flat", TERN_INT64, "1", &flat, 8);
  put_info(writer, GRAPH_INPUT, "x", TERN_FLOAT16, "N,3");
  put_node(writer, "", "Shape", "x", "s");
  put_node(writer, "", "Reshape", "x,flat", "r");
  put_node(writer, "", "Softplus", "r", "p");
  put_node(writer, "", "HardSwish", "p", "h");
  put_node(writer, "", "Reshape", "h,s", "y");
  put_node(writer, "", "NonZero", "y", "z");
  put_info(writer, GRAPH_OUTPUT, "y", 0, NULL);
  put_info(writer, GRAPH_OUTPUT, "z", 0, NULL);
  tern_pb_end_message(writer, graph);
}

static void put_strings(tern_pb_writer *writer) {
  put_model(writer, 10, 21);
  size_t graph = open_graph(writer);
  put_info(writer, GRAPH_INPUT, "a", TERN_STRING, "N");
  size_t node = open_node(writer, "", "Concat", "a,a", "b");
  put_attr_i(writer, "axis", 0);
  tern_pb_end_message(writer, node);
  put_node(writer, "", "SequenceConstruct", "b,a", "q");
  put_info(writer, GRAPH_OUTPUT, "b", 0, NULL);
  put_info(writer, GRAPH_OUTPUT, "q", 0, NULL);
  tern_pb_end_message(writer, graph);
}

int main(int argc, char **argv) {
  static const struct {
    const char *name;
    void (*put)(tern_pb_writer *writer);
  } made[] = {{"loop", put_loop}, {"shapes", put_shapes}, {"strings", put_strings}};
  for (size_t i = 0; argc == 1 && i < TERN_COUNT_OF(made); ++i) {
    tern_pb_writer writer;
    tern_pb_writer_init(tern_allocator_system(), &writer);
    made[i].put(&writer);
    fail_each(made[i].name, (tern_span){(const char *)writer.data, writer.size});
    tern_pb_writer_deinit(&writer);
  }
  for (int i = 1; i < argc; ++i) fail_file(argv[i]);
  return failures ? 1 : 0;
}
