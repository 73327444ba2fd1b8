// What callers ask of a session: creating it, its inputs and outputs by name, running it.
#include "session/session.h"

#include <string.h>

#include "session/failover.h"

struct tern_session {
  tern_account *account;
  tern_allocator *allocator; // the account's, for the model
  tern_source source;
  tern_failover *failover;
  const tern_model *model; // of the first core
  tern_session_threads threads;
  tern_profiler *profiler;
  tern_logger logger;
  tern_map input_indices, output_indices;     // name -> 1 + position in the main graph's list
  TERN_ARRAY(const tern_edge *) inputs;       // without a default
  TERN_ARRAY(const tern_edge *) overridables; // with one
};

void tern_logger_log(const tern_logger *logger, tern_log_severity severity, const char *message) {
  if (logger->log && severity >= logger->severity)
    logger->log(logger->self, severity, "session", message);
}

static void add_phase(const tern_session *session, const char *name, int64_t start_ns) {
  if (session->profiler) tern_profiler_add_phase(session->profiler, name, start_ns);
}

static tern_status *index_interface(tern_session *session) {
  const tern_graph *graph = session->model->graph;
  tern_map_init(session->allocator, &session->input_indices);
  tern_map_init(session->allocator, &session->output_indices);
  for (size_t i = 0; i < graph->inputs.count; ++i) {
    const tern_edge *edge = graph->inputs.data[i];
    TERN_TRY(tern_map_set(&session->input_indices, edge->name, (void *)(uintptr_t)(i + 1)));
    if (edge->initializer) {
      TERN_ARRAY_PUSH(session->allocator, &session->overridables, edge);
    } else {
      TERN_ARRAY_PUSH(session->allocator, &session->inputs, edge);
    }
  }
  for (size_t i = 0; i < graph->outputs.count; ++i)
    TERN_TRY(tern_map_set(&session->output_indices, graph->outputs.data[i]->name,
                          (void *)(uintptr_t)(i + 1)));
  return NULL;
}

static tern_allocator *first_of(tern_allocator *given, tern_allocator *all,
                                tern_allocator *otherwise) {
  return given ? given : all ? all : otherwise;
}

static tern_status *open_account(const tern_session_options *options, tern_account **out_account) {
  const tern_account_sources *given = &options->sources;
  tern_allocator *all = options->allocator;
  const tern_account_sources sources = {
      .structures = first_of(given->structures, all, tern_allocator_system()),
      .weights = first_of(given->weights, all, tern_allocator_pages()),
      .frames = first_of(given->frames, all, tern_allocator_pages()),
      .values = first_of(given->values, all, tern_allocator_system())};
  return tern_account_create(&sources, out_account);
}

static tern_status *start(const tern_session_options *options, int64_t start_ns,
                          tern_session **out_session) {
  tern_account *account;
  TERN_TRY(open_account(options, &account));
  tern_allocator *allocator = tern_account_allocator(account, TERN_MEMORY_MODEL);
  tern_session *session;
  tern_status *status = TERN_NEW(allocator, &session);
  if (status) {
    tern_account_release(account);
    return status;
  }
  session->account = account;
  session->allocator = allocator;
  session->logger = options->logger;
  const tern_profiler_options profile = {.prefix = options->profile_prefix, .start_ns = start_ns};
  status = tern_session_threads_init(options, &session->logger, &session->threads);
  if (!status && profile.prefix)
    status = tern_profiler_create(tern_account_allocator(account, TERN_MEMORY_PROFILE), &profile,
                                  &session->profiler);
  if (status) {
    tern_session_destroy(session);
    return status;
  }
  *out_session = session;
  return NULL;
}

static tern_status *make_core(tern_session *session, const tern_session_options *options) {
  TERN_TRY(tern_failover_create(session->account, &session->source, options, &session->logger,
                                session->profiler, &session->failover));
  session->model = session->failover->first->model;
  return index_interface(session);
}

// Goes on when the source was opened without `status`, which decides in the end whether the session
// is handed out or destroyed.
static tern_status *finish(tern_session *session, tern_status *status,
                           const tern_session_options *options, int64_t start_ns,
                           tern_session **out_session) {
  if (!status) status = make_core(session, options);
  session->source.path = NULL;
  if (status) {
    tern_session_destroy(session);
    return status;
  }
  add_phase(session, "session_initialization", start_ns);
  *out_session = session;
  return NULL;
}

tern_status *tern_session_create_from_file(const char *path, const tern_session_options *options,
                                           tern_session **out_session) {
  int64_t start_ns = tern_os_monotonic_ns();
  tern_session *session;
  TERN_TRY(start(options, start_ns, &session));
  tern_status *status =
      tern_source_open_file(tern_account_allocator(session->account, TERN_MEMORY_SOURCE), path,
                            options, &session->source);
  return finish(session, status, options, start_ns, out_session);
}

