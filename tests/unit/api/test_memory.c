// Where sessions take their memory from: custom allocators, arenas and their statistics, frames
// given back, packed weights kept.
#include <pthread.h>
#include <stdlib.h>

#include "model_bytes.h"

enum { WIDTH = 256, ROWS = 64 };

static int64_t shape_of_x[] = {ROWS, WIDTH};

static void put_matrix(model_bytes *model, const char *name) {
  tern_pb_writer *writer = &model->writer;
  const int64_t dims[] = {WIDTH, WIDTH};
  float *values = malloc(WIDTH * WIDTH * sizeof *values);
  for (int i = 0; i < WIDTH * WIDTH; ++i) values[i] = i % (WIDTH + 1) == 0 ? 2 : 0;
  size_t tensor = tern_pb_begin_message(writer, 5);
  tern_pb_write_packed_i64(writer, 1, dims, 2);
  tern_pb_write_varint(writer, 2, 1);
  tern_pb_write_text(writer, 8, name);
  tern_pb_write_bytes(writer, 9, values, WIDTH * WIDTH * sizeof *values);
  tern_pb_end_message(writer, tensor);
  free(values);
}

// y = Softmax(2 x) * 2, by products with matrices.
static model_bytes model_products(void) {
  model_bytes model = model_begin();
  model_node(&model, "MatMul", "x,w", "a");
  model_node(&model, "Softmax", "a", "b");
  model_node(&model, "MatMul", "b,w", "y");
  put_matrix(&model, "w");
  model_port(&model, MODEL_INPUT, 0, "x", 1, "N,256");
  model_port(&model, MODEL_OUTPUT, 0, "y", 1, "N,256");
  return model;
}

static OrtSession *load(const OrtEnv *env, const OrtSessionOptions *options) {
  OrtSession *session = NULL;
  model_bytes model = model_products();
  check_ok(model_load(&model, env, options, &session));
  return session;
}

static OrtSessionOptions *options_with(const char *key, const char *value) {
  OrtSessionOptions *options = NULL;
  check_ok(ort()->CreateSessionOptions(&options));
  if (key) check_ok(ort()->AddSessionConfigEntry(options, key, value));
  return options;
}

static OrtStatus *try_run(OrtSession *session, const OrtRunOptions *options, int64_t rows,
                          OrtValue **out_value) {
  static float x[ROWS * WIDTH];
  const char *x_name = "x", *y_name = "y";
  shape_of_x[0] = rows;
  OrtValue *in = wrap_floats(x, (size_t)rows * WIDTH, shape_of_x, 2);
  OrtStatus *status =
      ort()->Run(session, options, &x_name, (const OrtValue *const *)&in, 1, &y_name, 1, out_value);
  ort()->ReleaseValue(in);
  return status;
}

static OrtValue *run(OrtSession *session, const OrtRunOptions *options) {
  OrtValue *out = NULL;
  check_ok(try_run(session, options, ROWS, &out));
  for (int i = 0; i < ROWS * WIDTH; ++i) assert_float_equal(floats_of(out)[i], 2.0f / WIDTH, 1e-6f);
  return out;
}

// ---- A custom allocator: it knows its own blocks, and aligns them as badly as it may.

enum { MAGIC = 0x51ab1e };

typedef struct custom {
  OrtAllocator base;
  OrtMemoryInfo *info;
  long allocated, reserved, freed, foreign; // blocks
  long live_bytes;
} custom;

static void *take(custom *self, size_t size, long *count) {
  char *block = malloc(size + 24);
  if (!block) return NULL;
  ((size_t *)(void *)block)[0] = MAGIC;
  ((size_t *)(void *)block)[1] = size;
  __atomic_add_fetch(count, 1, __ATOMIC_SEQ_CST);
  __atomic_add_fetch(&self->live_bytes, (long)size, __ATOMIC_SEQ_CST);
  return block + 24; // a multiple of 8
}

static void *ORT_API_CALL custom_alloc(OrtAllocator *self, size_t size) {
  return take((custom *)self, size, &((custom *)self)->allocated);
}

static void *ORT_API_CALL custom_reserve(OrtAllocator *self, size_t size) {
  return take((custom *)self, size, &((custom *)self)->reserved);
}

