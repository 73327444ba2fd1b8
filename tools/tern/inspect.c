// `tern inspect`: what a model takes, gives, and says of itself; of Tern also what it costs and
// what runs it. Printed as text, or as JSON.
#include <stdio.h>
#include <string.h>

#include "describe.h"
#include "input.h"
#include "model.h"
#include "text.h"
#include "verbs.h"

struct pair {
  const char *key, *value;
};

struct metadata {
  struct pair fields[5]; // those of the model format; empty values are left out
  int64_t version;
  struct pair *custom;
  size_t custom_count;
};

// A text that the library allocated, as the arena's.
static const char *keep(cli_arena *arena, OrtAllocator *allocator, char *text) {
  const char *copy = cli_copy(arena, text ? text : "", text ? strlen(text) : 0);
  if (text) allocator->Free(allocator, text);
  return copy;
}

static cli_status *read_custom(cli_arena *arena, const cli_lib *lib, OrtModelMetadata *source,
                               OrtAllocator *allocator, struct metadata *metadata) {
  char **keys = NULL, *value = NULL;
  int64_t count = 0;
  CLI_TRY(cli_ort(
      lib, lib->ort->ModelMetadataGetCustomMetadataMapKeys(source, allocator, &keys, &count)));
  metadata->custom_count = (size_t)count;
  metadata->custom = cli_arena_array(arena, (size_t)count, sizeof *metadata->custom);
  for (size_t i = 0; i < (size_t)count; i++) {
    const char *key = metadata->custom[i].key = keep(arena, allocator, keys[i]);
    CLI_TRY(cli_ort(
        lib, lib->ort->ModelMetadataLookupCustomMetadataMap(source, allocator, key, &value)));
    metadata->custom[i].value = keep(arena, allocator, value);
  }
  if (keys) allocator->Free(allocator, keys);
  return NULL;
}

static cli_status *read_fields(cli_arena *arena, const cli_lib *lib, OrtModelMetadata *source,
                               struct metadata *metadata) {
  const OrtApi *ort = lib->ort;
  const struct {
    const char *name;
    OrtStatus *(*get)(const OrtModelMetadata *, OrtAllocator *, char **);
  } getters[] = {
      {"producer", ort->ModelMetadataGetProducerName},
      {"graph", ort->ModelMetadataGetGraphName},
      {"domain", ort->ModelMetadataGetDomain},
      {"description", ort->ModelMetadataGetDescription},
      {"graph_description", ort->ModelMetadataGetGraphDescription},
  };
  OrtAllocator *allocator;
  CLI_TRY(cli_ort(lib, ort->GetAllocatorWithDefaultOptions(&allocator)));
  for (size_t i = 0; i < 5; i++) {
    char *text = NULL;
    CLI_TRY(cli_ort(lib, getters[i].get(source, allocator, &text)));
    metadata->fields[i] = (struct pair){getters[i].name, keep(arena, allocator, text)};
  }
  CLI_TRY(cli_ort(lib, ort->ModelMetadataGetVersion(source, &metadata->version)));
  return read_custom(arena, lib, source, allocator, metadata);
}

static cli_status *read_metadata(cli_arena *arena, const cli_model *model,
                                 struct metadata *out_metadata) {
  const cli_lib *lib = model->lib;
  OrtModelMetadata *source;
  CLI_TRY(cli_ort(lib, lib->ort->SessionGetModelMetadata(model->session, &source)));
  cli_status *status = read_fields(arena, lib, source, out_metadata);
  lib->ort->ReleaseModelMetadata(source);
  return status;
}

static void print_ports(const char *title, const cli_port *ports, size_t count) {
  printf("%s\n", title);
  for (size_t i = 0; i < count; i++) printf("  %s  %s\n", ports[i].name, ports[i].type_text);
}

// Long values, as of training settings, are cut to a line.
static void print_pair(int indent, const struct pair *pair) {
  int length = (int)strcspn(pair->value, "\r\n");
  bool cut = pair->value[length] || length > 100;
  printf("%*s%s: %.*s%s\n", indent, "", pair->key, length > 100 ? 100 : length, pair->value,
         cut ? "..." : "");
}

// All that there is to show.
struct findings {
  struct metadata metadata;
  cli_json *session; // NULL: the library does not say
  const char *ran;   // the inputs of a run; NULL when there was none
};

static void print_text(cli_arena *arena, const cli_request *request, const cli_model *model,
                       const struct findings *findings) {
  const struct metadata *metadata = &findings->metadata;
  printf("%s\n", request->operand);
  for (size_t i = 0; i < 5; i++)
    if (metadata->fields[i].value[0]) print_pair(0, &metadata->fields[i]);
  // Exporters leave the version at 0, or at INT64_MAX, which ORT gives for none.
  if (metadata->version > 0 && metadata->version < INT64_MAX)
    printf("version: %lld\n", (long long)metadata->version);
  print_ports("inputs", model->inputs, model->input_count);
  print_ports("outputs", model->outputs, model->output_count);
  if (metadata->custom_count) printf("metadata\n");
  for (size_t i = 0; i < metadata->custom_count; i++) print_pair(2, &metadata->custom[i]);
  cli_describe_options options = {.ran = findings->ran, .verbose = request->verbose};
  if (findings->session) cli_describe_print_session(arena, findings->session, &options);
}

