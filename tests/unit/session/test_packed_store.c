// Packed weights: shared where they must be the same, apart where they may differ, gone with their
// last holder.
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "session/session.h"
#include "unit/failing_allocator.h"
#include "unit/graph/proto.h"
#include "unit/test.h"

// ---- The store.

// A packing that copies its first source and counts how often it does.
typedef struct copying {
  tern_packing packing;
  const tern_value *source;
  _Atomic int fills;
  bool fails;
} copying;

static tern_status *copy(void *context, void *out_data) {
  copying *self = context;
  self->fills++;
  if (self->fails) return TERN_ERROR(TERN_FAIL, "it cannot be packed");
  assert_int_equal((uintptr_t)out_data % TERN_BUFFER_ALIGNMENT, 0);
  memcpy(out_data, self->source->data, self->packing.bytes);
  return NULL;
}

static void make(const char *layout, int32_t rank, const tern_dim *dims, int first, copying *out) {
  tern_shape shape;
  tern_value *value;
  tern_shape_set(&shape, rank, dims);
  assert_null(tern_value_create_tensor(tern_allocator_system(), TERN_INT32, &shape, &value));
  for (int64_t i = 0; i < tern_value_count(value); ++i)
    ((int32_t *)value->data)[i] = first + (int)i;
  *out = (copying){.source = value};
  out->packing = (tern_packing){.layout = layout,
                                .sources = &out->source,
                                .source_count = 1,
                                .bytes = value->data_bytes,
                                .fill = copy,
                                .context = out};
}

static void unmake(copying *made) {
  tern_value_release((tern_value *)(uintptr_t)made->source);
}

static tern_packed *get(tern_packed_store *store, tern_allocator *allocator, copying *made) {
  tern_packed *packed;
  assert_null(tern_packed_get(store, allocator, &made->packing, &packed));
  assert_memory_equal(tern_packed_data(packed), made->source->data, made->packing.bytes);
  return packed;
}

static void equal_packings_are_one(void **state) {
  (void)state;
  tern_packed_store *store;
  failing_allocator counted;
  failing_allocator_init(&counted, 0);
  assert_null(tern_packed_store_create(tern_allocator_system(), &store));
  copying one, same, value, shape, layout, rank;
  make("rows", 2, (tern_dim[]){4, 6}, 1, &one);
  make("rows", 2, (tern_dim[]){4, 6}, 1, &same);
  make("rows", 2, (tern_dim[]){4, 6}, 2, &value);
  make("rows", 2, (tern_dim[]){6, 4}, 1, &shape);
  make("columns", 2, (tern_dim[]){4, 6}, 1, &layout);
  make("rows", 1, (tern_dim[]){24}, 1, &rank);
  tern_packed *packed[6];
  copying *all[6] = {&one, &same, &value, &shape, &layout, &rank};
  for (int i = 0; i < 6; ++i) packed[i] = get(store, &counted.base, all[i]);
  assert_ptr_equal(packed[0], packed[1]);
  assert_int_equal(same.fills, 0);
  assert_int_equal(tern_packed_holders(packed[0]), 2);
  for (int i = 2; i < 6; ++i)
    for (int j = 0; j < i; ++j) assert_ptr_not_equal(packed[i], packed[j]);
  assert_int_equal(counted.live_bytes, 5 * tern_packed_bytes(packed[0]));
  // The store goes with the last entry, not before.
  tern_packed_store_release(store);
  for (int i = 0; i < 6; ++i) tern_packed_release(packed[i]);
  assert_int_equal(counted.live_blocks, 0);
  for (int i = 0; i < 6; ++i) unmake(all[i]);
}

