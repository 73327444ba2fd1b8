// Settings of the threads that the sessions of an environment share.
#include "api/env.h"

// ---- Pools.

static tern_status *create_thread(void *self, void (*worker)(void *argument), void *argument,
                                  void **out_handle) {
  const tern_api_thread_hooks *hooks = self;
  OrtCustomThreadHandle handle = hooks->create(hooks->options, worker, argument);
  if (!handle) return TERN_ERROR(TERN_FAIL, "the function that creates threads gave none");
  *out_handle = (void *)(uintptr_t)handle;
  return NULL;
}

static void join_thread(void *self, void *handle) {
  const tern_api_thread_hooks *hooks = self;
  hooks->join(handle);
}

tern_pool_hooks tern_api_pool_hooks(tern_api_thread_hooks *hooks) {
  return (tern_pool_hooks){.self = hooks,
                           .create = hooks->create ? create_thread : NULL,
                           .join = hooks->join ? join_thread : NULL};
}

static void log_note(void *self, const char *message) {
  tern_api_log(self, ORT_LOGGING_LEVEL_WARNING, "threads", message);
}

tern_status *tern_api_threading_create_pool(OrtThreadingOptions *options, const OrtLogger *logger,
                                            tern_pool **out_pool) {
  bool is_default = options->intra_op_threads == 0;
  int32_t most = options->intra_op_threads > options->inter_op_threads ? options->intra_op_threads
                                                                       : options->inter_op_threads;
  const tern_pool_options pool = {.threads = is_default ? 0 : most,
                                  .spin_ns = options->allow_spinning ? TERN_POOL_SPIN_NS : 0,
                                  .affinity = options->affinity,
                                  .hooks = tern_api_pool_hooks(&options->hooks),
                                  .note = log_note,
                                  .note_self = (void *)(uintptr_t)logger};
  return tern_pool_create(&pool, out_pool);
}

// ---- Options.

OrtStatus *ort_CreateThreadingOptions(OrtThreadingOptions **out) {
  TERN_API_REQUIRE(out);
  OrtThreadingOptions *options;
  TERN_API_TRY(TERN_NEW(tern_allocator_system(), &options));
  options->allow_spinning = 1;
  *out = options;
  return NULL;
}

tern_status *tern_api_threading_copy(const OrtThreadingOptions *source,
                                     OrtThreadingOptions *out_copy) {
  OrtThreadingOptions copy = *source;
  TERN_TRY(tern_api_text_copy(source->affinity, &copy.affinity));
  *out_copy = copy;
  return NULL;
}

void tern_api_threading_deinit(OrtThreadingOptions *options) {
  tern_api_text_free(options->affinity);
  options->affinity = NULL;
}

void ort_ReleaseThreadingOptions(OrtThreadingOptions *input) {
  if (!input) return;
  tern_api_threading_deinit(input);
  TERN_DELETE(tern_allocator_system(), input);
}

static OrtStatus *set_thread_count(const char *what, int count, int *out_count) {
  if (count < 0)
    return tern_api_status(
        TERN_ERROR(TERN_INVALID_ARGUMENT, "%s is %d, and must not be negative", what, count));
  *out_count = count;
  return NULL;
}

OrtStatus *ort_SetGlobalIntraOpNumThreads(OrtThreadingOptions *tp_options,
                                          int intra_op_num_threads) {
  TERN_API_REQUIRE(tp_options);
  return set_thread_count("the number of intra-op threads", intra_op_num_threads,
                          &tp_options->intra_op_threads);
}

OrtStatus *ort_SetGlobalInterOpNumThreads(OrtThreadingOptions *tp_options,
                                          int inter_op_num_threads) {
  TERN_API_REQUIRE(tp_options);
  return set_thread_count("the number of inter-op threads", inter_op_num_threads,
                          &tp_options->inter_op_threads);
}

OrtStatus *ort_SetGlobalSpinControl(OrtThreadingOptions *tp_options, int allow_spinning) {
  TERN_API_REQUIRE(tp_options);
  if (allow_spinning != 0 && allow_spinning != 1)
    return tern_api_status(
        TERN_ERROR(TERN_INVALID_ARGUMENT, "allow_spinning is %d, not 0 or 1", allow_spinning));
  tp_options->allow_spinning = allow_spinning;
  return NULL;
}

OrtStatus *ort_SetGlobalDenormalAsZero(OrtThreadingOptions *tp_options) {
  TERN_API_REQUIRE(tp_options);
  tp_options->denormal_as_zero = true;
  return NULL;
}

OrtStatus *ort_SetGlobalIntraOpThreadAffinity(OrtThreadingOptions *tp_options,
                                              const char *affinity_string) {
  TERN_API_REQUIRE(tp_options);
  TERN_API_REQUIRE(affinity_string);
  if (!*affinity_string)
    return tern_api_status(TERN_ERROR(TERN_INVALID_ARGUMENT, "the affinity is empty"));
  return tern_api_status(tern_api_text_set(&tp_options->affinity, affinity_string));
}

OrtStatus *ort_SetGlobalCustomCreateThreadFn(OrtThreadingOptions *tp_options,
                                             OrtCustomCreateThreadFn ort_custom_create_thread_fn) {
  TERN_API_REQUIRE(tp_options);
  tp_options->hooks.create = ort_custom_create_thread_fn;
  return NULL;
}

OrtStatus *ort_SetGlobalCustomThreadCreationOptions(OrtThreadingOptions *tp_options,
                                                    void *ort_custom_thread_creation_options) {
  TERN_API_REQUIRE(tp_options);
  tp_options->hooks.options = ort_custom_thread_creation_options;
  return NULL;
}

OrtStatus *ort_SetGlobalCustomJoinThreadFn(OrtThreadingOptions *tp_options,
                                           OrtCustomJoinThreadFn ort_custom_join_thread_fn) {
  TERN_API_REQUIRE(tp_options);
  tp_options->hooks.join = ort_custom_join_thread_fn;
  return NULL;
}
