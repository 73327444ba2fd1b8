// Counting, limits, and the system's memory or a custom allocator's behind them.
#include "api/arena.h"

#include <stdatomic.h>
#include <stdio.h>

#include "api/memory.h"
#include "api/pairs.h"
#include "base/checked.h"
#include "base/os.h"

typedef struct arena_counters {
  _Atomic int64_t in_use, most_in_use, largest;
  _Atomic int64_t allocations, reservations, shrinkages;
} arena_counters;

// One of the ways into an arena that a session is given.
typedef struct entrance {
  tern_allocator base;
  tern_api_arena *arena;
  tern_allocator *source; // of an arena without a custom allocator
  bool reserves;          // held long: by Reserve, and whatever the limit
  bool counts;
} entrance;

struct tern_api_arena {
  OrtAllocator base;
  OrtAllocator *custom; // NULL: the system
  int64_t limit;        // INT64_MAX: none
  _Atomic int64_t references;
  arena_counters counters;
  entrance weights, uncounted, frames, values;
  tern_os_mutex mutex;
  tern_api_arena_member *members; // under the mutex
};

// ---- Custom allocators. Their blocks become aligned ones, with the block's address in front.

static size_t padding(void) {
  return TERN_BUFFER_ALIGNMENT + sizeof(void *);
}

static void *custom_take(OrtAllocator *custom, size_t size, bool reserves) {
  size_t total;
  if (!tern_checked_add(size, padding(), &total)) return NULL;
  bool has_reserve = custom->version >= 18 && custom->Reserve;
  char *block =
      reserves && has_reserve ? custom->Reserve(custom, total) : custom->Alloc(custom, total);
  if (!block) return NULL;
  uintptr_t unaligned = (uintptr_t)block + padding();
  void **data = (void **)(unaligned - unaligned % TERN_BUFFER_ALIGNMENT);
  data[-1] = block;
  return data;
}

static void custom_give(OrtAllocator *custom, void *data) {
  custom->Free(custom, ((void **)data)[-1]);
}

// ---- Counting.

static void raise(_Atomic int64_t *most, int64_t value) {
  int64_t seen = atomic_load_explicit(most, memory_order_relaxed);
  while (value > seen && !atomic_compare_exchange_weak_explicit(
                             most, &seen, value, memory_order_relaxed, memory_order_relaxed)) {
  }
}

static int64_t bytes_in_use(const tern_api_arena *arena) {
  return atomic_load_explicit(&arena->counters.in_use, memory_order_relaxed);
}

// False beyond the limit.
static bool charge(const entrance *in, int64_t size) {
  tern_api_arena *arena = in->arena;
  arena_counters *counters = &arena->counters;
  if (!in->counts) return true;
  int64_t in_use = atomic_fetch_add_explicit(&counters->in_use, size, memory_order_relaxed) + size;
  if (in_use > arena->limit && !in->reserves) {
    atomic_fetch_sub_explicit(&counters->in_use, size, memory_order_relaxed);
    return false;
  }
  raise(&counters->most_in_use, in_use);
  raise(&counters->largest, size);
  atomic_fetch_add_explicit(&counters->allocations, 1, memory_order_relaxed);
  if (in->reserves) atomic_fetch_add_explicit(&counters->reservations, 1, memory_order_relaxed);
  return true;
}

static void discharge(const entrance *in, int64_t size) {
  if (in->counts)
    atomic_fetch_sub_explicit(&in->arena->counters.in_use, size, memory_order_relaxed);
}

static void give_up_all(tern_api_arena *arena) {
  tern_os_mutex_lock(&arena->mutex);
  for (tern_api_arena_member *member = arena->members; member; member = member->next)
    member->give_up(member->self);
  tern_os_mutex_unlock(&arena->mutex);
}

// Memory that is only kept does not stand in the way of a run.
static bool charge_or_shrink(const entrance *in, int64_t size) {
  if (charge(in, size)) return true;
  give_up_all(in->arena);
  return charge(in, size);
}

// A block of `total` bytes that counts as `size`.
static void *take_counted(entrance *in, size_t size, size_t total) {
  tern_api_arena *arena = in->arena;
  if (total > (size_t)INT64_MAX || !charge_or_shrink(in, (int64_t)size)) return NULL;
  void *data = arena->custom ? custom_take(arena->custom, total, in->reserves)
                             : in->source->alloc(in->source->self, total);
  if (data)
    tern_api_arena_retain(arena);
  else
    discharge(in, (int64_t)size);
  return data;
}

