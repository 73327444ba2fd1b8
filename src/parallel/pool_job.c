// Jobs: posting one, joining one, and taking items. Nothing here takes a lock.
#include "parallel/pool_internal.h"

// ---- The gate of a slot, in one word: whether the job takes helpers, whether its caller sleeps
// until they are done, how many more it takes, how many are at work.
enum {
  GATE_HELPER = 1,
  GATE_HELPER_MASK = 0x3fff,
  GATE_PLACE = 0x4000,
  GATE_PLACE_MASK = 0x0fffc000,
  GATE_SLEEPS = 1 << 28,
  GATE_OPEN = 1 << 29,
};
_Static_assert(TERN_POOL_MAX_THREADS < (int)GATE_HELPER_MASK, "all workers may join one job");

// What a thread must win for another to be worth having, in ns. Measured on a virtual machine of
// two processors: a worker that looks for work is there and gone in about 1 us (bench/pool.c); one
// that sleeps comes 10 to 50 us later and costs the caller 2 to 5.
enum { WORTH_NS = 5000, WORTH_WAKING_NS = 40000 };

// With a flag that stops the work, a caller alone looks at it about this often.
enum { LOOK_NS = 1000000 };

// Looks at the clock once for so many looks at the word that is waited for.
enum { PAUSES = 32 };

// The job that this thread works on: a job inside it runs here. And which of the innermost job's
// threads this is.
static _Thread_local const tern_pool_slot *working_on;
static _Thread_local int32_t lane;

// ---- Items.

static bool is_stopped(const _Atomic bool *stop) {
  return stop && atomic_load_explicit(stop, memory_order_relaxed);
}

// Takes what is left in shrinking shares, so that threads that started late or were taken off their
// processor leave little to wait for.
static bool take_items(tern_pool_slot *slot, int64_t *out_begin, int64_t *out_end) {
  int64_t next = atomic_load_explicit(&slot->next, memory_order_relaxed), share;
  do {
    int64_t left = slot->count - next;
    if (left <= 0) return false;
    share = tern_min_i64(left, tern_max_i64(slot->least, left / (2 * slot->threads)));
  } while (!atomic_compare_exchange_weak_explicit(&slot->next, &next, next + share,
                                                  memory_order_relaxed, memory_order_relaxed));
  *out_begin = next;
  *out_end = next + share;
  return true;
}

static void work_on(tern_pool_slot *slot, int32_t as_lane) {
  int64_t begin, end;
  working_on = slot;
  lane = as_lane;
  while (take_items(slot, &begin, &end))
    if (!is_stopped(slot->stop)) slot->fn(slot->context, begin, end);
  working_on = NULL;
  lane = 0;
}

// The caller alone.
static void work_alone(const tern_parallel *parallel, int64_t count, int64_t item_ns,
                       tern_parallel_fn fn, void *context) {
  const _Atomic bool *stop = parallel ? parallel->stop : NULL;
  int64_t share = stop ? tern_max_i64(1, LOOK_NS / item_ns) : count;
  int32_t around = lane;
  lane = 0;
  for (int64_t begin = 0; begin < count && !is_stopped(stop);) {
    int64_t end = count - begin > share ? begin + share : count;
    fn(context, begin, end);
    begin = end;
  }
  lane = around;
}

int32_t tern_parallel_lane(void) {
  return lane;
}

// ---- Helpers.

static uint64_t bit_of(const tern_pool *pool, const tern_pool_slot *slot) {
  return (uint64_t)1 << (slot - pool->slots);
}

static void hide(tern_pool *pool, const tern_pool_slot *slot) {
  if (atomic_load_explicit(&pool->open, memory_order_relaxed) & bit_of(pool, slot))
    atomic_fetch_and_explicit(&pool->open, ~bit_of(pool, slot), memory_order_relaxed);
}

// Whoever is through the gate keeps the slot from being used for another job, so the bits that it
// clears are this job's.
// Each place is a lane; the caller's is 0. 0 where there is no place.
static int32_t join(tern_pool *pool, tern_pool_slot *slot) {
  uint32_t gate = atomic_load_explicit(&slot->gate, memory_order_relaxed);
  do {
    if (!(gate & GATE_OPEN) || !(gate & GATE_PLACE_MASK)) return 0;
  } while (!atomic_compare_exchange_weak_explicit(&slot->gate, &gate,
                                                  gate - GATE_PLACE + GATE_HELPER,
                                                  memory_order_acquire, memory_order_relaxed));
  int32_t place = (int32_t)((gate & GATE_PLACE_MASK) / GATE_PLACE);
  if (place == 1) hide(pool, slot);
  return place;
}

static void leave(tern_pool_slot *slot) {
  uint32_t before = atomic_fetch_sub_explicit(&slot->gate, GATE_HELPER, memory_order_release);
  if ((before & GATE_SLEEPS) && (before & GATE_HELPER_MASK) == GATE_HELPER)
    tern_os_wake(&slot->gate, 1);
}

bool tern_pool_help(tern_pool *pool, uint32_t start) {
  uint64_t open = atomic_load_explicit(&pool->open, memory_order_relaxed);
  if (!open) return false;
  uint64_t from_start = open & (UINT64_MAX << (start % TERN_POOL_SLOTS));
  tern_pool_slot *slot = &pool->slots[__builtin_ctzll(from_start ? from_start : open)];
  int32_t place = join(pool, slot);
  if (!place) return false;
  tern_float_mode mode = tern_float_mode_get();
  if (slot->mode != mode) tern_float_mode_set(slot->mode);
  work_on(slot, place);
  if (slot->mode != mode) tern_float_mode_set(mode);
  hide(pool, slot);
  leave(slot);
  return true;
}

