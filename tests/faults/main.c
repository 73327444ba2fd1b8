// The n-th allocation fails, once, or with all after it, for every n: models named on the command
// line, or a few made here, are loaded, run and released meanwhile. Every time the outcome is
// success with the same outputs or "out of memory", after a failed run the session runs as ever,
// and what was allocated before is all that is left.
//
//   faults [--stride N] [MODEL...]
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/os.h"
#include "support/load_run.h"
#include "unit/graph/proto.h"

static int failures;
static int64_t stride = 1; // from one allocation that fails to the next

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

// Numbers of a tensor, and of the items of what is none, joined to those before (FNV-1a). Texts are
// left out.
static uint64_t digest(const tern_value *value, uint64_t hash) {
  for (size_t i = 0; i < value->item_count; ++i) hash = digest(value->items[i], hash);
  if (value->kind != TERN_KIND_TENSOR || value->dtype == TERN_STRING) return hash;
  const unsigned char *bytes = value->data;
  for (size_t i = 0; i < value->data_bytes; ++i) hash = (hash ^ bytes[i]) * UINT64_C(0x100000001b3);
  return hash;
}

static tern_status *run(tern_session *session, uint64_t *out_digest) {
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
  *out_digest = UINT64_C(0xcbf29ce484222325);
  for (size_t i = 0; i < out && !status; ++i) *out_digest = digest(outputs[i], *out_digest);
  for (size_t i = 0; i < in; ++i) tern_value_release(inputs[i]);
  for (size_t i = 0; i < out; ++i) tern_value_release(outputs[i]);
  return status;
}

static void complain(const char *name, int64_t n, const char *what) {
  printf("%s: allocation %lld: %s\n", name, (long long)n, what);
  ++failures;
}

// Loads and runs with allocation `n` failing, or -n and all after it; 0: none. A run that fails for
// want of memory is made again with all of it.
static tern_status *load_and_run(const char *name, tern_span bytes, int64_t n,
                                 uint64_t *out_digest) {
  tern_session_options options = {.optimization_level = TERN_OPTIMIZE_ALL};
  tern_session *session = NULL;
  tern_allocator_fail_at(n);
  TERN_TRY(tern_session_create_from_memory(bytes.data, bytes.size, &options, &session));
  tern_status *status = run(session, out_digest);
  if (n != 0) tern_allocator_fail_at(0);
  if (n != 0 && status) {
    tern_status *again = run(session, out_digest);
    if (again) complain(name, n, tern_status_message(again));
    tern_status_free(again);
  }
  tern_session_destroy(session);
  return status;
}

static bool fail_one(const char *name, tern_span bytes, int64_t n, uint64_t expected) {
  int64_t before = live_blocks();
  uint64_t found = expected;
  tern_status *status = load_and_run(name, bytes, n, &found);
  tern_allocator_fail_at(0);
  if (status && !tern_status_is_out_of_memory(status))
    complain(name, n, tern_status_message(status));
  if (found != expected) complain(name, n, "the outputs are others");
  const bool is_fatal = status != NULL;
  tern_status_free(status);
  if (live_blocks() != before) complain(name, n, "blocks are left behind");
  return is_fatal;
}

static void fail_each(const char *name, tern_span bytes) {
  uint64_t expected = 0, again = 0;
  // The first also fills what lives as long as the process.
  tern_status *status = load_and_run(name, bytes, 0, &expected);
  if (!status) status = load_and_run(name, bytes, 0, &again);
  int64_t attempts = tern_allocator_attempts(), fatal = 0, fatal_for_good = 0, count = 0;
  if (status) complain(name, 0, tern_status_message(status));
  tern_status_free(status);
  if (again != expected) complain(name, 0, "the outputs are others each time");
  if (attempts == 0) complain(name, 0, "nothing was allocated; is this a build with TERN_FAULTS?");
  for (int64_t n = 1; n <= attempts; n += stride, ++count) {
    fatal += fail_one(name, bytes, n, expected);
    fatal_for_good += fail_one(name, bytes, -n, expected);
  }
  printf("%s: %lld of %lld allocations failed, %lld were fatal, %lld with all after them\n", name,
         (long long)count, (long long)attempts, (long long)fatal, (long long)fatal_for_good);
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
  int i = 1;
  if (argc > 2 && strcmp(argv[1], "--stride") == 0) {
    stride = strtoll(argv[2], NULL, 10);
    i = 3;
  }
  if (stride < 1 || (i < argc && argv[i][0] == '-')) {
    fputs("usage: faults [--stride N] [MODEL...]\n", stderr);
    return 2;
  }
  for (size_t k = 0; i == argc && k < TERN_COUNT_OF(made); ++k) {
    tern_pb_writer writer;
    tern_pb_writer_init(tern_allocator_system(), &writer);
    made[k].put(&writer);
    fail_each(made[k].name, (tern_span){(const char *)writer.data, writer.size});
    tern_pb_writer_deinit(&writer);
  }
  for (; i < argc; ++i) fail_file(argv[i]);
  return failures ? 1 : 0;
}
