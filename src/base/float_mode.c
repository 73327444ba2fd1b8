// The floating-point unit's control register.
#include "base/float_mode.h"

#if defined(__x86_64__) || defined(__SSE__)
// Intel SDM volume 1, 10.2.3: six flags of exceptions that happened, then the control bits.
enum { FLAGS = 0x3f, DENORMALS_ARE_ZERO = 1 << 6, FLUSH_TO_ZERO = 1 << 15 };
#define WITHOUT_DENORMALS ((uint64_t)DENORMALS_ARE_ZERO | FLUSH_TO_ZERO)

tern_float_mode tern_float_mode_get(void) {
  return __builtin_ia32_stmxcsr() & ~(uint32_t)FLAGS;
}
void tern_float_mode_set(tern_float_mode mode) {
  __builtin_ia32_ldmxcsr((__builtin_ia32_stmxcsr() & (uint32_t)FLAGS) | (uint32_t)mode);
}

#elif defined(__aarch64__)
// Arm ARM, FPCR: bit 24 flushes results and operands.
#define WITHOUT_DENORMALS ((uint64_t)1 << 24)

tern_float_mode tern_float_mode_get(void) {
  uint64_t mode;
  __asm__ volatile("mrs %0, fpcr" : "=r"(mode));
  return mode;
}
void tern_float_mode_set(tern_float_mode mode) {
  __asm__ volatile("msr fpcr, %0" : : "r"(mode));
}

#else
#define WITHOUT_DENORMALS ((uint64_t)0)

tern_float_mode tern_float_mode_get(void) {
  return 0;
}
void tern_float_mode_set(tern_float_mode mode) {
  (void)mode;
}
#endif

tern_float_mode tern_float_mode_without_denormals(tern_float_mode mode) {
  return mode | WITHOUT_DENORMALS;
}
