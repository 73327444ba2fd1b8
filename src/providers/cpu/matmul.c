// Kernels of matrix products. A constant B is packed once, when the kernel is prepared.
#include "compute/types.h"
#include "providers/cpu/matmul_int.h"
#include "providers/cpu/product.h"

// One product, and how a batch of them lies.
typedef struct matmul_sizes {
  int64_t m, n, k;
  bool transpose_a, transpose_b;
  float alpha, beta;
  int32_t batch_rank;
  int64_t batch_count;
  int64_t batch[TERN_MAX_RANK];
  int64_t stride_a[TERN_MAX_RANK], stride_b[TERN_MAX_RANK]; // in elements; 0 where broadcast
} matmul_sizes;

// A constant B on its way to be packed: op(B) is B[k,n].
typedef struct matmul_operand {
  const tern_value *value;
  size_t k, n;
  bool transposed;
} matmul_operand;

static void next_index(int32_t rank, const int64_t *sizes, int64_t *index) {
  for (int32_t d = rank - 1; d >= 0; --d) {
    if (++index[d] < sizes[d]) return;
    index[d] = 0;
  }
}

#define T float
#define NAME(x) f32_##x
#define NAME_GEMM(suffix) tern_gemm_f32##suffix
#define NAME_PRODUCT tern_cpu_product_f32
#include "providers/cpu/matmul.inc"
#undef T
#undef NAME
#undef NAME_GEMM
#undef NAME_PRODUCT
#define T double
#define NAME(x) f64_##x
#define NAME_GEMM(suffix) tern_gemm_f64##suffix
#define NAME_PRODUCT tern_cpu_product_f64
#include "providers/cpu/matmul.inc"
#undef T
#undef NAME
#undef NAME_GEMM
#undef NAME_PRODUCT

// Strides of one operand over the batch axes of the result.
static void batch_strides(const tern_shape *shape, int32_t batch_rank, int64_t matrix,
                          int64_t *out_strides) {
  int32_t own = shape->rank > 2 ? shape->rank - 2 : 0;
  int64_t stride = matrix;
  for (int32_t d = batch_rank - 1; d >= 0; --d) {
    int32_t axis = d - (batch_rank - own);
    int64_t size = axis < 0 ? 1 : shape->dims[axis];
    out_strides[d] = size == 1 ? 0 : stride;
    stride *= size;
  }
}

// numpy.matmul's view of the operands. A batch over one B is one taller product.
static void read_sizes(const tern_invocation *invocation, int32_t right, matmul_sizes *out) {
  const tern_shape *a = &invocation->inputs[0]->shape, *b = &invocation->inputs[right]->shape;
  const tern_shape *y = &invocation->outputs[0]->shape;
  *out = (matmul_sizes){.alpha = 1.0f, .batch_count = 1};
  out->m = a->rank > 1 ? a->dims[a->rank - 2] : 1;
  out->k = a->dims[a->rank - 1];
  out->n = b->rank > 1 ? b->dims[b->rank - 1] : 1;
  out->batch_rank = y->rank - (a->rank > 1) - (b->rank > 1);
  for (int32_t d = 0; d < out->batch_rank; ++d) {
    out->batch[d] = y->dims[d];
    out->batch_count *= y->dims[d];
  }
  if (b->rank <= 2) {
    out->m *= out->batch_count;
    out->batch_count = out->m > 0 && out->n > 0 ? 1 : 0;
    out->batch_rank = 0;
    return;
  }
  batch_strides(a, out->batch_rank, out->m * out->k, out->stride_a);
  batch_strides(b, out->batch_rank, out->k * out->n, out->stride_b);
}

static void read_gemm_sizes(const tern_invocation *invocation, matmul_sizes *out) {
  const tern_node *node = invocation->node;
  const tern_shape *a = &invocation->inputs[0]->shape, *y = &invocation->outputs[0]->shape;
  *out = (matmul_sizes){.alpha = tern_node_attr_f(node, "alpha"),
                        .beta = tern_node_attr_f(node, "beta"),
                        .transpose_a = tern_node_attr_i(node, "transA") != 0,
                        .transpose_b = tern_node_attr_i(node, "transB") != 0,
                        .m = y->dims[0],
                        .n = y->dims[1]};
  out->k = a->dims[out->transpose_a ? 0 : 1];
}

