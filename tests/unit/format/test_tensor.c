// Tensor elements in every form a TensorProto can hold them, and tensors that lie about their size.
#include <stdio.h>
#include <string.h>

#include "format/onnx.h"
#include "unit/failing_allocator.h"
#include "unit/test.h"

static tern_pb_writer writer;
static tern_arena arena;

static int set_up(void **state) {
  (void)state;
  tern_pb_writer_init(tern_allocator_system(), &writer);
  tern_arena_init(tern_allocator_system(), &arena);
  return 0;
}

static int tear_down(void **state) {
  (void)state;
  tern_pb_writer_deinit(&writer);
  tern_arena_deinit(&arena);
  return 0;
}

static void start(tern_dtype dtype, const int64_t *dims, size_t rank) {
  writer.size = 0;
  for (size_t i = 0; i < rank; ++i) tern_pb_write_varint(&writer, 1, (uint64_t)dims[i]);
  tern_pb_write_varint(&writer, 2, (uint64_t)dtype);
}

static tern_status *decode(tern_value **out_value) {
  tern_onnx_tensor tensor;
  TERN_TRY(
      tern_onnx_parse_tensor((tern_span){(const char *)writer.data, writer.size}, &arena, &tensor));
  return tern_onnx_tensor_decode(&tensor, (tern_span){NULL, 0}, tern_allocator_system(), out_value);
}

static tern_status_code decode_code(void) {
  tern_value *value = NULL;
  tern_status *status = decode(&value);
  tern_value_release(value);
  return take_code(status);
}

#define MAX_BYTES 32
typedef struct typed_case {
  tern_dtype dtype;
  int64_t count;
  uint32_t field;
  int64_t units[4];
  size_t unit_count, byte_count;
  unsigned char bytes[MAX_BYTES];
} typed_case;

static const typed_case varint_cases[] = {
    {TERN_INT32, 2, 5, {-2, 7}, 2, 8, {0xfe, 0xff, 0xff, 0xff, 7}},
    {TERN_INT16, 2, 5, {-2, 300}, 2, 4, {0xfe, 0xff, 0x2c, 1}},
    {TERN_UINT16, 1, 5, {65535}, 1, 2, {0xff, 0xff}},
    {TERN_INT8, 3, 5, {-1, 0, 127}, 3, 3, {0xff, 0, 0x7f}},
    {TERN_UINT8, 1, 5, {200}, 1, 1, {200}},
    {TERN_BOOL, 3, 5, {0, 1, 256}, 3, 3, {0, 1, 1}},
    {TERN_FLOAT16, 2, 5, {0x3c00, 0xbc00}, 2, 4, {0, 0x3c, 0, 0xbc}},
    {TERN_BFLOAT16, 1, 5, {0x3f80}, 1, 2, {0x80, 0x3f}},
    {TERN_FLOAT8E4M3FN, 2, 5, {0x7f, 0x80}, 2, 2, {0x7f, 0x80}},
    {TERN_FLOAT8E8M0, 1, 5, {0xff}, 1, 1, {0xff}},
    {TERN_INT4, 3, 5, {0x21, 0x0f}, 2, 2, {0x21, 0x0f}},
    {TERN_FLOAT4E2M1, 2, 5, {0x72}, 1, 1, {0x72}},
    {TERN_UINT2, 5, 5, {0xe4, 0x03}, 2, 2, {0xe4, 0x03}},
    {TERN_FLOAT6E2M3, 4, 5, {1, 2, 3, 0x3f}, 4, 3, {0x81, 0x30, 0xfc}},
    {TERN_INT64, 2, 7, {-1, 2}, 2, 16, {255, 255, 255, 255, 255, 255, 255, 255, 2}},
    {TERN_UINT32, 1, 11, {0xfffffffe}, 1, 4, {0xfe, 0xff, 0xff, 0xff}},
    {TERN_UINT64, 1, 11, {-1}, 1, 8, {255, 255, 255, 255, 255, 255, 255, 255}},
};

static void check_case(const typed_case *c) {
  tern_value *value;
  assert_null(decode(&value));
  assert_int_equal(value->dtype, c->dtype);
  assert_int_equal(value->data_bytes, c->byte_count);
  assert_memory_equal(value->data, c->bytes, c->byte_count);
  tern_value_release(value);
}

