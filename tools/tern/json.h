// JSON the tool writes: values of outputs, and reports. Built on jansson; without it each function
// fails with what to install.
#ifndef TERN_TOOL_JSON_H
#define TERN_TOOL_JSON_H

#include <stdio.h>

#include "value.h"

// A document under construction. Freed by cli_json_free, or by the value it is put into.
typedef struct cli_json cli_json;

// NULL when the tool was built without JSON; cli_json_missing is then the status to return.
cli_json *cli_json_object(void);
cli_json *cli_json_array(void);
CLI_MUST_USE cli_status *cli_json_missing(void);
void cli_json_free(cli_json *json);

// Each takes `child` over. Texts are kept as UTF-8; NaN and infinities become texts.
void cli_json_set(cli_json *object, const char *key, cli_json *child);
void cli_json_add(cli_json *array, cli_json *child);
cli_json *cli_json_text(const char *text);
cli_json *cli_json_integer(int64_t value);
cli_json *cli_json_real(double value);

// Nested arrays for tensors, arrays for sequences, objects for maps, null for nothing.
cli_json *cli_json_value(const cli_value *value);

// Reading. A document is freed by cli_json_free; what is inside it is borrowed. What is not there,
// or of another type, reads as NULL, 0, "" and false.
bool cli_json_is_available(void); // the tool was built with JSON
CLI_MUST_USE cli_status *cli_json_read(const char *text, cli_json **out_json);
const cli_json *cli_json_get(const cli_json *object, const char *key);
size_t cli_json_count(const cli_json *array);
const cli_json *cli_json_at(const cli_json *array, size_t index);
const char *cli_json_text_at(const cli_json *array, size_t index);
double cli_json_number_at(const cli_json *array, size_t index);
const cli_json *cli_json_first(const cli_json *object); // the value of the first key
const char *cli_json_text_in(const cli_json *object, const char *key);
double cli_json_number_in(const cli_json *object, const char *key);
bool cli_json_is_true_in(const cli_json *object, const char *key);
// Puts what `source` has under `key` into `object` too; nothing where it is not there.
void cli_json_copy(cli_json *object, const cli_json *source, const char *key);

CLI_MUST_USE cli_status *cli_json_print(const cli_json *json, FILE *file);

#endif
