// Element types: every 8- and 16-bit code, and every rounding decision, against definitions
// written here in double precision.
#include <math.h>
#include <string.h>

#include "base/dtype.h"
#include "unit/test.h"

// A format as its standard gives it, independent of the tables under test.
typedef struct format {
  tern_dtype dtype;
  int bits, mantissa_bits, bias;
  unsigned largest; // the largest finite magnitude code
  bool has_infinity, is_fnuz, has_nan;
} format;

static const format formats[] = {
    {TERN_FLOAT16, 16, 10, 15, 0x7bff, true, false, true},
    {TERN_BFLOAT16, 16, 7, 127, 0x7f7f, true, false, true},
    {TERN_FLOAT8E4M3FN, 8, 3, 7, 0x7e, false, false, true},
    {TERN_FLOAT8E4M3FNUZ, 8, 3, 8, 0x7f, false, true, true},
    {TERN_FLOAT8E5M2, 8, 2, 15, 0x7b, true, false, true},
    {TERN_FLOAT8E5M2FNUZ, 8, 2, 16, 0x7f, false, true, true},
    {TERN_FLOAT6E2M3, 6, 3, 1, 0x1f, false, false, false},
    {TERN_FLOAT6E3M2, 6, 2, 3, 0x1f, false, false, false},
    {TERN_FLOAT4E2M1, 4, 1, 1, 0x07, false, false, false},
};

static double magnitude_value(const format *f, unsigned code) {
  int exponent = (int)(code >> f->mantissa_bits);
  double mantissa = (double)(code & ((1u << f->mantissa_bits) - 1));
  double one = ldexp(1, f->mantissa_bits);
  return exponent == 0 ? ldexp(mantissa / one, 1 - f->bias)
                       : ldexp(1 + mantissa / one, exponent - f->bias);
}

static double code_value(const format *f, unsigned code) {
  unsigned sign = 1u << (f->bits - 1), magnitude = code & (sign - 1);
  if (f->is_fnuz && code == sign) return NAN;
  if (magnitude > f->largest)
    return f->has_infinity && magnitude == f->largest + 1 ? (code & sign ? -INFINITY : INFINITY)
                                                          : NAN;
  double value = magnitude_value(f, magnitude);
  return code & sign ? -value : value;
}

static unsigned get_code(const format *f, const void *data) {
  uint16_t code16;
  memcpy(&code16, data, f->bits == 16 ? 2 : 1);
  return f->bits == 16 ? code16 : *(const uint8_t *)data & ((1u << f->bits) - 1);
}

static unsigned encode(const format *f, float value, bool saturate) {
  uint16_t out = 0;
  tern_dtype_from_f32(f->dtype, &value, 1, saturate, &out);
  return get_code(f, &out);
}

static void assert_same_float(float a, float b) {
  if (isnan(a) || isnan(b)) {
    assert_true(isnan(a) && isnan(b));
    return;
  }
  assert_memory_equal(&a, &b, sizeof a);
}

static void decodes_every_code(void **state) {
  (void)state;
  for (size_t i = 0; i < TERN_COUNT_OF(formats); ++i) {
    const format *f = &formats[i];
    for (unsigned code = 0; code < 1u << f->bits; ++code) {
      uint16_t source = (uint16_t)code;
      float value;
      tern_dtype_to_f32(f->dtype, &source, 1, &value);
      assert_same_float(value, (float)code_value(f, code));
      if (!isnan(value)) assert_int_equal(encode(f, value, false), code);
    }
  }
}

// Between neighbours: the midpoint goes to the even code, the floats beside it to the nearer one.
static void rounds_to_nearest_even(void **state) {
  (void)state;
  for (size_t i = 0; i < TERN_COUNT_OF(formats); ++i) {
    const format *f = &formats[i];
    for (unsigned code = 0; code < f->largest; ++code) {
      float middle = (float)((magnitude_value(f, code) + magnitude_value(f, code + 1)) / 2);
      unsigned even = code % 2 == 0 ? code : code + 1, sign = 1u << (f->bits - 1);
      assert_int_equal(encode(f, middle, true), even);
      assert_int_equal(encode(f, nextafterf(middle, 0), true), code);
      assert_int_equal(encode(f, nextafterf(middle, INFINITY), true), code + 1);
      bool is_zero = f->is_fnuz && even == 0;
      assert_int_equal(encode(f, -middle, true), is_zero ? 0 : (even | sign));
    }
  }
}

