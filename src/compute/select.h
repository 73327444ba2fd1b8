// Choosing between values: Where and Clip.
#ifndef TERN_COMPUTE_SELECT_H_
#define TERN_COMPUTE_SELECT_H_

#include "compute/broadcast.h"
#include "compute/types.h"
#include "parallel/parallel.h"

// y = condition ? a : b over the three inputs of `broadcast`, in that order. Elements have
// `element_bytes` of 1, 2, 4, 8 or 16. Any condition but 0 is true. On as many threads as pay.
void tern_select(const tern_parallel *parallel, const tern_broadcast *broadcast,
                 size_t element_bytes, const uint8_t *condition, const void *a, const void *b,
                 void *y);

// y[i] = min(max(x[i], *lowest), *highest), NaN stays; NULL: no bound. Numbers of types of C. y may
// be x.
void tern_clip(tern_dtype dtype, const void *x, int64_t count, const void *lowest,
               const void *highest, void *y);

#endif
