// Running a model: tensors become the library's values, and its values become ours.
#include <string.h>

#include "model.h"
#include "text.h"

static cli_status *make_string_value(cli_arena *arena, const cli_lib *lib, const cli_tensor *tensor,
                                     OrtValue **out_value) {
  const OrtApi *ort = lib->ort;
  OrtAllocator *allocator;
  CLI_TRY(cli_ort(lib, ort->GetAllocatorWithDefaultOptions(&allocator)));
  OrtValue *value;
  CLI_TRY(cli_ort(lib, ort->CreateTensorAsOrtValue(allocator, tensor->dims, tensor->rank,
                                                   tensor->type, &value)));
  const char **texts = cli_arena_array(arena, tensor->count, sizeof *texts);
  for (size_t i = 0; i < tensor->count; i++) texts[i] = tensor->strings[i];
  cli_status *status = cli_ort(lib, ort->FillStringTensor(value, texts, tensor->count));
  if (status)
    ort->ReleaseValue(value);
  else
    *out_value = value;
  return status;
}

static cli_status *make_value(cli_arena *arena, const cli_lib *lib, const cli_tensor *tensor,
                              OrtValue **out_value) {
  if (tensor->strings) return make_string_value(arena, lib, tensor, out_value);
  OrtMemoryInfo *memory;
  CLI_TRY(
      cli_ort(lib, lib->ort->CreateCpuMemoryInfo(OrtArenaAllocator, OrtMemTypeDefault, &memory)));
  cli_status *status = cli_ort(lib, lib->ort->CreateTensorWithDataAsOrtValue(
                                        memory, tensor->data, tensor->bytes, tensor->dims,
                                        tensor->rank, tensor->type, out_value));
  lib->ort->ReleaseMemoryInfo(memory);
  return status;
}

cli_status *cli_feeds_make(cli_arena *arena, const cli_model *model, const cli_tensor *inputs,
                           cli_feeds *out_feeds) {
  cli_feeds feeds = {0};
  feeds.names = cli_arena_array(arena, model->input_count, sizeof *feeds.names);
  feeds.values = cli_arena_array(arena, model->input_count, sizeof *feeds.values);
  feeds.output_names = cli_arena_array(arena, model->output_count, sizeof *feeds.output_names);
  feeds.outputs = cli_arena_array(arena, model->output_count, sizeof *feeds.outputs);
  for (size_t i = 0; i < model->output_count; i++) feeds.output_names[i] = model->outputs[i].name;
  for (size_t i = 0; i < model->input_count; i++) {
    // An optional input that nothing was given for stays unfed.
    if (inputs[i].type == ONNX_TENSOR_ELEMENT_DATA_TYPE_UNDEFINED) continue;
    cli_status *status = make_value(arena, model->lib, &inputs[i], &feeds.values[feeds.count]);
    if (status) {
      cli_feeds_free(model, &feeds);
      return cli_fail_in(status, "input '%s'", model->inputs[i].name);
    }
    feeds.names[feeds.count++] = model->inputs[i].name;
  }
  *out_feeds = feeds;
  return NULL;
}

void cli_feeds_free(const cli_model *model, cli_feeds *feeds) {
  for (size_t i = 0; i < feeds->count; i++) model->lib->ort->ReleaseValue(feeds->values[i]);
  feeds->count = 0;
}

static cli_status *copy_strings(cli_arena *arena, const cli_lib *lib, const OrtValue *value,
                                cli_tensor *tensor) {
  const OrtApi *ort = lib->ort;
  for (size_t i = 0; i < tensor->count; i++) {
    size_t length;
    CLI_TRY(cli_ort(lib, ort->GetStringTensorElementLength(value, i, &length)));
    tensor->strings[i] = cli_arena_take(arena, length + 1);
    CLI_TRY(cli_ort(lib, ort->GetStringTensorElement(value, length, i, tensor->strings[i])));
  }
  return NULL;
}

static cli_status *tensor_like(cli_arena *arena, const cli_lib *lib,
                               const OrtTensorTypeAndShapeInfo *info, cli_tensor *out_tensor) {
  const OrtApi *ort = lib->ort;
  cli_type type;
  size_t rank;
  CLI_TRY(cli_ort(lib, ort->GetTensorElementType(info, &type)));
  CLI_TRY(cli_ort(lib, ort->GetDimensionsCount(info, &rank)));
  int64_t *dims = cli_arena_array(arena, rank, sizeof *dims);
  if (rank) CLI_TRY(cli_ort(lib, ort->GetDimensions(info, dims, rank)));
  return cli_tensor_new(arena, type, rank, dims, out_tensor);
}

