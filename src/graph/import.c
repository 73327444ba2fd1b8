// tern_import: the model's own fields, then its main graph.
#include "graph/import.h"

#include <string.h>

#include "graph/import_internal.h"

enum { NEWEST_IR_VERSION = 14 };

const char *tern_import_domain(const char *domain) {
  return strcmp(domain, "ai.onnx") == 0 ? "" : domain;
}

static bool span_is(tern_span span, const char *text) {
  return span.size == strlen(text) && memcmp(span.data, text, span.size) == 0;
}

static const tern_onnx_opset *find_opset(const tern_onnx_opset *opsets, size_t count,
                                         const char *domain) {
  bool is_onnx = domain[0] == '\0';
  for (size_t i = 0; i < count; ++i) {
    tern_span span = opsets[i].domain;
    if (span.size == 0 ? is_onnx : span_is(span, domain) || (is_onnx && span_is(span, "ai.onnx")))
      return &opsets[i];
  }
  return NULL;
}

// A domain that is not imported has its newest version, as in ORT. Files older than opset imports
// mean the first opset.
tern_status *tern_import_opset(import_context *context, const import_env *env, const char *domain,
                               int32_t *out_version) {
  const tern_onnx_model *file = context->file;
  domain = tern_import_domain(domain);
  const tern_onnx_opset *opset = find_opset(env->opsets, env->opset_count, domain);
  if (!opset) opset = find_opset(file->opsets, file->opset_count, domain);
  int32_t newest = tern_opset_newest(domain);
  if (!opset) {
    *out_version = file->opset_count == 0 || newest == 0 ? 1 : newest;
    return NULL;
  }
  if (opset->version < 1 || opset->version > INT32_MAX || (newest && opset->version > newest))
    return TERN_ERROR(TERN_INVALID_GRAPH,
                      "opset %lld of domain '%s' is imported; Tern knows versions 1 to %d",
                      (long long)opset->version, domain[0] ? domain : "ai.onnx", newest);
  *out_version = (int32_t)opset->version;
  return NULL;
}

static tern_status *import_opsets(import_context *context, const import_env *env) {
  tern_model *model = context->model;
  const tern_onnx_model *file = context->file;
  if (file->opset_count == 0 && file->ir_version >= 3)
    return TERN_ERROR(TERN_INVALID_GRAPH, "the model imports no opset");
  for (size_t i = 0; i < file->opset_count; ++i) {
    tern_opset opset;
    TERN_TRY(tern_import_keep_text(context, file->opsets[i].domain, &opset.domain));
    opset.domain = tern_import_domain(opset.domain);
    TERN_TRY(tern_import_opset(context, env, opset.domain, &opset.version));
    TERN_ARRAY_PUSH(model->allocator, &model->opsets, opset);
  }
  if (file->opset_count == 0) {
    tern_opset first = {"", 1};
    TERN_ARRAY_PUSH(model->allocator, &model->opsets, first);
  }
  return NULL;
}

static tern_status *keep_entry(import_context *context, const tern_onnx_entry *from,
                               tern_metadata *out) {
  TERN_TRY(tern_import_keep_text(context, from->key, &out->key));
  return tern_import_keep_text(context, from->value, &out->value);
}

static tern_status *import_texts(import_context *context) {
  tern_model *model = context->model;
  const tern_onnx_model *file = context->file;
  model->ir_version = file->ir_version;
  model->model_version = file->model_version;
  TERN_TRY(tern_import_keep_text(context, file->producer_name, &model->producer_name));
  TERN_TRY(tern_import_keep_text(context, file->producer_version, &model->producer_version));
  TERN_TRY(tern_import_keep_text(context, file->domain, &model->domain));
  TERN_TRY(tern_import_keep_text(context, file->doc, &model->doc));
  for (size_t i = 0; i < file->metadata_count; ++i) {
    tern_metadata entry;
    TERN_TRY(keep_entry(context, &file->metadata[i], &entry));
    TERN_ARRAY_PUSH(model->allocator, &model->metadata, entry);
  }
  return NULL;
}

static tern_status *import_annotations(import_context *context) {
  tern_model *model = context->model;
  const tern_onnx_graph *graph = &context->file->graph;
  for (size_t i = 0; i < graph->annotation_count; ++i) {
    const tern_onnx_annotation *from = &graph->annotations[i];
    tern_annotation annotation = {.parameter_count = from->parameter_count};
    tern_metadata *parameters;
    TERN_TRY(tern_import_keep_text(context, from->tensor_name, &annotation.tensor_name));
    TERN_TRY(TERN_ARENA_ARRAY(&model->arena, from->parameter_count, &parameters));
    for (size_t p = 0; p < from->parameter_count; ++p)
      TERN_TRY(keep_entry(context, &from->parameters[p], &parameters[p]));
    annotation.parameters = parameters;
    TERN_ARRAY_PUSH(model->allocator, &model->annotations, annotation);
  }
  return NULL;
}

static tern_status *index_replacements(import_context *context) {
  const tern_import_options *options = context->options;
  for (size_t i = 0; i < options->initializer_count; ++i)
    TERN_TRY(tern_map_set(&context->replacements, options->initializer_names[i],
                          options->initializer_values[i]));
  return NULL;
}

static tern_status *import_model(import_context *context, tern_span bytes, tern_onnx_model *file) {
  tern_model *model = context->model;
  TERN_TRY(tern_onnx_parse_model(bytes, &context->arena, file));
  context->file = file;
  if (!file->has_graph) return TERN_ERROR(TERN_INVALID_GRAPH, "the model has no graph");
  if (file->ir_version > NEWEST_IR_VERSION)
    return TERN_ERROR(TERN_INVALID_GRAPH, "IR version %lld is newer than %d, which Tern knows",
                      (long long)file->ir_version, NEWEST_IR_VERSION);
  import_env env = {.opsets = file->opsets, .opset_count = file->opset_count, .prefix = ""};
  TERN_TRY(import_texts(context));
  TERN_TRY(import_opsets(context, &env));
  TERN_TRY(import_annotations(context));
  TERN_TRY(index_replacements(context));
  TERN_TRY(tern_import_collect_functions(context));
  tern_import_reserve_names(model, &file->graph);
  const char *name;
  TERN_TRY(tern_import_keep_text(context, file->graph.name, &name));
  TERN_TRY(tern_graph_create(model, NULL, name, &model->graph));
  return tern_import_graph(context, &env, NULL, &file->graph, NULL, model->graph);
}

tern_status *tern_import(tern_model *model, tern_span bytes, const tern_import_options *options) {
  static const tern_import_options no_options;
  tern_allocator *allocator = model->allocator;
  import_context context = {.model = model, .options = options ? options : &no_options};
  tern_onnx_model file;
  tern_arena_init(allocator, &context.arena);
  tern_map_init(allocator, &context.functions);
  tern_map_init(allocator, &context.replacements);
  tern_text_init(allocator, &context.key);
  tern_status *status = import_model(&context, bytes, &file);
  tern_import_forget_values(&context);
  tern_text_deinit(&context.key);
  tern_map_deinit(&context.replacements);
  tern_map_deinit(&context.functions);
  tern_arena_deinit(&context.arena);
  return status;
}
