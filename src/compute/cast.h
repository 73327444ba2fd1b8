// Conversion between any two element types but strings and complex numbers: ONNX's Cast.
#ifndef TERN_COMPUTE_CAST_H_
#define TERN_COMPUTE_CAST_H_

#include "compute/types.h"

// How narrow floats are rounded. Zero: values out of range become infinity or NaN, powers of two
// round up.
typedef struct tern_cast_options {
  bool saturate;         // 8-bit floats: out of range becomes the largest finite value
  tern_e8m0_round round; // to float8e8m0
} tern_cast_options;

// Whether tern_cast knows both types.
bool tern_cast_is_supported(tern_dtype from, tern_dtype to);

// Converts `count` elements. Integers wrap; floats are cut towards zero, and where no int32 (for
// targets of up to 32 bits) or int64 holds the result, it is what the low bits of the smallest one
// say. NaN is true. `source` and `target` do not overlap, unless both types have the same size.
void tern_cast(tern_dtype from, const void *source, tern_dtype to, void *target, int64_t count,
               const tern_cast_options *options);

#endif
