// From a model's bytes to something that runs: import, optimise, lower, prepare.
#include "session/core.h"

#include <stdatomic.h>

#include "ops/ops.h"
#include "optimize/optimize.h"
#include "session/evaluator.h"
#include "session/lower.h"
#include "session/save.h"

static tern_status *check_cancel(const tern_session_options *options) {
  if (!options->cancel || !atomic_load(options->cancel)) return NULL;
  return TERN_ERROR(TERN_MODEL_LOAD_CANCELED, "loading was cancelled");
}

static tern_status *import_model(tern_core *core, tern_span bytes,
                                 const tern_session_options *options,
                                 const tern_evaluator *evaluator) {
  tern_import_options import = {
      .strict_types = tern_session_options_is(options, "session.strict_shape_type_inference", "1"),
      .overrides = options->overrides,
      .override_count = options->override_count,
      .evaluator = evaluator,
      .initializer_values = options->initializer_values,
      .initializer_names = options->initializer_names,
      .initializer_count = options->initializer_count};
  TERN_TRY(tern_import(core->model, bytes, &import));
  for (size_t i = 0; i < core->model->warnings.count; ++i)
    tern_logger_log(&options->logger, TERN_LOG_WARNING, core->model->warnings.data[i]);
  return NULL;
}

// The passes' options as the session was told them.
static tern_optimize_options optimize_options(const tern_session_options *options,
                                              const tern_evaluator *evaluator) {
  return (tern_optimize_options){
      .level = options->optimization_level,
      .evaluator = evaluator,
      .disabled = tern_session_options_get(options, "optimization.disable_specified_optimizers"),
      .cast_chains =
          tern_session_options_is(options, "optimization.enable_cast_chain_elimination", "1"),
      .folding_max_bytes = tern_optimize_folding_limit(tern_session_options_get(
          options, "optimization.constant_folding_max_output_size_in_bytes"))};
}

// Nodes that passes made after lowering are placed now. Without memory for that, images stay as
// they are.
static int32_t preferred_block(void *self, const tern_node *node) {
  const tern_placement *placement = NULL;
  tern_status_ignore(tern_partition_place(self, node, &placement));
  const tern_provider *provider = placement ? placement->provider : NULL;
  return provider && provider->preferred_block ? provider->preferred_block(provider->self, node)
                                               : 0;
}

// Defaults of inputs go to kernels as the caller's own values do.
static tern_status *align_defaults(const tern_graph *graph) {
  for (size_t i = 0; i < graph->inputs.count; ++i) {
    if (graph->inputs.data[i]->initializer)
      TERN_TRY(tern_value_align(graph->inputs.data[i]->initializer));
  }
  return NULL;
}

// A phase of loading has ended: the next one begins.
static void end_phase(tern_profiler *profiler, const char *name, int64_t *inout_start_ns) {
  if (profiler) tern_profiler_add_phase(profiler, name, *inout_start_ns);
  *inout_start_ns = tern_os_monotonic_ns();
}

// What is shared outlives the session, and so does whoever gives its memory.
static tern_allocator *packed_allocator(tern_account *account,
                                        const tern_session_options *options) {
  if (!options->packed_store) return tern_account_allocator(account, TERN_MEMORY_PACKED);
  return options->packed_allocator ? options->packed_allocator : tern_allocator_pages();
}

// New nodes need somebody to run them.
static tern_status *assign_layout(tern_core *core, const tern_optimize_options *options) {
  const tern_layout_chooser chooser = {&core->partition, preferred_block};
  tern_optimize_options with_layout = *options;
  with_layout.layout = &chooser;
  TERN_TRY(tern_optimize_layout(core->model, &with_layout));
  return tern_lower(core->model, &core->partition);
}