static void ORT_API_CALL custom_free(OrtAllocator *base, void *p) {
  custom *self = (custom *)base;
  if (!p) return;
  size_t *block = (size_t *)(void *)((char *)p - 24);
  if (block[0] != MAGIC) ++self->foreign;
  block[0] = 0;
  __atomic_add_fetch(&self->freed, 1, __ATOMIC_SEQ_CST);
  __atomic_sub_fetch(&self->live_bytes, (long)block[1], __ATOMIC_SEQ_CST);
  free(block);
}

static const OrtMemoryInfo *ORT_API_CALL custom_info(const OrtAllocator *self) {
  return ((const custom *)self)->info;
}

static custom make_custom(uint32_t version) {
  custom made = {.base = {.version = version,
                          .Alloc = custom_alloc,
                          .Free = custom_free,
                          .Info = custom_info,
                          .Reserve = custom_reserve}};
  check_ok(ort()->CreateCpuMemoryInfo(OrtDeviceAllocator, OrtMemTypeDefault, &made.info));
  return made;
}

static void check_balance(const custom *allocator) {
  assert_int_equal(allocator->freed, allocator->allocated + allocator->reserved);
  assert_int_equal(allocator->foreign, 0);
  assert_int_equal(allocator->live_bytes, 0);
}

static void custom_allocators_give_sessions_their_memory(void **state) {
  (void)state;
  OrtEnv *env = make_env();
  custom allocator = make_custom(ORT_API_VERSION);
  check_ok(ort()->RegisterAllocator(env, &allocator.base));
  OrtSession *apart = load(env, NULL); // was not told to
  assert_int_equal(allocator.reserved + allocator.allocated, 0);
  OrtSessionOptions *options = options_with("session.use_env_allocators", "1");
  OrtSession *one = load(env, options);
  assert_true(allocator.reserved > 0 && allocator.live_bytes >= WIDTH * WIDTH * 4);
  assert_int_equal(allocator.allocated, 0);
  long reserved_bytes = allocator.live_bytes;
  OrtSession *two = load(env, options); // shares what is packed
  assert_true(allocator.live_bytes < reserved_bytes + WIDTH * WIDTH * 4 + 4096);
  OrtValue *first = run(one, NULL), *second = run(two, NULL);
  ort()->ReleaseValue(run(apart, NULL));
  assert_true(allocator.allocated > 0);
  long allocated = allocator.allocated;
  ort()->ReleaseValue(run(one, NULL));
  assert_true(allocator.allocated <= allocated + 8); // frames are kept
  ort()->ReleaseSession(one);
  ort()->ReleaseSession(apart);
  check_ok(ort()->UnregisterAllocator(env, allocator.info));
  ort()->ReleaseValue(run(two, NULL));
  ort()->ReleaseSession(two);
  assert_true(allocator.live_bytes >= 2 * ROWS * WIDTH * 4);
  ort()->ReleaseValue(first);
  ort()->ReleaseValue(second);
  check_balance(&allocator);
  ort()->ReleaseSessionOptions(options);
  ort()->ReleaseMemoryInfo(allocator.info);
  ort()->ReleaseEnv(env);
}

// Slots that an older allocator does not have are not looked at.
static void older_allocators_have_no_reserve(void **state) {
  (void)state;
  OrtEnv *env = make_env();
  custom allocator = make_custom(17);
  check_ok(ort()->RegisterAllocator(env, &allocator.base));
  OrtSessionOptions *options = options_with("session.use_env_allocators", "1");
  OrtSession *session = load(env, options);
  ort()->ReleaseValue(run(session, NULL));
  ort()->ReleaseSession(session);
  ort()->ReleaseEnv(env); // which ends the registration
  assert_int_equal(allocator.reserved, 0);
  assert_true(allocator.allocated > 0);
  check_balance(&allocator);
  ort()->ReleaseSessionOptions(options);
  ort()->ReleaseMemoryInfo(allocator.info);
}

static void initializers_may_go_past_the_arena(void **state) {
  (void)state;
  OrtEnv *env = make_env();
  custom allocator = make_custom(ORT_API_VERSION);
  check_ok(ort()->RegisterAllocator(env, &allocator.base));
  OrtSessionOptions *options = options_with("session.use_env_allocators", "1");
  check_ok(
      ort()->AddSessionConfigEntry(options, "session.use_device_allocator_for_initializers", "1"));
  OrtSession *session = load(env, options);
  assert_int_equal(allocator.reserved, 0);
  assert_true(allocator.allocated > 0);
  ort()->ReleaseValue(run(session, NULL));
  ort()->ReleaseSession(session);
  check_balance(&allocator);
  ort()->ReleaseSessionOptions(options);
  ort()->ReleaseMemoryInfo(allocator.info);
  ort()->ReleaseEnv(env);
}