#define INTEGERS(X)                                                                                \
  X(TERN_INT32, int32_t, i32)                                                                      \
  X(TERN_UINT32, uint32_t, u32) X(TERN_INT64, int64_t, i64) X(TERN_UINT64, uint64_t, u64)

static void integer_product(const tern_invocation *invocation, const matmul_sizes *s, int64_t at_a,
                            int64_t at_b, int64_t at_c) {
  size_t m = (size_t)s->m, n = (size_t)s->n, k = (size_t)s->k;
  const void *a = invocation->inputs[0]->data, *b = invocation->inputs[1]->data;
  void *c = invocation->outputs[0]->data;
#define X(dtype_, type, suffix)                                                                    \
  if (invocation->inputs[0]->dtype == dtype_)                                                      \
    tern_gemm_##suffix(m, n, k, (const type *)a + at_a, k, (const type *)b + at_b, n,              \
                       (type *)c + at_c, n);
  INTEGERS(X)
#undef X
}

static tern_status *compute_matmul(tern_invocation *invocation) {
  matmul_sizes sizes;
  read_sizes(invocation, 1, &sizes);
  switch (invocation->inputs[0]->dtype) {
  case TERN_FLOAT:
    return f32_batches(invocation, &sizes, invocation->state);
  case TERN_DOUBLE:
    return f64_batches(invocation, &sizes, invocation->state);
  default:
    break;
  }
  int64_t index[TERN_MAX_RANK] = {0};
  for (int64_t i = 0; i < sizes.batch_count; ++i) {
    int64_t at_a = 0, at_b = 0;
    for (int32_t d = 0; d < sizes.batch_rank; ++d) {
      at_a += index[d] * sizes.stride_a[d];
      at_b += index[d] * sizes.stride_b[d];
    }
    integer_product(invocation, &sizes, at_a, at_b, i * sizes.m * sizes.n);
    next_index(sizes.batch_rank, sizes.batch, index);
  }
  return NULL;
}

// Integer Gemm by the definition: transposes are read in place, alpha and beta are whole.
#define X(dtype_, type, suffix)                                                                    \
  static void gemm_##suffix(const tern_invocation *invocation, const matmul_sizes *s) {            \
    const type *a = invocation->inputs[0]->data, *b = invocation->inputs[1]->data;                 \
    const tern_value *c = invocation->input_count > 2 ? invocation->inputs[2] : NULL;              \
    const int64_t rows = c && c->shape.rank > 1 ? c->shape.dims[0] : 1;                            \
    const int64_t columns = c && c->shape.rank > 0 ? c->shape.dims[c->shape.rank - 1] : 1;         \
    type *y = invocation->outputs[0]->data;                                                        \
    for (int64_t i = 0; i < s->m; ++i) {                                                           \
      for (int64_t j = 0; j < s->n; ++j) {                                                         \
        uint64_t sum = 0;                                                                          \
        for (int64_t k = 0; k < s->k; ++k)                                                         \
          sum += (uint64_t)a[s->transpose_a ? k * s->m + i : i * s->k + k] *                       \
                 (uint64_t)b[s->transpose_b ? j * s->k + k : k * s->n + j];                        \
        sum *= (uint64_t)(int64_t)s->alpha;                                                        \
        if (c)                                                                                     \
          sum += (uint64_t)(int64_t)s->beta *                                                      \
                 (uint64_t)((const type *)                                                         \
                                c->data)[(rows == 1 ? 0 : i * columns) + (columns == 1 ? 0 : j)];  \
        y[i * s->n + j] = (type)sum;                                                               \
      }                                                                                            \
    }                                                                                              \
  }
INTEGERS(X)
#undef X

