// Reading operator rows: type sets, formals, and the registry's look-up.
#include "graph/op.h"

#include <stdio.h>
#include <string.h>

static bool container_has(tern_dtype_set set, const tern_type *element) {
  if (!element || element->kind == TERN_KIND_NONE)
    return set != 0; // not known: give it the benefit
  if (element->kind != TERN_KIND_TENSOR) return false;
  return element->dtype == TERN_DTYPE_UNDEFINED ? set != 0
                                                : tern_dtype_set_has(set, element->dtype);
}

static bool optional_has(const tern_type_set *set, const tern_type *element) {
  if (element && element->kind == TERN_KIND_SEQUENCE)
    return container_has(set->optional_sequence, element->element);
  return container_has(set->optional, element);
}

bool tern_type_set_has(const tern_type_set *set, const tern_type *type) {
  if (set->any) return true;
  switch (type->kind) {
  case TERN_KIND_NONE:
    return false;
  case TERN_KIND_TENSOR:
    return type->dtype == TERN_DTYPE_UNDEFINED ? set->tensor != 0
                                               : tern_dtype_set_has(set->tensor, type->dtype);
  case TERN_KIND_SPARSE_TENSOR:
    return tern_dtype_set_has(set->sparse, type->dtype);
  case TERN_KIND_SEQUENCE:
    if (type->element && type->element->kind == TERN_KIND_MAP) return set->map_sequence;
    return container_has(set->sequence, type->element);
  case TERN_KIND_MAP:
    return set->map;
  case TERN_KIND_OPTIONAL:
    return optional_has(set, type->element);
  }
  return false;
}

const tern_op *tern_op_registry_find(const tern_op_registry *registry, const char *domain,
                                     const char *name) {
  char key[256];
  if (strcmp(domain, "ai.onnx") == 0) domain = "";
  int n = snprintf(key, sizeof key, "%s:%s", domain, name);
  if (n < 0 || (size_t)n >= sizeof key) return NULL;
  for (; registry; registry = registry->parent) {
    const tern_op *op = tern_map_get(&registry->index, key);
    if (op) return op;
  }
  return NULL;
}

size_t tern_formal_count(const tern_formal *list) {
  size_t n = 0;
  while (list && list[n].name) ++n;
  return n;
}

int32_t tern_formal_required(const tern_formal *list) {
  int32_t required = 0;
  for (int32_t i = 0; list && list[i].name; ++i) {
    if (list[i].flags & TERN_FORMAL_VARIADIC)
      required = list[i].min_arity > 0 ? i + list[i].min_arity : required;
    else if (!(list[i].flags & TERN_FORMAL_OPTIONAL))
      required = i + 1;
  }
  return required;
}

int32_t tern_op_attr_count(const tern_op *op) {
  int32_t n = 0;
  while (op->attrs && op->attrs[n].name) ++n;
  return n;
}

int32_t tern_op_attr_index(const tern_op *op, const char *name) {
  for (int32_t i = 0; op->attrs && op->attrs[i].name; ++i) {
    if (strcmp(op->attrs[i].name, name) == 0) return i;
  }
  return -1;
}

const tern_formal *tern_formal_at(const tern_formal *list, int32_t index) {
  int32_t n = (int32_t)tern_formal_count(list);
  if (index < n) return &list[index];
  return n > 0 && (list[n - 1].flags & TERN_FORMAL_VARIADIC) ? &list[n - 1] : NULL;
}
