// Summaries of values for people, and files of them for programs.
#include "output.h"

#include <errno.h>
#include <math.h>
#include <string.h>

#include "json.h"
#include "npy.h"
#include "text.h"

enum { SHOWN_ELEMENTS = 8, SHOWN_ITEMS = 8, SHOWN_ROWS = 16 };

cli_stats cli_tensor_stats(const cli_tensor *tensor) {
  cli_stats stats = {.min = INFINITY, .max = -INFINITY};
  double sum = 0;
  for (size_t i = 0; !tensor->strings && i < tensor->count; i++) {
    double value = cli_element_load(tensor->type, tensor->data, i).real;
    if (isnan(value)) {
      stats.nan++;
    } else if (isinf(value)) {
      stats.infinite++;
    } else {
      stats.finite++;
      sum += value;
      if (value < stats.min) stats.min = value;
      if (value > stats.max) stats.max = value;
    }
  }
  stats.mean = stats.finite ? sum / (double)stats.finite : NAN;
  return stats;
}

// A text in quotes, control characters escaped, cut where it gets long.
static const char *quote(cli_arena *arena, const char *text) {
  const char *quoted = "\"";
  for (size_t i = 0; text[i]; i++) {
    if (i == 60) return cli_print(arena, "%s...\"", quoted);
    unsigned char c = (unsigned char)text[i];
    quoted = c < 0x20 || c == 0x7F   ? cli_print(arena, "%s\\x%02x", quoted, c)
             : c == '"' || c == '\\' ? cli_print(arena, "%s\\%c", quoted, c)
                                     : cli_print(arena, "%s%c", quoted, c);
  }
  return cli_print(arena, "%s\"", quoted);
}

static const char *element_text(cli_arena *arena, const cli_tensor *tensor, size_t index) {
  if (tensor->strings) return quote(arena, tensor->strings[index]);
  cli_number number = cli_element_load(tensor->type, tensor->data, index);
  if (tensor->type == ONNX_TENSOR_ELEMENT_DATA_TYPE_BOOL) return number.integer ? "true" : "false";
  if (!number.is_integer && tensor->type == ONNX_TENSOR_ELEMENT_DATA_TYPE_UINT64)
    return cli_print(arena, "%llu", (unsigned long long)((const uint64_t *)tensor->data)[index]);
  if (number.is_integer) return cli_print(arena, "%lld", (long long)number.integer);
  return cli_print(arena, "%.6g", number.real);
}

static void print_stats(FILE *file, int indent, const cli_tensor *tensor) {
  if (tensor->strings || tensor->count < 2) return;
  cli_stats stats = cli_tensor_stats(tensor);
  fprintf(file, "%*smin %.6g  max %.6g  mean %.6g", indent, "", stats.min, stats.max, stats.mean);
  if (stats.nan) fprintf(file, "  NaN %zu", stats.nan);
  if (stats.infinite) fprintf(file, "  infinite %zu", stats.infinite);
  fprintf(file, "\n");
}

static void print_elements(cli_arena *arena, FILE *file, int indent, const cli_tensor *tensor) {
  if (!tensor->count) return;
  fprintf(file, "%*s", indent, "");
  for (size_t i = 0; i < tensor->count && i < SHOWN_ELEMENTS; i++)
    fprintf(file, "%s%s", i ? " " : "", element_text(arena, tensor, i));
  fprintf(file, "%s\n", tensor->count > SHOWN_ELEMENTS ? " ..." : "");
}

static void print_pairs(cli_arena *arena, FILE *file, int indent, const cli_value *map) {
  const cli_tensor *keys = &map->items[0].tensor, *values = &map->items[1].tensor;
  for (size_t i = 0; i < keys->count && i < SHOWN_ITEMS; i++)
    fprintf(file, "%*s%s: %s\n", indent, "", element_text(arena, keys, i),
            element_text(arena, values, i));
  if (keys->count > SHOWN_ITEMS)
    fprintf(file, "%*sand %zu more\n", indent, "", keys->count - SHOWN_ITEMS);
}

