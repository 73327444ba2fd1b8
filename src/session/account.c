// Accounts. Counters are relaxed atomics: each is exact by itself, and their sum is when nothing is
// allocated meanwhile.
#include "session/account.h"

#include <stdatomic.h>

const char *const tern_memory_use_names[TERN_MEMORY_USE_COUNT] = {
    [TERN_MEMORY_MODEL] = "model",     [TERN_MEMORY_SOURCE] = "source",
    [TERN_MEMORY_WEIGHTS] = "weights", [TERN_MEMORY_KERNELS] = "kernels",
    [TERN_MEMORY_PACKED] = "packed",   [TERN_MEMORY_PROGRAM] = "program",
    [TERN_MEMORY_PLANS] = "plans",     [TERN_MEMORY_PROFILE] = "profile",
    [TERN_MEMORY_FRAMES] = "frames",   [TERN_MEMORY_VALUES] = "values",
};

typedef struct use_allocator {
  tern_allocator base;
  tern_account *account;
  tern_allocator *source;
  _Atomic int64_t live_bytes;
} use_allocator;

struct tern_account {
  use_allocator uses[TERN_MEMORY_USE_COUNT];
  _Atomic int64_t blocks; // handed out, the account among them as long as the session lives
};

// A block goes, or the session: the last takes the account along.
static void drop_block(tern_account *account) {
  if (atomic_fetch_sub_explicit(&account->blocks, 1, memory_order_acq_rel) != 1) return;
  tern_allocator *source = account->uses[TERN_MEMORY_MODEL].source;
  TERN_DELETE(source, account);
}

static void *use_alloc(void *self, size_t size) {
  use_allocator *use = self;
  void *data = use->source->alloc(use->source->self, size);
  if (!data) return NULL;
  atomic_fetch_add_explicit(&use->live_bytes, (int64_t)size, memory_order_relaxed);
  atomic_fetch_add_explicit(&use->account->blocks, 1, memory_order_relaxed);
  return data;
}

static void use_free(void *self, void *data, size_t size) {
  use_allocator *use = self;
  atomic_fetch_sub_explicit(&use->live_bytes, (int64_t)size, memory_order_relaxed);
  use->source->free(use->source->self, data, size);
  drop_block(use->account);
}

static tern_status *use_refuse(void *self, size_t size) {
  return tern_allocator_check(((use_allocator *)self)->source, size);
}

static tern_allocator *source_of(const tern_account_sources *sources, tern_memory_use use) {
  switch (use) {
  case TERN_MEMORY_SOURCE:
  case TERN_MEMORY_WEIGHTS:
  case TERN_MEMORY_KERNELS:
  case TERN_MEMORY_PACKED:
    return sources->weights;
  case TERN_MEMORY_FRAMES:
    return sources->frames;
  case TERN_MEMORY_VALUES:
    return sources->values;
  default:
    return sources->structures;
  }
}

tern_status *tern_account_create(const tern_account_sources *sources, tern_account **out_account) {
  tern_account *account;
  TERN_TRY(TERN_NEW(sources->structures, &account));
  for (int i = 0; i < TERN_MEMORY_USE_COUNT; ++i) {
    use_allocator *use = &account->uses[i];
    use->base = (tern_allocator){use, use_alloc, use_free, use_refuse};
    use->account = account;
    use->source = source_of(sources, (tern_memory_use)i);
  }
  atomic_init(&account->uses[TERN_MEMORY_MODEL].live_bytes, (int64_t)sizeof *account);
  atomic_init(&account->blocks, 1);
  *out_account = account;
  return NULL;
}

void tern_account_release(tern_account *account) {
  if (account) drop_block(account);
}

tern_allocator *tern_account_allocator(tern_account *account, tern_memory_use use) {
  return &account->uses[use].base;
}

int64_t tern_account_bytes(const tern_account *account, tern_memory_use use) {
  return atomic_load_explicit(&account->uses[use].live_bytes, memory_order_relaxed);
}
