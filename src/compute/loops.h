// Tables of elementwise loops, one for each instruction set: the same C, compiled with each set's
// flags. They give the same bits, since nothing in them is contracted or reordered.
#ifndef TERN_COMPUTE_LOOPS_H_
#define TERN_COMPUTE_LOOPS_H_

#include "compute/activation.h"

typedef struct tern_loops {
  const tern_unary_fn (*unary)[TERN_DTYPE_COUNT];           // [tern_unary_op]
  const tern_binary_fn (*binary)[TERN_DTYPE_COUNT];         // [tern_binary_op]
  const tern_activation_fn (*activation)[TERN_DTYPE_COUNT]; // [tern_activation]
  const tern_binary_fn *prelu;                              // [tern_dtype]
} tern_loops;

extern const tern_loops tern_loops_scalar;
#if defined(__x86_64__)
extern const tern_loops tern_loops_avx2;
extern const tern_loops tern_loops_avx512;
#elif defined(__aarch64__)
extern const tern_loops tern_loops_neon;
#endif

// The table of the instruction set that leaves are chosen from.
const tern_loops *tern_loops_selected(void);

#endif
