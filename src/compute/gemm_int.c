// Integer matrix products: a row of C gathers scaled rows of B, so that the inner loop runs along
// memory. Sums are modulo 2^bits, hence the unsigned arithmetic.
#include <string.h>

#include "compute/gemm.h"

#define STAMP(S, T, U)                                                                             \
  void tern_gemm_##S(size_t m, size_t n, size_t k, const T *a, size_t lda, const T *b, size_t ldb, \
                     T *c, size_t ldc) {                                                           \
    for (size_t i = 0; i < m; i++) {                                                               \
      T *row = c + i * ldc;                                                                        \
      for (size_t j = 0; j < n; j++) row[j] = 0;                                                   \
      for (size_t p = 0; p < k; p++) {                                                             \
        const U scale = (U)a[i * lda + p];                                                         \
        const T *line = b + p * ldb;                                                               \
        for (size_t j = 0; j < n; j++) row[j] = (T)((U)row[j] + scale * (U)line[j]);               \
      }                                                                                            \
    }                                                                                              \
  }
TERN_GEMM_INT_TYPES(STAMP)
#undef STAMP

static int32_t element_i8(const void *data, bool is_signed, size_t index) {
  return is_signed ? ((const int8_t *)data)[index] : ((const uint8_t *)data)[index];
}

static int32_t zero_point_of(const tern_gemm_i8_operand *x, size_t line) {
  if (!x->zero_point) return 0;
  return element_i8(x->zero_point, x->is_signed, x->zero_point_per_line ? line : 0);
}

// row[j] += scale * line[j]
static void add_scaled_u8(size_t n, uint32_t scale, const uint8_t *line, int32_t *row) {
  for (size_t j = 0; j < n; j++) row[j] = (int32_t)((uint32_t)row[j] + scale * line[j]);
}
static void add_scaled_i8(size_t n, uint32_t scale, const int8_t *line, int32_t *row) {
  for (size_t j = 0; j < n; j++) {
    const uint32_t value = (uint32_t)line[j];
    row[j] = (int32_t)((uint32_t)row[j] + scale * value);
  }
}

typedef struct i8_product {
  size_t n, k, ldc;
  const tern_gemm_i8_operand *a, *b;
  int32_t *c;
} i8_product;

// (a - za)(b - zb) summed is sum of (a - za) b, less zb times the sum of (a - za).
static void i8_rows(void *context, int64_t begin, int64_t end) {
  const i8_product *product = context;
  const tern_gemm_i8_operand *a = product->a, *b = product->b;
  const size_t n = product->n, k = product->k;
  for (size_t i = (size_t)begin; i < (size_t)end; i++) {
    int32_t *row = product->c + i * product->ldc;
    const int32_t zero_a = zero_point_of(a, i);
    uint32_t sum = 0;
    for (size_t j = 0; j < n; j++) row[j] = 0;
    for (size_t p = 0; p < k; p++) {
      const uint32_t scale = (uint32_t)(element_i8(a->data, a->is_signed, i * a->ld + p) - zero_a);
      sum += scale;
      if (b->is_signed) {
        add_scaled_i8(n, scale, (const int8_t *)b->data + p * b->ld, row);
      } else {
        add_scaled_u8(n, scale, (const uint8_t *)b->data + p * b->ld, row);
      }
    }
    for (size_t j = 0; b->zero_point && j < n; j++)
      row[j] = (int32_t)((uint32_t)row[j] - sum * (uint32_t)zero_point_of(b, j));
  }
}

void tern_gemm_i8(const tern_parallel *parallel, size_t m, size_t n, size_t k,
                  const tern_gemm_i8_operand *a, const tern_gemm_i8_operand *b, int32_t *c,
                  size_t ldc) {
  i8_product product = {n, k, ldc, a, b, c};
  tern_parallel_for(parallel, (int64_t)m, tern_cost_ns(8.0 * (double)n * (double)k, 0), i8_rows,
                    &product);
}