static void what_nobody_holds_is_packed_again(void **state) {
  (void)state;
  tern_packed_store *store;
  assert_null(tern_packed_store_create(tern_allocator_system(), &store));
  copying one;
  make("rows", 1, (tern_dim[]){1000}, 1, &one);
  tern_packed *packed = get(store, tern_allocator_system(), &one);
  tern_packed_release(tern_packed_retain(packed));
  assert_int_equal(one.fills, 1);
  tern_packed_release(packed);
  tern_packed_release(get(store, tern_allocator_system(), &one));
  assert_int_equal(one.fills, 2);
  tern_packed_store_release(store);
  unmake(&one);
}

// The table grows, and without memory to grow in its chains do.
static void many_packings_are_found_again(void **state) {
  (void)state;
  enum { MANY = 500 };
  failing_allocator of_store;
  copying made[MANY];
  tern_packed *packed[MANY];
  for (int64_t fails_at = 0; fails_at < 6; fails_at += 3) {
    tern_packed_store *store;
    failing_allocator_init(&of_store, fails_at);
    assert_null(tern_packed_store_create(&of_store.base, &store));
    for (int i = 0; i < MANY; ++i) {
      make("rows", 1, (tern_dim[]){3}, i, &made[i]);
      packed[i] = get(store, tern_allocator_system(), &made[i]);
    }
    for (int i = 0; i < MANY; ++i) {
      assert_ptr_equal(get(store, tern_allocator_system(), &made[i]), packed[i]);
      assert_int_equal(made[i].fills, 1);
      tern_packed_release(packed[i]);
      tern_packed_release(packed[i]);
      unmake(&made[i]);
    }
    tern_packed_store_release(store);
    assert_int_equal(of_store.live_blocks, 0);
    assert_int_equal(of_store.live_bytes, 0);
  }
}

static void keepers_hold_each_entry_once(void **state) {
  (void)state;
  tern_packed_store *store;
  tern_packed_keeper keeper;
  copying made[20];
  assert_null(tern_packed_store_create(tern_allocator_system(), &store));
  tern_packed_keeper_init(&keeper);
  for (int i = 0; i < 20; ++i) make("rows", 1, (tern_dim[]){100}, i, &made[i]);
  for (int round = 0; round < 2; ++round) {
    for (int i = 0; i < 20; ++i) {
      tern_packed *packed = get(store, tern_allocator_system(), &made[i]);
      assert_null(tern_packed_keeper_add(&keeper, packed));
      assert_int_equal(tern_packed_holders(packed), 2);
      tern_packed_release(packed);
    }
  }
  for (int i = 0; i < 20; ++i) assert_int_equal(made[i].fills, 1);
  tern_packed_keeper_deinit(&keeper);
  tern_packed_release(get(store, tern_allocator_system(), &made[0]));
  assert_int_equal(made[0].fills, 2);
  tern_packed_store_release(store);
  for (int i = 0; i < 20; ++i) unmake(&made[i]);
}

static void allocators_do_not_share(void **state) {
  (void)state;
  tern_packed_store *store;
  failing_allocator counted;
  failing_allocator_init(&counted, 0);
  assert_null(tern_packed_store_create(tern_allocator_system(), &store));
  copying one;
  make("rows", 1, (tern_dim[]){10}, 1, &one);
  tern_packed *a = get(store, tern_allocator_system(), &one), *b = get(store, &counted.base, &one);
  assert_ptr_not_equal(a, b);
  tern_packed_release(b);
  assert_int_equal(counted.live_blocks, 0);
  tern_packed_release(a);
  tern_packed_store_release(store);
  unmake(&one);
}

static void failures_leave_nothing(void **state) {
  (void)state;
  tern_packed_store *store;
  failing_allocator counted;
  failing_allocator_init(&counted, 1);
  assert_null(tern_packed_store_create(tern_allocator_system(), &store));
  copying one;
  make("rows", 1, (tern_dim[]){10}, 1, &one);
  tern_packed *packed = NULL;
  tern_status *status = tern_packed_get(store, &counted.base, &one.packing, &packed);
  assert_true(tern_status_is_out_of_memory(status));
  one.fails = true;
  assert_int_equal(take_code(tern_packed_get(store, &counted.base, &one.packing, &packed)),
                   TERN_FAIL);
  assert_null(packed);
  assert_int_equal(counted.live_blocks, 0);
  one.fails = false;
  tern_packed_release(get(store, &counted.base, &one));
  tern_packed_store_release(store);
  unmake(&one);
}