// ---- Arenas.

static long long stat_of(OrtAllocator *allocator, const char *key) {
  OrtKeyValuePairs *stats = NULL;
  check_ok(ort()->AllocatorGetStats(allocator, &stats));
  const char *text = ort()->GetKeyValue(stats, key);
  assert_non_null(text);
  long long value = strtoll(text, NULL, 10);
  ort()->ReleaseKeyValuePairs(stats);
  return value;
}

static OrtAllocator *allocator_of(const OrtSession *session) {
  OrtMemoryInfo *info = NULL;
  OrtAllocator *allocator = NULL;
  check_ok(ort()->CreateCpuMemoryInfo(OrtArenaAllocator, OrtMemTypeDefault, &info));
  check_ok(ort()->CreateAllocator(session, info, &allocator));
  ort()->ReleaseMemoryInfo(info);
  return allocator;
}

static void sessions_count_their_memory(void **state) {
  (void)state;
  OrtEnv *env = make_env();
  OrtSession *session = load(env, NULL);
  OrtAllocator *allocator = allocator_of(session);
  long long loaded = stat_of(allocator, "InUse");
  assert_true(loaded > 0);
  assert_int_equal(stat_of(allocator, "NumAllocs"), stat_of(allocator, "NumReserves"));
  assert_int_equal(stat_of(allocator, "Limit"), -1);
  OrtValue *out = run(session, NULL);
  long long frames = stat_of(allocator, "InUse") - loaded;
  assert_true(frames > 2 * ROWS * WIDTH * 4); // the output, and what the run worked in
  ort()->ReleaseValue(out);
  OrtRunOptions *shrinking = NULL;
  check_ok(ort()->CreateRunOptions(&shrinking));
  check_ok(ort()->AddRunConfigEntry(shrinking, "memory.enable_memory_arena_shrinkage", "cpu:0"));
  out = run(session, shrinking);
  long long of_output = stat_of(allocator, "InUse") - loaded;
  assert_true(of_output >= ROWS * WIDTH * 4 && of_output < ROWS * WIDTH * 4 + 1024);
  assert_int_equal(stat_of(allocator, "NumArenaShrinkages"), 1);
  ort()->ReleaseValue(out);
  assert_int_equal(stat_of(allocator, "InUse"), loaded);
  ort()->ReleaseValue(run(session, NULL));
  check_ok(allocator->Shrink(allocator));
  assert_int_equal(stat_of(allocator, "InUse"), loaded);
  assert_true(stat_of(allocator, "MaxInUse") >= loaded + frames);
  ort()->ReleaseRunOptions(shrinking);
  ort()->ReleaseAllocator(allocator);
  ort()->ReleaseSession(session);
  ort()->ReleaseEnv(env);
}

static void arenas_that_are_not_there_do_not_shrink(void **state) {
  (void)state;
  OrtEnv *env = make_env();
  OrtSession *session = load(env, NULL);
  static const char *const bad[] = {"gpu:0", "cpu:1", "cpu:0;gpu:0", "nonsense",
                                    "cpu",   ";",     "cpu:00"};
  OrtValue *out = NULL;
  OrtRunOptions *options = NULL;
  check_ok(ort()->CreateRunOptions(&options));
  for (size_t i = 0; i < sizeof bad / sizeof *bad; ++i) {
    check_ok(ort()->AddRunConfigEntry(options, "memory.enable_memory_arena_shrinkage", bad[i]));
    check_invalid(try_run(session, options, ROWS, &out));
    assert_null(out);
  }
  check_ok(ort()->AddRunConfigEntry(options, "memory.enable_memory_arena_shrinkage", ""));
  ort()->ReleaseValue(run(session, options));
  ort()->ReleaseSession(session);
  // Nor does one that was turned off.
  OrtSessionOptions *without = options_with(NULL, NULL);
  check_ok(ort()->DisableCpuMemArena(without));
  session = load(env, without);
  check_ok(ort()->AddRunConfigEntry(options, "memory.enable_memory_arena_shrinkage", "cpu:0"));
  check_invalid(try_run(session, options, ROWS, &out));
  ort()->ReleaseSession(session);
  ort()->ReleaseSessionOptions(without);
  ort()->ReleaseRunOptions(options);
  ort()->ReleaseEnv(env);
}

