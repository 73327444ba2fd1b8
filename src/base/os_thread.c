// Threads of the OS seam: life, names, affinity, sleeping on a word of memory, forks.
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>

#include "base/allocator.h"
#include "base/os.h"

// Defined by the test that holds the portable sleep to what the system call does.
#if defined __linux__ && !defined TERN_OS_WITHOUT_FUTEX
#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>
#define HAS_FUTEX 1
#else
#define HAS_FUTEX 0
#endif

// ---- Life.

typedef struct start {
  void (*function)(void *);
  void *argument;
} start;

static void *enter(void *argument) {
  start begin = *(start *)argument;
  TERN_DELETE(tern_allocator_system(), (start *)argument);
  begin.function(begin.argument);
  return NULL;
}

_Static_assert(sizeof(pthread_t) <= sizeof(tern_os_thread), "the thread must fit");

static pthread_t handle_of(const tern_os_thread *thread) {
  pthread_t handle;
  memcpy(&handle, thread->storage.bytes, sizeof handle);
  return handle;
}

// Everything but what a fault in the thread itself raises.
static void fill_blocked(sigset_t *out_signals) {
  static const int faults[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGABRT};
  sigfillset(out_signals);
  for (size_t i = 0; i < TERN_COUNT_OF(faults); ++i) sigdelset(out_signals, faults[i]);
}

tern_status *tern_os_thread_create(void (*function)(void *), void *argument,
                                   tern_os_thread *out_thread) {
  start *begin;
  TERN_TRY(TERN_NEW(tern_allocator_system(), &begin));
  *begin = (start){function, argument};
  // A thread inherits the mask of its creator.
  sigset_t blocked, before;
  fill_blocked(&blocked);
  pthread_sigmask(SIG_SETMASK, &blocked, &before);
  pthread_t handle;
  int error = pthread_create(&handle, NULL, enter, begin);
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  if (error) {
    TERN_DELETE(tern_allocator_system(), begin);
    return TERN_ERROR(TERN_FAIL, "the system gives no thread (error %d)", error);
  }
  memcpy(out_thread->storage.bytes, &handle, sizeof handle);
  return NULL;
}

void tern_os_thread_join(tern_os_thread *thread) {
  pthread_join(handle_of(thread), NULL);
}

void tern_os_thread_detach(tern_os_thread *thread) {
  pthread_detach(handle_of(thread));
}

// ---- The calling thread.

void tern_os_thread_set_name(const char *name) {
#ifdef __linux__
  char cut[16] = {0};
  strncpy(cut, name, sizeof cut - 1);
  pthread_setname_np(pthread_self(), cut);
#else
  (void)name;
#endif
}

bool tern_os_thread_set_affinity(const int32_t *processors, size_t count) {
#ifdef __linux__
  int32_t largest = 0;
  for (size_t i = 0; i < count; ++i) {
    if (processors[i] < 0) return false;
    if (processors[i] > largest) largest = processors[i];
  }
  cpu_set_t *set = CPU_ALLOC((size_t)largest + 1);
  if (!set) return false;
  size_t bytes = CPU_ALLOC_SIZE((size_t)largest + 1);
  CPU_ZERO_S(bytes, set);
  for (size_t i = 0; i < count; ++i) CPU_SET_S((size_t)processors[i], bytes, set);
  bool done = pthread_setaffinity_np(pthread_self(), bytes, set) == 0;
  CPU_FREE(set);
  return done;
#else
  (void)processors, (void)count;
  return false;
#endif
}

void tern_os_thread_yield(void) {
  sched_yield();
}

// ---- Sleeping.

#if HAS_FUTEX

void tern_os_wait(_Atomic uint32_t *word, uint32_t expected) {
  syscall(SYS_futex, word, FUTEX_WAIT_PRIVATE, expected, NULL, NULL, 0);
}

void tern_os_wake(_Atomic uint32_t *word, int32_t count) {
  syscall(SYS_futex, word, FUTEX_WAKE_PRIVATE, count, NULL, NULL, 0);
}

#else

// One lock for the words that share a bucket. Whoever wakes one wakes all of its bucket.
enum { BUCKETS = 16 };
static struct bucket {
  pthread_mutex_t mutex;
  pthread_cond_t condition;
} buckets[BUCKETS];
static pthread_once_t buckets_once = PTHREAD_ONCE_INIT;

static void init_buckets(void) {
  for (size_t i = 0; i < BUCKETS; ++i) {
    pthread_mutex_init(&buckets[i].mutex, NULL);
    pthread_cond_init(&buckets[i].condition, NULL);
  }
}

// Whoever held a bucket's lock is not there in a forked child.
static void start_buckets(void) {
  init_buckets();
  pthread_atfork(NULL, NULL, init_buckets);
}

static struct bucket *bucket_of(const _Atomic uint32_t *word) {
  pthread_once(&buckets_once, start_buckets);
  return &buckets[(uintptr_t)word / 64 % BUCKETS];
}

void tern_os_wait(_Atomic uint32_t *word, uint32_t expected) {
  struct bucket *bucket = bucket_of(word);
  pthread_mutex_lock(&bucket->mutex);
  if (atomic_load(word) == expected) pthread_cond_wait(&bucket->condition, &bucket->mutex);
  pthread_mutex_unlock(&bucket->mutex);
}

void tern_os_wake(_Atomic uint32_t *word, int32_t count) {
  (void)count;
  struct bucket *bucket = bucket_of(word);
  pthread_mutex_lock(&bucket->mutex);
  pthread_cond_broadcast(&bucket->condition);
  pthread_mutex_unlock(&bucket->mutex);
}

#endif

void tern_os_at_fork(void (*prepare)(void), void (*parent)(void), void (*child)(void)) {
  pthread_atfork(prepare, parent, child);
}
