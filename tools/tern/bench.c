// `tern bench`: how long a model takes to load and to run, and how much memory, alone or against a
// second library. Every round is a fresh child process, and two libraries take turns, so that
// neither gets the quieter half of the machine's time.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "child.h"
#include "input.h"
#include "os.h"
#include "profile.h"
#include "text.h"
#include "verbs.h"

// A round without --runs goes on until both have passed.
static const uint64_t round_ns = 1000000000u;
enum { ROUND_RUNS = 5, ROUNDS_AGAINST = 5 };
// Nor are more runs profiled: traces grow with them.
enum { PROFILED_RUNS = 30 };

// One child process. `profile_prefix` turns it from timing into profiling.
struct job {
  const cli_request *request;
  const char *library;
  const char *profile_prefix;
};

static cli_status *put_text(cli_buffer *reply, const char *text) {
  CLI_TRY(cli_buffer_put_u64(reply, strlen(text)));
  return cli_buffer_put(reply, text, strlen(text));
}

static cli_status *get_text(cli_arena *arena, cli_cursor *reply, const char **out_text) {
  uint64_t length;
  const uint8_t *bytes;
  CLI_TRY(cli_cursor_unsigned(reply, 8, &length));
  CLI_TRY(cli_cursor_skip(reply, length, &bytes));
  *out_text = cli_copy(arena, (const char *)bytes, (size_t)length);
  return NULL;
}

static cli_status *timed_run(cli_arena *arena, const cli_model *model, cli_feeds *feeds,
                             uint64_t *out_ns) {
  uint64_t start = cli_os_now_ns();
  CLI_TRY(cli_model_run(arena, model, feeds, NULL));
  *out_ns = cli_os_now_ns() - start;
  return NULL;
}

// Whether a round without a limit has had enough runs.
static bool is_enough(const cli_request *request, uint64_t runs, uint64_t total_ns) {
  if (request->runs) return runs >= request->runs;
  return runs >= ROUND_RUNS && total_ns >= round_ns;
}

// Reply, after the texts of library and inputs and the load: first run, then every timed run.
static cli_status *time_runs(cli_arena *arena, const cli_request *request, const cli_model *model,
                             cli_feeds *feeds, cli_buffer *reply) {
  uint64_t ns, total_ns = 0;
  CLI_TRY(timed_run(arena, model, feeds, &ns));
  CLI_TRY(cli_buffer_put_u64(reply, ns));
  for (uint64_t i = 0; i < request->warmup; i++) CLI_TRY(timed_run(arena, model, feeds, &ns));
  for (uint64_t i = 0; !is_enough(request, i, total_ns); i++) {
    CLI_TRY(timed_run(arena, model, feeds, &ns));
    CLI_TRY(cli_buffer_put_u64(reply, ns));
    total_ns += ns;
  }
  return NULL;
}

// Reply: the name of the trace, which begins with one run to warm up.
static cli_status *profile_runs(cli_arena *arena, const cli_request *request,
                                const cli_model *model, cli_feeds *feeds, cli_buffer *reply) {
  uint64_t ns, total_ns = 0;
  CLI_TRY(timed_run(arena, model, feeds, &ns));
  for (uint64_t i = 0; !is_enough(request, i, total_ns); i++) {
    if (!request->runs && i == PROFILED_RUNS) break;
    CLI_TRY(timed_run(arena, model, feeds, &ns));
    total_ns += ns;
  }
  const cli_lib *lib = model->lib;
  OrtAllocator *allocator;
  char *path;
  CLI_TRY(cli_ort(lib, lib->ort->GetAllocatorWithDefaultOptions(&allocator)));
  CLI_TRY(cli_ort(lib, lib->ort->SessionEndProfiling(model->session, allocator, &path)));
  cli_status *status = put_text(reply, path);
  allocator->Free(allocator, path);
  return status;
}

static cli_status *run_job(cli_arena *arena, void *arg, cli_buffer *reply) {
  const struct job *job = arg;
  const cli_request *request = job->request;
  cli_lib lib;
  cli_model model;
  cli_tensor *inputs;
  cli_feeds feeds;
  cli_model_options options = {request->threads, request->opt_level, job->profile_prefix};
  CLI_TRY(cli_lib_open(arena, job->library, &lib));
  CLI_TRY(put_text(reply, cli_lib_text(arena, &lib)));
  uint64_t start = cli_os_now_ns();
  CLI_TRY(cli_model_open(arena, &lib, request->operand, &options, &model));
  uint64_t load_ns = cli_os_now_ns() - start;
  CLI_TRY(cli_inputs_make(arena, &model, request, request->seed, "random", &inputs));
  CLI_TRY(cli_feeds_make(arena, &model, inputs, &feeds));
  // The process ends here, and with it what the library holds.
  CLI_TRY(put_text(reply, cli_inputs_text(arena, &model, inputs)));
  if (job->profile_prefix) return profile_runs(arena, request, &model, &feeds, reply);
  CLI_TRY(cli_buffer_put_u64(reply, load_ns));
  return cli_fail_in(time_runs(arena, request, &model, &feeds, reply), "running '%s'",
                     request->operand);
}

// Nanoseconds, in the order they came.
struct times {
  double *ns;
  size_t count, capacity;
};

static void add_time(cli_arena *arena, struct times *times, double ns) {
  if (times->count == times->capacity) {
    size_t capacity = times->capacity ? 2 * times->capacity : 64;
    double *grown = cli_arena_array(arena, capacity, sizeof *grown);
    if (times->count) memcpy(grown, times->ns, times->count * sizeof *grown);
    times->ns = grown;
    times->capacity = capacity;
  }
  times->ns[times->count++] = ns;
}

