// Memory is what the plans say: it grows neither with the number of runs, nor with the number of
// shapes seen, nor with the iterations of a loop. `test_engine_memory [--full] [MODEL]`: MODEL is a
// file to run many times, too.
#include <stdio.h>

#include "engine/engine_test.h"

static const char *model_path;

// ---- Many signatures.

enum { SIGNATURES = 1000, SETTLED = 100, BATCHES = 4, LENGTHS = 250 };

// All pairs of batch and length, the largest first, then in no order: 617 and 1000 have no common
// factor.
static void run_signature(tern_session *session, int index) {
  static float data[BATCHES * LENGTHS * MODEL_LAYER_WIDTH];
  int pair = (SIGNATURES - 1 + index * 617) % SIGNATURES;
  const tern_dim dims[] = {1 + pair / LENGTHS, 1 + pair % LENGTHS, MODEL_LAYER_WIDTH};
  tern_value x = engine_tensor(TERN_FLOAT, data, 3, dims);
  engine_run_right(session, &(tern_value *){&x});
}

static void shapes_that_come_and_go_leave_nothing(void **state) {
  (void)state;
  meter m;
  tern_pb_writer model;
  meter_init(&m);
  model_layer(&model);
  tern_session *session = engine_open(&model, &m);
  int64_t most_bytes = 0, most_blocks = 0;
  int runs = engine_is_full ? 10 * SIGNATURES : 400;
  for (int i = 0; i < runs; ++i) {
    run_signature(session, i);
    int64_t bytes = atomic_load(&m.live_bytes), blocks = atomic_load(&m.live_blocks);
    if (i < SETTLED) {
      most_bytes = tern_max_i64(most_bytes, bytes);
      most_blocks = tern_max_i64(most_blocks, blocks);
    }
    if (bytes > most_bytes || blocks > most_blocks)
      fail_msg("after run %d %lld bytes in %lld blocks live; after the first %d at most %lld in "
               "%lld",
               i + 1, (long long)bytes, (long long)blocks, SETTLED, (long long)most_bytes,
               (long long)most_blocks);
  }
  tern_session_destroy(session);
  assert_int_equal(m.live_bytes, 0);
}

// ---- Many runs of a model whose sizes are known only while it runs.

enum { KINDS = 10, MOST_BOXES = 300 };

typedef struct detector_inputs {
  float boxes[KINDS][MOST_BOXES * 4], scores[KINDS][MOST_BOXES * 3];
} detector_inputs;

// Boxes of a tenth of the picture here and there, surer of themselves with each kind: none of the
// first kind's scores is above a half, most of the last kind's are.
static void fill_kind(detector_inputs *inputs, int kind) {
  for (int i = 0; i < MOST_BOXES; ++i) {
    float *box = &inputs->boxes[kind][4 * i];
    box[0] = (float)((i * 131 + kind * 17) % 97) / 100;
    box[1] = (float)((i * 71 + kind * 29) % 89) / 100;
    box[2] = box[0] + 0.1f;
    box[3] = box[1] + 0.1f;
    for (int c = 0; c < 3; ++c)
      inputs->scores[kind][3 * i + c] =
          (float)((i * 53 + c * 37 + kind * 11) % 101) / 101 * (0.4f + 0.07f * (float)kind);
  }
}

// How many of the best are above a half.
static tern_dim run_kind(tern_session *session, detector_inputs *inputs, int kind) {
  const tern_dim count = MOST_BOXES - 20 * kind;
  tern_value boxes = engine_tensor(TERN_FLOAT, inputs->boxes[kind], 3, (tern_dim[]){1, count, 4});
  tern_value scores = engine_tensor(TERN_FLOAT, inputs->scores[kind], 3, (tern_dim[]){1, 3, count});
  tern_value *outputs[3];
  tern_status *status = engine_run(session, NULL, (tern_value *[]){&boxes, &scores}, outputs);
  if (status) fail_msg("%s", tern_status_message(status));
  tern_dim sure = outputs[2]->shape.dims[1];
  for (size_t i = 0; i < TERN_COUNT_OF(outputs); ++i) tern_value_release(outputs[i]);
  return sure;
}