// Decides who runs what. Nodes that nobody runs as they stand are lowered, and so are those that a
// provider takes back.
static tern_status *place(tern_core *core, const tern_optimize_options *options) {
  bool again;
  TERN_TRY(tern_lower(core->model, &core->partition));
  TERN_TRY(tern_optimize_inserted_casts(core->model));
  TERN_TRY(assign_layout(core, options));
  tern_model_spend_unread(core->model);
  TERN_TRY(tern_partition_compile(&core->partition, core->model, &again));
  while (again) {
    TERN_TRY(tern_lower(core->model, &core->partition));
    TERN_TRY(tern_partition_compile(&core->partition, core->model, &again));
  }
  return tern_partition_copy(&core->partition, core->model);
}

static tern_status *make_ready(tern_core *core, const tern_core_args *args) {
  const tern_session_options *options = args->options;
  tern_program_options program = {
      .account = core->account,
      .partition = &core->partition,
      .disable_prepacking = tern_session_options_is(options, "session.disable_prepacking", "1"),
      .packed_store = core->packed_store,
      .packed_keeper = options->packed_keeper,
      .packed_allocator = packed_allocator(core->account, options)};
  tern_evaluator evaluator = tern_evaluator_make(core->model->value_allocator);
  int64_t start_ns = tern_os_monotonic_ns();
  TERN_TRY(import_model(core, args->source->bytes, options, &evaluator));
  end_phase(args->profiler, args->source->path ? "model_loading_uri" : "model_loading_array",
            &start_ns);
  TERN_TRY(check_cancel(options));
  const tern_optimize_options optimize = optimize_options(options, &evaluator);
  TERN_TRY(tern_optimize(core->model, &optimize, NULL));
  end_phase(args->profiler, "graph_optimization", &start_ns);
  TERN_TRY(tern_save_optimized(core->model, options));
  tern_model_spend_unread(core->model);
  TERN_TRY(check_cancel(options));
  TERN_TRY(place(core, &optimize));
  TERN_TRY(align_defaults(core->model->graph));
  start_ns = tern_os_monotonic_ns();
  TERN_TRY(tern_program_create(core->model->graph, &program, &core->program));
  end_phase(args->profiler, "kernel_preparation", &start_ns);
  return NULL;
}

// The store that is given, or one of its own.
static tern_status *take_store(tern_packed_store *given, tern_core *core) {
  tern_allocator *allocator = tern_account_allocator(core->account, TERN_MEMORY_MODEL);
  if (!given) return tern_packed_store_create(allocator, &core->packed_store);
  core->packed_store = tern_packed_store_retain(given);
  return NULL;
}

tern_status *tern_core_create(const tern_core_args *args, tern_core **out_core) {
  const tern_op_registry *registry;
  TERN_TRY(tern_ops_registry(&registry));
  const tern_source *source = args->source;
  tern_core *core;
  tern_allocator *allocator = tern_account_allocator(args->account, TERN_MEMORY_MODEL);
  TERN_TRY(TERN_NEW(allocator, &core));
  core->account = args->account;
  tern_partition_init(args->account, args->roster->providers, args->roster->count, args->failure,
                      &core->partition);
  tern_status *status = take_store(args->options->packed_store, core);
  if (!status) status = tern_model_create(allocator, registry, &core->model);
  if (!status) {
    core->model->value_allocator = tern_account_allocator(args->account, TERN_MEMORY_WEIGHTS);
    core->model->file = &source->file;
    core->model->externals = source->externals;
    status = make_ready(core, args);
  }
  core->partition.failure = NULL;
  if (status) {
    tern_core_destroy(core);
    return source->path ? tern_status_annotate(status, "model '%s'", source->path) : status;
  }
  *out_core = core;
  return NULL;
}

void tern_core_release_kernels(tern_core *core) {
  tern_program_release_kernels(core->program);
  tern_partition_release_kernels(&core->partition);
}

void tern_core_destroy(tern_core *core) {
  if (!core) return;
  tern_program_destroy(core->program);
  tern_partition_deinit(&core->partition);
  tern_model_destroy(core->model);
  tern_packed_store_release(core->packed_store);
  TERN_DELETE(tern_account_allocator(core->account, TERN_MEMORY_MODEL), core);
}
