// Threads change no bit of what models compute: neither those that work on one run, nor callers of
// one session at once, nor where inputs lie, nor what was planned before.
// Usage: test_engine_threads [--full] MODEL...
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "session/session.h"
#include "unit/test.h"

enum { CALLERS = 16, MOST_INPUTS = 8, MOST_OUTPUTS = 8, KINDS = 2 };

static char **models;
static int model_count, runs_each = 4;
static bool is_full;

static void check(tern_status *status) {
  if (status) fail_msg("%s", tern_status_message(status));
}

// ---- Inputs.

// What is known of an open dimension: most are the size of a batch, which differs by kind.
static int64_t open_size(const char *model, const char *input, int32_t axis, int kind) {
  if (strstr(model, "candy")) return 1; // an image of it is work enough
  if (strstr(model, "silero") && strcmp(input, "input") == 0 && axis == 1) return 576;
  if (strstr(model, "bert") && axis == 1) return 24;
  if (strstr(model, "lstm") && axis == 1) return 20;
  return 1 + kind;
}

static bool has_kinds(const char *model, const tern_edge *edge) {
  const tern_shape *shape = &edge->type.shape;
  for (int32_t i = 0; i < shape->rank; ++i)
    if (shape->dims[i] < 0 &&
        open_size(model, edge->name, i, 0) != open_size(model, edge->name, i, 1))
      return true;
  return false;
}

static int64_t whole_number(const char *input, int32_t rank, uint32_t random) {
  if (rank == 0) return 16000; // silero_vad's sampling rate
  if (strstr(input, "mask")) return 1;
  if (strstr(input, "type")) return 0;
  return random % 1000;
}

static tern_value *make_input(const char *model, const tern_edge *edge, int kind) {
  tern_shape shape = edge->type.shape;
  tern_value *value;
  for (int32_t i = 0; i < shape.rank; ++i)
    if (shape.dims[i] < 0) shape.dims[i] = open_size(model, edge->name, i, kind);
  check(tern_value_create_tensor(tern_allocator_system(), edge->type.dtype, &shape, &value));
  uint32_t random = (uint32_t)kind + 1;
  for (int64_t i = 0; i < tern_value_count(value); ++i) {
    random = random * 1664525u + 1013904223u;
    float real = (float)(random >> 8) * 0x1p-23f - 1;
    if (value->dtype == TERN_FLOAT)
      ((float *)value->data)[i] = real;
    else if (tern_dtype_get_info(value->dtype)->class == TERN_CLASS_B)
      tern_dtype_from_f32(value->dtype, &real, 1, true,
                          (char *)value->data + (size_t)i * tern_dtype_size(value->dtype));
    else
      tern_dtype_write_i64(value->dtype, value->data, i,
                           whole_number(edge->name, shape.rank, random >> 8));
  }
  return value;
}

// ---- Runs.

typedef struct fixture {
  const char *path;
  tern_session *session;
  size_t input_count, output_count;
  const char *input_names[MOST_INPUTS], *output_names[MOST_OUTPUTS];
  int kinds; // 1 where the inputs' shapes are all the same
  tern_value *inputs[KINDS][MOST_INPUTS];
  tern_value *expected[KINDS][MOST_OUTPUTS];
} fixture;

static void open_session(fixture *f, int32_t threads) {
  const tern_session_options options = {.optimization_level = TERN_OPTIMIZE_ALL,
                                        .threads = {.intra_op = threads}};
  tern_session_destroy(f->session);
  f->session = NULL;
  check(tern_session_create_from_file(f->path, &options, &f->session));
  // Names are the session's own.
  f->input_count = tern_session_input_count(f->session);
  f->output_count = tern_session_output_count(f->session);
  assert_true(f->input_count <= MOST_INPUTS && f->output_count <= MOST_OUTPUTS);
  for (size_t i = 0; i < f->input_count; ++i)
    f->input_names[i] = tern_session_input(f->session, i)->name;
  for (size_t i = 0; i < f->output_count; ++i)
    f->output_names[i] = tern_session_output(f->session, i)->name;
}

static tern_status *run(const fixture *f, tern_value *const *inputs, tern_value **out_values) {
  memset(out_values, 0, f->output_count * sizeof *out_values);
  return tern_session_run(f->session, NULL, f->input_names, (const tern_value *const *)inputs,
                          f->input_count, f->output_names, f->output_count, out_values);
}

static void release(tern_value **values, size_t count) {
  for (size_t i = 0; i < count; ++i) tern_value_release(values[i]);
}

static bool is_same(const tern_value *a, const tern_value *b) {
  return a->dtype == b->dtype && tern_shape_equal(&a->shape, &b->shape) &&
         (a->data_bytes == 0 || memcmp(a->data, b->data, a->data_bytes) == 0);
}

