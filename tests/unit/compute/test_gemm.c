// The fast matrix products against their definition, over shapes around every block boundary.
#include "data.h"

#include "compute/gemm.h"
#include "compute/leaves.h"
#include "compute/plain.h"

static void run_all(const tern_gemm_f32_params *p) {
  void *workspace = new_bytes(tern_gemm_f32_workspace_bytes(p));
  tern_gemm_f32(p, workspace);
  free(workspace);
}

// One tile at a time, last to first, each in a dirtied workspace.
static void run_backwards(const tern_gemm_f32_params *p) {
  const size_t bytes = tern_gemm_f32_workspace_bytes(p);
  void *workspace = new_bytes(bytes);
  for (size_t t = tern_gemm_f32_tile_count(p); t-- > 0;) {
    memset(workspace, 0xff, bytes);
    tern_gemm_f32_tiles(p, t, 1, workspace);
  }
  free(workspace);
}

static void fill_from_matrix(const void *context, size_t k_begin, size_t k_count, size_t n_begin,
                             size_t n_count, float *out, size_t ld) {
  const tern_gemm_f32_params *p = context;
  for (size_t k = 0; k < k_count; k++)
    for (size_t n = 0; n < n_count; n++)
      out[k * ld + n] = p->transpose_b ? p->b[(n_begin + n) * p->ldb + k_begin + k]
                                       : p->b[(k_begin + k) * p->ldb + n_begin + n];
}

typedef enum variant { PLAIN, PACKED_A, PACKED_B, PACKED_BOTH, FILLED, VARIANT_COUNT } variant;

static void run_variant(tern_gemm_f32_params p, variant v) {
  const tern_gemm_f32_params plain = p;
  float *packed_a = new_bytes(tern_gemm_f32_pack_a_bytes(p.m, p.k));
  float *packed_b = new_bytes(tern_gemm_f32_pack_b_bytes(p.k, p.n));
  if (v == PACKED_A || v == PACKED_BOTH) {
    tern_gemm_f32_pack_a(p.m, p.k, p.a, p.lda, p.transpose_a, packed_a);
    p.packed_a = packed_a;
    p.a = NULL;
  }
  if (v == PACKED_B || v == PACKED_BOTH) {
    tern_gemm_f32_pack_b(p.k, p.n, p.b, p.ldb, p.transpose_b, packed_b);
    p.packed_b = packed_b;
    p.b = NULL;
  }
  if (v == FILLED) {
    p.fill_b = fill_from_matrix;
    p.fill_b_context = &plain;
    p.b = NULL;
  }
  if (v % 2 == 0) {
    run_all(&p);
  } else {
    run_backwards(&p);
  }
  free(packed_a);
  free(packed_b);
}

static void check_shape(size_t m, size_t n, size_t k, unsigned flags) {
  const bool ta = flags & 1, tb = flags & 2;
  const size_t lda = (ta ? m : k) + (flags & 4 ? 3 : 0), ldb = (tb ? k : n) + (flags & 4 ? 5 : 0);
  const size_t ldc = n + (flags & 4 ? 2 : 0);
  float *a = new_random((ta ? k : m) * lda, 1), *b = new_random((tb ? n : k) * ldb, 2);
  float *start = new_random(m * ldc, 3), *bias_m = new_random(m, 4), *bias_n = new_random(n, 5);
  float *expected = new_random(m * ldc, 3), *actual = new_random(m * ldc, 3);
  tern_gemm_f32_params p = {.m = m,
                            .n = n,
                            .k = k,
                            .alpha = flags & 8 ? 0.5f : 1,
                            .beta = flags & 8 ? -2.0f : 0,
                            .a = a,
                            .lda = lda,
                            .transpose_a = ta,
                            .b = b,
                            .ldb = ldb,
                            .transpose_b = tb,
                            .c = expected,
                            .ldc = ldc};
  if (flags & 16) p.bias_m = bias_m;
  if (flags & 32) p.bias_n = bias_n;
  tern_plain_gemm_f32(&p);
  p.c = actual;
  for (variant v = PLAIN; v < VARIANT_COUNT; v++) {
    memcpy(actual, start, m * ldc * sizeof(float));
    run_variant(p, v);
    assert_all_close(actual, expected, m * ldc, 1e-6 * (double)(k + 4));
  }
  free(a), free(b), free(start), free(bias_m), free(bias_n), free(expected), free(actual);
}

static void test_odd_shapes(void **state) {
  (void)state;
  static const size_t shapes[][3] = {{1, 1, 1},     {1, 300, 70}, {1, 7, 600},  {2, 33, 65},
                                     {3, 16, 17},   {4, 5, 300},  {5, 47, 31},  {14, 32, 256},
                                     {15, 33, 257}, {29, 65, 40}, {170, 70, 9}, {37, 530, 12},
                                     {13, 15, 520}, {64, 1, 40}};
  for (size_t i = 0; i < TERN_COUNT_OF(shapes); i++)
    for (unsigned flags = 0; flags < 64; flags += i % 2 ? 1 : 5)
      check_shape(shapes[i][0], shapes[i][1], shapes[i][2], flags);
}

