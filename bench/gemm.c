// Times tern_gemm_f32_run over a few shapes, on one thread and on several, against the FMA peak
// measured on the same core. Usage: bench_gemm [-t THREADS] [M N K]...
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/os.h"
#include "compute/gemm.h"
#include "compute/leaves.h"
#include "parallel/pool.h"

static double seconds(void) {
  return (double)tern_os_monotonic_ns() * 1e-9;
}

static float *random_matrix(size_t count) {
  float *data = aligned_alloc(64, (count * sizeof(float) + 63) / 64 * 64);
  if (!data) exit(1);
  uint32_t state = 1;
  for (size_t i = 0; i < count; i++) {
    state = state * 1664525u + 1013904223u;
    data[i] = (float)(state >> 8) * 0x1p-24f - 0.5f;
  }
  return data;
}

// The register tile alone, on one pair of panels that stay in the first-level cache.
static double measure_peak(void) {
  const tern_gemm_f32_leaf *leaf = &tern_leaves_selected()->gemm_f32;
  const size_t k = 64, repeats = 20000;
  float *a = random_matrix(leaf->mr * k), *b = random_matrix(leaf->nr * k);
  float *c = random_matrix(leaf->mr * leaf->nr);
  const tern_gemm_f32_store store = {.c = c, .ldc = leaf->nr, .alpha = 1, .beta = 0};
  double best = 0;
  for (int round = 0; round < 10; round++) {
    const double begin = seconds();
    for (size_t i = 0; i < repeats; i++) leaf->tile(leaf->mr, leaf->nr, k, a, b, leaf->nr, &store);
    const double rate =
        2.0 * (double)(leaf->mr * leaf->nr * k * repeats) / (seconds() - begin) * 1e-9;
    if (rate > best) best = rate;
  }
  free(a), free(b), free(c);
  return best;
}

static double measure(size_t m, size_t n, size_t k, int packed, const tern_parallel *parallel) {
  float *a = random_matrix(m * k), *b = random_matrix(k * n), *c = random_matrix(m * n);
  tern_gemm_f32_params p = {
      .m = m, .n = n, .k = k, .alpha = 1, .a = a, .lda = k, .b = b, .ldb = n, .c = c, .ldc = n};
  float *packed_b = random_matrix(tern_gemm_f32_pack_b_bytes(k, n) / sizeof(float));
  tern_gemm_f32_pack_b(k, n, b, n, false, packed_b);
  if (packed) p.packed_b = packed_b;
  const tern_gemm_f32_batch batch = {.product = p, .count = 1};
  void *workspace = random_matrix(tern_gemm_f32_run_bytes(&batch, parallel) / sizeof(float));
  double best = 1e30;
  const double begin = seconds();
  do {
    const double start = seconds();
    tern_gemm_f32_run(&batch, parallel, workspace);
    const double taken = seconds() - start;
    if (taken < best) best = taken;
  } while (seconds() - begin < 0.3);
  free(a), free(b), free(c), free(packed_b), free(workspace);
  return 2.0 * (double)m * (double)n * (double)k / best * 1e-9;
}

int main(int argc, char **argv) {
  static const size_t shapes[][3] = {{512, 512, 512}, {1024, 1024, 1024}, {1, 4096, 1024},
                                     {4, 1024, 1024}, {64, 3136, 576},    {64, 12544, 147},
                                     {512, 49, 4608}, {128, 768, 768},    {197, 3072, 768},
                                     {128, 128, 64},  {33, 65, 17}};
  tern_parallel parallel = {.max_threads = 2};
  if (argc > 2 && strcmp(argv[1], "-t") == 0) {
    parallel.max_threads = atoi(argv[2]);
    argc -= 2, argv += 2;
  }
  if (tern_pool_acquire_shared(parallel.max_threads, &parallel.pool)) return 1;
  const double peak = measure_peak();
  printf("isa %s, FMA peak %.1f GFLOP/s\n", tern_cpu_isa_name(tern_leaves_selected()->isa), peak);
  printf("%6s %6s %6s %10s %6s %12s %6s %10s %6s\n", "m", "n", "k", "GFLOP/s", "share", "b packed",
         "share", "threads", "ratio");
  const size_t given = argc > 3 ? (size_t)(argc - 1) / 3 : 0;
  for (size_t i = 0; i < (given ? given : sizeof shapes / sizeof shapes[0]); i++) {
    size_t s[3];
    for (size_t d = 0; d < 3; d++)
      s[d] = given ? strtoull(argv[1 + 3 * i + d], NULL, 10) : shapes[i][d];
    const double plain = measure(s[0], s[1], s[2], 0, NULL);
    const double packed = measure(s[0], s[1], s[2], 1, NULL);
    const double threads = measure(s[0], s[1], s[2], 1, &parallel);
    printf("%6zu %6zu %6zu %10.1f %5.0f%% %12.1f %5.0f%% %10.1f %6.2f\n", s[0], s[1], s[2], plain,
           100 * plain / peak, packed, 100 * packed / peak, threads, threads / packed);
  }
  tern_pool_release_shared(parallel.pool);
  return 0;
}
