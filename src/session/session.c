// From a model file to something that runs: load, import, optimise, lower, prepare.
#include "session/session.h"

#include <stdatomic.h>
#include <string.h>

#include "ops/ops.h"
#include "optimize/optimize.h"
#include "providers/cpu/cpu.h"
#include "session/evaluator.h"
#include "session/lower.h"
#include "session/save.h"

struct tern_session {
  tern_allocator *allocator;
  tern_model *model;
  tern_program *program;
  tern_profiler *profiler;
  tern_logger logger;
  void *copied_bytes; // of a model from memory
  size_t copied_size;
  tern_map input_indices, output_indices;     // name -> 1 + position in the main graph's list
  TERN_ARRAY(const tern_edge *) inputs;       // without a default
  TERN_ARRAY(const tern_edge *) overridables; // with one
};

const char *tern_session_options_get(const tern_session_options *options, const char *key) {
  for (size_t i = options->config_count; i > 0; --i) {
    if (strcmp(options->config[i - 1].key, key) == 0) return options->config[i - 1].value;
  }
  return NULL;
}

static bool config_is(const tern_session_options *options, const char *key, const char *value) {
  const char *found = tern_session_options_get(options, key);
  return found && strcmp(found, value) == 0;
}

static void log_message(const tern_session *session, tern_log_severity severity,
                        const char *message) {
  if (session->logger.log && severity >= session->logger.severity)
    session->logger.log(session->logger.self, severity, "session", message);
}

static void add_phase(const tern_session *session, const char *name, int64_t start_ns) {
  if (session->profiler) tern_profiler_add_phase(session->profiler, name, start_ns);
}

static tern_status *check_cancel(const tern_session_options *options) {
  if (!options->cancel || !atomic_load(options->cancel)) return NULL;
  return TERN_ERROR(TERN_MODEL_LOAD_CANCELED, "loading was cancelled");
}

static tern_status *open_externals(tern_session *session, const char *folder,
                                   const tern_session_options *options) {
  bool map = !config_is(options, "session.use_memory_mapped_external_data", "0");
  tern_model *model = session->model;
  TERN_TRY(tern_external_files_create(session->allocator, folder, map, &model->externals));
  for (size_t i = 0; i < options->external_count; ++i)
    TERN_TRY(tern_external_files_add(model->externals, options->external_names[i],
                                     options->external_bytes[i]));
  return NULL;
}

static tern_status *import_model(tern_session *session, tern_span bytes,
                                 const tern_session_options *options,
                                 const tern_evaluator *evaluator) {
  tern_import_options import = {.strict_types =
                                    config_is(options, "session.strict_shape_type_inference", "1"),
                                .overrides = options->overrides,
                                .override_count = options->override_count,
                                .evaluator = evaluator,
                                .initializer_values = options->initializer_values,
                                .initializer_names = options->initializer_names,
                                .initializer_count = options->initializer_count};
  TERN_TRY(tern_import(session->model, bytes, &import));
  for (size_t i = 0; i < session->model->warnings.count; ++i)
    log_message(session, TERN_LOG_WARNING, session->model->warnings.data[i]);
  return NULL;
}

