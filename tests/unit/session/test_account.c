// What a session says its memory is used for, held against an allocator that counts by itself.
#include "session/account.h"

#include <stdlib.h>
#include <string.h>

#include "session/session.h"
#include "unit/failing_allocator.h"
#include "unit/graph/proto.h"
#include "unit/test.h"

static int64_t sum(const tern_account *account) {
  int64_t total = 0;
  for (int use = 0; use < TERN_MEMORY_USE_COUNT; ++use)
    total += tern_account_bytes(account, (tern_memory_use)use);
  return total;
}

static void account_outlives_its_session(void **state) {
  (void)state;
  failing_allocator counted;
  failing_allocator_init(&counted, 0);
  const tern_account_sources sources = tern_account_sources_of(&counted.base);
  tern_account *account;
  assert_null(tern_account_create(&sources, &account));
  assert_int_equal(sum(account), counted.live_bytes);
  tern_allocator *values = tern_account_allocator(account, TERN_MEMORY_VALUES);
  void *a, *b, *c;
  assert_null(tern_allocator_alloc(values, 100, &a));
  assert_null(tern_allocator_alloc(values, 23, &b));
  assert_null(tern_allocator_alloc(tern_account_allocator(account, TERN_MEMORY_PLANS), 7, &c));
  assert_int_equal(tern_account_bytes(account, TERN_MEMORY_VALUES), 123);
  assert_int_equal(tern_account_bytes(account, TERN_MEMORY_PLANS), 7);
  assert_int_equal(sum(account), counted.live_bytes);
  tern_allocator_free(tern_account_allocator(account, TERN_MEMORY_PLANS), c, 7);
  tern_allocator_free(values, a, 100);
  tern_account_release(account);
  assert_int_equal(counted.live_blocks, 2);
  tern_allocator_free(values, b, 23);
  assert_int_equal(counted.live_blocks, 0);
  failing_allocator_init(&counted, 1);
  assert_true(tern_status_is_out_of_memory(tern_account_create(&sources, &account)));
  tern_account_release(NULL);
}

// y = x * w, twice more in a loop whose length is given; z = where y is not 0. The weights are
// packed, folded, read as they are, read by subgraphs.
static void put_everything(tern_pb_writer *writer) {
  static float w[96 * 96], b[96];
  static const int64_t flat = -1;
  for (int i = 0; i < 96 * 96; ++i) w[i] = 0.001f * (float)(i % 17);
  tern_pb_writer_init(tern_allocator_system(), writer);
  put_model(writer, 8, 21);
  size_t graph = open_graph(writer);
  put_info(writer, GRAPH_INPUT, "x", TERN_FLOAT, "N,96");
  put_info(writer, GRAPH_INPUT, "trips", TERN_INT64, "");
  put_initializer(writer, "w", TERN_FLOAT, "96,96", w, sizeof w);
  put_initializer(writer, "b", TERN_FLOAT, "96", b, sizeof b);
  put_initializer(writer, "flat", TERN_INT64, "1", &flat, sizeof flat);
  put_node(writer, "", "Sqrt", "w", "root");
  put_node(writer, "", "MatMul", "x,root", "first");
  put_node(writer, "", "Add", "first,b", "sum");
  size_t node = open_node(writer, "loop", "Loop", "trips,,sum", "y");
  open_attr body = open_attr_graph(writer, "body");
  put_info(writer, GRAPH_INPUT, "i", TERN_INT64, "");
  put_info(writer, GRAPH_INPUT, "go", TERN_BOOL, "");
  put_info(writer, GRAPH_INPUT, "state", 0, NULL);
  put_node(writer, "", "Identity", "go", "go_on");
  put_node(writer, "", "MatMul", "state,w", "next");
  put_info(writer, GRAPH_OUTPUT, "go_on", 0, NULL);
  put_info(writer, GRAPH_OUTPUT, "next", 0, NULL);
  end_attr_graph(writer, body);
  tern_pb_end_message(writer, node);
  put_node(writer, "", "NonZero", "y", "z");
  put_info(writer, GRAPH_OUTPUT, "y", TERN_FLOAT, "N,96");
  put_info(writer, GRAPH_OUTPUT, "z", TERN_INT64, "2,M");
  tern_pb_end_message(writer, graph);
  assert_null(tern_pb_writer_finish(writer));
}

static tern_session *load(failing_allocator *counted) {
  tern_pb_writer writer;
  put_everything(&writer);
  tern_session *session;
  tern_session_options options = {.optimization_level = TERN_OPTIMIZE_ALL,
                                  .allocator = &counted->base};
  tern_status *status =
      tern_session_create_from_memory(writer.data, writer.size, &options, &session);
  if (status) fail_msg("%s", tern_status_message(status));
  tern_pb_writer_deinit(&writer);
  return session;
}

static tern_value *make(tern_dtype dtype, int32_t rank, const tern_dim *dims, int64_t number) {
  tern_shape shape;
  tern_value *value;
  tern_shape_set(&shape, rank, dims);
  assert_null(tern_value_create_tensor(tern_allocator_system(), dtype, &shape, &value));
  for (int64_t i = 0; i < tern_value_count(value); ++i) {
    if (dtype == TERN_FLOAT)
      ((float *)value->data)[i] = (float)number;
    else
      ((int64_t *)value->data)[i] = number;
  }
  return value;
}

