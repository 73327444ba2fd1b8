// The wire format: what the writer writes the reader reads, and nothing malformed gets through.
#include <string.h>

#include "format/pb.h"
#include "unit/failing_allocator.h"
#include "unit/test.h"

#define BYTES(...)                                                                                 \
  (tern_span) {                                                                                    \
    (const char *)(const unsigned char[]){__VA_ARGS__},                                            \
        sizeof((const unsigned char[]){__VA_ARGS__})                                               \
  }

// Reads all fields; the last one is left in *out_field.
static tern_status_code walk(tern_span bytes, tern_pb_field *out_field, int *out_count) {
  tern_pb_reader reader = tern_pb_reader_make(bytes);
  for (*out_count = 0;; ++*out_count) {
    bool more;
    tern_status *status = tern_pb_next(&reader, out_field, &more);
    if (status) return take_code(status);
    if (!more) return TERN_OK;
  }
}

static void malformed_bytes_are_refused(void **state) {
  (void)state;
  const tern_span cases[] = {
      BYTES(0x08),                      // no value
      BYTES(0x08, 0x80),                // value cut off
      BYTES(0x80),                      // tag cut off
      BYTES(0x00, 0x01),                // field number 0
      BYTES(0x0d, 1, 2, 3),             // fixed32 cut off
      BYTES(0x09, 1, 2, 3, 4, 5, 6, 7), // fixed64 cut off
      BYTES(0x0a, 0x02, 'x'),           // longer than its message
      BYTES(0x0a, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01), // 2^64 - 1 bytes
      BYTES(0x08, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x01), // 11 bytes
      BYTES(0x0b),                                                                   // group
      BYTES(0x0c),                                     // end of a group
      BYTES(0x0e),                                     // wire type 6
      BYTES(0x88, 0x80, 0x80, 0x80, 0x80, 0x01, 0x00), // field number above 2^29
  };
  tern_pb_field field;
  int count;
  for (size_t i = 0; i < TERN_COUNT_OF(cases); ++i) {
    assert_int_equal(walk(cases[i], &field, &count), TERN_INVALID_PROTOBUF);
    assert_int_equal(count, 0);
  }
}

static void varints_may_be_overlong(void **state) {
  (void)state;
  tern_pb_field field;
  int count;
  assert_int_equal(walk(BYTES(0x08, 0x85, 0x80, 0x00), &field, &count), TERN_OK);
  assert_int_equal(field.scalar, 5);
  assert_int_equal(
      walk(BYTES(0x08, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01), &field, &count),
      TERN_OK);
  assert_true(field.scalar == UINT64_MAX);
  assert_int_equal(walk((tern_span){NULL, 0}, &field, &count), TERN_OK);
  assert_int_equal(count, 0);
}

static void written_fields_are_read(void **state) {
  (void)state;
  tern_pb_writer writer;
  tern_pb_writer_init(tern_allocator_system(), &writer);
  tern_pb_write_varint(&writer, 1, UINT64_MAX);
  tern_pb_write_float(&writer, 500, -1.5f);
  tern_pb_write_packed_i64(&writer, 3, NULL, 0);
  tern_pb_write_packed_i64(&writer, 3, (int64_t[]){-1, 0, 300}, 3);
  size_t mark = tern_pb_begin_message(&writer, 4);
  tern_pb_write_text(&writer, 1, "inner");
  tern_pb_end_message(&writer, mark);
  assert_null(tern_pb_writer_finish(&writer));

  tern_pb_reader reader = tern_pb_reader_make((tern_span){(const char *)writer.data, writer.size});
  tern_pb_field field;
  bool more, bad = false;
  assert_null(tern_pb_next(&reader, &field, &more));
  assert_true(field.number == 1 && field.scalar == UINT64_MAX);
  assert_null(tern_pb_next(&reader, &field, &more));
  assert_true(field.number == 500 && field.wire == TERN_PB_FIXED32);
  assert_int_equal(field.scalar, 0xbfc00000u);
  assert_null(tern_pb_next(&reader, &field, &more));
  uint64_t values[4];
  int count = 0;
  while (tern_pb_next_packed_varint(&field.bytes, &values[count], &bad)) ++count;
  assert_true(!bad && count == 3 && values[0] == UINT64_MAX && values[2] == 300);
  assert_null(tern_pb_next(&reader, &field, &more));
  assert_int_equal(field.bytes.size, 7); // a small message has a length of one byte
  assert_memory_equal(field.bytes.data + 2, "inner", 5);
  assert_null(tern_pb_next(&reader, &field, &more));
  assert_false(more);
  tern_pb_writer_deinit(&writer);
}

// Around the size from which a message keeps its five bytes of length.
static void messages_of_any_size_nest(void **state) {
  (void)state;
  static char body[(1 << 20) + 64];
  const size_t sizes[] = {0, 1, 127, 128, 20000, (1 << 20) - 8, (1 << 20) + 64};
  for (size_t i = 0; i < TERN_COUNT_OF(sizes); ++i) {
    memset(body, (int)i, sizes[i]);
    tern_pb_writer writer;
    tern_pb_writer_init(tern_allocator_system(), &writer);
    size_t outer = tern_pb_begin_message(&writer, 7), inner = tern_pb_begin_message(&writer, 8);
    tern_pb_write_bytes(&writer, 9, body, sizes[i]);
    tern_pb_end_message(&writer, inner);
    tern_pb_end_message(&writer, outer);
    tern_span bytes = {(const char *)writer.data, writer.size};
    for (uint32_t number = 7; number <= 9; ++number) {
      tern_pb_field field;
      int count;
      assert_int_equal(walk(bytes, &field, &count), TERN_OK);
      assert_true(count == 1 && field.number == number);
      bytes = field.bytes;
    }
    assert_int_equal(bytes.size, sizes[i]);
    if (sizes[i] > 0) assert_memory_equal(bytes.data, body, sizes[i]);
    tern_pb_writer_deinit(&writer);
  }
}

static void the_writer_keeps_its_first_failure(void **state) {
  (void)state;
  failing_allocator allocator;
  failing_allocator_init(&allocator, 2);
  tern_pb_writer writer;
  tern_pb_writer_init(&allocator.base, &writer);
  static const char body[2000];
  size_t mark = tern_pb_begin_message(&writer, 1);
  tern_pb_write_bytes(&writer, 2, body, sizeof body);
  tern_pb_write_varint(&writer, 3, 4);
  tern_pb_end_message(&writer, mark);
  assert_true(tern_status_is_out_of_memory(tern_pb_writer_finish(&writer)));
  tern_pb_writer_deinit(&writer);
  assert_int_equal(allocator.live_blocks, 0);
}

static void nothing_is_written_beyond_the_limit(void **state) {
  (void)state;
  tern_pb_writer writer;
  tern_pb_writer_init(tern_allocator_system(), &writer);
  writer.size_limit = 6;
  tern_pb_write_text(&writer, 1, "four");
  assert_false(writer.is_full);
  tern_pb_write_text(&writer, 1, "");
  assert_true(writer.is_full);
  assert_int_equal(writer.size, 6);
  assert_int_equal(take_code(tern_pb_writer_finish(&writer)), TERN_FAIL);
  tern_pb_writer_deinit(&writer);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(malformed_bytes_are_refused),
      cmocka_unit_test(varints_may_be_overlong),
      cmocka_unit_test(written_fields_are_read),
      cmocka_unit_test(messages_of_any_size_nest),
      cmocka_unit_test(the_writer_keeps_its_first_failure),
      cmocka_unit_test(nothing_is_written_beyond_the_limit),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
