// Products and convolutions over threads: the bits of one thread, for any number of them.
#include "data.h"

#include "compute/conv.h"
#include "compute/gemm.h"
#include "parallel/pool.h"

enum { MOST_THREADS = 4 };

static tern_pool *pool;

static int make_pool(void **state) {
  (void)state;
  tern_pool_options options = {.threads = MOST_THREADS, .spin_ns = 50000};
  tern_status *status = tern_pool_create(&options, &pool);
  tern_status_free(status);
  return status ? -1 : 0;
}

static int destroy_pool(void **state) {
  (void)state;
  tern_pool_destroy(pool);
  return 0;
}

// ---- Products.

typedef struct sizes {
  size_t m, n, k, count;
} sizes;

// What one product of a batch reads and writes.
typedef struct places {
  const sizes *s;
  const float *a, *b;
  float *c;
} places;

static void place(const void *context, size_t index, tern_gemm_f32_params *inout_product) {
  const places *p = context;
  inout_product->a = p->a + index * p->s->m * p->s->k;
  inout_product->b = p->b + index * p->s->k * p->s->n;
  inout_product->c = p->c + index * p->s->m * p->s->n;
}

static void fill_from_matrix(const void *context, size_t k_begin, size_t k_count, size_t n_begin,
                             size_t n_count, float *out, size_t ld) {
  const tern_gemm_f32_params *p = context;
  for (size_t k = 0; k < k_count; k++)
    for (size_t n = 0; n < n_count; n++)
      out[k * ld + n] = p->b[(k_begin + k) * p->ldb + n_begin + n];
}

static void negate(void *context, float *c, size_t ldc, size_t m_begin, size_t m_count,
                   size_t n_begin, size_t n_count) {
  (void)context, (void)m_begin, (void)n_begin;
  for (size_t i = 0; i < m_count; i++)
    for (size_t j = 0; j < n_count; j++) c[i * ldc + j] = -c[i * ldc + j];
}

// One product after the other, on this thread.
static void run_alone(const tern_gemm_f32_batch *batch) {
  void *workspace = new_bytes(tern_gemm_f32_workspace_bytes(&batch->product));
  for (size_t i = 0; i < batch->count; i++) {
    tern_gemm_f32_params product = batch->product;
    if (batch->place) batch->place(batch->place_context, i, &product);
    tern_gemm_f32(&product, workspace);
  }
  free(workspace);
}

static void check_threads(const tern_gemm_f32_batch *batch, float *c, size_t count) {
  float *expected = new_random(count, 0);
  run_alone(batch);
  memcpy(expected, c, count * sizeof *c);
  for (int32_t threads = 1; threads <= MOST_THREADS; threads++) {
    const tern_parallel parallel = {.pool = pool, .max_threads = threads};
    const tern_parallel *given = threads == 1 ? NULL : &parallel;
    const size_t bytes = tern_gemm_f32_run_bytes(batch, given);
    void *workspace = new_bytes(bytes);
    memset(workspace, 0xff, bytes);
    memset(c, 0xff, count * sizeof *c);
    tern_gemm_f32_run(batch, given, workspace);
    assert_memory_equal(c, expected, count * sizeof *c);
    free(workspace);
  }
  free(expected);
}

typedef enum operands { AS_GIVEN, TRANSPOSED, PACKED_A, PACKED_B, FILLED, OPERANDS } operands;

static void check_product(const sizes *s, operands o) {
  const size_t in_place = s->count > 1 ? 0 : 1;
  float *a = new_random(s->count * s->m * s->k, 1), *b = new_random(s->count * s->k * s->n, 2);
  float *c = new_random(s->count * s->m * s->n, 3), *bias = new_random(s->n, 4);
  float *packed_a = new_bytes(tern_gemm_f32_pack_a_bytes(s->m, s->k));
  float *packed_b = new_bytes(tern_gemm_f32_pack_b_bytes(s->k, s->n));
  const places where = {s, a, b, c};
  tern_gemm_f32_batch batch = {.product = {.m = s->m,
                                           .n = s->n,
                                           .k = s->k,
                                           .alpha = 1,
                                           .lda = s->k,
                                           .ldb = s->n,
                                           .ldc = s->n,
                                           .bias_n = bias,
                                           .finish = negate},
                               .count = s->count,
                               .place = place,
                               .place_context = &where};
  tern_gemm_f32_params plain = batch.product;
  place(&where, 0, &plain);
  if (o == TRANSPOSED) {
    batch.product.transpose_a = batch.product.transpose_b = true;
    batch.product.lda = s->m, batch.product.ldb = s->k;
  } else if (o == PACKED_A) {
    tern_gemm_f32_pack_a(s->m, s->k, a, s->k, false, packed_a);
    batch.product.packed_a = packed_a;
  } else if (o == PACKED_B) {
    tern_gemm_f32_pack_b(s->k, s->n, b, s->n, false, packed_b);
    batch.product.packed_b = packed_b;
  } else if (o == FILLED) {
    batch.product.fill_b = fill_from_matrix;
    batch.product.fill_b_context = &plain;
  }
  if (in_place) place(&where, 0, &batch.product);
  if (in_place) batch.place = NULL;
  check_threads(&batch, c, s->count * s->m * s->n);
  free(a), free(b), free(c), free(bias), free(packed_a), free(packed_b);
}

