// The kernel of Einsum: operands are contracted from left to right, each step one batched matrix
// product. Labels are the axes; a label of size 1 is no axis at all, which is also how operands of
// size 1 broadcast.
#include "ops/einsum.h"

#include <string.h>

#include "base/checked.h"
#include "compute/cast.h"
#include "compute/reduce.h"
#include "compute/strided.h"
#include "providers/cpu/cpu.h"
#include "providers/cpu/product.h"

// An ordered set of labels.
typedef struct label_list {
  int32_t count;
  uint8_t items[TERN_EINSUM_LABELS];
} label_list;

// A tensor in memory with a stride for each of its labels.
typedef struct operand {
  const void *data;
  label_list labels;
  int64_t strides[TERN_EINSUM_LABELS]; // by position in `labels`, in elements
} operand;

typedef struct summation {
  tern_invocation *invocation;
  tern_einsum einsum;
  tern_dtype dtype; // that the sums are made in
  size_t element_bytes;
} summation;

static int32_t find_label(const label_list *list, uint8_t label) {
  for (int32_t i = 0; i < list->count; ++i)
    if (list->items[i] == label) return i;
  return -1;
}

static void append(label_list *list, const label_list *more) {
  for (int32_t i = 0; i < more->count; ++i) list->items[list->count++] = more->items[i];
}

// The number of elements that `labels` span; an error where no memory could hold them.
static tern_status *count_elements(const summation *job, const label_list *labels,
                                   size_t *out_count) {
  size_t count = 1, bytes;
  bool fits = labels->count <= TERN_STRIDED_MAX_RANK;
  for (int32_t i = 0; fits && i < labels->count; ++i)
    fits = tern_checked_mul(count, (size_t)job->einsum.sizes[labels->items[i]], &count);
  if (!fits || !tern_checked_mul(count, job->element_bytes, &bytes))
    return TERN_ERROR(TERN_INVALID_ARGUMENT, "an intermediate result is too large");
  *out_count = count;
  return NULL;
}

static void set_dense(const summation *job, const label_list *labels, const void *data,
                      operand *out) {
  int64_t stride = 1;
  out->labels = *labels;
  out->data = data;
  for (int32_t i = labels->count - 1; i >= 0; --i) {
    out->strides[i] = stride;
    stride *= job->einsum.sizes[labels->items[i]];
  }
}

// Whether `x`, whose labels are those of `order`, lies in memory in that order.
static bool is_dense(const summation *job, const operand *x, const label_list *order) {
  int64_t stride = 1;
  for (int32_t i = order->count - 1; i >= 0; --i) {
    const int32_t at = find_label(&x->labels, order->items[i]);
    if (at < 0 || x->strides[at] != stride) return false;
    stride *= job->einsum.sizes[order->items[i]];
  }
  return true;
}

static void copy_dense(const summation *job, const operand *x, const label_list *order,
                       void *target) {
  tern_strided_axis axes[TERN_STRIDED_MAX_RANK];
  int64_t stride = 1;
  for (int32_t i = order->count - 1; i >= 0; --i) {
    const int64_t size = job->einsum.sizes[order->items[i]];
    axes[i] =
        (tern_strided_axis){size, x->strides[find_label(&x->labels, order->items[i])], stride};
    stride *= size;
  }
  tern_strided_copy(job->invocation->parallel, axes, order->count, job->element_bytes, x->data,
                    target);
}

static tern_status *gather(const summation *job, const operand *x, const label_list *order,
                           const void **out_data) {
  size_t count;
  void *copy;
  *out_data = x->data;
  if (is_dense(job, x, order)) return NULL;
  TERN_TRY(count_elements(job, order, &count));
  TERN_TRY(tern_invocation_scratch(job->invocation, count * job->element_bytes, &copy));
  copy_dense(job, x, order, copy);
  *out_data = copy;
  return NULL;
}

