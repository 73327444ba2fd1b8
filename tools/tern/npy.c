// Reading numpy's .npy files. The header is a Python dict literal; only what numpy itself writes is
// accepted, and nothing is evaluated. Format: numpy's NEP 1.
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "input.h"
#include "text.h"

enum { MAX_RANK = 64 };

struct header {
  char descr[16]; // "<f4"
  bool fortran_order;
  size_t rank;
  int64_t dims[MAX_RANK];
  unsigned seen; // a bit for each of the three keys
};

static void skip_spaces(const char **at) {
  while (isspace((unsigned char)**at)) ++*at;
}

static bool take(const char **at, char wanted) {
  skip_spaces(at);
  if (**at != wanted) return false;
  ++*at;
  return true;
}

// A quoted text without escapes.
static bool take_text(const char **at, char *out_text, size_t capacity) {
  skip_spaces(at);
  char quote = **at;
  if (quote != '\'' && quote != '"') return false;
  const char *start = ++*at, *end = strchr(start, quote);
  if (!end || (size_t)(end - start) >= capacity) return false;
  memcpy(out_text, start, (size_t)(end - start));
  out_text[end - start] = 0;
  *at = end + 1;
  return true;
}

static bool take_word(const char **at, const char *word) {
  skip_spaces(at);
  if (!cli_starts(*at, word)) return false;
  *at += strlen(word);
  return true;
}

// "(1, 2L, 3)", "(1,)" or "()".
static bool take_shape(const char **at, struct header *header) {
  if (!take(at, '(')) return false;
  while (!take(at, ')')) {
    if (header->rank == MAX_RANK || !isdigit((unsigned char)**at)) return false;
    int64_t dim = 0;
    for (; isdigit((unsigned char)**at); ++*at) {
      int digit = **at - '0';
      if (dim > (INT64_MAX - digit) / 10) return false;
      dim = dim * 10 + digit;
    }
    if (**at == 'L') ++*at;
    header->dims[header->rank++] = dim;
    if (!take(at, ',')) return take(at, ')');
  }
  return true;
}

static bool take_item(const char **at, struct header *header) {
  char key[16];
  if (!take_text(at, key, sizeof key) || !take(at, ':')) return false;
  if (strcmp(key, "descr") == 0 && !(header->seen & 1)) {
    header->seen |= 1;
    return take_text(at, header->descr, sizeof header->descr);
  }
  if (strcmp(key, "fortran_order") == 0 && !(header->seen & 2)) {
    header->seen |= 2;
    header->fortran_order = take_word(at, "True");
    return header->fortran_order || take_word(at, "False");
  }
  if (strcmp(key, "shape") == 0 && !(header->seen & 4)) {
    header->seen |= 4;
    return take_shape(at, header);
  }
  return false;
}

static bool parse_header(const char *text, struct header *header) {
  if (!take(&text, '{')) return false;
  while (!take(&text, '}')) {
    if (!take_item(&text, header)) return false;
    if (take(&text, ',')) continue;
    if (!take(&text, '}')) return false;
    break;
  }
  skip_spaces(&text);
  return *text == 0 && header->seen == 7;
}

static cli_status *read_header(cli_arena *arena, cli_cursor *cursor, struct header *header) {
  const uint8_t *magic, *text;
  CLI_TRY(cli_cursor_skip(cursor, 8, &magic));
  if (memcmp(magic, "\x93NUMPY", 6) != 0) return cli_fail(CLI_FAILED, "not a .npy file");
  if (magic[6] < 1 || magic[6] > 3)
    return cli_fail(CLI_FAILED, ".npy version %d is not known", magic[6]);
  uint64_t length;
  CLI_TRY(cli_cursor_unsigned(cursor, magic[6] == 1 ? 2 : 4, &length));
  CLI_TRY(cli_cursor_skip(cursor, length, &text));
  const char *copy = cli_copy(arena, (const char *)text, (size_t)length);
  if (!parse_header(copy, header))
    return cli_fail(CLI_FAILED, "the .npy header is not one of a plain array: %.80s", copy);
  return NULL;
}

// The elements of an array as they lie in the file.
struct layout {
  cli_type type;
  size_t item_bytes;
  bool swap; // big-endian
  char text; // 'U' or 'S' for text, else 0
};