tern_status *tern_session_create_from_memory(const void *bytes, size_t size,
                                             const tern_session_options *options,
                                             tern_session **out_session) {
  int64_t start_ns = tern_os_monotonic_ns();
  tern_session *session;
  TERN_TRY(start(options, start_ns, &session));
  tern_status *status =
      tern_source_open_memory(tern_account_allocator(session->account, TERN_MEMORY_SOURCE), bytes,
                              size, options, &session->source);
  return finish(session, status, options, start_ns, out_session);
}

// A profile that nobody has ended, like ORT's, is written when its session goes.
static void end_profile(tern_session *session) {
  const char *path;
  if (!session->profiler || !session->failover) return;
  tern_status *status = tern_profiler_end(session->profiler, &path);
  if (status) tern_logger_log(&session->logger, TERN_LOG_ERROR, tern_status_message(status));
  tern_status_free(status);
}

void tern_session_destroy(tern_session *session) {
  if (!session) return;
  end_profile(session);
  tern_session_threads_deinit(&session->threads);
  tern_failover_destroy(session->failover);
  tern_source_close(&session->source);
  tern_profiler_destroy(session->profiler);
  if (session->input_indices.allocator) tern_map_deinit(&session->input_indices);
  if (session->output_indices.allocator) tern_map_deinit(&session->output_indices);
  TERN_ARRAY_FREE(session->allocator, &session->inputs);
  TERN_ARRAY_FREE(session->allocator, &session->overridables);
  tern_account *account = session->account;
  TERN_DELETE(session->allocator, session);
  tern_account_release(account);
}

const tern_model *tern_session_model(const tern_session *session) {
  return session->model;
}
size_t tern_session_input_count(const tern_session *session) {
  return session->inputs.count;
}
size_t tern_session_output_count(const tern_session *session) {
  return session->model->graph->outputs.count;
}
size_t tern_session_overridable_count(const tern_session *session) {
  return session->overridables.count;
}
const tern_edge *tern_session_input(const tern_session *session, size_t index) {
  return session->inputs.data[index];
}
const tern_edge *tern_session_output(const tern_session *session, size_t index) {
  return session->model->graph->outputs.data[index];
}
const tern_edge *tern_session_overridable(const tern_session *session, size_t index) {
  return session->overridables.data[index];
}
tern_profiler *tern_session_profiler(const tern_session *session) {
  return session->profiler;
}

const tern_account *tern_session_account(const tern_session *session) {
  return session->account;
}

struct tern_failover *tern_session_failover(const tern_session *session) {
  return session->failover;
}

tern_session_state tern_session_get_state(const tern_session *session) {
  return tern_failover_state(session->failover);
}

tern_program *tern_session_program(const tern_session *session) {
  return session->failover->core->program;
}

void tern_session_drop_frames(tern_session *session) {
  tern_failover_drop_frames(session->failover);
}

// A value against what the model declares for its input.
static tern_status *check_input(const tern_edge *edge, const tern_value *value) {
  const tern_type *type = &edge->type;
  tern_type actual;
  tern_value_get_type(value, &actual);
  bool fits = type->kind == TERN_KIND_NONE || tern_type_same_kind(type, &actual);
  if (fits && type->kind == TERN_KIND_TENSOR && type->shape.rank >= 0) {
    fits = type->shape.rank == actual.shape.rank;
    for (int32_t i = 0; fits && i < type->shape.rank; ++i)
      fits = type->shape.dims[i] < 0 || type->shape.dims[i] == actual.shape.dims[i];
  }
  if (fits) return NULL;
  char expected[TERN_TYPE_TEXT_BYTES], found[TERN_TYPE_TEXT_BYTES];
  return TERN_ERROR(TERN_INVALID_ARGUMENT, "input '%s' is %s, the model expects %s", edge->name,
                    tern_type_format(&actual, found, sizeof found),
                    tern_type_format(type, expected, sizeof expected));
}

static tern_status *take_inputs(tern_session *session, const char *const *names,
                                const tern_value *const *values, size_t count,
                                const tern_value **out_inputs) {
  const tern_graph *graph = session->model->graph;
  for (size_t i = 0; i < count; ++i) {
    size_t index = (size_t)(uintptr_t)tern_map_get(&session->input_indices, names[i]);
    if (index == 0)
      return TERN_ERROR(TERN_INVALID_ARGUMENT, "the model has no input '%s'", names[i]);
    if (!values[i])
      return TERN_ERROR(TERN_INVALID_ARGUMENT, "no value is given for input '%s'", names[i]);
    if (out_inputs[index - 1])
      return TERN_ERROR(TERN_INVALID_ARGUMENT, "input '%s' is given twice", names[i]);
    TERN_TRY(check_input(graph->inputs.data[index - 1], values[i]));
    out_inputs[index - 1] = values[i];
  }
  for (size_t i = 0; i < graph->inputs.count; ++i) {
    if (out_inputs[i]) continue;
    out_inputs[i] = graph->inputs.data[i]->initializer;
    if (!out_inputs[i])
      return TERN_ERROR(TERN_INVALID_ARGUMENT, "input '%s' is missing",
                        graph->inputs.data[i]->name);
  }
  return NULL;
}

