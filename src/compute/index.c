// Reading and writing elements at places that are data.
#include "compute/index.h"

#include <string.h>

#include "compute/types.h"

int64_t tern_index_normalize(int64_t *indices, int64_t count, int64_t size) {
  for (int64_t i = 0; i < count; ++i) {
    if (indices[i] < 0) indices[i] += size;
    if (indices[i] < 0 || indices[i] >= size) return i;
  }
  return -1;
}

// Blocks of a size the compiler knows are single moves.
#define SIZED_BLOCKS(X) X(1) X(2) X(4) X(8) X(16)

static void gather(const int64_t *offsets, int64_t count, size_t block_bytes, const void *source,
                   void *target) {
  const unsigned char *from = source;
  unsigned char *to = target;
  switch (block_bytes) {
#define X(bytes)                                                                                   \
  case bytes:                                                                                      \
    for (int64_t i = 0; i < count; ++i)                                                            \
      memcpy(to + (size_t)i * bytes, from + (size_t)offsets[i] * bytes, bytes);                    \
    return;
    SIZED_BLOCKS(X)
#undef X
  default:
    for (int64_t i = 0; i < count; ++i)
      memcpy(to + (size_t)i * block_bytes, from + (size_t)offsets[i] * block_bytes, block_bytes);
  }
}

typedef struct rows {
  int64_t size, count;
  size_t block_bytes;
  const unsigned char *source;
  const int64_t *indices;
  unsigned char *target;
} rows;

// Blocks [begin, end) of the target.
static void gather_rows(void *context, int64_t begin, int64_t end) {
  const rows *r = context;
  while (begin < end) {
    const int64_t outer = begin / r->count, first = begin % r->count;
    const int64_t count = tern_min_i64(end - begin, r->count - first);
    gather(r->indices + first, count, r->block_bytes,
           r->source + (size_t)(outer * r->size) * r->block_bytes,
           r->target + (size_t)begin * r->block_bytes);
    begin += count;
  }
}

void tern_index_gather_rows(const tern_parallel *parallel, int64_t outer, int64_t size,
                            size_t block_bytes, const void *source, const int64_t *indices,
                            int64_t count, void *target) {
  rows r = {size, count, block_bytes, source, indices, target};
  tern_parallel_for(parallel, outer * count, tern_cost_ns(4, 2 * (double)block_bytes), gather_rows,
                    &r);
}

void tern_index_gather(const tern_parallel *parallel, const int64_t *offsets, int64_t count,
                       size_t block_bytes, const void *source, void *target) {
  tern_index_gather_rows(parallel, 1, 0, block_bytes, source, offsets, count, target);
}

void tern_index_scatter(const int64_t *offsets, int64_t count, size_t block_bytes,
                        const void *source, void *target) {
  const unsigned char *from = source;
  unsigned char *to = target;
  for (int64_t i = 0; i < count; ++i)
    memcpy(to + (size_t)offsets[i] * block_bytes, from + (size_t)i * block_bytes, block_bytes);
}

void tern_index_element_offsets(int32_t rank, const int64_t *dims, const int64_t *strides,
                                int32_t axis, const int64_t *indices, int64_t *out_offsets) {
  enum { MAX_RANK = 24 };
  int64_t at[MAX_RANK] = {0}, count = 1, offset = 0;
  for (int32_t k = 0; k < rank; ++k) count *= dims[k];
  for (int64_t i = 0; i < count; ++i) {
    out_offsets[i] = offset + indices[i] * strides[axis];
    for (int32_t k = rank - 1; k >= 0; --k) {
      int64_t step = k == axis ? 0 : strides[k];
      offset += step;
      if (++at[k] < dims[k]) break;
      offset -= step * dims[k];
      at[k] = 0;
    }
  }
}

#define WRAP_ADD(type, a, b) ((type)((uint64_t)(a) + (uint64_t)(b)))
#define WRAP_MUL(type, a, b) ((type)((uint64_t)(a) * (uint64_t)(b)))
#define PLAIN_ADD(type, a, b) ((a) + (b))
#define PLAIN_MUL(type, a, b) ((a) * (b))

// One element into another. `b != b` is true for NaN alone.
#define DEFINE_REDUCE(type, suffix, ADD, MUL)                                                      \
  static inline type reduce_##suffix(tern_index_reduction reduction, type a, type b) {             \
    switch (reduction) {                                                                           \
    case TERN_INDEX_ADD:                                                                           \
      return ADD(type, a, b);                                                                      \
    case TERN_INDEX_MUL:                                                                           \
      return MUL(type, a, b);                                                                      \
    case TERN_INDEX_MAX:                                                                           \
      return b > a || b != b ? b : a;                                                              \
    default:                                                                                       \
      return b < a || b != b ? b : a;                                                              \
    }                                                                                              \
  }                                                                                                \
  static void reduce_all_##suffix(tern_index_reduction reduction, const int64_t *offsets,          \
                                  int64_t count, int64_t block, const type *source,                \
                                  type *target) {                                                  \
    for (int64_t i = 0; i < count; ++i)                                                            \
      for (int64_t j = 0; j < block; ++j) {                                                        \
        type *to = &target[offsets[i] * block + j];                                                \
        *to = reduce_##suffix(reduction, *to, source[i * block + j]);                              \
      }                                                                                            \
  }
#define X(dtype, type, suffix) DEFINE_REDUCE(type, suffix, PLAIN_ADD, PLAIN_MUL)
TERN_X_FLOATS(X)
#undef X
#define X(dtype, type, suffix) DEFINE_REDUCE(type, suffix, WRAP_ADD, WRAP_MUL)
TERN_X_INTS(X)
#undef X

// Narrow floats: each result is rounded, as if every step were an operator of its own.
static void reduce_all_narrow(tern_dtype dtype, tern_index_reduction reduction,
                              const int64_t *offsets, int64_t count, int64_t block,
                              const unsigned char *source, unsigned char *target) {
  size_t bytes = tern_dtype_size(dtype);
  for (int64_t i = 0; i < count; ++i) {
    for (int64_t j = 0; j < block; ++j) {
      unsigned char *to = target + (size_t)(offsets[i] * block + j) * bytes;
      float a, b;
      tern_dtype_to_f32(dtype, to, 1, &a);
      tern_dtype_to_f32(dtype, source + (size_t)(i * block + j) * bytes, 1, &b);
      a = reduce_f32(reduction, a, b);
      tern_dtype_from_f32(dtype, &a, 1, true, to);
    }
  }
}

bool tern_index_reduce(tern_dtype dtype, tern_index_reduction reduction, const int64_t *offsets,
                       int64_t count, int64_t block_count, const void *source, void *target) {
  switch (dtype) {
#define X(number, type, suffix)                                                                    \
  case number:                                                                                     \
    reduce_all_##suffix(reduction, offsets, count, block_count, source, target);                   \
    return true;
    TERN_X_NUMBERS(X)
#undef X
  case TERN_BOOL:
    // Of zeros and ones the larger is their or, the smaller their and.
    if (reduction == TERN_INDEX_ADD) reduction = TERN_INDEX_MAX;
    if (reduction == TERN_INDEX_MUL) reduction = TERN_INDEX_MIN;
    reduce_all_u8(reduction, offsets, count, block_count, source, target);
    return true;
  default:
    if (tern_dtype_get_info(dtype)->class != TERN_CLASS_B || tern_dtype_is_sub_byte(dtype))
      return false;
    reduce_all_narrow(dtype, reduction, offsets, count, block_count, source, target);
    return true;
  }
}
