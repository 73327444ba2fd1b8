// The measurements of the engine and their table. Usage:
//   bench_engine [NAME...] [--against LIB] [--lib LIB] [--models DIR] [--rounds N]
#include "engine.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "library.h"

static const bench *const benches[] = {&bench_steps, &bench_loop,       &bench_callers,
                                       &bench_idle,  &bench_signatures, &bench_decode};
enum { BENCH_COUNT = sizeof benches / sizeof benches[0], MAX_ROUNDS = 99 };

typedef struct bench_request {
  const char *libraries[2]; // ours, and the other's or NULL
  const char *models;
  int rounds; // 0: each measurement's own
  bool is_wanted[BENCH_COUNT];
} bench_request;

// By library and figure, one number a round; NAN where there is none.
typedef struct bench_results {
  double numbers[2][BENCH_MAX_FIGURES][MAX_ROUNDS];
} bench_results;

// ---- Rounds.

static void measure_in_child(const bench *b, const char *path, const char *models, int fd) {
  double numbers[BENCH_MAX_FIGURES];
  bench_lib lib = bench_library_open(path, models);
  for (size_t i = 0; i < BENCH_MAX_FIGURES; ++i) numbers[i] = NAN;
  b->measure(&lib, numbers);
  bool is_written = write(fd, numbers, sizeof numbers) == (ssize_t)sizeof numbers;
  fflush(stderr);
  _exit(is_written ? 0 : 1); // leaves what the library holds to the system
}

