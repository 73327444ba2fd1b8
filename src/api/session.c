// Sessions: from a caller's options to the engine's, creation and release.
#include "api/session.h"

#include <string.h>

#include "api/session_options.h"
#include "api/value.h"

// The engine's options, and the arrays they borrow.
typedef struct engine_options {
  tern_session_options options;
  tern_dim_override *overrides;
  const char **initializer_names;
  tern_value **initializer_values;
  const char **external_names;
  tern_span *external_bytes;
  tern_metadata *config;
} engine_options;

static tern_status *calloc_system(size_t count, size_t size, void **out_data) {
  return tern_allocator_calloc(tern_allocator_system(), count, size, out_data);
}

static void deinit_options(engine_options *engine) {
  tern_allocator *allocator = tern_allocator_system();
  const tern_session_options *options = &engine->options;
  tern_allocator_free(allocator, engine->overrides,
                      options->override_count * sizeof *engine->overrides);
  tern_allocator_free(allocator, engine->initializer_names,
                      options->initializer_count * sizeof *engine->initializer_names);
  tern_allocator_free(allocator, engine->initializer_values,
                      options->initializer_count * sizeof *engine->initializer_values);
  tern_allocator_free(allocator, engine->external_names,
                      options->external_count * sizeof *engine->external_names);
  tern_allocator_free(allocator, engine->external_bytes,
                      options->external_count * sizeof *engine->external_bytes);
  tern_allocator_free(allocator, engine->config, options->config_count * sizeof *engine->config);
}

static tern_status *fill_overrides(const OrtSessionOptions *given, engine_options *engine) {
  size_t count = given->dim_overrides.count;
  engine->options.override_count = count;
  TERN_TRY(calloc_system(count, sizeof *engine->overrides, (void **)&engine->overrides));
  for (size_t i = 0; i < count; ++i) {
    const tern_api_dim_override *entry = &given->dim_overrides.data[i];
    engine->overrides[i] = (tern_dim_override){entry->text, !entry->is_name, entry->value};
  }
  engine->options.overrides = engine->overrides;
  return NULL;
}

static tern_status *fill_initializers(const OrtSessionOptions *given, engine_options *engine) {
  size_t count = given->initializers.count;
  engine->options.initializer_count = count;
  TERN_TRY(
      calloc_system(count, sizeof *engine->initializer_names, (void **)&engine->initializer_names));
  TERN_TRY(calloc_system(count, sizeof *engine->initializer_values,
                         (void **)&engine->initializer_values));
  for (size_t i = 0; i < count; ++i) {
    const tern_api_initializer *entry = &given->initializers.data[i];
    TERN_TRY(tern_api_value_require_tensor(entry->value, entry->name));
    engine->initializer_names[i] = entry->name;
    engine->initializer_values[i] = (tern_value *)(uintptr_t)entry->value;
  }
  engine->options.initializer_names = engine->initializer_names;
  engine->options.initializer_values = engine->initializer_values;
  return NULL;
}

static tern_status *fill_externals(const OrtSessionOptions *given, engine_options *engine) {
  size_t count = given->memory_files.count;
  engine->options.external_count = count;
  TERN_TRY(calloc_system(count, sizeof *engine->external_names, (void **)&engine->external_names));
  TERN_TRY(calloc_system(count, sizeof *engine->external_bytes, (void **)&engine->external_bytes));
  for (size_t i = 0; i < count; ++i) {
    const tern_api_memory_file *entry = &given->memory_files.data[i];
    engine->external_names[i] = entry->name;
    engine->external_bytes[i] = (tern_span){entry->data, entry->size};
  }
  engine->options.external_names = engine->external_names;
  engine->options.external_bytes = engine->external_bytes;
  return NULL;
}

static tern_status *fill_config(const OrtSessionOptions *given, engine_options *engine) {
  size_t count = given->config.count;
  engine->options.config_count = count;
  TERN_TRY(calloc_system(count, sizeof *engine->config, (void **)&engine->config));
  for (size_t i = 0; i < count; ++i)
    engine->config[i] = (tern_metadata){given->config.keys[i], given->config.values[i]};
  engine->options.config = engine->config;
  return NULL;
}

static tern_status *fill_options(const OrtSessionOptions *given, engine_options *engine) {
  tern_session_options *options = &engine->options;
  options->optimization_level = (int32_t)given->optimization_level;
  options->optimized_model_path = given->optimized_model_path;
  options->profile_prefix = given->enable_profiling ? given->profile_prefix : NULL;
  options->cancel = &given->is_load_cancelled;
  TERN_TRY(fill_overrides(given, engine));
  TERN_TRY(fill_initializers(given, engine));
  TERN_TRY(fill_externals(given, engine));
  return fill_config(given, engine);
}

// ---- Logging.

static void log_message(void *self, tern_log_severity severity, const char *where,
                        const char *message) {
  tern_api_log(self, (OrtLoggingLevel)severity, where, message);
}

