// Products of 8-bit matrices with zero points: to int32, or back to 8 bits. Rows are in matmul.c.
#include "providers/cpu/matmul_int.h"

#include "compute/broadcast.h"
#include "compute/conv_int.h"
#include "compute/gemm.h"

// numpy.matmul's view of two operands.
typedef struct int_product {
  const tern_value *a, *b;
  int64_t m, n, k, batch;
  tern_broadcast loops; // over the batch, in matrices
  const tern_parallel *parallel;
} int_product;

// What belongs to the lines of a matrix: one value for all, one for each line, or one for each line
// of each matrix of the batch.
static tern_status *check_lines(const tern_value *value, const char *name, int64_t lines,
                                const int_product *p) {
  const int64_t count = value ? tern_value_count(value) : 1;
  if (count == 1 || count == lines || count == p->batch * lines) return NULL;
  return TERN_ERROR(TERN_INVALID_ARGUMENT, "%s has %lld values, 1 or %lld are needed", name,
                    (long long)count, (long long)lines);
}

// Where the values of matrix `matrix` begin.
static int64_t first_line(const tern_value *value, int64_t lines, int64_t matrix) {
  return tern_value_count(value) > lines ? matrix * lines : 0;
}

static tern_status *read_product(const tern_invocation *invocation, int32_t right,
                                 int_product *out) {
  const tern_shape *a = &invocation->inputs[0]->shape, *b = &invocation->inputs[right]->shape;
  const tern_shape *y = &invocation->outputs[0]->shape;
  const int32_t rank = y->rank - (a->rank > 1) - (b->rank > 1);
  const tern_dims batches[] = {{a->rank > 2 ? a->rank - 2 : 0, a->dims},
                               {b->rank > 2 ? b->rank - 2 : 0, b->dims}};
  *out = (int_product){.a = invocation->inputs[0],
                       .b = invocation->inputs[right],
                       .m = a->rank > 1 ? a->dims[a->rank - 2] : 1,
                       .n = b->rank > 1 ? b->dims[b->rank - 1] : 1,
                       .k = a->dims[a->rank - 1],
                       .batch = tern_shape_product(y, 0, rank),
                       .parallel = invocation->parallel};
  if (!tern_broadcast_init((tern_dims){rank, y->dims}, batches, 2, &out->loops))
    return TERN_ERROR(TERN_INVALID_ARGUMENT, "the batches do not broadcast");
  return NULL;
}

static tern_gemm_i8_operand operand(const tern_value *value, int64_t at, int64_t ld,
                                    const tern_value *zero_point, int64_t lines, int64_t matrix) {
  const bool per_line = zero_point && tern_value_count(zero_point) > 1;
  return (tern_gemm_i8_operand){.data = (const char *)value->data + at,
                                .ld = (size_t)ld,
                                .is_signed = value->dtype == TERN_INT8,
                                .zero_point = zero_point ? (const char *)zero_point->data +
                                                               first_line(zero_point, lines, matrix)
                                                         : NULL,
                                .zero_point_per_line = per_line};
}

// Where the operands of one product of the batch lie, in matrices.
typedef struct matrix_at {
  int64_t a, b, y;
} matrix_at;

static void multiply(const int_product *p, matrix_at at, const tern_value *zero_a,
                     const tern_value *zero_b, int32_t *sums) {
  const tern_gemm_i8_operand a = operand(p->a, at.a * p->m * p->k, p->k, zero_a, p->m, at.y);
  const tern_gemm_i8_operand b = operand(p->b, at.b * p->k * p->n, p->n, zero_b, p->n, at.y);
  tern_gemm_i8(p->parallel, (size_t)p->m, (size_t)p->n, (size_t)p->k, &a, &b, sums, (size_t)p->n);
}

// A walk over the matrices of the batch, in order.
typedef struct matrix_walk {
  int64_t row, column;
  tern_broadcast_cursor cursor;
  matrix_at at;
} matrix_walk;

static bool begin_walk(const int_product *p, matrix_walk *walk) {
  *walk = (matrix_walk){.row = 0};
  if (p->loops.row_count == 0 || p->loops.row_length == 0) return false;
  tern_broadcast_seek(&p->loops, 0, &walk->cursor);
  walk->at = (matrix_at){walk->cursor.offsets[0], walk->cursor.offsets[1], 0};
  return true;
}

