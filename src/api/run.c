// Runs: checks what the caller passes, wraps and unwraps optionals, calls the engine.
#include "api/run.h"

#include <string.h>

#include "api/run_options.h"
#include "api/value.h"

static tern_status *check_names(const char *what, const char *const *names, size_t count) {
  for (size_t i = 0; i < count; ++i)
    if (!names[i] || !names[i][0])
      return TERN_ERROR(TERN_INVALID_ARGUMENT, "Run: the name of %s %zu is empty", what, i);
  return NULL;
}

// ---- Inputs as the engine takes them.

// Elements lie where their type may: kernels read them in place.
static bool is_aligned(const tern_value *value) {
  size_t size = tern_dtype_size(value->dtype);
  if (value->kind != TERN_KIND_TENSOR || size <= 1) return true;
  return (uintptr_t)value->data % (size < sizeof(double) ? size : sizeof(double)) == 0;
}

static const tern_edge *find_input(const OrtSession *session, const char *name) {
  for (size_t i = 0; i < tern_session_input_count(session->session); ++i) {
    const tern_edge *edge = tern_session_input(session->session, i);
    if (strcmp(edge->name, name) == 0) return edge;
  }
  return NULL;
}

static bool needs_wrapping(const OrtSession *session, const char *name, const tern_value *value) {
  if (!session->has_optional_inputs || (value && value->kind == TERN_KIND_OPTIONAL)) return false;
  const tern_edge *edge = find_input(session, name);
  return edge && edge->type.kind == TERN_KIND_OPTIONAL;
}

// An optional around `value`; empty where it is NULL.
static tern_status *wrap(const tern_edge *edge, const tern_value *value, tern_value **out_value) {
  tern_allocator *allocator = tern_allocator_system();
  tern_value *optional;
  TERN_TRY(tern_value_create_container(allocator, TERN_KIND_OPTIONAL, TERN_DTYPE_UNDEFINED,
                                       edge->type.element, &optional));
  tern_status *status = NULL;
  if (value) status = tern_value_append(optional, (tern_value *)(uintptr_t)value);
  if (status) {
    tern_value_release(optional);
    return status;
  }
  *out_value = optional;
  return NULL;
}

// `count` references, each to a value as given or to one made from it.
static tern_status *adapt(const OrtSession *session, const char *const *names,
                          const tern_value *const *values, size_t count, tern_value **out_values) {
  for (size_t i = 0; i < count; ++i) {
    if (needs_wrapping(session, names[i], values[i]))
      TERN_TRY(wrap(find_input(session, names[i]), values[i], &out_values[i]));
    else if (values[i] && !is_aligned(values[i]))
      TERN_TRY(tern_value_clone(tern_allocator_system(), values[i], &out_values[i]));
    else if (values[i])
      out_values[i] = tern_value_retain((tern_value *)(uintptr_t)values[i]);
  }
  return NULL;
}

static bool needs_adapting(const OrtSession *session, const char *const *names,
                           const tern_value *const *values, size_t count) {
  for (size_t i = 0; i < count; ++i)
    if (needs_wrapping(session, names[i], values[i]) || (values[i] && !is_aligned(values[i])))
      return true;
  return false;
}

// ---- The run.

// Callers see what an optional holds.
static void unwrap(tern_value **inout_value) {
  tern_value *optional = *inout_value;
  if (!optional || optional->kind != TERN_KIND_OPTIONAL || optional->item_count == 0) return;
  *inout_value = tern_value_retain(optional->items[0]);
  tern_value_release(optional);
}

static tern_status *run_adapted(OrtSession *session, const tern_run_options *options,
                                const tern_api_run *run) {
  if (!needs_adapting(session, run->input_names, run->inputs, run->input_count))
    return tern_session_run(session->session, options, run->input_names, run->inputs,
                            run->input_count, run->output_names, run->output_count, run->outputs);
  tern_value **adapted;
  TERN_TRY(tern_allocator_calloc(tern_allocator_system(), run->input_count, sizeof *adapted,
                                 (void **)&adapted));
  tern_status *status = adapt(session, run->input_names, run->inputs, run->input_count, adapted);
  if (!status)
    status = tern_session_run(session->session, options, run->input_names,
                              (const tern_value *const *)adapted, run->input_count,
                              run->output_names, run->output_count, run->outputs);
  for (size_t i = 0; i < run->input_count; ++i) tern_value_release(adapted[i]);
  tern_allocator_free(tern_allocator_system(), adapted, run->input_count * sizeof *adapted);
  return status;
}

// With a profile of this run alone.
static tern_status *run_profiled(OrtSession *session, const char *prefix, tern_run_options *options,
                                 const tern_api_run *run) {
  const tern_profiler_options profile = {.prefix = prefix, .start_ns = tern_os_monotonic_ns()};
  TERN_TRY(tern_profiler_create(tern_allocator_system(), &profile, &options->profiler));
  tern_status *status = run_adapted(session, options, run);
  const char *path;
  if (!status) status = tern_profiler_end(options->profiler, &path);
  tern_profiler_destroy(options->profiler);
  return status;
}

// ---- Memory after the run.

