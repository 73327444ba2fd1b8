// The n-th allocation fails, for every n, while a program registers an arena, creates sessions that
// use it and share packed weights, runs them and asks for statistics, all through the ABI. Every
// time the outcome is success or "out of memory", and nothing is left behind.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/api.h"
#include "unit/graph/proto.h"

static int failures;

static const OrtApi *ort(void) {
  return tern_api_base()->GetApi(ORT_API_VERSION);
}

static void complain(int64_t n, const char *what) {
  printf("allocation %lld: %s\n", (long long)n, what);
  ++failures;
}

// Early return of what is not ORT_OK.
#define TRY(expr)                                                                                  \
  do {                                                                                             \
    OrtStatus *status_ = (expr);                                                                   \
    if (status_) return status_;                                                                   \
  } while (0)

// Everything that a scenario makes, released whether it got there or not.
typedef struct scene {
  OrtEnv *env;
  OrtMemoryInfo *info;
  OrtArenaCfg *arena;
  OrtPrepackedWeightsContainer *container;
  OrtSessionOptions *options;
  OrtSession *sessions[2];
  OrtAllocator *allocator;
  OrtRunOptions *run_options;
  OrtKeyValuePairs *stats;
  OrtValue *input, *output;
} scene;

static void release(scene *s) {
  const OrtApi *api = ort();
  api->ReleaseValue(s->output);
  api->ReleaseValue(s->input);
  api->ReleaseKeyValuePairs(s->stats);
  api->ReleaseRunOptions(s->run_options);
  if (s->allocator) api->ReleaseAllocator(s->allocator);
  for (int i = 0; i < 2; ++i) api->ReleaseSession(s->sessions[i]);
  api->ReleaseSessionOptions(s->options);
  api->ReleasePrepackedWeightsContainer(s->container);
  api->ReleaseArenaCfg(s->arena);
  api->ReleaseMemoryInfo(s->info);
  api->ReleaseEnv(s->env);
}

static OrtStatus *open_env(scene *s) {
  const OrtApi *api = ort();
  TRY(api->CreateEnv(ORT_LOGGING_LEVEL_FATAL, "faults", &s->env));
  TRY(api->CreateCpuMemoryInfo(OrtArenaAllocator, OrtMemTypeDefault, &s->info));
  TRY(api->CreateArenaCfg((size_t)1 << 24, -1, -1, -1, &s->arena));
  TRY(api->CreateAndRegisterAllocator(s->env, s->info, s->arena));
  TRY(api->CreateAndRegisterAllocator(s->env, s->info, s->arena)); // in place of the first
  return api->CreatePrepackedWeightsContainer(&s->container);
}

static OrtStatus *load(scene *s, tern_span model) {
  const OrtApi *api = ort();
  TRY(api->CreateSessionOptions(&s->options));
  TRY(api->SetIntraOpNumThreads(s->options, 1));
  TRY(api->AddSessionConfigEntry(s->options, "session.use_env_allocators", "1"));
  for (int i = 0; i < 2; ++i)
    TRY(api->CreateSessionFromArrayWithPrepackedWeightsContainer(
        s->env, model.data, model.size, s->options, s->container, &s->sessions[i]));
  return api->CreateAllocator(s->sessions[0], s->info, &s->allocator);
}

static OrtStatus *run(scene *s) {
  static const char *const x = "x", *const y = "y";
  static const int64_t shape[] = {2, 32};
  const OrtApi *api = ort();
  void *data;
  TRY(api->CreateTensorAsOrtValue(s->allocator, shape, 2, ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT,
                                  &s->input));
  TRY(api->GetTensorMutableData(s->input, &data));
  memset(data, 0, 64 * sizeof(float));
  TRY(api->CreateRunOptions(&s->run_options));
  TRY(api->AddRunConfigEntry(s->run_options, "memory.enable_memory_arena_shrinkage", "cpu:0"));
  TRY(api->Run(s->sessions[1], s->run_options, &x, (const OrtValue *const *)&s->input, 1, &y, 1,
               &s->output));
  return api->AllocatorGetStats(s->allocator, &s->stats);
}

static OrtStatus *play(scene *s, tern_span model) {
  TRY(open_env(s));
  TRY(load(s, model));
  return run(s);
}

// True when it came to an error.
static bool play_once(tern_span model, int64_t n) {
  scene s = {0};
  tern_allocator_stats before, after;
  tern_allocator_get_stats(&before);
  tern_allocator_fail_at(n);
  OrtStatus *status = play(&s, model);
  if (n > 0) tern_allocator_fail_at(0);
  if (status && !strstr(ort()->GetErrorMessage(status), "out of memory"))
    complain(n, ort()->GetErrorMessage(status));
  bool failed = status != NULL;
  ort()->ReleaseStatus(status);
  release(&s);
  tern_allocator_get_stats(&after);
  if (n > 0 && after.live_blocks != before.live_blocks) complain(n, "blocks are left behind");
  return failed;
}

int main(void) {
  static float w[32 * 32];
  tern_pb_writer writer;
  tern_pb_writer_init(tern_allocator_system(), &writer);
  put_model(&writer, 8, 21);
  size_t graph = open_graph(&writer);
  put_info(&writer, GRAPH_INPUT, "x", TERN_FLOAT, "N,32");
  put_initializer(&writer, "w", TERN_FLOAT, "32,32", w, sizeof w);
  put_node(&writer, "", "MatMul", "x,w", "a");
  put_node(&writer, "", "Softmax", "a", "y");
  put_info(&writer, GRAPH_OUTPUT, "y", TERN_FLOAT, "N,32");
  tern_pb_end_message(&writer, graph);
  tern_span model = {(const char *)writer.data, writer.size};
  // The first also makes what lives as long as the process.
  if (play_once(model, 0) || play_once(model, 0)) complain(0, "it does not run");
  int64_t attempts = tern_allocator_attempts(), fatal = 0;
  if (attempts == 0) complain(0, "nothing was allocated; is this a build with TERN_FAULTS?");
  for (int64_t n = 1; n <= attempts; ++n) fatal += play_once(model, n);
  tern_pb_writer_deinit(&writer);
  printf("%lld allocations failed, %lld were fatal\n", (long long)attempts, (long long)fatal);
  return failures ? EXIT_FAILURE : EXIT_SUCCESS;
}
