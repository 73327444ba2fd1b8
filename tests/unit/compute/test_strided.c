// Strided copies against the plain loop that defines them, over random axes, element sizes and
// strides: dense, transposed, repeated, reversed, skipping.
#include <stdlib.h>
#include <string.h>

#include "compute/packed.h"
#include "compute/strided.h"
#include "unit/test.h"

enum { SPACE = 1 << 16 };

static unsigned next_random(unsigned *state) {
  *state = *state * 1664525u + 1013904223u;
  return *state >> 8;
}

// The definition.
static void plain_copy(const tern_strided_axis *axes, int32_t rank, size_t bytes,
                       const unsigned char *source, unsigned char *target) {
  if (rank == 0) {
    memcpy(target, source, bytes);
    return;
  }
  for (int64_t i = 0; i < axes[0].size; ++i)
    plain_copy(axes + 1, rank - 1, bytes, source + i * axes[0].source_stride * (int64_t)bytes,
               target + i * axes[0].target_stride * (int64_t)bytes);
}

// Random axes over a target that is dense in a random order of the axes. The source is dense in
// another order, and some of its axes repeat, are reversed or skip.
static int32_t make_axes(unsigned *state, tern_strided_axis *axes, int64_t *source_start) {
  int32_t rank = (int32_t)(next_random(state) % 5);
  int64_t source = 1, target = 1;
  *source_start = 0;
  for (int32_t k = 0; k < rank; ++k) axes[k].size = 1 + (int64_t)(next_random(state) % 7);
  if (rank > 1 && next_random(state) % 2) axes[next_random(state) % (unsigned)rank].size = 19;
  for (int32_t k = 0; k < rank; ++k) {
    int32_t s = (k + (int32_t)(next_random(state) % 2)) % rank; // every axis, some twice
    axes[s].source_stride = source;
    source *= axes[s].size;
  }
  for (int32_t k = rank - 1; k >= 0; --k) {
    axes[k].target_stride = target;
    target *= axes[k].size;
    unsigned kind = next_random(state) % 8;
    if (kind == 0) axes[k].source_stride = 0;
    if (kind == 1) axes[k].source_stride *= 2;
    if (kind == 2) {
      axes[k].source_stride *= -1;
      *source_start -= axes[k].source_stride * (axes[k].size - 1);
    }
  }
  return rank;
}

static void test_copies_match_the_definition(void **state) {
  (void)state;
  static const size_t sizes[] = {1, 2, 3, 4, 8, 12, 16};
  unsigned random = 7;
  unsigned char *source = malloc(SPACE * 16), *a = malloc(SPACE * 16), *b = malloc(SPACE * 16);
  assert_true(source && a && b);
  for (size_t i = 0; i < SPACE * 16; ++i) source[i] = (unsigned char)(i * 31 + i / 257);
  for (int round = 0; round < 3000; ++round) {
    tern_strided_axis axes[8] = {{0}};
    int64_t start;
    int32_t rank = make_axes(&random, axes, &start);
    size_t bytes = sizes[next_random(&random) % TERN_COUNT_OF(sizes)];
    size_t used = bytes;
    for (int32_t k = 0; k < rank; ++k) used *= (size_t)axes[k].size;
    memset(a, 0xee, used + 64);
    memset(b, 0xee, used + 64);
    tern_strided_copy(NULL, axes, rank, bytes, source + start * (int64_t)bytes, a);
    plain_copy(axes, rank, bytes, source + start * (int64_t)bytes, b);
    assert_memory_equal(a, b, used + 64);
  }
  free(source);
  free(a);
  free(b);
}