// The rows of ONNX Cast's two tables.
static void follows_the_tables_of_cast(void **state) {
  (void)state;
  for (size_t i = 0; i < TERN_COUNT_OF(formats); ++i) {
    const format *f = &formats[i];
    unsigned sign = 1u << (f->bits - 1);
    double largest = magnitude_value(f, f->largest);
    double step = largest - magnitude_value(f, f->largest - 1);
    float beyond = (float)(largest + step / 2); // ties to the code above, if that is even
    bool tie_stays = f->largest % 2 == 0;
    assert_int_equal(encode(f, 0.0f, true), 0);
    assert_int_equal(encode(f, -0.0f, true), f->is_fnuz ? 0 : sign);
    if (f->has_nan) assert_true(isnan(code_value(f, encode(f, NAN, true))));
    if (f->has_nan) assert_true(isnan(code_value(f, encode(f, -NAN, false))));
    if (f->bits == 16) {
      assert_int_equal(encode(f, INFINITY, true), f->largest + 1);
      assert_int_equal(encode(f, -INFINITY, true), (f->largest + 1) | sign);
      assert_int_equal(encode(f, beyond, true), f->largest + 1);
      continue;
    }
    const float out_of_range[] = {INFINITY, beyond * 2, tie_stays ? beyond * 1.01f : beyond};
    for (size_t k = 0; k < TERN_COUNT_OF(out_of_range); ++k) {
      assert_int_equal(encode(f, out_of_range[k], true), f->largest);
      assert_int_equal(encode(f, -out_of_range[k], true), f->largest | sign);
      double strict = code_value(f, encode(f, -out_of_range[k], false));
      if (f->has_infinity)
        assert_true(isinf(strict) && strict < 0);
      else if (f->has_nan)
        assert_true(isnan(strict));
      else
        assert_true(strict == -largest);
    }
    assert_int_equal(encode(f, nextafterf(beyond, 0), false), f->largest);
  }
}

static void e8m0_holds_powers_of_two(void **state) {
  (void)state;
  uint8_t codes[256];
  float values[256];
  for (int i = 0; i < 256; ++i) codes[i] = (uint8_t)i;
  tern_dtype_to_f32(TERN_FLOAT8E8M0, codes, 256, values);
  for (int i = 0; i < 255; ++i) {
    assert_same_float(values[i], ldexpf(1, i - 127));
    for (int round = TERN_E8M0_UP; round <= TERN_E8M0_NEAREST; ++round)
      assert_int_equal(tern_f32_to_e8m0(values[i], (tern_e8m0_round)round, true), i);
    if (i == 254) continue;
    float above = nextafterf(values[i], INFINITY), middle = values[i] * 1.5f;
    assert_int_equal(tern_f32_to_e8m0(above, TERN_E8M0_UP, true), i + 1);
    assert_int_equal(tern_f32_to_e8m0(above, TERN_E8M0_NEAREST, true), i);
    assert_int_equal(tern_f32_to_e8m0(middle, TERN_E8M0_NEAREST, true), i + 1);
    assert_int_equal(tern_f32_to_e8m0(nextafterf(middle, 0), TERN_E8M0_NEAREST, true), i);
    assert_int_equal(tern_f32_to_e8m0(nextafterf(values[i + 1], 0), TERN_E8M0_DOWN, true), i);
  }
  assert_true(isnan(values[255]));
  assert_int_equal(tern_f32_to_e8m0(0, TERN_E8M0_UP, true), 0);
  assert_int_equal(tern_f32_to_e8m0(INFINITY, TERN_E8M0_UP, true), 254);
  assert_int_equal(tern_f32_to_e8m0(3e38f, TERN_E8M0_UP, true), 254);
  assert_int_equal(tern_f32_to_e8m0(1e-40f, TERN_E8M0_UP, true), 0);
  assert_int_equal(tern_f32_to_e8m0(NAN, TERN_E8M0_UP, true), 255);
  const float outside[] = {0, INFINITY, 3e38f, 1e-40f, NAN};
  for (size_t i = 0; i < TERN_COUNT_OF(outside); ++i)
    assert_int_equal(tern_f32_to_e8m0(outside[i], TERN_E8M0_NEAREST, false), 255);
}

// Long arrays take another way through the code than short ones; packed codes keep their place.
static void arrays_agree_with_single_elements(void **state) {
  (void)state;
  enum { COUNT = 1021 };
  static float source[COUNT], back[COUNT];
  static uint8_t packed[COUNT * 2];
  for (int i = 0; i < COUNT; ++i) source[i] = (float)((i * 37) % 61 - 30) * 0.21f;
  for (size_t k = 0; k < TERN_COUNT_OF(formats); ++k) {
    const format *f = &formats[k];
    size_t bytes;
    assert_true(tern_dtype_bytes(f->dtype, COUNT, &bytes));
    memset(packed, 0xff, sizeof packed);
    tern_dtype_from_f32(f->dtype, source, COUNT, true, packed);
    tern_dtype_to_f32(f->dtype, packed, COUNT, back);
    for (int i = 0; i < COUNT; ++i)
      assert_same_float(back[i], (float)code_value(f, encode(f, source[i], true)));
    if (bytes < sizeof packed) assert_int_equal(packed[bytes], 0xff);
    unsigned used_bits = (unsigned)(COUNT * f->bits % 8);
    if (used_bits) assert_int_equal(packed[bytes - 1] >> used_bits, 0);
  }
}