static void test_every_small_size(void **state) {
  (void)state;
  for (size_t m = 1; m <= 16; m++)
    for (size_t n = 1; n <= 34; n += 3) check_shape(m, n, 1 + (m * n) % 9, (unsigned)(m + n) % 64);
}

static void test_empty_product_leaves_beta_and_bias(void **state) {
  (void)state;
  for (unsigned flags = 0; flags < 64; flags += 4) check_shape(5, 37, 0, flags);
  const tern_gemm_f32_params none = {.m = 0, .n = 4, .k = 4};
  assert_int_equal(tern_gemm_f32_tile_count(&none), 0);
}

// C is not read when beta is 0: a NaN there must not spread.
static void test_beta_zero_ignores_c(void **state) {
  (void)state;
  float *a = new_random(20 * 300, 1), *b = new_random(300 * 40, 2), c[20 * 40];
  for (size_t i = 0; i < 20 * 40; i++) c[i] = NAN;
  run_all(&(tern_gemm_f32_params){.m = 20,
                                  .n = 40,
                                  .k = 300,
                                  .alpha = 1,
                                  .a = a,
                                  .lda = 300,
                                  .b = b,
                                  .ldb = 40,
                                  .c = c,
                                  .ldc = 40});
  for (size_t i = 0; i < 20 * 40; i++) assert_true(!isnan(c[i]));
  free(a), free(b);
}

// A NaN or infinity of one row of A reaches that row of C and no other.
static void test_special_values_stay_in_their_row(void **state) {
  (void)state;
  const size_t M = 31, N = 45, K = 19;
  float *a = new_random(M * K, 1), *b = new_random(K * N, 2), c[31 * 45];
  a[3 * K + 5] = NAN;
  a[7 * K + 18] = INFINITY;
  a[30 * K] = 0x1p-140f;
  run_all(&(tern_gemm_f32_params){
      .m = M, .n = N, .k = K, .alpha = 1, .a = a, .lda = K, .b = b, .ldb = N, .c = c, .ldc = N});
  for (size_t i = 0; i < M; i++)
    for (size_t j = 0; j < N; j++) {
      assert_int_equal(isnan(c[i * N + j]) != 0, i == 3);
      assert_int_equal(isinf(c[i * N + j]) != 0, i == 7);
    }
  free(a), free(b);
}

// Any split of the tiles gives the same bits, packed ahead or not.
static void test_bits_do_not_depend_on_the_split(void **state) {
  (void)state;
  const size_t M = 190, N = 1100, K = 300;
  float *a = new_random(M * K, 1), *b = new_random(K * N, 2);
  float *first = new_random(M * N, 3), *other = new_random(M * N, 4);
  tern_gemm_f32_params p = {
      .m = M, .n = N, .k = K, .alpha = 1, .a = a, .lda = K, .b = b, .ldb = N, .c = first, .ldc = N};
  assert_true(tern_gemm_f32_tile_count(&p) > 1);
  run_all(&p);
  p.c = other;
  for (variant v = PLAIN; v < VARIANT_COUNT; v++) {
    run_variant(p, v);
    assert_memory_equal(first, other, M * N * sizeof(float));
  }
  free(a), free(b), free(first), free(other);
}

static void double_it(void *context, float *c, size_t ldc, size_t m_begin, size_t m_count,
                      size_t n_begin, size_t n_count) {
  float *whole = context;
  assert_ptr_equal(c, whole + m_begin * ldc + n_begin);
  for (size_t i = 0; i < m_count; i++)
    for (size_t j = 0; j < n_count; j++) c[i * ldc + j] *= 2;
}

static void test_finish_sees_each_element_once(void **state) {
  (void)state;
  const size_t M = 180, N = 600, K = 3;
  float *a = new_random(M * K, 1), *b = new_random(K * N, 2);
  float *expected = new_random(M * N, 3), *actual = new_random(M * N, 3);
  tern_gemm_f32_params p = {.m = M,
                            .n = N,
                            .k = K,
                            .alpha = 1,
                            .a = a,
                            .lda = K,
                            .b = b,
                            .ldb = N,
                            .c = expected,
                            .ldc = N};
  run_all(&p);
  for (size_t i = 0; i < M * N; i++) expected[i] *= 2;
  p.c = actual;
  p.finish = double_it;
  p.finish_context = actual;
  run_all(&p);
  assert_memory_equal(actual, expected, M * N * sizeof(float));
  free(a), free(b), free(expected), free(actual);
}