// A free dimension is its symbol, or null when it has none.
static cli_json *dims_json(const cli_port *port) {
  cli_json *dims = cli_json_array();
  cli_value nothing = {.form = CLI_FORM_NONE};
  for (size_t i = 0; i < port->rank; i++)
    cli_json_add(dims, port->dims[i] >= 0    ? cli_json_integer(port->dims[i])
                       : port->symbols[i][0] ? cli_json_text(port->symbols[i])
                                             : cli_json_value(&nothing));
  return dims;
}

static cli_json *ports_json(const cli_port *ports, size_t count) {
  cli_json *array = cli_json_array();
  for (size_t i = 0; i < count; i++) {
    cli_json *port = cli_json_object();
    cli_json_set(port, "name", cli_json_text(ports[i].name));
    if (ports[i].is_tensor) {
      cli_json_set(port, "type", cli_json_text(cli_element_of(ports[i].type)->name));
      cli_json_set(port, "shape", dims_json(&ports[i]));
    } else {
      cli_json_set(port, "type", cli_json_text(ports[i].type_text));
    }
    cli_json_add(array, port);
  }
  return array;
}

static cli_status *print_json(const cli_request *request, const cli_model *model,
                              const struct findings *findings) {
  static const char *const of_session[] = {
      "ir_version",      "opsets", "nodes",          "operators", "parameters",
      "parameter_bytes", "flops",  "flops_complete", "memory",    "placement"};
  const struct metadata *metadata = &findings->metadata;
  cli_json *root = cli_json_object(), *custom = cli_json_object();
  if (!root) return cli_json_missing();
  cli_json_set(root, "model", cli_json_text(request->operand));
  for (size_t i = 0; i < 5; i++)
    cli_json_set(root, metadata->fields[i].key, cli_json_text(metadata->fields[i].value));
  cli_json_set(root, "version", cli_json_integer(metadata->version));
  cli_json_set(root, "inputs", ports_json(model->inputs, model->input_count));
  cli_json_set(root, "outputs", ports_json(model->outputs, model->output_count));
  for (size_t i = 0; i < metadata->custom_count; i++)
    cli_json_set(custom, metadata->custom[i].key, cli_json_text(metadata->custom[i].value));
  cli_json_set(root, "metadata", custom);
  if (findings->ran) cli_json_set(root, "run", cli_json_text(findings->ran));
  for (size_t i = 0; i < sizeof of_session / sizeof *of_session; i++)
    if (findings->session) cli_json_copy(root, findings->session, of_session[i]);
  cli_status *status = cli_json_print(root, stdout);
  cli_json_free(root);
  return status;
}

// One run, on zeros where no input is given, after which the library knows every size.
static cli_status *run_once(cli_arena *arena, const cli_model *model, const cli_request *request,
                            const char **out_ran) {
  cli_tensor *inputs;
  cli_feeds feeds;
  CLI_TRY(cli_inputs_make(arena, model, request, request->seed, "zeros", &inputs));
  CLI_TRY(cli_feeds_make(arena, model, inputs, &feeds));
  cli_status *status = cli_model_run(arena, model, &feeds, NULL);
  cli_feeds_free(model, &feeds);
  const char *ran = cli_inputs_text(arena, model, inputs);
  if (status) return cli_fail_in(status, "running it on %s", ran);
  *out_ran = ran;
  return NULL;
}

static cli_status *look(cli_arena *arena, const cli_model *model, const cli_request *request,
                        struct findings *findings) {
  bool is_run = request->memory || request->dims.count || request->inputs.count;
  if (is_run) CLI_TRY(run_once(arena, model, request, &findings->ran));
  CLI_TRY(read_metadata(arena, model, &findings->metadata));
  CLI_TRY(cli_describe_session(model, &findings->session));
  if (request->json) return print_json(request, model, findings);
  print_text(arena, request, model, findings);
  return NULL;
}

static cli_status *inspect_with(cli_arena *arena, const cli_lib *lib, const cli_request *request) {
  cli_model_options options = {.threads = 0, .opt_level = request->opt_level};
  cli_model model;
  struct findings findings = {.session = NULL};
  CLI_TRY(cli_model_open(arena, lib, request->operand, &options, &model));
  cli_status *status = look(arena, &model, request, &findings);
  cli_json_free(findings.session);
  cli_model_close(&model);
  return status;
}

cli_status *cli_inspect(cli_arena *arena, const cli_request *request) {
  cli_lib lib;
  CLI_TRY(cli_lib_open(arena, request->library, &lib));
  cli_status *status = inspect_with(arena, &lib, request);
  cli_lib_close(&lib);
  return status;
}