static void without_an_arena_runs_leave_nothing(void **state) {
  (void)state;
  OrtEnv *env = make_env();
  OrtSessionOptions *options = options_with(NULL, NULL);
  check_ok(ort()->DisableCpuMemArena(options));
  OrtSession *session = load(env, options);
  OrtAllocator *allocator = allocator_of(session);
  long long loaded = stat_of(allocator, "InUse");
  for (int i = 0; i < 3; ++i) {
    ort()->ReleaseValue(run(session, NULL));
    assert_int_equal(stat_of(allocator, "InUse"), loaded);
  }
  ort()->ReleaseAllocator(allocator);
  ort()->ReleaseSession(session);
  ort()->ReleaseSessionOptions(options);
  ort()->ReleaseEnv(env);
}

// What an allocator gave stays with whoever holds it.
static void values_outlive_their_session(void **state) {
  (void)state;
  OrtEnv *env = make_env();
  OrtSession *session = load(env, NULL);
  OrtAllocator *allocator = allocator_of(session);
  OrtValue *made = NULL, *out = run(session, NULL);
  const int64_t shape[] = {3};
  check_ok(ort()->CreateTensorAsOrtValue(allocator, shape, 1, ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT,
                                         &made));
  ort()->ReleaseAllocator(allocator);
  ort()->ReleaseSession(session);
  ort()->ReleaseEnv(env);
  void *data = NULL;
  check_ok(ort()->GetTensorMutableData(made, &data));
  memset(data, 1, 3 * sizeof(float));
  assert_float_equal(floats_of(out)[0], 2.0f / WIDTH, 1e-6f);
  ort()->ReleaseValue(made);
  ort()->ReleaseValue(out);
}

// ---- Limits.

static void limit_to(OrtEnv *env, size_t bytes) {
  OrtMemoryInfo *info = NULL;
  OrtArenaCfg *arena = NULL;
  check_ok(ort()->CreateCpuMemoryInfo(OrtArenaAllocator, OrtMemTypeDefault, &info));
  check_ok(ort()->CreateArenaCfg(bytes, -1, -1, -1, &arena));
  check_ok(ort()->CreateAndRegisterAllocator(env, info, arena));
  ort()->ReleaseArenaCfg(arena);
  ort()->ReleaseMemoryInfo(info);
}

// y = the largest of -(x, and x below it), z = -x: memory on the way, and memory that leaves.
static OrtSession *load_limited(const OrtEnv *env) {
  OrtSession *session = NULL;
  OrtSessionOptions *options = options_with("session.use_env_allocators", "1");
  check_ok(ort()->SetIntraOpNumThreads(options, 1));
  model_bytes model = model_begin();
  tern_pb_writer *writer = &model.writer;
  size_t node = tern_pb_begin_message(writer, 1), attribute;
  model_names(writer, 1, "x,x");
  model_names(writer, 2, "a");
  tern_pb_write_text(writer, 4, "Concat");
  attribute = tern_pb_begin_message(writer, 5); // axis = 0
  tern_pb_write_text(writer, 1, "axis");
  tern_pb_write_varint(writer, 3, 0);
  tern_pb_write_varint(writer, 20, 2);
  tern_pb_end_message(writer, attribute);
  tern_pb_end_message(writer, node);
  model_node(&model, "Neg", "a", "b");
  model_node(&model, "ReduceMax", "b", "y");
  model_node(&model, "Neg", "x", "z");
  model_port(&model, MODEL_INPUT, 0, "x", 1, "N,256");
  model_port(&model, MODEL_OUTPUT, 0, "y", 1, "1,1");
  model_port(&model, MODEL_OUTPUT, 0, "z", 1, "N,256");
  check_ok(model_load(&model, env, options, &session));
  ort()->ReleaseSessionOptions(options);
  return session;
}

