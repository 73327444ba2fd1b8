// What measurements do with a library.
#include "library.h"

#include <dlfcn.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { OLDEST_API = 17 };

_Noreturn void bench_fail(const char *message) {
  fprintf(stderr, "bench: %s\n", message);
  fflush(stderr);
  _exit(1);
}

void bench_check(const bench_lib *lib, OrtStatus *status) {
  if (status) bench_fail(lib->ort->GetErrorMessage(status));
}

bench_lib bench_library_open(const char *path, const char *models) {
  bench_lib lib = {.models = models};
  void *handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (!handle) bench_fail(dlerror());
  const OrtApiBase *(*get_base)(void) = NULL;
  const TernApi *(*get_tern)(uint32_t) = NULL;
  *(void **)&get_base = dlsym(handle, "OrtGetApiBase");
  *(void **)&get_tern = dlsym(handle, "TernGetApi");
  if (!get_base) bench_fail("the library exports no OrtGetApiBase");
  for (uint32_t version = ORT_API_VERSION; !lib.ort && version >= OLDEST_API; --version)
    lib.ort = get_base()->GetApi(version);
  if (!lib.ort) bench_fail("the library speaks no version of the ABI that is known here");
  if (get_tern) lib.tern = get_tern(TERN_API_VERSION);
  bench_check(&lib, lib.ort->CreateEnv(ORT_LOGGING_LEVEL_ERROR, "bench", &lib.env));
  bench_check(&lib, lib.ort->CreateCpuMemoryInfo(OrtArenaAllocator, OrtMemTypeDefault, &lib.cpu));
  bench_check(&lib, lib.ort->GetAllocatorWithDefaultOptions(&lib.allocator));
  return lib;
}

// ---- Clocks and counters.

static double clock_ns(clockid_t clock) {
  struct timespec now;
  clock_gettime(clock, &now);
  return (double)now.tv_sec * 1e9 + (double)now.tv_nsec;
}

double bench_now_ns(void) {
  return clock_ns(CLOCK_MONOTONIC);
}

double bench_cpu_ns(void) {
  return clock_ns(CLOCK_PROCESS_CPUTIME_ID);
}

double bench_resident_bytes(void) {
  long pages;
  FILE *file = fopen("/proc/self/statm", "r");
  if (!file) return NAN;
  if (fscanf(file, "%*d %ld", &pages) != 1) pages = 0;
  fclose(file);
  return (double)pages * (double)sysconf(_SC_PAGESIZE);
}

static int ascending(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

double bench_median(double *values, size_t count) {
  qsort(values, count, sizeof *values, ascending);
  return (values[(count - 1) / 2] + values[count / 2]) / 2;
}

// ---- Sessions and runs.

static OrtSessionOptions *make_options(const bench_lib *lib, bench_session_options options) {
  OrtSessionOptions *made;
  bench_check(lib, lib->ort->CreateSessionOptions(&made));
  bench_check(lib, lib->ort->SetIntraOpNumThreads(made, options.threads));
  bench_check(
      lib, lib->ort->SetSessionGraphOptimizationLevel(made, (GraphOptimizationLevel)options.level));
  return made;
}

OrtSession *bench_open(const bench_lib *lib, tern_pb_writer *model, bench_session_options options) {
  OrtSession *session;
  OrtSessionOptions *made = make_options(lib, options);
  if (tern_pb_writer_finish(model)) bench_fail("no memory for the model");
  bench_check(lib,
              lib->ort->CreateSessionFromArray(lib->env, model->data, model->size, made, &session));
  tern_pb_writer_deinit(model);
  lib->ort->ReleaseSessionOptions(made);
  return session;
}

OrtSession *bench_open_file(const bench_lib *lib, const char *file, bench_session_options options) {
  char path[PATH_MAX];
  OrtSession *session;
  snprintf(path, sizeof path, "%s/%s", lib->models ? lib->models : ".", file);
  if (access(path, R_OK) != 0) return NULL;
  OrtSessionOptions *made = make_options(lib, options);
  bench_check(lib, lib->ort->CreateSession(lib->env, path, made, &session));
  lib->ort->ReleaseSessionOptions(made);
  return session;
}

double bench_planning_ns(const bench_lib *lib, const OrtSession *session) {
  static const char key[] = "\"planning_ns\":";
  char *text;
  if (!lib->tern) return NAN;
  bench_check(lib, lib->tern->DescribeSession(session, lib->allocator, &text));
  const char *found = strstr(text, key);
  double ns = found ? strtod(found + sizeof key - 1, NULL) : NAN;
  bench_check(lib, lib->ort->AllocatorFree(lib->allocator, text));
  return ns;
}

OrtValue *bench_tensor(const bench_lib *lib, ONNXTensorElementDataType type, void *data,
                       size_t bytes, const int64_t *dims, size_t rank) {
  OrtValue *value = NULL;
  bench_check(lib, lib->ort->CreateTensorWithDataAsOrtValue(lib->cpu, data, bytes, dims, rank, type,
                                                            &value));
  return value;
}

void bench_run(const bench_lib *lib, OrtSession *session, const char *const *names,
               const OrtValue *const *values, size_t count, const char *output) {
  OrtValue *result = NULL;
  bench_check(lib, lib->ort->Run(session, NULL, names, values, count, &output, 1, &result));
  lib->ort->ReleaseValue(result);
}
