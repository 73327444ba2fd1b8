// A Loop of 10^6 iterations that do next to nothing: what one costs, and that none leaves anything.
#include "engine.h"
#include "support/models.h"

enum { ITERATIONS = 1000000, WARM_UP = 1000 };

static double run(const bench_lib *lib, OrtSession *session, int64_t count) {
  static const char *const names[] = {"count", "condition", "x"};
  static const int64_t one = 1;
  float zero = 0;
  bool yes = true;
  const OrtValue *values[] = {
      bench_tensor(lib, ONNX_TENSOR_ELEMENT_DATA_TYPE_INT64, &count, sizeof count, NULL, 0),
      bench_tensor(lib, ONNX_TENSOR_ELEMENT_DATA_TYPE_BOOL, &yes, sizeof yes, NULL, 0),
      bench_tensor(lib, ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT, &zero, sizeof zero, &one, 1)};
  double start = bench_now_ns();
  bench_run(lib, session, names, values, 3, "y");
  double ns = bench_now_ns() - start;
  for (int i = 0; i < 3; ++i) lib->ort->ReleaseValue((OrtValue *)(uintptr_t)values[i]);
  return ns;
}

static void measure(const bench_lib *lib, double *out) {
  tern_pb_writer model;
  model_loop(&model);
  OrtSession *session = bench_open(lib, &model, (bench_session_options){.threads = 1, .level = 99});
  run(lib, session, WARM_UP);
  double before = bench_resident_bytes();
  out[0] = run(lib, session, ITERATIONS) / ITERATIONS;
  out[1] = bench_resident_bytes() - before;
}

static const bench_figure figures[] = {{"an iteration", BENCH_NS},
                                       {"resident memory grown by", BENCH_BYTES}};

const bench bench_loop = {.name = "loop",
                          .about = "a Loop of 1,000,000 iterations that add 1, one thread",
                          .rounds = 3,
                          .figures = figures,
                          .figure_count = TERN_COUNT_OF(figures),
                          .measure = measure};
