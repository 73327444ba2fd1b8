// Threads through the ABI: who makes them, pools of environments, asynchronous runs, stopping a
// run from another thread, denormal numbers.
#include <float.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <time.h>

#include "model_bytes.h"

static const int64_t row[] = {1, 3};

static void wait_ms(long ms) {
  nanosleep(&(struct timespec){.tv_nsec = ms * 1000000}, NULL);
}

static OrtSessionOptions *make_options(int intra_op_threads) {
  OrtSessionOptions *options = NULL;
  check_ok(ort()->CreateSessionOptions(&options));
  check_ok(ort()->SetIntraOpNumThreads(options, intra_op_threads));
  return options;
}

static OrtStatus *load(OrtEnv *env, model_bytes model, const OrtSessionOptions *options,
                       OrtSession **out_session) {
  *out_session = NULL;
  return model_load(&model, env, options, out_session);
}

static void set(OrtSessionOptions *options, const char *key, const char *value) {
  check_ok(ort()->AddSessionConfigEntry(options, key, value));
}

// y of x = 1 2 3 in the affine model, right.
static void check_runs(OrtSession *session) {
  float x[] = {1, 2, 3};
  const char *input = "x", *output = "y";
  OrtValue *in = wrap_floats(x, 3, row, 2), *out = NULL;
  const OrtValue *value = in;
  check_ok(ort()->Run(session, NULL, &input, &value, 1, &output, 1, &out));
  assert_true(floats_of(out)[2] == 39);
  ort()->ReleaseValue(out);
  ort()->ReleaseValue(in);
}

// ---- Threads that programs make.

typedef struct maker {
  _Atomic int created, joined;
  int limit; // threads it gives at most
} maker;

typedef struct made {
  pthread_t thread;
  maker *maker;
  OrtThreadWorkerFn worker;
  void *argument;
} made;

static void *enter(void *argument) {
  made *m = argument;
  m->worker(m->argument);
  return NULL;
}

static OrtCustomThreadHandle make_thread(void *options, OrtThreadWorkerFn worker, void *argument) {
  maker *m = options;
  if (m->created == m->limit) return NULL;
  made *result = malloc(sizeof *result);
  *result = (made){.maker = m, .worker = worker, .argument = argument};
  assert_int_equal(pthread_create(&result->thread, NULL, enter, result), 0);
  m->created++;
  return (OrtCustomThreadHandle)result;
}

static void join_thread(OrtCustomThreadHandle handle) {
  made *m = (made *)(uintptr_t)handle;
  assert_int_equal(pthread_join(m->thread, NULL), 0);
  m->maker->joined++;
  free(m);
}

static OrtSessionOptions *make_hooked_options(int threads, maker *m) {
  OrtSessionOptions *options = make_options(threads);
  check_ok(ort()->SessionOptionsSetCustomCreateThreadFn(options, make_thread));
  check_ok(ort()->SessionOptionsSetCustomThreadCreationOptions(options, m));
  check_ok(ort()->SessionOptionsSetCustomJoinThreadFn(options, join_thread));
  return options;
}

static void sessions_run_on_threads_of_the_program(void **state) {
  (void)state;
  OrtEnv *env = make_env();
  OrtSession *session;
  maker m = {.limit = 8};
  OrtSessionOptions *options = make_hooked_options(4, &m);
  check_ok(load(env, model_affine(), options, &session));
  ort()->ReleaseSessionOptions(options);
  assert_int_equal(m.created, 3);
  check_runs(session);
  ort()->ReleaseSession(session);
  assert_int_equal(m.joined, 3);

  m = (maker){.limit = 1};
  options = make_hooked_options(4, &m);
  check_error(load(env, model_affine(), options, &session), ORT_FAIL);
  assert_null(session);
  assert_int_equal(m.created, 1);
  assert_int_equal(m.joined, 1);
  check_ok(ort()->SessionOptionsSetCustomJoinThreadFn(options, NULL));
  check_invalid(load(env, model_affine(), options, &session));
  ort()->ReleaseSessionOptions(options);
  ort()->ReleaseEnv(env);
}

// ---- Pools of environments.

