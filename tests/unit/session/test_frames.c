// Frames from run to run: what they keep is theirs, and no more than runs need.
#include <stdlib.h>
#include <string.h>

#include "session/session.h"
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

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(memory_given_up_is_not_used),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
