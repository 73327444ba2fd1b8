// What a step costs besides its kernel: a chain of operators that have next to nothing to do, which
// no optimisation shortens.
#include "engine.h"
#include "support/models.h"

enum { NODES = 1000, WARM_UP = 20, RUNS = 300, SIZES = 4 };

// The median time of a run, by turns on `sizes` sizes of N.
static double time_runs(const bench_lib *lib, OrtSession *session, int sizes) {
  static float data[SIZES * 8];
  static const char *const name = "x";
  double times[RUNS];
  for (int i = -WARM_UP; i < RUNS; ++i) {
    const int64_t dims[] = {1 + (i + WARM_UP) % sizes, 8};
    OrtValue *x = bench_tensor(lib, ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT, data,
                               (size_t)dims[0] * 8 * sizeof *data, dims, 2);
    const OrtValue *values[] = {x};
    double start = bench_now_ns();
    bench_run(lib, session, &name, values, 1, "y");
    if (i >= 0) times[i] = bench_now_ns() - start;
    lib->ort->ReleaseValue(x);
  }
  return bench_median(times, RUNS);
}

static void measure(const bench_lib *lib, double *out) {
  tern_pb_writer model;
  model_chain(&model, NODES);
  double start = bench_now_ns();
  OrtSession *session = bench_open(lib, &model, (bench_session_options){.threads = 1, .level = 0});
  out[2] = bench_now_ns() - start;
  out[0] = time_runs(lib, session, 1) / NODES;
  out[1] = time_runs(lib, session, SIZES) / NODES;
}

static const bench_figure figures[] = {{"a step", BENCH_NS},
                                       {"a step, four sizes by turns", BENCH_NS},
                                       {"loading the model", BENCH_NS}};

const bench bench_steps = {.name = "steps",
                           .about = "a chain of 1,000 nodes on eight floats, one thread",
                           .rounds = 5,
                           .figures = figures,
                           .figure_count = TERN_COUNT_OF(figures),
                           .measure = measure};