static OrtStatus *run_limited(OrtSession *session, int64_t rows, float *given) {
  static float x[ROWS * WIDTH];
  const int64_t shape[] = {rows, WIDTH};
  const char *in_name = "x", *out_names[] = {"y", "z"};
  OrtValue *in = wrap_floats(x, (size_t)rows * WIDTH, shape, 2), *out[2] = {NULL, NULL};
  if (given) out[1] = wrap_floats(given, (size_t)rows * WIDTH, shape, 2);
  OrtValue *before = out[1];
  OrtStatus *status =
      ort()->Run(session, NULL, &in_name, (const OrtValue *const *)&in, 1, out_names, 2, out);
  if (status) assert_true(!out[0] && out[1] == before);
  ort()->ReleaseValue(in);
  ort()->ReleaseValue(out[0]);
  ort()->ReleaseValue(out[1]);
  return status;
}

// The number before `words` in a status, which is released.
static long long number_before(const char *message, const char *words) {
  const char *at = strstr(message, words);
  assert_non_null(at);
  while (at > message && at[-1] == ' ') --at;
  while (at > message && at[-1] >= '0' && at[-1] <= '9') --at;
  return strtoll(at, NULL, 10);
}

// Exactly what a run takes at its peak is enough, and a byte less is refused before it takes any.
static void limits_are_kept_to_the_byte(void **state) {
  (void)state;
  OrtEnv *env = make_env();
  limit_to(env, 0);
  OrtSession *session = load_limited(env);
  check_ok(run_limited(session, 1, NULL)); // makes a frame's tables
  check_ok(run_limited(session, ROWS, NULL));
  OrtAllocator *allocator = allocator_of(session);
  long long peak = stat_of(allocator, "MaxInUse");
  assert_true(peak > 3 * ROWS * WIDTH * 4);
  ort()->ReleaseAllocator(allocator);
  ort()->ReleaseSession(session);

  limit_to(env, (size_t)peak);
  session = load_limited(env);
  check_ok(run_limited(session, 1, NULL));
  check_ok(run_limited(session, ROWS, NULL));
  check_ok(run_limited(session, 1, NULL));
  ort()->ReleaseSession(session);

  limit_to(env, (size_t)peak - 1);
  session = load_limited(env);
  allocator = allocator_of(session);
  check_ok(run_limited(session, 1, NULL));
  long long allocations = stat_of(allocator, "NumAllocs");
  for (int i = 0; i < 3; ++i) {
    OrtStatus *status = run_limited(session, ROWS, NULL);
    assert_non_null(status);
    assert_int_equal(ort()->GetErrorCode(status), ORT_FAIL);
    const char *message = ort()->GetErrorMessage(status);
    long long needed = number_before(message, "bytes are needed");
    long long given = strtoll(strstr(message, "has given ") + 10, NULL, 10);
    assert_int_equal(needed + given, peak);
    ort()->ReleaseStatus(status);
  }
  assert_int_equal(stat_of(allocator, "NumAllocs"), allocations);
  check_ok(run_limited(session, 1, NULL));
  check_ok(run_limited(session, ROWS / 2, NULL));
  // What the caller brings is not needed.
  static float z[ROWS * WIDTH];
  check_ok(run_limited(session, ROWS, z));
  ort()->ReleaseAllocator(allocator);
  ort()->ReleaseSession(session);
  ort()->ReleaseEnv(env);
}

// What one session has kept for its next run does not keep another from running.
static void frames_give_way(void **state) {
  (void)state;
  OrtEnv *env = make_env();
  limit_to(env, 0);
  OrtSession *one = load_limited(env), *two;
  check_ok(run_limited(one, ROWS, NULL));
  OrtAllocator *allocator = allocator_of(one);
  long long limit = stat_of(allocator, "MaxInUse") * 3 / 2;
  ort()->ReleaseAllocator(allocator);
  ort()->ReleaseSession(one);
  limit_to(env, (size_t)limit);
  one = load_limited(env);
  two = load_limited(env);
  allocator = allocator_of(one);
  for (int i = 0; i < 4; ++i) check_ok(run_limited(i % 2 ? one : two, ROWS, NULL));
  assert_true(stat_of(allocator, "MaxInUse") <= limit);
  ort()->ReleaseAllocator(allocator);
  ort()->ReleaseSession(one);
  ort()->ReleaseSession(two);
  ort()->ReleaseEnv(env);
}

typedef struct crowd {
  OrtSession *sessions[2];
  int refused[4], other[4];
} crowd;

typedef struct member {
  crowd *crowd;
  int index;
} member;

