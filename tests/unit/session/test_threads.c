// A session is run by any number of threads: eight run one at a time and again, each with inputs of
// other sizes and values, and every output has the bits that one thread alone got.
#include <pthread.h>
#include <string.h>

#include "support/load_run.h"
#include "unit/graph/proto.h"
#include "unit/test.h"

enum { THREADS = 8, RUNS_EACH = 50, KINDS = 3, CLASSES = 10 };

static float weights[2304];

// What a small recogniser of digits has: two convolutions with pooling, and a matrix.
static void put_digits(tern_pb_writer *writer) {
  put_model(writer, 10, 21);
  size_t graph = open_graph(writer);
  put_info(writer, GRAPH_INPUT, "x", TERN_FLOAT, "N,1,12,12");
  put_initializer(writer, "w1", TERN_FLOAT, "8,1,5,5", weights, 200 * 4);
  put_initializer(writer, "w2", TERN_FLOAT, "16,8,3,3", weights, 1152 * 4);
  put_initializer(writer, "w3", TERN_FLOAT, "16,10", weights, 160 * 4);
  put_node(writer, "", "Conv", "x,w1", "c1");
  put_node(writer, "", "Relu", "c1", "r1");
  size_t pool = open_node(writer, "", "MaxPool", "r1", "p1");
  put_attr_ints(writer, "kernel_shape", (int64_t[]){2, 2}, 2);
  put_attr_ints(writer, "strides", (int64_t[]){2, 2}, 2);
  tern_pb_end_message(writer, pool);
  put_node(writer, "", "Conv", "p1,w2", "c2");
  put_node(writer, "", "Relu", "c2", "r2");
  put_node(writer, "", "GlobalAveragePool", "r2", "p2");
  put_node(writer, "", "Flatten", "p2", "f");
  put_node(writer, "", "MatMul", "f,w3", "m");
  put_node(writer, "", "Softmax", "m", "y");
  put_info(writer, GRAPH_OUTPUT, "y", 0, NULL);
  tern_pb_end_message(writer, graph);
}

typedef struct fixture {
  tern_session *session;
  tern_value *inputs[KINDS];
  tern_value *expected[KINDS];
} fixture;

static tern_status *run(fixture *f, size_t kind, tern_value **out_value) {
  static const char *const input = "x", *const output = "y";
  *out_value = NULL;
  return tern_session_run(f->session, NULL, &input, (const tern_value *const *)&f->inputs[kind], 1,
                          &output, 1, out_value);
}

static bool same(const tern_value *a, const tern_value *b) {
  return tern_shape_equal(&a->shape, &b->shape) && memcmp(a->data, b->data, a->data_bytes) == 0;
}

// Returns the fixture when every run was right, NULL otherwise.
static void *work(void *argument) {
  fixture *f = argument;
  for (size_t i = 0; i < RUNS_EACH; ++i) {
    tern_value *value;
    size_t kind = i % KINDS;
    tern_status *status = run(f, kind, &value);
    bool right = !status && same(value, f->expected[kind]);
    tern_status_free(status);
    tern_value_release(value);
    if (!right) return NULL;
  }
  return f;
}

static void open_fixture(fixture *f) {
  for (size_t i = 0; i < TERN_COUNT_OF(weights); ++i) weights[i] = (float)((i * 37) % 101) / 50 - 1;
  tern_pb_writer writer;
  tern_pb_writer_init(tern_allocator_system(), &writer);
  put_digits(&writer);
  assert_null(tern_pb_writer_finish(&writer));
  tern_session_options options = {.optimization_level = TERN_OPTIMIZE_ALL};
  tern_status *status =
      tern_session_create_from_memory(writer.data, writer.size, &options, &f->session);
  if (status) fail_msg("%s", tern_status_message(status));
  tern_pb_writer_deinit(&writer);
  for (size_t kind = 0; kind < KINDS; ++kind) {
    tern_type type = tern_type_tensor(TERN_FLOAT);
    type.shape = (tern_shape){.rank = 4, .dims = {(tern_dim)kind + 1, 1, 12, 12}};
    assert_null(test_make_value(tern_allocator_system(), &type, kind, &f->inputs[kind]));
    status = run(f, kind, &f->expected[kind]);
    if (status) fail_msg("%s", tern_status_message(status));
    assert_int_equal(f->expected[kind]->shape.dims[1], CLASSES);
  }
  assert_false(same(f->expected[0], f->expected[1]));
}

static void threads_get_what_one_gets(void **state) {
  (void)state;
  fixture f = {0};
  open_fixture(&f);
  pthread_t threads[THREADS];
  for (size_t i = 0; i < THREADS; ++i)
    assert_int_equal(pthread_create(&threads[i], NULL, work, &f), 0);
  for (size_t i = 0; i < THREADS; ++i) {
    void *result = NULL;
    assert_int_equal(pthread_join(threads[i], &result), 0);
    assert_ptr_equal(result, &f);
  }
  for (size_t kind = 0; kind < KINDS; ++kind) {
    tern_value_release(f.inputs[kind]);
    tern_value_release(f.expected[kind]);
  }
  tern_session_destroy(f.session);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(threads_get_what_one_gets)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
