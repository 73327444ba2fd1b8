// Times the memory planner on what networks ask of it: chains with skips, and buffers that all live
// at once. Usage: bench_memory_plan [COUNT]...
#include <stdio.h>
#include <stdlib.h>

#include "base/os.h"
#include "session/memory_plan.h"

enum { ROUNDS = 50 };

static uint32_t next_random(uint32_t *state) {
  *state = *state * 1664525u + 1013904223u;
  return *state >> 8;
}

// One buffer a step that lives for a few, every tenth for many; or all to the end.
static void make(tern_buffer_usage *usages, int32_t count, bool all_at_once) {
  uint32_t random = 1;
  for (int32_t i = 0; i < count; ++i) {
    int32_t length = (int32_t)(next_random(&random) % (i % 10 == 0 ? 100 : 4)) + 1;
    usages[i].bytes = 64 * (1 + next_random(&random) % 20000);
    usages[i].first = i;
    usages[i].last = all_at_once || i + length >= count ? count : i + length;
  }
}

static double best_us(tern_buffer_usage *usages, int32_t count, size_t *out_total) {
  int64_t best = INT64_MAX;
  for (int round = 0; round < ROUNDS; ++round) {
    int64_t start = tern_os_monotonic_ns();
    tern_status *status = tern_memory_plan(usages, (size_t)count, out_total);
    int64_t taken = tern_os_monotonic_ns() - start;
    if (status) exit(1);
    if (taken < best) best = taken;
  }
  return (double)best / 1000;
}

int main(int argc, char **argv) {
  static const int32_t counts[] = {100, 450, 1000, 3000, 10000};
  int given = argc > 1 ? argc - 1 : (int)(sizeof counts / sizeof *counts);
  printf("%8s %14s %14s %14s %14s\n", "buffers", "chain", "a buffer", "all at once", "a buffer");
  for (int i = 0; i < given; ++i) {
    int32_t count = argc > 1 ? atoi(argv[1 + i]) : counts[i];
    tern_buffer_usage *usages = calloc((size_t)count + 1, sizeof *usages);
    size_t total;
    if (!usages) return 1;
    make(usages, count, false);
    double chain = best_us(usages, count, &total);
    make(usages, count, true);
    double all = best_us(usages, count, &total);
    printf("%8d %11.1f us %11.1f ns %11.1f us %11.1f ns\n", count, chain, chain * 1000 / count, all,
           all * 1000 / count);
    free(usages);
  }
  return 0;
}
