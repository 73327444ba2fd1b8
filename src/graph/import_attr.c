// Attributes of nodes: what the file says as tern_attr, with references to a function's attributes
// followed to the call that gives them.
#include <string.h>

#include "graph/import_internal.h"

static bool spans_equal(tern_span a, tern_span b) {
  return a.size == b.size && (a.size == 0 || memcmp(a.data, b.data, a.size) == 0);
}

static const tern_onnx_attribute *find(const tern_onnx_attribute *list, size_t count,
                                       tern_span name) {
  for (size_t i = 0; i < count; ++i) {
    if (spans_equal(list[i].name, name)) return &list[i];
  }
  return NULL;
}

// One step outwards: what the call of `env`'s function gives under `name`, or the function's
// default.
static const tern_onnx_attribute *find_given(const import_env *env, tern_span name,
                                             bool *out_is_default) {
  const tern_onnx_attribute *given = find(env->call->attributes, env->call->attribute_count, name);
  *out_is_default = !given;
  if (given) return given;
  return find(env->function->attribute_defaults, env->function->attribute_default_count, name);
}

tern_status *tern_import_attr_resolve(import_context *context, const import_scope *scope,
                                      const tern_onnx_attribute *attribute, import_attr *out_attr) {
  import_attr attr = {.value = attribute, .env = scope->env, .scope = scope};
  TERN_TRY(tern_import_text(context, attribute->name, &attr.name));
  while (attr.value && attr.value->ref_name.size > 0) {
    const import_env *env = attr.env;
    if (!env->function)
      return TERN_ERROR(TERN_INVALID_GRAPH,
                        "attribute '%s' refers to '%.*s', but stands in no function", attr.name,
                        (int)attr.value->ref_name.size, attr.value->ref_name.data);
    bool is_default;
    attr.value = find_given(env, attr.value->ref_name, &is_default);
    if (is_default) break; // a default is a value, never a reference
    attr.env = env->caller;
    attr.scope = env->caller_scope;
  }
  if (attr.value && attr.value->type != attribute->type)
    return TERN_ERROR(TERN_INVALID_GRAPH,
                      "attribute '%s' is of type %d, the one it refers to of %d", attr.name,
                      (int)attribute->type, (int)attr.value->type);
  *out_attr = attr;
  return NULL;
}

static tern_status *copy_string(import_context *context, tern_span from, tern_string *out) {
  TERN_TRY(tern_import_keep_text(context, from, &out->data));
  out->size = from.size;
  return NULL;
}

static tern_status *copy_strings(import_context *context, const tern_onnx_attribute *from,
                                 tern_attr *out) {
  tern_string *strings;
  TERN_TRY(TERN_ARENA_ARRAY(&context->model->arena, from->count, &strings));
  for (size_t i = 0; i < from->count; ++i)
    TERN_TRY(copy_string(context, from->strings[i], &strings[i]));
  out->u.strings = strings;
  return NULL;
}

static tern_status *keep_tensor(import_context *context, const tern_onnx_tensor *from,
                                tern_value **out) {
  tern_value *value;
  TERN_TRY(tern_import_tensor(context, from, &value));
  TERN_TRY(tern_model_keep_value(context->model, value));
  TERN_TRY(tern_value_align(value));
  *out = value;
  return NULL;
}

static tern_status *copy_tensors(import_context *context, const tern_onnx_attribute *from,
                                 tern_attr *out) {
  tern_value **tensors;
  TERN_TRY(TERN_ARENA_ARRAY(&context->model->arena, from->count, &tensors));
  for (size_t i = 0; i < from->count; ++i)
    TERN_TRY(keep_tensor(context, &from->tensors[i], &tensors[i]));
  out->u.tensors = tensors;
  return NULL;
}

// Operators see sparse tensors dense; only their attribute's type says so.
static tern_status *keep_sparse(import_context *context, const tern_onnx_sparse_tensor *from,
                                tern_attr *out) {
  tern_value *value;
  TERN_TRY(tern_import_sparse(context, from, &value));
  TERN_TRY(tern_model_keep_value(context->model, value));
  out->type = TERN_ATTR_TENSOR;
  out->u.tensor = value;
  return NULL;
}

static tern_status *copy_type(import_context *context, const tern_onnx_type *from, tern_attr *out) {
  TERN_TRY(TERN_ARENA_NEW(&context->model->arena, &out->u.type_proto));
  return tern_import_type(context, from, out->u.type_proto);
}

