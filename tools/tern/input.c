// From --input, --dim and --random to one tensor for each input of the model.
#include "input.h"

#include <string.h>

#include "text.h"

// How a spec is told from others: by "PREFIX:" before the path, or by the path's ending.
struct reader {
  const char *prefix;
  const char *endings[6];
  cli_status *(*read)(cli_arena *arena, const char *path, const char *query,
                      const cli_wanted *wanted, cli_tensor *out_tensor);
};

static cli_status *read_npy(cli_arena *arena, const char *path, const char *query,
                            const cli_wanted *wanted, cli_tensor *out_tensor) {
  uint8_t *bytes;
  size_t size;
  (void)query;
  CLI_TRY(cli_file_read(arena, path, &bytes, &size));
  return cli_npy_parse(arena, bytes, size, wanted->type, out_tensor);
}

// The member is that of the query "key=NAME", else the one named as the input, else the only one.
static cli_status *read_npz(cli_arena *arena, const char *path, const char *query,
                            const cli_wanted *wanted, cli_tensor *out_tensor) {
  uint8_t *bytes;
  const uint8_t *member;
  size_t size, member_size;
  if (query && !cli_starts(query, "key="))
    return cli_fail(CLI_USAGE, "a .npz file takes ?key=NAME, not '?%s'", query);
  CLI_TRY(cli_file_read(arena, path, &bytes, &size));
  const char *name = query ? query + 4 : wanted->name;
  cli_status *status = cli_zip_member(arena, bytes, size, name, &member, &member_size);
  if (status && !query) {
    cli_status *only = cli_zip_member(arena, bytes, size, NULL, &member, &member_size);
    cli_status_free(only ? only : status);
    if (!only) status = NULL;
  }
  if (status) return status;
  return cli_npy_parse(arena, member, member_size, wanted->type, out_tensor);
}

static cli_status *read_pb(cli_arena *arena, const char *path, const char *query,
                           const cli_wanted *wanted, cli_tensor *out_tensor) {
  uint8_t *bytes;
  size_t size;
  (void)query, (void)wanted;
  CLI_TRY(cli_file_read(arena, path, &bytes, &size));
  return cli_pb_parse(arena, bytes, size, out_tensor);
}

static cli_status *read_image(cli_arena *arena, const char *path, const char *query,
                              const cli_wanted *wanted, cli_tensor *out_tensor) {
  uint8_t *bytes;
  size_t size;
  CLI_TRY(cli_file_read(arena, path, &bytes, &size));
  return cli_image_parse(arena, bytes, size, query ? query : "", wanted, out_tensor);
}

static cli_status *read_json_file(cli_arena *arena, const char *path, const char *query,
                                  const cli_wanted *wanted, cli_tensor *out_tensor) {
  uint8_t *bytes;
  size_t size;
  (void)query;
  CLI_TRY(cli_file_read(arena, path, &bytes, &size));
  return cli_json_parse(arena, (const char *)bytes, size, wanted->type, out_tensor);
}

static const struct reader readers[] = {
    {"npy:", {".npy"}, read_npy},
    {"npz:", {".npz"}, read_npz},
    {"pb:", {".pb"}, read_pb},
    {"image:", {".png", ".jpg", ".jpeg", ".pgm", ".ppm"}, read_image},
    {NULL, {".json"}, read_json_file},
};
enum { READER_COUNT = sizeof readers / sizeof readers[0] };

static const struct reader *find_reader(const char *spec, const char *path) {
  for (size_t i = 0; i < READER_COUNT; i++)
    if (readers[i].prefix && cli_starts(spec, readers[i].prefix)) return &readers[i];
  for (size_t i = 0; i < READER_COUNT; i++)
    for (size_t j = 0; j < 6 && readers[i].endings[j]; j++)
      if (cli_ends(path, readers[i].endings[j])) return &readers[i];
  return NULL;
}

// "PREFIX:PATH?QUERY" of a reader, read by it.
static cli_status *read_source(cli_arena *arena, const char *spec, const cli_wanted *wanted,
                               bool *out_found, cli_tensor *out_tensor) {
  const char *mark = strrchr(spec, '?');
  size_t length = mark ? (size_t)(mark - spec) : strlen(spec);
  const char *path = cli_copy(arena, spec, length);
  const struct reader *reader = find_reader(spec, path);
  *out_found = reader != NULL;
  if (!reader) return NULL;
  if (reader->prefix && cli_starts(path, reader->prefix)) path += strlen(reader->prefix);
  bool takes_query = reader->read == read_image || reader->read == read_npz;
  if (mark && !takes_query) return cli_fail(CLI_USAGE, "'%s' takes no options after '?'", path);
  return cli_fail_in(reader->read(arena, path, mark ? mark + 1 : NULL, wanted, out_tensor), "'%s'",
                     path);
}

