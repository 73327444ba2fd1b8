// JSON through jansson: tensors in, reports in and out.
#include "json.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "input.h"
#include "text.h"

cli_status *cli_json_missing(void) {
  return cli_fail(CLI_FAILED,
                  "tern was built without JSON: install libjansson-dev and build again");
}

#ifdef TERN_CLI_JANSSON
#include <jansson.h>

enum { MAX_RANK = 32 };

// cli_json is never defined: it is jansson's json_t, which only this file sees.
static json_t *inside(const cli_json *json) {
  return (json_t *)(void *)(uintptr_t)json;
}
static cli_json *outside(json_t *json) {
  return (cli_json *)(void *)json;
}

cli_json *cli_json_object(void) {
  return outside(json_object());
}
cli_json *cli_json_array(void) {
  return outside(json_array());
}
void cli_json_free(cli_json *json) {
  json_decref(inside(json));
}
void cli_json_set(cli_json *object, const char *key, cli_json *child) {
  json_object_set_new(inside(object), key, inside(child));
}
void cli_json_add(cli_json *array, cli_json *child) {
  json_array_append_new(inside(array), inside(child));
}
cli_json *cli_json_integer(int64_t value) {
  return outside(json_integer(value));
}

cli_json *cli_json_text(const char *text) {
  json_t *json = json_string(text);
  return outside(json ? json : json_string("(not UTF-8)"));
}

cli_json *cli_json_real(double value) {
  if (isnan(value)) return cli_json_text("nan");
  if (isinf(value)) return cli_json_text(value < 0 ? "-inf" : "inf");
  return outside(json_real(value));
}

static cli_json *element_json(const cli_tensor *tensor, size_t index) {
  if (tensor->strings) return cli_json_text(tensor->strings[index]);
  cli_number number = cli_element_load(tensor->type, tensor->data, index);
  if (tensor->type == ONNX_TENSOR_ELEMENT_DATA_TYPE_BOOL)
    return outside(json_boolean(number.integer));
  return number.is_integer ? cli_json_integer(number.integer) : cli_json_real(number.real);
}

// The part of `tensor` at `*at` below `axis`.
static cli_json *tensor_json(const cli_tensor *tensor, size_t axis, size_t *at) {
  if (axis == tensor->rank) return element_json(tensor, (*at)++);
  cli_json *array = cli_json_array();
  for (int64_t i = 0; i < tensor->dims[axis] && tensor->count; i++)
    cli_json_add(array, tensor_json(tensor, axis + 1, at));
  return array;
}

static cli_json *map_json(const cli_tensor *keys, const cli_value *values) {
  cli_json *object = cli_json_object();
  for (size_t i = 0; i < keys->count; i++) {
    char number[32];
    const char *key = number;
    if (keys->strings)
      key = keys->strings[i];
    else
      snprintf(number, sizeof number, "%lld",
               (long long)cli_element_load(keys->type, keys->data, i).integer);
    cli_json_set(object, key, element_json(&values->tensor, i));
  }
  return object;
}

cli_json *cli_json_value(const cli_value *value) {
  size_t at = 0;
  if (value->form == CLI_FORM_NONE) return outside(json_null());
  if (value->form == CLI_FORM_TENSOR) return tensor_json(&value->tensor, 0, &at);
  if (value->form == CLI_FORM_MAP) return map_json(&value->items[0].tensor, &value->items[1]);
  cli_json *array = cli_json_array();
  for (size_t i = 0; i < value->count; i++) cli_json_add(array, cli_json_value(&value->items[i]));
  return array;
}

bool cli_json_is_available(void) {
  return true;
}

cli_status *cli_json_read(const char *text, cli_json **out_json) {
  json_error_t error;
  json_t *json = json_loads(text, JSON_REJECT_DUPLICATES, &error);
  if (!json)
    return cli_fail(CLI_FAILED, "not JSON: %s, line %d column %d", error.text, error.line,
                    error.column);
  *out_json = outside(json);
  return NULL;
}

