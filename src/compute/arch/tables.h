// The leaf tables that builds may have, one for each folder beside this file.
#ifndef TERN_COMPUTE_ARCH_TABLES_H_
#define TERN_COMPUTE_ARCH_TABLES_H_

#include "compute/leaves.h"

extern const tern_leaves tern_leaves_scalar;
#if defined(__x86_64__)
extern const tern_leaves tern_leaves_avx2;
extern const tern_leaves tern_leaves_avx512;
#elif defined(__aarch64__)
extern const tern_leaves tern_leaves_neon;
#endif

#endif
