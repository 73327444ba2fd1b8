// Tensors of the file: initializers, constants, tensor attributes. Their bytes stay in the file
// where their alignment allows it.
#include <string.h>

#include "graph/import_internal.h"

static tern_status *find_external(import_context *context, const tern_onnx_tensor *tensor,
                                  tern_span *out_bytes) {
  *out_bytes = (tern_span){0};
  if (!tensor->is_external) return NULL;
  if (!context->model->externals)
    return TERN_ERROR(TERN_INVALID_ARGUMENT,
                      "the tensor's data is in file '%.*s', but the model has no folder",
                      (int)tensor->external_location.size, tensor->external_location.data);
  return tern_external_files_find(context->model->externals, tensor, out_bytes);
}

static tern_status *annotate_tensor(tern_status *status, tern_span name) {
  if (!status || name.size == 0) return status;
  return tern_status_annotate(status, "tensor '%.*s'", (int)name.size, name.data);
}

tern_status *tern_import_tensor(import_context *context, const tern_onnx_tensor *tensor,
                                tern_value **out_value) {
  tern_span external;
  tern_status *status = find_external(context, tensor, &external);
  if (!status)
    status = tern_onnx_tensor_decode(tensor, external, context->model->value_allocator, out_value);
  return annotate_tensor(status, tensor->name);
}

tern_status *tern_import_sparse(import_context *context, const tern_onnx_sparse_tensor *sparse,
                                tern_value **out_value) {
  tern_span values, indices;
  tern_status *status = find_external(context, &sparse->values, &values);
  if (!status) status = find_external(context, &sparse->indices, &indices);
  if (!status)
    status = tern_onnx_sparse_decode(sparse, values, indices, context->model->value_allocator,
                                     out_value);
  return annotate_tensor(status, sparse->values.name);
}

// Takes the reference.
static tern_status *add_initializer(import_scope *scope, const char *name, tern_value *value) {
  if (!name[0] || tern_map_get(&scope->edges, name)) {
    tern_value_release(value);
    return name[0] ? TERN_ERROR(TERN_INVALID_GRAPH, "initializer '%s' is defined twice", name)
                   : TERN_ERROR(TERN_INVALID_GRAPH, "an initializer has no name");
  }
  tern_edge *edge;
  TERN_TRY(tern_graph_new_constant(scope->graph, tern_import_edge_name(scope, name), value, &edge));
  return tern_import_define(scope, name, edge);
}

// The caller's value for an initializer, which must have the type that the file's has.
static tern_status *check_replacement(const tern_onnx_tensor *tensor, tern_value *value) {
  bool fits = value->kind == TERN_KIND_TENSOR && (int32_t)value->dtype == tensor->dtype &&
              (size_t)value->shape.rank == tensor->dim_count;
  for (size_t i = 0; fits && i < tensor->dim_count; ++i)
    fits = value->shape.dims[i] == tensor->dims[i];
  if (fits) return NULL;
  tern_type type;
  char text[TERN_TYPE_TEXT_BYTES];
  tern_value_get_type(value, &type);
  return TERN_ERROR(
      TERN_INVALID_ARGUMENT, "the value given for initializer '%.*s' is %s, unlike the model's",
      (int)tensor->name.size, tensor->name.data, tern_type_format(&type, text, sizeof text));
}

static tern_status *import_initializer(import_context *context, import_scope *scope,
                                       const tern_onnx_tensor *tensor) {
  const char *name;
  TERN_TRY(tern_import_text(context, tensor->name, &name));
  tern_value *value = scope->outer ? NULL : tern_map_get(&context->replacements, name);
  if (value) {
    TERN_TRY(check_replacement(tensor, value));
    tern_value_retain(value);
  } else {
    TERN_TRY(tern_import_tensor(context, tensor, &value));
  }
  return add_initializer(scope, name, value);
}

tern_status *tern_import_initializers(import_context *context, import_scope *scope,
                                      const tern_onnx_graph *graph) {
  for (size_t i = 0; i < graph->initializer_count; ++i)
    TERN_TRY(import_initializer(context, scope, &graph->initializers[i]));
  for (size_t i = 0; i < graph->sparse_initializer_count; ++i) {
    const char *name;
    tern_value *value = NULL;
    TERN_TRY(tern_import_text(context, graph->sparse_initializers[i].values.name, &name));
    TERN_TRY(tern_import_sparse(context, &graph->sparse_initializers[i], &value));
    TERN_TRY(add_initializer(scope, name, value));
  }
  return NULL;
}