static void varint_fields_are_read(void **state) {
  (void)state;
  for (size_t i = 0; i < TERN_COUNT_OF(varint_cases); ++i) {
    const typed_case *c = &varint_cases[i];
    start(c->dtype, &c->count, 1);
    tern_pb_write_packed_i64(&writer, c->field, c->units, c->unit_count);
    check_case(c);
    start(c->dtype, &c->count, 1);
    for (size_t k = 0; k < c->unit_count; ++k)
      tern_pb_write_varint(&writer, c->field, (uint64_t)c->units[k]);
    check_case(c);
    start(c->dtype, &c->count, 1);
    tern_pb_write_packed_i64(&writer, c->field, c->units, c->unit_count - 1);
    assert_int_equal(decode_code(), TERN_INVALID_PROTOBUF);
    start(c->dtype, &c->count, 1);
    tern_pb_write_packed_i64(&writer, c->field, c->units, c->unit_count);
    tern_pb_write_varint(&writer, c->field, 0);
    assert_int_equal(decode_code(), TERN_INVALID_PROTOBUF);
    start(c->dtype, &c->count, 1);
    tern_pb_write_bytes(&writer, 9, c->bytes, c->byte_count);
    check_case(c);
  }
}

static void float_fields_are_read(void **state) {
  (void)state;
  const float floats[] = {1, -2, 3, 4};
  const double doubles[] = {0.5, -8};
  tern_value *value;
  const int64_t two = 2, four = 4, one = 1;
  start(TERN_FLOAT, &four, 1);
  tern_pb_write_float(&writer, 4, 1);
  tern_pb_write_packed_f32(&writer, 4, floats + 1, 3);
  assert_null(decode(&value));
  assert_memory_equal(value->data, floats, sizeof floats);
  tern_value_release(value);
  start(TERN_COMPLEX64, &two, 1);
  tern_pb_write_packed_f32(&writer, 4, floats, 4);
  assert_null(decode(&value));
  assert_memory_equal(value->data, floats, sizeof floats);
  tern_value_release(value);
  start(TERN_DOUBLE, &two, 1);
  tern_pb_write_bytes(&writer, 10, doubles, sizeof doubles);
  assert_null(decode(&value));
  assert_memory_equal(value->data, doubles, sizeof doubles);
  tern_value_release(value);
  start(TERN_COMPLEX128, &one, 1);
  tern_pb_write_bytes(&writer, 10, doubles, sizeof doubles);
  assert_null(decode(&value));
  assert_memory_equal(value->data, doubles, sizeof doubles);
  tern_value_release(value);
  start(TERN_FLOAT, &two, 1);
  tern_pb_write_bytes(&writer, 4, floats, 7);
  assert_int_equal(decode_code(), TERN_INVALID_PROTOBUF);
}

static void aligned_bytes_are_borrowed(void **state) {
  (void)state;
  static _Alignas(16) const char bytes[24];
  const int64_t dims[] = {2, 2};
  for (size_t offset = 0; offset <= 8; ++offset) {
    tern_onnx_tensor tensor = {.dtype = TERN_FLOAT, .dims = dims, .dim_count = 2, .has_raw = true};
    tensor.raw = (tern_span){bytes + offset, 16};
    tern_value *value;
    assert_null(
        tern_onnx_tensor_decode(&tensor, (tern_span){NULL, 0}, tern_allocator_system(), &value));
    assert_int_equal(value->data == bytes + offset, offset % 4 == 0);
    assert_int_equal(value->owns_data, offset % 4 != 0);
    tern_value_release(value);
  }
}

static void strings_are_read(void **state) {
  (void)state;
  const int64_t two = 2;
  start(TERN_STRING, &two, 1);
  tern_pb_write_bytes(&writer, 6, "a\0b", 3);
  tern_pb_write_text(&writer, 6, "");
  tern_value *value;
  assert_null(decode(&value));
  const tern_string *strings = value->data;
  assert_int_equal(strings[0].size, 3);
  assert_memory_equal(strings[0].data, "a\0b", 3);
  assert_int_equal(strings[1].size, 0);
  tern_value_release(value);
  tern_pb_write_text(&writer, 6, "one too many");
  assert_int_equal(decode_code(), TERN_INVALID_PROTOBUF);
  start(TERN_STRING, &two, 1);
  tern_pb_write_text(&writer, 9, "raw");
  assert_int_equal(decode_code(), TERN_INVALID_PROTOBUF);
}

