// The store: a table of entries chained by hash. An entry is packed outside the lock, so that
// sessions load at the same time; of two that pack the same, the second to finish takes the
// first's.
#include "session/packed_store.h"

#include <stdatomic.h>
#include <string.h>

#include "base/checked.h"
#include "base/hash.h"

struct tern_packed {
  tern_packed_store *store;
  tern_packed *next; // of its bucket
  tern_hash hash;
  tern_allocator *allocator;
  int64_t holders; // under the store's mutex
  size_t bytes;    // of this header and the data behind it
};

// The header is followed by the data, aligned.
enum {
  HEADER_BYTES = (sizeof(tern_packed) + TERN_BUFFER_ALIGNMENT - 1) / TERN_BUFFER_ALIGNMENT *
                 TERN_BUFFER_ALIGNMENT,
  FIRST_BUCKETS = 64
};

struct tern_packed_store {
  tern_allocator *allocator;
  _Atomic int64_t references;
  tern_hash_key key;
  tern_os_mutex mutex; // guards what follows
  tern_packed **buckets;
  size_t bucket_count; // a power of two
  size_t count;
};

tern_status *tern_packed_store_create(tern_allocator *allocator, tern_packed_store **out_store) {
  tern_packed_store *store;
  TERN_TRY(TERN_NEW(allocator, &store));
  tern_status *status = tern_allocator_calloc(allocator, FIRST_BUCKETS, sizeof *store->buckets,
                                              (void **)&store->buckets);
  if (status) {
    TERN_DELETE(allocator, store);
    return status;
  }
  store->allocator = allocator;
  store->bucket_count = FIRST_BUCKETS;
  atomic_init(&store->references, 1);
  tern_hash_key_init(&store->key);
  tern_os_mutex_init(&store->mutex);
  *out_store = store;
  return NULL;
}

tern_packed_store *tern_packed_store_retain(tern_packed_store *store) {
  atomic_fetch_add_explicit(&store->references, 1, memory_order_relaxed);
  return store;
}

void tern_packed_store_release(tern_packed_store *store) {
  if (!store) return;
  if (atomic_fetch_sub_explicit(&store->references, 1, memory_order_acq_rel) != 1) return;
  tern_os_mutex_deinit(&store->mutex);
  tern_allocator_free(store->allocator, store->buckets,
                      store->bucket_count * sizeof *store->buckets);
  TERN_DELETE(store->allocator, store);
}

// ---- The table. All of it under the mutex.

static tern_packed **bucket_of(const tern_packed_store *store, const tern_hash *hash) {
  return &store->buckets[hash->words[0] & (store->bucket_count - 1)];
}

// A reference to the entry with this hash and allocator, or NULL.
static tern_packed *find(tern_packed_store *store, const tern_hash *hash,
                         const tern_allocator *allocator) {
  for (tern_packed *entry = *bucket_of(store, hash); entry; entry = entry->next) {
    if (entry->allocator != allocator || !tern_hash_equal(&entry->hash, hash)) continue;
    entry->holders++;
    return entry;
  }
  return NULL;
}

// Longer chains are no error: without memory the table stays as it is.
static void grow(tern_packed_store *store) {
  tern_packed_store larger = {.bucket_count = 2 * store->bucket_count};
  tern_status *status = tern_allocator_calloc(store->allocator, larger.bucket_count,
                                              sizeof *larger.buckets, (void **)&larger.buckets);
  if (status) {
    tern_status_ignore(status);
    return;
  }
  for (size_t i = 0; i < store->bucket_count; ++i) {
    for (tern_packed *entry = store->buckets[i], *next; entry; entry = next) {
      next = entry->next;
      tern_packed **bucket = bucket_of(&larger, &entry->hash);
      entry->next = *bucket;
      *bucket = entry;
    }
  }
  tern_allocator_free(store->allocator, store->buckets,
                      store->bucket_count * sizeof *store->buckets);
  store->buckets = larger.buckets;
  store->bucket_count = larger.bucket_count;
}

static void insert(tern_packed_store *store, tern_packed *entry) {
  if (store->count == store->bucket_count) grow(store);
  tern_packed **bucket = bucket_of(store, &entry->hash);
  entry->next = *bucket;
  *bucket = entry;
  store->count++;
}

static void take_out(tern_packed_store *store, const tern_packed *entry) {
  tern_packed **link = bucket_of(store, &entry->hash);
  while (*link != entry) link = &(*link)->next;
  *link = entry->next;
  store->count--;
}

// ---- Entries.

static tern_hash hash_packing(const tern_hash_key *key, const tern_packing *packing) {
  tern_hash hash;
  tern_hash_begin(&hash);
  tern_hash_add(key, packing->layout, strlen(packing->layout), &hash);
  tern_hash_add(key, &packing->bytes, sizeof packing->bytes, &hash);
  for (int32_t i = 0; i < packing->source_count; ++i) {
    const tern_value *source = packing->sources[i];
    tern_dim type[2] = {(tern_dim)source->dtype, source->shape.rank};
    tern_hash_add(key, type, sizeof type, &hash);
    tern_hash_add(key, source->shape.dims, (size_t)source->shape.rank * sizeof(tern_dim), &hash);
    tern_hash_add(key, source->data, source->data_bytes, &hash);
  }
  return hash;
}