static void run(tern_session *session, int64_t rows, int64_t trips, tern_value **out_values) {
  static const char *const in[] = {"x", "trips"}, *const out[] = {"y", "z"};
  tern_value *inputs[2] = {make(TERN_FLOAT, 2, (tern_dim[]){rows, 96}, 1),
                           make(TERN_INT64, 0, NULL, trips)};
  tern_status *status =
      tern_session_run(session, NULL, in, (const tern_value *const *)inputs, 2, out, 2, out_values);
  if (status) fail_msg("%s", tern_status_message(status));
  tern_value_release(inputs[0]);
  tern_value_release(inputs[1]);
}

static int64_t bytes_for(const tern_session *session, tern_memory_use use) {
  return tern_account_bytes(tern_session_account(session), use);
}

static void every_byte_has_a_use(void **state) {
  (void)state;
  failing_allocator counted;
  failing_allocator_init(&counted, 0);
  tern_session *session = load(&counted);
  const tern_account *account = tern_session_account(session);
  assert_int_equal(sum(account), counted.live_bytes);
  for (int use = 0; use < TERN_MEMORY_PLANS; ++use)
    if (use != TERN_MEMORY_KERNELS) assert_true(bytes_for(session, (tern_memory_use)use) > 0);
  assert_int_equal(bytes_for(session, TERN_MEMORY_PLANS), 0);
  assert_int_equal(bytes_for(session, TERN_MEMORY_FRAMES), 0);
  assert_int_equal(bytes_for(session, TERN_MEMORY_VALUES), 0);
  assert_true(bytes_for(session, TERN_MEMORY_PACKED) >= 2 * 96 * 96 * 4);
  tern_value *held[20] = {NULL};
  for (int i = 0; i < 10; ++i) {
    run(session, 1 + 7 * (i % 4), i % 3, held + 2 * i);
    assert_int_equal(sum(account), counted.live_bytes);
  }
  int64_t plans = bytes_for(session, TERN_MEMORY_PLANS);
  assert_true(plans > 0 && bytes_for(session, TERN_MEMORY_FRAMES) > 0);
  int64_t elements = 0;
  for (int i = 0; i < 20; ++i) elements += (int64_t)held[i]->data_bytes;
  int64_t headers = bytes_for(session, TERN_MEMORY_VALUES) - elements;
  assert_int_equal(headers, 20 * sizeof(tern_value));
  for (int i = 1; i < 20; ++i) tern_value_release(held[i]);
  assert_int_equal(bytes_for(session, TERN_MEMORY_VALUES),
                   (int64_t)held[0]->data_bytes + (int64_t)sizeof(tern_value));
  assert_int_equal(sum(account), counted.live_bytes);
  tern_session_destroy(session);
  assert_int_equal(counted.live_blocks, 3); // the value, its elements, the account
  tern_value_release(held[0]);
  assert_int_equal(counted.live_blocks, 0);
  assert_int_equal(counted.live_bytes, 0);
}

// Three allocators, each with its part of the session and nothing else.
static void parts_come_from_their_own_allocators(void **state) {
  (void)state;
  failing_allocator structures, weights, runs;
  failing_allocator_init(&structures, 0);
  failing_allocator_init(&weights, 0);
  failing_allocator_init(&runs, 0);
  tern_pb_writer writer;
  put_everything(&writer);
  tern_session *session;
  tern_session_options options = {
      .allocator = &structures.base,
      .sources = {.weights = &weights.base, .frames = &runs.base, .values = &runs.base}};
  assert_null(tern_session_create_from_memory(writer.data, writer.size, &options, &session));
  tern_pb_writer_deinit(&writer);
  assert_int_equal(runs.live_bytes, 0);
  tern_value *held[2] = {NULL};
  run(session, 3, 2, held);
  assert_int_equal(structures.live_bytes, bytes_for(session, TERN_MEMORY_MODEL) +
                                              bytes_for(session, TERN_MEMORY_PROGRAM) +
                                              bytes_for(session, TERN_MEMORY_PLANS));
  assert_int_equal(weights.live_bytes, bytes_for(session, TERN_MEMORY_SOURCE) +
                                           bytes_for(session, TERN_MEMORY_WEIGHTS) +
                                           bytes_for(session, TERN_MEMORY_KERNELS) +
                                           bytes_for(session, TERN_MEMORY_PACKED));
  assert_int_equal(runs.live_bytes,
                   bytes_for(session, TERN_MEMORY_FRAMES) + bytes_for(session, TERN_MEMORY_VALUES));
  tern_value_release(held[0]);
  tern_value_release(held[1]);
  tern_session_destroy(session);
  assert_int_equal(structures.live_blocks + weights.live_blocks + runs.live_blocks, 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(account_outlives_its_session),
      cmocka_unit_test(every_byte_has_a_use),
      cmocka_unit_test(parts_come_from_their_own_allocators),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
