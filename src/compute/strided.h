// Moving elements between two arrays whose axes have strides: every operator that rearranges,
// repeats or cuts out elements is one or a few such copies. Elements are opaque units of bytes.
#ifndef TERN_COMPUTE_STRIDED_H_
#define TERN_COMPUTE_STRIDED_H_

#include "parallel/parallel.h"

// Twice the rank of any tensor: Tile counts repeats and elements on axes of their own.
enum { TERN_STRIDED_MAX_RANK = 48 };

// One axis of an iteration space. Strides are in elements and may be negative; a source stride of 0
// repeats. Target elements are distinct.
typedef struct tern_strided_axis {
  int64_t size;
  int64_t source_stride, target_stride;
} tern_strided_axis;

// target[sum(i_k * target_stride_k)] = source[sum(i_k * source_stride_k)] for every index i, with
// `rank` axes, outermost first. The arrays do not overlap, except that a source may be read from
// parts of the target that this call does not write. Nothing happens when a size is 0. On as many
// threads as pay; `parallel` may be NULL.
void tern_strided_copy(const tern_parallel *parallel, const tern_strided_axis *axes, int32_t rank,
                       size_t element_bytes, const void *source, void *target);

// Repeats one element `count` times.
void tern_strided_fill(const void *element, size_t element_bytes, int64_t count, void *target);

// Row-major strides of `sizes`, in elements.
void tern_strided_dense(const int64_t *sizes, int32_t rank, int64_t *out_strides);

#endif
