// Readers of inputs: what they accept, what they refuse, and that no bytes at all make them crash.
#include "cli_test.h"

#include <stdio.h>

#include "input.h"
#include "npy.h"

static const cli_type FLOAT = ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT;
static const cli_type INT64 = ONNX_TENSOR_ELEMENT_DATA_TYPE_INT64;
static const cli_type STRING = ONNX_TENSOR_ELEMENT_DATA_TYPE_STRING;
static const cli_type BOOL = ONNX_TENSOR_ELEMENT_DATA_TYPE_BOOL;
static const cli_type BFLOAT16 = ONNX_TENSOR_ELEMENT_DATA_TYPE_BFLOAT16;

// Bytes of a file under construction.
typedef struct file {
  uint8_t bytes[1024];
  size_t size;
} file;

static void put(file *out, const void *bytes, size_t size) {
  memcpy(out->bytes + out->size, bytes, size);
  out->size += size;
}

static void put_number(file *out, uint64_t value, size_t size) {
  for (size_t i = 0; i < size; i++) out->bytes[out->size++] = (uint8_t)(value >> (8 * i));
}

static file npy_file(const char *dict, const void *data, size_t size) {
  file npy = {{0}, 0};
  put(&npy, "\x93NUMPY\x01\x00", 8);
  put_number(&npy, strlen(dict), 2);
  put(&npy, dict, strlen(dict));
  put(&npy, data, size);
  return npy;
}

static void assert_dims(const cli_tensor *tensor, size_t rank, const int64_t *dims) {
  assert_int_equal(tensor->rank, rank);
  for (size_t i = 0; i < rank; i++) assert_int_equal(tensor->dims[i], dims[i]);
}

static const float six[] = {1, 2, 3, 4, 5, 6};
static const char six_dict[] = "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }\n";

static void npy_in_c_order(void **state) {
  file npy = npy_file(six_dict, six, sizeof six);
  cli_tensor tensor;
  assert_success(cli_npy_parse(*state, npy.bytes, npy.size, FLOAT, &tensor));
  assert_dims(&tensor, 2, (int64_t[]){2, 3});
  assert_memory_equal(tensor.data, six, sizeof six);
}

static void npy_in_fortran_order_and_big_endian(void **state) {
  // Columns of [[1, 2, 3], [4, 5, 6]].
  uint8_t data[] = {0, 1, 0, 4, 0, 2, 0, 5, 0, 3, 0, 6};
  int16_t rows[] = {1, 2, 3, 4, 5, 6};
  file npy = npy_file("{\"shape\":(2L,3L),'fortran_order':True,'descr':'>i2'}", data, sizeof data);
  cli_tensor tensor;
  assert_success(cli_npy_parse(*state, npy.bytes, npy.size, FLOAT, &tensor));
  assert_int_equal(tensor.type, ONNX_TENSOR_ELEMENT_DATA_TYPE_INT16);
  assert_memory_equal(tensor.data, rows, sizeof rows);
}

static void npy_of_text_becomes_utf8(void **state) {
  const uint32_t points[] = {'a', 0xE9, 0, 0x65E5, 0x1F600, 0};
  file npy =
      npy_file("{'descr': '<U3', 'fortran_order': False, 'shape': (2,), }", points, sizeof points);
  cli_tensor tensor;
  assert_success(cli_npy_parse(*state, npy.bytes, npy.size, STRING, &tensor));
  assert_string_equal(tensor.strings[0], "a\xC3\xA9");
  assert_string_equal(tensor.strings[1], "\xE6\x97\xA5\xF0\x9F\x98\x80");
}

static void npy_of_raw_bytes_takes_the_wanted_type(void **state) {
  const uint16_t codes[] = {0x3F80};
  file npy = npy_file("{'descr': '|V2', 'fortran_order': False, 'shape': (), }", codes, 2);
  cli_tensor tensor;
  assert_success(cli_npy_parse(*state, npy.bytes, npy.size, BFLOAT16, &tensor));
  assert_int_equal(tensor.rank, 0);
  assert_true(cli_element_load(BFLOAT16, tensor.data, 0).real == 1);
  assert_failure(cli_npy_parse(*state, npy.bytes, npy.size, FLOAT, &tensor), CLI_FAILED, "|V2");
}

