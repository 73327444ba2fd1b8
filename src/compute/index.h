// Reading and writing elements at places that are data: where the elements of GatherElements,
// GatherND and the scatters lie, and the copies and reductions there. Elements of copies are
// blocks of bytes. What takes `parallel`, which may be NULL, runs on as many threads as pay.
#ifndef TERN_COMPUTE_INDEX_H_
#define TERN_COMPUTE_INDEX_H_

#include "base/dtype.h"
#include "base/macros.h"
#include "parallel/parallel.h"

// Adds `size` to negative indices. Returns the position of the first index outside [-size, size),
// with the indices before it changed, or -1.
int64_t tern_index_normalize(int64_t *indices, int64_t count, int64_t size);

// target[o][i] = source[o][indices[i]] for blocks of `block_bytes`: source is [outer, size], target
// [outer, count]. Indices are in [0, size).
void tern_index_gather_rows(const tern_parallel *parallel, int64_t outer, int64_t size,
                            size_t block_bytes, const void *source, const int64_t *indices,
                            int64_t count, void *target);

// Where element i of a dense array of `dims` finds its partner: at its own coordinates in an array
// of `strides`, with indices[i] in place of the coordinate on `axis`.
void tern_index_element_offsets(int32_t rank, const int64_t *dims, const int64_t *strides,
                                int32_t axis, const int64_t *indices, int64_t *out_offsets);

// target[i] = source[offsets[i]], and target[offsets[i]] = source[i] in order, for blocks of
// `block_bytes`; offsets are in blocks.
void tern_index_gather(const tern_parallel *parallel, const int64_t *offsets, int64_t count,
                       size_t block_bytes, const void *source, void *target);
void tern_index_scatter(const int64_t *offsets, int64_t count, size_t block_bytes,
                        const void *source, void *target);

typedef enum tern_index_reduction {
  TERN_INDEX_ADD, // integers wrap; booleans: or
  TERN_INDEX_MUL, // likewise; booleans: and
  TERN_INDEX_MAX, // NaN wins
  TERN_INDEX_MIN,
} tern_index_reduction;

// target[offsets[i]] = reduction(target[offsets[i]], source[i]) in order, for blocks of
// `block_count` elements. False: `dtype` cannot be reduced (strings, complex and sub-byte types).
bool tern_index_reduce(tern_dtype dtype, tern_index_reduction reduction, const int64_t *offsets,
                       int64_t count, int64_t block_count, const void *source, void *target);

#endif
