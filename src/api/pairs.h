// Pairs of text, sorted by key: OrtKeyValuePairs, and the config entries of options.
#ifndef TERN_API_PAIRS_H_
#define TERN_API_PAIRS_H_

#include "api/api.h"

struct OrtKeyValuePairs {
  char **keys, **values; // of one length, sorted by key; all text is owned
  size_t count, capacity;
};

void tern_api_pairs_deinit(OrtKeyValuePairs *pairs);
// Adds or overwrites; both texts are copied.
TERN_MUST_USE tern_status *tern_api_pairs_set(OrtKeyValuePairs *pairs, const char *key,
                                              const char *value);
// NULL where the key is unknown; borrowed.
const char *tern_api_pairs_get(const OrtKeyValuePairs *pairs, const char *key);
// Adds all of `source` to `target`.
TERN_MUST_USE tern_status *tern_api_pairs_copy(const OrtKeyValuePairs *source,
                                               OrtKeyValuePairs *target);
// A new object with the pairs of `source`, which may be NULL; freed with ReleaseKeyValuePairs.
TERN_MUST_USE tern_status *tern_api_pairs_create(const OrtKeyValuePairs *source,
                                                 OrtKeyValuePairs **out_pairs);

// As pairs_set, with ORT's limits for config entries: a key that is not empty, at most 1024
// characters of key and 2048 of value.
TERN_MUST_USE tern_status *tern_api_config_set(OrtKeyValuePairs *pairs, const char *key,
                                               const char *value);

#endif
