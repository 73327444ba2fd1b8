// Frames from run to run: what they keep is theirs, and no more than runs need.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "session/frame_pool.h"
#include "session/memory_report.h"
#include "session/session.h"
#include "unit/failing_allocator.h"
#include "unit/graph/proto.h"
#include "unit/test.h"

// ---- An allocator that keeps what is freed, to see whether anything is written to it.

typedef struct quarantine {
  tern_allocator base;
  struct {
    unsigned char *data;
    size_t size;
  } freed[4096];
  size_t count;
} quarantine;

enum { FREED = 0xdd };

static void *quarantine_alloc(void *self, size_t size) {
  (void)self;
  void *data = NULL;
  tern_status_ignore(tern_allocator_alloc(tern_allocator_system(), size, &data));
  return data;
}

static void quarantine_free(void *self, void *data, size_t size) {
  quarantine *q = self;
  memset(data, FREED, size);
  assert_true(q->count < TERN_COUNT_OF(q->freed));
  q->freed[q->count].data = data;
  q->freed[q->count++].size = size;
}

static void quarantine_end(quarantine *q) {
  for (size_t i = 0; i < q->count; ++i) {
    for (size_t k = 0; k < q->freed[i].size; ++k) assert_int_equal(q->freed[i].data[k], FREED);
    tern_allocator_free(tern_allocator_system(), q->freed[i].data, q->freed[i].size);
  }
  free(q);
}

static quarantine *quarantine_begin(void) {
  quarantine *q = calloc(1, sizeof *q);
  assert_non_null(q);
  q->base = (tern_allocator){.self = q, .alloc = quarantine_alloc, .free = quarantine_free};
  return q;
}

// ---- A model whose sizes are known when its first step has run: the places of what is not 0,
// doubled, repeated, and summed up. It grows on the way.

static tern_session *load_growing(tern_allocator *frames) {
  static const int64_t repeats[2] = {1, 40}, axis = 1;
  tern_pb_writer writer;
  tern_pb_writer_init(tern_allocator_system(), &writer);
  put_model(&writer, 8, 21);
  size_t graph = open_graph(&writer);
  put_initializer(&writer, "repeats", TERN_INT64, "2", repeats, sizeof repeats);
  put_initializer(&writer, "axis", TERN_INT64, "1", &axis, sizeof axis);
  put_info(&writer, GRAPH_INPUT, "x", TERN_FLOAT, "N");
  put_node(&writer, "", "NonZero", "x", "places");
  put_node(&writer, "", "Add", "places,places", "doubled");
  put_node(&writer, "", "Tile", "doubled,repeats", "many");
  put_node(&writer, "", "Neg", "many", "negative");
  put_node(&writer, "", "Tile", "negative,repeats", "more");
  put_node(&writer, "", "Neg", "more", "positive");
  put_node(&writer, "", "ReduceSum", "positive,axis", "y");
  put_info(&writer, GRAPH_OUTPUT, "y", TERN_INT64, NULL);
  tern_pb_end_message(&writer, graph);
  assert_null(tern_pb_writer_finish(&writer));
  tern_session *session;
  const tern_session_options options = {.sources.frames = frames, .threads.intra_op = 1};
  tern_status *status =
      tern_session_create_from_memory(writer.data, writer.size, &options, &session);
  if (status) fail_msg("%s", tern_status_message(status));
  tern_pb_writer_deinit(&writer);
  return session;
}

// `count` numbers of which the last `ones` are not 0.
static void run_growing(tern_session *session, int64_t count, int64_t ones) {
  static const char *const x = "x", *const y = "y";
  tern_shape shape = {.rank = 1, .dims = {count}};
  tern_value *input, *output = NULL;
  int64_t expected = 0;
  assert_null(tern_value_create_tensor(tern_allocator_system(), TERN_FLOAT, &shape, &input));
  for (int64_t i = 0; i < count; ++i) {
    bool is_one = i >= count - ones;
    ((float *)input->data)[i] = is_one;
    expected += is_one ? 2 * i * 40 * 40 : 0;
  }
  tern_status *status =
      tern_session_run(session, NULL, &x, (const tern_value *const *)&input, 1, &y, 1, &output);
  if (status) fail_msg("%s", tern_status_message(status));
  assert_int_equal(((int64_t *)output->data)[0], expected);
  tern_value_release(input);
  tern_value_release(output);
}

// Between runs the blocks of the heap become one: nothing goes on living in the old ones.
static void memory_given_up_is_not_used(void **state) {
  (void)state;
  quarantine *q = quarantine_begin();
  tern_session *session = load_growing(&q->base);
  for (int i = 0; i < 4; ++i) run_growing(session, 100, 50);
  for (int64_t ones = 1; ones < 100; ones += 30)
    for (int i = 0; i < 3; ++i) run_growing(session, 100, ones);
  tern_session_destroy(session);
  quarantine_end(q);
}