static void print_value(cli_arena *arena, FILE *file, int indent, const char *name,
                        const cli_value *value) {
  fprintf(file, "%*s%s  %s\n", indent, "", name, cli_value_text(arena, value));
  indent += 2;
  if (value->form == CLI_FORM_MAP) print_pairs(arena, file, indent, value);
  if (value->form == CLI_FORM_TENSOR) {
    print_stats(file, indent, &value->tensor);
    print_elements(arena, file, indent, &value->tensor);
  }
  if (value->form != CLI_FORM_SEQUENCE) return;
  for (size_t i = 0; i < value->count && i < SHOWN_ITEMS; i++)
    print_value(arena, file, indent, cli_print(arena, "[%zu]", i), &value->items[i]);
  if (value->count > SHOWN_ITEMS)
    fprintf(file, "%*sand %zu more\n", indent, "", value->count - SHOWN_ITEMS);
}

void cli_output_print(cli_arena *arena, FILE *file, const char *name, const cli_value *value) {
  print_value(arena, file, 0, name, value);
}

// The largest element of a row after (`last`, `last_place`) in falling order; equal ones by place.
static size_t next_largest(const cli_tensor *tensor, size_t start, size_t length, double last,
                           size_t last_place) {
  size_t best = length;
  double best_value = -INFINITY;
  for (size_t i = 0; i < length; i++) {
    double value = cli_element_load(tensor->type, tensor->data, start + i).real;
    bool later = value < last || (value == last && (last_place == SIZE_MAX || i > last_place));
    if (!later || (best < length && value <= best_value)) continue;
    best = i;
    best_value = value;
  }
  return best;
}

static void print_top_row(FILE *file, const cli_tensor *tensor, size_t start, size_t length,
                          size_t k, char *const *labels, size_t label_count) {
  double last = INFINITY;
  size_t place = SIZE_MAX;
  for (size_t i = 0; i < k; i++) {
    place = next_largest(tensor, start, length, last, place);
    if (place == length) return;
    last = cli_element_load(tensor->type, tensor->data, start + place).real;
    fprintf(file, "  %2zu. %-12.6g %5zu", i + 1, last, place);
    if (place < label_count) fprintf(file, "  %s", labels[place]);
    fprintf(file, "\n");
  }
}

void cli_output_print_top(cli_arena *arena, FILE *file, const cli_tensor *tensor, size_t k,
                          char *const *labels, size_t label_count) {
  if (tensor->strings || !tensor->count) return;
  size_t length = 1, axis = tensor->rank;
  // Trailing axes of one element, as in 1x1000x1x1, do not make a row.
  while (axis > 0 && length == 1) length = (size_t)tensor->dims[--axis];
  size_t rows = tensor->count / length;
  for (size_t row = 0; row < rows && row < SHOWN_ROWS; row++) {
    if (rows > 1) fprintf(file, "  row %zu\n", row);
    print_top_row(file, tensor, row * length, length, k, labels, label_count);
  }
  if (rows > SHOWN_ROWS) fprintf(file, "  and %zu more rows\n", rows - SHOWN_ROWS);
  (void)arena;
}

static cli_status *write_json(const char *path, const cli_value *value) {
  cli_json *json = cli_json_value(value);
  if (!json) return cli_json_missing();
  FILE *file = fopen(path, "wb");
  cli_status *status = file ? cli_json_print(json, file) : NULL;
  bool wrote = file && fclose(file) == 0;
  cli_json_free(json);
  if (!status && !wrote) return cli_fail(CLI_FAILED, "%s", strerror(errno));
  return status;
}

cli_status *cli_output_write(cli_arena *arena, const char *path, const cli_value *value) {
  if (cli_ends(path, ".json")) return cli_fail_in(write_json(path, value), "'%s'", path);
  if (!cli_ends(path, ".npy"))
    return cli_fail(CLI_USAGE, "'%s' is neither a .npy nor a .json file", path);
  if (value->form != CLI_FORM_TENSOR)
    return cli_fail(CLI_FAILED, "a %s does not fit a .npy file; use .json",
                    cli_value_text(arena, value));
  return cli_npy_write(arena, path, &value->tensor);
}
