// Deterministic test data and comparison for the compute tests.
#ifndef TERN_TESTS_UNIT_COMPUTE_DATA_H_
#define TERN_TESTS_UNIT_COMPUTE_DATA_H_

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/cpu.h"
#include "base/macros.h"

static inline void *new_bytes(size_t bytes) {
  void *data = aligned_alloc(TERN_BUFFER_ALIGNMENT,
                             (bytes / TERN_BUFFER_ALIGNMENT + 1) * TERN_BUFFER_ALIGNMENT);
  assert_non_null(data);
  return data;
}

// A copy without room to spare, so that a sanitizer sees any access beyond it.
static inline float *new_random(size_t count, uint32_t seed) {
  float *data = malloc(count * sizeof(float) + !count);
  assert_non_null(data);
  uint32_t state = seed * 2654435761u + 1;
  for (size_t i = 0; i < count; i++) {
    state = state * 1664525u + 1013904223u;
    data[i] = (float)(state >> 8) * 0x1p-23f - 1;
  }
  return data;
}

static inline double *new_random_f64(size_t count, uint32_t seed) {
  float *narrow = new_random(count, seed);
  double *data = malloc(count * sizeof(double) + !count);
  assert_non_null(data);
  for (size_t i = 0; i < count; i++) data[i] = (double)narrow[i] * (1 + (double)i * 0x1p-40);
  free(narrow);
  return data;
}

// Equal, both NaN, or within tolerance * max(1, |expected|).
static inline void assert_close(double actual, double expected, double tolerance, size_t index) {
  if (actual == expected || (isnan(actual) && isnan(expected))) return;
  const double scale = fabs(expected) > 1 ? fabs(expected) : 1;
  if (fabs(actual - expected) <= tolerance * scale) return;
  fail_msg("element %zu is %.9g, expected %.9g", index, actual, expected);
}

static inline void assert_all_close(const float *actual, const float *expected, size_t count,
                                    double tolerance) {
  for (size_t i = 0; i < count; i++)
    assert_close((double)actual[i], (double)expected[i], tolerance, i);
}

// Exits with 77, which CTest reports as skipped, where TERN_ISA asks for what the machine lacks.
static inline void require_selected_isa(void) {
  const char *wanted = getenv("TERN_ISA");
  const char *selected = tern_cpu_isa_name(tern_cpu_selected_isa());
  if (!wanted || strcmp(wanted, selected) == 0) return;
  printf("skipped: this machine has no %s\n", wanted);
  exit(77);
}

#endif