static OrtThreadingOptions *make_threading(int threads, maker *m) {
  OrtThreadingOptions *options = NULL;
  check_ok(ort()->CreateThreadingOptions(&options));
  check_ok(ort()->SetGlobalIntraOpNumThreads(options, threads));
  check_ok(ort()->SetGlobalInterOpNumThreads(options, 1));
  check_ok(ort()->SetGlobalSpinControl(options, 0));
  check_ok(ort()->SetGlobalCustomCreateThreadFn(options, make_thread));
  check_ok(ort()->SetGlobalCustomThreadCreationOptions(options, m));
  check_ok(ort()->SetGlobalCustomJoinThreadFn(options, join_thread));
  return options;
}

static void sessions_share_an_environments_pool(void **state) {
  (void)state;
  OrtEnv *env = NULL;
  OrtSession *sessions[3];
  maker m = {.limit = 8};
  OrtThreadingOptions *threading = make_threading(3, &m);
  check_ok(ort()->CreateEnvWithGlobalThreadPools(ORT_LOGGING_LEVEL_ERROR, "test", threading, &env));
  ort()->ReleaseThreadingOptions(threading);
  assert_int_equal(m.created, 2);
  for (int i = 0; i < 3; ++i) {
    OrtSessionOptions *options = make_options(0);
    check_ok(ort()->DisablePerSessionThreads(options));
    check_ok(load(env, model_affine(), options, &sessions[i]));
    ort()->ReleaseSessionOptions(options);
  }
  // The sessions hold their environment.
  ort()->ReleaseEnv(env);
  for (int i = 0; i < 3; ++i) check_runs(sessions[i]);
  assert_int_equal(m.created, 2);
  assert_int_equal(m.joined, 0);
  for (int i = 0; i < 3; ++i) ort()->ReleaseSession(sessions[i]);
  assert_int_equal(m.joined, 2);
}

static void pools_of_environments_must_be_there(void **state) {
  (void)state;
  OrtEnv *env = make_env();
  OrtSession *session;
  OrtSessionOptions *options = make_options(2);
  check_ok(ort()->DisablePerSessionThreads(options));
  check_error(load(env, model_affine(), options, &session), ORT_FAIL);
  ort()->ReleaseSessionOptions(options);
  ort()->ReleaseEnv(env);

  maker m = {.limit = 1};
  OrtThreadingOptions *threading = make_threading(3, &m);
  check_error(
      ort()->CreateEnvWithGlobalThreadPools(ORT_LOGGING_LEVEL_ERROR, "test", threading, &env),
      ORT_FAIL);
  check_ok(ort()->SetGlobalIntraOpThreadAffinity(threading, "1;1;1"));
  check_invalid(
      ort()->CreateEnvWithGlobalThreadPools(ORT_LOGGING_LEVEL_ERROR, "test", threading, &env));
  ort()->ReleaseThreadingOptions(threading);
}

// ---- Config entries.

static void entries_are_checked(void **state) {
  (void)state;
  const struct {
    const char *key, *value;
    int threads;
    bool is_right;
  } cases[] = {
      {"session.intra_op_thread_affinities", "1;1", 3, true},
      {"session.intra_op_thread_affinities", "1-2;60000", 3, true}, // refused by the system only
      {"session.intra_op_thread_affinities", "1", 3, false},
      {"session.intra_op_thread_affinities", "0;1", 3, false},
      {"session.intra_op.allow_spinning", "0", 2, true},
      {"session.intra_op.spin_duration_us", "2000", 2, true},
      {"session.intra_op.spin_duration_us", "-1", 2, false},
      {"session.intra_op.spin_duration_us", "soon", 2, false},
      {"session.force_spinning_stop", "1", 2, true},
      {"session.intra_op_num_threads", "5000", 2, false},
      {"session.execution_mode", "1", 2, true},
  };
  OrtEnv *env = make_env();
  for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
    OrtSession *session;
    OrtSessionOptions *options = make_options(cases[i].threads);
    check_ok(ort()->SetInterOpNumThreads(options, 3));
    set(options, cases[i].key, cases[i].value);
    if (cases[i].is_right)
      check_ok(load(env, model_affine(), options, &session));
    else
      check_invalid(load(env, model_affine(), options, &session));
    if (session) check_runs(session);
    ort()->ReleaseSession(session);
    ort()->ReleaseSessionOptions(options);
  }
  ort()->ReleaseEnv(env);
}

// ---- Asynchronous runs.

typedef struct finished {
  _Atomic bool is_called;
  OrtValue **outputs;
  size_t output_count;
  OrtErrorCode code;
  OrtSession *released;
} finished;