static void products_have_the_bits_of_one_thread(void **state) {
  (void)state;
  const sizes cases[] = {{1, 1, 1, 1},       {3, 5, 0, 2},       {1, 3000, 300, 1},
                         {4, 700, 513, 1},   {130, 300, 257, 1}, {400, 90, 300, 1},
                         {500, 1100, 64, 1}, {40, 70, 33, 24},   {150, 140, 300, 3},
                         {1, 64, 800, 12},   {0, 4, 4, 1}};
  for (size_t i = 0; i < TERN_COUNT_OF(cases); i++)
    for (operands o = AS_GIVEN; o < OPERANDS; o++) check_product(&cases[i], o);
}

// ---- Convolutions.

typedef struct image {
  size_t batch, groups, in_channels, out_channels, in, kernel, stride;
} image;

static tern_window window_of(const image *s) {
  const size_t out = (s->in + 2 * (s->kernel / 2) - s->kernel) / s->stride + 1;
  return (tern_window){.rank = 2,
                       .in = {s->in, s->in},
                       .out = {out, out},
                       .kernel = {s->kernel, s->kernel},
                       .stride = {s->stride, s->stride},
                       .dilation = {1, 1},
                       .pad_begin = {(ptrdiff_t)(s->kernel / 2), (ptrdiff_t)(s->kernel / 2)}};
}

static void check_conv(const image *s) {
  tern_conv_f32_params p = {.window = window_of(s),
                            .batch = s->batch,
                            .groups = s->groups,
                            .in_channels = s->in_channels,
                            .out_channels = s->out_channels,
                            .finish = negate};
  const size_t y_size = s->batch * s->out_channels * tern_window_out_size(&p.window);
  float *x = new_random(s->batch * s->in_channels * s->in * s->in, 1);
  float *w = new_random(s->out_channels * s->in_channels * s->kernel * s->kernel, 2);
  float *y = new_random(y_size, 3), *expected = new_random(y_size, 4);
  p.x = x, p.w = w, p.y = expected;
  void *workspace = new_bytes(tern_conv_f32_workspace_bytes(&p));
  tern_conv_f32(&p, workspace);
  free(workspace);
  p.y = y;
  for (int32_t threads = 1; threads <= MOST_THREADS; threads++) {
    const tern_parallel parallel = {.pool = pool, .max_threads = threads};
    workspace = new_bytes(tern_conv_f32_run_bytes(&p, &parallel));
    memset(y, 0xff, y_size * sizeof *y);
    tern_conv_f32_run(&p, &parallel, workspace);
    assert_memory_equal(y, expected, y_size * sizeof *y);
    free(workspace);
  }
  free(x), free(w), free(y), free(expected);
}

// The image is Y here: X has as many positions as a convolution over Y would give.
static void check_transpose(const image *s) {
  tern_conv_transpose_f32_params p = {.window = window_of(s),
                                      .batch = s->batch,
                                      .groups = s->groups,
                                      .in_channels = s->in_channels,
                                      .out_channels = s->out_channels};
  const size_t y_size = s->batch * s->out_channels * tern_window_in_size(&p.window);
  float *x = new_random(s->batch * s->in_channels * tern_window_out_size(&p.window), 1);
  float *w = new_random(s->out_channels * s->in_channels * s->kernel * s->kernel, 2);
  float *y = new_random(y_size, 3), *expected = new_random(y_size, 4);
  p.x = x, p.w = w, p.y = expected;
  void *workspace = new_bytes(tern_conv_transpose_f32_workspace_bytes(&p));
  tern_conv_transpose_f32(&p, workspace);
  free(workspace);
  p.y = y;
  for (int32_t threads = 1; threads <= MOST_THREADS; threads++) {
    const tern_parallel parallel = {.pool = pool, .max_threads = threads};
    workspace = new_bytes(tern_conv_transpose_f32_run_bytes(&p, &parallel));
    memset(y, 0xff, y_size * sizeof *y);
    tern_conv_transpose_f32_run(&p, &parallel, workspace);
    assert_memory_equal(y, expected, y_size * sizeof *y);
    free(workspace);
  }
  free(x), free(w), free(y), free(expected);
}

static void convolutions_have_the_bits_of_one_thread(void **state) {
  (void)state;
  const image images[] = {{1, 1, 3, 32, 60, 3, 2},   {2, 1, 40, 200, 9, 3, 1},
                          {1, 48, 48, 48, 40, 3, 1}, {1, 1, 64, 250, 14, 1, 1},
                          {3, 2, 16, 24, 21, 5, 1},  {1, 1, 20, 500, 7, 3, 1}};
  for (size_t i = 0; i < TERN_COUNT_OF(images); i++) {
    check_conv(&images[i]);
    check_transpose(&images[i]);
  }
}

int main(void) {
  require_selected_isa();
  const struct CMUnitTest tests[] = {cmocka_unit_test(products_have_the_bits_of_one_thread),
                                     cmocka_unit_test(convolutions_have_the_bits_of_one_thread)};
  return cmocka_run_group_tests(tests, make_pool, destroy_pool);
}
