// Opening models and reading their signatures. Running them is in feed.c.
#include "model.h"

#include <string.h>

#include "text.h"

static cli_status *configure(const cli_lib *lib, OrtSessionOptions *session_options,
                             const cli_model_options *options) {
  const OrtApi *ort = lib->ort;
  if (options->threads) {
    int threads = options->threads > 4096 ? 4096 : (int)options->threads;
    CLI_TRY(cli_ort(lib, ort->SetIntraOpNumThreads(session_options, threads)));
  }
  GraphOptimizationLevel level = (GraphOptimizationLevel)options->opt_level;
  CLI_TRY(cli_ort(lib, ort->SetSessionGraphOptimizationLevel(session_options, level)));
  if (!options->profile_prefix) return NULL;
  return cli_ort(lib, ort->EnableProfiling(session_options, options->profile_prefix));
}

static cli_status *create_session(const cli_lib *lib, const char *path,
                                  const cli_model_options *options, OrtSession **out_session) {
  OrtSessionOptions *session_options;
  CLI_TRY(cli_ort(lib, lib->ort->CreateSessionOptions(&session_options)));
  cli_status *status = configure(lib, session_options, options);
  if (!status)
    status = cli_ort(lib, lib->ort->CreateSession(lib->env, path, session_options, out_session));
  lib->ort->ReleaseSessionOptions(session_options);
  return status;
}

static const char *describe_tensor(cli_arena *arena, const cli_port *port) {
  const char *text = cli_element_of(port->type)->name;
  for (size_t i = 0; i < port->rank; i++) {
    const char *join = i ? "x" : " ";
    if (port->dims[i] >= 0)
      text = cli_print(arena, "%s%s%lld", text, join, (long long)port->dims[i]);
    else
      text = cli_print(arena, "%s%s%s", text, join, port->symbols[i][0] ? port->symbols[i] : "?");
  }
  return port->rank ? text : cli_print(arena, "%s scalar", text);
}

// `depth` is 0 but inside sequences and maps, whose elements may differ in shape.
static cli_status *read_tensor_type(cli_arena *arena, const cli_lib *lib,
                                    const OrtTensorTypeAndShapeInfo *info, unsigned depth,
                                    cli_port *port) {
  const OrtApi *ort = lib->ort;
  CLI_TRY(cli_ort(lib, ort->GetTensorElementType(info, &port->type)));
  CLI_TRY(cli_ort(lib, ort->GetDimensionsCount(info, &port->rank)));
  port->dims = cli_arena_array(arena, port->rank, sizeof *port->dims);
  port->symbols = cli_arena_array(arena, port->rank, sizeof *port->symbols);
  if (port->rank) {
    CLI_TRY(cli_ort(lib, ort->GetDimensions(info, port->dims, port->rank)));
    CLI_TRY(cli_ort(lib, ort->GetSymbolicDimensions(info, port->symbols, port->rank)));
  }
  for (size_t i = 0; i < port->rank; i++) {
    const char *symbol = port->symbols[i] ? port->symbols[i] : "";
    port->symbols[i] = cli_copy(arena, symbol, strlen(symbol));
  }
  port->is_tensor = true;
  port->type_text = depth ? cli_element_of(port->type)->name : describe_tensor(arena, port);
  return NULL;
}

static cli_status *read_type(cli_arena *arena, const cli_lib *lib, const OrtTypeInfo *type,
                             unsigned depth, cli_port *port);

// A type held by another, whose description then reads "OUTER INNER"; releases `inner`.
static cli_status *read_inner(cli_arena *arena, const cli_lib *lib, OrtTypeInfo *inner,
                              const char *outer, unsigned depth, cli_port *port) {
  cli_status *status = read_type(arena, lib, inner, depth, port);
  lib->ort->ReleaseTypeInfo(inner);
  if (!status) port->type_text = cli_print(arena, "%s %s", outer, port->type_text);
  return status;
}

static cli_status *read_sequence(cli_arena *arena, const cli_lib *lib, const OrtTypeInfo *type,
                                 unsigned depth, cli_port *port) {
  const OrtSequenceTypeInfo *info;
  OrtTypeInfo *inner;
  CLI_TRY(cli_ort(lib, lib->ort->CastTypeInfoToSequenceTypeInfo(type, &info)));
  CLI_TRY(cli_ort(lib, lib->ort->GetSequenceElementType(info, &inner)));
  cli_status *status = read_inner(arena, lib, inner, "sequence of", depth + 1, port);
  port->is_tensor = false;
  port->rank = 0;
  return status;
}

static cli_status *read_map(cli_arena *arena, const cli_lib *lib, const OrtTypeInfo *type,
                            unsigned depth, cli_port *port) {
  const OrtMapTypeInfo *info;
  cli_type key;
  OrtTypeInfo *inner;
  CLI_TRY(cli_ort(lib, lib->ort->CastTypeInfoToMapTypeInfo(type, &info)));
  CLI_TRY(cli_ort(lib, lib->ort->GetMapKeyType(info, &key)));
  CLI_TRY(cli_ort(lib, lib->ort->GetMapValueType(info, &inner)));
  const char *outer = cli_print(arena, "map of %s to", cli_element_of(key)->name);
  cli_status *status = read_inner(arena, lib, inner, outer, depth + 1, port);
  port->is_tensor = false;
  port->rank = 0;
  return status;
}