static void finish(void *user_data, OrtValue **outputs, size_t output_count, OrtStatusPtr status) {
  finished *f = user_data;
  f->outputs = outputs;
  f->output_count = output_count;
  f->code = status ? ort()->GetErrorCode(status) : ORT_OK;
  ort()->ReleaseStatus(status);
  ort()->ReleaseSession(f->released);
  atomic_store(&f->is_called, true);
}

static void wait_for(finished *f) {
  while (!atomic_load(&f->is_called)) wait_ms(1);
}

static OrtStatus *start(OrtSession *session, const OrtRunOptions *options, const OrtValue *const *x,
                        OrtValue **y, finished *f) {
  static const char *const input = "x", *const output = "y";
  return ort()->RunAsync(session, options, &input, x, 1, &output, 1, y, finish, f);
}

static void runs_return_at_once_and_call_back(void **state) {
  (void)state;
  OrtEnv *env = make_env();
  OrtSession *session;
  OrtSessionOptions *options = make_options(2);
  check_ok(load(env, model_affine(), options, &session));
  float x[] = {1, 2, 3, 4};
  const int64_t wide[] = {1, 4};
  OrtValue *in = wrap_floats(x, 3, row, 2), *bad = wrap_floats(x, 4, wide, 2), *outs[8] = {0};
  finished f[8] = {0};
  for (int i = 0; i < 8; ++i)
    check_ok(start(session, NULL, (const OrtValue *const *)&in, &outs[i], &f[i]));
  for (int i = 0; i < 8; ++i) {
    wait_for(&f[i]);
    assert_int_equal(f[i].code, ORT_OK);
    assert_ptr_equal(f[i].outputs, &outs[i]);
    assert_int_equal(f[i].output_count, 1);
    assert_true(floats_of(outs[i])[2] == 39);
    ort()->ReleaseValue(outs[i]);
  }
  OrtValue *none = NULL;
  finished failed = {.released = session};
  check_ok(start(session, NULL, (const OrtValue *const *)&bad, &none, &failed));
  wait_for(&failed);
  assert_int_equal(failed.code, ORT_INVALID_ARGUMENT);
  assert_null(failed.outputs);
  assert_int_equal(failed.output_count, 0);
  assert_null(none);

  check_ok(ort()->SetIntraOpNumThreads(options, 1));
  check_ok(load(env, model_affine(), options, &session));
  finished never = {0};
  check_error(start(session, NULL, (const OrtValue *const *)&in, &none, &never), ORT_FAIL);
  check_invalid(start(NULL, NULL, (const OrtValue *const *)&in, &none, &never));
  check_invalid(ort()->RunAsync(session, NULL, NULL, NULL, 0, NULL, 1, &none, finish, &never));
  assert_false(never.is_called);
  ort()->ReleaseSession(session);
  ort()->ReleaseSessionOptions(options);
  ort()->ReleaseValue(in);
  ort()->ReleaseValue(bad);
  ort()->ReleaseEnv(env);
}

// ---- Stopping.

// A Loop without a bound whose body always says that it goes on.
static model_bytes model_endless(void) {
  model_bytes model = model_begin();
  tern_pb_writer *writer = &model.writer;
  size_t node = tern_pb_begin_message(writer, 1);
  model_names(writer, 1, ",,x");
  tern_pb_write_text(writer, 2, "y");
  tern_pb_write_text(writer, 4, "Loop");
  size_t attr = tern_pb_begin_message(writer, 5);
  tern_pb_write_text(writer, 1, "body");
  tern_pb_write_varint(writer, 20, 5);
  size_t graph = tern_pb_begin_message(writer, 6);
  model_bytes body = {*writer, graph};
  tern_pb_write_text(&body.writer, 2, "body");
  model_node(&body, "Identity", "on", "on_again");
  model_node(&body, "Neg", "v", "w");
  model_port(&body, MODEL_INPUT, 0, "i", 7, "");
  model_port(&body, MODEL_INPUT, 0, "on", 9, "");
  model_port(&body, MODEL_INPUT, 0, "v", 1, "1,3");
  model_port(&body, MODEL_OUTPUT, 0, "on_again", 9, "");
  model_port(&body, MODEL_OUTPUT, 0, "w", 1, "1,3");
  *writer = body.writer;
  tern_pb_end_message(writer, body.graph);
  tern_pb_end_message(writer, attr);
  tern_pb_end_message(writer, node);
  model_port(&model, MODEL_INPUT, 0, "x", 1, "1,3");
  model_port(&model, MODEL_OUTPUT, 0, "y", 1, "1,3");
  return model;
}