static cli_status *copy_tensor(cli_arena *arena, const cli_lib *lib, OrtValue *value,
                               cli_tensor *out_tensor) {
  const OrtApi *ort = lib->ort;
  OrtTensorTypeAndShapeInfo *info;
  CLI_TRY(cli_ort(lib, ort->GetTensorTypeAndShape(value, &info)));
  cli_tensor tensor;
  cli_status *status = tensor_like(arena, lib, info, &tensor);
  ort->ReleaseTensorTypeAndShapeInfo(info);
  if (status) return status;
  if (tensor.strings) {
    CLI_TRY(copy_strings(arena, lib, value, &tensor));
  } else if (tensor.bytes) {
    void *data;
    CLI_TRY(cli_ort(lib, ort->GetTensorMutableData(value, &data)));
    memcpy(tensor.data, data, tensor.bytes);
  }
  *out_tensor = tensor;
  return NULL;
}

static cli_status *copy_value(cli_arena *arena, const cli_lib *lib, OrtValue *value, unsigned depth,
                              cli_value *out_value);

// The items of a sequence, or the keys and values of a map.
static cli_status *copy_items(cli_arena *arena, const cli_lib *lib, const OrtValue *value,
                              unsigned depth, cli_value *out_value) {
  const OrtApi *ort = lib->ort;
  OrtAllocator *allocator;
  CLI_TRY(cli_ort(lib, ort->GetAllocatorWithDefaultOptions(&allocator)));
  CLI_TRY(cli_ort(lib, ort->GetValueCount(value, &out_value->count)));
  out_value->items = cli_arena_array(arena, out_value->count, sizeof *out_value->items);
  for (size_t i = 0; i < out_value->count; i++) {
    OrtValue *item;
    CLI_TRY(cli_ort(lib, ort->GetValue(value, (int)i, allocator, &item)));
    cli_status *status = copy_value(arena, lib, item, depth + 1, &out_value->items[i]);
    ort->ReleaseValue(item);
    if (status) return status;
  }
  return NULL;
}

static cli_status *copy_value(cli_arena *arena, const cli_lib *lib, OrtValue *value, unsigned depth,
                              cli_value *out_value) {
  *out_value = (cli_value){.form = CLI_FORM_NONE};
  int has_value = 0;
  if (value) CLI_TRY(cli_ort(lib, lib->ort->HasValue(value, &has_value)));
  if (!has_value) return NULL;
  ONNXType kind;
  CLI_TRY(cli_ort(lib, lib->ort->GetValueType(value, &kind)));
  if (kind == ONNX_TYPE_TENSOR) {
    out_value->form = CLI_FORM_TENSOR;
    return copy_tensor(arena, lib, value, &out_value->tensor);
  }
  if (depth < 8 && (kind == ONNX_TYPE_SEQUENCE || kind == ONNX_TYPE_MAP)) {
    out_value->form = kind == ONNX_TYPE_MAP ? CLI_FORM_MAP : CLI_FORM_SEQUENCE;
    return copy_items(arena, lib, value, depth, out_value);
  }
  return cli_fail(CLI_FAILED, "values of ONNX type %d cannot be read", (int)kind);
}

cli_status *cli_model_run(cli_arena *arena, const cli_model *model, cli_feeds *feeds,
                          cli_value *out_values) {
  const cli_lib *lib = model->lib;
  cli_status *status = cli_ort(
      lib, lib->ort->Run(model->session, NULL, feeds->names, (const OrtValue *const *)feeds->values,
                         feeds->count, feeds->output_names, model->output_count, feeds->outputs));
  for (size_t i = 0; !status && out_values && i < model->output_count; i++)
    status = cli_fail_in(copy_value(arena, lib, feeds->outputs[i], 0, &out_values[i]),
                         "output '%s'", feeds->output_names[i]);
  for (size_t i = 0; i < model->output_count; i++) {
    if (feeds->outputs[i]) lib->ort->ReleaseValue(feeds->outputs[i]);
    feeds->outputs[i] = NULL;
  }
  return status;
}