// Half of the kinds have fewer than eight survivors above a half: sizes differ from run to run.
// From the second round of the same inputs on, each round ends with the same memory and has asked
// for as many blocks.
static void runs_of_sizes_known_late_leave_nothing(void **state) {
  (void)state;
  static detector_inputs inputs;
  meter m;
  tern_pb_writer model;
  meter_init(&m);
  model_detector(&model);
  tern_session *session = engine_open(&model, &m);
  for (int kind = 0; kind < KINDS; ++kind) fill_kind(&inputs, kind);
  int rounds = engine_is_full ? 100 : 20;
  int64_t bytes = 0, blocks = 0, asked = 0;
  for (int round = 0; round < rounds; ++round) {
    int64_t before = atomic_load(&m.total_blocks);
    tern_dim least = INT64_MAX, most = 0;
    for (int kind = 0; kind < KINDS; ++kind) {
      tern_dim sure = run_kind(session, &inputs, kind);
      least = tern_min_i64(least, sure);
      most = tern_max_i64(most, sure);
    }
    assert_true(least < most && most > 0);
    if (round == 1) {
      bytes = atomic_load(&m.live_bytes);
      blocks = atomic_load(&m.live_blocks);
      asked = atomic_load(&m.total_blocks) - before;
    }
    if (round < 2) continue;
    assert_int_equal(m.live_bytes, bytes);
    assert_int_equal(m.live_blocks, blocks);
    assert_int_equal(m.total_blocks - before, asked);
  }
  tern_session_destroy(session);
  assert_int_equal(m.live_bytes, 0);
}

// ---- Many iterations.

static void loop(tern_session *session, int64_t count) {
  float zero = 0;
  bool yes = true;
  tern_value inputs[] = {engine_tensor(TERN_INT64, &count, 0, NULL),
                         engine_tensor(TERN_BOOL, &yes, 0, NULL),
                         engine_tensor(TERN_FLOAT, &zero, 1, (tern_dim[]){1})};
  tern_value *y;
  tern_status *status =
      engine_run(session, NULL, (tern_value *[]){&inputs[0], &inputs[1], &inputs[2]}, &y);
  if (status) fail_msg("%s", tern_status_message(status));
  assert_true(*(float *)y->data == (float)count);
  tern_value_release(y);
}

// At no time does a long loop hold more than a short one.
static void iterations_leave_nothing(void **state) {
  (void)state;
  meter m;
  tern_pb_writer model;
  meter_init(&m);
  model_loop(&model);
  tern_session *session = engine_open(&model, &m);
  for (int i = 0; i < 3; ++i) loop(session, 100);
  int64_t live = atomic_load(&m.live_bytes);
  atomic_store(&m.peak_bytes, live);
  loop(session, 100);
  int64_t peak = atomic_load(&m.peak_bytes);
  loop(session, engine_is_full ? 1000000 : 50000);
  assert_int_equal(m.live_bytes, live);
  assert_int_equal(m.peak_bytes, peak);
  tern_session_destroy(session);
  assert_int_equal(m.live_bytes, 0);
}

// ---- A file.

static void run_file(tern_session *session, tern_value *const *inputs, meter *m, int runs) {
  enum { WARM_UP = 3 };
  int64_t bytes = 0, asked = 0;
  for (int i = 0; i < runs; ++i) {
    int64_t before = atomic_load(&m->total_blocks);
    engine_run_right(session, inputs);
    if (i < WARM_UP) {
      bytes = atomic_load(&m->live_bytes);
      asked = atomic_load(&m->total_blocks) - before;
      continue;
    }
    if (m->live_bytes != bytes || m->total_blocks - before != asked)
      fail_msg("run %d leaves %lld bytes and asked for %lld blocks, run %d left %lld and asked "
               "for %lld",
               i + 1, (long long)m->live_bytes, (long long)(m->total_blocks - before), WARM_UP,
               (long long)bytes, (long long)asked);
  }
}

static void runs_of_a_file_leave_nothing(void **state) {
  (void)state;
  meter m;
  meter_init(&m);
  tern_session *session;
  tern_session_options options = {.allocator = &m.base, .optimization_level = TERN_OPTIMIZE_ALL};
  tern_status *status = tern_session_create_from_file(model_path, &options, &session);
  if (status) fail_msg("%s", tern_status_message(status));
  tern_value *inputs[ENGINE_MAX_OUTPUTS];
  size_t count = tern_session_input_count(session);
  assert_true(count <= ENGINE_MAX_OUTPUTS);
  for (size_t i = 0; i < count; ++i)
    assert_null(test_make_value(tern_allocator_system(), &tern_session_input(session, i)->type, i,
                                &inputs[i]));
  run_file(session, inputs, &m, engine_is_full ? 1000 : 10);
  for (size_t i = 0; i < count; ++i) tern_value_release(inputs[i]);
  tern_session_destroy(session);
  assert_int_equal(m.live_bytes, 0);
}

int main(int argc, char **argv) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(shapes_that_come_and_go_leave_nothing),
      cmocka_unit_test(runs_of_sizes_known_late_leave_nothing),
      cmocka_unit_test(iterations_leave_nothing),
  };
  const struct CMUnitTest file_tests[] = {cmocka_unit_test(runs_of_a_file_leave_nothing)};
  if (!engine_parse(argc, argv, &model_path)) return 2;
  int failures = cmocka_run_group_tests(tests, NULL, NULL);
  if (model_path) failures += cmocka_run_group_tests(file_tests, NULL, NULL);
  return failures;
}