static void npy_headers_that_lie_are_refused(void **state) {
  static const char *const dicts[] = {
      "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 4), }",
      "{'descr': '<f4', 'fortran_order': False, 'shape': (9223372036854775807, 8), }",
      "{'descr': '<f4', 'fortran_order': False, 'shape': (99999999999999999999,), }",
      "{'descr': '<f4', 'fortran_order': False, 'shape': (-2, 3), }",
      "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3",
      "{'descr': '<f4', 'fortran_order': False}",
      "{'descr': '<f4', 'descr': '<f4', 'fortran_order': False, 'shape': (2, 3)}",
      "{'descr': '|O', 'fortran_order': False, 'shape': (2, 3), }",
      "{'descr': '<U0', 'fortran_order': False, 'shape': (99999999,), }",
      "{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (6,), }",
      "__import__('os')",
      "",
  };
  for (size_t i = 0; i < sizeof dicts / sizeof dicts[0]; i++) {
    file npy = npy_file(dicts[i], six, sizeof six);
    cli_tensor tensor;
    cli_status *status = cli_npy_parse(*state, npy.bytes, npy.size, FLOAT, &tensor);
    if (!status) fail_msg("accepted: %s", dicts[i]);
    cli_status_free(status);
  }
}

static void npy_files_are_read_back(void **state) {
  const char *path = "cli_input_test.npy";
  const char *texts[] = {"", "\xE6\x97\xA5 x"};
  uint8_t *bytes;
  size_t size;
  cli_tensor tensor, again;
  assert_success(cli_tensor_new(*state, STRING, 2, (int64_t[]){2, 1}, &tensor));
  for (size_t i = 0; i < 2; i++) tensor.strings[i] = cli_copy(*state, texts[i], strlen(texts[i]));
  assert_success(cli_npy_write(*state, path, &tensor));
  assert_success(cli_file_read(*state, path, &bytes, &size));
  remove(path);
  assert_int_equal(bytes[10 + bytes[8] - 1], '\n');
  assert_int_equal((10 + bytes[8]) % 64, 0);
  assert_success(cli_npy_parse(*state, bytes, size, STRING, &again));
  assert_dims(&again, 2, (int64_t[]){2, 1});
  for (size_t i = 0; i < 2; i++) assert_string_equal(again.strings[i], texts[i]);
}

// A zip archive of one member that holds `data` as it is, or as `packed`.
static file zip_file(const char *name, const void *packed, size_t packed_size, size_t size,
                     uint32_t crc, bool deflated) {
  file zip = {{0}, 0};
  put_number(&zip, 0x04034b50, 4);
  put_number(&zip, 20, 4); // version, flags
  put_number(&zip, deflated ? 8 : 0, 2);
  put_number(&zip, 0, 4); // time
  put_number(&zip, crc, 4);
  put_number(&zip, packed_size, 4);
  put_number(&zip, size, 4);
  put_number(&zip, strlen(name), 2);
  put_number(&zip, 0, 2);
  put(&zip, name, strlen(name));
  put(&zip, packed, packed_size);
  size_t directory = zip.size;
  put_number(&zip, 0x02014b50, 4);
  put_number(&zip, 20, 2);
  put_number(&zip, 20, 4);
  put_number(&zip, deflated ? 8 : 0, 2);
  put_number(&zip, 0, 4);
  put_number(&zip, crc, 4);
  put_number(&zip, packed_size, 4);
  put_number(&zip, size, 4);
  put_number(&zip, strlen(name), 2);
  put_number(&zip, 0, 8); // extra, comment, disk, attributes
  put_number(&zip, 0, 4);
  put_number(&zip, 0, 4); // place of the member
  put(&zip, name, strlen(name));
  size_t directory_size = zip.size - directory;
  put_number(&zip, 0x06054b50, 4);
  put_number(&zip, 0, 4);
  put_number(&zip, 1, 2);
  put_number(&zip, 1, 2);
  put_number(&zip, directory_size, 4);
  put_number(&zip, directory, 4);
  put_number(&zip, 0, 2);
  return zip;
}

