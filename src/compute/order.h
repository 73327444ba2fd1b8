// Order without types: every number becomes a 64-bit key that compares as unsigned as the numbers
// do, so that selection and sorting are written once. -0 and 0 have one key; NaNs share the
// greatest.
#ifndef TERN_COMPUTE_ORDER_H_
#define TERN_COMPUTE_ORDER_H_

#include "base/dtype.h"
#include "base/macros.h"

// Keys of `count` elements `stride` elements apart: one each, for complex types two (real part
// first). False: `dtype` has no keys (strings, sub-byte types).
bool tern_order_keys(tern_dtype dtype, const void *data, int64_t stride, int64_t count,
                     uint64_t *out_keys);

typedef struct tern_order_item {
  uint64_t key;
  int64_t index;
} tern_order_item;

// The `k` (0 <= k <= count) items with the greatest keys, greatest first; equal keys in the order
// of their indices, which are 0 to count - 1.
void tern_order_top(const uint64_t *keys, int64_t count, int64_t k, tern_order_item *out_items);

// Sorts `items` by `compare` (negative, zero, positive), keeping the order of equal ones. `spare`
// has room for `count` items.
void tern_order_sort(int64_t *items, int64_t count, int64_t *spare,
                     int (*compare)(const void *context, int64_t a, int64_t b),
                     const void *context);

// Marks what is not zero: floats by value (NaN is not zero), complex numbers when either part is
// not, strings when not empty, everything else by its bits. No sub-byte types.
void tern_order_nonzero(tern_dtype dtype, const void *data, int64_t count, bool *out_marks);

#endif
