// The OS seam on POSIX systems.
#include "base/os.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <time.h>
#include <unistd.h>

const char *tern_os_getenv(const char *name) {
  return getenv(name);
}

int64_t tern_os_monotonic_ns(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

void tern_os_format_time(int64_t wall_clock_us, char *out_text, size_t size) {
  time_t seconds = (time_t)(wall_clock_us / 1000000);
  struct tm parts = {0};
  gmtime_r(&seconds, &parts);
  if (strftime(out_text, size, "%Y-%m-%d_%H-%M-%S", &parts) == 0 && size > 0) out_text[0] = 0;
}

int64_t tern_os_wall_clock_us(void) {
  struct timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  return (int64_t)now.tv_sec * 1000000 + now.tv_nsec / 1000;
}

int64_t tern_os_process_id(void) {
  return (int64_t)getpid();
}

int64_t tern_os_thread_id(void) {
#ifdef SYS_gettid
  return (int64_t)syscall(SYS_gettid);
#else
  return (int64_t)(intptr_t)pthread_self();
#endif
}

#define HUGE_PAGE_BYTES ((size_t)2 << 20)

static uintptr_t round_up(uintptr_t value, uintptr_t unit) {
  return (value + unit - 1) / unit * unit;
}

static void *take_pages(size_t size) {
  void *data = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  return data == MAP_FAILED ? NULL : data;
}

// Whole huge pages lie within the block when it begins with one. Filling 64 MiB of fresh memory:
// 3.8 GB/s with huge pages, 2.0 without (a virtual machine on Zen 5).
static void *take_huge_pages(size_t size) {
  if (size > SIZE_MAX - HUGE_PAGE_BYTES) return NULL;
  char *around = take_pages(size + HUGE_PAGE_BYTES);
  if (!around) return NULL;
  char *data = (char *)round_up((uintptr_t)around, HUGE_PAGE_BYTES);
  size_t before = (size_t)(data - around);
  if (before > 0) munmap(around, before);
  if (before < HUGE_PAGE_BYTES) munmap(data + size, HUGE_PAGE_BYTES - before);
#ifdef MADV_HUGEPAGE
  madvise(data, size, MADV_HUGEPAGE); // a hint
#endif
  return data;
}

static size_t page_bytes(void) {
  return (size_t)sysconf(_SC_PAGESIZE);
}

void *tern_os_pages_take(size_t size) {
  if (size > SIZE_MAX - page_bytes()) return NULL;
  size = round_up(size, page_bytes());
  return size >= HUGE_PAGE_BYTES ? take_huge_pages(size) : take_pages(size);
}

void tern_os_pages_give_back(void *data, size_t size) {
  munmap(data, round_up(size, page_bytes()));
}

// Fills out_data[done..size) from what differs between processes, mixed as SplitMix64 does.
static void guessable_random(unsigned char *out_data, size_t done, size_t size) {
  uint64_t state = (uint64_t)tern_os_monotonic_ns() ^ (uint64_t)(uintptr_t)&done ^
                   (uint64_t)(uintptr_t)&tern_os_random ^ (uint64_t)getpid() << 32;
  for (; done < size; ++done) {
    state += 0x9e3779b97f4a7c15u;
    uint64_t mixed = (state ^ state >> 30) * 0xbf58476d1ce4e5b9u;
    mixed = (mixed ^ mixed >> 27) * 0x94d049bb133111ebu;
    out_data[done] = (unsigned char)(mixed >> 56);
  }
}

void tern_os_random(void *out_data, size_t size) {
  unsigned char *bytes = out_data;
  size_t done = 0;
  while (done < size) {
    size_t part = size - done < 256 ? size - done : 256; // what one call gives at most
    if (getentropy(bytes + done, part) != 0) break;
    done += part;
  }
  guessable_random(bytes, done, size);
}

static tern_status *open_error(const char *path) {
  int error = errno;
  char text[128];
  if (error == ENOENT || error == ENOTDIR)
    return TERN_ERROR(TERN_NO_SUCH_FILE, "no file '%s'", path);
  if (error == ELOOP || error == EXDEV)
    return TERN_ERROR(TERN_INVALID_ARGUMENT, "'%s' leads outside its folder", path);
  const char *reason = strerror_r(error, text, sizeof text);
  return TERN_ERROR(TERN_FAIL, "cannot open '%s': %s", path, reason);
}

// Reads exactly `size` bytes into `data`.
static tern_status *read_all(int fd, const char *path, void *data, size_t size) {
  for (size_t done = 0; done < size;) {
    ssize_t n = read(fd, (char *)data + done, size - done);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return TERN_ERROR(TERN_FAIL, "'%s' ended while it was read", path);
    done += (size_t)n;
  }
  return NULL;
}

static tern_status *map_file(int fd, const char *path, tern_os_file *file) {
  void *data = mmap(NULL, file->size, PROT_READ, MAP_PRIVATE, fd, 0);
  if (data == MAP_FAILED) return TERN_ERROR(TERN_FAIL, "cannot map '%s'", path);
  file->data = data;
  file->is_mapped = true;
  return NULL;
}

static tern_status *read_file(int fd, const char *path, tern_os_file *file) {
  void *data;
  TERN_TRY(tern_allocator_alloc(file->reader, file->size, &data));
  file->data = data;
  tern_status *status = read_all(fd, path, data, file->size);
  if (status) tern_os_file_close(file);
  return status;
}

static tern_status *load(int fd, const char *path, tern_allocator *reader, tern_os_file *out_file) {
  struct stat info;
  if (fstat(fd, &info) != 0) return open_error(path);
  if (!S_ISREG(info.st_mode)) return TERN_ERROR(TERN_FAIL, "'%s' is not a regular file", path);
  tern_os_file file = {.size = (size_t)info.st_size, .reader = reader};
  if (file.size > 0) TERN_TRY(reader ? read_file(fd, path, &file) : map_file(fd, path, &file));
  *out_file = file;
  return NULL;
}

tern_status *tern_os_file_open(const char *path, tern_allocator *reader, tern_os_file *out_file) {
  int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (fd < 0) return open_error(path);
  tern_status *status = load(fd, path, reader, out_file);
  close(fd);
  return status;
}

void tern_os_file_close(tern_os_file *file) {
  void *data = (void *)(uintptr_t)file->data;
  if (file->is_mapped)
    munmap(data, file->size);
  else if (file->reader)
    tern_allocator_free(file->reader, data, file->size);
  *file = (tern_os_file){0};
}

// True when `relative` is not empty, not absolute and has no ".." component.
static bool stays_below(const char *relative) {
  if (relative[0] == 0 || relative[0] == '/') return false;
  for (const char *p = relative; *p;) {
    size_t n = strcspn(p, "/");
    if (n == 2 && p[0] == '.' && p[1] == '.') return false;
    p += n;
    while (*p == '/') ++p;
  }
  return true;
}

// Folders on the way are only walked through: where the system can say so, that takes no permission
// to read them.
#if defined O_PATH
enum { FOLDER_ACCESS = O_PATH };
#elif defined O_SEARCH
enum { FOLDER_ACCESS = O_SEARCH };
#else
enum { FOLDER_ACCESS = O_RDONLY };
#endif

enum { WALK_MAX_DEPTH = 64, WALK_MAX_LINKS = 40 };

// A path on its way through the file system, one component at a time from the folder it must stay
// below. The system follows no link and no ".." itself: each step starts at a folder that is open,
// so that nothing renamed or replaced meanwhile can lead the path elsewhere.
typedef struct walk {
  int folders[WALK_MAX_DEPTH]; // open; [0] is the folder to stay below
  int depth;                   // of `folders` in use
  int links;                   // followed so far
  char rest[2 * PATH_MAX];     // what is left of the path
} walk;

// Takes the next component off the rest, in place; "" at the end.
static const char *next_component(walk *w, const char **inout_rest) {
  const char *name = *inout_rest + strspn(*inout_rest, "/");
  size_t size = strcspn(name, "/");
  bool is_last = name[size] == 0;
  w->rest[(size_t)(name - w->rest) + size] = 0;
  *inout_rest = name + size + (is_last ? 0 : 1);
  return name;
}

// Puts what the link `name` says in place of it. False, with errno, where it is no link (the errno
// of before stays) or says what is not followed.
static bool follow_link(walk *w, const char *name, const char *rest) {
  char target[PATH_MAX];
  int reason = errno;
  ssize_t size = readlinkat(w->folders[w->depth - 1], name, target, sizeof target);
  size_t left = strlen(rest) + 1;
  errno = reason;
  if (size < 0) return false;
  errno = ELOOP;
  if (++w->links > WALK_MAX_LINKS || size == 0 || target[0] == '/') return false;
  errno = ENAMETOOLONG;
  if ((size_t)size == sizeof target || (size_t)size + 1 + left > sizeof w->rest) return false;
  memmove(w->rest + size + 1, rest, left);
  memcpy(w->rest, target, (size_t)size);
  w->rest[size] = '/';
  return true;
}

static bool leave_folder(walk *w) {
  errno = EXDEV;
  if (w->depth == 1) return false;
  close(w->folders[--w->depth]);
  return true;
}

static bool enter_folder(walk *w, int fd) {
  if (w->depth < WALK_MAX_DEPTH) {
    w->folders[w->depth++] = fd;
    return true;
  }
  close(fd);
  errno = ENAMETOOLONG;
  return false;
}

// The file the rest leads to; -1 with errno.
static int walk_rest(walk *w) {
  const char *rest = w->rest;
  for (;;) {
    const char *name = next_component(w, &rest);
    bool is_last = rest[strspn(rest, "/")] == 0;
    bool is_up = strcmp(name, "..") == 0, is_here = name[0] == 0 || strcmp(name, ".") == 0;
    if (is_last && (is_up || is_here)) return errno = EISDIR, -1;
    if (is_here) continue;
    if (is_up) {
      if (!leave_folder(w)) return -1;
      continue;
    }
    int access = is_last ? O_RDONLY | O_NONBLOCK : FOLDER_ACCESS | O_DIRECTORY;
    int fd = openat(w->folders[w->depth - 1], name, access | O_NOFOLLOW | O_CLOEXEC);
    if (fd >= 0 && is_last) return fd;
    if (fd >= 0) {
      if (!enter_folder(w, fd)) return -1;
      continue;
    }
    if (!follow_link(w, name, rest)) return -1;
    rest = w->rest;
  }
}

static int open_below(int folder, const char *relative) {
  walk w = {.folders = {folder}, .depth = 1};
  snprintf(w.rest, sizeof w.rest, "%s", relative);
  int fd = walk_rest(&w);
  int reason = errno;
  while (w.depth > 1) close(w.folders[--w.depth]);
  errno = reason;
  return fd;
}

tern_status *tern_os_file_open_below(const char *folder, const char *relative,
                                     tern_allocator *reader, tern_os_file *out_file) {
  if (!stays_below(relative))
    return TERN_ERROR(TERN_INVALID_ARGUMENT,
                      "'%s' is not a path inside the folder '%s' (absolute and '..' are refused)",
                      relative, folder);
  char path[PATH_MAX];
  if (!folder[0]) folder = ".";
  int n = snprintf(path, sizeof path, "%s/%s", folder, relative);
  if (n < 0 || (size_t)n >= sizeof path)
    return TERN_ERROR(TERN_INVALID_ARGUMENT, "the path '%.80s...' is too long", relative);
  int below = open(folder, FOLDER_ACCESS | O_DIRECTORY | O_CLOEXEC);
  if (below < 0) return open_error(folder);
  int fd = open_below(below, relative);
  tern_status *status = fd < 0 ? open_error(path) : load(fd, path, reader, out_file);
  if (fd >= 0) close(fd);
  close(below);
  return status;
}

void tern_os_file_discard(const tern_os_file *file, const void *data, size_t size) {
  if (!file->is_mapped || size == 0) return;
  // Only whole pages inside the range: a page shared with a neighbour stays.
  uintptr_t page = page_bytes(), begin = round_up((uintptr_t)data, page);
  uintptr_t end = ((uintptr_t)data + size) & ~(page - 1);
  if (begin < end) madvise((void *)begin, end - begin, MADV_DONTNEED);
}

struct tern_os_sink {
  int fd;
  const char *path;
};

tern_status *tern_os_sink_put(tern_os_sink *sink, const void *data, size_t size) {
  for (size_t done = 0; done < size;) {
    ssize_t n = write(sink->fd, (const char *)data + done, size - done);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return TERN_ERROR(TERN_FAIL, "cannot write '%s'", sink->path);
    done += (size_t)n;
  }
  return NULL;
}

tern_status *tern_os_file_write_parts(const char *path,
                                      tern_status *(*fill)(void *self, tern_os_sink *sink),
                                      void *self) {
  char temporary[PATH_MAX];
  int n = snprintf(temporary, sizeof temporary, "%s.tmp%ld", path, (long)getpid());
  if (n < 0 || (size_t)n >= sizeof temporary)
    return TERN_ERROR(TERN_INVALID_ARGUMENT, "the path '%.80s...' is too long", path);
  tern_os_sink sink = {open(temporary, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666), path};
  if (sink.fd < 0) return open_error(path);
  tern_status *status = fill(self, &sink);
  if (close(sink.fd) != 0 && !status) status = TERN_ERROR(TERN_FAIL, "cannot write '%s'", path);
  if (!status && rename(temporary, path) != 0)
    status = TERN_ERROR(TERN_FAIL, "cannot rename '%s' to '%s'", temporary, path);
  if (status) unlink(temporary);
  return status;
}

typedef struct byte_range {
  const void *data;
  size_t size;
} byte_range;

static tern_status *put_range(void *self, tern_os_sink *sink) {
  const byte_range *range = self;
  return tern_os_sink_put(sink, range->data, range->size);
}

tern_status *tern_os_file_write(const char *path, const void *data, size_t size) {
  byte_range range = {data, size};
  return tern_os_file_write_parts(path, put_range, &range);
}

_Static_assert(sizeof(pthread_mutex_t) <= sizeof(tern_os_mutex), "the mutex must fit");
_Static_assert(sizeof(pthread_once_t) <= sizeof(tern_os_once), "the once flag must fit");

void tern_os_mutex_init(tern_os_mutex *mutex) {
  pthread_mutex_init((pthread_mutex_t *)mutex->storage.bytes, NULL);
}
void tern_os_mutex_deinit(tern_os_mutex *mutex) {
  pthread_mutex_destroy((pthread_mutex_t *)mutex->storage.bytes);
}
void tern_os_mutex_lock(tern_os_mutex *mutex) {
  pthread_mutex_lock((pthread_mutex_t *)mutex->storage.bytes);
}
void tern_os_mutex_unlock(tern_os_mutex *mutex) {
  pthread_mutex_unlock((pthread_mutex_t *)mutex->storage.bytes);
}
void tern_os_once_run(tern_os_once *once, void (*function)(void)) {
  pthread_once((pthread_once_t *)once->storage.bytes, function);
}