// "hello hello hello hello" as raw deflate, and its CRC-32.
static const uint8_t hello_packed[] = {0xCB, 0x48, 0xCD, 0xC9, 0xC9, 0x57, 0xC8, 0x40, 0x27, 0x01};
enum { HELLO_BYTES = 23 };
static const uint32_t hello_crc = 0x8D3D51E3u;

static file stored_hello(void) {
  return zip_file("x.npy", "hello hello hello hello", HELLO_BYTES, HELLO_BYTES, hello_crc, false);
}

static void zip_members_by_name_or_alone(void **state) {
  file zip = stored_hello();
  const uint8_t *bytes;
  size_t size;
  assert_success(cli_zip_member(*state, zip.bytes, zip.size, "x", &bytes, &size));
  assert_int_equal(size, HELLO_BYTES);
  assert_memory_equal(bytes, "hello hello", 11);
  assert_success(cli_zip_member(*state, zip.bytes, zip.size, NULL, &bytes, &size));
  assert_failure(cli_zip_member(*state, zip.bytes, zip.size, "y", &bytes, &size), CLI_FAILED,
                 "no member 'y' in it; it has 'x'");
}

static void zip_members_are_inflated(void **state) {
  file zip = zip_file("x.npy", hello_packed, sizeof hello_packed, HELLO_BYTES, hello_crc, true);
  const uint8_t *bytes;
  size_t size;
  cli_status *status = cli_zip_member(*state, zip.bytes, zip.size, "x", &bytes, &size);
#ifdef TERN_CLI_ZLIB
  assert_success(status);
  assert_memory_equal(bytes, "hello hello hello hello", HELLO_BYTES);
  zip = zip_file("x.npy", hello_packed, sizeof hello_packed, HELLO_BYTES, hello_crc ^ 1, true);
  assert_failure(cli_zip_member(*state, zip.bytes, zip.size, "x", &bytes, &size), CLI_FAILED,
                 "checksum");
  zip = zip_file("x.npy", hello_packed, sizeof hello_packed, HELLO_BYTES - 1, hello_crc, true);
  assert_failure(cli_zip_member(*state, zip.bytes, zip.size, "x", &bytes, &size), CLI_FAILED,
                 "damaged");
  zip = zip_file("x.npy", hello_packed, sizeof hello_packed, 0xF0000000u, hello_crc, true);
  assert_failure(cli_zip_member(*state, zip.bytes, zip.size, "x", &bytes, &size), CLI_FAILED,
                 "false");
#else
  assert_failure(status, CLI_FAILED, "zlib1g-dev");
#endif
}

// [1, 2, 3] of float32 with dims 3: fields 1, 2 and packed 4.
static const uint8_t floats_pb[] = {0x08, 3, 0x10, 1, 0x22, 12, 0, 0,    0x80,
                                    0x3F, 0, 0,    0, 0x40, 0,  0, 0x40, 0x40};

static void pb_with_typed_and_raw_data(void **state) {
  cli_tensor tensor;
  assert_success(cli_pb_parse(*state, floats_pb, sizeof floats_pb, &tensor));
  assert_dims(&tensor, 1, (int64_t[]){3});
  assert_memory_equal(tensor.data, six, 3 * sizeof(float));
  // int64 [-1] unpacked, bool [true] in int32_data, a text, a scalar in raw data.
  static const uint8_t minus_one[] = {0x08, 1,    0x10, 7,    0x38, 0xFF, 0xFF, 0xFF,
                                      0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x01};
  assert_success(cli_pb_parse(*state, minus_one, sizeof minus_one, &tensor));
  assert_true(*(int64_t *)tensor.data == -1);
  static const uint8_t truth[] = {0x10, 9, 0x0A, 1, 1, 0x2A, 1, 1};
  assert_success(cli_pb_parse(*state, truth, sizeof truth, &tensor));
  assert_int_equal(tensor.type, BOOL);
  assert_int_equal(*(uint8_t *)tensor.data, 1);
  static const uint8_t text[] = {0x10, 8, 0x08, 1, 0x32, 2, 'h', 'i'};
  assert_success(cli_pb_parse(*state, text, sizeof text, &tensor));
  assert_string_equal(tensor.strings[0], "hi");
  static const uint8_t scalar[] = {0x10, 1, 0x4A, 4, 0, 0, 0xC0, 0x40};
  assert_success(cli_pb_parse(*state, scalar, sizeof scalar, &tensor));
  assert_int_equal(tensor.rank, 0);
  assert_true(*(float *)tensor.data == 6);
}

