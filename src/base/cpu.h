// What the processor offers. Detection is a pure function of the machine and the environment, so
// these calls may come from any thread at any time and always answer the same.
#ifndef TERN_BASE_CPU_H_
#define TERN_BASE_CPU_H_

#include "base/macros.h"

// Instruction sets that compute leaves are compiled for, worst first within a family.
typedef enum tern_cpu_isa {
  TERN_ISA_SCALAR = 0,
  TERN_ISA_NEON,
  TERN_ISA_AVX2,   // AVX2, FMA and F16C
  TERN_ISA_AVX512, // AVX-512 F, VL, DQ and BW, besides AVX2's
  TERN_ISA_COUNT
} tern_cpu_isa;

// "scalar", "neon", "avx2", "avx512".
const char *tern_cpu_isa_name(tern_cpu_isa isa);

// Whether the processor, and the operating system's saving of registers, allow `isa`.
bool tern_cpu_has_isa(tern_cpu_isa isa);

// The ISA to run: the environment variable TERN_ISA where it names one this machine has, else the
// best there is. The variable is read once.
tern_cpu_isa tern_cpu_selected_isa(void);

// Single features, for listing and for kernels that need more than an ISA level.
typedef enum tern_cpu_feature {
  TERN_CPU_SSE42,
  TERN_CPU_AVX,
  TERN_CPU_F16C,
  TERN_CPU_FMA,
  TERN_CPU_AVX2,
  TERN_CPU_AVX_VNNI,
  TERN_CPU_AVX512F,
  TERN_CPU_AVX512DQ,
  TERN_CPU_AVX512BW,
  TERN_CPU_AVX512VL,
  TERN_CPU_AVX512_VNNI,
  TERN_CPU_AVX512_BF16,
  TERN_CPU_AVX512_FP16,
  TERN_CPU_AMX_TILE,
  TERN_CPU_AMX_INT8,
  TERN_CPU_AMX_BF16,
  TERN_CPU_NEON,
  TERN_CPU_FEATURE_COUNT
} tern_cpu_feature;

const char *tern_cpu_feature_name(tern_cpu_feature feature);
// False for a feature whose registers the operating system does not save.
bool tern_cpu_has_feature(tern_cpu_feature feature);

#endif
