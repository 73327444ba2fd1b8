// Loading, running and releasing under limits.
#include "support/load_run.h"

#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>

#include "ops/ops.h"
#include "support/random.h"

static void require(bool condition, const char *what) {
  if (condition) return;
  fprintf(stderr, "load_run: %s\n", what);
  abort();
}

static void *limiter_alloc(void *self, size_t size) {
  test_limiter *limiter = self;
  if (size > (size_t)limiter->limit_bytes) return NULL;
  int64_t live = atomic_fetch_add(&limiter->live_bytes, (int64_t)size) + (int64_t)size;
  void *data = NULL;
  // Exactly `size` bytes, so that a sanitizer sees the first byte beyond.
  if (live <= limiter->limit_bytes && posix_memalign(&data, TERN_BUFFER_ALIGNMENT, size) != 0)
    data = NULL;
  if (data)
    atomic_fetch_add(&limiter->live_blocks, 1);
  else
    atomic_fetch_sub(&limiter->live_bytes, (int64_t)size);
  return data;
}

static void limiter_free(void *self, void *data, size_t size) {
  test_limiter *limiter = self;
  atomic_fetch_sub(&limiter->live_bytes, (int64_t)size);
  atomic_fetch_sub(&limiter->live_blocks, 1);
  free(data);
}

void test_limiter_init(test_limiter *out_limiter, int64_t limit_bytes) {
  *out_limiter = (test_limiter){.base = {out_limiter, limiter_alloc, limiter_free},
                                .limit_bytes = limit_bytes};
}

static _Atomic bool must_stop;

static void ask_to_stop(int signal_number) {
  (void)signal_number;
  atomic_store(&must_stop, true);
}

// CPU time, so that a busy machine stops no run early. 0 disarms.
static void arm(int cpu_ms) {
  atomic_store(&must_stop, false);
  struct sigaction action = {.sa_flags = SA_RESTART};
  action.sa_handler = ask_to_stop;
  sigaction(SIGPROF, &action, NULL);
  struct itimerval timer = {
      .it_value = {.tv_sec = cpu_ms / 1000, .tv_usec = (cpu_ms % 1000) * 1000}};
  setitimer(ITIMER_PROF, &timer, NULL);
}

// Takes the status.
static void note(test_load_run_result *result, tern_status *status) {
  require(!status || tern_status_message(status)[0], "a failure says nothing");
  if (status && result->code == TERN_OK) {
    result->code = tern_status_get_code(status);
    snprintf(result->message, sizeof result->message, "%s", tern_status_message(status));
  }
  tern_status_free(status);
}

typedef struct bindings {
  const char **names;
  tern_value **values;
  size_t count, capacity;
} bindings;

static tern_status *bindings_init(tern_allocator *allocator, size_t count, bindings *out) {
  *out = (bindings){.capacity = count};
  TERN_TRY(tern_allocator_calloc(allocator, count, sizeof *out->names, (void **)&out->names));
  return tern_allocator_calloc(allocator, count, sizeof(tern_value *), (void **)&out->values);
}

static void bindings_deinit(tern_allocator *allocator, bindings *b) {
  for (size_t i = 0; b->values && i < b->capacity; ++i) tern_value_release(b->values[i]);
  tern_allocator_free(allocator, b->values, b->capacity * sizeof *b->values);
  tern_allocator_free(allocator, b->names, b->capacity * sizeof *b->names);
}

// One run: what its inputs are made from, and what came of it.
typedef struct trial {
  tern_session *session;
  tern_allocator *allocator;
  const test_load_run_options *options;
  uint64_t seed;
  bool is_hostile;
  bool was_stopped;
} trial;

static const test_given *find_given(const test_load_run_options *options, const char *name) {
  for (size_t i = 0; i < options->given_count; ++i) {
    if (strcmp(options->given[i].name, name) == 0) return &options->given[i];
  }
  return NULL;
}

static tern_status *make_input(const trial *t, const tern_edge *edge, size_t index,
                               tern_value **out_value) {
  const test_given *given = find_given(t->options, edge->name);
  tern_type type = edge->type;
  test_random random = {t->seed * 64 + index};
  if (given) tern_shape_merge(&type.shape, &given->shape);
  if (t->is_hostile && test_random_below(&random, 2))
    return test_make_hostile_value(t->allocator, &type, test_random_next(&random), out_value);
  TERN_TRY(test_make_value(t->allocator, &type, t->seed, out_value));
  tern_value *value = *out_value;
  if (!given || !given->has_number || value->kind != TERN_KIND_TENSOR) return NULL;
  if (tern_dtype_get_info(value->dtype)->class != TERN_CLASS_I) return NULL;
  for (int64_t i = 0; i < tern_value_count(value); ++i)
    tern_dtype_write_i64(value->dtype, value->data, i, given->number);
  return NULL;
}