static void destroy(tern_packed *entry) {
  tern_packed_store *store = entry->store;
  tern_allocator_free(entry->allocator, entry, entry->bytes);
  tern_packed_store_release(store);
}

// A new entry, in no table yet.
static tern_status *pack(tern_packed_store *store, tern_allocator *allocator,
                         const tern_packing *packing, const tern_hash *hash,
                         tern_packed **out_packed) {
  size_t bytes;
  tern_packed *entry;
  if (!tern_checked_add(packing->bytes, HEADER_BYTES, &bytes)) return tern_status_out_of_memory();
  TERN_TRY(tern_allocator_alloc(allocator, bytes, (void **)&entry));
  *entry = (tern_packed){.store = tern_packed_store_retain(store),
                         .hash = *hash,
                         .allocator = allocator,
                         .holders = 1,
                         .bytes = bytes};
  tern_status *status = packing->fill(packing->context, (char *)entry + HEADER_BYTES);
  if (status) {
    destroy(entry);
    return status;
  }
  *out_packed = entry;
  return NULL;
}

// Puts `made` into the table, unless another thread was first: then theirs is the entry.
static tern_packed *publish(tern_packed_store *store, tern_packed *made) {
  tern_os_mutex_lock(&store->mutex);
  tern_packed *found = find(store, &made->hash, made->allocator);
  if (!found) insert(store, made);
  tern_os_mutex_unlock(&store->mutex);
  if (!found) return made;
  destroy(made);
  return found;
}

tern_status *tern_packed_get(tern_packed_store *store, tern_allocator *allocator,
                             const tern_packing *packing, tern_packed **out_packed) {
  tern_hash hash = hash_packing(&store->key, packing);
  tern_os_mutex_lock(&store->mutex);
  tern_packed *packed = find(store, &hash, allocator);
  tern_os_mutex_unlock(&store->mutex);
  if (!packed) {
    TERN_TRY(pack(store, allocator, packing, &hash, &packed));
    packed = publish(store, packed);
  }
  *out_packed = packed;
  return NULL;
}

tern_packed *tern_packed_retain(tern_packed *packed) {
  tern_os_mutex_lock(&packed->store->mutex);
  packed->holders++;
  tern_os_mutex_unlock(&packed->store->mutex);
  return packed;
}

void tern_packed_release(tern_packed *packed) {
  if (!packed) return;
  tern_packed_store *store = packed->store;
  tern_os_mutex_lock(&store->mutex);
  bool is_last = --packed->holders == 0;
  if (is_last) take_out(store, packed);
  tern_os_mutex_unlock(&store->mutex);
  if (is_last) destroy(packed);
}

// ---- Keepers.

void tern_packed_keeper_init(tern_packed_keeper *out_keeper) {
  *out_keeper = (tern_packed_keeper){0};
  tern_os_mutex_init(&out_keeper->mutex);
}

void tern_packed_keeper_deinit(tern_packed_keeper *keeper) {
  for (size_t i = 0; i < keeper->entries.count; ++i) tern_packed_release(keeper->entries.data[i]);
  TERN_ARRAY_FREE(tern_allocator_system(), &keeper->entries);
  tern_os_mutex_deinit(&keeper->mutex);
}

// The index of the first entry that does not lie before `packed`.
static size_t place_in(const tern_packed_keeper *keeper, const tern_packed *packed) {
  size_t first = 0, end = keeper->entries.count;
  while (first < end) {
    size_t middle = first + (end - first) / 2;
    if ((uintptr_t)keeper->entries.data[middle] < (uintptr_t)packed)
      first = middle + 1;
    else
      end = middle;
  }
  return first;
}

static tern_status *keep(tern_packed_keeper *keeper, tern_packed *packed) {
  size_t at = place_in(keeper, packed), count = keeper->entries.count;
  if (at < count && keeper->entries.data[at] == packed) return NULL;
  TERN_TRY(TERN_ARRAY_RESERVE_ONE(tern_allocator_system(), &keeper->entries));
  tern_packed **place = keeper->entries.data + at;
  memmove(place + 1, place, (count - at) * sizeof(tern_packed *));
  *place = tern_packed_retain(packed);
  keeper->entries.count++;
  return NULL;
}

tern_status *tern_packed_keeper_add(tern_packed_keeper *keeper, tern_packed *packed) {
  tern_os_mutex_lock(&keeper->mutex);
  tern_status *status = keep(keeper, packed);
  tern_os_mutex_unlock(&keeper->mutex);
  return status;
}

const void *tern_packed_data(const tern_packed *packed) {
  return (const char *)packed + HEADER_BYTES;
}

size_t tern_packed_bytes(const tern_packed *packed) {
  return packed->bytes;
}

int64_t tern_packed_holders(const tern_packed *packed) {
  tern_os_mutex_lock(&packed->store->mutex);
  int64_t holders = packed->holders;
  tern_os_mutex_unlock(&packed->store->mutex);
  return holders;
}