// Input `index` as an operand: its diagonals, where a label is repeated.
static tern_status *read_operand(const summation *job, int32_t index, operand *out) {
  const tern_value *x = job->invocation->inputs[index];
  tern_einsum_term term;
  TERN_TRY(tern_einsum_read_term(tern_node_attr_s(job->invocation->node, "equation"), index,
                                 x->shape.rank, &term));
  out->labels.count = 0;
  out->data = x->data;
  if (x->dtype != job->dtype) {
    void *wide;
    const int64_t count = tern_value_count(x);
    TERN_TRY(tern_invocation_scratch(job->invocation, (size_t)count * job->element_bytes, &wide));
    tern_cast(x->dtype, x->data, job->dtype, wide, count, &(tern_cast_options){0});
    out->data = wide;
  }
  int64_t stride = 1;
  for (int32_t i = term.rank - 1; i >= 0; --i) {
    const uint8_t label = term.labels[i];
    if (x->shape.dims[i] == 1) continue;
    int32_t at = find_label(&out->labels, label);
    if (at < 0) {
      at = out->labels.count++;
      out->labels.items[at] = label;
      out->strides[at] = 0;
    }
    out->strides[at] += stride;
    stride *= x->shape.dims[i];
  }
  // Outermost first.
  for (int32_t i = 0, j = out->labels.count - 1; i < j; ++i, --j) {
    const uint8_t label = out->labels.items[i];
    const int64_t step = out->strides[i];
    out->labels.items[i] = out->labels.items[j];
    out->strides[i] = out->strides[j];
    out->labels.items[j] = label;
    out->strides[j] = step;
  }
  return NULL;
}

// Sums over the labels that are not in `keep`.
static tern_status *sum_out(const summation *job, const bool *keep, operand *x) {
  label_list kept = {0}, order = {0}, summed = {0};
  size_t rows, terms;
  const void *from;
  void *to;
  for (int32_t i = 0; i < x->labels.count; ++i) {
    label_list *list = keep[x->labels.items[i]] ? &kept : &summed;
    list->items[list->count++] = x->labels.items[i];
  }
  if (summed.count == 0) return NULL;
  append(&order, &kept);
  append(&order, &summed);
  TERN_TRY(count_elements(job, &kept, &rows));
  TERN_TRY(count_elements(job, &summed, &terms));
  TERN_TRY(gather(job, x, &order, &from));
  TERN_TRY(tern_invocation_scratch(job->invocation, rows * job->element_bytes, &to));
  const tern_lines lines = {rows, terms, 1, job->invocation->parallel};
#define SUM(dtype_, type, suffix)                                                                  \
  if (job->dtype == dtype_)                                                                        \
    tern_reduce_##suffix(TERN_REDUCE_SUM, lines, (const type *)from, (type *)to);
  TERN_X_FLOATS(SUM)
  SUM(TERN_INT32, int32_t, i32)
  SUM(TERN_INT64, int64_t, i64)
#undef SUM
  set_dense(job, &kept, to, x);
  return NULL;
}

// A batch of products C[m, n] = A[m, k] B[k, n], dense, either stored transposed.
typedef struct product {
  size_t batch, m, n, k;
  bool transpose_a, transpose_b;
  const void *a, *b;
  void *c;
} product;

#define REAL_PRODUCT(dtype_, T, suffix)                                                            \
  static void place_##suffix(const void *context, size_t index,                                    \
                             tern_gemm_##suffix##_params *inout_product) {                         \
    const product *p = context;                                                                    \
    inout_product->a = (const T *)p->a + index * p->m * p->k;                                      \
    inout_product->b = (const T *)p->b + index * p->k * p->n;                                      \
    inout_product->c = (T *)p->c + index * p->m * p->n;                                            \
  }                                                                                                \
  static tern_status *product_##suffix(tern_invocation *invocation, const product *p) {            \
    const T *a = p->a, *b = p->b;                                                                  \
    T *c = p->c;                                                                                   \
    if (p->m == 1 && p->n == 1 && p->k == 1) {                                                     \
      for (size_t i = 0; i < p->batch; ++i) c[i] = a[i] * b[i];                                    \
      return NULL;                                                                                 \
    }                                                                                              \
    const tern_gemm_##suffix##_batch batch = {.product = {.m = p->m,                               \
                                                          .n = p->n,                               \
                                                          .k = p->k,                               \
                                                          .alpha = 1,                              \
                                                          .transpose_a = p->transpose_a,           \
                                                          .transpose_b = p->transpose_b,           \
                                                          .lda = p->transpose_a ? p->m : p->k,     \
                                                          .ldb = p->transpose_b ? p->k : p->n,     \
                                                          .ldc = p->n},                            \
                                              .count = p->batch,                                   \
                                              .place = place_##suffix,                             \
                                              .place_context = p};                                 \
    return tern_cpu_product_##suffix(invocation, &batch);                                          \
  }