const cli_json *cli_json_get(const cli_json *object, const char *key) {
  return outside(json_object_get(inside(object), key));
}
size_t cli_json_count(const cli_json *array) {
  return json_array_size(inside(array));
}
const cli_json *cli_json_at(const cli_json *array, size_t index) {
  return outside(json_array_get(inside(array), index));
}
const char *cli_json_text_at(const cli_json *array, size_t index) {
  const char *text = json_string_value(json_array_get(inside(array), index));
  return text ? text : "";
}
const char *cli_json_text_in(const cli_json *object, const char *key) {
  const char *text = json_string_value(json_object_get(inside(object), key));
  return text ? text : "";
}
double cli_json_number_at(const cli_json *array, size_t index) {
  return json_number_value(json_array_get(inside(array), index));
}
const cli_json *cli_json_first(const cli_json *object) {
  return outside(json_object_iter_value(json_object_iter(inside(object))));
}
double cli_json_number_in(const cli_json *object, const char *key) {
  return json_number_value(json_object_get(inside(object), key));
}
bool cli_json_is_true_in(const cli_json *object, const char *key) {
  return json_is_true(json_object_get(inside(object), key));
}
void cli_json_copy(cli_json *object, const cli_json *source, const char *key) {
  json_t *child = json_object_get(inside(source), key);
  if (child) json_object_set(inside(object), key, child);
}

cli_status *cli_json_print(const cli_json *json, FILE *file) {
  size_t flags = JSON_INDENT(2) | JSON_REAL_PRECISION(9) | JSON_ENCODE_ANY;
  if (!json || json_dumpf(inside(json), file, flags) || fputc('\n', file) == EOF)
    return cli_fail(CLI_FAILED, "cannot write JSON");
  return NULL;
}

// The shape of nested arrays, read along their first items.
static cli_status *measure(const json_t *json, size_t *out_rank, int64_t *dims) {
  size_t rank = 0;
  for (; json_is_array(json); json = json_array_get(json, 0)) {
    if (rank == MAX_RANK) return cli_fail(CLI_FAILED, "arrays nested more than %d deep", MAX_RANK);
    dims[rank++] = (int64_t)json_array_size(json);
  }
  *out_rank = rank;
  return NULL;
}

static cli_status *store_element(cli_arena *arena, const json_t *json, cli_tensor *tensor,
                                 size_t index) {
  const char *name = cli_element_of(tensor->type)->name;
  if (tensor->strings) {
    if (!json_is_string(json)) return cli_fail(CLI_FAILED, "element %zu is not a text", index);
    tensor->strings[index] = cli_copy(arena, json_string_value(json), json_string_length(json));
    return NULL;
  }
  cli_number number;
  if (json_is_integer(json))
    number = cli_number_integer(json_integer_value(json));
  else if (json_is_real(json))
    number = cli_number_real(json_real_value(json));
  else if (json_is_boolean(json))
    number = cli_number_integer(json_is_true(json));
  else
    return cli_fail(CLI_FAILED, "element %zu is not a number, where %s is expected", index, name);
  return cli_fail_in(cli_element_store(tensor->type, tensor->data, index, number), "element %zu",
                     index);
}

// Every array at one depth must be as long as the first, before memory is taken for them all.
static cli_status *check_lengths(const json_t *json, size_t axis, size_t rank,
                                 const int64_t *dims) {
  if (axis == rank) return NULL;
  if (!json_is_array(json) || (int64_t)json_array_size(json) != dims[axis])
    return cli_fail(CLI_FAILED, "arrays at depth %zu differ in length: %lld expected", axis,
                    (long long)dims[axis]);
  for (size_t i = 0; i < json_array_size(json); i++)
    CLI_TRY(check_lengths(json_array_get(json, i), axis + 1, rank, dims));
  return NULL;
}

