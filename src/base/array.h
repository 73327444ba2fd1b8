// A growable array of anything, and a map from text to pointers. Both own their storage and nothing
// in it. Not thread-safe.
#ifndef TERN_BASE_ARRAY_H_
#define TERN_BASE_ARRAY_H_

#include "base/allocator.h"

// Declares a struct type: TERN_ARRAY(tern_node *) nodes; items are nodes.data[0..nodes.count).
#define TERN_ARRAY(type)                                                                           \
  struct {                                                                                         \
    type *data;                                                                                    \
    size_t count, capacity;                                                                        \
  }

// Makes room for one more element of `element_bytes`. Used through TERN_ARRAY_PUSH.
TERN_MUST_USE tern_status *tern_array_grow(tern_allocator *allocator, size_t element_bytes,
                                           size_t count, void **inout_data, size_t *inout_capacity);

// Evaluates to a status; the element is appended on success.
#define TERN_ARRAY_RESERVE_ONE(allocator, array)                                                   \
  ((array)->count < (array)->capacity                                                              \
       ? (tern_status *)NULL                                                                       \
       : tern_array_grow((allocator), sizeof *(array)->data, (array)->count,                       \
                         (void **)&(array)->data, &(array)->capacity))
#define TERN_ARRAY_PUSH(allocator, array, element)                                                 \
  do {                                                                                             \
    TERN_TRY(TERN_ARRAY_RESERVE_ONE(allocator, array));                                            \
    (array)->data[(array)->count++] = (element);                                                   \
  } while (0)
#define TERN_ARRAY_FREE(allocator, array)                                                          \
  do {                                                                                             \
    tern_allocator_free((allocator), (array)->data, (array)->capacity * sizeof *(array)->data);    \
    (array)->data = NULL;                                                                          \
    (array)->count = (array)->capacity = 0;                                                        \
  } while (0)

// A map from NUL-terminated keys, which must outlive the map, to pointers. Open addressing,
// at most three quarters full.
typedef struct tern_map_entry {
  const char *key; // NULL: free
  void *value;
} tern_map_entry;
typedef struct tern_map {
  tern_allocator *allocator;
  tern_map_entry *entries;
  size_t capacity, count; // capacity is a power of two or 0
} tern_map;

void tern_map_init(tern_allocator *allocator, tern_map *out_map);
void tern_map_deinit(tern_map *map);
// NULL when the key is absent.
void *tern_map_get(const tern_map *map, const char *key);
// Adds or replaces. `value` must not be NULL.
TERN_MUST_USE tern_status *tern_map_set(tern_map *map, const char *key, void *value);

#endif