static void pb_that_lies_is_refused(void **state) {
  static const struct {
    size_t size;
    uint8_t bytes[12];
  } cases[] = {
      {0, {0}},                                  // nothing
      {4, {0x08, 3, 0x10, 1}},                   // no elements
      {8, {0x08, 1, 0x10, 1, 0x4A, 2, 0, 0}},    // too few raw bytes
      {6, {0x08, 1, 0x10, 7, 0x28, 5}},          // int64 in int32_data
      {6, {0x08, 1, 0x10, 8, 0x28, 5}},          // text in int32_data
      {6, {0x08, 1, 0x10, 8, 0x30, 5}},          // text as a number
      {7, {0x08, 1, 0x10, 1, 0x32, 1, 'a'}},     // float as a text
      {6, {0x08, 1, 0x10, 99, 0x4A, 0}},         // no such type
      {6, {0x10, 1, 0x4A, 0x7F, 0, 0}},          // a length past the end
      {8, {0x08, 1, 0x10, 1, 0x70, 1, 0x4A, 0}}, // external data
      {12, {0x08, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 1}}, // endless varint
  };
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    cli_tensor tensor;
    cli_status *status = cli_pb_parse(*state, cases[i].bytes, cases[i].size, &tensor);
    if (!status) fail_msg("case %zu was accepted", i);
    cli_status_free(status);
  }
}

#ifdef TERN_CLI_JANSSON
static cli_status *parse_json(cli_arena *arena, const char *text, cli_type type,
                              cli_tensor *out_tensor) {
  return cli_json_parse(arena, text, strlen(text), type, out_tensor);
}

static void json_arrays_become_tensors(void **state) {
  cli_tensor tensor;
  assert_success(parse_json(*state, "[[1, 2.0, 3], [4, 5, 6]]", FLOAT, &tensor));
  assert_dims(&tensor, 2, (int64_t[]){2, 3});
  assert_memory_equal(tensor.data, six, sizeof six);
  assert_success(parse_json(*state, "9223372036854775807", INT64, &tensor));
  assert_true(*(int64_t *)tensor.data == INT64_MAX && tensor.rank == 0);
  assert_success(parse_json(*state, "[\"a\", \"\"]", STRING, &tensor));
  assert_string_equal(tensor.strings[0], "a");
  assert_success(parse_json(*state, "[[], []]", FLOAT, &tensor));
  assert_dims(&tensor, 2, (int64_t[]){2, 0});
}

static void json_that_is_no_tensor_is_refused(void **state) {
  static const char *const texts[] = {"",           "[1, 2",   "[[1], [2, 3]]", "[[1], 2]",
                                      "{\"a\": 1}", "[null]",  "[\"a\"]",       "[1] [2]",
                                      "nan",        "[1, [2]]"};
  cli_tensor tensor;
  for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
    cli_status *status = parse_json(*state, texts[i], FLOAT, &tensor);
    if (!status) fail_msg("accepted: %s", texts[i]);
    cli_status_free(status);
  }
  assert_failure(parse_json(*state, "[1.5]", INT64, &tensor), CLI_FAILED, "1.5 is not a value");
  char deep[200];
  memset(deep, '[', 100);
  memset(deep + 100, ']', 100);
  assert_failure(cli_json_parse(*state, deep, sizeof deep, FLOAT, &tensor), CLI_FAILED, "deep");
}
#endif

static const int64_t free_by_two[] = {-1, 2};

static void literals_fill_the_wanted_shape(void **state) {
  cli_wanted wanted = {"x", INT64, 2, free_by_two, 0};
  cli_tensor tensor;
  assert_success(cli_input_read(*state, "1,-2,3,4", &wanted, &tensor));
  assert_dims(&tensor, 2, (int64_t[]){2, 2});
  assert_true(((int64_t *)tensor.data)[1] == -2);
  assert_failure(cli_input_read(*state, "1,2,3", &wanted, &tensor), CLI_FAILED,
                 "3 values given for shape ?x2");
  assert_failure(cli_input_read(*state, "1,two", &wanted, &tensor), CLI_FAILED,
                 "'two' is neither a number nor a file");
}

