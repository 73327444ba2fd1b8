// A model of open sizes, run 10,000 times over 1,000 signatures of its input, the largest of which
// come within the first 100 runs: memory must not follow.
#include "engine.h"
#include "support/models.h"

enum {
  RUNS = 10000,
  SIGNATURES = 1000,
  SETTLED = 100,
  WIDTH = MODEL_LAYER_WIDTH,
  BATCHES = 8,
  LENGTHS = 125
};
enum { PLANNED = 200 };

// Signature `i`: all pairs of batch and length. 617 and 1000 have no common factor, so that they
// come in no order; the first is the largest.
static void signature(int i, int64_t *dims) {
  int pair = (SIGNATURES - 1 + i * 617) % SIGNATURES;
  dims[0] = 1 + pair % BATCHES;
  dims[1] = 1 + pair / BATCHES;
  dims[2] = WIDTH;
}

static double run(const bench_lib *lib, OrtSession *session, int i) {
  static float data[BATCHES * LENGTHS * WIDTH];
  static const char *const name = "x";
  int64_t dims[3];
  signature(i, dims);
  OrtValue *x = bench_tensor(lib, ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT, data,
                             (size_t)(dims[0] * dims[1]) * WIDTH * sizeof *data, dims, 3);
  const OrtValue *values[] = {x};
  double start = bench_now_ns();
  bench_run(lib, session, &name, values, 1, "y");
  double ns = bench_now_ns() - start;
  lib->ort->ReleaseValue(x);
  return ns;
}

static void measure(const bench_lib *lib, double *out) {
  tern_pb_writer model;
  double extra[PLANNED], settled = 0;
  model_layer(&model);
  OrtSession *session = bench_open(lib, &model, (bench_session_options){.threads = 1, .level = 99});
  double planning = bench_planning_ns(lib, session), start = bench_now_ns();
  for (int i = 1; i <= RUNS; ++i) {
    run(lib, session, i - 1);
    if (i == SETTLED) settled = bench_resident_bytes();
    if (i == SIGNATURES) out[1] = bench_resident_bytes() - settled;
    if (i == RUNS / 2) out[2] = bench_resident_bytes() - settled;
  }
  out[4] = (bench_now_ns() - start) / RUNS;
  out[6] = (bench_planning_ns(lib, session) - planning) / (out[4] * RUNS);
  out[0] = settled;
  out[3] = bench_resident_bytes() - settled;
  // A signature that was not there for 1,000 runs, and the same again.
  for (int i = 0; i < PLANNED; ++i) {
    double first = run(lib, session, i);
    extra[i] = first - run(lib, session, i);
  }
  out[5] = bench_median(extra, PLANNED);
}

static const bench_figure figures[] = {{"resident after 100 runs", BENCH_BYTES},
                                       {"grown by after 1,000", BENCH_BYTES},
                                       {"after 5,000", BENCH_BYTES},
                                       {"after 10,000", BENCH_BYTES},
                                       {"a run", BENCH_NS},
                                       {"a first run more than the next", BENCH_NS},
                                       {"planning, of all time", BENCH_SHARE}};

const bench bench_signatures = {
    .name = "signatures",
    .about = "an attention layer, 10,000 runs over 1,000 sizes of its input, one thread",
    .rounds = 1,
    .figures = figures,
    .figure_count = TERN_COUNT_OF(figures),
    .measure = measure};
