// Memory that is held but must not be touched, for AddressSanitizer. Elsewhere nothing happens.
#ifndef TERN_BASE_POISON_H_
#define TERN_BASE_POISON_H_

#include "base/macros.h"

#if defined(__SANITIZE_ADDRESS__)
#define TERN_HAS_POISON 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define TERN_HAS_POISON 1
#endif
#endif

#ifdef TERN_HAS_POISON
#include <sanitizer/asan_interface.h>
static inline void tern_poison(const void *data, size_t bytes) {
  if (data) ASAN_POISON_MEMORY_REGION(data, bytes);
}
static inline void tern_unpoison(const void *data, size_t bytes) {
  if (data) ASAN_UNPOISON_MEMORY_REGION(data, bytes);
}
#else
static inline void tern_poison(const void *data, size_t bytes) {
  (void)data;
  (void)bytes;
}
static inline void tern_unpoison(const void *data, size_t bytes) {
  (void)data;
  (void)bytes;
}
#endif

#endif