static void give_counted(entrance *in, void *data, size_t size, size_t total) {
  tern_api_arena *arena = in->arena;
  if (arena->custom)
    custom_give(arena->custom, data);
  else
    in->source->free(in->source->self, data, total);
  discharge(in, (int64_t)size);
  tern_api_arena_release(arena);
}

static void *take(void *self, size_t size) {
  return take_counted(self, size, size);
}

static void give(void *self, void *data, size_t size) {
  give_counted(self, data, size, size);
}

static tern_status *refuse(void *self, size_t size) {
  entrance *in = self;
  tern_api_arena *arena = in->arena;
  if (in->reserves || !in->counts || arena->limit == INT64_MAX) return NULL;
  for (int attempt = 0; attempt < 2; ++attempt) {
    int64_t in_use = bytes_in_use(arena);
    if (size <= (size_t)INT64_MAX && (int64_t)size <= arena->limit - in_use) return NULL;
    if (attempt == 0) give_up_all(arena);
  }
  return tern_status_over_limit("%zu bytes are needed, the arena may give %lld (max_mem) and has "
                                "given %lld",
                                size, (long long)arena->limit, (long long)bytes_in_use(arena));
}

// ---- What callers are given. They free without a size, so each block begins with what is needed.

typedef struct block_header {
  entrance *in;
  size_t size; // behind the header, which takes TERN_BUFFER_ALIGNMENT bytes
} block_header;

static void *allocate_through(entrance *in, size_t size) {
  size_t total;
  if (size == 0 || !tern_checked_add(size, TERN_BUFFER_ALIGNMENT, &total)) return NULL;
  block_header *header = take_counted(in, size, total);
  if (!header) return NULL;
  *header = (block_header){in, size};
  return (char *)header + TERN_BUFFER_ALIGNMENT;
}

static void *allocate(OrtAllocator *this_, size_t size) {
  return allocate_through(&((tern_api_arena *)this_)->values, size);
}

static void *reserve(OrtAllocator *this_, size_t size) {
  return allocate_through(&((tern_api_arena *)this_)->weights, size);
}

static void release(OrtAllocator *this_, void *p) {
  (void)this_;
  if (!p) return;
  block_header *header = (block_header *)((char *)p - TERN_BUFFER_ALIGNMENT), copy = *header;
  give_counted(copy.in, header, copy.size, copy.size + TERN_BUFFER_ALIGNMENT);
}

static const OrtMemoryInfo *get_info(const OrtAllocator *this_) {
  const tern_api_arena *arena = (const tern_api_arena *)this_;
  return arena->custom ? arena->custom->Info(arena->custom) : tern_api_cpu_memory_info();
}

// ORT's names. Blocks are had from the system one by one: all that is allocated is in use, and each
// block that is no reservation extends the arena.
static tern_status *write_stats(const tern_api_arena *arena, OrtKeyValuePairs *pairs) {
  const arena_counters *counters = &arena->counters;
  const struct {
    const char *key;
    int64_t value;
  } stats[] = {{"InUse", counters->in_use},
               {"Limit", arena->limit == INT64_MAX ? -1 : arena->limit},
               {"MaxAllocSize", counters->largest},
               {"MaxInUse", counters->most_in_use},
               {"NumAllocs", counters->allocations},
               {"NumArenaExtensions", counters->allocations - counters->reservations},
               {"NumArenaShrinkages", counters->shrinkages},
               {"NumReserves", counters->reservations},
               {"RequestedInUse", counters->in_use},
               {"TotalAllocated", counters->in_use}};
  for (size_t i = 0; i < TERN_COUNT_OF(stats); ++i) {
    char text[24];
    snprintf(text, sizeof text, "%lld", (long long)stats[i].value);
    TERN_TRY(tern_api_pairs_set(pairs, stats[i].key, text));
  }
  return NULL;
}

static OrtStatus *get_stats(const OrtAllocator *this_, OrtKeyValuePairs **out) {
  OrtKeyValuePairs *pairs;
  TERN_API_TRY(tern_api_pairs_create(NULL, &pairs));
  tern_status *status = write_stats((const tern_api_arena *)this_, pairs);
  if (status) {
    ort_ReleaseKeyValuePairs(pairs);
    return tern_api_status(status);
  }
  *out = pairs;
  return NULL;
}

