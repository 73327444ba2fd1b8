// Growth for arrays, and the text map.
#include "base/array.h"

#include <string.h>

#include "base/checked.h"

tern_status *tern_array_grow(tern_allocator *allocator, size_t element_bytes, size_t count,
                             void **inout_data, size_t *inout_capacity) {
  size_t capacity = *inout_capacity ? *inout_capacity : 4, bytes;
  if (*inout_capacity && !tern_checked_mul(capacity, 2, &capacity))
    return tern_status_out_of_memory();
  if (!tern_checked_mul(capacity, element_bytes, &bytes)) return tern_status_out_of_memory();
  void *data;
  TERN_TRY(tern_allocator_alloc(allocator, bytes, &data));
  if (count > 0) memcpy(data, *inout_data, count * element_bytes);
  tern_allocator_free(allocator, *inout_data, *inout_capacity * element_bytes);
  *inout_data = data;
  *inout_capacity = capacity;
  return NULL;
}

// FNV-1a, finished with a multiply so that the low bits depend on every byte.
static uint64_t hash_key(const char *key) {
  uint64_t h = 1469598103934665603u;
  for (; *key; ++key) h = (h ^ (unsigned char)*key) * 1099511628211u;
  h ^= h >> 32;
  return h * 0x9e3779b97f4a7c15u;
}

void tern_map_init(tern_allocator *allocator, tern_map *out_map) {
  *out_map = (tern_map){.allocator = allocator};
}

void tern_map_deinit(tern_map *map) {
  tern_allocator_free(map->allocator, map->entries, map->capacity * sizeof *map->entries);
  map->entries = NULL;
  map->capacity = map->count = 0;
}

static tern_map_entry *find(const tern_map *map, const char *key) {
  size_t mask = map->capacity - 1;
  size_t i = (size_t)(hash_key(key) >> 20) & mask;
  while (map->entries[i].key && strcmp(map->entries[i].key, key) != 0) i = (i + 1) & mask;
  return &map->entries[i];
}

void *tern_map_get(const tern_map *map, const char *key) {
  if (map->capacity == 0) return NULL;
  const tern_map_entry *entry = find(map, key);
  return entry->key ? entry->value : NULL;
}

static tern_status *rehash(tern_map *map) {
  tern_map larger = {.allocator = map->allocator,
                     .capacity = map->capacity ? map->capacity * 2 : 16};
  TERN_TRY(tern_allocator_calloc(map->allocator, larger.capacity, sizeof *larger.entries,
                                 (void **)&larger.entries));
  for (size_t i = 0; i < map->capacity; ++i) {
    if (map->entries[i].key) *find(&larger, map->entries[i].key) = map->entries[i];
  }
  larger.count = map->count;
  tern_map_deinit(map);
  *map = larger;
  return NULL;
}

tern_status *tern_map_set(tern_map *map, const char *key, void *value) {
  if (map->count * 4 >= map->capacity * 3) TERN_TRY(rehash(map));
  tern_map_entry *entry = find(map, key);
  if (!entry->key) {
    entry->key = key;
    ++map->count;
  }
  entry->value = value;
  return NULL;
}