// One run on inputs of a kind, or on others with their elements, has the bits that are expected.
static bool is_right(const fixture *f, int kind, tern_value *const *inputs) {
  tern_value *values[MOST_OUTPUTS];
  tern_status *status = run(f, inputs ? inputs : f->inputs[kind], values);
  bool right = !status;
  for (size_t i = 0; right && i < f->output_count; ++i)
    right = is_same(values[i], f->expected[kind][i]);
  if (status) print_error("%s\n", tern_status_message(status));
  tern_status_free(status);
  release(values, f->output_count);
  return right;
}

static void open_fixture(const char *path, fixture *f) {
  *f = (fixture){.path = path, .kinds = 1};
  open_session(f, 1);
  for (size_t i = 0; i < f->input_count; ++i)
    if (has_kinds(path, tern_session_input(f->session, i))) f->kinds = KINDS;
  for (int kind = 0; kind < f->kinds; ++kind) {
    for (size_t i = 0; i < f->input_count; ++i)
      f->inputs[kind][i] = make_input(path, tern_session_input(f->session, i), kind);
    check(run(f, f->inputs[kind], f->expected[kind]));
  }
}

static void close_fixture(fixture *f) {
  for (int kind = 0; kind < f->kinds; ++kind) {
    release(f->inputs[kind], f->input_count);
    release(f->expected[kind], f->output_count);
  }
  tern_session_destroy(f->session);
}

// ---- Threads of a run, places of buffers, plans.

// The inputs of kind 0, `shift` bytes after where buffers begin.
static bool is_right_shifted(const fixture *f, size_t shift) {
  tern_value shifted[MOST_INPUTS], *inputs[MOST_INPUTS];
  char *memory[MOST_INPUTS];
  for (size_t i = 0; i < f->input_count; ++i) {
    const tern_value *value = f->inputs[0][i];
    memory[i] = aligned_alloc(64, (value->data_bytes + shift + 63) / 64 * 64);
    assert_non_null(memory[i]);
    memcpy(memory[i] + shift, value->data, value->data_bytes);
    tern_value_init_tensor(&shifted[i], value->dtype, &value->shape, memory[i] + shift,
                           value->data_bytes);
    inputs[i] = &shifted[i];
  }
  bool right = is_right(f, 0, inputs);
  for (size_t i = 0; i < f->input_count; ++i) free(memory[i]);
  return right;
}

static void check_model(const char *path) {
  static const int32_t counts[] = {1, 2, 4};
  static const size_t shifts[] = {8, 24, 56};
  fixture f;
  open_fixture(path, &f);
  for (size_t t = 0; t < TERN_COUNT_OF(counts); ++t) {
    open_session(&f, counts[t]);
    // Planned anew, and planned before other shapes came between; then planned just before.
    for (int turn = 0; turn < (is_full ? 3 : 2); ++turn)
      for (int kind = 0; kind < f.kinds; ++kind)
        if (!is_right(&f, kind, NULL))
          fail_msg("%s differs with %d threads, turn %d of inputs %d", path, counts[t], turn, kind);
    for (size_t i = 0; i < (is_full ? TERN_COUNT_OF(shifts) : 1); ++i)
      if (!is_right_shifted(&f, shifts[i]))
        fail_msg("%s differs with inputs shifted by %zu bytes", path, shifts[i]);
  }
  close_fixture(&f);
}

static void runs_have_the_same_bits_on_any_number_of_threads(void **state) {
  (void)state;
  for (int i = 0; i < model_count; ++i) check_model(models[i]);
}

// ---- Callers at once.

static void *call(void *argument) {
  const fixture *f = argument;
  for (int i = 0; i < runs_each; ++i)
    if (!is_right(f, i % f->kinds, NULL)) return NULL;
  return argument;
}

static void check_callers(const char *path) {
  pthread_t callers[CALLERS];
  fixture f;
  open_fixture(path, &f);
  open_session(&f, 2);
  for (int i = 0; i < CALLERS; ++i)
    assert_int_equal(pthread_create(&callers[i], NULL, call, &f), 0);
  int wrong = 0;
  for (int i = 0; i < CALLERS; ++i) {
    void *result = NULL;
    assert_int_equal(pthread_join(callers[i], &result), 0);
    wrong += !result;
  }
  if (wrong) fail_msg("%s differs for %d of %d callers", path, wrong, CALLERS);
  close_fixture(&f);
}

static void callers_at_once_get_what_one_gets(void **state) {
  (void)state;
  static const char *const called[] = {"mnist.onnx", "silero_vad.onnx", "version-RFB-320.onnx"};
  for (int i = 0; i < model_count; ++i)
    for (size_t k = 0; k < TERN_COUNT_OF(called); ++k)
      if (strstr(models[i], called[k])) check_callers(models[i]);
}

int main(int argc, char **argv) {
  int first = 1;
  if (argc > 1 && strcmp(argv[1], "--full") == 0) {
    is_full = true;
    runs_each = 200;
    first = 2;
  }
  models = argv + first;
  model_count = argc - first;
  if (model_count == 0) {
    printf("skipped: no models are there\n");
    return 77;
  }
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(runs_have_the_same_bits_on_any_number_of_threads),
      cmocka_unit_test(callers_at_once_get_what_one_gets)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