static OrtStatus *shrink(OrtAllocator *this_) {
  tern_api_arena_shrink((tern_api_arena *)this_);
  return NULL;
}

// ---- Life.

static void open_entrance(tern_api_arena *arena, tern_allocator *source, entrance *out) {
  *out = (entrance){
      .base = {out, take, give, refuse}, .arena = arena, .source = source, .counts = true};
}

static void init(tern_api_arena *arena, OrtAllocator *custom, size_t limit_bytes) {
  arena->base = (OrtAllocator){.version = ORT_API_VERSION,
                               .Alloc = allocate,
                               .Free = release,
                               .Info = get_info,
                               .Reserve = reserve,
                               .GetStats = get_stats,
                               .Shrink = shrink};
  arena->custom = custom;
  arena->limit =
      limit_bytes == 0 || limit_bytes > (size_t)INT64_MAX ? INT64_MAX : (int64_t)limit_bytes;
  atomic_init(&arena->references, 1);
  open_entrance(arena, tern_allocator_pages(), &arena->weights);
  open_entrance(arena, tern_allocator_pages(), &arena->uncounted);
  open_entrance(arena, tern_allocator_pages(), &arena->frames);
  open_entrance(arena, tern_allocator_system(), &arena->values);
  arena->weights.reserves = true;
  arena->uncounted.counts = false;
  tern_os_mutex_init(&arena->mutex);
}

tern_status *tern_api_arena_create(OrtAllocator *custom, size_t limit_bytes,
                                   tern_api_arena **out_arena) {
  tern_api_arena *arena;
  TERN_TRY(TERN_NEW(tern_allocator_system(), &arena));
  init(arena, custom, limit_bytes);
  *out_arena = arena;
  return NULL;
}

tern_api_arena *tern_api_arena_retain(tern_api_arena *arena) {
  atomic_fetch_add_explicit(&arena->references, 1, memory_order_relaxed);
  return arena;
}

void tern_api_arena_release(tern_api_arena *arena) {
  if (!arena) return;
  if (atomic_fetch_sub_explicit(&arena->references, 1, memory_order_acq_rel) != 1) return;
  tern_os_mutex_deinit(&arena->mutex);
  TERN_DELETE(tern_allocator_system(), arena);
}

static tern_api_arena process_arena;

static void init_process_arena(void) {
  init(&process_arena, NULL, 0);
}

tern_api_arena *tern_api_arena_of_process(void) {
  static tern_os_once once = TERN_OS_ONCE_INIT;
  tern_os_once_run(&once, init_process_arena);
  return &process_arena;
}

OrtAllocator *tern_api_arena_allocator(tern_api_arena *arena) {
  return &arena->base;
}

tern_api_arena *tern_api_arena_of(OrtAllocator *allocator) {
  return (tern_api_arena *)allocator;
}

tern_account_sources tern_api_arena_sources(tern_api_arena *arena) {
  return (tern_account_sources){.weights = &arena->weights.base,
                                .frames = &arena->frames.base,
                                .values = &arena->values.base};
}

tern_allocator *tern_api_arena_uncounted(tern_api_arena *arena) {
  return &arena->uncounted.base;
}

// ---- Members.

void tern_api_arena_join(tern_api_arena *arena, tern_api_arena_member *member) {
  member->arena = tern_api_arena_retain(arena);
  tern_os_mutex_lock(&arena->mutex);
  member->next = arena->members;
  member->link = &arena->members;
  if (member->next) member->next->link = &member->next;
  arena->members = member;
  tern_os_mutex_unlock(&arena->mutex);
}

void tern_api_arena_leave(tern_api_arena_member *member) {
  tern_api_arena *arena = member->arena;
  if (!arena) return;
  tern_os_mutex_lock(&arena->mutex);
  *member->link = member->next;
  if (member->next) member->next->link = member->link;
  tern_os_mutex_unlock(&arena->mutex);
  member->arena = NULL;
  tern_api_arena_release(arena);
}

void tern_api_arena_shrink(tern_api_arena *arena) {
  atomic_fetch_add_explicit(&arena->counters.shrinkages, 1, memory_order_relaxed);
  give_up_all(arena);
}
