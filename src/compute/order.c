// Keys, selection, sorting.
#include "compute/order.h"

#include <string.h>

// The words that elements of a type consist of.
typedef struct word_format {
  unsigned bytes, words; // of a word; words an element
  bool is_float, is_signed;
  uint64_t infinity; // the bits of infinity; greater magnitudes are NaN
} word_format;

static word_format find_format(tern_dtype dtype) {
  const tern_dtype_info *info = tern_dtype_get_info(dtype);
  word_format format = {.bytes = info->bits / 8, .words = 1};
  format.is_signed = info->class == TERN_CLASS_I;
  switch (dtype) {
  case TERN_FLOAT16:
    format.infinity = 0x7c00;
    break;
  case TERN_BFLOAT16:
    format.infinity = 0x7f80;
    break;
  case TERN_FLOAT:
  case TERN_COMPLEX64:
    format.infinity = 0x7f800000;
    break;
  case TERN_DOUBLE:
  case TERN_COMPLEX128:
    format.infinity = 0x7ff0000000000000;
    break;
  default:
    break;
  }
  format.is_float = format.infinity != 0;
  if (info->class == TERN_CLASS_C) {
    format.bytes /= 2;
    format.words = 2;
  }
  return format;
}

static uint64_t read_word(const unsigned char *data, unsigned bytes) {
  uint8_t b8;
  uint16_t b16;
  uint32_t b32;
  uint64_t b64;
  switch (bytes) {
  case 1:
    memcpy(&b8, data, 1);
    return b8;
  case 2:
    memcpy(&b16, data, 2);
    return b16;
  case 4:
    memcpy(&b32, data, 4);
    return b32;
  default:
    memcpy(&b64, data, 8);
    return b64;
  }
}

static inline uint64_t key_of(const word_format *format, uint64_t word) {
  uint64_t sign = (uint64_t)1 << (8 * format->bytes - 1), mask = sign | (sign - 1);
  if (format->is_signed) return word ^ sign;
  if (!format->is_float) return word;
  uint64_t magnitude = word & (sign - 1);
  if (magnitude > format->infinity) return UINT64_MAX;
  if (magnitude == 0) return sign;
  return word & sign ? ~word & mask : word | sign;
}

bool tern_order_keys(tern_dtype dtype, const void *data, int64_t stride, int64_t count,
                     uint64_t *out_keys) {
  word_format format = find_format(dtype);
  const unsigned char *from = data;
  if (dtype == TERN_STRING || format.bytes == 0) return false;
  size_t step = (size_t)stride * format.bytes * format.words;
  for (int64_t i = 0; i < count; ++i, from += step)
    for (unsigned w = 0; w < format.words; ++w)
      *out_keys++ = key_of(&format, read_word(from + (size_t)w * format.bytes, format.bytes));
  return true;
}

// `a` comes after `b` among the greatest: a smaller key, or an equal one further on.
static bool is_worse(tern_order_item a, tern_order_item b) {
  return a.key != b.key ? a.key < b.key : a.index > b.index;
}

// Restores the heap, whose root is the worst item, after `item` took the place of the root.
static void sift_down(tern_order_item *heap, int64_t count, tern_order_item item) {
  int64_t at = 0;
  for (;;) {
    int64_t child = 2 * at + 1;
    if (child >= count) break;
    if (child + 1 < count && is_worse(heap[child + 1], heap[child])) child++;
    if (!is_worse(heap[child], item)) break;
    heap[at] = heap[child];
    at = child;
  }
  heap[at] = item;
}

static void sift_up(tern_order_item *heap, int64_t at, tern_order_item item) {
  while (at > 0 && is_worse(item, heap[(at - 1) / 2])) {
    heap[at] = heap[(at - 1) / 2];
    at = (at - 1) / 2;
  }
  heap[at] = item;
}

void tern_order_top(const uint64_t *keys, int64_t count, int64_t k, tern_order_item *out_items) {
  tern_order_item *heap = out_items;
  if (k <= 0) return;
  for (int64_t i = 0; i < k; ++i) sift_up(heap, i, (tern_order_item){keys[i], i});
  for (int64_t i = k; i < count; ++i)
    if (keys[i] > heap[0].key) sift_down(heap, k, (tern_order_item){keys[i], i});
  // Taking the worst one off again and again leaves the best in front.
  for (int64_t left = k - 1; left > 0; --left) {
    tern_order_item worst = heap[0];
    sift_down(heap, left, heap[left]);
    heap[left] = worst;
  }
}

void tern_order_sort(int64_t *items, int64_t count, int64_t *spare,
                     int (*compare)(const void *context, int64_t a, int64_t b),
                     const void *context) {
  if (count < 2) return;
  int64_t half = count / 2, a = 0, b = half, n = 0;
  tern_order_sort(items, half, spare, compare, context);
  tern_order_sort(items + half, count - half, spare, compare, context);
  if (compare(context, items[half - 1], items[half]) <= 0) return;
  memcpy(spare, items, (size_t)half * sizeof *items);
  while (a < half && b < count)
    items[n++] = compare(context, items[b], spare[a]) < 0 ? items[b++] : spare[a++];
  while (a < half) items[n++] = spare[a++];
}

void tern_order_nonzero(tern_dtype dtype, const void *data, int64_t count, bool *out_marks) {
  if (dtype == TERN_STRING) {
    const tern_string *strings = data;
    for (int64_t i = 0; i < count; ++i) out_marks[i] = strings[i].size > 0;
    return;
  }
  word_format format = find_format(dtype);
  uint64_t sign = (uint64_t)1 << (8 * format.bytes - 1);
  uint64_t mask = format.is_float ? sign - 1 : sign | (sign - 1);
  const unsigned char *from = data;
  for (int64_t i = 0; i < count; ++i) {
    uint64_t bits = 0;
    for (unsigned w = 0; w < format.words; ++w, from += format.bytes)
      bits |= read_word(from, format.bytes) & mask;
    out_marks[i] = bits != 0;
  }
}
