// Arithmetic on sizes that come from files or callers. Every function says whether the result is
// exact; on false the output is untouched.
#ifndef TERN_BASE_CHECKED_H_
#define TERN_BASE_CHECKED_H_

#include "base/macros.h"

static inline bool tern_checked_add(size_t a, size_t b, size_t *out) {
  size_t r;
  if (__builtin_add_overflow(a, b, &r)) return false;
  *out = r;
  return true;
}

static inline bool tern_checked_mul(size_t a, size_t b, size_t *out) {
  size_t r;
  if (__builtin_mul_overflow(a, b, &r)) return false;
  *out = r;
  return true;
}

static inline bool tern_checked_add_i64(int64_t a, int64_t b, int64_t *out) {
  int64_t r;
  if (__builtin_add_overflow(a, b, &r)) return false;
  *out = r;
  return true;
}

static inline bool tern_checked_mul_i64(int64_t a, int64_t b, int64_t *out) {
  int64_t r;
  if (__builtin_mul_overflow(a, b, &r)) return false;
  *out = r;
  return true;
}

// Rounds `size` up to a multiple of `alignment`, a power of two.
static inline bool tern_checked_align(size_t size, size_t alignment, size_t *out) {
  size_t r;
  if (__builtin_add_overflow(size, alignment - 1, &r)) return false;
  *out = r & ~(alignment - 1);
  return true;
}

#endif