static tern_status *index_interface(tern_session *session) {
  const tern_graph *graph = session->model->graph;
  tern_map_init(session->allocator, &session->input_indices);
  tern_map_init(session->allocator, &session->output_indices);
  for (size_t i = 0; i < graph->inputs.count; ++i) {
    const tern_edge *edge = graph->inputs.data[i];
    TERN_TRY(tern_map_set(&session->input_indices, edge->name, (void *)(uintptr_t)(i + 1)));
    if (edge->initializer) {
      TERN_TRY(tern_value_align(edge->initializer));
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

static tern_status *optimize(tern_session *session, const tern_session_options *options,
                             const tern_evaluator *evaluator) {
  tern_optimize_options optimize = {
      .level = options->optimization_level,
      .evaluator = evaluator,
      .disabled = tern_session_options_get(options, "optimization.disable_specified_optimizers"),
      .cast_chains = config_is(options, "optimization.enable_cast_chain_elimination", "1"),
      .folding_max_bytes = tern_optimize_folding_limit(tern_session_options_get(
          options, "optimization.constant_folding_max_output_size_in_bytes"))};
  return tern_optimize(session->model, &optimize, NULL);
}

static tern_status *make_ready(tern_session *session, tern_span bytes,
                               const tern_session_options *options) {
  tern_provider *providers[] = {tern_cpu_provider()};
  tern_program_options program = {.allocator = session->allocator,
                                  .providers = providers,
                                  .provider_count = 1,
                                  .disable_prepacking =
                                      config_is(options, "session.disable_prepacking", "1")};
  tern_evaluator evaluator = tern_evaluator_make(&program);
  int64_t start_ns = tern_os_monotonic_ns();
  TERN_TRY(import_model(session, bytes, options, &evaluator));
  bool is_file = session->model->file.data != NULL;
  add_phase(session, is_file ? "model_loading_uri" : "model_loading_array", start_ns);
  TERN_TRY(check_cancel(options));
  start_ns = tern_os_monotonic_ns();
  TERN_TRY(optimize(session, options, &evaluator));
  add_phase(session, "graph_optimization", start_ns);
  TERN_TRY(tern_save_optimized(session->model, options));
  tern_model_spend_unread(session->model);
  TERN_TRY(check_cancel(options));
  TERN_TRY(tern_lower(session->model, &program));
  TERN_TRY(tern_optimize_inserted_casts(session->model));
  tern_model_spend_unread(session->model);
  TERN_TRY(index_interface(session));
  start_ns = tern_os_monotonic_ns();
  TERN_TRY(tern_program_create(session->model->graph, &program, &session->program));
  add_phase(session, "kernel_preparation", start_ns);
  return NULL;
}

static tern_status *start(const tern_session_options *options, int64_t start_ns,
                          tern_session **out_session) {
  tern_allocator *allocator = options->allocator ? options->allocator : tern_allocator_system();
  const tern_op_registry *registry;
  TERN_TRY(tern_ops_registry(&registry));
  tern_session *session;
  TERN_TRY(TERN_NEW(allocator, &session));
  session->allocator = allocator;
  session->logger = options->logger;
  tern_status *status = tern_model_create(allocator, registry, &session->model);
  const tern_profiler_options profile = {.prefix = options->profile_prefix, .start_ns = start_ns};
  if (!status && profile.prefix)
    status = tern_profiler_create(allocator, &profile, &session->profiler);
  if (status) {
    tern_session_destroy(session);
    return status;
  }
  *out_session = session;
  return NULL;
}

// `status` decides whether the half-built session is handed out or destroyed.
static tern_status *finish(tern_session *session, tern_status *status, int64_t start_ns,
                           tern_session **out_session) {
  if (status) {
    tern_session_destroy(session);
    return status;
  }
  add_phase(session, "session_initialization", start_ns);
  *out_session = session;
  return NULL;
}

// The folder of `path`, in the model's arena: "" for the current one.
static tern_status *folder_of(tern_session *session, const char *path, const char **out_folder) {
  const char *slash = strrchr(path, '/');
  size_t size = slash ? (slash == path ? 1 : (size_t)(slash - path)) : 0;
  return tern_arena_copy_text(&session->model->arena, path, size, out_folder);
}

static tern_status *load_file(tern_session *session, const char *path,
                              const tern_session_options *options) {
  const char *folder;
  bool map = !config_is(options, "session.use_memory_mapped_model", "0");
  TERN_TRY(tern_os_file_open(path, map, &session->model->file));
  TERN_TRY(folder_of(session, path, &folder));
  TERN_TRY(open_externals(session, folder, options));
  tern_span bytes = {session->model->file.data, session->model->file.size};
  return tern_status_annotate(make_ready(session, bytes, options), "model '%s'", path);
}

tern_status *tern_session_create_from_file(const char *path, const tern_session_options *options,
                                           tern_session **out_session) {
  int64_t start_ns = tern_os_monotonic_ns();
  tern_session *session;
  TERN_TRY(start(options, start_ns, &session));
  return finish(session, load_file(session, path, options), start_ns, out_session);
}

static tern_status *load_memory(tern_session *session, const void *bytes, size_t size,
                                const tern_session_options *options) {
  const char *folder =
      tern_session_options_get(options, "session.model_external_initializers_file_folder_path");
  TERN_TRY(open_externals(session, folder, options));
  if (!config_is(options, "session.use_ort_model_bytes_for_initializers", "1")) {
    TERN_TRY(tern_allocator_alloc(session->allocator, size, &session->copied_bytes));
    session->copied_size = size;
    if (size) memcpy(session->copied_bytes, bytes, size);
    bytes = session->copied_bytes;
  }
  return make_ready(session, (tern_span){bytes, size}, options);
}

tern_status *tern_session_create_from_memory(const void *bytes, size_t size,
                                             const tern_session_options *options,
                                             tern_session **out_session) {
  int64_t start_ns = tern_os_monotonic_ns();
  tern_session *session;
  TERN_TRY(start(options, start_ns, &session));
  return finish(session, load_memory(session, bytes, size, options), start_ns, out_session);
}

// A profile that nobody has ended, like ORT's, is written when its session goes.
static void end_profile(tern_session *session) {
  const char *path;
  if (!session->profiler || !session->program) return;
  tern_status *status = tern_profiler_end(session->profiler, &path);
  if (status) log_message(session, TERN_LOG_ERROR, tern_status_message(status));
  tern_status_free(status);
}

void tern_session_destroy(tern_session *session) {
  if (!session) return;
  end_profile(session);
  tern_program_destroy(session->program);
  tern_model_destroy(session->model);
  tern_profiler_destroy(session->profiler);
  tern_allocator_free(session->allocator, session->copied_bytes, session->copied_size);
  if (session->input_indices.allocator) tern_map_deinit(&session->input_indices);
  if (session->output_indices.allocator) tern_map_deinit(&session->output_indices);
  TERN_ARRAY_FREE(session->allocator, &session->inputs);
  TERN_ARRAY_FREE(session->allocator, &session->overridables);
  TERN_DELETE(session->allocator, session);
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

tern_program *tern_session_program(const tern_session *session) {
  return session->program;
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
static tern_status *hand_out(tern_session *session, tern_value *const *values,
                             const char *const *names, size_t count, tern_value *const *given,
                             tern_value **out_results) {
  for (size_t i = 0; i < count; ++i) {
    if (given[i]) continue;
    tern_value *value = values[output_index(session, names[i])];
    if (!value) return TERN_ERROR(TERN_FAIL, "no node made output '%s'", names[i]);
    if (holds(given, count, value) || holds(out_results, i, value))
      TERN_TRY(tern_value_clone(session->allocator, value, &out_results[i]));
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
  TERN_TRY(tern_program_run(session->program, run, inputs, NULL, outputs));
  tern_status *status =
      hand_out(session, outputs, output_names, output_count, inout_outputs, results);
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
  tern_run run = {.allocator = session->allocator,
                  .terminate = options ? options->terminate : NULL,
                  .profiler = profiler};
  tern_status *status = take_inputs(session, input_names, inputs, input_count, ordered);
  if (!status)
    status =
        run_ordered(session, &run, ordered, (tern_value **)(table + in),
                    (tern_value **)(table + in + out), output_names, output_count, inout_outputs);
  tern_allocator_free(session->allocator, table, room * sizeof *table);
  if (profiler && !status) tern_profiler_add_phase(profiler, "model_run", start_ns);
  return status;
}
