// Matrix products on plain pointers. Everything is row-major with leading dimensions counted in
// elements. Nothing here allocates: the caller gives a workspace, one for each thread.
//
// The work of one product is cut into tiles of C. A tile is a function of the shape and the ISA,
// never of the number of threads, and each element of C is summed over k in one fixed order
// whatever tile it falls into. So any split of the tile range over threads gives the same bits.
#ifndef TERN_COMPUTE_GEMM_H_
#define TERN_COMPUTE_GEMM_H_

#include "parallel/parallel.h"

// float: tern_gemm_f32_params, tern_gemm_f32 and its companions, described in gemm_decl.inc.
#define TERN_GEMM_T float
#define TERN_GEMM_NAME(suffix) tern_gemm_f32##suffix
#include "compute/gemm_decl.inc"
#undef TERN_GEMM_T
#undef TERN_GEMM_NAME

// double: the same under tern_gemm_f64.
#define TERN_GEMM_T double
#define TERN_GEMM_NAME(suffix) tern_gemm_f64##suffix
#include "compute/gemm_decl.inc"
#undef TERN_GEMM_T
#undef TERN_GEMM_NAME

// C[m,n] = A[m,k] * B[k,n] with arithmetic modulo 2^bits. m, n and k may be 0.
#define TERN_GEMM_INT_TYPES(X)                                                                     \
  X(i32, int32_t, uint32_t)                                                                        \
  X(u32, uint32_t, uint32_t)                                                                       \
  X(i64, int64_t, uint64_t)                                                                        \
  X(u64, uint64_t, uint64_t)
#define TERN_GEMM_INT_DECLARE(S, T, U)                                                             \
  void tern_gemm_##S(size_t m, size_t n, size_t k, const T *a, size_t lda, const T *b, size_t ldb, \
                     T *c, size_t ldc);
TERN_GEMM_INT_TYPES(TERN_GEMM_INT_DECLARE)
#undef TERN_GEMM_INT_DECLARE

// An 8-bit matrix and its zero points (MatmulInteger, QLinearMatMul, ConvInteger).
typedef struct tern_gemm_i8_operand {
  const void *data; // int8_t or uint8_t elements
  size_t ld;
  bool is_signed;
  // Of the element's own type. NULL is 0. With zero_point_per_line, one for each row of A or each
  // column of B; otherwise one.
  const void *zero_point;
  bool zero_point_per_line;
} tern_gemm_i8_operand;

// C[m,n] = (A - zero point) * (B - zero point), summed in int32 modulo 2^32, on as many threads as
// pay; `parallel` may be NULL.
void tern_gemm_i8(const tern_parallel *parallel, size_t m, size_t n, size_t k,
                  const tern_gemm_i8_operand *a, const tern_gemm_i8_operand *b, int32_t *c,
                  size_t ldc);

#endif
