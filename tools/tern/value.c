// Tensors and values: making, converting, and carrying them as bytes.
#include "value.h"

#include <string.h>

#include "text.h"

cli_status *cli_shape_count(size_t rank, const int64_t *dims, size_t *out_count) {
  size_t count = 1;
  bool empty = false;
  for (size_t i = 0; i < rank; i++) {
    if (dims[i] < 0)
      return cli_fail(CLI_FAILED, "dimension %zu is negative: %lld", i, (long long)dims[i]);
    if (dims[i] == 0)
      empty = true;
    else if ((uint64_t)dims[i] > SIZE_MAX / 64 / count)
      return cli_fail(CLI_FAILED, "the shape has more elements than memory can hold");
    else
      count *= (size_t)dims[i];
  }
  *out_count = empty ? 0 : count;
  return NULL;
}

cli_status *cli_tensor_new(cli_arena *arena, cli_type type, size_t rank, const int64_t *dims,
                           cli_tensor *out_tensor) {
  const cli_element *element = cli_element_of(type);
  if (element->kind == CLI_KIND_NONE)
    return cli_fail(CLI_FAILED, "tensors of type %s (%d) are not supported", element->name, type);
  cli_tensor tensor = {.type = type, .rank = rank};
  CLI_TRY(cli_shape_count(rank, dims, &tensor.count));
  tensor.dims = cli_arena_array(arena, rank, sizeof *dims);
  if (rank) memcpy(tensor.dims, dims, rank * sizeof *dims);
  void *memory;
  if (element->kind == CLI_KIND_STRING) {
    memory = tensor.strings = cli_arena_try(arena, tensor.count * sizeof *tensor.strings);
    for (size_t i = 0; memory && i < tensor.count; i++) tensor.strings[i] = "";
  } else {
    tensor.bytes = (tensor.count * element->bits + 7) / 8;
    memory = tensor.data = cli_arena_try(arena, tensor.bytes);
  }
  if (!memory)
    return cli_fail(CLI_FAILED, "no memory for a tensor %s %s", element->name,
                    cli_shape_text(arena, rank, dims));
  *out_tensor = tensor;
  return NULL;
}

cli_status *cli_tensor_convert(cli_arena *arena, const cli_tensor *tensor, cli_type type,
                               cli_tensor *out_tensor) {
  if (tensor->type == type) {
    *out_tensor = *tensor;
    return NULL;
  }
  bool from_text = tensor->type == ONNX_TENSOR_ELEMENT_DATA_TYPE_STRING;
  if (from_text || type == ONNX_TENSOR_ELEMENT_DATA_TYPE_STRING)
    return cli_fail(CLI_FAILED, "strings and numbers do not convert into each other");
  cli_tensor converted;
  CLI_TRY(cli_tensor_new(arena, type, tensor->rank, tensor->dims, &converted));
  for (size_t i = 0; i < tensor->count; i++)
    CLI_TRY(cli_element_store(type, converted.data, i,
                              cli_element_load(tensor->type, tensor->data, i)));
  *out_tensor = converted;
  return NULL;
}

const char *cli_value_text(cli_arena *arena, const cli_value *value) {
  switch (value->form) {
  case CLI_FORM_NONE:
    return "nothing";
  case CLI_FORM_SEQUENCE:
    return cli_print(arena, "sequence of %zu", value->count);
  case CLI_FORM_MAP:
    return cli_print(arena, "map of %zu", value->items[0].tensor.count);
  case CLI_FORM_TENSOR:
    break;
  }
  return cli_print(arena, "%s %s", cli_element_of(value->tensor.type)->name,
                   cli_shape_text(arena, value->tensor.rank, value->tensor.dims));
}

static cli_status *put_tensor(cli_buffer *buffer, const cli_tensor *tensor) {
  CLI_TRY(cli_buffer_put_u64(buffer, (uint64_t)tensor->type));
  CLI_TRY(cli_buffer_put_u64(buffer, tensor->rank));
  for (size_t i = 0; i < tensor->rank; i++)
    CLI_TRY(cli_buffer_put_u64(buffer, (uint64_t)tensor->dims[i]));
  if (!tensor->strings) return cli_buffer_put(buffer, tensor->data, tensor->bytes);
  for (size_t i = 0; i < tensor->count; i++) {
    size_t length = strlen(tensor->strings[i]);
    CLI_TRY(cli_buffer_put_u64(buffer, length));
    CLI_TRY(cli_buffer_put(buffer, tensor->strings[i], length));
  }
  return NULL;
}

cli_status *cli_value_put(cli_buffer *buffer, const cli_value *value) {
  CLI_TRY(cli_buffer_put_u64(buffer, (uint64_t)value->form));
  if (value->form == CLI_FORM_TENSOR) return put_tensor(buffer, &value->tensor);
  CLI_TRY(cli_buffer_put_u64(buffer, value->count));
  for (size_t i = 0; i < value->count; i++) CLI_TRY(cli_value_put(buffer, &value->items[i]));
  return NULL;
}

static cli_status *get_tensor(cli_arena *arena, cli_cursor *cursor, cli_tensor *out_tensor) {
  uint64_t type, rank;
  CLI_TRY(cli_cursor_unsigned(cursor, 8, &type));
  CLI_TRY(cli_cursor_unsigned(cursor, 8, &rank));
  if (rank > (cursor->size - cursor->at) / 8) return cli_fail(CLI_FAILED, "ends early");
  int64_t *dims = cli_arena_array(arena, (size_t)rank, sizeof *dims);
  for (size_t i = 0; i < rank; i++) CLI_TRY(cli_cursor_unsigned(cursor, 8, (uint64_t *)&dims[i]));
  CLI_TRY(cli_tensor_new(arena, (cli_type)type, (size_t)rank, dims, out_tensor));
  const uint8_t *bytes;
  for (size_t i = 0; out_tensor->strings && i < out_tensor->count; i++) {
    uint64_t length;
    CLI_TRY(cli_cursor_unsigned(cursor, 8, &length));
    CLI_TRY(cli_cursor_skip(cursor, length, &bytes));
    out_tensor->strings[i] = cli_copy(arena, (const char *)bytes, (size_t)length);
  }
  CLI_TRY(cli_cursor_skip(cursor, out_tensor->bytes, &bytes));
  if (out_tensor->bytes) memcpy(out_tensor->data, bytes, out_tensor->bytes);
  return NULL;
}

cli_status *cli_value_get(cli_arena *arena, cli_cursor *cursor, cli_value *out_value) {
  uint64_t form, count;
  CLI_TRY(cli_cursor_unsigned(cursor, 8, &form));
  *out_value = (cli_value){.form = (cli_form)form};
  if (out_value->form == CLI_FORM_TENSOR) return get_tensor(arena, cursor, &out_value->tensor);
  CLI_TRY(cli_cursor_unsigned(cursor, 8, &count));
  if (count > (cursor->size - cursor->at) / 8) return cli_fail(CLI_FAILED, "ends early");
  out_value->count = (size_t)count;
  out_value->items = cli_arena_array(arena, out_value->count, sizeof *out_value->items);
  for (size_t i = 0; i < out_value->count; i++)
    CLI_TRY(cli_value_get(arena, cursor, &out_value->items[i]));
  return NULL;
}