static tern_status *compute_gemm(tern_invocation *invocation) {
  matmul_sizes sizes;
  read_gemm_sizes(invocation, &sizes);
  switch (invocation->inputs[0]->dtype) {
  case TERN_FLOAT:
    return f32_gemm(invocation, &sizes, invocation->state);
  case TERN_DOUBLE:
    return f64_gemm(invocation, &sizes, invocation->state);
#define X(dtype_, type, suffix)                                                                    \
  case dtype_:                                                                                     \
    gemm_##suffix(invocation, &sizes);                                                             \
    return NULL;
    INTEGERS(X)
#undef X
  default:
    return TERN_ERROR(TERN_NOT_IMPLEMENTED, "no product of %s",
                      tern_dtype_name(invocation->inputs[0]->dtype));
  }
}

// The kernel's state is the packed B itself.
static tern_status *prepare_b(const tern_prepare *prepare, bool transposed, void **out_state) {
  const tern_value *b = prepare->constants[1];
  if (prepare->disable_prepacking || !b || b->shape.rank != 2) return NULL;
  if (b->dtype != TERN_FLOAT && b->dtype != TERN_DOUBLE) return NULL;
  bool is_float = b->dtype == TERN_FLOAT;
  matmul_operand operand = {b, (size_t)b->shape.dims[transposed],
                            (size_t)b->shape.dims[!transposed], transposed};
  const tern_packing packing = {.layout = transposed ? "gemm b transposed" : "gemm b",
                                .sources = &b,
                                .source_count = 1,
                                .bytes = is_float
                                             ? tern_gemm_f32_pack_b_bytes(operand.k, operand.n)
                                             : tern_gemm_f64_pack_b_bytes(operand.k, operand.n),
                                .fill = is_float ? f32_fill_packed : f64_fill_packed,
                                .context = &operand};
  const void *packed;
  if (packing.bytes == 0) return NULL;
  TERN_TRY(tern_prepare_packed(prepare, &packing, &packed));
  prepare->consumed[1] = true;
  *out_state = (void *)(uintptr_t)packed;
  return NULL;
}

static tern_status *prepare_matmul(const tern_prepare *prepare, void **out_state) {
  return prepare_b(prepare, false, out_state);
}

static tern_status *prepare_gemm(const tern_prepare *prepare, void **out_state) {
  return prepare_b(prepare, tern_node_attr_i(prepare->node, "transB") != 0, out_state);
}

#define REAL (TERN_DTYPE_BIT(TERN_FLOAT) | TERN_DTYPE_BIT(TERN_DOUBLE))
#define BYTES (TERN_DTYPE_BIT(TERN_INT8) | TERN_DTYPE_BIT(TERN_UINT8))
#define WIDE_INTEGERS                                                                              \
  (TERN_DTYPE_BIT(TERN_INT32) | TERN_DTYPE_BIT(TERN_INT64) | TERN_DTYPE_BIT(TERN_UINT32) |         \
   TERN_DTYPE_BIT(TERN_UINT64))

static const tern_cpu_kernel kernels[] = {
    {.domain = TERN_DOMAIN_ONNX,
     .op = "MatMul",
     TERN_CPU_TYPES({"T", REAL | WIDE_INTEGERS}),
     .prepare = prepare_matmul,
     .compute = compute_matmul},
    {.domain = TERN_DOMAIN_ONNX,
     .op = "Gemm",
     TERN_CPU_TYPES({"T", REAL | WIDE_INTEGERS}),
     .prepare = prepare_gemm,
     .compute = compute_gemm},
    {.domain = TERN_DOMAIN_ONNX, .op = "MatMulInteger", .compute = tern_cpu_matmul_integer},
    {.domain = TERN_DOMAIN_ONNX,
     .op = "QLinearMatMul",
     TERN_CPU_TYPES({"TS", TERN_DTYPE_BIT(TERN_FLOAT)}, {"T1", BYTES}, {"T2", BYTES},
                    {"T3", BYTES}),
     .compute = tern_cpu_qlinear_matmul},
};

const tern_cpu_family tern_cpu_matmul = {"matmul", kernels, TERN_COUNT_OF(kernels)};