static tern_status *make_inputs(const trial *t, bindings *inputs) {
  for (size_t i = 0; i < tern_session_input_count(t->session); ++i) {
    const tern_edge *edge = tern_session_input(t->session, i);
    inputs->names[i] = edge->name;
    TERN_TRY(make_input(t, edge, i, &inputs->values[i]));
    inputs->count = i + 1;
  }
  return NULL;
}

static tern_status *run_bound(trial *t, const bindings *inputs, bindings *outputs) {
  outputs->count = tern_session_output_count(t->session);
  for (size_t i = 0; i < outputs->count; ++i)
    outputs->names[i] = tern_session_output(t->session, i)->name;
  arm(t->options->run_cpu_ms);
  tern_status *status =
      tern_session_run(t->session, &(tern_run_options){.terminate = &must_stop}, inputs->names,
                       (const tern_value *const *)inputs->values, inputs->count, outputs->names,
                       outputs->count, outputs->values);
  t->was_stopped = status && atomic_load(&must_stop);
  arm(0);
  for (size_t i = 0; i < outputs->count; ++i)
    require((status == NULL) == (outputs->values[i] != NULL), "outputs and status disagree");
  return status;
}

static tern_status *run_once(trial *t) {
  bindings inputs, outputs = {0};
  tern_status *status = bindings_init(t->allocator, tern_session_input_count(t->session), &inputs);
  if (!status)
    status = bindings_init(t->allocator, tern_session_output_count(t->session), &outputs);
  if (!status) status = make_inputs(t, &inputs);
  if (!status) status = run_bound(t, &inputs, &outputs);
  bindings_deinit(t->allocator, &outputs);
  bindings_deinit(t->allocator, &inputs);
  return status;
}

static tern_status *load(tern_allocator *allocator, tern_span bytes, tern_session **out_session) {
  static const tern_metadata config[] = {
      {"session.use_ort_model_bytes_for_initializers", "1"},
      {"session.model_external_initializers_file_folder_path", "/nonexistent"}};
  tern_session_options options = {.allocator = allocator,
                                  .optimization_level = TERN_OPTIMIZE_ALL,
                                  .config = config,
                                  .config_count = TERN_COUNT_OF(config)};
  return tern_session_create_from_memory(bytes.data, bytes.size, &options, out_session);
}

static void run_all(tern_allocator *allocator, tern_span bytes,
                    const test_load_run_options *options, test_load_run_result *result) {
  tern_session *session = NULL;
  tern_status *status = load(allocator, bytes, &session);
  result->loaded = !status;
  require((status == NULL) == (session != NULL), "session and status disagree");
  note(result, status);
  for (int i = 0; session && i < options->runs + options->hostile_runs; ++i) {
    trial t = {session, allocator, options, (uint64_t)i + 1, i >= options->runs, false};
    status = run_once(&t);
    result->completed += !status;
    result->stopped += t.was_stopped;
    note(result, status);
  }
  tern_session_destroy(session);
}

static tern_status *import(tern_allocator *allocator, tern_span bytes, tern_model **out_model) {
  const tern_op_registry *registry;
  TERN_TRY(tern_ops_registry(&registry));
  TERN_TRY(tern_model_create(allocator, registry, out_model));
  TERN_TRY(tern_import(*out_model, bytes, &(tern_import_options){0}));
  tern_status *status = tern_model_verify(*out_model);
  if (status && !tern_status_is_out_of_memory(status)) require(false, tern_status_message(status));
  return status;
}

// An imported model exported, and the export loaded.
static void export_and_load(tern_allocator *allocator, tern_span bytes) {
  tern_model *model = NULL;
  tern_pb_writer file, external;
  tern_pb_writer_init(allocator, &file);
  tern_pb_writer_init(allocator, &external);
  tern_status *status = import(allocator, bytes, &model);
  tern_export_options options = {.external_min_bytes = SIZE_MAX};
  if (!status) status = tern_export(model, &options, &file, &external);
  tern_session *session = NULL;
  if (!status) status = load(allocator, (tern_span){(const char *)file.data, file.size}, &session);
  tern_session_destroy(session);
  tern_status_ignore(status);
  tern_pb_writer_deinit(&external);
  tern_pb_writer_deinit(&file);
  tern_model_destroy(model);
}

void test_load_run(const void *bytes, size_t size, const test_load_run_options *options,
                   test_load_run_result *out_result) {
  test_limiter limiter;
  test_limiter_init(&limiter, options->memory_bytes);
  *out_result = (test_load_run_result){0};
  tern_span span = {bytes, size};
  run_all(&limiter.base, span, options, out_result);
  require(limiter.live_blocks == 0, "a session left blocks behind");
  if (options->round_trip && out_result->loaded) export_and_load(&limiter.base, span);
  require(limiter.live_blocks == 0, "an export left blocks behind");
}