// ---- How much is kept.

static int64_t frame_bytes(const tern_session *session) {
  return tern_account_bytes(tern_session_account(session), TERN_MEMORY_FRAMES);
}

// As many as were in use at once lately.
static void frames_that_nobody_uses_go(void **state) {
  (void)state;
  failing_allocator counted;
  failing_allocator_init(&counted, 0);
  tern_session *session = load_growing(&counted.base);
  tern_program *program = tern_session_program(session);
  tern_frame *frames[10];
  for (int i = 0; i < 10; ++i) assert_null(tern_frame_acquire(program, &frames[i]));
  for (int i = 0; i < 10; ++i) tern_frame_give_back(program, frames[i]);
  assert_int_equal(program->frames.count, 10);
  int64_t blocks = counted.live_blocks / 10;
  for (int uses = 0; uses < 2 * TERN_FRAME_POOL_USES; uses += 3) { // three at once
    for (int i = 0; i < 3; ++i) assert_null(tern_frame_acquire(program, &frames[i]));
    for (int i = 0; i < 3; ++i) tern_frame_give_back(program, frames[i]);
  }
  assert_int_equal(program->frames.count, 3);
  assert_int_equal(counted.live_blocks, 3 * blocks);
  tern_frame_pool_drop(program);
  assert_int_equal(counted.live_blocks, 0);
  run_growing(session, 100, 50);
  assert_int_equal(program->frames.count, 1);
  tern_session_destroy(session);
  assert_int_equal(counted.live_blocks, 0);
}

static void memory_is_what_recent_runs_need(void **state) {
  (void)state;
  quarantine *q = quarantine_begin();
  tern_session *session = load_growing(&q->base), *fresh = load_growing(tern_allocator_system());
  run_growing(fresh, 100, 10);
  int64_t small = frame_bytes(fresh);
  run_growing(session, 3000, 3000);
  int64_t large = frame_bytes(session);
  assert_true(large > 50 * small);
  // One large run among many small ones keeps it.
  for (int i = 0; i < 3 * TERN_FRAME_WINDOW_RUNS; ++i)
    run_growing(session, i % 50 ? 100 : 3000, i % 50 ? 10 : 3000);
  assert_true(frame_bytes(session) >= large);
  for (int i = 0; i < 3 * TERN_FRAME_WINDOW_RUNS; ++i) run_growing(session, 100, 10);
  assert_true(frame_bytes(session) < small + (64 << 10));
  run_growing(session, 3000, 3000);
  tern_session_destroy(session);
  tern_session_destroy(fresh);
  quarantine_end(q);
}

static void put_twice(tern_pb_writer *writer, const char *input, const char *output) {
  char inputs[32];
  snprintf(inputs, sizeof inputs, "%s,%s", input, input);
  size_t node = open_node(writer, "", "Concat", inputs, output);
  put_attr_i(writer, "axis", 0);
  tern_pb_end_message(writer, node);
}

// y = the largest of Softmax(x and x below it), of any size; the values on the way lie in the slab.
static tern_session *load_plain(void) {
  tern_pb_writer writer;
  tern_pb_writer_init(tern_allocator_system(), &writer);
  put_model(&writer, 8, 21);
  size_t graph = open_graph(&writer);
  put_info(&writer, GRAPH_INPUT, "x", TERN_FLOAT, "N,M");
  put_twice(&writer, "x", "a");
  put_node(&writer, "", "Softmax", "a", "b");
  put_node(&writer, "", "ReduceMax", "b", "y");
  put_info(&writer, GRAPH_OUTPUT, "y", TERN_FLOAT, NULL);
  tern_pb_end_message(&writer, graph);
  assert_null(tern_pb_writer_finish(&writer));
  tern_session *session;
  const tern_session_options options = {.threads.intra_op = 1};
  assert_null(tern_session_create_from_memory(writer.data, writer.size, &options, &session));
  tern_pb_writer_deinit(&writer);
  return session;
}

static void run_plain(tern_session *session, int64_t rows, int64_t columns) {
  static const char *const x = "x", *const y = "y";
  tern_shape shape = {.rank = 2, .dims = {rows, columns}};
  tern_value *input, *output = NULL;
  assert_null(tern_value_create_tensor(tern_allocator_system(), TERN_FLOAT, &shape, &input));
  memset(input->data, 0, input->data_bytes);
  assert_null(
      tern_session_run(session, NULL, &x, (const tern_value *const *)&input, 1, &y, 1, &output));
  assert_float_equal(((float *)output->data)[0], 1.0f / (float)columns, 1e-6f);
  tern_value_release(input);
  tern_value_release(output);
}

