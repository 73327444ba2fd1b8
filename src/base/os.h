// The OS seam: everything the library asks of the operating system beyond the C library. Only
// os_*.c include its headers: os_posix.c holds files, clocks and locks, os_thread.c threads,
// os_cpu.c the number of processors.
#ifndef TERN_BASE_OS_H_
#define TERN_BASE_OS_H_

#include "base/allocator.h"

// NULL when unset. The text is the process's own; copy it to keep it.
const char *tern_os_getenv(const char *name);

// Nanoseconds on a clock that never goes back.
int64_t tern_os_monotonic_ns(void);
// Microseconds since 1970, and the process and thread numbers, for traces and log lines.
int64_t tern_os_wall_clock_us(void);
// The time of day in UTC as "2026-01-31_23-59-59", for file names. Cut when `size` is too small.
void tern_os_format_time(int64_t wall_clock_us, char *out_text, size_t size);
int64_t tern_os_process_id(void);
int64_t tern_os_thread_id(void);

// A file's bytes, mapped read-only or read into memory. `data` stays valid until unmapped; a file
// that is truncated while mapped faults on access, which is the owner's responsibility.
typedef struct tern_os_file {
  const void *data;
  size_t size;
  bool is_mapped;         // false: the bytes were read, copied, or given by someone else
  tern_allocator *reader; // of bytes that were read or copied; whoever closes the file frees them
} tern_os_file;

// Opens `path` (UTF-8): maps it, or with a `reader` reads it into memory of that allocator. Errors
// name the path: TERN_NO_SUCH_FILE where it is missing, TERN_FAIL otherwise (a folder, no
// permission).
TERN_MUST_USE tern_status *tern_os_file_open(const char *path, tern_allocator *reader,
                                             tern_os_file *out_file);
void tern_os_file_close(tern_os_file *file);
// Whether `data` lies among the file's bytes.
static inline bool tern_os_file_contains(const tern_os_file *file, const void *data) {
  uintptr_t begin = (uintptr_t)file->data;
  return (uintptr_t)data >= begin && (uintptr_t)data - begin < file->size;
}

// As above for `relative`, a path below the folder `folder`. Refuses absolute paths, ".."
// components, absolute links and links that lead outside `folder` (TERN_INVALID_ARGUMENT), also
// when files and folders are exchanged meanwhile.
TERN_MUST_USE tern_status *tern_os_file_open_below(const char *folder, const char *relative,
                                                   tern_allocator *reader, tern_os_file *out_file);

// Tells the OS that the mapped bytes will not be read again soon, so that their pages may go. They
// can still be read. Does nothing for bytes that were read.
void tern_os_file_discard(const tern_os_file *file, const void *data, size_t size);

// Writes a whole file through a temporary name and a rename, so that no reader sees a part.
TERN_MUST_USE tern_status *tern_os_file_write(const char *path, const void *data, size_t size);
// The same for what need not be in memory as a whole: `fill` puts its parts, one after the other.
// Its error is passed on, and leaves no file.
typedef struct tern_os_sink tern_os_sink;
TERN_MUST_USE tern_status *
tern_os_file_write_parts(const char *path, tern_status *(*fill)(void *self, tern_os_sink *sink),
                         void *self);
TERN_MUST_USE tern_status *tern_os_sink_put(tern_os_sink *sink, const void *data, size_t size);

// Zeroed memory in whole pages, aligned to TERN_BUFFER_ALIGNMENT at least; NULL where there is
// none. Large blocks ask for huge pages. Giving pages back gives them to the system at once.
void *tern_os_pages_take(size_t size);
void tern_os_pages_give_back(void *data, size_t size);

// Bytes that nobody outside the process can guess, from the system's generator; where that cannot
// be reached, from the clock and from where the process lies in memory.
void tern_os_random(void *out_data, size_t size);

// Mutual exclusion, not recursive.
typedef struct tern_os_mutex {
  union {
    void *align;
    char bytes[64];
  } storage;
} tern_os_mutex;
void tern_os_mutex_init(tern_os_mutex *mutex);
void tern_os_mutex_deinit(tern_os_mutex *mutex);
void tern_os_mutex_lock(tern_os_mutex *mutex);
void tern_os_mutex_unlock(tern_os_mutex *mutex);

// Runs `function` once for each `once`, whichever thread comes first; the others wait.
typedef struct tern_os_once {
  union {
    void *align;
    char bytes[16];
  } storage;
} tern_os_once;
#define TERN_OS_ONCE_INIT                                                                          \
  {                                                                                                \
    { 0 }                                                                                          \
  }
void tern_os_once_run(tern_os_once *once, void (*function)(void));

// A thread of our own. It takes no signals but those that a fault of its own raises, so that the
// program's handlers run on the program's threads.
typedef struct tern_os_thread {
  union {
    void *align;
    char bytes[16];
  } storage;
} tern_os_thread;
// Fails with TERN_FAIL where the system gives no thread. The thread is joined or detached, once.
TERN_MUST_USE tern_status *tern_os_thread_create(void (*function)(void *argument), void *argument,
                                                 tern_os_thread *out_thread);
void tern_os_thread_join(tern_os_thread *thread);
void tern_os_thread_detach(tern_os_thread *thread);
// Of the calling thread, for debuggers; systems cut it to 15 characters.
void tern_os_thread_set_name(const char *name);
// Keeps the calling thread on these processors, numbered from 0 as the system does. False where the
// system refuses, or cannot.
bool tern_os_thread_set_affinity(const int32_t *processors, size_t count);
void tern_os_thread_yield(void);

// Sleeps while *word is `expected`, until tern_os_wake. May return without reason: callers look at
// the word again. Wakes whoever came to wait before the word changed.
void tern_os_wait(_Atomic uint32_t *word, uint32_t expected);
// Wakes up to `count` of those who wait on `word`, which need not be valid memory any more.
void tern_os_wake(_Atomic uint32_t *word, int32_t count);

// Calls `prepare` before a fork, on the thread that forks, and `parent` or `child` after it.
void tern_os_at_fork(void (*prepare)(void), void (*parent)(void), void (*child)(void));

// The threads that this process can keep busy: the cores it may run on, one for several threads of
// a core, and no more than its control groups' quota of processor time, rounded up. At least 1;
// what cannot be read is no limit. Takes system calls and reads files.
int32_t tern_os_cpu_count(void);
// The quota part alone, for tests: 0 without one. `membership` is a file laid out as
// /proc/self/cgroup, `mount` the folder below which versions 1 and 2 of control groups lie.
int32_t tern_os_cgroup_cpus(const char *membership, const char *mount);

#endif