// Large enough to be cut into pieces, each way a piece is cut: bytes, a line's elements, the rows
// and the columns of a transposition, a fill.
static void test_large_copies_match_the_definition(void **state) {
  (void)state;
  const struct {
    int32_t rank;
    size_t bytes;
    tern_strided_axis axes[3];
  } cases[] = {
      {1, 1, {{300007, 1, 1}}},
      {2, 4, {{3, 50001, 50001}, {50001, 1, 1}}},
      {1, 4, {{100003, 2, 1}}},
      {1, 3, {{100003, 2, 1}}},
      {2, 4, {{5, 0, 30011}, {30011, -5, 1}}},
      {2, 4, {{3001, 1, 37}, {37, 3001, 1}}},
      {2, 4, {{37, 1, 3001}, {3001, 37, 1}}},
      {3, 2, {{3, 64 * 701, 64 * 701}, {701, 1, 64}, {64, 701, 1}}},
      {1, 8, {{100003, 0, 1}}},
  };
  enum { BYTES = 1 << 20 };
  unsigned char *source = malloc(2 * BYTES), *a = malloc(BYTES), *b = malloc(BYTES);
  assert_true(source && a && b);
  for (size_t i = 0; i < 2 * BYTES; ++i) source[i] = (unsigned char)(i * 31 + i / 257);
  for (size_t i = 0; i < TERN_COUNT_OF(cases); ++i) {
    memset(a, 0xee, BYTES);
    memset(b, 0xee, BYTES);
    const unsigned char *start = source + (i == 4 ? 5 * 30011 * 4 : 0);
    tern_strided_copy(NULL, cases[i].axes, cases[i].rank, cases[i].bytes, start, a);
    plain_copy(cases[i].axes, cases[i].rank, cases[i].bytes, start, b);
    assert_memory_equal(a, b, BYTES);
  }
  free(source);
  free(a);
  free(b);
}

static void test_an_empty_axis_copies_nothing(void **state) {
  (void)state;
  unsigned char byte = 1, out = 2;
  tern_strided_axis axes[] = {{3, 1, 1}, {0, 1, 1}};
  tern_strided_copy(NULL, axes, 2, 1, &byte, &out);
  assert_int_equal(out, 2);
}

static void test_fill_repeats_any_size(void **state) {
  (void)state;
  static const size_t sizes[] = {1, 2, 3, 8, 12, 5000};
  unsigned char *element = malloc(5000), *filled = malloc(5000 * 40);
  assert_true(element && filled);
  for (size_t i = 0; i < 5000; ++i) element[i] = (unsigned char)(i * 7 + 1);
  for (size_t s = 0; s < TERN_COUNT_OF(sizes); ++s) {
    int64_t count = sizes[s] == 5000 ? 7 : 15001;
    tern_strided_fill(element, sizes[s], count, filled);
    for (int64_t i = 0; i < count; ++i)
      assert_memory_equal(filled + (size_t)i * sizes[s], element, sizes[s]);
  }
  free(element);
  free(filled);
}

static void test_codes_survive_packing(void **state) {
  (void)state;
  const unsigned widths[] = {2, 4};
  for (size_t w = 0; w < 2; ++w) {
    for (int64_t count = 0; count < 10; ++count) {
      uint8_t codes[10], packed[8], again[10];
      for (int64_t i = 0; i < 10; ++i) codes[i] = (uint8_t)(0xf0u | (unsigned)(i * 3 + 1));
      memset(packed, 0xff, sizeof packed);
      tern_packed_pack(widths[w], codes, count, packed);
      tern_packed_unpack(widths[w], packed, count, again);
      for (int64_t i = 0; i < count; ++i)
        assert_int_equal(again[i], codes[i] & ((1u << widths[w]) - 1));
    }
  }
  uint8_t low_first[2] = {1, 2}, byte;
  tern_packed_pack(4, low_first, 2, &byte);
  assert_int_equal(byte, 0x21);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_copies_match_the_definition),
      cmocka_unit_test(test_large_copies_match_the_definition),
      cmocka_unit_test(test_an_empty_axis_copies_nothing),
      cmocka_unit_test(test_fill_repeats_any_size),
      cmocka_unit_test(test_codes_survive_packing),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