// Nor with the number of shapes: only the largest counts, and that for a while.
static void memory_does_not_grow_with_shapes(void **state) {
  (void)state;
  tern_session *session = load_plain(), *other = load_plain();
  run_plain(session, 200, 200);
  run_plain(other, 200, 200);
  int64_t largest = frame_bytes(session), plans = 0, most_plans = 0;
  for (int i = 0; i < 2000; ++i) {
    run_plain(session, 1 + i * 7 % 200, 1 + i * 13 % 200);
    if (i < 1000) run_plain(other, 1 + i * 7 % 200, 1 + i * 13 % 200);
    assert_true(frame_bytes(session) <= largest + 4096);
    plans = tern_account_bytes(tern_session_account(session), TERN_MEMORY_PLANS);
    if (i < 200 && plans > most_plans) most_plans = plans;
    assert_true(plans <= most_plans);
    if (i == 999) assert_int_equal(frame_bytes(session), frame_bytes(other));
  }
  for (int i = 0; i < 3 * TERN_FRAME_WINDOW_RUNS; ++i) run_plain(session, 3, 4);
  assert_true(frame_bytes(session) < largest / 2);
  tern_session_destroy(session);
  tern_session_destroy(other);
}

// y = If(x's first number > 0, the largest of Softmax(x and x), that of x)
static tern_session *load_choice(void) {
  static const int64_t zero = 0;
  static const float nought = 0;
  tern_pb_writer writer;
  tern_pb_writer_init(tern_allocator_system(), &writer);
  put_model(&writer, 8, 21);
  size_t graph = open_graph(&writer);
  put_initializer(&writer, "zero", TERN_INT64, "", &zero, sizeof zero);
  put_initializer(&writer, "nought", TERN_FLOAT, "", &nought, sizeof nought);
  put_info(&writer, GRAPH_INPUT, "x", TERN_FLOAT, "N");
  put_node(&writer, "", "Gather", "x,zero", "first");
  put_node(&writer, "", "Greater", "first,nought", "condition");
  size_t node = open_node(&writer, "choice", "If", "condition", "y");
  open_attr branch = open_attr_graph(&writer, "then_branch");
  put_twice(&writer, "x", "a");
  put_node(&writer, "", "Softmax", "a", "b");
  put_node(&writer, "", "ReduceMax", "b", "c");
  put_info(&writer, GRAPH_OUTPUT, "c", TERN_FLOAT, NULL);
  end_attr_graph(&writer, branch);
  branch = open_attr_graph(&writer, "else_branch");
  put_node(&writer, "", "ReduceMax", "x", "d");
  put_info(&writer, GRAPH_OUTPUT, "d", TERN_FLOAT, NULL);
  end_attr_graph(&writer, branch);
  tern_pb_end_message(&writer, node);
  put_info(&writer, GRAPH_OUTPUT, "y", TERN_FLOAT, NULL);
  tern_pb_end_message(&writer, graph);
  assert_null(tern_pb_writer_finish(&writer));
  tern_session *session;
  const tern_session_options options = {.threads.intra_op = 1};
  tern_status *status =
      tern_session_create_from_memory(writer.data, writer.size, &options, &session);
  if (status) fail_msg("%s", tern_status_message(status));
  tern_pb_writer_deinit(&writer);
  return session;
}

static void run_choice(tern_session *session, float first) {
  static const char *const x = "x", *const y = "y";
  tern_shape shape = {.rank = 1, .dims = {100000}};
  tern_value *input, *output = NULL;
  assert_null(tern_value_create_tensor(tern_allocator_system(), TERN_FLOAT, &shape, &input));
  memset(input->data, 0, input->data_bytes);
  ((float *)input->data)[0] = first;
  assert_null(
      tern_session_run(session, NULL, &x, (const tern_value *const *)&input, 1, &y, 1, &output));
  tern_value_release(input);
  tern_value_release(output);
}

// Frames of a branch that is not taken any more go too.
static void branches_not_taken_keep_nothing(void **state) {
  (void)state;
  tern_session *session = load_choice();
  for (int i = 0; i < 3; ++i) run_choice(session, 1);
  int64_t taken = frame_bytes(session);
  assert_true(taken > 400000);
  for (int i = 0; i < 2 * TERN_FRAME_POOL_USES; ++i) run_choice(session, -1);
  assert_true(frame_bytes(session) < taken - 400000);
  run_choice(session, 1);
  tern_session_destroy(session);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(memory_given_up_is_not_used),
      cmocka_unit_test(frames_that_nobody_uses_go),
      cmocka_unit_test(memory_is_what_recent_runs_need),
      cmocka_unit_test(memory_does_not_grow_with_shapes),
      cmocka_unit_test(branches_not_taken_keep_nothing),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