static void *crowd_in(void *argument) {
  const member *self = argument;
  crowd *c = self->crowd;
  for (int i = 0; i < 50; ++i) {
    OrtStatus *status = run_limited(c->sessions[(self->index + i) % 2], 1 + i * 37 % ROWS, NULL);
    if (!status) continue;
    bool is_limit = strstr(ort()->GetErrorMessage(status), "max_mem") != NULL;
    ++(is_limit ? c->refused : c->other)[self->index];
    ort()->ReleaseStatus(status);
  }
  return NULL;
}

// Threads that run into the limit are refused; nothing else comes of it.
static void crowds_are_refused_cleanly(void **state) {
  (void)state;
  OrtEnv *env = make_env();
  limit_to(env, 3 * ROWS * WIDTH * 4);
  crowd c = {.sessions = {load_limited(env), load_limited(env)}};
  OrtAllocator *allocator = allocator_of(c.sessions[0]);
  pthread_t threads[4];
  member members[4];
  for (int i = 0; i < 4; ++i) {
    members[i] = (member){&c, i};
    assert_int_equal(pthread_create(&threads[i], NULL, crowd_in, &members[i]), 0);
  }
  for (int i = 0; i < 4; ++i) pthread_join(threads[i], NULL);
  for (int i = 0; i < 4; ++i) assert_int_equal(c.other[i], 0);
  assert_true(stat_of(allocator, "MaxInUse") <= 3 * ROWS * WIDTH * 4);
  ort()->ReleaseSession(c.sessions[0]);
  ort()->ReleaseSession(c.sessions[1]);
  assert_int_equal(stat_of(allocator, "InUse"), 0);
  ort()->ReleaseAllocator(allocator);
  ort()->ReleaseEnv(env);
}

// ---- Packed weights.

// The number behind `key` in what the session says of its memory.
static long long reported(const OrtSession *session, const char *key) {
  OrtAllocator *allocator = cpu_allocator();
  char *json = NULL, name[64];
  check_ok(TernGetApi(TERN_API_VERSION)->DescribeSession(session, allocator, &json));
  snprintf(name, sizeof name, "\"%s\":", key);
  const char *found = strstr(strstr(json, "\"memory\":"), name);
  assert_non_null(found);
  long long value = strtoll(found + strlen(name), NULL, 10);
  allocator->Free(allocator, json);
  return value;
}

static void containers_keep_packed_weights(void **state) {
  (void)state;
  OrtEnv *env = make_env();
  OrtPrepackedWeightsContainer *container = NULL;
  OrtSession *session = NULL;
  check_ok(ort()->CreatePrepackedWeightsContainer(&container));
  for (int i = 0; i < 2; ++i) {
    model_bytes model = model_products();
    tern_pb_end_message(&model.writer, model.graph);
    assert_null(tern_pb_writer_finish(&model.writer));
    check_ok(ort()->CreateSessionFromArrayWithPrepackedWeightsContainer(
        env, model.writer.data, model.writer.size, NULL, container, &session));
    tern_pb_writer_deinit(&model.writer);
    assert_true(reported(session, "packed_bytes") >= WIDTH * WIDTH * 4);
    assert_int_equal(reported(session, "shared_bytes"), reported(session, "packed_bytes"));
    ort()->ReleaseValue(run(session, NULL));
    ort()->ReleaseSession(session);
  }
  session = load(env, NULL); // finds them too
  assert_int_equal(reported(session, "shared_bytes"), reported(session, "packed_bytes"));
  ort()->ReleasePrepackedWeightsContainer(container);
  assert_int_equal(reported(session, "shared_bytes"), 0);
  ort()->ReleaseValue(run(session, NULL));
  ort()->ReleaseSession(session);
  ort()->ReleaseEnv(env);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(custom_allocators_give_sessions_their_memory),
      cmocka_unit_test(older_allocators_have_no_reserve),
      cmocka_unit_test(initializers_may_go_past_the_arena),
      cmocka_unit_test(sessions_count_their_memory),
      cmocka_unit_test(arenas_that_are_not_there_do_not_shrink),
      cmocka_unit_test(without_an_arena_runs_leave_nothing),
      cmocka_unit_test(values_outlive_their_session),
      cmocka_unit_test(limits_are_kept_to_the_byte),
      cmocka_unit_test(frames_give_way),
      cmocka_unit_test(crowds_are_refused_cleanly),
      cmocka_unit_test(containers_keep_packed_weights),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
