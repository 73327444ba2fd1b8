// Two callers on one session, and a session that nobody calls.
#include <pthread.h>
#include <unistd.h>

#include "engine.h"
#include "support/models.h"

enum { NODES = 1000, BATCH = 4, LENGTH = 64, WIDTH = MODEL_LAYER_WIDTH, WARM_UP = 20 };
static const double measured_ns = 5e8, idle_s = 10;

// One caller: runs until the time is over. Each has an input of its own.
typedef struct caller {
  const bench_lib *lib;
  OrtSession *session;
  OrtValue *x;
  double until_ns;
  long runs;
} caller;

static void *call(void *argument) {
  static const char *const name = "x";
  caller *c = argument;
  const OrtValue *values[] = {c->x};
  while (bench_now_ns() < c->until_ns) {
    bench_run(c->lib, c->session, &name, values, 1, "y");
    c->runs++;
  }
  return NULL;
}

// What `count` callers did together.
typedef struct outcome {
  double runs_a_second;
  double cpu_ns; // of a run
} outcome;

static outcome call_together(const bench_lib *lib, OrtSession *session, OrtValue *x, int count) {
  caller callers[2];
  pthread_t threads[2];
  double start = bench_now_ns(), cpu = bench_cpu_ns(), runs = 0;
  for (int i = 0; i < count; ++i) callers[i] = (caller){lib, session, x, start + measured_ns, 0};
  for (int i = 1; i < count; ++i)
    if (pthread_create(&threads[i], NULL, call, &callers[i]) != 0) bench_fail("no thread");
  call(&callers[0]);
  for (int i = 1; i < count; ++i) pthread_join(threads[i], NULL);
  for (int i = 0; i < count; ++i) runs += (double)callers[i].runs;
  return (outcome){runs * 1e9 / (bench_now_ns() - start), (bench_cpu_ns() - cpu) / runs};
}

static void warm_up(const bench_lib *lib, OrtSession *session, OrtValue *x) {
  static const char *const name = "x";
  const OrtValue *values[] = {x};
  for (int i = 0; i < WARM_UP; ++i) bench_run(lib, session, &name, values, 1, "y");
}

static OrtValue *layer_input(const bench_lib *lib) {
  static float data[BATCH * LENGTH * WIDTH];
  const int64_t dims[] = {BATCH, LENGTH, WIDTH};
  return bench_tensor(lib, ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT, data, sizeof data, dims, 3);
}

static void measure(const bench_lib *lib, double *out) {
  static float data[8];
  const int64_t dims[] = {1, 8};
  const bench_session_options options = {.threads = 1, .level = 0};
  OrtValue *inputs[] = {
      bench_tensor(lib, ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT, data, sizeof data, dims, 2),
      layer_input(lib)};
  for (int i = 0; i < 2; ++i) {
    tern_pb_writer model;
    if (i)
      model_layer(&model);
    else
      model_chain(&model, NODES);
    OrtSession *session = bench_open(lib, &model, options);
    warm_up(lib, session, inputs[i]);
    outcome one = call_together(lib, session, inputs[i], 1);
    outcome two = call_together(lib, session, inputs[i], 2);
    out[4 * i] = one.runs_a_second;
    out[4 * i + 1] = two.runs_a_second;
    out[4 * i + 2] = two.runs_a_second / one.runs_a_second;
    out[4 * i + 3] = two.cpu_ns / one.cpu_ns;
  }
}

// On a machine that others use too, two callers get less than two processors; what a run costs in
// processor time then says whether they were in each other's way.
static const bench_figure figures[] = {{"1,000 tiny steps: one caller", BENCH_RATE},
                                       {"  two callers", BENCH_RATE},
                                       {"  two beside one", BENCH_RATIO},
                                       {"  processor time a run, beside", BENCH_RATIO},
                                       {"a layer: one caller", BENCH_RATE},
                                       {"  two callers", BENCH_RATE},
                                       {"  two beside one", BENCH_RATIO},
                                       {"  processor time a run, beside", BENCH_RATIO}};

const bench bench_callers = {.name = "callers",
                             .about =
                                 "two threads call one session, which computes on one thread each",
                             .rounds = 5,
                             .figures = figures,
                             .figure_count = TERN_COUNT_OF(figures),
                             .measure = measure};

// With the default number of threads, so that there is a pool to be idle.
static void measure_idle(const bench_lib *lib, double *out) {
  tern_pb_writer model;
  model_layer(&model);
  OrtSession *session = bench_open(lib, &model, (bench_session_options){.level = 99});
  warm_up(lib, session, layer_input(lib));
  double wall = bench_now_ns(), cpu = bench_cpu_ns();
  while (bench_now_ns() - wall < idle_s * 1e9) usleep(200000);
  out[0] = bench_cpu_ns() - cpu;
}

static const bench_figure idle_figures[] = {{"processor time in 10 s", BENCH_NS}};

const bench bench_idle = {.name = "idle",
                          .about = "a process with a session that ran, and runs no more",
                          .rounds = 1,
                          .figures = idle_figures,
                          .figure_count = TERN_COUNT_OF(idle_figures),
                          .measure = measure_idle};