TERN_X_FLOATS(REAL_PRODUCT)
#undef REAL_PRODUCT

#define INTEGER_PRODUCT(dtype_, T, suffix)                                                         \
  static tern_status *product_##suffix(tern_invocation *invocation, const product *p) {            \
    (void)invocation;                                                                              \
    for (size_t i = 0; i < p->batch; ++i)                                                          \
      tern_gemm_##suffix(p->m, p->n, p->k, (const T *)p->a + i * p->m * p->k, p->k,                \
                         (const T *)p->b + i * p->k * p->n, p->n, (T *)p->c + i * p->m * p->n,     \
                         p->n);                                                                    \
    return NULL;                                                                                   \
  }
INTEGER_PRODUCT(TERN_INT32, int32_t, i32)
INTEGER_PRODUCT(TERN_INT64, int64_t, i64)
#undef INTEGER_PRODUCT

static tern_status *multiply(const summation *job, const product *p) {
  switch (job->dtype) {
  case TERN_FLOAT:
    return product_f32(job->invocation, p);
  case TERN_DOUBLE:
    return product_f64(job->invocation, p);
  case TERN_INT32:
    return product_i32(job->invocation, p);
  default:
    return product_i64(job->invocation, p);
  }
}

// [batch, rows, columns], or the transpose where that is how a real operand lies.
static tern_status *gather_matrix(const summation *job, const operand *x, const label_list *batch,
                                  const label_list *rows, const label_list *columns,
                                  const void **out_data, bool *out_transposed) {
  label_list straight = *batch, transposed = *batch;
  append(&straight, rows);
  append(&straight, columns);
  append(&transposed, columns);
  append(&transposed, rows);
  const bool is_real = job->dtype == TERN_FLOAT || job->dtype == TERN_DOUBLE;
  *out_transposed = is_real && !is_dense(job, x, &straight) && is_dense(job, x, &transposed);
  return gather(job, x, *out_transposed ? &transposed : &straight, out_data);
}

// What the labels of two operands are to their product.
typedef struct label_roles {
  label_list batch, m, n, k;
} label_roles;

static void find_roles(const operand *a, const operand *b, const bool *needed, label_roles *out) {
  out->batch.count = out->m.count = out->n.count = out->k.count = 0;
  for (int32_t i = 0; i < a->labels.count; ++i) {
    const uint8_t label = a->labels.items[i];
    const bool shared = find_label(&b->labels, label) >= 0;
    label_list *list = !shared ? &out->m : needed[label] ? &out->batch : &out->k;
    list->items[list->count++] = label;
  }
  for (int32_t i = 0; i < b->labels.count; ++i) {
    const uint8_t label = b->labels.items[i];
    if (find_label(&a->labels, label) < 0) out->n.items[out->n.count++] = label;
  }
}

// a becomes the product of a and b, summed over the labels that are not needed.
static tern_status *contract(const summation *job, const bool *needed, operand *a,
                             const operand *b) {
  label_roles roles;
  product p = {0};
  size_t count;
  find_roles(a, b, needed, &roles);
  label_list result = roles.batch;
  append(&result, &roles.m);
  append(&result, &roles.n);
  TERN_TRY(count_elements(job, &result, &count));
  TERN_TRY(count_elements(job, &roles.batch, &p.batch));
  TERN_TRY(count_elements(job, &roles.m, &p.m));
  TERN_TRY(count_elements(job, &roles.n, &p.n));
  TERN_TRY(count_elements(job, &roles.k, &p.k));
  TERN_TRY(gather_matrix(job, a, &roles.batch, &roles.m, &roles.k, &p.a, &p.transpose_a));
  TERN_TRY(gather_matrix(job, b, &roles.batch, &roles.k, &roles.n, &p.b, &p.transpose_b));
  TERN_TRY(tern_invocation_scratch(job->invocation, count * job->element_bytes, &p.c));
  TERN_TRY(multiply(job, &p));
  set_dense(job, &result, p.c, a);
  return NULL;
}

