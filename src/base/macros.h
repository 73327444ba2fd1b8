// Compiler attributes and small arithmetic helpers shared by every layer. Nothing here has state.
#ifndef TERN_BASE_MACROS_H_
#define TERN_BASE_MACROS_H_

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#if defined(__GNUC__) || defined(__clang__)
#define TERN_MUST_USE __attribute__((warn_unused_result))
#define TERN_PRINTF(format_index, args_index)                                                      \
  __attribute__((format(printf, format_index, args_index)))
#define TERN_LIKELY(x) __builtin_expect(!!(x), 1)
#define TERN_UNLIKELY(x) __builtin_expect(!!(x), 0)
#else
#define TERN_MUST_USE
#define TERN_PRINTF(format_index, args_index)
#define TERN_LIKELY(x) (x)
#define TERN_UNLIKELY(x) (x)
#endif

// Builds under AddressSanitizer, which GCC and Clang say in their own ways.
#if defined(__SANITIZE_ADDRESS__)
#define TERN_ADDRESS_SANITIZER 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define TERN_ADDRESS_SANITIZER 1
#endif
#endif

#define TERN_COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))

// The alignment of every buffer that kernels read or write, in bytes: one cache line, and one
// AVX-512 register.
#define TERN_BUFFER_ALIGNMENT 64

static inline int64_t tern_min_i64(int64_t a, int64_t b) {
  return a < b ? a : b;
}
static inline int64_t tern_max_i64(int64_t a, int64_t b) {
  return a > b ? a : b;
}
static inline size_t tern_min_size(size_t a, size_t b) {
  return a < b ? a : b;
}
static inline size_t tern_max_size(size_t a, size_t b) {
  return a > b ? a : b;
}

#endif