static void endless_runs_are_stopped(void **state) {
  (void)state;
  OrtEnv *env = make_env();
  OrtSession *session;
  OrtSessionOptions *options = make_options(3);
  OrtRunOptions *run_options[2];
  finished f[2] = {0};
  float x[] = {1, 2, 3};
  OrtValue *in = wrap_floats(x, 3, row, 2), *outs[2] = {0};
  check_ok(load(env, model_endless(), options, &session));
  for (int i = 0; i < 2; ++i) {
    check_ok(ort()->CreateRunOptions(&run_options[i]));
    check_ok(start(session, run_options[i], (const OrtValue *const *)&in, &outs[i], &f[i]));
  }
  wait_ms(20);
  // Each on its own.
  for (int i = 0; i < 2; ++i) {
    assert_false(f[i].is_called);
    check_ok(ort()->RunOptionsSetTerminate(run_options[i]));
    wait_for(&f[i]);
    assert_int_equal(f[i].code, ORT_FAIL);
    assert_null(outs[i]);
    ort()->ReleaseRunOptions(run_options[i]);
  }
  ort()->ReleaseSession(session);
  ort()->ReleaseSessionOptions(options);
  ort()->ReleaseValue(in);
  ort()->ReleaseEnv(env);
}

// ---- Denormal numbers.

static float smallest_in(OrtSession *session) {
  float x[] = {FLT_MIN / 4, 0, 0};
  const char *input = "x", *output = "y";
  OrtValue *in = wrap_floats(x, 3, row, 2), *out = NULL;
  const OrtValue *value = in;
  check_ok(ort()->Run(session, NULL, &input, &value, 1, &output, 1, &out));
  float result = floats_of(out)[0];
  ort()->ReleaseValue(out);
  ort()->ReleaseValue(in);
  return result;
}

static model_bytes model_double(void) {
  static const float w[] = {2, 2, 2};
  model_bytes model = model_begin();
  model_node(&model, "Mul", "x,w", "y");
  model_initializer(&model, "w", w, 3);
  model_port(&model, MODEL_INPUT, 0, "x", 1, "N,3");
  model_port(&model, MODEL_OUTPUT, 0, "y", 1, "N,3");
  return model;
}

// Whatever runs do, the caller's own arithmetic stays as it was.
static void check_own_arithmetic(void) {
  volatile float smallest = FLT_MIN;
  assert_true(smallest / 2 > 0);
}

static void denormal_numbers_count_as_zero_where_asked(void **state) {
  (void)state;
#if !defined __x86_64__ && !defined __aarch64__
  skip();
#endif
  OrtEnv *env = NULL;
  OrtThreadingOptions *threading = NULL;
  OrtSession *session;
  check_ok(ort()->CreateThreadingOptions(&threading));
  check_ok(ort()->SetGlobalDenormalAsZero(threading));
  check_ok(ort()->CreateEnvWithGlobalThreadPools(ORT_LOGGING_LEVEL_ERROR, "test", threading, &env));
  ort()->ReleaseThreadingOptions(threading);
  for (int i = 0; i < 3; ++i) {
    OrtSessionOptions *options = make_options(2);
    if (i == 1) set(options, "session.set_denormal_as_zero", "1");
    if (i == 2) check_ok(ort()->DisablePerSessionThreads(options));
    check_ok(load(env, model_double(), options, &session));
    assert_true(smallest_in(session) == (i == 0 ? FLT_MIN / 2 : 0.0f));
    check_own_arithmetic();
    ort()->ReleaseSession(session);
    ort()->ReleaseSessionOptions(options);
  }
  ort()->ReleaseEnv(env);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(sessions_run_on_threads_of_the_program),
                                     cmocka_unit_test(sessions_share_an_environments_pool),
                                     cmocka_unit_test(pools_of_environments_must_be_there),
                                     cmocka_unit_test(entries_are_checked),
                                     cmocka_unit_test(runs_return_at_once_and_call_back),
                                     cmocka_unit_test(endless_runs_are_stopped),
                                     cmocka_unit_test(denormal_numbers_count_as_zero_where_asked)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
