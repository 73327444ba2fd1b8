// How many processors the OS lets this process use.
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/os.h"

// Reads the start of a small text file of the system's. False where there is none to read.
static bool read_text(const char *path, char *out_text, size_t size) {
  FILE *file = fopen(path, "re");
  if (!file) return false;
  size_t got = fread(out_text, 1, size - 1, file);
  out_text[got] = 0;
  fclose(file);
  return got > 0;
}

// ---- Control groups: https://docs.kernel.org/admin-guide/cgroup-v2.html#cpu-interface-files and
// https://docs.kernel.org/scheduler/sched-bwc.html

static int32_t smaller_limit(int32_t a, int32_t b) {
  if (a == 0 || b == 0) return a + b;
  return a < b ? a : b;
}

// Processors for a quota of microseconds in each period; 0 for none.
static int32_t quota_cpus(int64_t quota, int64_t period) {
  if (quota <= 0 || period <= 0 || quota > INT64_MAX - period) return 0;
  int64_t cpus = (quota + period - 1) / period;
  return cpus > INT32_MAX ? 0 : (int32_t)cpus;
}

// "150000 100000", or "max 100000".
static int32_t read_limit_v2(const char *folder) {
  char path[PATH_MAX], text[128];
  int64_t quota, period;
  if ((size_t)snprintf(path, sizeof path, "%s/cpu.max", folder) >= sizeof path) return 0;
  if (!read_text(path, text, sizeof text)) return 0;
  if (sscanf(text, "%" SCNd64 " %" SCNd64, &quota, &period) != 2) return 0;
  return quota_cpus(quota, period);
}

static bool read_number(const char *folder, const char *name, int64_t *out_number) {
  char path[PATH_MAX], text[64];
  if ((size_t)snprintf(path, sizeof path, "%s/%s", folder, name) >= sizeof path) return false;
  return read_text(path, text, sizeof text) && sscanf(text, "%" SCNd64, out_number) == 1;
}

static int32_t read_limit_v1(const char *folder) {
  int64_t quota, period;
  if (!read_number(folder, "cpu.cfs_quota_us", &quota) ||
      !read_number(folder, "cpu.cfs_period_us", &period))
    return 0;
  return quota_cpus(quota, period);
}

// The tightest limit of the group `path` below `root` and of the groups around it. Those that a
// container does not show are passed over.
static int32_t limit_upwards(const char *root, const char *path,
                             int32_t (*read_limit)(const char *folder)) {
  char folder[PATH_MAX];
  size_t root_size = strlen(root);
  if ((size_t)snprintf(folder, sizeof folder, "%s%s", root, path) >= sizeof folder) return 0;
  int32_t limit = 0;
  for (;;) {
    limit = smaller_limit(limit, read_limit(folder));
    char *slash = strrchr(folder, '/');
    if (!slash || (size_t)(slash - folder) < root_size) return limit;
    *slash = 0;
  }
}

static bool has_cpu_controller(const char *controllers) {
  for (const char *p = controllers; *p;) {
    size_t size = strcspn(p, ",");
    if (size == 3 && strncmp(p, "cpu", 3) == 0) return true;
    p += size + (p[size] == ',');
  }
  return false;
}

// One line of the membership file: "<number>:<controllers>:<path>". Version 2 names no controllers,
// and lies in "unified" where both versions are mounted.
static int32_t limit_of_line(char *line, const char *mount) {
  char root[PATH_MAX];
  char *controllers = strchr(line, ':');
  char *path = controllers ? strchr(controllers + 1, ':') : NULL;
  if (!path) return 0;
  *controllers++ = 0;
  *path++ = 0;
  path[strcspn(path, "\n")] = 0;
  if (strcmp(path, "/") == 0) path = "";
  if (*controllers && !has_cpu_controller(controllers)) return 0;
  int32_t limit = 0;
  for (int i = 0; i < 2; ++i) {
    const char *folder = *controllers ? (i ? controllers : "cpu") : (i ? "unified" : ".");
    if ((size_t)snprintf(root, sizeof root, "%s/%s", mount, folder) >= sizeof root) return 0;
    limit = smaller_limit(limit,
                          limit_upwards(root, path, *controllers ? read_limit_v1 : read_limit_v2));
  }
  return limit;
}

int32_t tern_os_cgroup_cpus(const char *membership, const char *mount) {
  FILE *file = fopen(membership, "re");
  if (!file) return 0;
  char *line = NULL;
  size_t capacity = 0;
  int32_t limit = 0;
  while (getline(&line, &capacity, file) > 0)
    limit = smaller_limit(limit, limit_of_line(line, mount));
  free(line);
  fclose(file);
  return limit;
}

// ---- Affinity.

#ifdef __linux__

// Whether an earlier processor of the set is a thread of the same core. The list's first number is
// the core's first thread: "0,64" or "0-1".
static bool shares_core(size_t cpu, const cpu_set_t *set, size_t bytes) {
  char path[96], text[64];
  snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu%zu/topology/thread_siblings_list", cpu);
  unsigned long first;
  if (!read_text(path, text, sizeof text) || sscanf(text, "%lu", &first) != 1) return false;
  return first < cpu && CPU_ISSET_S(first, bytes, set);
}

static int32_t count_cores(const cpu_set_t *set, size_t bytes) {
  int32_t cores = 0;
  for (size_t cpu = 0; cpu < bytes * CHAR_BIT; ++cpu)
    cores += CPU_ISSET_S(cpu, bytes, set) && !shares_core(cpu, set, bytes);
  return cores;
}

// Cores that the calling thread may run on; 0 where the system does not say.
static int32_t allowed_cores(void) {
  // The system refuses a set that has no room for all processors it could have.
  for (size_t room = CPU_SETSIZE; room <= (size_t)1 << 20; room *= 2) {
    cpu_set_t *set = CPU_ALLOC(room);
    if (!set) return 0;
    size_t bytes = CPU_ALLOC_SIZE(room);
    CPU_ZERO_S(bytes, set);
    bool known = sched_getaffinity(0, bytes, set) == 0;
    bool too_small = !known && errno == EINVAL;
    int32_t cores = known ? count_cores(set, bytes) : 0;
    CPU_FREE(set);
    if (!too_small) return cores;
  }
  return 0;
}

#else

static int32_t allowed_cores(void) {
  return 0;
}

#endif

int32_t tern_os_cpu_count(void) {
  int32_t count = allowed_cores();
  if (count <= 0) count = (int32_t)sysconf(_SC_NPROCESSORS_ONLN);
  count = smaller_limit(count > 0 ? count : 1,
                        tern_os_cgroup_cpus("/proc/self/cgroup", "/sys/fs/cgroup"));
  return count;
}