// The environment's logger, with what the options say otherwise.
static tern_status *init_logger(const OrtEnv *env, const OrtSessionOptions *given,
                                OrtLogger *out_logger) {
  int severity = given->log_severity_level < 0 ? env->logger.severity : given->log_severity_level;
  bool own = given->logging_function != NULL;
  return tern_api_logger_init(own ? given->logging_function : env->logger.function,
                              own ? given->logging_param : env->logger.param,
                              (OrtLoggingLevel)severity,
                              given->log_id[0] ? given->log_id : env->logger.log_id, out_logger);
}

// ---- Who runs what.

static void assign(const tern_program *program, OrtSession *session) {
  for (int32_t i = 0; i < program->step_count; ++i) {
    const tern_step *step = &program->steps[i];
    OrtEpAssignedSubgraph *subgraph = &session->subgraphs[i];
    subgraph->provider = step->kernel.provider->name;
    subgraph->node = (OrtEpAssignedNode){step->node->name, step->node->original_domain,
                                         step->node->original_type};
    subgraph->nodes[0] = &subgraph->node;
    session->subgraph_list[i] = subgraph;
  }
}

static tern_status *record_assignment(OrtSession *session) {
  const tern_program *program = tern_session_program(session->session);
  size_t count = (size_t)program->step_count;
  session->subgraph_count = count;
  TERN_TRY(calloc_system(count, sizeof *session->subgraphs, (void **)&session->subgraphs));
  TERN_TRY(calloc_system(count, sizeof *session->subgraph_list, (void **)&session->subgraph_list));
  assign(program, session);
  return NULL;
}

// ---- Life.

// Where a model comes from: `path`, or `bytes`. `container` may be NULL.
typedef struct model_source {
  const char *path;
  const void *bytes;
  size_t size;
  OrtPrepackedWeightsContainer *container;
} model_source;

// What the sessions of an environment pack they share with or without a container; with one it also
// outlives them.
struct OrtPrepackedWeightsContainer {
  tern_packed_keeper keeper;
};

static tern_status *load(const model_source *source, const tern_session_options *options,
                         OrtSession *session) {
  if (source->path)
    TERN_TRY(tern_session_create_from_file(source->path, options, &session->session));
  else
    TERN_TRY(
        tern_session_create_from_memory(source->bytes, source->size, options, &session->session));
  for (size_t i = 0; i < tern_session_input_count(session->session); ++i)
    session->has_optional_inputs |=
        tern_session_input(session->session, i)->type.kind == TERN_KIND_OPTIONAL;
  const char *record = tern_session_options_get(options, "session.record_ep_graph_assignment_info");
  session->records_assignment = record && strcmp(record, "1") == 0;
  return session->records_assignment ? record_assignment(session) : NULL;
}

// ---- Threads.

static tern_status *fill_threads(OrtEnv *env, const OrtSessionOptions *given, OrtSession *session,
                                 tern_thread_options *out_threads) {
  bool is_parallel = given->execution_mode == ORT_PARALLEL;
  int32_t inter_op = given->inter_op_threads ? given->inter_op_threads : tern_os_cpu_count();
  session->thread_hooks = given->thread_hooks;
  *out_threads = (tern_thread_options){.intra_op = given->intra_op_threads,
                                       .inter_op = is_parallel ? inter_op : 1,
                                       .hooks = tern_api_pool_hooks(&session->thread_hooks)};
  if (given->use_per_session_threads) return NULL;
  if (!env->has_global_threads)
    return TERN_ERROR(TERN_FAIL, "a session without threads of its own needs an environment with "
                                 "global thread pools (CreateEnvWithGlobalThreadPools)");
  session->env = tern_api_env_retain(env);
  out_threads->pool = env->global_pool;
  out_threads->flush_denormals = env->threading.denormal_as_zero;
  return NULL;
}

// ---- Memory.

// What has no counterpart here is said once.
static void log_memory_options(const OrtSession *session, const OrtSessionOptions *given) {
  if (!given->enable_mem_pattern)
    tern_api_log(&session->logger, ORT_LOGGING_LEVEL_INFO, "session.c",
                 "DisableMemPattern has no effect: the plans kept for shapes are bounded anyway");
}

// The arena that the session takes its weights and the memory of its runs from. What it packs goes
// to the environment, unless the environment's arena is asked for.
static tern_status *fill_memory(OrtEnv *env, const OrtSessionOptions *given,
                                tern_session_options *options, OrtSession *session) {
  session->keeps_frames = given->enable_cpu_mem_arena;
  if (tern_session_options_is(options, "session.use_env_allocators", "1"))
    session->arena = tern_api_env_cpu_arena(env);
  bool is_shared = session->arena != NULL;
  if (!is_shared) TERN_TRY(tern_api_arena_create(NULL, 0, &session->arena));
  options->sources = tern_api_arena_sources(session->arena);
  if (tern_session_options_is(options, "session.use_device_allocator_for_initializers", "1"))
    options->sources.weights = tern_api_arena_uncounted(session->arena);
  if (is_shared) options->packed_allocator = options->sources.weights;
  log_memory_options(session, given);
  return NULL;
}

static void give_up_frames(void *self) {
  tern_session_drop_frames(((OrtSession *)self)->session);
}

