// `tern run`: one run of a model on given inputs.
#include <stdlib.h>
#include <string.h>

#include "input.h"
#include "output.h"
#include "text.h"
#include "verbs.h"

// Non-empty lines of --labels, in order.
static cli_status *read_labels(cli_arena *arena, const char *path, char ***out_labels,
                               size_t *out_count) {
  *out_labels = NULL;
  *out_count = 0;
  if (!path) return NULL;
  uint8_t *bytes;
  size_t size;
  CLI_TRY(cli_file_read(arena, path, &bytes, &size));
  char **lines;
  size_t count = cli_split(arena, (const char *)bytes, '\n', &lines);
  for (size_t i = 0; i < count; i++) lines[i][strcspn(lines[i], "\r")] = 0;
  *out_labels = lines;
  *out_count = count;
  return NULL;
}

// The file that --output gives for output `name`, NULL when it is to be printed.
static const char *output_file(const cli_request *request, const char *name) {
  size_t length = strlen(name);
  for (size_t i = 0; i < request->outputs.count; i++) {
    const char *item = request->outputs.items[i];
    if (cli_starts(item, name) && item[length] == '=') return item + length + 1;
  }
  return NULL;
}

static cli_status *check_outputs(cli_arena *arena, const cli_model *model,
                                 const cli_request *request) {
  const char **names = cli_arena_array(arena, model->output_count, sizeof *names);
  for (size_t i = 0; i < model->output_count; i++) names[i] = model->outputs[i].name;
  for (size_t i = 0; i < request->outputs.count; i++) {
    const char *item = request->outputs.items[i], *equals = strrchr(item, '=');
    const char *word = cli_copy(arena, item, equals ? (size_t)(equals - item) : strlen(item));
    bool known = false;
    for (size_t j = 0; j < model->output_count; j++) known = known || strcmp(names[j], word) == 0;
    if (!equals) return cli_fail(CLI_USAGE, "--output expects NAME=FILE, not '%s'", item);
    if (!known)
      return cli_fail(CLI_USAGE, "--output %s: the model has no output '%s'%s; it has %s", item,
                      word, cli_suggest(arena, word, names, model->output_count),
                      cli_list_names(arena, names, model->output_count));
    if (!cli_ends(item, ".npy") && !cli_ends(item, ".json"))
      return cli_fail(CLI_USAGE, "--output %s: '%s' is neither a .npy nor a .json file", item,
                      equals + 1);
  }
  return NULL;
}

static cli_status *show(cli_arena *arena, const cli_model *model, const cli_request *request,
                        const cli_value *values) {
  char **labels;
  size_t label_count;
  CLI_TRY(read_labels(arena, request->labels, &labels, &label_count));
  for (size_t i = 0; i < model->output_count; i++) {
    const char *name = model->outputs[i].name, *path = output_file(request, name);
    if (path) {
      CLI_TRY(cli_fail_in(cli_output_write(arena, path, &values[i]), "output '%s'", name));
      continue;
    }
    cli_output_print(arena, stdout, name, &values[i]);
    if (request->topk && values[i].form == CLI_FORM_TENSOR)
      cli_output_print_top(arena, stdout, &values[i].tensor, (size_t)request->topk, labels,
                           label_count);
  }
  return NULL;
}

static cli_status *run_model(cli_arena *arena, const cli_model *model, const cli_request *request) {
  CLI_TRY(check_outputs(arena, model, request));
  cli_tensor *inputs;
  CLI_TRY(cli_inputs_make(arena, model, request, request->seed, NULL, &inputs));
  cli_feeds feeds;
  CLI_TRY(cli_feeds_make(arena, model, inputs, &feeds));
  cli_value *values = cli_arena_array(arena, model->output_count, sizeof *values);
  cli_status *status = cli_model_run(arena, model, &feeds, values);
  cli_feeds_free(model, &feeds);
  return status ? cli_fail_in(status, "running '%s'", request->operand)
                : show(arena, model, request, values);
}

static cli_status *run_with(cli_arena *arena, const cli_lib *lib, const cli_request *request) {
  cli_model_options options = {.threads = request->threads, .opt_level = request->opt_level};
  cli_model model;
  CLI_TRY(cli_model_open(arena, lib, request->operand, &options, &model));
  cli_status *status = run_model(arena, &model, request);
  cli_model_close(&model);
  return status;
}

cli_status *cli_run(cli_arena *arena, const cli_request *request) {
  if (request->labels && !request->topk)
    return cli_fail(CLI_USAGE, "--labels names the classes of --topk: give --topk K too");
  cli_lib lib;
  CLI_TRY(cli_lib_open(arena, request->library, &lib));
  cli_status *status = run_with(arena, &lib, request);
  cli_lib_close(&lib);
  return status;
}
