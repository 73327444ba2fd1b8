// Packed weights that sessions share. Kernels ask for them with tern_prepare_packed; what has been
// packed before, from the same bytes in the same layout, is not packed again. An environment has
// one store for its sessions, a session without one its own.
//
// An entry lives as long as somebody holds it. Equal hashes (base/hash.h) count as equal bytes.
#ifndef TERN_SESSION_PACKED_STORE_H_
#define TERN_SESSION_PACKED_STORE_H_

#include "base/array.h"
#include "base/os.h"
#include "providers/provider.h"

typedef struct tern_packed_store tern_packed_store;
typedef struct tern_packed tern_packed;

// Any number of threads may use a store at once. It is counted: create gives one reference, each
// entry holds one too.
TERN_MUST_USE tern_status *tern_packed_store_create(tern_allocator *allocator,
                                                    tern_packed_store **out_store);
tern_packed_store *tern_packed_store_retain(tern_packed_store *store);
// Accepts NULL.
void tern_packed_store_release(tern_packed_store *store);

// The entry for `packing`, from the store or packed now; the caller's reference. `allocator` gives
// the bytes and must outlive every holder: entries of different allocators are not shared.
TERN_MUST_USE tern_status *tern_packed_get(tern_packed_store *store, tern_allocator *allocator,
                                           const tern_packing *packing, tern_packed **out_packed);
tern_packed *tern_packed_retain(tern_packed *packed);
// Accepts NULL.
void tern_packed_release(tern_packed *packed);

// Holds every entry it has seen, for sessions that come after the last holder has gone. Any number
// of threads.
typedef struct tern_packed_keeper {
  tern_os_mutex mutex;
  TERN_ARRAY(tern_packed *) entries; // by address, each once
} tern_packed_keeper;
void tern_packed_keeper_init(tern_packed_keeper *out_keeper);
void tern_packed_keeper_deinit(tern_packed_keeper *keeper);
TERN_MUST_USE tern_status *tern_packed_keeper_add(tern_packed_keeper *keeper, tern_packed *packed);

const void *tern_packed_data(const tern_packed *packed);
// What the allocator gave for it.
size_t tern_packed_bytes(const tern_packed *packed);
// References in all; others may come and go meanwhile.
int64_t tern_packed_holders(const tern_packed *packed);

#endif
