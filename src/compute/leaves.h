// What the generic loops ask of an instruction set: tables of leaf functions, one table an ISA,
// chosen once and listable. Leaves call nothing, allocate nothing and keep no state.
#ifndef TERN_COMPUTE_LEAVES_H_
#define TERN_COMPUTE_LEAVES_H_

#include "base/cpu.h"
#include "base/macros.h"
#include "compute/vecmath.h"

// Where a register tile of C goes: C = alpha * product + beta * C + bias.
#define TERN_GEMM_LEAF(S, T)                                                                       \
  typedef struct tern_gemm_##S##_store {                                                           \
    T *c;                                                                                          \
    size_t ldc;                                                                                    \
    T alpha, beta;                                                                                 \
    const T *bias_m, *bias_n; /* of the tile's first row and column, or NULL */                    \
  } tern_gemm_##S##_store;                                                                         \
                                                                                                   \
  typedef struct tern_gemm_##S##_leaf {                                                            \
    size_t mr, nr;     /* register tile */                                                         \
    size_t mc, nc, kc; /* cache blocks, mc a multiple of mr and nc of nr */                        \
    /* C[rows <= mr, cols <= nr] from a packed as [k][mr] and b as [k][nr] with row stride ldb;    \
       b has nr readable columns in every row. */                                                  \
    void (*tile)(size_t rows, size_t cols, size_t k, const T *a, const T *b, size_t ldb,           \
                 const tern_gemm_##S##_store *store);                                              \
    /* out[k][width] = x[line][k]^T for line < lines <= width, zero beyond; width is mr or nr. */  \
    void (*pack_transposed)(size_t width, size_t lines, size_t k, const T *x, size_t ldx, T *out); \
    /* out[k][width] = x[k][0..cols), zero beyond. */                                              \
    void (*pack_rows)(size_t width, size_t cols, size_t k, const T *x, size_t ldx, T *out);        \
    /* One row of C, cols of it: a is contiguous, B[k,n] is read where it lies. */                 \
    void (*row_times_matrix)(size_t cols, size_t k, const T *a, const T *b, size_t ldb,            \
                             const tern_gemm_##S##_store *store);                                  \
    /* One row of C, cols of it, with B stored [n,k]. */                                           \
    void (*row_times_transposed)(size_t cols, size_t k, const T *a, const T *b, size_t ldb,        \
                                 const tern_gemm_##S##_store *store);                              \
  } tern_gemm_##S##_leaf;
TERN_GEMM_LEAF(f32, float)
TERN_GEMM_LEAF(f64, double)
#undef TERN_GEMM_LEAF

#define TERN_CONV_LEAF(S, T)                                                                       \
  typedef struct tern_conv_##S##_leaf {                                                            \
    /* y[i] = bias + sum over t < taps of weights[t] * x[offsets[t] + i * stride], i < n. */       \
    void (*sum_taps)(size_t n, size_t taps, const ptrdiff_t *offsets, const T *weights,            \
                     const T *x, size_t stride, T bias, T *y);                                     \
  } tern_conv_##S##_leaf;
TERN_CONV_LEAF(f32, float)
TERN_CONV_LEAF(f64, double)
#undef TERN_CONV_LEAF

// Convolution of images whose channels lie in blocks: compute/blocked.h. A tile has one or two
// segments, each a run of pixels, and one or two blocks of output channels. In every image a
// pixel's neighbour is a block further.
typedef struct tern_blocked_tile {
  const float *x[2];        // the first pixel of each segment; with one segment both are it
  const ptrdiff_t *offsets; // [taps], from a pixel to what of the input the tap meets
  const float *weights;     // [taps][channels of a tap][blocks][block]
  size_t taps;
  // The sums begin with bias, [blocks][block], and with what `start` has of each pixel, blocks
  // start_block apart: a residual, or the sums so far. NULL: with bias alone.
  const float *bias;
  const float *start[2];
  size_t start_block;
  // They end within [lowest, highest] in `out`, but for the first `skipped` pixels of each segment.
  float *out[2];
  size_t out_block, skipped[2];
  float lowest, highest;
  // What will be read next, brought into the second-level cache meanwhile: so many cache lines at
  // each tap.
  const float *next;
  size_t next_lines;
} tern_blocked_tile;
typedef void (*tern_blocked_tile_fn)(const tern_blocked_tile *tile);

// One position of a window: from the first pixel to what it meets, and its weights.
typedef struct tern_blocked_tap {
  ptrdiff_t x, weights;
} tern_blocked_tap;

enum { TERN_BLOCKED_SEGMENT_MAX = 8 };

typedef struct tern_blocked_f32_leaf {
  size_t block;      // channels
  size_t max_pixels; // of a segment, less than TERN_BLOCKED_SEGMENT_MAX
  // [pixels][segments - 1][blocks - 1]; NULL where there is no code for so many pixels. The pixels
  // of tiles are blocks, and a tap is a block of channels; those of planar tiles are numbers, and a
  // tap is one channel.
  tern_blocked_tile_fn tiles[TERN_BLOCKED_SEGMENT_MAX][2][2];
  tern_blocked_tile_fn planar_tiles[TERN_BLOCKED_SEGMENT_MAX][2][2];
  // y[i] = start + sum over taps of weights * x[i * pitch], or the largest of start and them, each
  // a block; i < count.
  void (*sum_taps)(size_t count, size_t taps, const tern_blocked_tap *tap, const float *weights,
                   const float *start, const float *x, size_t pitch, float *y);
  void (*max_taps)(size_t count, size_t taps, const tern_blocked_tap *tap, const float *weights,
                   const float *start, const float *x, size_t pitch, float *y);
} tern_blocked_f32_leaf;

#define TERN_VECMATH_MEMBER(NAME, ULP) void (*NAME)(size_t n, const float *x, float *y);
typedef struct tern_vecmath_f32_leaf {
  TERN_VECMATH_F32(TERN_VECMATH_MEMBER)
  TERN_VECMATH_ACTIVATIONS_F32(TERN_VECMATH_MEMBER)
} tern_vecmath_f32_leaf;
#undef TERN_VECMATH_MEMBER

// One contiguous line of n elements at a time; the formulas are those of norm.h.
typedef struct tern_rows_f32_leaf {
  void (*softmax)(size_t n, const float *x, float *y);
  void (*log_softmax)(size_t n, const float *x, float *y);
  void (*moments)(size_t n, const float *x, double *out_mean, double *out_variance);
  double (*mean_square)(size_t n, const float *x);
  // y = (x - mean) * scale * weights + bias; weights and bias [n] may be NULL.
  void (*affine)(size_t n, const float *x, float mean, float scale, const float *weights,
                 const float *bias, float *y);
} tern_rows_f32_leaf;

typedef struct tern_leaves {
  tern_cpu_isa isa;
  size_t lanes_f32; // of one vector
  tern_gemm_f32_leaf gemm_f32;
  tern_gemm_f64_leaf gemm_f64;
  tern_conv_f32_leaf conv_f32;
  tern_conv_f64_leaf conv_f64;
  const tern_blocked_f32_leaf *blocked_f32;
  tern_vecmath_f32_leaf vecmath_f32;
  tern_rows_f32_leaf rows_f32;
} tern_leaves;

// The table of `isa`, or NULL where this build or this machine has none.
const tern_leaves *tern_leaves_for(tern_cpu_isa isa);

// The table every kernel uses: that of tern_cpu_selected_isa, or the best compiled one below it.
const tern_leaves *tern_leaves_selected(void);

// Describes the families of `leaves`, for listing: calls `visit` with "gemm_f32" and its tile, and
// so on.
typedef void (*tern_leaves_visit_fn)(void *context, const char *family, const char *description);
void tern_leaves_list(const tern_leaves *leaves, tern_leaves_visit_fn visit, void *context);

#endif