static cli_status *read_optional(cli_arena *arena, const cli_lib *lib, const OrtTypeInfo *type,
                                 unsigned depth, cli_port *port) {
  const OrtOptionalTypeInfo *info;
  OrtTypeInfo *inner;
  CLI_TRY(cli_ort(lib, lib->ort->CastTypeInfoToOptionalTypeInfo(type, &info)));
  CLI_TRY(cli_ort(lib, lib->ort->GetOptionalContainedTypeInfo(info, &inner)));
  cli_status *status = read_inner(arena, lib, inner, "optional", depth, port);
  port->is_optional = true;
  return status;
}

// Fills all but the name of `port`.
static cli_status *read_type(cli_arena *arena, const cli_lib *lib, const OrtTypeInfo *type,
                             unsigned depth, cli_port *port) {
  ONNXType kind;
  CLI_TRY(cli_ort(lib, lib->ort->GetOnnxTypeFromTypeInfo(type, &kind)));
  if (depth > 16) kind = ONNX_TYPE_UNKNOWN;
  const OrtTensorTypeAndShapeInfo *info = NULL;
  switch (kind) {
  case ONNX_TYPE_SEQUENCE:
    return read_sequence(arena, lib, type, depth, port);
  case ONNX_TYPE_MAP:
    return read_map(arena, lib, type, depth, port);
  case ONNX_TYPE_OPTIONAL:
    return read_optional(arena, lib, type, depth, port);
  case ONNX_TYPE_SPARSETENSOR:
    port->type_text = "sparse tensor";
    return NULL;
  case ONNX_TYPE_TENSOR:
    CLI_TRY(cli_ort(lib, lib->ort->CastTypeInfoToTensorInfo(type, &info)));
    if (info) return read_tensor_type(arena, lib, info, depth, port);
    break;
  default:
    break;
  }
  port->type_text = "unknown type";
  return NULL;
}

// The calls that differ between inputs and outputs.
struct port_calls {
  OrtStatus *(*count)(const OrtSession *, size_t *);
  OrtStatus *(*name)(const OrtSession *, size_t, OrtAllocator *, char **);
  OrtStatus *(*type)(const OrtSession *, size_t, OrtTypeInfo **);
};

static cli_status *read_port(cli_arena *arena, const cli_model *model,
                             const struct port_calls *calls, size_t index, cli_port *port) {
  const cli_lib *lib = model->lib;
  OrtAllocator *allocator;
  CLI_TRY(cli_ort(lib, lib->ort->GetAllocatorWithDefaultOptions(&allocator)));
  char *name;
  CLI_TRY(cli_ort(lib, calls->name(model->session, index, allocator, &name)));
  port->name = cli_copy(arena, name, strlen(name));
  allocator->Free(allocator, name);
  OrtTypeInfo *type;
  CLI_TRY(cli_ort(lib, calls->type(model->session, index, &type)));
  cli_status *status = read_type(arena, lib, type, 0, port);
  lib->ort->ReleaseTypeInfo(type);
  return status;
}

static cli_status *read_ports(cli_arena *arena, const cli_model *model,
                              const struct port_calls *calls, cli_port **out_ports,
                              size_t *out_count) {
  size_t count;
  CLI_TRY(cli_ort(model->lib, calls->count(model->session, &count)));
  cli_port *ports = cli_arena_array(arena, count, sizeof *ports);
  for (size_t i = 0; i < count; i++) CLI_TRY(read_port(arena, model, calls, i, &ports[i]));
  *out_ports = ports;
  *out_count = count;
  return NULL;
}

static cli_status *read_signature(cli_arena *arena, cli_model *model) {
  const OrtApi *ort = model->lib->ort;
  struct port_calls inputs = {ort->SessionGetInputCount, ort->SessionGetInputName,
                              ort->SessionGetInputTypeInfo};
  struct port_calls outputs = {ort->SessionGetOutputCount, ort->SessionGetOutputName,
                               ort->SessionGetOutputTypeInfo};
  CLI_TRY(read_ports(arena, model, &inputs, &model->inputs, &model->input_count));
  return read_ports(arena, model, &outputs, &model->outputs, &model->output_count);
}

cli_status *cli_model_open(cli_arena *arena, const cli_lib *lib, const char *path,
                           const cli_model_options *options, cli_model *out_model) {
  cli_model model = {.lib = lib};
  CLI_TRY(
      cli_fail_in(create_session(lib, path, options, &model.session), "cannot load '%s'", path));
  cli_status *status = read_signature(arena, &model);
  if (status) {
    cli_model_close(&model);
    return status;
  }
  *out_model = model;
  return NULL;
}

void cli_model_close(cli_model *model) {
  if (model->session) model->lib->ort->ReleaseSession(model->session);
  model->session = NULL;
}
