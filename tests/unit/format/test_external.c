// External data: slices of files and of the caller's bytes, with offsets and lengths that lie.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "format/external.h"
#include "unit/failing_allocator.h"
#include "unit/test.h"

static char folder[64];

static int set_up(void **state) {
  (void)state;
  strcpy(folder, "/tmp/tern-external-XXXXXX");
  if (!mkdtemp(folder)) return -1;
  char path[128];
  snprintf(path, sizeof path, "%s/w.bin", folder);
  tern_status *status = tern_os_file_write(path, "0123456789abcdef", 16);
  tern_status_ignore(status);
  return status ? -1 : 0;
}

static int tear_down(void **state) {
  (void)state;
  char path[128];
  snprintf(path, sizeof path, "%s/w.bin", folder);
  remove(path);
  return rmdir(folder);
}

static tern_onnx_tensor tensor_at(const char *location, uint64_t offset) {
  static const int64_t dims[] = {2};
  return (tern_onnx_tensor){.dtype = TERN_FLOAT,
                            .dims = dims,
                            .dim_count = 1,
                            .is_external = true,
                            .external_location = {location, strlen(location)},
                            .external_offset = offset};
}

static void slices_are_checked(void **state) {
  (void)state;
  const struct {
    uint64_t offset;
    bool has_length;
    uint64_t length;
    tern_status_code code;
    size_t bytes;
  } cases[] = {
      {4, true, 8, TERN_OK, 8},
      {0, false, 0, TERN_OK, 8}, // what float[2] needs
      {12, false, 0, TERN_OK, 4},
      {16, true, 0, TERN_OK, 0},
      {17, false, 0, TERN_INVALID_PROTOBUF, 0},
      {12, true, 5, TERN_INVALID_PROTOBUF, 0},
      {UINT64_MAX, true, 8, TERN_INVALID_PROTOBUF, 0},
      {8, true, UINT64_MAX - 4, TERN_INVALID_PROTOBUF, 0},
  };
  for (int map = 0; map < 2; ++map) {
    failing_allocator allocator;
    failing_allocator_init(&allocator, 0);
    tern_external_files *files;
    assert_null(
        tern_external_files_create(&allocator.base, folder, map ? NULL : &allocator.base, &files));
    for (size_t i = 0; i < TERN_COUNT_OF(cases); ++i) {
      tern_onnx_tensor tensor = tensor_at("w.bin", cases[i].offset);
      tensor.has_external_length = cases[i].has_length;
      tensor.external_length = cases[i].length;
      tern_span bytes = {0};
      assert_int_equal(take_code(tern_external_files_find(files, &tensor, &bytes)), cases[i].code);
      assert_int_equal(bytes.size, cases[i].bytes);
      if (bytes.size > 0)
        assert_memory_equal(bytes.data, &"0123456789abcdef"[cases[i].offset], bytes.size);
    }
    tern_external_files_destroy(files);
    assert_int_equal(allocator.live_blocks, 0);
  }
}

static void locations_stay_in_the_folder(void **state) {
  (void)state;
  tern_external_files *files;
  assert_null(tern_external_files_create(tern_allocator_system(), folder, NULL, &files));
  const struct {
    tern_span location;
    tern_status_code code;
  } cases[] = {
      {{"../w.bin", 8}, TERN_INVALID_ARGUMENT}, {{"/etc/hostname", 13}, TERN_INVALID_ARGUMENT},
      {{"absent", 6}, TERN_NO_SUCH_FILE},       {{"", 0}, TERN_INVALID_PROTOBUF},
      {{"w.bin\0x", 7}, TERN_INVALID_PROTOBUF},
  };
  for (size_t i = 0; i < TERN_COUNT_OF(cases); ++i) {
    tern_onnx_tensor tensor = tensor_at("", 0);
    tensor.external_location = cases[i].location;
    tern_span bytes;
    assert_int_equal(take_code(tern_external_files_find(files, &tensor, &bytes)), cases[i].code);
  }
  tern_external_files_destroy(files);
}

static void given_bytes_answer_for_a_name(void **state) {
  (void)state;
  failing_allocator allocator;
  failing_allocator_init(&allocator, 0);
  tern_external_files *files;
  assert_null(tern_external_files_create(&allocator.base, NULL, NULL, &files));
  tern_onnx_tensor tensor = tensor_at("w.bin", 2);
  tern_span bytes;
  assert_int_equal(take_code(tern_external_files_find(files, &tensor, &bytes)),
                   TERN_INVALID_ARGUMENT);
  assert_null(tern_external_files_add(files, "w.bin", (tern_span){"xxabcdefgh", 10}));
  assert_null(tern_external_files_find(files, &tensor, &bytes));
  assert_int_equal(bytes.size, 8);
  assert_memory_equal(bytes.data, "abcdefgh", 8);
  assert_null(tern_external_files_add(files, "w.bin", (tern_span){"yyABCDEFGH", 10}));
  assert_null(tern_external_files_find(files, &tensor, &bytes));
  assert_memory_equal(bytes.data, "ABCDEFGH", 8);
  tern_external_files_destroy(files);
  tern_external_files_destroy(NULL);
  assert_int_equal(allocator.live_blocks, 0);
}

static void failed_allocations_are_clean(void **state) {
  (void)state;
  bool finished = false;
  for (int64_t n = 1; !finished; ++n) {
    failing_allocator allocator;
    failing_allocator_init(&allocator, n);
    tern_external_files *files = NULL;
    tern_onnx_tensor tensor = tensor_at("w.bin", 0);
    tern_span bytes;
    tern_status *status = tern_external_files_create(&allocator.base, folder, NULL, &files);
    if (!status) status = tern_external_files_find(files, &tensor, &bytes);
    if (!status) status = tern_external_files_add(files, "other", (tern_span){"", 0});
    finished = status == NULL;
    assert_true(finished || tern_status_is_out_of_memory(status));
    tern_external_files_destroy(files);
    assert_int_equal(allocator.live_blocks, 0);
    assert_true(n < 100);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(slices_are_checked),
      cmocka_unit_test(locations_stay_in_the_folder),
      cmocka_unit_test(given_bytes_answer_for_a_name),
      cmocka_unit_test(failed_allocations_are_clean),
  };
  return cmocka_run_group_tests(tests, set_up, tear_down);
}