static bool is_generator(const char *spec) {
  static const char *const names[] = {"random", "zeros", "ones"};
  for (size_t i = 0; i < 3; i++) {
    size_t length = strlen(names[i]);
    if (cli_starts(spec, names[i]) && (spec[length] == 0 || spec[length] == ':')) return true;
  }
  return false;
}

static cli_status *read_any(cli_arena *arena, const char *spec, const cli_wanted *wanted,
                            cli_tensor *out_tensor) {
  if (is_generator(spec)) return cli_generate(arena, spec, wanted, out_tensor);
  if (cli_starts(spec, "json:"))
    return cli_json_parse(arena, spec + 5, strlen(spec + 5), wanted->type, out_tensor);
  if (cli_starts(spec, "text:")) return cli_literal_parse(arena, spec + 5, wanted, out_tensor);
  bool found;
  CLI_TRY(read_source(arena, spec, wanted, &found, out_tensor));
  return found ? NULL : cli_literal_parse(arena, spec, wanted, out_tensor);
}

static cli_status *check_shape(cli_arena *arena, const cli_wanted *wanted,
                               const cli_tensor *tensor) {
  // The ABI gives rank 0 for a scalar and for a shape that the model leaves open; the library
  // knows.
  if (wanted->rank == 0) return NULL;
  bool fits = tensor->rank == wanted->rank;
  for (size_t i = 0; fits && i < wanted->rank; i++)
    fits = wanted->dims[i] < 0 || wanted->dims[i] == tensor->dims[i];
  if (fits) return NULL;
  return cli_fail(CLI_FAILED, "it has shape %s, where %s is expected",
                  cli_shape_text(arena, tensor->rank, tensor->dims),
                  cli_shape_text(arena, wanted->rank, wanted->dims));
}

cli_status *cli_input_read(cli_arena *arena, const char *spec, const cli_wanted *wanted,
                           cli_tensor *out_tensor) {
  cli_tensor tensor, converted;
  cli_status *status = read_any(arena, spec, wanted, &tensor);
  if (!status) status = check_shape(arena, wanted, &tensor);
  if (!status) status = cli_tensor_convert(arena, &tensor, wanted->type, &converted);
  if (status) return cli_fail_in(status, "input '%s'", wanted->name);
  *out_tensor = converted;
  return NULL;
}

// What is known while inputs are made, one after another.
struct making {
  cli_arena *arena;
  const cli_model *model;
  const cli_request *request;
  uint64_t seed;
  const char **specs; // one an input, NULL where none is given
  cli_tensor *tensors;
};

static const char *list_inputs(const struct making *making) {
  const char *text = "the model's inputs are:";
  for (size_t i = 0; i < making->model->input_count; i++)
    text = cli_print(making->arena, "%s\n  %s  %s", text, making->model->inputs[i].name,
                     making->model->inputs[i].type_text);
  return text;
}

static cli_status *assign_spec(struct making *making, const char *item) {
  const cli_model *model = making->model;
  for (size_t i = 0; i < model->input_count; i++) {
    size_t length = strlen(model->inputs[i].name);
    bool named = cli_starts(item, model->inputs[i].name) && item[length] == '=';
    if (!named) continue;
    making->specs[i] = item + length + 1;
    return NULL;
  }
  const char *equals = strchr(item, '=');
  bool in_query = equals && memchr(item, '?', (size_t)(equals - item));
  if (model->input_count == 1 && (!equals || in_query)) {
    making->specs[0] = item;
    return NULL;
  }
  const char *word = cli_copy(making->arena, item, equals ? (size_t)(equals - item) : strlen(item));
  const char **names = cli_arena_array(making->arena, model->input_count, sizeof *names);
  for (size_t i = 0; i < model->input_count; i++) names[i] = model->inputs[i].name;
  return cli_fail(CLI_USAGE, "--input %s: the model has no input '%s'%s; %s", item, word,
                  cli_suggest(making->arena, word, names, model->input_count), list_inputs(making));
}

// True when `item` ("NAME=N" or "INPUT[AXIS]=N") speaks of that dimension.
static bool names_dim(struct making *making, const char *item, const cli_port *port, size_t axis) {
  const char *by_place = cli_print(making->arena, "%s[%zu]=", port->name, axis);
  const char *by_name = cli_print(making->arena, "%s=", port->symbols[axis]);
  return cli_starts(item, by_place) || (port->symbols[axis][0] && cli_starts(item, by_name));
}