// The graph is made empty, and filled when its node stands and inference can say what it is fed.
static tern_status *add_body(import_context *context, const import_attr *attr, import_attrs *attrs,
                             tern_attr *out) {
  const char *name;
  TERN_TRY(tern_import_keep_text(context, attr->value->g->name, &name));
  TERN_TRY(tern_graph_create(context->model, NULL, name, &out->u.graph));
  attrs->bodies[attrs->body_count++] = (import_body){
      .graph = out->u.graph, .from = attr->value->g, .env = attr->env, .scope = attr->scope};
  return NULL;
}

static tern_status *import_value(import_context *context, const import_attr *attr,
                                 import_attrs *attrs, tern_attr *out) {
  const tern_onnx_attribute *from = attr->value;
  switch (from->type) {
  case TERN_ATTR_FLOAT:
    out->u.f = from->f;
    return NULL;
  case TERN_ATTR_INT:
    out->u.i = from->i;
    return NULL;
  case TERN_ATTR_STRING:
    return copy_string(context, from->s, &out->u.s);
  case TERN_ATTR_TENSOR:
    if (from->t) return keep_tensor(context, from->t, &out->u.tensor);
    break;
  case TERN_ATTR_SPARSE_TENSOR:
    if (from->sparse) return keep_sparse(context, from->sparse, out);
    break;
  case TERN_ATTR_GRAPH:
    if (from->g) return add_body(context, attr, attrs, out);
    break;
  case TERN_ATTR_TYPE_PROTO:
    if (from->tp) return copy_type(context, from->tp, out);
    break;
  case TERN_ATTR_FLOATS:
    out->u.floats = from->floats;
    return NULL;
  case TERN_ATTR_INTS:
    out->u.ints = from->ints;
    return NULL;
  case TERN_ATTR_STRINGS:
    return copy_strings(context, from, out);
  case TERN_ATTR_TENSORS:
    return copy_tensors(context, from, out);
  default:
    return TERN_ERROR(TERN_NOT_IMPLEMENTED, "attribute '%s' is of type %d, which no operator has",
                      attr->name, (int)from->type);
  }
  return TERN_ERROR(TERN_INVALID_GRAPH, "attribute '%s' has no value", attr->name);
}

static bool is_named(const import_attrs *attrs, const char *name) {
  for (int32_t i = 0; i < attrs->count; ++i) {
    if (strcmp(attrs->items[i].name, name) == 0) return true;
  }
  return false;
}

static tern_status *import_one(import_context *context, const import_scope *scope,
                               const tern_onnx_attribute *from, import_attrs *attrs) {
  import_attr attr;
  TERN_TRY(tern_import_attr_resolve(context, scope, from, &attr));
  // Names that begin with "__" are tools' own notes, which the standard's checker skips too.
  if (!attr.value || strncmp(attr.name, "__", 2) == 0) return NULL;
  if (is_named(attrs, attr.name))
    return TERN_ERROR(TERN_INVALID_GRAPH, "attribute '%s' is given twice", attr.name);
  tern_attr *out = &attrs->items[attrs->count];
  *out = (tern_attr){.name = attr.name, .type = attr.value->type, .count = attr.value->count};
  TERN_TRY(import_value(context, &attr, attrs, out));
  attrs->count++;
  return NULL;
}

tern_status *tern_import_attrs(import_context *context, const import_scope *scope,
                               const tern_onnx_node *node, import_attrs *out_attrs) {
  enum { ROOM = 4, MAX_ATTRS = 10000 }; // room for what upgrades add
  if (node->attribute_count > MAX_ATTRS)
    return TERN_ERROR(TERN_INVALID_GRAPH, "%zu attributes are too many", node->attribute_count);
  import_attrs attrs = {.capacity = (int32_t)node->attribute_count + ROOM};
  TERN_TRY(TERN_ARENA_ARRAY(&context->arena, attrs.capacity, &attrs.items));
  TERN_TRY(TERN_ARENA_ARRAY(&context->arena, node->attribute_count, &attrs.bodies));
  for (size_t i = 0; i < node->attribute_count; ++i)
    TERN_TRY(import_one(context, scope, &node->attributes[i], &attrs));
  *out_attrs = attrs;
  return NULL;
}