// ---- Callers.

// How many threads pay for themselves where each must win `worth` ns.
static int64_t worth_threads(const tern_parallel *parallel, int64_t count, int64_t item_ns,
                             int64_t worth) {
  if (!parallel || !parallel->pool || count < 2 * worth / item_ns) return 1;
  int64_t paid = item_ns >= worth ? count : count / (worth / item_ns);
  return tern_max_i64(1, tern_min_i64(parallel->max_threads, tern_min_i64(count, paid)));
}

int32_t tern_parallel_lanes(const tern_parallel *parallel, int64_t count, int64_t item_ns) {
  return (int32_t)worth_threads(parallel, count, item_ns < 1 ? 1 : item_ns, WORTH_NS);
}

// No more than the job has lanes.
static int32_t choose_threads(const tern_parallel *parallel, int64_t count, int64_t item_ns) {
  if (working_on || worth_threads(parallel, count, item_ns, WORTH_NS) == 1) return 1;
  tern_pool *pool = parallel->pool;
  if (atomic_load_explicit(&pool->lacks_threads, memory_order_relaxed)) tern_pool_restart(pool);
  bool is_awake = atomic_load_explicit(&pool->spinning, memory_order_relaxed) > 0;
  int64_t threads = worth_threads(parallel, count, item_ns, is_awake ? WORTH_NS : WORTH_WAKING_NS);
  return (int32_t)tern_min_i64(threads, tern_pool_thread_count(pool));
}

static tern_pool_slot *take_slot(tern_pool *pool) {
  uint64_t taken = atomic_load_explicit(&pool->taken, memory_order_relaxed);
  int index;
  do {
    if (taken == UINT64_MAX) return NULL;
    index = __builtin_ctzll(~taken);
  } while (!atomic_compare_exchange_weak_explicit(&pool->taken, &taken,
                                                  taken | (uint64_t)1 << index,
                                                  memory_order_acquire, memory_order_relaxed));
  return &pool->slots[index];
}

static void give_slot_back(tern_pool *pool, const tern_pool_slot *slot) {
  atomic_fetch_and_explicit(&pool->taken, ~bit_of(pool, slot), memory_order_release);
}

static void post(tern_pool *pool, tern_pool_slot *slot, int32_t threads) {
  uint32_t places = (uint32_t)(threads - 1);
  atomic_store_explicit(&slot->gate, GATE_OPEN | places * GATE_PLACE, memory_order_release);
  // In one order with the counts of tern_pool_call_workers: a worker that goes to sleep sees the
  // job, or is seen asleep.
  atomic_fetch_or_explicit(&pool->open, bit_of(pool, slot), memory_order_seq_cst);
  tern_pool_call_workers(pool, threads - 1);
}

// Lets nobody else in and waits for those who are: a while awake, because most are about to leave,
// then asleep, because one may have been taken off its processor.
static void finish(tern_pool *pool, tern_pool_slot *slot) {
  hide(pool, slot);
  uint32_t gate =
      atomic_fetch_and_explicit(&slot->gate, ~(uint32_t)GATE_OPEN, memory_order_acquire);
  if (!(gate & GATE_HELPER_MASK)) return;
  int64_t deadline = pool->spin_ns ? tern_os_monotonic_ns() + pool->spin_ns : 0;
  for (int i = 0; pool->spin_ns; i = (i + 1) % PAUSES) {
    gate = atomic_load_explicit(&slot->gate, memory_order_acquire);
    if (!(gate & GATE_HELPER_MASK)) return;
    tern_pool_pause();
    if (i == PAUSES - 1 && tern_os_monotonic_ns() > deadline) break;
  }
  gate = atomic_fetch_or_explicit(&slot->gate, GATE_SLEEPS, memory_order_acquire) | GATE_SLEEPS;
  while (gate & GATE_HELPER_MASK) {
    tern_os_wait(&slot->gate, gate);
    gate = atomic_load_explicit(&slot->gate, memory_order_acquire);
  }
}

void tern_parallel_for(const tern_parallel *parallel, int64_t count, int64_t item_ns,
                       tern_parallel_fn fn, void *context) {
  if (count <= 0) return;
  if (item_ns < 1) item_ns = 1;
  int32_t threads = choose_threads(parallel, count, item_ns);
  tern_pool *pool = threads > 1 ? parallel->pool : NULL;
  tern_pool_slot *slot = pool ? take_slot(pool) : NULL;
  if (!slot) {
    work_alone(parallel, count, item_ns, fn, context);
    return;
  }
  slot->fn = fn;
  slot->context = context;
  slot->stop = parallel->stop;
  slot->count = count;
  slot->least = tern_max_i64(1, tern_min_i64(WORTH_NS / 4 / item_ns, count / threads));
  slot->threads = threads;
  slot->mode = tern_float_mode_get();
  atomic_store_explicit(&slot->next, 0, memory_order_relaxed);
  post(pool, slot, threads);
  work_on(slot, 0);
  finish(pool, slot);
  give_slot_back(pool, slot);
}

// The slot that the forking thread works on stays its own; nobody helps there any more.
void tern_pool_forget_jobs(tern_pool *pool) {
  uint64_t kept = 0;
  for (size_t i = 0; i < TERN_POOL_SLOTS; ++i) {
    if (working_on == &pool->slots[i]) kept = (uint64_t)1 << i;
    atomic_store_explicit(&pool->slots[i].gate, 0, memory_order_relaxed);
  }
  atomic_store_explicit(&pool->open, 0, memory_order_relaxed);
  atomic_store_explicit(&pool->taken, kept, memory_order_relaxed);
}
