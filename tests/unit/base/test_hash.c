// The hash against its definition, worked out slowly, and against what it must tell apart.
#include "base/hash.h"

#include <stdlib.h>
#include <string.h>

#include "unit/test.h"

__extension__ typedef unsigned __int128 wide;
static const wide prime = ((wide)1 << 127) - 1;

static tern_hash_key key;

static int draw_key(void **state) {
  (void)state;
  tern_hash_key_init(&key);
  return 0;
}

// ---- The definition: remainders taken bit by bit.

static wide slow_multiply(wide a, wide b) {
  wide sum = 0;
  for (int bit = 126; bit >= 0; --bit) {
    sum = sum * 2 % prime;
    if (b >> bit & 1) sum = (sum + a) % prime;
  }
  return sum;
}

static wide slow_nh(const unsigned char *block, size_t size, size_t shift) {
  unsigned char padded[TERN_HASH_BLOCK_BYTES] = {0};
  uint64_t words[TERN_HASH_BLOCK_WORDS];
  memcpy(padded, block, size);
  memcpy(words, padded, sizeof words);
  wide sum = 0;
  for (size_t i = 0; i < TERN_HASH_BLOCK_WORDS; i += 2)
    sum += (wide)(words[i] + key.nh[i + shift]) * (words[i + 1] + key.nh[i + 1 + shift]);
  return sum;
}

static wide slow_hash(const unsigned char *data, size_t size, int half) {
  wide point = ((wide)key.points[half][1] << 64 | key.points[half][0]) % prime, hash = 1;
  for (size_t at = 0; at < size; at += TERN_HASH_BLOCK_BYTES) {
    size_t left = size - at < TERN_HASH_BLOCK_BYTES ? size - at : TERN_HASH_BLOCK_BYTES;
    wide block = slow_nh(data + at, left, half ? 2 : 0) % prime;
    hash = (slow_multiply(hash, point) + block) % prime;
  }
  return (slow_multiply(hash, point) + size) % prime;
}

static tern_hash hash_of(const void *data, size_t size) {
  tern_hash hash;
  tern_hash_begin(&hash);
  tern_hash_add(&key, data, size, &hash);
  return hash;
}

static void is_what_its_definition_says(void **state) {
  (void)state;
  static const size_t sizes[] = {0, 1, 7, 8, 511, 512, 513, 1024, 5000, 65536};
  unsigned char *data = malloc(65536);
  for (int fill = 0; fill < 3; ++fill) {
    // Zeros, ones everywhere, and anything.
    for (size_t i = 0; i < 65536; ++i)
      data[i] = fill == 0 ? 0 : fill == 1 ? 0xff : (unsigned char)(rand() >> 4);
    for (size_t i = 0; i < TERN_COUNT_OF(sizes); ++i) {
      tern_hash hash = hash_of(data, sizes[i]);
      for (int half = 0; half < 2; ++half) {
        wide expected = slow_hash(data, sizes[i], half);
        assert_true(hash.words[2 * half] == (uint64_t)expected);
        assert_true(hash.words[2 * half + 1] == (uint64_t)(expected >> 64));
      }
    }
  }
  free(data);
}

// Points at the ends of their range, where sums come closest to overflowing.
static void extreme_keys_do_not_overflow(void **state) {
  (void)state;
  tern_hash_key drawn = key;
  unsigned char data[2048];
  memset(data, 0xff, sizeof data);
  for (int low = 0; low < 3; ++low) {
    memset(key.nh, low == 2 ? 0xff : 0, sizeof key.nh);
    for (int half = 0; half < 2; ++half) {
      key.points[half][0] = UINT64_MAX - (uint64_t)low;
      key.points[half][1] = INT64_MAX;
      tern_hash hash = hash_of(data, sizeof data);
      wide expected = slow_hash(data, sizeof data, half);
      assert_true(hash.words[2 * half] == (uint64_t)expected);
      assert_true(hash.words[2 * half + 1] == (uint64_t)(expected >> 64));
    }
  }
  key = drawn;
}

static void every_bit_and_the_size_count(void **state) {
  (void)state;
  unsigned char data[700] = {0};
  tern_hash empty = hash_of(data, 0), zeros = hash_of(data, sizeof data);
  for (size_t bit = 0; bit < 8 * sizeof data; ++bit) {
    data[bit / 8] = (unsigned char)(1u << bit % 8);
    tern_hash hash = hash_of(data, sizeof data);
    data[bit / 8] = 0;
    assert_false(tern_hash_equal(&hash, &zeros));
  }
  for (size_t size = 1; size < sizeof data; ++size) {
    tern_hash shorter = hash_of(data, size);
    assert_false(tern_hash_equal(&shorter, &zeros));
    assert_false(tern_hash_equal(&shorter, &empty));
  }
}

static void parts_are_told_apart(void **state) {
  (void)state;
  unsigned char data[1025];
  for (size_t i = 0; i < sizeof data; ++i) data[i] = (unsigned char)i;
  tern_hash whole = hash_of(data, 1024), moved, split;
  for (size_t cut = 0; cut <= 1024; cut += 64) {
    tern_hash_begin(&split);
    tern_hash_add(&key, data, cut, &split);
    tern_hash_add(&key, data + cut, 1024 - cut, &split);
    assert_false(tern_hash_equal(&split, &whole));
  }
  memmove(data + 1, data, 1024); // misaligned, the same bytes
  moved = hash_of(data + 1, 1024);
  assert_true(tern_hash_equal(&moved, &whole));
  tern_hash_key_init(&key);
  moved = hash_of(data + 1, 1024);
  assert_false(tern_hash_equal(&moved, &whole));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(is_what_its_definition_says),
      cmocka_unit_test(extreme_keys_do_not_overflow),
      cmocka_unit_test(every_bit_and_the_size_count),
      cmocka_unit_test(parts_are_told_apart),
  };
  return cmocka_run_group_tests(tests, draw_key, NULL);
}