// Marks the labels of the result and of the inputs from `first` on.
static tern_status *mark_needed(const summation *job, int32_t first, bool *out_needed) {
  const tern_invocation *invocation = job->invocation;
  memset(out_needed, 0, TERN_EINSUM_LABELS * sizeof *out_needed);
  for (int32_t i = 0; i < job->einsum.result.rank; ++i)
    out_needed[job->einsum.result.labels[i]] = true;
  for (int32_t t = first; t < invocation->input_count; ++t) {
    tern_einsum_term term;
    TERN_TRY(tern_einsum_read_term(tern_node_attr_s(invocation->node, "equation"), t,
                                   invocation->inputs[t]->shape.rank, &term));
    for (int32_t i = 0; i < term.rank; ++i)
      if (invocation->inputs[t]->shape.dims[i] != 1) out_needed[term.labels[i]] = true;
  }
  return NULL;
}

static void mark(const label_list *labels, bool *inout_marks) {
  for (int32_t i = 0; i < labels->count; ++i) inout_marks[labels->items[i]] = true;
}

static tern_status *contract_all(const summation *job, operand *a) {
  bool needed[TERN_EINSUM_LABELS], keep[TERN_EINSUM_LABELS];
  TERN_TRY(read_operand(job, 0, a));
  for (int32_t i = 1; i < job->invocation->input_count; ++i) {
    operand b;
    TERN_TRY(read_operand(job, i, &b));
    TERN_TRY(mark_needed(job, i, keep));
    TERN_TRY(sum_out(job, keep, a));
    TERN_TRY(mark_needed(job, i + 1, needed));
    memcpy(keep, needed, sizeof keep);
    mark(&a->labels, keep);
    TERN_TRY(sum_out(job, keep, &b));
    TERN_TRY(contract(job, needed, a, &b));
  }
  TERN_TRY(mark_needed(job, job->invocation->input_count, needed));
  return sum_out(job, needed, a);
}

static tern_status *store(const summation *job, const operand *x) {
  tern_value *y = job->invocation->outputs[0];
  label_list order = {0};
  for (int32_t i = 0; i < job->einsum.result.rank; ++i) {
    const uint8_t label = job->einsum.result.labels[i];
    if (job->einsum.sizes[label] != 1) order.items[order.count++] = label;
  }
  if (y->dtype == job->dtype) {
    copy_dense(job, x, &order, y->data);
    return NULL;
  }
  const void *wide;
  TERN_TRY(gather(job, x, &order, &wide));
  tern_cast(job->dtype, wide, y->dtype, y->data, tern_value_count(y), &(tern_cast_options){0});
  return NULL;
}

// Sums of integers modulo 2^32 or 2^64 are right modulo any smaller power, and for either sign.
static tern_dtype working_type(tern_dtype dtype) {
  if (dtype == TERN_FLOAT || dtype == TERN_DOUBLE) return dtype;
  return tern_dtype_size(dtype) == 8 ? TERN_INT64 : TERN_INT32;
}

static tern_status *compute_einsum(tern_invocation *invocation) {
  const tern_shape *shapes[TERN_EINSUM_MAX_OPERANDS];
  tern_value *y = invocation->outputs[0];
  summation job = {.invocation = invocation, .dtype = working_type(y->dtype)};
  operand result;
  job.element_bytes = tern_dtype_size(job.dtype);
  for (int32_t i = 0; i < invocation->input_count; ++i) shapes[i] = &invocation->inputs[i]->shape;
  TERN_TRY(tern_einsum_read(tern_node_attr_s(invocation->node, "equation"), shapes,
                            invocation->input_count, &job.einsum));
  if (tern_value_count(y) == 0) return NULL;
  for (int32_t i = 0; i < TERN_EINSUM_LABELS; ++i) {
    if (job.einsum.sizes[i] != 0) continue;
    memset(y->data, 0, y->data_bytes);
    return NULL;
  }
  TERN_TRY(contract_all(&job, &result));
  return store(&job, &result);
}

static const tern_cpu_kernel kernels[] = {
    {.domain = TERN_DOMAIN_ONNX,
     .op = "Einsum",
     TERN_CPU_TYPES(
         {"T", TERN_DTYPE_BIT(TERN_FLOAT) | TERN_DTYPE_BIT(TERN_DOUBLE) | TERN_TYPES_INT}),
     .compute = compute_einsum},
};

const tern_cpu_family tern_cpu_einsum = {"einsum", kernels, TERN_COUNT_OF(kernels)};