// Whether one of values[0..count) is `value`.
static bool holds(tern_value *const *values, size_t count, const tern_value *value) {
  for (size_t i = 0; i < count; ++i)
    if (values[i] == value) return true;
  return false;
}

static size_t output_index(const tern_session *session, const char *name) {
  return (size_t)(uintptr_t)tern_map_get(&session->output_indices, name) - 1;
}

// A reference of its own for each entry of `inout_outputs` that is NULL. A value that has a holder
// already, because its name is asked for twice, is copied: each caller may write to theirs.
static tern_status *hand_out(tern_session *session, const tern_run *run, tern_value *const *values,
                             const char *const *names, size_t count, tern_value *const *given,
                             tern_value **out_results) {
  for (size_t i = 0; i < count; ++i) {
    if (given[i]) continue;
    tern_value *value = values[output_index(session, names[i])];
    if (!value) return TERN_ERROR(TERN_FAIL, "no node made output '%s'", names[i]);
    if (holds(given, count, value) || holds(out_results, i, value))
      TERN_TRY(tern_value_clone(run->allocator, value, &out_results[i]));
    else
      out_results[i] = tern_value_retain(value);
  }
  return NULL;
}

static tern_status *take_given(tern_session *session, const char *const *names, size_t count,
                               tern_value *const *given, tern_value **out_values) {
  for (size_t i = 0; i < count; ++i) {
    size_t index = output_index(session, names[i]);
    if (index == SIZE_MAX)
      return TERN_ERROR(TERN_INVALID_ARGUMENT, "the model has no output '%s'", names[i]);
    if (given[i] && out_values[index] && out_values[index] != given[i])
      return TERN_ERROR(TERN_INVALID_ARGUMENT, "output '%s' is given two tensors to fill",
                        names[i]);
    if (given[i]) out_values[index] = given[i];
  }
  return NULL;
}

// Runs with the program's own order of inputs and outputs. `results` is room for `output_count`
// values, all NULL.
static tern_status *run_ordered(tern_session *session, tern_run *run, const tern_value **inputs,
                                tern_value **outputs, tern_value **results,
                                const char *const *output_names, size_t output_count,
                                tern_value **inout_outputs) {
  TERN_TRY(take_given(session, output_names, output_count, inout_outputs, outputs));
  TERN_TRY(tern_failover_run(session->failover, run, inputs, outputs));
  tern_status *status =
      hand_out(session, run, outputs, output_names, output_count, inout_outputs, results);
  for (size_t k = 0; k < session->model->graph->outputs.count; ++k)
    if (!holds(inout_outputs, output_count, outputs[k])) tern_value_release(outputs[k]);
  for (size_t i = 0; i < output_count; ++i) {
    if (inout_outputs[i]) continue;
    if (status)
      tern_value_release(results[i]);
    else
      inout_outputs[i] = results[i];
  }
  return status;
}

tern_status *tern_session_run(tern_session *session, const tern_run_options *options,
                              const char *const *input_names, const tern_value *const *inputs,
                              size_t input_count, const char *const *output_names,
                              size_t output_count, tern_value **inout_outputs) {
  tern_profiler *profiler = options && options->profiler ? options->profiler : session->profiler;
  int64_t start_ns = profiler ? tern_os_monotonic_ns() : 0;
  size_t in = session->model->graph->inputs.count, out = session->model->graph->outputs.count;
  size_t room = in + out + output_count + 1; // never nothing
  void **table;
  TERN_TRY(tern_allocator_calloc(session->allocator, room, sizeof *table, (void **)&table));
  const tern_value **ordered = (const tern_value **)table;
  tern_run run = {.allocator = tern_account_allocator(session->account, TERN_MEMORY_VALUES),
                  .terminate = options ? options->terminate : NULL,
                  .profiler = profiler};
  tern_run_threads threads;
  tern_session_threads_begin(&session->threads, &threads, &run);
  tern_status *status = take_inputs(session, input_names, inputs, input_count, ordered);
  if (!status)
    status =
        run_ordered(session, &run, ordered, (tern_value **)(table + in),
                    (tern_value **)(table + in + out), output_names, output_count, inout_outputs);
  tern_session_threads_end(&session->threads, &threads);
  tern_allocator_free(session->allocator, table, room * sizeof *table);
  if (profiler && !status) tern_profiler_add_phase(profiler, "model_run", start_ns);
  return status;
}

bool tern_session_post(tern_session *session, tern_pool_task *task) {
  return session->threads.pool && tern_pool_post(session->threads.pool, task);
}