static cli_status *read_layout(const struct header *header, cli_type wanted,
                               struct layout *out_layout) {
  const char *descr = header->descr;
  uint64_t size;
  bool known = descr[0] && strchr("<>|=", descr[0]) && descr[1] &&
               cli_parse_unsigned(descr + 2, &size) && size < 1u << 24;
  if (!known) return cli_fail(CLI_FAILED, "arrays of dtype '%s' are not supported", descr);
  *out_layout = (struct layout){.item_bytes = (size_t)size, .swap = descr[0] == '>'};
  const cli_element *element = cli_element_of(wanted);
  if (descr[1] == 'U' || descr[1] == 'S') {
    out_layout->text = descr[1];
    out_layout->type = ONNX_TENSOR_ELEMENT_DATA_TYPE_STRING;
    if (descr[1] == 'U') out_layout->item_bytes *= 4;
  } else if (descr[1] == 'V' && !element->numpy && element->bits == size * 8) {
    out_layout->type = wanted;
  } else {
    out_layout->type = cli_type_of_numpy(descr + 1);
  }
  if (out_layout->type == ONNX_TENSOR_ELEMENT_DATA_TYPE_UNDEFINED)
    return cli_fail(CLI_FAILED, "arrays of dtype '%s' are not supported", descr);
  return NULL;
}

static size_t put_utf8(uint32_t point, char *out) {
  if (point > 0x10FFFF || (point >= 0xD800 && point < 0xE000)) point = 0xFFFD;
  if (point < 0x80) {
    out[0] = (char)point;
    return 1;
  }
  size_t length = point < 0x800 ? 2 : point < 0x10000 ? 3 : 4;
  for (size_t i = length - 1; i > 0; i--, point >>= 6) out[i] = (char)(0x80 | (point & 0x3F));
  out[0] = (char)((0xF00u >> length & 0xF0) | point);
  return length;
}

// Fixed-width text, padded with NULs, as UTF-8.
static char *read_text(cli_arena *arena, const struct layout *layout, const uint8_t *item) {
  if (layout->text == 'S') return cli_copy(arena, (const char *)item, layout->item_bytes);
  char *text = cli_arena_take(arena, layout->item_bytes + 1);
  size_t length = 0;
  for (size_t i = 0; i < layout->item_bytes; i += 4) {
    uint32_t point = 0;
    for (size_t j = 0; j < 4; j++)
      point |= (uint32_t)item[i + (layout->swap ? 3 - j : j)] << (8 * j);
    if (!point) break;
    length += put_utf8(point, text + length);
  }
  return text;
}

static void read_item(cli_arena *arena, const struct layout *layout, const uint8_t *item,
                      cli_tensor *tensor, size_t index) {
  if (layout->text) {
    tensor->strings[index] = read_text(arena, layout, item);
    return;
  }
  uint8_t *out = (uint8_t *)tensor->data + index * layout->item_bytes;
  for (size_t i = 0; i < layout->item_bytes; i++)
    out[layout->swap ? layout->item_bytes - 1 - i : i] = item[i];
}

// Walks the tensor in its own order, and the file by strides.
static void read_items(cli_arena *arena, const struct layout *layout, const struct header *header,
                       const uint8_t *data, cli_tensor *tensor) {
  size_t strides[MAX_RANK], at[MAX_RANK] = {0}, stride = 1;
  for (size_t i = 0; i < header->rank; i++) {
    size_t axis = header->fortran_order ? i : header->rank - 1 - i;
    strides[axis] = stride;
    stride *= (size_t)header->dims[axis];
  }
  for (size_t index = 0; index < tensor->count; index++) {
    size_t place = 0;
    for (size_t i = 0; i < header->rank; i++) place += at[i] * strides[i];
    read_item(arena, layout, data + place * layout->item_bytes, tensor, index);
    for (size_t i = header->rank; i-- > 0;) {
      if (++at[i] < (size_t)header->dims[i]) break;
      at[i] = 0;
    }
  }
}

cli_status *cli_npy_parse(cli_arena *arena, const uint8_t *bytes, size_t size, cli_type wanted,
                          cli_tensor *out_tensor) {
  cli_cursor cursor = {bytes, size, 0};
  struct header header = {0};
  struct layout layout;
  CLI_TRY(read_header(arena, &cursor, &header));
  CLI_TRY(read_layout(&header, wanted, &layout));
  size_t count, left = size - cursor.at;
  CLI_TRY(cli_shape_count(header.rank, header.dims, &count));
  bool fits = layout.item_bytes == 0
                  ? left == 0
                  : left % layout.item_bytes == 0 && left / layout.item_bytes == count;
  if (!fits)
    return cli_fail(CLI_FAILED, "%zu bytes of data where %zu elements of %zu bytes were announced",
                    left, count, layout.item_bytes);
  if (layout.item_bytes == 0 && count > 1u << 20)
    return cli_fail(CLI_FAILED, "%zu empty texts", count);
  CLI_TRY(cli_tensor_new(arena, layout.type, header.rank, header.dims, out_tensor));
  bool as_is = !layout.text && !layout.swap && (!header.fortran_order || header.rank < 2);
  if (as_is && out_tensor->bytes)
    memcpy(out_tensor->data, bytes + cursor.at, out_tensor->bytes);
  else if (!as_is)
    read_items(arena, &layout, &header, bytes + cursor.at, out_tensor);
  return NULL;
}