static void empty_tensors_and_scalars_are_read(void **state) {
  (void)state;
  const int64_t dims[] = {3, 0};
  tern_value *value;
  start(TERN_FLOAT, dims, 2);
  assert_null(decode(&value));
  assert_int_equal(tern_value_count(value), 0);
  tern_value_release(value);
  start(TERN_FLOAT, NULL, 0);
  tern_pb_write_bytes(&writer, 9, NULL, 0); // empty raw_data beside a typed field
  tern_pb_write_float(&writer, 4, 2.5f);
  assert_null(decode(&value));
  assert_true(value->shape.rank == 0 && *(const float *)value->data == 2.5f);
  tern_value_release(value);
}

static void lies_are_refused(void **state) {
  (void)state;
  const int64_t negative[] = {2, -1}, huge[] = {INT64_MAX, 4}, large[] = {1 << 30, 1 << 10};
  start(TERN_FLOAT, negative, 2);
  assert_int_equal(decode_code(), TERN_INVALID_PROTOBUF);
  start(TERN_FLOAT, huge, 2);
  assert_int_equal(decode_code(), TERN_INVALID_PROTOBUF);
  start(TERN_FLOAT, large, 2); // a terabyte, of which the file holds nothing
  assert_int_equal(decode_code(), TERN_INVALID_PROTOBUF);
  start(TERN_STRING, large, 2);
  assert_int_equal(decode_code(), TERN_INVALID_PROTOBUF);
  start((tern_dtype)99, NULL, 0);
  assert_int_equal(decode_code(), TERN_INVALID_PROTOBUF);
  start(TERN_DTYPE_UNDEFINED, NULL, 0);
  assert_int_equal(decode_code(), TERN_INVALID_PROTOBUF);
  int64_t many[TERN_MAX_RANK + 1];
  for (int i = 0; i <= TERN_MAX_RANK; ++i) many[i] = 1;
  start(TERN_FLOAT, many, TERN_MAX_RANK + 1);
  tern_pb_write_float(&writer, 4, 1);
  assert_int_equal(decode_code(), TERN_INVALID_PROTOBUF);
}

static void external_entries_are_read(void **state) {
  (void)state;
  const char *const entries[][2] = {{"location", "w.bin"}, {"offset", "4096"}, {"length", "16"}};
  const int64_t four = 4;
  start(TERN_FLOAT, &four, 1);
  tern_pb_write_varint(&writer, 14, 1);
  for (size_t i = 0; i < 3; ++i) {
    size_t mark = tern_pb_begin_message(&writer, 13);
    tern_pb_write_text(&writer, 1, entries[i][0]);
    tern_pb_write_text(&writer, 2, entries[i][1]);
    tern_pb_end_message(&writer, mark);
  }
  tern_onnx_tensor tensor;
  tern_span bytes = {(const char *)writer.data, writer.size};
  assert_null(tern_onnx_parse_tensor(bytes, &arena, &tensor));
  assert_true(tensor.is_external && tensor.has_external_length);
  assert_memory_equal(tensor.external_location.data, "w.bin", 5);
  assert_int_equal(tensor.external_offset, 4096);
  assert_int_equal(tensor.external_length, 16);
  static _Alignas(16) const char data[16];
  tern_value *value;
  assert_null(
      tern_onnx_tensor_decode(&tensor, (tern_span){data, 16}, tern_allocator_system(), &value));
  assert_ptr_equal(value->data, data);
  tern_value_release(value);
  assert_int_equal(take_code(tern_onnx_tensor_decode(&tensor, (tern_span){data, 15},
                                                     tern_allocator_system(), &value)),
                   TERN_INVALID_PROTOBUF);
  const char *const bad[] = {"", "-1", "1x", "99999999999999999999"};
  for (size_t i = 0; i < TERN_COUNT_OF(bad); ++i) {
    start(TERN_FLOAT, &four, 1);
    tern_pb_write_varint(&writer, 14, 1);
    size_t mark = tern_pb_begin_message(&writer, 13);
    tern_pb_write_text(&writer, 1, "offset");
    tern_pb_write_text(&writer, 2, bad[i]);
    tern_pb_end_message(&writer, mark);
    assert_int_equal(decode_code(), TERN_INVALID_PROTOBUF);
  }
}

