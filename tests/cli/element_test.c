// Element types: every code of the small floats, and the range of every integer type.
#include "cli_test.h"

#include <math.h>

#include "element.h"

static const cli_type small_types[] = {
    ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT16,      ONNX_TENSOR_ELEMENT_DATA_TYPE_BFLOAT16,
    ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT8E4M3FN, ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT8E4M3FNUZ,
    ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT8E5M2,   ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT8E5M2FNUZ,
    ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT4E2M1,
};

static void small_floats_survive_a_round_trip(void **state) {
  (void)state;
  for (size_t t = 0; t < sizeof small_types / sizeof small_types[0]; t++) {
    unsigned bits = cli_element_of(small_types[t])->bits;
    for (uint32_t code = 0; code < 1u << bits; code++) {
      uint8_t in[2] = {(uint8_t)code, (uint8_t)(code >> 8)}, out[2] = {0};
      cli_number number = cli_element_load(small_types[t], in, 0);
      assert_success(cli_element_store(small_types[t], out, 0, number));
      if (isnan(number.real))
        assert_true(isnan(cli_element_load(small_types[t], out, 0).real));
      else
        assert_memory_equal(in, out, bits >= 8 ? bits / 8 : 1);
    }
  }
}

static double through(cli_type type, double value) {
  uint8_t bytes[8] = {0};
  assert_success(cli_element_store(type, bytes, 0, cli_number_real(value)));
  return cli_element_load(type, bytes, 0).real;
}

// Values from the IEEE 754 and OCP 8-bit float specifications.
static void small_floats_round_and_overflow(void **state) {
  (void)state;
  cli_type half = ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT16;
  assert_true(through(half, 65504) == 65504);
  assert_true(through(half, 65519.99) == 65504);
  assert_true(isinf(through(half, 65520)));
  assert_true(through(half, 1 + ldexp(1, -11)) == 1);                    // a tie goes to even
  assert_true(through(half, 1 + 3 * ldexp(1, -11)) == 1 + ldexp(1, -9)); // and up here
  assert_true(through(half, ldexp(1, -24)) == ldexp(1, -24));            // smallest subnormal
  assert_true(through(half, ldexp(1, -25)) == 0);
  assert_true(isinf(through(half, 1e300)));
  assert_true(through(ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT8E4M3FN, 1000) == 448);
  assert_true(through(ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT8E4M3FNUZ, -1000) == -240);
  assert_true(isinf(through(ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT8E5M2, 1e6)));
  assert_true(through(ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT4E2M1, 100) == 6);
  assert_true(through(ONNX_TENSOR_ELEMENT_DATA_TYPE_BFLOAT16, 3.14159) == 3.140625);
}

static void integers_keep_to_their_range(void **state) {
  (void)state;
  static const struct {
    cli_type type;
    int64_t low, high;
  } ranges[] = {
      {ONNX_TENSOR_ELEMENT_DATA_TYPE_BOOL, 0, 1},
      {ONNX_TENSOR_ELEMENT_DATA_TYPE_INT2, -2, 1},
      {ONNX_TENSOR_ELEMENT_DATA_TYPE_UINT2, 0, 3},
      {ONNX_TENSOR_ELEMENT_DATA_TYPE_INT4, -8, 7},
      {ONNX_TENSOR_ELEMENT_DATA_TYPE_UINT4, 0, 15},
      {ONNX_TENSOR_ELEMENT_DATA_TYPE_INT8, INT8_MIN, INT8_MAX},
      {ONNX_TENSOR_ELEMENT_DATA_TYPE_UINT8, 0, UINT8_MAX},
      {ONNX_TENSOR_ELEMENT_DATA_TYPE_INT16, INT16_MIN, INT16_MAX},
      {ONNX_TENSOR_ELEMENT_DATA_TYPE_UINT16, 0, UINT16_MAX},
      {ONNX_TENSOR_ELEMENT_DATA_TYPE_INT32, INT32_MIN, INT32_MAX},
      {ONNX_TENSOR_ELEMENT_DATA_TYPE_UINT32, 0, UINT32_MAX},
  };
  for (size_t i = 0; i < sizeof ranges / sizeof ranges[0]; i++) {
    int64_t ends[] = {ranges[i].low, ranges[i].high},
            out[] = {ranges[i].low - 1, ranges[i].high + 1};
    for (size_t j = 0; j < 2; j++) {
      // The second place, so that packed types meet their shifts.
      uint8_t bytes[16] = {0};
      assert_success(cli_element_store(ranges[i].type, bytes, 1, cli_number_integer(ends[j])));
      assert_int_equal(cli_element_load(ranges[i].type, bytes, 1).integer, ends[j]);
      assert_int_equal(cli_element_load(ranges[i].type, bytes, 0).integer, 0);
      assert_success(cli_element_store(ranges[i].type, bytes, 1, cli_number_real((double)ends[j])));
      assert_int_equal(cli_element_load(ranges[i].type, bytes, 1).integer, ends[j]);
      assert_failure(cli_element_store(ranges[i].type, bytes, 1, cli_number_integer(out[j])),
                     CLI_FAILED, "is not a value of type");
      assert_failure(cli_element_store(ranges[i].type, bytes, 1, cli_number_real((double)out[j])),
                     CLI_FAILED, "is not a value of type");
    }
    uint8_t bytes[16];
    assert_failure(cli_element_store(ranges[i].type, bytes, 0, cli_number_real(0.5)), CLI_FAILED,
                   "0.5 is not a value of type");
    assert_failure(cli_element_store(ranges[i].type, bytes, 0, cli_number_real(NAN)), CLI_FAILED,
                   "is not a value of type");
  }
}

static void wide_integers_stay_exact(void **state) {
  (void)state;
  int64_t values[] = {INT64_MIN, INT64_MAX, ((int64_t)1 << 53) + 1};
  for (size_t i = 0; i < 3; i++) {
    int64_t stored;
    assert_success(cli_element_store(ONNX_TENSOR_ELEMENT_DATA_TYPE_INT64, &stored, 0,
                                     cli_number_integer(values[i])));
    assert_true(stored == values[i]);
    assert_true(cli_element_load(ONNX_TENSOR_ELEMENT_DATA_TYPE_INT64, &stored, 0).integer ==
                values[i]);
  }
  uint64_t stored;
  assert_failure(
      cli_element_store(ONNX_TENSOR_ELEMENT_DATA_TYPE_UINT64, &stored, 0, cli_number_integer(-1)),
      CLI_FAILED, "-1 is not a value of type uint64");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(small_floats_survive_a_round_trip),
      cmocka_unit_test(small_floats_round_and_overflow),
      cmocka_unit_test(integers_keep_to_their_range),
      cmocka_unit_test(wide_integers_stay_exact),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