static cli_status *fill(cli_arena *arena, const json_t *json, size_t axis, cli_tensor *tensor,
                        size_t *at) {
  if (axis == tensor->rank) return store_element(arena, json, tensor, (*at)++);
  for (size_t i = 0; i < json_array_size(json); i++)
    CLI_TRY(fill(arena, json_array_get(json, i), axis + 1, tensor, at));
  return NULL;
}

static cli_status *to_tensor(cli_arena *arena, const json_t *json, cli_type type,
                             cli_tensor *out_tensor) {
  size_t rank, at = 0;
  int64_t dims[MAX_RANK];
  CLI_TRY(measure(json, &rank, dims));
  CLI_TRY(check_lengths(json, 0, rank, dims));
  cli_tensor tensor;
  CLI_TRY(cli_tensor_new(arena, type, rank, dims, &tensor));
  CLI_TRY(fill(arena, json, 0, &tensor, &at));
  *out_tensor = tensor;
  return NULL;
}

cli_status *cli_json_parse(cli_arena *arena, const char *text, size_t size, cli_type type,
                           cli_tensor *out_tensor) {
  json_error_t error;
  json_t *json = json_loadb(text, size, JSON_DECODE_ANY | JSON_REJECT_DUPLICATES, &error);
  if (!json)
    return cli_fail(CLI_FAILED, "not JSON: %s, line %d column %d", error.text, error.line,
                    error.column);
  cli_status *status = to_tensor(arena, json, type, out_tensor);
  json_decref(json);
  return status;
}

#else // without jansson

cli_json *cli_json_object(void) {
  return NULL;
}
cli_json *cli_json_array(void) {
  return NULL;
}
void cli_json_free(cli_json *json) {
  (void)json;
}
void cli_json_set(cli_json *object, const char *key, cli_json *child) {
  (void)object, (void)key, (void)child;
}
void cli_json_add(cli_json *array, cli_json *child) {
  (void)array, (void)child;
}
cli_json *cli_json_text(const char *text) {
  return (void)text, NULL;
}
cli_json *cli_json_integer(int64_t value) {
  return (void)value, NULL;
}
cli_json *cli_json_real(double value) {
  return (void)value, NULL;
}
cli_json *cli_json_value(const cli_value *value) {
  return (void)value, NULL;
}

bool cli_json_is_available(void) {
  return false;
}

cli_status *cli_json_read(const char *text, cli_json **out_json) {
  (void)text, (void)out_json;
  return cli_json_missing();
}

const cli_json *cli_json_get(const cli_json *object, const char *key) {
  return (void)object, (void)key, NULL;
}
size_t cli_json_count(const cli_json *array) {
  return (void)array, 0u;
}
const cli_json *cli_json_at(const cli_json *array, size_t index) {
  return (void)array, (void)index, NULL;
}
const char *cli_json_text_at(const cli_json *array, size_t index) {
  return (void)array, (void)index, "";
}
const char *cli_json_text_in(const cli_json *object, const char *key) {
  return (void)object, (void)key, "";
}
double cli_json_number_at(const cli_json *array, size_t index) {
  return (void)array, (void)index, 0.0;
}
const cli_json *cli_json_first(const cli_json *object) {
  return (void)object, NULL;
}
double cli_json_number_in(const cli_json *object, const char *key) {
  return (void)object, (void)key, 0.0;
}
bool cli_json_is_true_in(const cli_json *object, const char *key) {
  return (void)object, (void)key, false;
}
void cli_json_copy(cli_json *object, const cli_json *source, const char *key) {
  (void)object, (void)source, (void)key;
}

cli_status *cli_json_print(const cli_json *json, FILE *file) {
  (void)json, (void)file;
  return cli_json_missing();
}

cli_status *cli_json_parse(cli_arena *arena, const char *text, size_t size, cli_type type,
                           cli_tensor *out_tensor) {
  (void)arena, (void)text, (void)size, (void)type, (void)out_tensor;
  return cli_json_missing();
}

#endif