// Written tensors of every type come back the same.
static void written_tensors_are_read(void **state) {
  (void)state;
  for (int d = 1; d < TERN_DTYPE_COUNT; ++d) {
    tern_value *value, *back;
    tern_shape shape = {.rank = 2, .dims = {1, 5}};
    assert_null(tern_value_create_tensor(tern_allocator_system(), (tern_dtype)d, &shape, &value));
    if (d == TERN_STRING)
      assert_null(tern_value_set_string(value, 4, "last", 4));
    else
      for (size_t i = 0; i < value->data_bytes; ++i)
        ((unsigned char *)value->data)[i] = (unsigned char)(i & 1);
    writer.size = 0;
    tern_onnx_write_tensor(&writer, "named", value);
    assert_null(decode(&back));
    assert_true(back->dtype == value->dtype && tern_shape_equal(&back->shape, &shape));
    if (d == TERN_STRING)
      assert_memory_equal(((const tern_string *)back->data)[4].data, "last", 4);
    else
      assert_memory_equal(back->data, value->data, value->data_bytes);
    tern_value_release(back);
    tern_value_release(value);
  }
}

static tern_status *decode_sparse(const int64_t *dims, size_t rank, const float *values,
                                  const int64_t *indices, const int64_t *index_dims,
                                  size_t index_rank, tern_value **out_value) {
  tern_onnx_sparse_tensor sparse = {.dims = dims, .dim_count = rank};
  size_t index_count = 1;
  for (size_t i = 0; i < index_rank; ++i) index_count *= (size_t)index_dims[i];
  sparse.values = (tern_onnx_tensor){.dtype = TERN_FLOAT,
                                     .dims = index_dims,
                                     .dim_count = 1,
                                     .has_raw = true,
                                     .raw = {(const char *)values, 4 * (size_t)index_dims[0]}};
  sparse.indices = (tern_onnx_tensor){.dtype = TERN_INT64,
                                      .dims = index_dims,
                                      .dim_count = index_rank,
                                      .has_raw = true,
                                      .raw = {(const char *)indices, 8 * index_count}};
  return tern_onnx_sparse_decode(&sparse, (tern_span){NULL, 0}, (tern_span){NULL, 0},
                                 tern_allocator_system(), out_value);
}

static void sparse_tensors_become_dense(void **state) {
  (void)state;
  const int64_t dims[] = {2, 3}, linear_dims[] = {2}, pair_dims[] = {2, 2}, wide_dims[] = {2, 3};
  const float values[] = {5, 7}, expected[] = {0, 5, 0, 0, 0, 7};
  const struct {
    int64_t indices[6];
    const int64_t *index_dims;
    size_t index_rank;
    tern_status_code code;
  } cases[] = {
      {{1, 5}, linear_dims, 1, TERN_OK},
      {{0, 1, 1, 2}, pair_dims, 2, TERN_OK},
      {{5, 1}, linear_dims, 1, TERN_INVALID_PROTOBUF},           // descending
      {{1, 1}, linear_dims, 1, TERN_INVALID_PROTOBUF},           // twice
      {{1, 6}, linear_dims, 1, TERN_INVALID_PROTOBUF},           // outside
      {{-1, 5}, linear_dims, 1, TERN_INVALID_PROTOBUF},          //
      {{0, 3, 1, 2}, pair_dims, 2, TERN_INVALID_PROTOBUF},       // outside along one axis only
      {{0, 0, 1, 1, 1, 1}, wide_dims, 2, TERN_INVALID_PROTOBUF}, // three coordinates for rank 2
  };
  for (size_t i = 0; i < TERN_COUNT_OF(cases); ++i) {
    tern_value *value = NULL;
    tern_status *status = decode_sparse(dims, 2, values, cases[i].indices, cases[i].index_dims,
                                        cases[i].index_rank, &value);
    assert_int_equal(take_code(status), cases[i].code);
    if (value) assert_memory_equal(value->data, expected, sizeof expected);
    tern_value_release(value);
  }
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, set_up, tear_down)

int main(void) {
  const struct CMUnitTest tests[] = {
      TEST(varint_fields_are_read),
      TEST(float_fields_are_read),
      TEST(aligned_bytes_are_borrowed),
      TEST(strings_are_read),
      TEST(empty_tensors_and_scalars_are_read),
      TEST(lies_are_refused),
      TEST(external_entries_are_read),
      TEST(written_tensors_are_read),
      TEST(sparse_tensors_become_dense),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
