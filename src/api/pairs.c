// Pairs of text. Small and read more than written, so sorted arrays serve.
#include "api/pairs.h"

#include <string.h>

enum { CONFIG_KEY_CHARACTERS = 1024, CONFIG_VALUE_CHARACTERS = 2048 };

// Where `key` is, or belongs.
static size_t position(const OrtKeyValuePairs *pairs, const char *key, bool *out_found) {
  size_t low = 0, high = pairs->count;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    if (strcmp(pairs->keys[middle], key) < 0)
      low = middle + 1;
    else
      high = middle;
  }
  *out_found = low < pairs->count && strcmp(pairs->keys[low], key) == 0;
  return low;
}

static tern_status *reserve_one(OrtKeyValuePairs *pairs) {
  if (pairs->count < pairs->capacity) return NULL;
  size_t capacity = pairs->capacity ? pairs->capacity * 2 : 8;
  char **texts;
  TERN_TRY(
      tern_allocator_calloc(tern_allocator_system(), capacity, 2 * sizeof *texts, (void **)&texts));
  if (pairs->count) {
    memcpy(texts, pairs->keys, pairs->count * sizeof *texts);
    memcpy(texts + capacity, pairs->values, pairs->count * sizeof *texts);
  }
  tern_allocator_free(tern_allocator_system(), pairs->keys, pairs->capacity * 2 * sizeof *texts);
  pairs->keys = texts;
  pairs->values = texts + capacity;
  pairs->capacity = capacity;
  return NULL;
}

void tern_api_pairs_deinit(OrtKeyValuePairs *pairs) {
  for (size_t i = 0; i < pairs->count; ++i) {
    tern_api_text_free(pairs->keys[i]);
    tern_api_text_free(pairs->values[i]);
  }
  tern_allocator_free(tern_allocator_system(), pairs->keys,
                      pairs->capacity * 2 * sizeof *pairs->keys);
  *pairs = (OrtKeyValuePairs){0};
}

static tern_status *insert(OrtKeyValuePairs *pairs, size_t at, const char *key, const char *value) {
  TERN_TRY(reserve_one(pairs));
  char *key_copy, *value_copy;
  TERN_TRY(tern_api_text_copy(key, &key_copy));
  tern_status *status = tern_api_text_copy(value, &value_copy);
  if (status) {
    tern_api_text_free(key_copy);
    return status;
  }
  size_t tail = (pairs->count - at) * sizeof *pairs->keys;
  memmove(pairs->keys + at + 1, pairs->keys + at, tail);
  memmove(pairs->values + at + 1, pairs->values + at, tail);
  pairs->keys[at] = key_copy;
  pairs->values[at] = value_copy;
  ++pairs->count;
  return NULL;
}

tern_status *tern_api_pairs_set(OrtKeyValuePairs *pairs, const char *key, const char *value) {
  bool found;
  size_t at = position(pairs, key, &found);
  return found ? tern_api_text_set(&pairs->values[at], value) : insert(pairs, at, key, value);
}

const char *tern_api_pairs_get(const OrtKeyValuePairs *pairs, const char *key) {
  bool found;
  size_t at = position(pairs, key, &found);
  return found ? pairs->values[at] : NULL;
}

tern_status *tern_api_pairs_copy(const OrtKeyValuePairs *source, OrtKeyValuePairs *target) {
  for (size_t i = 0; i < source->count; ++i)
    TERN_TRY(tern_api_pairs_set(target, source->keys[i], source->values[i]));
  return NULL;
}

tern_status *tern_api_pairs_create(const OrtKeyValuePairs *source, OrtKeyValuePairs **out_pairs) {
  OrtKeyValuePairs *pairs;
  TERN_TRY(TERN_NEW(tern_allocator_system(), &pairs));
  tern_status *status = source ? tern_api_pairs_copy(source, pairs) : NULL;
  if (status) {
    ort_ReleaseKeyValuePairs(pairs);
    return status;
  }
  *out_pairs = pairs;
  return NULL;
}

tern_status *tern_api_config_set(OrtKeyValuePairs *pairs, const char *key, const char *value) {
  size_t key_length = strlen(key), value_length = strlen(value);
  if (key_length == 0 || key_length > CONFIG_KEY_CHARACTERS)
    return TERN_ERROR(TERN_INVALID_ARGUMENT, "a config key has 1 to %d characters, not %zu",
                      CONFIG_KEY_CHARACTERS, key_length);
  if (value_length > CONFIG_VALUE_CHARACTERS)
    return TERN_ERROR(TERN_INVALID_ARGUMENT, "the value of %s has %zu characters, more than %d",
                      key, value_length, CONFIG_VALUE_CHARACTERS);
  return tern_api_pairs_set(pairs, key, value);
}

// The four entries below have no status to answer: where memory is out, nothing changes.
void ort_CreateKeyValuePairs(OrtKeyValuePairs **out) {
  if (!out) return;
  OrtKeyValuePairs *pairs = NULL;
  tern_status_ignore(tern_api_pairs_create(NULL, &pairs));
  *out = pairs;
}

void ort_AddKeyValuePair(OrtKeyValuePairs *kvps, const char *key, const char *value) {
  if (!kvps || !key || !*key || !value) return;
  tern_status_ignore(tern_api_pairs_set(kvps, key, value));
}

const char *ort_GetKeyValue(const OrtKeyValuePairs *kvps, const char *key) {
  return kvps && key ? tern_api_pairs_get(kvps, key) : NULL;
}

void ort_GetKeyValuePairs(const OrtKeyValuePairs *kvps, const char *const **keys,
                          const char *const **values, size_t *num_entries) {
  if (keys) *keys = kvps ? (const char *const *)kvps->keys : NULL;
  if (values) *values = kvps ? (const char *const *)kvps->values : NULL;
  if (num_entries) *num_entries = kvps ? kvps->count : 0;
}

void ort_RemoveKeyValuePair(OrtKeyValuePairs *kvps, const char *key) {
  if (!kvps || !key) return;
  bool found;
  size_t at = position(kvps, key, &found);
  if (!found) return;
  tern_api_text_free(kvps->keys[at]);
  tern_api_text_free(kvps->values[at]);
  size_t tail = (kvps->count - at - 1) * sizeof *kvps->keys;
  memmove(kvps->keys + at, kvps->keys + at + 1, tail);
  memmove(kvps->values + at, kvps->values + at + 1, tail);
  --kvps->count;
}

void ort_ReleaseKeyValuePairs(OrtKeyValuePairs *input) {
  if (!input) return;
  tern_api_pairs_deinit(input);
  TERN_DELETE(tern_allocator_system(), input);
}