// The ABI says rank 0 of a scalar and of a shape that the model leaves open.
static void rank_zero_takes_any_shape(void **state) {
  cli_wanted wanted = {"x", INT64, 0, NULL, 0};
  cli_tensor tensor;
  assert_success(cli_input_read(*state, "7", &wanted, &tensor));
  assert_int_equal(tensor.rank, 0);
  assert_success(cli_input_read(*state, "7,8,9", &wanted, &tensor));
  assert_dims(&tensor, 1, (int64_t[]){3});
  assert_success(cli_input_read(*state, "ones:2x2", &wanted, &tensor));
  assert_dims(&tensor, 2, (int64_t[]){2, 2});
}

static void random_values_follow_seed_name_and_range(void **state) {
  cli_wanted wanted = {"x", INT64, 2, free_by_two, 5}, other = wanted;
  cli_tensor a, b;
  assert_success(cli_input_read(*state, "random:50x2", &wanted, &a));
  assert_success(cli_input_read(*state, "random:50x2", &wanted, &b));
  assert_memory_equal(a.data, b.data, a.bytes);
  for (size_t i = 0; i < 100; i++) assert_in_range(((int64_t *)a.data)[i], 0, 9);
  other.name = "y";
  assert_success(cli_input_read(*state, "random:50x2", &other, &b));
  assert_memory_not_equal(a.data, b.data, a.bytes);
  wanted.seed = 6;
  assert_success(cli_input_read(*state, "random:50x2", &wanted, &b));
  assert_memory_not_equal(a.data, b.data, a.bytes);
  assert_success(cli_input_read(*state, "random:50x2:100:102", &wanted, &a));
  for (size_t i = 0; i < 100; i++) assert_in_range(((int64_t *)a.data)[i], 100, 101);
}

static void generated_shapes_are_checked(void **state) {
  cli_wanted wanted = {"x", FLOAT, 2, free_by_two, 0};
  cli_tensor tensor;
  assert_failure(cli_input_read(*state, "random", &wanted, &tensor), CLI_USAGE, "not fixed");
  assert_failure(cli_input_read(*state, "zeros:3x3", &wanted, &tensor), CLI_FAILED,
                 "it has shape 3x3, where ?x2 is expected");
  assert_failure(cli_input_read(*state, "random:3x-2", &wanted, &tensor), CLI_USAGE, "not a shape");
  assert_failure(cli_input_read(*state, "random:3x2:5:5", &wanted, &tensor), CLI_USAGE,
                 "LOW below HIGH");
  assert_failure(cli_input_read(*state, "ones:9223372036854775807x2", &wanted, &tensor), CLI_FAILED,
                 "more elements than memory");
  assert_success(cli_input_read(*state, "ones:0x2", &wanted, &tensor));
  assert_int_equal(tensor.count, 0);
}

static void arrays_are_converted_where_values_fit(void **state) {
  const double numbers[] = {1, 2.5};
  cli_tensor tensor, converted;
  assert_success(
      cli_tensor_new(*state, ONNX_TENSOR_ELEMENT_DATA_TYPE_DOUBLE, 1, (int64_t[]){2}, &tensor));
  memcpy(tensor.data, numbers, sizeof numbers);
  assert_success(cli_tensor_convert(*state, &tensor, FLOAT, &converted));
  assert_true(((float *)converted.data)[1] == 2.5f);
  assert_failure(cli_tensor_convert(*state, &tensor, INT64, &converted), CLI_FAILED,
                 "2.5 is not a value of type int64");
  assert_failure(cli_tensor_convert(*state, &tensor, STRING, &converted), CLI_FAILED, "strings");
}

