// The public elementary functions: the selected ISA's leaves.
#include "compute/vecmath.h"

#include "compute/leaves.h"

#define STAMP(NAME, ULP)                                                                           \
  void tern_v##NAME##_f32(size_t n, const float *x, float *y) {                                    \
    tern_leaves_selected()->vecmath_f32.NAME(n, x, y);                                             \
  }
TERN_VECMATH_F32(STAMP)
TERN_VECMATH_ACTIVATIONS_F32(STAMP)
