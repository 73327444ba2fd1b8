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

#include "base/allocator.h"

const char *tern_os_getenv(const char *name) {
  return getenv(name);
}

int64_t tern_os_monotonic_ns(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
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

static tern_status *load(int fd, const char *path, bool map, tern_os_file *out_file) {
  struct stat info;
  if (fstat(fd, &info) != 0) return open_error(path);
  if (!S_ISREG(info.st_mode)) return TERN_ERROR(TERN_FAIL, "'%s' is not a regular file", path);
  tern_os_file file = {.size = (size_t)info.st_size, .is_mapped = map};
  if (file.size == 0) {
    file.is_mapped = false;
  } else if (map) {
    void *data = mmap(NULL, file.size, PROT_READ, MAP_PRIVATE, fd, 0);
    if (data == MAP_FAILED) return TERN_ERROR(TERN_FAIL, "cannot map '%s'", path);
    file.data = data;
  } else {
    void *data;
    TERN_TRY(tern_allocator_alloc(tern_allocator_system(), file.size, &data));
    tern_status *status = read_all(fd, path, data, file.size);
    if (status) {
      tern_allocator_free(tern_allocator_system(), data, file.size);
      return status;
    }
    file.data = data;
  }
  *out_file = file;
  return NULL;
}

tern_status *tern_os_file_open(const char *path, bool map, tern_os_file *out_file) {
  int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (fd < 0) return open_error(path);
  tern_status *status = load(fd, path, map, out_file);
  close(fd);
  return status;
}

void tern_os_file_close(tern_os_file *file) {
  if (file->is_mapped) {
    munmap((void *)(uintptr_t)file->data, file->size);
  } else {
    tern_allocator_free(tern_allocator_system(), (void *)(uintptr_t)file->data, file->size);
  }
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

// Checks that `path`, with every link resolved, lies below `folder`, with every link resolved.
static tern_status *check_below(const char *folder, const char *path) {
  char real_folder[PATH_MAX], real_path[PATH_MAX];
  if (!realpath(folder, real_folder)) return open_error(folder);
  if (!realpath(path, real_path)) return open_error(path);
  size_t n = strlen(real_folder);
  bool is_root = n == 1 && real_folder[0] == '/';
  if (!is_root && (strncmp(real_folder, real_path, n) != 0 || real_path[n] != '/'))
    return TERN_ERROR(TERN_INVALID_ARGUMENT, "'%s' is a link that leads outside '%s'", path,
                      folder);
  return NULL;
}

tern_status *tern_os_file_open_below(const char *folder, const char *relative, bool map,
                                     tern_os_file *out_file) {
  if (!stays_below(relative))
    return TERN_ERROR(TERN_INVALID_ARGUMENT,
                      "'%s' is not a path inside the folder '%s' (absolute and '..' are refused)",
                      relative, folder);
  char path[PATH_MAX];
  int n = snprintf(path, sizeof path, "%s/%s", folder[0] ? folder : ".", relative);
  if (n < 0 || (size_t)n >= sizeof path)
    return TERN_ERROR(TERN_INVALID_ARGUMENT, "the path '%.80s...' is too long", relative);
  TERN_TRY(check_below(folder[0] ? folder : ".", path));
  return tern_os_file_open(path, map, out_file);
}

void tern_os_file_discard(const tern_os_file *file, const void *data, size_t size) {
  if (!file->is_mapped || size == 0) return;
  // Only whole pages inside the range: a page shared with a neighbour stays.
  uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
  uintptr_t begin = ((uintptr_t)data + page - 1) & ~(page - 1);
  uintptr_t end = ((uintptr_t)data + size) & ~(page - 1);
  if (begin < end) madvise((void *)begin, end - begin, MADV_DONTNEED);
}

static tern_status *write_all(int fd, const char *path, const void *data, size_t size) {
  for (size_t done = 0; done < size;) {
    ssize_t n = write(fd, (const char *)data + done, size - done);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return TERN_ERROR(TERN_FAIL, "cannot write '%s'", path);
    done += (size_t)n;
  }
  return NULL;
}

tern_status *tern_os_file_write(const char *path, const void *data, size_t size) {
  char temporary[PATH_MAX];
  int n = snprintf(temporary, sizeof temporary, "%s.tmp%ld", path, (long)getpid());
  if (n < 0 || (size_t)n >= sizeof temporary)
    return TERN_ERROR(TERN_INVALID_ARGUMENT, "the path '%.80s...' is too long", path);
  int fd = open(temporary, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (fd < 0) return open_error(path);
  tern_status *status = write_all(fd, path, data, size);
  if (close(fd) != 0 && !status) status = TERN_ERROR(TERN_FAIL, "cannot write '%s'", path);
  if (!status && rename(temporary, path) != 0)
    status = TERN_ERROR(TERN_FAIL, "cannot rename '%s' to '%s'", temporary, path);
  if (status) unlink(temporary);
  return status;
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