static void packs_from_the_low_bits(void **state) {
  (void)state;
  const float source[] = {1, -6, 0.5f};
  uint8_t packed[2];
  tern_dtype_from_f32(TERN_FLOAT4E2M1, source, 3, true, packed);
  assert_int_equal(packed[0], 0xf2);
  assert_int_equal(packed[1], 0x01);
  uint8_t ints[2] = {0};
  for (int i = 0; i < 4; ++i) tern_dtype_write_i64(TERN_INT4, ints, i, i - 6);
  assert_int_equal(ints[0], 0xba);
  assert_int_equal(ints[1], 0xdc);
  for (int i = 0; i < 4; ++i) assert_int_equal(tern_dtype_read_i64(TERN_INT4, ints, i), i - 6);
  assert_int_equal(tern_dtype_read_i64(TERN_UINT4, ints, 0), 10);
  assert_int_equal(tern_dtype_read_i64(TERN_INT2, ints, 1), -2);
  assert_int_equal(tern_dtype_read_i64(TERN_UINT2, ints, 7), 3);
}

static void integers_keep_their_sign(void **state) {
  (void)state;
  const struct {
    tern_dtype dtype;
    int64_t written, read;
  } cases[] = {
      {TERN_INT8, 200, -56},
      {TERN_UINT8, -1, 255},
      {TERN_INT16, -5, -5},
      {TERN_UINT16, -1, 65535},
      {TERN_INT32, INT64_MAX, -1},
      {TERN_UINT32, -1, UINT32_MAX},
      {TERN_INT64, INT64_MIN, INT64_MIN},
      {TERN_UINT64, -1, -1},
      {TERN_BOOL, 1, 1},
      {TERN_INT2, 2, -2},
  };
  for (size_t i = 0; i < TERN_COUNT_OF(cases); ++i) {
    int64_t cells[4] = {0};
    tern_dtype_write_i64(cases[i].dtype, cells, 3, cases[i].written);
    assert_int_equal(tern_dtype_read_i64(cases[i].dtype, cells, 3), cases[i].read);
    assert_int_equal(tern_dtype_read_i64(cases[i].dtype, cells, 2), 0);
  }
}

static void counts_bytes(void **state) {
  (void)state;
  const struct {
    tern_dtype dtype;
    int64_t count;
    size_t bytes;
  } cases[] = {
      {TERN_FLOAT, 3, 12},      {TERN_INT4, 3, 2},
      {TERN_UINT2, 5, 2},       {TERN_FLOAT6E2M3, 3, 3},
      {TERN_FLOAT6E3M2, 5, 4},  {TERN_BOOL, 0, 0},
      {TERN_COMPLEX128, 2, 32}, {TERN_INT2, INT64_MAX, (size_t)1 << 61},
  };
  size_t bytes;
  for (size_t i = 0; i < TERN_COUNT_OF(cases); ++i) {
    assert_true(tern_dtype_bytes(cases[i].dtype, cases[i].count, &bytes));
    assert_int_equal(bytes, cases[i].bytes);
  }
  assert_false(tern_dtype_bytes(TERN_FLOAT, -1, &bytes));
  assert_false(tern_dtype_bytes(TERN_FLOAT, INT64_MAX / 2, &bytes));
  assert_false(tern_dtype_bytes(TERN_DTYPE_UNDEFINED, 1, &bytes));
  assert_false(tern_dtype_bytes((tern_dtype)99, 1, &bytes));
}

static void names_go_both_ways(void **state) {
  (void)state;
  for (int i = 1; i < TERN_DTYPE_COUNT; ++i)
    assert_int_equal(tern_dtype_from_name(tern_dtype_name((tern_dtype)i)), i);
  assert_int_equal(tern_dtype_from_name("float32"), TERN_DTYPE_UNDEFINED);
  assert_string_equal(tern_dtype_name((tern_dtype)-1), "undefined");
  assert_int_equal(sizeof(tern_string) * 8, tern_dtype_get_info(TERN_STRING)->bits);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(decodes_every_code),
      cmocka_unit_test(rounds_to_nearest_even),
      cmocka_unit_test(follows_the_tables_of_cast),
      cmocka_unit_test(e8m0_holds_powers_of_two),
      cmocka_unit_test(arrays_agree_with_single_elements),
      cmocka_unit_test(packs_from_the_low_bits),
      cmocka_unit_test(integers_keep_their_sign),
      cmocka_unit_test(counts_bytes),
      cmocka_unit_test(names_go_both_ways),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
