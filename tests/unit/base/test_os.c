// Files: mapped and read, written whole, and kept below their folder.
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/os.h"
#include "unit/failing_allocator.h"
#include "unit/test.h"

// A folder of its own for each run: top/inside/{weights,empty,sub/deep,...} and top/secret.
static char top[64], path[256];

static const char *at(const char *relative) {
  snprintf(path, sizeof path, "%s/%s", top, relative);
  return path;
}

static void put(const char *relative, const char *text) {
  assert_null(tern_os_file_write(at(relative), text, strlen(text)));
}

static void put_link(const char *target, const char *relative) {
  assert_int_equal(symlink(target, at(relative)), 0);
}

static int set_up(void **state) {
  (void)state;
  strcpy(top, "/tmp/tern-os-XXXXXX");
  if (!mkdtemp(top)) return -1;
  mkdir(at("inside"), 0700);
  mkdir(at("inside/sub"), 0700);
  put("secret", "secret");
  put("inside/weights", "weights");
  put("inside/empty", "");
  put("inside/sub/deep", "deep");
  char absolute[128];
  snprintf(absolute, sizeof absolute, "%s/secret", top);
  put_link("../secret", "inside/escape");
  put_link(absolute, "inside/absolute");
  put_link("..", "inside/up");
  put_link("weights", "inside/alias");
  put_link("../weights", "inside/sub/alias");
  put_link("loop", "inside/loop");
  snprintf(absolute, sizeof absolute, "%s/inside/weights", top);
  put_link(absolute, "inside/inward");
  put("inside/sub/secret", "inner!");
  put_link("sub", "inside/turn");
  return 0;
}

static int tear_down(void **state) {
  (void)state;
  const char *const files[] = {
      "inside/sub/alias", "inside/sub/deep", "inside/sub/secret", "inside/sub",  "inside/escape",
      "inside/absolute",  "inside/up",       "inside/alias",      "inside/loop", "inside/inward",
      "inside/turn",      "inside/weights",  "inside/empty",      "inside",      "secret"};
  for (size_t i = 0; i < TERN_COUNT_OF(files); ++i) remove(at(files[i]));
  return rmdir(top);
}

static tern_status_code open_below(const char *relative, bool map, const char *expected) {
  char folder[128];
  snprintf(folder, sizeof folder, "%s/inside", top);
  tern_os_file file;
  tern_status *status =
      tern_os_file_open_below(folder, relative, map ? NULL : tern_allocator_system(), &file);
  if (status) return take_code(status);
  assert_int_equal(file.size, strlen(expected));
  if (file.size > 0) assert_memory_equal(file.data, expected, file.size);
  tern_os_file_close(&file);
  return TERN_OK;
}

static void files_below_are_opened(void **state) {
  (void)state;
  for (int map = 0; map < 2; ++map) {
    assert_int_equal(open_below("weights", map, "weights"), TERN_OK);
    assert_int_equal(open_below("./weights", map, "weights"), TERN_OK);
    assert_int_equal(open_below("sub//deep", map, "deep"), TERN_OK);
    assert_int_equal(open_below("empty", map, ""), TERN_OK);
    assert_int_equal(open_below("alias", map, "weights"), TERN_OK);
    assert_int_equal(open_below("sub/alias", map, "weights"), TERN_OK);
  }
}

static void ways_out_are_refused(void **state) {
  (void)state;
  const char *const ways[] = {"../secret",     "sub/../../secret", "..",       "",
                              "/etc/hostname", "escape",           "absolute", "up/secret",
                              "loop",          "sub/..",           "inward",   "up/inside/weights"};
  for (size_t i = 0; i < TERN_COUNT_OF(ways); ++i)
    assert_int_equal(open_below(ways[i], true, ""), TERN_INVALID_ARGUMENT);
}

// Turns the link between a folder inside and the one outside until told to stop.
static void *turn_link(void *stop) {
  char link[128], spare[128];
  snprintf(link, sizeof link, "%s/inside/turn", top);
  snprintf(spare, sizeof spare, "%s/spare", top);
  for (int i = 0; !atomic_load((atomic_bool *)stop); ++i) {
    if (symlink(i % 2 ? "sub" : "..", spare) || rename(spare, link)) return stop;
  }
  return NULL;
}