// One "device:number" of a list, without its end.
static tern_status *check_arena(const OrtSession *session, const char *text, size_t size) {
  bool is_cpu = strncmp(text, "cpu:", 4) == 0;
  if (!is_cpu && strncmp(text, "gpu:", 4) != 0)
    return TERN_ERROR(TERN_INVALID_ARGUMENT, "'%.*s' names no device whose arena could shrink",
                      (int)size, text);
  if (is_cpu && size == 5 && text[4] == '0' && session->keeps_frames) return NULL;
  return TERN_ERROR(TERN_INVALID_ARGUMENT, "the session has no arena for '%.*s' to shrink",
                    (int)size, text);
}

// Whether the run is to shrink its arena: "cpu:0", in a list with ';' between devices.
static tern_status *read_shrinkage(const OrtSession *session, const OrtRunOptions *options,
                                   bool *out_shrinks) {
  const char *list = ort_GetRunConfigEntry(options, "memory.enable_memory_arena_shrinkage");
  *out_shrinks = list && *list;
  for (size_t size; list && *list; list += size + (list[size] == ';')) {
    size = strcspn(list, ";");
    TERN_TRY(check_arena(session, list, size));
  }
  return NULL;
}

static void settle_memory(OrtSession *session, bool shrinks) {
  if (shrinks)
    tern_api_arena_shrink(session->arena);
  else if (!session->keeps_frames)
    tern_session_drop_frames(session->session);
}

static tern_status *run_checked(OrtSession *session, const OrtRunOptions *run_options,
                                const tern_api_run *run) {
  tern_run_options options = {.terminate = run_options ? &run_options->terminate : NULL};
  return run_options && run_options->profile_prefix
             ? run_profiled(session, run_options->profile_prefix, &options, run)
             : run_adapted(session, &options, run);
}

tern_status *tern_api_run_session(OrtSession *session, const OrtRunOptions *run_options,
                                  const tern_api_run *run) {
  bool shrinks;
  TERN_TRY(check_names("input", run->input_names, run->input_count));
  TERN_TRY(check_names("output", run->output_names, run->output_count));
  TERN_TRY(read_shrinkage(session, run_options, &shrinks));
  tern_status *status = run_checked(session, run_options, run);
  settle_memory(session, shrinks);
  TERN_TRY(status);
  for (size_t i = 0; i < run->output_count; ++i) unwrap(&run->outputs[i]);
  return NULL;
}

// What the caller gives, as one.
static OrtStatus *check_run(const OrtSession *session, const char *const *input_names,
                            const OrtValue *const *inputs, size_t input_len,
                            const char *const *output_names, size_t output_names_len,
                            OrtValue **outputs, tern_api_run *out_run) {
  TERN_API_REQUIRE(session);
  if (input_len > 0) TERN_API_REQUIRE(input_names);
  if (input_len > 0) TERN_API_REQUIRE(inputs);
  TERN_API_REQUIRE(output_names);
  TERN_API_REQUIRE(outputs);
  if (output_names_len == 0)
    return tern_api_status(TERN_ERROR(TERN_INVALID_ARGUMENT, "Run: no output is asked for"));
  *out_run = (tern_api_run){.input_names = input_names,
                            .inputs = (const tern_value *const *)inputs,
                            .input_count = input_len,
                            .output_names = output_names,
                            .outputs = (tern_value **)outputs,
                            .output_count = output_names_len};
  return NULL;
}

OrtStatus *ort_Run(OrtSession *session, const OrtRunOptions *run_options,
                   const char *const *input_names, const OrtValue *const *inputs, size_t input_len,
                   const char *const *output_names, size_t output_names_len, OrtValue **outputs) {
  tern_api_run run;
  OrtStatus *status = check_run(session, input_names, inputs, input_len, output_names,
                                output_names_len, outputs, &run);
  if (status) return status;
  return tern_api_status(tern_api_run_session(session, run_options, &run));
}

// ---- Runs on a thread of the session's.

typedef struct async_run {
  tern_pool_task task;
  OrtSession *session;
  const OrtRunOptions *options;
  tern_api_run run;
  RunAsyncCallbackFn callback;
  void *user_data;
} async_run;

// The callback may release the session: nothing is looked at after it. It sees outputs of runs that
// succeeded only.
static void run_async(tern_pool_task *task) {
  async_run run = *(async_run *)task;
  TERN_DELETE(tern_allocator_system(), (async_run *)task);
  tern_status *status = tern_api_run_session(run.session, run.options, &run.run);
  if (status)
    run.callback(run.user_data, NULL, 0, tern_api_status(status));
  else
    run.callback(run.user_data, (OrtValue **)run.run.outputs, run.run.output_count, NULL);
}

OrtStatus *ort_RunAsync(OrtSession *session, const OrtRunOptions *run_options,
                        const char *const *input_names, const OrtValue *const *input,
                        size_t input_len, const char *const *output_names, size_t output_names_len,
                        OrtValue **output, RunAsyncCallbackFn run_async_callback, void *user_data) {
  TERN_API_REQUIRE(run_async_callback);
  async_run *async;
  tern_api_run run;
  OrtStatus *status = check_run(session, input_names, input, input_len, output_names,
                                output_names_len, output, &run);
  if (status) return status;
  TERN_API_TRY(TERN_NEW(tern_allocator_system(), &async));
  *async =
      (async_run){{.run = run_async}, session, run_options, run, run_async_callback, user_data};
  if (tern_session_post(session->session, &async->task)) return NULL;
  TERN_DELETE(tern_allocator_system(), async);
  return tern_api_status(TERN_ERROR(
      TERN_FAIL,
      "RunAsync: the session has one intra-op thread, its caller's, and none to run on"));
}