static void values_cross_a_pipe(void **state) {
  cli_value items[2] = {{.form = CLI_FORM_TENSOR}, {.form = CLI_FORM_NONE}};
  cli_value value = {.form = CLI_FORM_SEQUENCE, .items = items, .count = 2}, again;
  assert_success(cli_tensor_new(*state, STRING, 1, (int64_t[]){2}, &items[0].tensor));
  items[0].tensor.strings[1] = cli_copy(*state, "text", 4);
  cli_buffer buffer = {0};
  assert_success(cli_value_put(&buffer, &value));
  for (size_t size = 0; size < buffer.size; size++) {
    cli_cursor cut = {buffer.bytes, size, 0};
    cli_status *status = cli_value_get(*state, &cut, &again);
    if (!status) fail_msg("%zu of %zu bytes were enough", size, buffer.size);
    cli_status_free(status);
  }
  cli_cursor cursor = {buffer.bytes, buffer.size, 0};
  assert_success(cli_value_get(*state, &cursor, &again));
  assert_int_equal(cursor.at, buffer.size);
  assert_int_equal(again.count, 2);
  assert_string_equal(again.items[0].tensor.strings[1], "text");
  assert_int_equal(again.items[1].form, CLI_FORM_NONE);
  cli_buffer_free(&buffer);
}

// Every parser, one after another.
static void parse_all(const uint8_t *bytes, size_t size) {
  cli_arena arena = {0};
  const uint8_t *member;
  size_t member_size;
  cli_tensor tensor;
  // A copy of the exact size, so that sanitizers see a read past its end.
  uint8_t *copy = cli_arena_try(&arena, size);
  if (size) memcpy(copy, bytes, size);
  cli_status_free(cli_npy_parse(&arena, copy, size, FLOAT, &tensor));
  cli_status_free(cli_pb_parse(&arena, copy, size, &tensor));
  cli_status_free(cli_zip_member(&arena, copy, size, NULL, &member, &member_size));
  cli_status_free(cli_json_parse(&arena, (const char *)copy, size, FLOAT, &tensor));
  cli_arena_free(&arena);
}

// What proves itself here is that the program is still alive, above all under sanitizers.
static void damaged_bytes_never_crash(void **state) {
  (void)state;
  file files[] = {
      npy_file(six_dict, six, sizeof six),
      stored_hello(),
      zip_file("x.npy", hello_packed, sizeof hello_packed, HELLO_BYTES, hello_crc, true),
      {{0}, 0},
      {{0}, 0},
  };
  put(&files[3], floats_pb, sizeof floats_pb);
  put(&files[4], "[[1, 2], [3, 4e5]]", 18);
  for (size_t f = 0; f < sizeof files / sizeof files[0]; f++) {
    for (size_t size = 0; size <= files[f].size; size++) parse_all(files[f].bytes, size);
    for (size_t at = 0; at < files[f].size; at++) {
      static const uint8_t masks[] = {0x01, 0x10, 0x80, 0xFF};
      for (size_t m = 0; m < sizeof masks; m++) {
        files[f].bytes[at] ^= masks[m];
        parse_all(files[f].bytes, files[f].size);
        files[f].bytes[at] ^= masks[m];
      }
    }
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      ARENA_TEST(npy_in_c_order),
      ARENA_TEST(npy_in_fortran_order_and_big_endian),
      ARENA_TEST(npy_of_text_becomes_utf8),
      ARENA_TEST(npy_of_raw_bytes_takes_the_wanted_type),
      ARENA_TEST(npy_headers_that_lie_are_refused),
      ARENA_TEST(npy_files_are_read_back),
      ARENA_TEST(zip_members_by_name_or_alone),
      ARENA_TEST(zip_members_are_inflated),
      ARENA_TEST(pb_with_typed_and_raw_data),
      ARENA_TEST(pb_that_lies_is_refused),
#ifdef TERN_CLI_JANSSON
      ARENA_TEST(json_arrays_become_tensors),
      ARENA_TEST(json_that_is_no_tensor_is_refused),
#endif
      ARENA_TEST(literals_fill_the_wanted_shape),
      ARENA_TEST(rank_zero_takes_any_shape),
      ARENA_TEST(random_values_follow_seed_name_and_range),
      ARENA_TEST(generated_shapes_are_checked),
      ARENA_TEST(arrays_are_converted_where_values_fit),
      ARENA_TEST(values_cross_a_pipe),
      ARENA_TEST(damaged_bytes_never_crash),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