// False where the child failed; it has said why.
static bool run_round(const bench *b, const char *path, const char *models, double *out) {
  int ends[2];
  if (pipe(ends) != 0) return false;
  pid_t child = fork();
  if (child == 0) {
    close(ends[0]);
    measure_in_child(b, path, models, ends[1]);
  }
  close(ends[1]);
  ssize_t expected = BENCH_MAX_FIGURES * (ssize_t)sizeof *out;
  bool is_read = child > 0 && read(ends[0], out, (size_t)expected) == expected;
  close(ends[0]);
  int status = 1;
  if (child > 0) waitpid(child, &status, 0);
  return is_read && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

// The number of rounds, or 0 where one failed.
static int run_rounds(const bench *b, const bench_request *request, bench_results *out) {
  int rounds = request->rounds ? request->rounds : b->rounds;
  for (int round = 0; round < rounds; ++round) {
    for (int l = 0; l < 2 && request->libraries[l]; ++l) {
      double numbers[BENCH_MAX_FIGURES];
      fprintf(stderr, "%s: round %d of %d, %s\n", b->name, round + 1, rounds, l ? "B" : "A");
      if (!run_round(b, request->libraries[l], request->models, numbers)) return 0;
      for (size_t f = 0; f < b->figure_count; ++f) out->numbers[l][f][round] = numbers[f];
    }
  }
  return rounds;
}

// ---- The table.

static const char *number_text(double number, bench_unit unit, char *text, size_t size) {
  static const char *const times[] = {"ns", "us", "ms", "s"};
  static const char *const sizes[] = {"B", "kB", "MB", "GB"};
  const char *const *names = unit == BENCH_NS ? times : sizes;
  int scale = 0;
  if (isnan(number)) {
    snprintf(text, size, "-");
  } else if (unit == BENCH_NS || unit == BENCH_BYTES) {
    for (; fabs(number) >= 1000 && scale < 3; ++scale) number /= 1000;
    snprintf(text, size, "%.*f %s", scale ? 2 : 0, number, names[scale]);
  } else if (unit == BENCH_SHARE) {
    snprintf(text, size, "%.2f%%", 100 * number);
  } else {
    snprintf(text, size, unit == BENCH_RATE ? "%.0f /s" : "%.2fx", number);
  }
  return text;
}

// How many times better the first library is: above 1 in its favour. Of bytes, which may be
// differences about 0, a quotient says nothing.
static void print_ratio(double ours, double theirs, bench_unit unit) {
  if (unit == BENCH_NS && ours > 0 && theirs > 0) printf("%9.2fx", theirs / ours);
  if (unit == BENCH_RATE && ours > 0 && theirs > 0) printf("%9.2fx", ours / theirs);
}

static void print_bench(const bench *b, bench_results *results, int rounds, bool is_pair) {
  printf("%s: %s\n", b->name, b->about);
  for (size_t f = 0; f < b->figure_count; ++f) {
    double medians[2];
    char text[32];
    printf("  %-36s", b->figures[f].name);
    for (int l = 0; l < (is_pair ? 2 : 1); ++l) {
      medians[l] = bench_median(results->numbers[l][f], (size_t)rounds);
      printf("%14s", number_text(medians[l], b->figures[f].unit, text, sizeof text));
    }
    if (is_pair) print_ratio(medians[0], medians[1], b->figures[f].unit);
    printf("\n");
  }
}

static bool run_all(const bench_request *request) {
  static bench_results all[BENCH_COUNT];
  int rounds[BENCH_COUNT] = {0};
  bool is_right = true;
  for (size_t i = 0; i < BENCH_COUNT; ++i) {
    if (!request->is_wanted[i]) continue;
    rounds[i] = run_rounds(benches[i], request, &all[i]);
    if (!rounds[i]) is_right = false;
  }
  bool is_pair = request->libraries[1] != NULL;
  printf("A: %s\n", request->libraries[0]);
  if (is_pair) printf("B: %s\n%38s%14s%14s%10s\n", request->libraries[1], "", "A", "B", "ratio");
  for (size_t i = 0; i < BENCH_COUNT; ++i) {
    if (rounds[i]) print_bench(benches[i], &all[i], rounds[i], is_pair);
    if (request->is_wanted[i] && !rounds[i]) printf("%s: failed\n", benches[i]->name);
  }
  return is_right;
}

// ---- The command line.

static _Noreturn void usage(void) {
  fprintf(stderr, "usage: bench_engine [NAME...] [--against LIB] [--lib LIB] [--models DIR] "
                  "[--rounds N]\n");
  for (size_t i = 0; i < BENCH_COUNT; ++i)
    fprintf(stderr, "  %-12s%s\n", benches[i]->name, benches[i]->about);
  exit(2);
}

// The libtern.so beside this program.
static const char *own_library(void) {
  static char path[PATH_MAX];
  ssize_t size = readlink("/proc/self/exe", path, sizeof path - 1);
  char *slash = size > 0 ? strrchr(path, '/') : NULL;
  if (!slash || (size_t)(slash - path) + sizeof "/libtern.so" > sizeof path) return "libtern.so";
  memcpy(slash, "/libtern.so", sizeof "/libtern.so");
  return path;
}

static bool want(bench_request *request, const char *name) {
  for (size_t i = 0; i < BENCH_COUNT; ++i) {
    if (strcmp(benches[i]->name, name) != 0) continue;
    return request->is_wanted[i] = true;
  }
  return false;
}

static bench_request parse(int argc, char **argv) {
  bench_request r = {.libraries = {own_library(), NULL}};
  bool has_names = false;
  for (int i = 1; i < argc; ++i) {
    if (argv[i][0] != '-') {
      if (!want(&r, argv[i])) usage();
      has_names = true;
      continue;
    }
    if (i + 1 == argc) usage();
    const char *value = argv[++i];
    if (strcmp(argv[i - 1], "--against") == 0)
      r.libraries[1] = value;
    else if (strcmp(argv[i - 1], "--lib") == 0)
      r.libraries[0] = value;
    else if (strcmp(argv[i - 1], "--models") == 0)
      r.models = value;
    else if (strcmp(argv[i - 1], "--rounds") == 0 && atoi(value) > 0 && atoi(value) <= MAX_ROUNDS)
      r.rounds = atoi(value);
    else
      usage();
  }
  for (size_t i = 0; i < BENCH_COUNT; ++i) r.is_wanted[i] |= !has_names;
  return r;
}

int main(int argc, char **argv) {
  bench_request r = parse(argc, argv);
  return run_all(&r) ? 0 : 1;
}