// ---- Threads: they come and go on the same few packings.

enum { THREADS = 4, ROUNDS = 300, PACKINGS = 100 };

typedef struct crowd {
  tern_packed_store *store;
  copying *packings;
} crowd;

static void *come_and_go(void *argument) {
  const crowd *c = argument;
  tern_packed *held[PACKINGS] = {NULL};
  unsigned random = (unsigned)(uintptr_t)&random;
  for (int round = 0; round < ROUNDS; ++round) {
    random = random * 1664525 + 1013904223;
    size_t i = random >> 16 & 63;
    tern_packed_release(held[i]);
    if (tern_packed_get(c->store, tern_allocator_system(), &c->packings[i].packing, &held[i]))
      abort();
    const int32_t *data = tern_packed_data(held[i]);
    if (data[0] != (int32_t)i || data[9] != (int32_t)i + 9) abort();
  }
  for (int i = 0; i < PACKINGS; ++i) tern_packed_release(held[i]);
  return NULL;
}

static void threads_share(void **state) {
  (void)state;
  copying packings[PACKINGS];
  crowd c = {.packings = packings};
  assert_null(tern_packed_store_create(tern_allocator_system(), &c.store));
  for (int i = 0; i < PACKINGS; ++i) make("rows", 1, (tern_dim[]){10}, i, &packings[i]);
  tern_packed *kept[PACKINGS];
  for (int i = 50; i < PACKINGS; ++i) kept[i] = get(c.store, tern_allocator_system(), &packings[i]);
  pthread_t threads[THREADS];
  for (int i = 0; i < THREADS; ++i)
    assert_int_equal(pthread_create(&threads[i], NULL, come_and_go, &c), 0);
  for (int i = 0; i < THREADS; ++i) pthread_join(threads[i], NULL);
  for (int i = 50; i < PACKINGS; ++i) {
    assert_int_equal(packings[i].fills, 1);
    assert_int_equal(tern_packed_holders(kept[i]), 1);
    tern_packed_release(kept[i]);
  }
  tern_packed_store_release(c.store);
  for (int i = 0; i < PACKINGS; ++i) unmake(&packings[i]);
}

// ---- Sessions.

// y = Conv(Reshape(x * w), k), with weights that hold `first` and what follows.
static void put_weights(tern_pb_writer *writer, float first) {
  static const int64_t image[4] = {1, 8, 8, 8};
  float *w = malloc(512 * 512 * sizeof *w);
  for (int i = 0; i < 512 * 512; ++i) w[i] = first + (float)i;
  tern_pb_writer_init(tern_allocator_system(), writer);
  put_model(writer, 8, 21);
  size_t graph = open_graph(writer);
  put_info(writer, GRAPH_INPUT, "x", TERN_FLOAT, "1,512");
  put_initializer(writer, "w", TERN_FLOAT, "512,512", w, 512 * 512 * sizeof *w);
  put_initializer(writer, "k", TERN_FLOAT, "64,8,3,3", w, 64 * 8 * 9 * sizeof *w);
  put_initializer(writer, "image", TERN_INT64, "4", image, sizeof image);
  put_node(writer, "", "MatMul", "x,w", "product");
  put_node(writer, "", "Reshape", "product,image", "reshaped");
  put_node(writer, "", "Conv", "reshaped,k", "y");
  put_info(writer, GRAPH_OUTPUT, "y", TERN_FLOAT, "1,64,6,6");
  tern_pb_end_message(writer, graph);
  assert_null(tern_pb_writer_finish(writer));
  free(w);
}