static void join_arena(OrtSession *session) {
  session->member = (tern_api_arena_member){.give_up = give_up_frames, .self = session};
  tern_api_arena_join(session->arena, &session->member);
}

static tern_status *fill_session(const OrtEnv *env, const model_source *source,
                                 const OrtSessionOptions *given, OrtSession *session) {
  TERN_TRY(init_logger(env, given, &session->logger));
  engine_options engine = {
      .options.packed_store = env->packed_store,
      .options.packed_keeper = source->container ? &source->container->keeper : NULL,
      .options.logger = {.self = &session->logger,
                         .severity = (tern_log_severity)session->logger.severity,
                         .log = log_message}};
  tern_status *status =
      fill_threads((OrtEnv *)(uintptr_t)env, given, session, &engine.options.threads);
  if (!status) status = fill_options(given, &engine);
  if (!status) status = fill_memory((OrtEnv *)(uintptr_t)env, given, &engine.options, session);
  if (!status) status = load(source, &engine.options, session);
  if (!status) join_arena(session);
  deinit_options(&engine);
  return status;
}

static OrtStatus *create(const OrtEnv *env, const model_source *source,
                         const OrtSessionOptions *given, OrtSession **out) {
  OrtSessionOptions *defaults = NULL;
  if (!given) {
    OrtStatus *failure = ort_CreateSessionOptions(&defaults);
    if (failure) return failure;
    given = defaults;
  }
  OrtSession *session;
  tern_status *status = TERN_NEW(tern_allocator_system(), &session);
  if (!status) {
    status = fill_session(env, source, given, session);
    if (status)
      ort_ReleaseSession(session);
    else
      *out = session;
  }
  ort_ReleaseSessionOptions(defaults);
  return tern_api_status(status);
}

void ort_ReleaseSession(OrtSession *input) {
  if (!input) return;
  tern_api_arena_leave(&input->member);
  tern_session_destroy(input->session);
  tern_api_arena_release(input->arena);
  tern_allocator *allocator = tern_allocator_system();
  tern_allocator_free(allocator, input->subgraphs,
                      input->subgraph_count * sizeof *input->subgraphs);
  tern_allocator_free(allocator, input->subgraph_list,
                      input->subgraph_count * sizeof *input->subgraph_list);
  tern_api_logger_deinit(&input->logger);
  ort_ReleaseEnv(input->env);
  TERN_DELETE(allocator, input);
}

OrtStatus *ort_CreateSession(const OrtEnv *env, const ORTCHAR_T *model_path,
                             const OrtSessionOptions *options, OrtSession **out) {
  TERN_API_REQUIRE(env);
  TERN_API_REQUIRE(model_path);
  TERN_API_REQUIRE(out);
  return create(env, &(model_source){.path = model_path}, options, out);
}

OrtStatus *ort_CreateSessionFromArray(const OrtEnv *env, const void *model_data,
                                      size_t model_data_length, const OrtSessionOptions *options,
                                      OrtSession **out) {
  TERN_API_REQUIRE(env);
  TERN_API_REQUIRE(model_data);
  TERN_API_REQUIRE(out);
  return create(env, &(model_source){.bytes = model_data, .size = model_data_length}, options, out);
}

// ---- Weights shared between sessions.

OrtStatus *ort_CreatePrepackedWeightsContainer(OrtPrepackedWeightsContainer **out) {
  TERN_API_REQUIRE(out);
  OrtPrepackedWeightsContainer *container;
  TERN_API_TRY(TERN_NEW(tern_allocator_system(), &container));
  tern_packed_keeper_init(&container->keeper);
  *out = container;
  return NULL;
}

void ort_ReleasePrepackedWeightsContainer(OrtPrepackedWeightsContainer *input) {
  if (!input) return;
  tern_packed_keeper_deinit(&input->keeper);
  TERN_DELETE(tern_allocator_system(), input);
}

OrtStatus *ort_CreateSessionWithPrepackedWeightsContainer(
    const OrtEnv *env, const ORTCHAR_T *model_path, const OrtSessionOptions *options,
    OrtPrepackedWeightsContainer *prepacked_weights_container, OrtSession **out) {
  TERN_API_REQUIRE(env);
  TERN_API_REQUIRE(model_path);
  TERN_API_REQUIRE(prepacked_weights_container);
  TERN_API_REQUIRE(out);
  const model_source source = {.path = model_path, .container = prepacked_weights_container};
  return create(env, &source, options, out);
}

OrtStatus *ort_CreateSessionFromArrayWithPrepackedWeightsContainer(
    const OrtEnv *env, const void *model_data, size_t model_data_length,
    const OrtSessionOptions *options, OrtPrepackedWeightsContainer *prepacked_weights_container,
    OrtSession **out) {
  TERN_API_REQUIRE(env);
  TERN_API_REQUIRE(model_data);
  TERN_API_REQUIRE(prepacked_weights_container);
  TERN_API_REQUIRE(out);
  const model_source source = {
      .bytes = model_data, .size = model_data_length, .container = prepacked_weights_container};
  return create(env, &source, options, out);
}
