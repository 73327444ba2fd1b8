// Loading, running and releasing under limits.
#include "support/load_run.h"

#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>

#include "ops/ops.h"

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

static tern_status *make_inputs(tern_session *session, tern_allocator *allocator, uint64_t seed,
                                bindings *inputs) {
  for (size_t i = 0; i < tern_session_input_count(session); ++i) {
    const tern_edge *edge = tern_session_input(session, i);
    inputs->names[i] = edge->name;
    TERN_TRY(test_make_value(allocator, &edge->type, seed, &inputs->values[i]));
    inputs->count = i + 1;
  }
  return NULL;
}

static tern_status *run_bound(tern_session *session, int cpu_ms, const bindings *inputs,
                              bindings *outputs) {
  outputs->count = tern_session_output_count(session);
  for (size_t i = 0; i < outputs->count; ++i)
    outputs->names[i] = tern_session_output(session, i)->name;
  arm(cpu_ms);
  tern_status *status =
      tern_session_run(session, &(tern_run_options){.terminate = &must_stop}, inputs->names,
                       (const tern_value *const *)inputs->values, inputs->count, outputs->names,
                       outputs->count, outputs->values);
  arm(0);
  for (size_t i = 0; i < outputs->count; ++i)
    require((status == NULL) == (outputs->values[i] != NULL), "outputs and status disagree");
  return status;
}

static tern_status *run_once(tern_session *session, tern_allocator *allocator, int cpu_ms,
                             uint64_t seed) {
  bindings inputs, outputs = {0};
  tern_status *status = bindings_init(allocator, tern_session_input_count(session), &inputs);
  if (!status) status = bindings_init(allocator, tern_session_output_count(session), &outputs);
  if (!status) status = make_inputs(session, allocator, seed, &inputs);
  if (!status) status = run_bound(session, cpu_ms, &inputs, &outputs);
  bindings_deinit(allocator, &outputs);
  bindings_deinit(allocator, &inputs);
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
  for (int i = 0; session && i < options->runs; ++i) {
    status = run_once(session, allocator, options->run_cpu_ms, (uint64_t)i + 1);
    if (!status) result->completed++;
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
