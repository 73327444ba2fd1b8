// Writing numpy's .npy files, version 1.0.
#include "npy.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "text.h"

// One code point of UTF-8 at `*text`; a byte that starts none counts as U+FFFD.
static uint32_t next_point(const char **text) {
  const unsigned char *at = (const unsigned char *)*text;
  size_t length = at[0] < 0x80       ? 1
                  : at[0] >> 5 == 6  ? 2
                  : at[0] >> 4 == 14 ? 3
                  : at[0] >> 3 == 30 ? 4
                                     : 0;
  uint32_t point = length == 1 ? at[0] : at[0] & (0x7Fu >> length);
  for (size_t i = 1; i < length; i++) {
    if (at[i] >> 6 != 2)
      length = 0;
    else
      point = point << 6 | (at[i] & 0x3F);
  }
  *text += length ? length : 1;
  return length ? point : 0xFFFD;
}

static size_t count_points(const char *text) {
  size_t count = 0;
  for (; *text; count++) next_point(&text);
  return count;
}

// Every text as `width` little-endian code points.
static cli_status *put_texts(cli_buffer *buffer, const cli_tensor *tensor, size_t width) {
  for (size_t i = 0; i < tensor->count; i++) {
    const char *text = tensor->strings[i];
    for (size_t j = 0; j < width; j++) {
      uint32_t point = *text ? next_point(&text) : 0;
      uint8_t code[4] = {(uint8_t)point, (uint8_t)(point >> 8), (uint8_t)(point >> 16), 0};
      CLI_TRY(cli_buffer_put(buffer, code, sizeof code));
    }
  }
  return NULL;
}

// A type that a .npy file can say.
static cli_type writable_type(cli_type type) {
  const cli_element *element = cli_element_of(type);
  if (element->bits >= 8 || element->kind == CLI_KIND_STRING) return type;
  if (element->kind == CLI_KIND_FLOAT) return ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT;
  return element->kind == CLI_KIND_SIGNED ? ONNX_TENSOR_ELEMENT_DATA_TYPE_INT8
                                          : ONNX_TENSOR_ELEMENT_DATA_TYPE_UINT8;
}

static const char *describe(cli_arena *arena, const cli_tensor *tensor, size_t text_width) {
  const cli_element *element = cli_element_of(tensor->type);
  if (tensor->strings) return cli_print(arena, "<U%zu", text_width);
  if (!element->numpy) return cli_print(arena, "|V%u", element->bits / 8);
  return cli_print(arena, "%c%s", element->bits == 8 ? '|' : '<', element->numpy);
}

// Magic, version, length, and the dict padded so that data starts at a multiple of 64.
static cli_status *put_header(cli_arena *arena, cli_buffer *buffer, const cli_tensor *tensor,
                              const char *descr) {
  const char *shape = "";
  for (size_t i = 0; i < tensor->rank; i++)
    shape = cli_print(arena, "%s%s%lld%s", shape, i ? " " : "", (long long)tensor->dims[i],
                      i + 1 < tensor->rank || tensor->rank == 1 ? "," : "");
  const char *dict =
      cli_print(arena, "{'descr': '%s', 'fortran_order': False, 'shape': (%s), }", descr, shape);
  size_t length = (10 + strlen(dict) + 1 + 63) / 64 * 64 - 10;
  if (length > UINT16_MAX) return cli_fail(CLI_FAILED, "the shape is too long for a .npy file");
  uint8_t start[10] = {
      0x93, 'N', 'U', 'M', 'P', 'Y', 1, 0, (uint8_t)length, (uint8_t)(length >> 8)};
  CLI_TRY(cli_buffer_put(buffer, start, sizeof start));
  const char *padded = cli_print(arena, "%-*s\n", (int)length - 1, dict);
  return cli_buffer_put(buffer, padded, length);
}

static cli_status *put_array(cli_arena *arena, cli_buffer *buffer, const cli_tensor *tensor) {
  size_t width = 1;
  for (size_t i = 0; tensor->strings && i < tensor->count; i++) {
    size_t points = count_points(tensor->strings[i]);
    if (points > width) width = points;
  }
  CLI_TRY(put_header(arena, buffer, tensor, describe(arena, tensor, width)));
  if (tensor->strings) return put_texts(buffer, tensor, width);
  return cli_buffer_put(buffer, tensor->data, tensor->bytes);
}

cli_status *cli_npy_write(cli_arena *arena, const char *path, const cli_tensor *tensor) {
  cli_tensor converted;
  CLI_TRY(cli_tensor_convert(arena, tensor, writable_type(tensor->type), &converted));
  cli_buffer buffer = {0};
  cli_status *status = put_array(arena, &buffer, &converted);
  FILE *file = status ? NULL : fopen(path, "wb");
  if (!status && !file)
    status = cli_fail(CLI_FAILED, "cannot write '%s': %s", path, strerror(errno));
  if (file) {
    bool wrote = fwrite(buffer.bytes, 1, buffer.size, file) == buffer.size;
    wrote = fclose(file) == 0 && wrote;
    if (!wrote) status = cli_fail(CLI_FAILED, "cannot write '%s': %s", path, strerror(errno));
  }
  cli_buffer_free(&buffer);
  return status;
}
