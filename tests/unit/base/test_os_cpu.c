// How many processors the system lets a process use.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/os.h"
#include "unit/test.h"

static char top[64];

static const char *at(const char *relative) {
  static char path[256];
  snprintf(path, sizeof path, "%s/%s", top, relative);
  return path;
}

static void put(const char *relative, const char *text) {
  char folder[128];
  snprintf(folder, sizeof folder, "%s", relative);
  for (char *slash = strchr(folder, '/'); slash; slash = strchr(slash + 1, '/')) {
    *slash = 0;
    mkdir(at(folder), 0700);
    *slash = '/';
  }
  assert_null(tern_os_file_write(at(relative), text, strlen(text)));
}

static int32_t limit_for(const char *membership) {
  put("membership", membership);
  return tern_os_cgroup_cpus(at("membership"), top);
}

static void make_groups(void) {
  strcpy(top, "/tmp/tern-cgroup-XXXXXX");
  assert_non_null(mkdtemp(top));
  put("a/cpu.max", "max 100000\n");
  put("a/b/cpu.max", "150000 100000\n");
  put("a/b/c/cpu.max", "900000 100000\n");
  put("a/tight/cpu.max", "1000 100000\n");
  put("odd/cpu.max", "what is this\n");
  put("none/cpu.max", "0 0\n");
  put("unified/u/cpu.max", "300000 100000\n");
  put("cpu/old/cpu.cfs_quota_us", "-1\n");
  put("cpu/old/cpu.cfs_period_us", "100000\n");
  put("cpu/old/in/cpu.cfs_quota_us", "50001\n");
  put("cpu/old/in/cpu.cfs_period_us", "50000\n");
  put("cpu,cpuacct/both/cpu.cfs_quota_us", "400000\n");
  put("cpu,cpuacct/both/cpu.cfs_period_us", "100000\n");
}

static void reads_quotas(void **state) {
  (void)state;
  make_groups();
  assert_int_equal(limit_for("0::/\n"), 0);
  assert_int_equal(limit_for("0::/a\n"), 0);
  assert_int_equal(limit_for("0::/a/b\n"), 2);
  assert_int_equal(limit_for("0::/a/b/c\n"), 2); // the group around is tighter
  assert_int_equal(limit_for("0::/a/tight\n"), 1);
  assert_int_equal(limit_for("0::/a/b/not/shown\n"), 2);
  assert_int_equal(limit_for("0::/odd\n0::/none\n"), 0);
  assert_int_equal(limit_for("0::/u\n"), 3);
  assert_int_equal(limit_for("3:memory:/a/b\n4:cpu:/old\n"), 0);
  assert_int_equal(limit_for("4:cpu:/old/in\n"), 2);
  assert_int_equal(limit_for("4:cpu,cpuacct:/both\n"), 4);
  assert_int_equal(limit_for("4:cpuset,cpuacct:/both\n"), 0);
  assert_int_equal(limit_for("4:cpu,cpuacct:/both\n0::/u\n"), 3);
  assert_int_equal(limit_for("nonsense\n:\n::\n"), 0);
  assert_int_equal(tern_os_cgroup_cpus(at("not there"), top), 0);
  char command[96];
  snprintf(command, sizeof command, "rm -r %s", top);
  assert_int_equal(system(command), 0);
}

// This machine's own answer, which no machine is without.
static void finds_a_processor(void **state) {
  (void)state;
  assert_in_range(tern_os_cpu_count(), 1, sysconf(_SC_NPROCESSORS_CONF));
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(reads_quotas),
                                     cmocka_unit_test(finds_a_processor)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