static int ascending(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

// The smallest time that `part` of all times do not exceed, NaN of none; sorts them.
static double quantile(struct times *times, double part) {
  if (!times->count) return NAN;
  qsort(times->ns, times->count, sizeof *times->ns, ascending);
  size_t rank = (size_t)(part * (double)times->count + 0.999999);
  return times->ns[rank ? rank - 1 : 0];
}

// What the rounds of one library have shown.
struct subject {
  const char *library;                     // as given; NULL is the default
  const char *text;                        // as the library says
  const char *inputs;                      // their shapes
  struct times loads, firsts, ready, runs; // ready: load and first run
  uint64_t peak_bytes;
};

static cli_status *run_round(cli_arena *arena, const cli_request *request,
                             struct subject *subject) {
  struct job job = {request, subject->library, NULL};
  cli_cursor reply;
  uint64_t peak_bytes, load_ns, first_ns, ns;
  CLI_TRY(cli_child_run(arena, run_job, &job, &reply, &peak_bytes));
  CLI_TRY(get_text(arena, &reply, &subject->text));
  CLI_TRY(get_text(arena, &reply, &subject->inputs));
  CLI_TRY(cli_cursor_unsigned(&reply, 8, &load_ns));
  CLI_TRY(cli_cursor_unsigned(&reply, 8, &first_ns));
  add_time(arena, &subject->loads, (double)load_ns);
  add_time(arena, &subject->firsts, (double)first_ns);
  add_time(arena, &subject->ready, (double)(load_ns + first_ns));
  if (peak_bytes > subject->peak_bytes) subject->peak_bytes = peak_bytes;
  while (reply.at < reply.size) {
    CLI_TRY(cli_cursor_unsigned(&reply, 8, &ns));
    add_time(arena, &subject->runs, (double)ns);
  }
  return NULL;
}

// A row of the table: one number a library, and how many times the first goes into the second.
static void print_row(cli_arena *arena, const char *name, const char *(*show)(cli_arena *, double),
                      const double *numbers, size_t count) {
  printf("%-18s", name);
  for (size_t i = 0; i < count; i++) printf("%14s", show(arena, numbers[i]));
  if (count == 2) printf("%9.2fx", numbers[1] / numbers[0]);
  printf("\n");
}

static void print_times(cli_arena *arena, const char *name, struct subject *subjects, size_t count,
                        size_t offset, double part) {
  double numbers[2];
  for (size_t i = 0; i < count; i++)
    numbers[i] = quantile((struct times *)(void *)((char *)&subjects[i] + offset), part);
  print_row(arena, name, cli_duration_text, numbers, count);
}

static void print_table(cli_arena *arena, const cli_request *request, uint64_t rounds,
                        struct subject *subjects, size_t count) {
  printf("%s: %s\n", request->operand, subjects[0].inputs);
  for (size_t i = 0; i < count; i++)
    printf("%c: %s, %zu runs in %llu %s\n", 'A' + (int)i, subjects[i].text, subjects[i].runs.count,
           (unsigned long long)rounds, rounds == 1 ? "round" : "rounds");
  if (count == 2) printf("\n%-18s%14s%14s%10s\n", "", "A", "B", "B/A");
  print_times(arena, "median run", subjects, count, offsetof(struct subject, runs), 0.5);
  print_times(arena, "p90 run", subjects, count, offsetof(struct subject, runs), 0.9);
  print_times(arena, "fastest run", subjects, count, offsetof(struct subject, runs), 0);
  print_times(arena, "load", subjects, count, offsetof(struct subject, loads), 0.5);
  print_times(arena, "first run", subjects, count, offsetof(struct subject, firsts), 0.5);
  print_times(arena, "load + first run", subjects, count, offsetof(struct subject, ready), 0.5);
  double peaks[2];
  for (size_t i = 0; i < count; i++) peaks[i] = (double)subjects[i].peak_bytes;
  print_row(arena, "peak memory", cli_bytes_text, peaks, count);
}

static cli_status *profile(cli_arena *arena, const cli_request *request, struct subject *subject,
                           const char *prefix) {
  struct job job = {request, subject->library, prefix};
  cli_cursor reply;
  uint64_t peak_bytes;
  const char *text, *inputs, *path;
  CLI_TRY(cli_child_run(arena, run_job, &job, &reply, &peak_bytes));
  CLI_TRY(get_text(arena, &reply, &text));
  CLI_TRY(get_text(arena, &reply, &inputs));
  CLI_TRY(get_text(arena, &reply, &path));
  printf("\n%s: ", text);
  return cli_profile_print(arena, request, path, quantile(&subject->runs, 0.5));
}

cli_status *cli_bench(cli_arena *arena, const cli_request *request) {
  struct subject subjects[2] = {{.library = request->library}, {.library = request->against}};
  size_t count = request->against ? 2 : 1;
  uint64_t rounds = request->rounds ? request->rounds : count == 2 ? ROUNDS_AGAINST : 1;
  for (uint64_t round = 0; round < rounds; round++)
    for (size_t i = 0; i < count; i++) {
      const char *name = subjects[i].library ? subjects[i].library : "libtern.so";
      cli_progress("round %llu of %llu: %s", (unsigned long long)round + 1,
                   (unsigned long long)rounds, name);
      cli_status *status = run_round(arena, request, &subjects[i]);
      cli_progress_end();
      CLI_TRY(cli_fail_in(status, "%s", name));
    }
  print_table(arena, request, rounds, subjects, count);
  for (size_t i = 0; request->profile && i < count; i++)
    CLI_TRY(profile(arena, request, &subjects[i], i ? "tern-profile-B" : "tern-profile-A"));
  return NULL;
}
