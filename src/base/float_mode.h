// The control bits of the floating-point unit: how it rounds, what traps, and whether denormal
// numbers count as zero. Each thread has its own; a new thread has its creator's.
#ifndef TERN_BASE_FLOAT_MODE_H_
#define TERN_BASE_FLOAT_MODE_H_

#include <stdint.h>

// As the processor lays them out (MXCSR without its flags on x86, FPCR on AArch64). 0 where the
// processor is not known: setting it does nothing.
typedef uint64_t tern_float_mode;

// Of the calling thread.
tern_float_mode tern_float_mode_get(void);
void tern_float_mode_set(tern_float_mode mode);

// `mode`, but denormal results are written, and denormal operands read, as zeros.
tern_float_mode tern_float_mode_without_denormals(tern_float_mode mode);

#endif