static cli_status *check_dim(struct making *making, const char *item) {
  const char *equals = strrchr(item, '='), **names = NULL;
  uint64_t size;
  size_t count = 0;
  if (!equals || !cli_parse_unsigned(equals + 1, &size) || size > INT32_MAX)
    return cli_fail(CLI_USAGE, "--dim expects NAME=N, not '%s'", item);
  for (size_t i = 0; i < making->model->input_count; i++) {
    const cli_port *port = &making->model->inputs[i];
    for (size_t axis = 0; axis < port->rank; axis++) {
      if (port->dims[axis] >= 0) continue;
      if (names_dim(making, item, port, axis)) return NULL;
      const char **more = cli_arena_array(making->arena, count + 1, sizeof *more);
      if (count) memcpy(more, names, count * sizeof *more);
      more[count++] = port->symbols[axis][0]
                          ? port->symbols[axis]
                          : cli_print(making->arena, "%s[%zu]", port->name, axis);
      names = more;
    }
  }
  const char *word = cli_copy(making->arena, item, (size_t)(equals - item));
  return cli_fail(CLI_USAGE, "--dim %s: no input has such a dimension%s; free dimensions: %s", item,
                  cli_suggest(making->arena, word, names, count),
                  cli_list_names(making->arena, names, count));
}

// A symbol has one size in all inputs: that of --dim, or of an input already made.
static int64_t dim_size(struct making *making, const cli_port *port, size_t axis) {
  if (port->dims[axis] >= 0) return port->dims[axis];
  for (size_t i = 0; i < making->request->dims.count; i++) {
    const char *item = making->request->dims.items[i];
    int64_t size = -1;
    if (names_dim(making, item, port, axis) && cli_parse_integer(strrchr(item, '=') + 1, &size))
      return size;
  }
  for (size_t i = 0; port->symbols[axis][0] && i < making->model->input_count; i++) {
    const cli_port *other = &making->model->inputs[i];
    const cli_tensor *tensor = &making->tensors[i];
    for (size_t j = 0; j < tensor->rank; j++)
      if (other->dims[j] < 0 && strcmp(other->symbols[j], port->symbols[axis]) == 0)
        return tensor->dims[j];
  }
  return -1;
}

static cli_status *make_input(struct making *making, size_t index, const char *spec, bool fill) {
  const cli_port *port = &making->model->inputs[index];
  if (!port->is_tensor)
    return cli_fail(CLI_FAILED, "input '%s' is a %s; only tensors can be fed", port->name,
                    port->type_text);
  int64_t *dims = cli_arena_array(making->arena, port->rank, sizeof *dims);
  for (size_t i = 0; i < port->rank; i++) {
    dims[i] = dim_size(making, port, i);
    if (dims[i] < 0 && fill) dims[i] = 1;
  }
  cli_wanted wanted = {port->name, port->type, port->rank, dims, making->seed};
  return cli_input_read(making->arena, spec, &wanted, &making->tensors[index]);
}

static cli_status *make_all(struct making *making, const char *fill) {
  const cli_request *request = making->request;
  for (size_t i = 0; i < request->dims.count; i++)
    CLI_TRY(check_dim(making, request->dims.items[i]));
  for (size_t i = 0; i < request->inputs.count; i++)
    CLI_TRY(assign_spec(making, request->inputs.items[i]));
  // Inputs that were given come first, so that their sizes reach those that are made up.
  for (size_t i = 0; i < making->model->input_count; i++)
    if (making->specs[i]) CLI_TRY(make_input(making, i, making->specs[i], false));
  for (size_t i = 0; i < making->model->input_count; i++) {
    const cli_port *port = &making->model->inputs[i];
    if (making->specs[i] || (port->is_optional && !fill)) continue;
    if (!fill && !request->random)
      return cli_fail(
          CLI_USAGE,
          "no value for input '%s': give it with --input %s=SPEC, or all with --random; %s",
          port->name, port->name, list_inputs(making));
    CLI_TRY(make_input(making, i, fill ? fill : "random", fill));
  }
  return NULL;
}

cli_status *cli_inputs_make(cli_arena *arena, const cli_model *model, const cli_request *request,
                            uint64_t seed, const char *fill, cli_tensor **out_inputs) {
  struct making making = {.arena = arena, .model = model, .request = request, .seed = seed};
  making.specs = cli_arena_array(arena, model->input_count, sizeof *making.specs);
  making.tensors = cli_arena_array(arena, model->input_count, sizeof *making.tensors);
  CLI_TRY(make_all(&making, fill));
  *out_inputs = making.tensors;
  return NULL;
}

const char *cli_inputs_text(cli_arena *arena, const cli_model *model, const cli_tensor *inputs) {
  const char *text = "";
  for (size_t i = 0; i < model->input_count; i++) {
    cli_value value = {.form = CLI_FORM_TENSOR, .tensor = inputs[i]};
    if (inputs[i].type == ONNX_TENSOR_ELEMENT_DATA_TYPE_UNDEFINED) value.form = CLI_FORM_NONE;
    text = cli_print(arena, "%s%s%s %s", text, i ? ", " : "", model->inputs[i].name,
                     cli_value_text(arena, &value));
  }
  return text;
}
