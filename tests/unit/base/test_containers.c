// Arenas, arrays, maps, statuses and checked sizes.
#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "base/array.h"
#include "base/checked.h"
#include "unit/failing_allocator.h"
#include "unit/test.h"

static void arena_blocks_do_not_overlap(void **state) {
  (void)state;
  failing_allocator allocator;
  failing_allocator_init(&allocator, 0);
  tern_arena arena;
  tern_arena_init(&allocator.base, &arena);
  enum { COUNT = 300 };
  unsigned char *blocks[COUNT];
  for (size_t i = 0; i < COUNT; ++i) {
    size_t size = i * 37 % 5000;
    assert_null(tern_arena_alloc(&arena, size, (void **)&blocks[i]));
    assert_int_equal((uintptr_t)blocks[i] % 16, 0);
    for (size_t k = 0; k < size; ++k) assert_int_equal(blocks[i][k], 0);
    if (size > 0) memset(blocks[i], (int)(i & 0xff), size);
  }
  for (size_t i = 0; i < COUNT; ++i) {
    size_t size = i * 37 % 5000;
    for (size_t k = 0; k < size; ++k) assert_int_equal(blocks[i][k], i & 0xff);
  }
  const char *text;
  assert_null(tern_arena_format(&arena, &text, "%s=%d", "answer", 42));
  assert_string_equal(text, "answer=42");
  assert_null(tern_arena_copy_text(&arena, NULL, 0, &text));
  assert_string_equal(text, "");
  void *none = NULL;
  assert_true(tern_status_is_out_of_memory(tern_arena_calloc(&arena, SIZE_MAX / 2, 3, &none)));
  assert_true(tern_status_is_out_of_memory(tern_arena_alloc(&arena, SIZE_MAX - 4, &none)));
  assert_null(none);
  tern_arena_deinit(&arena);
  assert_int_equal(allocator.live_blocks, 0);
}

static tern_status *push_all(tern_allocator *allocator, int count, int64_t *out_sum) {
  TERN_ARRAY(int) array = {0};
  tern_status *status = NULL;
  for (int i = 0; i < count && !status; ++i) {
    status = TERN_ARRAY_RESERVE_ONE(allocator, &array);
    if (!status) array.data[array.count++] = i;
  }
  *out_sum = 0;
  for (size_t i = 0; i < array.count; ++i) *out_sum += array.data[i];
  TERN_ARRAY_FREE(allocator, &array);
  return status;
}

static void arrays_grow_and_free(void **state) {
  (void)state;
  failing_allocator allocator;
  failing_allocator_init(&allocator, 0);
  int64_t sum;
  assert_null(push_all(&allocator.base, 1000, &sum));
  assert_int_equal(sum, 499500);
  assert_int_equal(allocator.live_bytes, 0);
  failing_allocator_init(&allocator, 3);
  assert_true(tern_status_is_out_of_memory(push_all(&allocator.base, 1000, &sum)));
  assert_int_equal(sum, 28); // eight elements fitted
  assert_int_equal(allocator.live_bytes, 0);
}

static void maps_find_what_was_set(void **state) {
  (void)state;
  enum { COUNT = 2000 };
  static char keys[COUNT][16];
  tern_map map;
  tern_map_init(tern_allocator_system(), &map);
  assert_null(tern_map_get(&map, "absent"));
  for (int i = 0; i < COUNT; ++i) {
    snprintf(keys[i], sizeof keys[i], "key%d", i);
    assert_null(tern_map_set(&map, keys[i], keys[i]));
  }
  assert_null(tern_map_set(&map, "key7", keys[0]));
  assert_int_equal(map.count, COUNT);
  for (int i = 0; i < COUNT; ++i)
    assert_ptr_equal(tern_map_get(&map, keys[i]), i == 7 ? keys[0] : keys[i]);
  assert_null(tern_map_get(&map, "key2000"));
  assert_null(tern_map_get(&map, ""));
  tern_map_deinit(&map);
}

static void statuses_carry_code_message_and_place(void **state) {
  (void)state;
  tern_status *status = TERN_ERROR(TERN_NO_SUCH_FILE, "no '%s'", "x");
  status = tern_status_annotate(status, "model %d", 3);
  assert_int_equal(tern_status_get_code(status), TERN_NO_SUCH_FILE);
  assert_string_equal(tern_status_message(status), "model 3: no 'x'");
  assert_non_null(strstr(tern_status_where(status), "test_containers.c:"));
  tern_status_free(status);
  assert_null(tern_status_annotate(NULL, "nothing"));
  assert_int_equal(tern_status_get_code(NULL), TERN_OK);
  status = tern_status_annotate(tern_status_out_of_memory(), "kept as it is");
  assert_true(tern_status_is_out_of_memory(status));
  tern_status_free(status);
}

static void checked_sizes_refuse_overflow(void **state) {
  (void)state;
  size_t size = 7;
  int64_t number = 7;
  assert_false(tern_checked_add(SIZE_MAX, 1, &size));
  assert_false(tern_checked_mul(SIZE_MAX / 2, 3, &size));
  assert_false(tern_checked_align(SIZE_MAX - 3, 64, &size));
  assert_false(tern_checked_add_i64(INT64_MAX, 1, &number));
  assert_false(tern_checked_mul_i64(INT64_MIN, -1, &number));
  assert_int_equal(size, 7);
  assert_int_equal(number, 7);
  assert_true(tern_checked_align(65, 64, &size));
  assert_int_equal(size, 128);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(arena_blocks_do_not_overlap),
      cmocka_unit_test(arrays_grow_and_free),
      cmocka_unit_test(maps_find_what_was_set),
      cmocka_unit_test(statuses_carry_code_message_and_place),
      cmocka_unit_test(checked_sizes_refuse_overflow),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
