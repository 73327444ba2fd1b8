// Casts: every class of types, rounding, wrapping, and what lies out of range.
#include "compute/cast.h"

#include <math.h>
#include <string.h>

#include "unit/test.h"

#define CHECK(from, from_type, to, to_type, options, source, target)                               \
  do {                                                                                             \
    const from_type source_[] = source;                                                            \
    const to_type target_[] = target;                                                              \
    to_type got_[TERN_COUNT_OF(target_)];                                                          \
    memset(got_, 0xa5, sizeof got_);                                                               \
    tern_cast((from), source_, (to), got_, (int64_t)TERN_COUNT_OF(source_), (options));            \
    assert_memory_equal(got_, target_, sizeof target_);                                            \
  } while (0)
#define L(...)                                                                                     \
  { __VA_ARGS__ }
static const tern_cast_options plain = {0};
static const tern_cast_options saturating = {.saturate = true};

static void integers_wrap(void **state) {
  (void)state;
  CHECK(TERN_INT16, int16_t, TERN_INT8, int8_t, &plain, L(200, -129, 5), L(-56, 127, 5));
  CHECK(TERN_INT8, int8_t, TERN_UINT32, uint32_t, &plain, L(-1, 7), L(0xffffffffu, 7));
  CHECK(TERN_UINT32, uint32_t, TERN_INT64, int64_t, &plain, L(0xffffffffu), L(0xffffffffll));
  CHECK(TERN_INT32, int32_t, TERN_BOOL, uint8_t, &plain, L(0, -3, 256), L(0, 1, 1));
  CHECK(TERN_BOOL, uint8_t, TERN_FLOAT, float, &plain, L(0, 1, 2), L(0, 1, 1));
}

static void floats_are_cut(void **state) {
  (void)state;
  CHECK(TERN_FLOAT, float, TERN_INT32, int32_t, &plain, L(-1.9f, 2.9f, 3e9f, NAN, INFINITY),
        L(-1, 2, INT32_MIN, INT32_MIN, INT32_MIN));
  CHECK(TERN_FLOAT, float, TERN_UINT8, uint8_t, &plain, L(-1.0f, 300.0f, 255.5f), L(255, 44, 255));
  CHECK(TERN_DOUBLE, double, TERN_INT32, int32_t, &plain, L(-2147483648.5, 2147483647.5),
        L(INT32_MIN, INT32_MAX));
  CHECK(TERN_DOUBLE, double, TERN_UINT64, uint64_t, &plain, L(1.8e19, -1.0, 1e30),
        L(18000000000000000000u, UINT64_MAX, 1ull << 63));
  CHECK(TERN_FLOAT, float, TERN_UINT32, uint32_t, &plain, L(4e9f, -1.0f),
        L(4000000000u, 0xffffffffu));
  CHECK(TERN_FLOAT, float, TERN_BOOL, uint8_t, &plain, L(0.0f, -0.0f, 1e-30f, NAN), L(0, 0, 1, 1));
}

static void packed_types_go_both_ways(void **state) {
  (void)state;
  CHECK(TERN_INT8, int8_t, TERN_INT4, uint8_t, &plain, L(-8, 7, -9), L(0x78, 0x07));
  CHECK(TERN_INT4, uint8_t, TERN_FLOAT, float, &plain, L(0x78, 0x0f), L(-8, 7));
  CHECK(TERN_FLOAT, float, TERN_UINT2, uint8_t, &plain, L(1, 2, 3, 4, 5), L(0x39, 0x01));
  // More than one piece, ending within a byte.
  uint8_t packed[301], bytes[601], back[301];
  for (size_t i = 0; i < sizeof packed; ++i) packed[i] = (uint8_t)(i * 37);
  packed[300] &= 0x0f;
  tern_cast(TERN_UINT4, packed, TERN_UINT8, bytes, 601, &plain);
  assert_int_equal(bytes[513], packed[256] >> 4);
  tern_cast(TERN_UINT8, bytes, TERN_UINT4, back, 601, &plain);
  assert_memory_equal(back, packed, sizeof packed);
}

static void narrow_floats_round_once(void **state) {
  (void)state;
  // Just above the middle of 2048 and 2050: by way of a float it would look like the middle.
  CHECK(TERN_DOUBLE, double, TERN_FLOAT16, uint16_t, &plain,
        L(2049.0, 2049.0000001, -2049.0000001, 1e300, -1e-300),
        L(0x6800, 0x6801, 0xe801, 0x7c00, 0x8000));
  CHECK(TERN_FLOAT16, uint16_t, TERN_BFLOAT16, uint16_t, &plain, L(0x3c00, 0x7c00),
        L(0x3f80, 0x7f80));
  CHECK(TERN_FLOAT, float, TERN_FLOAT8E4M3FN, uint8_t, &saturating, L(1e9f, 1.0f), L(0x7e, 0x38));
  CHECK(TERN_FLOAT, float, TERN_FLOAT8E4M3FN, uint8_t, &plain, L(1e9f, 1.0f), L(0x7f, 0x38));
  const tern_cast_options down = {.saturate = true, .round = TERN_E8M0_DOWN};
  CHECK(TERN_FLOAT, float, TERN_FLOAT8E8M0, uint8_t, &down, L(3.0f), L(128));
  CHECK(TERN_FLOAT, float, TERN_FLOAT8E8M0, uint8_t, &saturating, L(3.0f), L(129));
}

static void every_pair_but_strings_and_complex_is_known(void **state) {
  (void)state;
  for (int from = 1; from < TERN_DTYPE_COUNT; ++from) {
    for (int to = 1; to < TERN_DTYPE_COUNT; ++to) {
      const bool a = strchr("FBIUL", "-FBIULCS"[tern_dtype_get_info((tern_dtype)from)->class]);
      const bool b = strchr("FBIUL", "-FBIULCS"[tern_dtype_get_info((tern_dtype)to)->class]);
      assert_int_equal(tern_cast_is_supported((tern_dtype)from, (tern_dtype)to), a && b);
    }
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(integers_wrap),
      cmocka_unit_test(floats_are_cut),
      cmocka_unit_test(packed_types_go_both_ways),
      cmocka_unit_test(narrow_floats_round_once),
      cmocka_unit_test(every_pair_but_strings_and_complex_is_known),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