static bool step_walk(const int_product *p, matrix_walk *walk) {
  if (++walk->column == p->loops.row_length) {
    walk->column = 0;
    if (++walk->row == p->loops.row_count) return false;
    tern_broadcast_next(&p->loops, &walk->cursor);
  }
  walk->at.a = walk->cursor.offsets[0] + walk->column * p->loops.steps[0];
  walk->at.b = walk->cursor.offsets[1] + walk->column * p->loops.steps[1];
  walk->at.y++;
  return true;
}

tern_status *tern_cpu_matmul_integer(tern_invocation *invocation) {
  const tern_value *zero_a = invocation->input_count > 2 ? invocation->inputs[2] : NULL;
  const tern_value *zero_b = invocation->input_count > 3 ? invocation->inputs[3] : NULL;
  int32_t *y = invocation->outputs[0]->data;
  int_product p;
  matrix_walk walk;
  TERN_TRY(read_product(invocation, 1, &p));
  TERN_TRY(check_lines(zero_a, "a_zero_point", p.m, &p));
  TERN_TRY(check_lines(zero_b, "b_zero_point", p.n, &p));
  if (!begin_walk(&p, &walk)) return NULL;
  do {
    multiply(&p, walk.at, zero_a, zero_b, y + walk.at.y * p.m * p.n);
  } while (step_walk(&p, &walk));
  return NULL;
}

enum { A, A_SCALE, A_ZERO, B, B_SCALE, B_ZERO, Y_SCALE, Y_ZERO };

static float scale_at(const tern_value *scale, int64_t first, int64_t line) {
  return ((const float *)scale->data)[tern_value_count(scale) == 1 ? 0 : first + line];
}

// Brings one matrix of sums to 8 bits. `factors` holds a row.
static void requantize(const tern_invocation *invocation, const int_product *p, int64_t matrix,
                       const int32_t *sums, float *factors) {
  const tern_value *const *in = invocation->inputs;
  const int64_t a_first = first_line(in[A_SCALE], p->m, matrix);
  const int64_t b_first = first_line(in[B_SCALE], p->n, matrix);
  const int64_t y_first = first_line(in[Y_SCALE], p->m, matrix);
  const int64_t zero_first = first_line(in[Y_ZERO], p->m, matrix);
  const bool per_row = tern_value_count(in[Y_ZERO]) > 1;
  uint8_t *y = (uint8_t *)invocation->outputs[0]->data + matrix * p->m * p->n;
  for (int64_t i = 0; i < p->m; ++i) {
    const float a_scale = scale_at(in[A_SCALE], a_first, i);
    const float y_scale = scale_at(in[Y_SCALE], y_first, i);
    for (int64_t j = 0; j < p->n; ++j)
      factors[j] = a_scale * scale_at(in[B_SCALE], b_first, j) / y_scale;
    const int64_t zero =
        tern_dtype_read_i64(in[Y_ZERO]->dtype, in[Y_ZERO]->data, per_row ? zero_first + i : 0);
    tern_requantize_i8((size_t)p->n, sums + i * p->n, factors, 1, (int32_t)zero,
                       in[Y_ZERO]->dtype == TERN_INT8, y + i * p->n);
  }
}

tern_status *tern_cpu_qlinear_matmul(tern_invocation *invocation) {
  const tern_value *const *in = invocation->inputs;
  int_product p;
  matrix_walk walk;
  void *sums, *factors;
  TERN_TRY(read_product(invocation, B, &p));
  for (int32_t i = A_SCALE; i <= Y_ZERO; ++i) {
    const bool of_columns = i == B_SCALE || i == B_ZERO;
    if (i == B) continue;
    TERN_TRY(check_lines(in[i], invocation->node->op->inputs[i].name, of_columns ? p.n : p.m, &p));
  }
  if (tern_value_count(invocation->outputs[0]) == 0 || !begin_walk(&p, &walk)) return NULL;
  TERN_TRY(tern_invocation_scratch(invocation, (size_t)(p.m * p.n) * sizeof(int32_t), &sums));
  TERN_TRY(tern_invocation_scratch(invocation, (size_t)p.n * sizeof(float), &factors));
  do {
    multiply(&p, walk.at, in[A_ZERO], in[B_ZERO], sums);
    requantize(invocation, &p, walk.at.y, sums, factors);
  } while (step_walk(&p, &walk));
  return NULL;
}
