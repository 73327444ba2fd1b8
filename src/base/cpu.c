// CPU features by CPUID and XGETBV on x86, by the architecture elsewhere. Results are kept in
// atomics: two threads that race compute and store the same value.
#include "base/cpu.h"

#include <stdatomic.h>
#include <string.h>

#include "base/os.h"

#if defined(__x86_64__) || defined(__i386__)
#include <cpuid.h>
#define CPU_IS_X86 1
#else
#define CPU_IS_X86 0
#endif

static const char *const isa_names[TERN_ISA_COUNT] = {
    [TERN_ISA_SCALAR] = "scalar",
    [TERN_ISA_NEON] = "neon",
    [TERN_ISA_AVX2] = "avx2",
    [TERN_ISA_AVX512] = "avx512",
};

// Where a feature is reported (Intel SDM volume 2A, CPUID) and which registers it needs saved.
enum { EAX, EBX, ECX, EDX };
typedef enum state { STATE_NONE, STATE_AVX, STATE_AVX512, STATE_AMX } state;
typedef struct feature_row {
  const char *name;
  uint32_t leaf, subleaf;
  int word, bit;
  state needs;
} feature_row;

static const feature_row features[TERN_CPU_FEATURE_COUNT] = {
    [TERN_CPU_SSE42] = {"sse4.2", 1, 0, ECX, 20, STATE_NONE},
    [TERN_CPU_AVX] = {"avx", 1, 0, ECX, 28, STATE_AVX},
    [TERN_CPU_F16C] = {"f16c", 1, 0, ECX, 29, STATE_AVX},
    [TERN_CPU_FMA] = {"fma", 1, 0, ECX, 12, STATE_AVX},
    [TERN_CPU_AVX2] = {"avx2", 7, 0, EBX, 5, STATE_AVX},
    [TERN_CPU_AVX_VNNI] = {"avx_vnni", 7, 1, EAX, 4, STATE_AVX},
    [TERN_CPU_AVX512F] = {"avx512f", 7, 0, EBX, 16, STATE_AVX512},
    [TERN_CPU_AVX512DQ] = {"avx512dq", 7, 0, EBX, 17, STATE_AVX512},
    [TERN_CPU_AVX512BW] = {"avx512bw", 7, 0, EBX, 30, STATE_AVX512},
    [TERN_CPU_AVX512VL] = {"avx512vl", 7, 0, EBX, 31, STATE_AVX512},
    [TERN_CPU_AVX512_VNNI] = {"avx512_vnni", 7, 0, ECX, 11, STATE_AVX512},
    [TERN_CPU_AVX512_BF16] = {"avx512_bf16", 7, 1, EAX, 5, STATE_AVX512},
    [TERN_CPU_AVX512_FP16] = {"avx512_fp16", 7, 0, EDX, 23, STATE_AVX512},
    [TERN_CPU_AMX_TILE] = {"amx_tile", 7, 0, EDX, 24, STATE_AMX},
    [TERN_CPU_AMX_INT8] = {"amx_int8", 7, 0, EDX, 25, STATE_AMX},
    [TERN_CPU_AMX_BF16] = {"amx_bf16", 7, 0, EDX, 22, STATE_AMX},
    [TERN_CPU_NEON] = {"neon", 0, 0, 0, 0, STATE_NONE},
};

#if CPU_IS_X86
static uint64_t saved_register_state(void) {
  uint32_t a, b, c, d;
  if (!__get_cpuid(1, &a, &b, &c, &d) || !(c & (1u << 27))) return 0;
  uint32_t low, high;
  __asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
  return (uint64_t)high << 32 | low;
}

static bool row_present(const feature_row *row, uint64_t saved) {
  static const uint64_t needed[] = {
      [STATE_NONE] = 0, [STATE_AVX] = 0x6, [STATE_AVX512] = 0xe6, [STATE_AMX] = 0x60000};
  uint32_t words[4];
  if (!__get_cpuid_count(row->leaf, row->subleaf, &words[EAX], &words[EBX], &words[ECX],
                         &words[EDX]))
    return false;
  return (words[row->word] >> row->bit & 1u) && (saved & needed[row->needs]) == needed[row->needs];
}

static uint32_t detect_features(void) {
  const uint64_t saved = saved_register_state();
  uint32_t present = 0;
  for (uint32_t i = 0; i < TERN_CPU_FEATURE_COUNT; i++)
    if (i != TERN_CPU_NEON && row_present(&features[i], saved)) present |= 1u << i;
  return present;
}
#elif defined(__aarch64__)
static uint32_t detect_features(void) {
  return 1u << TERN_CPU_NEON;
}
#else
static uint32_t detect_features(void) {
  return 0;
}
#endif

// Bit 31 marks a finished detection.
#define FEATURES_KNOWN (1u << 31)
static uint32_t feature_bits(void) {
  static _Atomic uint32_t known;
  uint32_t bits = atomic_load_explicit(&known, memory_order_relaxed);
  if (!bits) {
    bits = detect_features() | FEATURES_KNOWN;
    atomic_store_explicit(&known, bits, memory_order_relaxed);
  }
  return bits;
}

const char *tern_cpu_isa_name(tern_cpu_isa isa) {
  return isa_names[isa];
}

const char *tern_cpu_feature_name(tern_cpu_feature feature) {
  return features[feature].name;
}

bool tern_cpu_has_feature(tern_cpu_feature feature) {
  return feature_bits() >> feature & 1u;
}

bool tern_cpu_has_isa(tern_cpu_isa isa) {
  const uint32_t avx2 = 1u << TERN_CPU_AVX2 | 1u << TERN_CPU_FMA | 1u << TERN_CPU_F16C;
  const uint32_t needs[TERN_ISA_COUNT] = {
      [TERN_ISA_SCALAR] = 0,
      [TERN_ISA_NEON] = 1u << TERN_CPU_NEON,
      [TERN_ISA_AVX2] = avx2,
      [TERN_ISA_AVX512] = avx2 | 1u << TERN_CPU_AVX512F | 1u << TERN_CPU_AVX512DQ |
                          1u << TERN_CPU_AVX512BW | 1u << TERN_CPU_AVX512VL,
  };
  return (feature_bits() & needs[isa]) == needs[isa];
}

static tern_cpu_isa choose_isa(void) {
  const char *wanted = tern_os_getenv("TERN_ISA");
  int best = TERN_ISA_SCALAR;
  for (int i = 0; i < TERN_ISA_COUNT; i++) {
    if (!tern_cpu_has_isa((tern_cpu_isa)i)) continue;
    if (wanted && strcmp(wanted, isa_names[i]) == 0) return (tern_cpu_isa)i;
    best = i;
  }
  return (tern_cpu_isa)best;
}

tern_cpu_isa tern_cpu_selected_isa(void) {
  static _Atomic int chosen_plus_one;
  int chosen = atomic_load_explicit(&chosen_plus_one, memory_order_relaxed);
  if (!chosen) {
    chosen = (int)choose_isa() + 1;
    atomic_store_explicit(&chosen_plus_one, chosen, memory_order_relaxed);
  }
  return (tern_cpu_isa)(chosen - 1);
}