static tern_session *load(const tern_pb_writer *writer, tern_packed_store *store) {
  tern_session *session;
  // Without a pool, which the first session would make for the others.
  tern_session_options options = {
      .optimization_level = TERN_OPTIMIZE_ALL, .packed_store = store, .threads = {.intra_op = 1}};
  tern_status *status =
      tern_session_create_from_memory(writer->data, writer->size, &options, &session);
  if (status) fail_msg("%s", tern_status_message(status));
  return session;
}

static void run(tern_session *session, float *out_sum) {
  static const char *const x = "x", *const y = "y";
  tern_shape shape = {.rank = 2, .dims = {1, 512}};
  tern_value *input, *output = NULL;
  assert_null(tern_value_create_tensor(tern_allocator_system(), TERN_FLOAT, &shape, &input));
  for (int i = 0; i < 512; ++i) ((float *)input->data)[i] = 1e-6f * (float)i;
  assert_null(
      tern_session_run(session, NULL, &x, (const tern_value *const *)&input, 1, &y, 1, &output));
  *out_sum = 0;
  for (int i = 0; i < 64 * 36; ++i) *out_sum += ((float *)output->data)[i];
  tern_value_release(input);
  tern_value_release(output);
}

static int64_t live_bytes(void) {
  tern_allocator_stats stats;
  tern_allocator_get_stats(&stats);
  return stats.live_bytes;
}

static int64_t packed_bytes(tern_session *session, int64_t *out_holders) {
  const tern_program *program = tern_session_program(session);
  int64_t bytes = 0;
  *out_holders = 0;
  for (int32_t i = 0; i < program->step_count; ++i)
    for (size_t k = 0; k < program->steps[i].packed.count; ++k) {
      bytes += (int64_t)tern_packed_bytes(program->steps[i].packed.data[k]);
      *out_holders += tern_packed_holders(program->steps[i].packed.data[k]);
    }
  return bytes;
}

static void sessions_hold_the_same_weights_once(void **state) {
  (void)state;
  tern_packed_store *store;
  tern_pb_writer same, other;
  put_weights(&same, 0);
  put_weights(&other, 1);
  assert_null(tern_packed_store_create(tern_allocator_system(), &store));
  tern_session_destroy(load(&other, store)); // makes what lives as long as the process
  int64_t holders, start = live_bytes();
  float sums[3];
  tern_session *sessions[3];
  sessions[0] = load(&same, store);
  int64_t first = live_bytes() - start, packed = packed_bytes(sessions[0], &holders);
  assert_true(packed >= (int64_t)((512 * 512 + 64 * 72) * sizeof(float)));
  assert_int_equal(holders, 2);
  sessions[1] = load(&same, store);
  assert_int_equal(live_bytes() - start, 2 * first - packed);
  assert_int_equal(packed_bytes(sessions[1], &holders), packed);
  assert_int_equal(holders, 4);
  sessions[2] = load(&other, store);
  assert_int_equal(live_bytes() - start, 3 * first - packed);
  packed_bytes(sessions[2], &holders);
  assert_int_equal(holders, 2);
  for (int i = 0; i < 3; ++i) run(sessions[i], &sums[i]);
  assert_true(sums[0] == sums[1] && sums[0] != sums[2]);
  tern_session_destroy(sessions[0]); // which packed them
  run(sessions[1], &sums[2]);
  assert_true(sums[1] == sums[2]);
  tern_session_destroy(sessions[2]);
  tern_packed_store_release(store);
  tern_session_destroy(sessions[1]);
  tern_pb_writer_deinit(&same);
  tern_pb_writer_deinit(&other);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(equal_packings_are_one),
      cmocka_unit_test(what_nobody_holds_is_packed_again),
      cmocka_unit_test(many_packings_are_found_again),
      cmocka_unit_test(keepers_hold_each_entry_once),
      cmocka_unit_test(allocators_do_not_share),
      cmocka_unit_test(failures_leave_nothing),
      cmocka_unit_test(threads_share),
      cmocka_unit_test(sessions_hold_the_same_weights_once),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
