// Measurements of the engine, through the public ABI alone, so that any library that speaks it can
// be held beside ours. Each measurement is one row of `benches` in engine.c and one file; a library
// is measured in a child process of its own, and two take turns. Nothing here decides anything.
#ifndef TERN_BENCH_ENGINE_H_
#define TERN_BENCH_ENGINE_H_

#include <stdbool.h>

#include "format/pb.h"
#include "tern.h"

// A loaded library, in a child. Everything lasts until the child ends.
typedef struct bench_lib {
  const OrtApi *ort;
  const TernApi *tern; // NULL in other libraries
  OrtEnv *env;
  OrtMemoryInfo *cpu;
  OrtAllocator *allocator;
  const char *models; // --models: a folder; NULL without
} bench_lib;

typedef enum bench_unit {
  BENCH_NS,    // less is better, as of bytes
  BENCH_BYTES, // may be negative: a difference
  BENCH_RATE,  // a second; more is better
  BENCH_RATIO, // of two figures of one library
  BENCH_SHARE, // less is better
} bench_unit;

// One number of a measurement.
typedef struct bench_figure {
  const char *name;
  bench_unit unit;
} bench_figure;

enum { BENCH_MAX_FIGURES = 8 };

typedef struct bench {
  const char *name;
  const char *about;
  int rounds; // children for each library, unless the caller says otherwise
  const bench_figure *figures;
  size_t figure_count;
  // Runs in the child: fills `out` with one number a figure; NAN: the library does not tell.
  void (*measure)(const bench_lib *lib, double *out);
} bench;

extern const bench bench_steps, bench_callers, bench_idle, bench_loop, bench_signatures,
    bench_decode;

// ---- For measurements. What fails ends the child with a message.

void bench_check(const bench_lib *lib, OrtStatus *status);
_Noreturn void bench_fail(const char *message);
double bench_now_ns(void);
double bench_cpu_ns(void);                         // of all of the process's threads
double bench_resident_bytes(void);                 // of the process
double bench_median(double *values, size_t count); // sorts them

typedef struct bench_session_options {
  int threads; // 0: the library's default
  int level;   // of graph optimisation
} bench_session_options;

// From the file of a writer, which is closed, or from a file of the models' folder; NULL where that
// has no such file.
OrtSession *bench_open(const bench_lib *lib, tern_pb_writer *model, bench_session_options options);
OrtSession *bench_open_file(const bench_lib *lib, const char *file, bench_session_options options);

// A tensor over memory of the caller's.
OrtValue *bench_tensor(const bench_lib *lib, ONNXTensorElementDataType type, void *data,
                       size_t bytes, const int64_t *dims, size_t rank);
// What the session has spent on planning so far; NAN where the library does not tell.
double bench_planning_ns(const bench_lib *lib, const OrtSession *session);
// Runs a model of one output; the output is released.
void bench_run(const bench_lib *lib, OrtSession *session, const char *const *names,
               const OrtValue *const *values, size_t count, const char *output);

#endif