// Both places have a file of that name: whatever the link says at which moment, only the inner one
// is ever opened.
static void links_that_turn_lead_nowhere_else(void **state) {
  (void)state;
  char folder[128];
  snprintf(folder, sizeof folder, "%s/inside", top);
  atomic_bool stop = false;
  pthread_t turner;
  assert_int_equal(pthread_create(&turner, NULL, turn_link, &stop), 0);
  int opened = 0, outer = 0, others = 0;
  for (int i = 0; i < 20000; ++i) {
    tern_os_file file;
    tern_status *status =
        tern_os_file_open_below(folder, "turn/secret", tern_allocator_system(), &file);
    if (status) {
      others += take_code(status) != TERN_INVALID_ARGUMENT;
      continue;
    }
    ++opened;
    outer += memcmp(file.data, "secret", 6) == 0;
    tern_os_file_close(&file);
  }
  atomic_store(&stop, true);
  void *failure;
  assert_int_equal(pthread_join(turner, &failure), 0);
  assert_null(failure);
  assert_int_equal(outer, 0);
  assert_int_equal(others, 0);
  assert_true(opened > 0);
}

static void failures_say_what_is_wrong(void **state) {
  (void)state;
  assert_int_equal(open_below("absent", true, ""), TERN_NO_SUCH_FILE);
  assert_int_equal(open_below("weights/below", true, ""), TERN_NO_SUCH_FILE);
  assert_int_equal(open_below("sub", true, ""), TERN_FAIL);
  char *longer = malloc(70000);
  memset(longer, 'a', 69999);
  longer[69999] = 0;
  assert_int_equal(open_below(longer, true, ""), TERN_INVALID_ARGUMENT);
  free(longer);
  tern_os_file file;
  tern_status *status = tern_os_file_open(at("absent"), NULL, &file);
  assert_non_null(strstr(tern_status_message(status), "absent"));
  assert_int_equal(take_code(status), TERN_NO_SUCH_FILE);
}

static void discarded_pages_can_still_be_read(void **state) {
  (void)state;
  size_t size = 3 * 65536 + 5;
  char *bytes = malloc(size);
  for (size_t i = 0; i < size; ++i) bytes[i] = (char)(i * 7 % 251);
  assert_null(tern_os_file_write(at("secret"), bytes, size));
  tern_os_file file;
  assert_null(tern_os_file_open(at("secret"), NULL, &file));
  assert_memory_equal(file.data, bytes, size);
  tern_os_file_discard(&file, (const char *)file.data + 1, size - 1);
  assert_memory_equal(file.data, bytes, size);
  tern_os_file_close(&file);
  free(bytes);
}

static void writes_leave_no_temporary(void **state) {
  (void)state;
  assert_int_equal(take_code(tern_os_file_write(at("nowhere/file"), "x", 1)), TERN_NO_SUCH_FILE);
  assert_int_equal(take_code(tern_os_file_write(at("inside"), "x", 1)), TERN_FAIL);
  char temporary[128];
  snprintf(temporary, sizeof temporary, "%s/inside.tmp%ld", top, (long)getpid());
  assert_int_not_equal(access(temporary, F_OK), 0);
}

// Two parts, then an error where `self` says so.
static tern_status *put_parts(void *self, tern_os_sink *sink) {
  TERN_TRY(tern_os_sink_put(sink, "one ", 4));
  TERN_TRY(tern_os_sink_put(sink, "two", 3));
  return *(bool *)self ? TERN_ERROR(TERN_NOT_FOUND, "a part is missing") : NULL;
}

static void parts_make_a_file_or_none(void **state) {
  (void)state;
  bool fails = true;
  const char *parts = at("inside/parts");
  assert_int_equal(take_code(tern_os_file_write_parts(parts, put_parts, &fails)), TERN_NOT_FOUND);
  assert_int_not_equal(access(parts, F_OK), 0);
  fails = false;
  assert_null(tern_os_file_write_parts(parts, put_parts, &fails));
  tern_os_file file;
  assert_null(tern_os_file_open(parts, tern_allocator_system(), &file));
  assert_int_equal(file.size, 7);
  assert_memory_equal(file.data, "one two", 7);
  tern_os_file_close(&file);
  assert_int_equal(unlink(parts), 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(files_below_are_opened),
      cmocka_unit_test(ways_out_are_refused),
      cmocka_unit_test(links_that_turn_lead_nowhere_else),
      cmocka_unit_test(failures_say_what_is_wrong),
      cmocka_unit_test(discarded_pages_can_still_be_read),
      cmocka_unit_test(writes_leave_no_temporary),
      cmocka_unit_test(parts_make_a_file_or_none),
  };
  return cmocka_run_group_tests(tests, set_up, tear_down);
}