static void test_f64(void **state) {
  (void)state;
  static const size_t shapes[][3] = {{1, 70, 300}, {3, 21, 40}, {15, 17, 257}, {40, 300, 33}};
  for (size_t i = 0; i < 4 * TERN_COUNT_OF(shapes); i++) {
    const size_t m = shapes[i / 4][0], n = shapes[i / 4][1], k = shapes[i / 4][2];
    double *a = new_random_f64(m * k, 1), *b = new_random_f64(k * n, 2);
    double *expected = new_random_f64(m * n, 3), *actual = new_random_f64(m * n, 3);
    tern_gemm_f64_params p = {.m = m,
                              .n = n,
                              .k = k,
                              .alpha = 1.5,
                              .beta = 0.25,
                              .a = a,
                              .b = b,
                              .c = expected,
                              .ldc = n,
                              .transpose_a = i & 1,
                              .transpose_b = i & 2};
    p.lda = p.transpose_a ? m : k;
    p.ldb = p.transpose_b ? k : n;
    tern_plain_gemm_f64(&p);
    p.c = actual;
    void *workspace = new_bytes(tern_gemm_f64_workspace_bytes(&p));
    tern_gemm_f64(&p, workspace);
    for (size_t e = 0; e < m * n; e++) assert_close(actual[e], expected[e], 1e-13, e);
    free(a), free(b), free(expected), free(actual), free(workspace);
  }
}

static void test_integers_wrap(void **state) {
  (void)state;
  const int32_t a[] = {INT32_MAX, 2, -3, 4}, b[] = {2, -1, INT32_MIN, 5, 6, 7};
  int32_t c[6];
  tern_gemm_i32(2, 3, 2, a, 2, b, 3, c, 3);
  for (size_t i = 0; i < 2; i++)
    for (size_t j = 0; j < 3; j++) {
      const int64_t wide = (int64_t)a[2 * i] * b[j] + (int64_t)a[2 * i + 1] * b[3 + j];
      assert_int_equal(c[3 * i + j], (int32_t)(uint32_t)(uint64_t)wide);
    }
  const uint64_t big = UINT64_C(1) << 63, two = 2;
  uint64_t product = 7;
  tern_gemm_u64(1, 1, 1, &big, 1, &two, 1, &product, 1);
  assert_true(product == 0);
  tern_gemm_u64(1, 1, 0, NULL, 1, NULL, 1, &product, 1);
  assert_true(product == 0);
}

static void test_zero_points(void **state) {
  (void)state;
  const uint8_t a[] = {255, 3, 0, 128, 7, 90}, zero_a[] = {128, 3};
  const int8_t b[] = {-128, 127, 5, -6, 0, 1}, zero_b[] = {-7, 9};
  for (int per_line = 0; per_line < 2; per_line++) {
    int32_t c[4];
    tern_gemm_i8(NULL, 2, 2, 3,
                 &(tern_gemm_i8_operand){
                     .data = a, .ld = 3, .zero_point = zero_a, .zero_point_per_line = per_line},
                 &(tern_gemm_i8_operand){.data = b,
                                         .ld = 2,
                                         .is_signed = true,
                                         .zero_point = zero_b,
                                         .zero_point_per_line = per_line},
                 c, 2);
    for (int i = 0; i < 2; i++)
      for (int j = 0; j < 2; j++) {
        int32_t sum = 0;
        for (int k = 0; k < 3; k++)
          sum += (a[3 * i + k] - zero_a[per_line * i]) * (b[2 * k + j] - zero_b[per_line * j]);
        assert_int_equal(c[2 * i + j], sum);
      }
  }
}

// A caller may size its workspace by the largest product it makes.
static void test_workspace_grows_with_sizes(void **state) {
  (void)state;
  size_t before = 0;
  for (size_t n = 1; n < 5000; n += 7) {
    const tern_gemm_f32_params p = {.m = n / 3 + 1, .n = n, .k = 64, .transpose_a = true};
    const size_t bytes = tern_gemm_f32_workspace_bytes(&p);
    assert_true(bytes >= before);
    before = bytes;
  }
}

int main(void) {
  require_selected_isa();
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_workspace_grows_with_sizes),
      cmocka_unit_test(test_odd_shapes),
      cmocka_unit_test(test_every_small_size),
      cmocka_unit_test(test_empty_product_leaves_beta_and_bias),
      cmocka_unit_test(test_beta_zero_ignores_c),
      cmocka_unit_test(test_special_values_stay_in_their_row),
      cmocka_unit_test(test_bits_do_not_depend_on_the_split),
      cmocka_unit_test(test_finish_sees_each_element_once),
      cmocka_unit_test(test_f64),
      cmocka_unit_test(test_integers_wrap),
      cmocka_unit_test(test_zero_points),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
