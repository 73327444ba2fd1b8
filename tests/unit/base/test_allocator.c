// The system's allocators and the counting one.
#include "base/allocator.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/os.h"
#include "unit/failing_allocator.h"
#include "unit/test.h"

// What the process has in memory, in bytes.
static int64_t resident_bytes(void) {
  long pages = 0, resident = 0;
  FILE *file = fopen("/proc/self/statm", "r");
  if (!file) return -1;
  if (fscanf(file, "%ld %ld", &pages, &resident) != 2) resident = -1;
  fclose(file);
  return (int64_t)resident * sysconf(_SC_PAGESIZE);
}

static int64_t live_bytes(void) {
  tern_allocator_stats stats;
  tern_allocator_get_stats(&stats);
  return stats.live_bytes;
}

static void blocks_of_every_size_are_aligned_and_counted(void **state) {
  (void)state;
  tern_allocator *const allocators[] = {tern_allocator_system(), tern_allocator_pages()};
  for (size_t a = 0; a < TERN_COUNT_OF(allocators); ++a) {
    for (size_t size = 1; size < (size_t)16 << 20; size = size * 3 + 7) {
      int64_t before = live_bytes();
      char *data;
      assert_null(tern_allocator_alloc(allocators[a], size, (void **)&data));
      assert_int_equal((uintptr_t)data % TERN_BUFFER_ALIGNMENT, 0);
      assert_int_equal(live_bytes() - before, size);
      memset(data, 0xa5, size);
      tern_allocator_free(allocators[a], data, size);
      assert_int_equal(live_bytes(), before);
    }
  }
}

static void what_cannot_be_had_is_refused(void **state) {
  (void)state;
#ifdef TERN_ADDRESS_SANITIZER
  skip(); // it takes such sizes for mistakes
#endif
  static const size_t sizes[] = {SIZE_MAX, SIZE_MAX - 64, SIZE_MAX - ((size_t)2 << 20),
                                 (size_t)INT64_MAX + 1, (size_t)1 << 62};
  for (size_t i = 0; i < TERN_COUNT_OF(sizes); ++i) {
    void *data = NULL;
    int64_t before = live_bytes();
    assert_int_equal(take_code(tern_allocator_alloc(tern_allocator_pages(), sizes[i], &data)),
                     TERN_FAIL);
    assert_int_equal(take_code(tern_allocator_alloc(tern_allocator_system(), sizes[i], &data)),
                     TERN_FAIL);
    assert_null(data);
    assert_int_equal(live_bytes(), before);
  }
}

// Blocks of pages go back although others around them are in use.
static void pages_go_back_at_once(void **state) {
  (void)state;
#ifdef TERN_ADDRESS_SANITIZER
  skip();
#endif
  enum { BLOCKS = 64, BYTES = 600 << 10 };
  char *blocks[BLOCKS];
  int64_t before = resident_bytes();
  if (before < 0) skip();
  for (int i = 0; i < BLOCKS; ++i) {
    assert_null(tern_allocator_alloc(tern_allocator_pages(), BYTES, (void **)&blocks[i]));
    memset(blocks[i], 1, BYTES);
  }
  assert_true(resident_bytes() - before >= (int64_t)BLOCKS * BYTES * 9 / 10);
  for (int i = 0; i < BLOCKS - 1; ++i)
    tern_allocator_free(tern_allocator_pages(), blocks[i], BYTES);
  assert_true(resident_bytes() - before < (int64_t)4 * BYTES);
  tern_allocator_free(tern_allocator_pages(), blocks[BLOCKS - 1], BYTES);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(blocks_of_every_size_are_aligned_and_counted),
      cmocka_unit_test(what_cannot_be_had_is_refused),
      cmocka_unit_test(pages_go_back_at_once),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
