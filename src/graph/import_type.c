// Declared types: from TypeProto to tern_type, and how they join what inference finds.
#include <string.h>

#include "graph/import_internal.h"

static const tern_dim_override *find_override(const import_context *context, tern_span name,
                                              bool is_denotation) {
  for (size_t i = 0; name.size && i < context->options->override_count; ++i) {
    const tern_dim_override *override = &context->options->overrides[i];
    if (override->is_denotation == is_denotation && strlen(override->name) == name.size &&
        memcmp(override->name, name.data, name.size) == 0)
      return override;
  }
  return NULL;
}

// Exporters write -1 for a size they do not know.
static tern_status *import_dim(import_context *context, const tern_onnx_dim *from, tern_dim *out) {
  *out = TERN_DIM_UNKNOWN;
  if (from->has_value) {
    if (from->value >= 0) *out = from->value;
    return NULL;
  }
  const tern_dim_override *override = find_override(context, from->denotation, true);
  if (!override) override = find_override(context, from->param, false);
  if (override) {
    *out = override->size;
    return NULL;
  }
  if (from->param.size == 0) return NULL;
  const char *key;
  TERN_TRY(tern_import_key(context, from->param, &key));
  return tern_model_symbol(context->model, key, out);
}

static tern_status *import_shape(import_context *context, const tern_onnx_type *from,
                                 tern_shape *out) {
  out->rank = TERN_RANK_UNKNOWN;
  if (!from->has_shape) return NULL;
  if (from->dim_count > TERN_MAX_RANK)
    return TERN_ERROR(TERN_INVALID_GRAPH, "a type has rank %zu, more than %d", from->dim_count,
                      TERN_MAX_RANK);
  out->rank = (int32_t)from->dim_count;
  for (size_t i = 0; i < from->dim_count; ++i)
    TERN_TRY(import_dim(context, &from->dims[i], &out->dims[i]));
  return NULL;
}

tern_status *tern_import_type(import_context *context, const tern_onnx_type *from,
                              tern_type *out_type) {
  tern_type type = {.kind = from->kind, .shape = {.rank = TERN_RANK_UNKNOWN}};
  if (from->is_opaque)
    return TERN_ERROR(TERN_NOT_IMPLEMENTED, "opaque types are of no standard operator");
  if (from->dtype != 0 && !tern_dtype_is_valid(from->dtype))
    return TERN_ERROR(TERN_INVALID_GRAPH, "%d is no element type", (int)from->dtype);
  type.dtype = (tern_dtype)from->dtype;
  if (from->kind == TERN_KIND_TENSOR || from->kind == TERN_KIND_SPARSE_TENSOR)
    TERN_TRY(import_shape(context, from, &type.shape));
  if (from->element) {
    tern_type *element;
    TERN_TRY(TERN_ARENA_NEW(&context->model->arena, &element));
    TERN_TRY(tern_import_type(context, from->element, element));
    type.element = element;
  }
  if (from->denotation.size)
    TERN_TRY(tern_import_keep_text(context, from->denotation, &type.denotation));
  *out_type = type;
  return NULL;
}

static bool is_unknown(const tern_type *type) {
  return type->kind == TERN_KIND_NONE ||
         (type->kind == TERN_KIND_TENSOR && type->dtype == TERN_DTYPE_UNDEFINED);
}

// Kinds and element types, as far as both sides know them.
static bool agrees(const tern_type *a, const tern_type *b) {
  while (a && b && !is_unknown(a) && !is_unknown(b)) {
    if (a->kind != b->kind || a->dtype != b->dtype) return false;
    a = a->element;
    b = b->element;
  }
  return true;
}

static tern_status *contradiction(import_context *context, const char *name,
                                  const tern_type *declared, const tern_type *found,
                                  bool is_error) {
  char a[TERN_TYPE_TEXT_BYTES], b[TERN_TYPE_TEXT_BYTES];
  tern_type_format(declared, a, sizeof a);
  tern_type_format(found, b, sizeof b);
  if (is_error)
    return TERN_ERROR(TERN_INVALID_GRAPH, "'%s' is declared as %s but is %s", name, a, b);
  return tern_model_warn(context->model, "'%s' is declared as %s but is %s", name, a, b);
}

tern_status *tern_import_merge_type(import_context *context, const char *name,
                                    const tern_type *declared, tern_type *inout_type) {
  if (declared->kind == TERN_KIND_NONE) return NULL;
  if (!agrees(declared, inout_type))
    return contradiction(context, name, declared, inout_type, true);
  if (is_unknown(inout_type)) {
    tern_shape known = inout_type->shape;
    *inout_type = *declared;
    return tern_shape_merge(&inout_type->shape, &known)
               ? NULL
               : contradiction(context, name, declared, inout_type, context->options->strict_types);
  }
  tern_shape shape = inout_type->shape;
  if (tern_shape_merge(&shape, &declared->shape))
    inout_type->shape = shape;
  else
    TERN_TRY(contradiction(context, name, declared, inout_type, context->options->strict_types));
  if (!inout_type->element) inout_type->element = declared->element;
  if (!inout_type->denotation) inout_type->denotation = declared->denotation;
  return NULL;
}

tern_status *tern_import_merge_declared(import_context *context, const import_scope *scope,
                                        const char *name, tern_type *inout_type) {
  const tern_onnx_value_info *info = tern_map_get(&scope->declared, name);
  if (!info) return NULL;
  tern_type declared;
  tern_status *status = tern_import_type(context, &info->type, &declared);
  if (status) return tern_status_annotate(status, "'%s'", name);
  return tern_import_merge_type(context, name, &declared, inout_type);
}