static tern_status *make_numbers(tern_allocator *allocator, tern_dtype dtype, int32_t rank,
                                 size_t count, const void *numbers, tern_value **out) {
  tern_shape shape = {.rank = rank, .dims = {(tern_dim)count}};
  TERN_TRY(tern_value_create_tensor(allocator, dtype, &shape, out));
  if (count > 0) memcpy((*out)->data, numbers, count * tern_dtype_size(dtype));
  return NULL;
}

static tern_status *make_strings(tern_allocator *allocator, int32_t rank, size_t count,
                                 const tern_span *strings, tern_value **out) {
  tern_shape shape = {.rank = rank, .dims = {(tern_dim)count}};
  tern_value *value;
  TERN_TRY(tern_value_create_tensor(allocator, TERN_STRING, &shape, &value));
  for (size_t i = 0; i < count; ++i) {
    tern_status *status =
        tern_value_set_string(value, (int64_t)i, strings[i].data, strings[i].size);
    if (status) {
      tern_value_release(value);
      return status;
    }
  }
  *out = value;
  return NULL;
}

// The attributes a Constant may have: one of them, and of this type.
static const struct {
  const char *name;
  tern_attr_type type;
} constant_attrs[] = {
    {"value", TERN_ATTR_TENSOR},        {"sparse_value", TERN_ATTR_SPARSE_TENSOR},
    {"value_float", TERN_ATTR_FLOAT},   {"value_floats", TERN_ATTR_FLOATS},
    {"value_int", TERN_ATTR_INT},       {"value_ints", TERN_ATTR_INTS},
    {"value_string", TERN_ATTR_STRING}, {"value_strings", TERN_ATTR_STRINGS},
};

static bool is_constant_attr(const import_attr *attr) {
  for (size_t i = 0; i < TERN_COUNT_OF(constant_attrs); ++i) {
    if (strcmp(constant_attrs[i].name, attr->name) == 0)
      return constant_attrs[i].type == attr->value->type;
  }
  return false;
}

static tern_status *make_constant(import_context *context, const tern_onnx_attribute *from,
                                  tern_value **out) {
  tern_allocator *allocator = context->model->value_allocator;
  switch (from->type) {
  case TERN_ATTR_TENSOR:
    if (from->t) return tern_import_tensor(context, from->t, out);
    break;
  case TERN_ATTR_SPARSE_TENSOR:
    if (from->sparse) return tern_import_sparse(context, from->sparse, out);
    break;
  case TERN_ATTR_FLOAT:
    return make_numbers(allocator, TERN_FLOAT, 0, 1, &from->f, out);
  case TERN_ATTR_FLOATS:
    return make_numbers(allocator, TERN_FLOAT, 1, from->count, from->floats, out);
  case TERN_ATTR_INT:
    return make_numbers(allocator, TERN_INT64, 0, 1, &from->i, out);
  case TERN_ATTR_INTS:
    return make_numbers(allocator, TERN_INT64, 1, from->count, from->ints, out);
  case TERN_ATTR_STRING:
    return make_strings(allocator, 0, 1, &from->s, out);
  case TERN_ATTR_STRINGS:
    return make_strings(allocator, 1, from->count, from->strings, out);
  default:
    break;
  }
  return TERN_ERROR(TERN_INVALID_GRAPH, "the attribute has no value");
}

tern_status *tern_import_constant(import_context *context, const import_scope *scope,
                                  const tern_onnx_node *node, tern_value **out_value) {
  const tern_onnx_attribute *found = NULL;
  for (size_t i = 0; i < node->attribute_count; ++i) {
    import_attr attr;
    TERN_TRY(tern_import_attr_resolve(context, scope, &node->attributes[i], &attr));
    if (!attr.value) continue;
    if (!is_constant_attr(&attr))
      return TERN_ERROR(TERN_INVALID_GRAPH, "a Constant has no attribute '%s' of this type",
                        attr.name);
    if (found) return TERN_ERROR(TERN_INVALID_GRAPH, "a Constant has one value, not several");
    found = attr.value;
  }
  if (!found) return TERN_ERROR(TERN_INVALID_GRAPH, "a Constant without a value");
  return make_constant(context, found, out_value);
}
