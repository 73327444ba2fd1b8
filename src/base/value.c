// Values: creation, reference counts, ownership of bytes, strings and items. A string is one
// allocation of the value's allocator; a half-built value can always be released.
#include "base/value.h"

#include <stdatomic.h>
#include <string.h>

#include "base/array.h"

static tern_status *value_new(tern_allocator *allocator, tern_kind kind, tern_dtype dtype,
                              tern_value **out_value) {
  tern_value *value;
  TERN_TRY(TERN_NEW(allocator, &value));
  atomic_init(&value->references, 1);
  value->kind = kind;
  value->dtype = dtype;
  value->allocator = allocator;
  *out_value = value;
  return NULL;
}

static tern_status *shape_bytes(tern_dtype dtype, const tern_shape *shape, size_t *out_bytes) {
  int64_t count;
  if (shape->rank > TERN_MAX_RANK)
    return TERN_ERROR(TERN_INVALID_ARGUMENT, "a tensor has at most %d dimensions, not %d",
                      TERN_MAX_RANK, shape->rank);
  if (!tern_shape_count(shape, &count) || !tern_dtype_bytes(dtype, count, out_bytes)) {
    char text[TERN_SHAPE_TEXT_BYTES];
    return TERN_ERROR(TERN_INVALID_ARGUMENT, "no tensor has elements of type %s and the shape %s",
                      tern_dtype_name(dtype), tern_shape_format(shape, text, sizeof text));
  }
  return NULL;
}

// Gives `value` memory of its own: zeroed for strings, uninitialised for the rest.
static tern_status *allocate_data(tern_value *value, size_t bytes) {
  if (value->dtype == TERN_STRING)
    TERN_TRY(tern_allocator_calloc(value->allocator, 1, bytes, &value->data));
  else
    TERN_TRY(tern_allocator_alloc(value->allocator, bytes, &value->data));
  value->data_bytes = bytes;
  value->owns_data = true;
  return NULL;
}

tern_status *tern_value_create_tensor(tern_allocator *allocator, tern_dtype dtype,
                                      const tern_shape *shape, tern_value **out_value) {
  size_t bytes;
  TERN_TRY(shape_bytes(dtype, shape, &bytes));
  tern_value *value;
  TERN_TRY(value_new(allocator, TERN_KIND_TENSOR, dtype, &value));
  tern_shape_copy(&value->shape, shape);
  tern_status *status = allocate_data(value, bytes);
  if (status) {
    tern_value_release(value);
    return status;
  }
  *out_value = value;
  return NULL;
}

tern_status *tern_value_wrap_tensor(tern_allocator *allocator, tern_dtype dtype,
                                    const tern_shape *shape, void *data, size_t data_bytes,
                                    tern_value **out_value) {
  size_t bytes;
  TERN_TRY(shape_bytes(dtype, shape, &bytes));
  if (data_bytes < bytes || (bytes > 0 && !data))
    return TERN_ERROR(TERN_INVALID_ARGUMENT, "the tensor needs %zu bytes, the buffer has %zu",
                      bytes, data ? data_bytes : 0);
  tern_value *value;
  TERN_TRY(value_new(allocator, TERN_KIND_TENSOR, dtype, &value));
  tern_shape_copy(&value->shape, shape);
  value->data = data;
  value->data_bytes = bytes;
  *out_value = value;
  return NULL;
}

void tern_value_init_tensor(tern_value *out_value, tern_dtype dtype, const tern_shape *shape,
                            void *data, size_t data_bytes) {
  // Field by field: clearing the whole struct would touch two shapes' worth of memory a step.
  atomic_init(&out_value->references, 0);
  out_value->kind = TERN_KIND_TENSOR;
  out_value->dtype = dtype;
  tern_shape_copy(&out_value->shape, shape);
  out_value->data = data;
  out_value->data_bytes = data_bytes;
  out_value->allocator = NULL;
  out_value->owns_data = false;
  out_value->is_misaligned = out_value->is_spent = false;
  out_value->deleter = NULL;
  out_value->deleter_context = NULL;
  out_value->items = NULL;
  out_value->item_count = out_value->item_capacity = 0;
  out_value->element_type.kind = TERN_KIND_NONE;
  out_value->inner_types = NULL;
  out_value->inner_type_count = 0;
  out_value->sparse_format = 0;
}

// Copies `type` and the line of types it contains into `value`.
static tern_status *copy_element_type(tern_value *value, const tern_type *type) {
  size_t count = 0;
  for (const tern_type *inner = type->element; inner; inner = inner->element) ++count;
  if (count > 0) {
    TERN_TRY(tern_allocator_calloc(value->allocator, count, sizeof *value->inner_types,
                                   (void **)&value->inner_types));
    value->inner_type_count = count;
  }
  tern_type *copy = &value->element_type;
  for (size_t i = 0;; ++i) {
    *copy = *type;
    copy->denotation = NULL;
    if (i == count) break;
    copy->element = &value->inner_types[i];
    copy = &value->inner_types[i];
    type = type->element;
  }
  return NULL;
}

tern_status *tern_value_create_container(tern_allocator *allocator, tern_kind kind,
                                         tern_dtype key_dtype, const tern_type *element_type,
                                         tern_value **out_value) {
  if (kind != TERN_KIND_SEQUENCE && kind != TERN_KIND_MAP && kind != TERN_KIND_OPTIONAL)
    return TERN_ERROR(TERN_INVALID_ARGUMENT, "only sequences, maps and optionals are containers");
  tern_value *value;
  TERN_TRY(
      value_new(allocator, kind, kind == TERN_KIND_MAP ? key_dtype : TERN_DTYPE_UNDEFINED, &value));
  tern_status *status = element_type ? copy_element_type(value, element_type) : NULL;
  if (status) {
    tern_value_release(value);
    return status;
  }
  *out_value = value;
  return NULL;
}

tern_status *tern_value_create_sparse(tern_allocator *allocator, tern_dtype dtype,
                                      const tern_shape *dense_shape, tern_value **out_value) {
  tern_value *value;
  TERN_TRY(value_new(allocator, TERN_KIND_SPARSE_TENSOR, dtype, &value));
  tern_shape_copy(&value->shape, dense_shape);
  *out_value = value;
  return NULL;
}

static size_t largest_item_count(tern_kind kind) {
  switch (kind) {
  case TERN_KIND_SEQUENCE:
  case TERN_KIND_SPARSE_TENSOR:
    return SIZE_MAX;
  case TERN_KIND_MAP:
    return 2;
  case TERN_KIND_OPTIONAL:
    return 1;
  default:
    return 0;
  }
}

tern_status *tern_value_append(tern_value *container, tern_value *item) {
  if (container->item_count >= largest_item_count(container->kind))
    return TERN_ERROR(TERN_INVALID_ARGUMENT, "the value holds no further item");
  if (item == container || atomic_load_explicit(&item->references, memory_order_relaxed) == 0)
    return TERN_ERROR(TERN_INVALID_ARGUMENT, "the item cannot be shared with a container");
  if (container->item_count == container->item_capacity)
    TERN_TRY(tern_array_grow(container->allocator, sizeof *container->items, container->item_count,
                             (void **)&container->items, &container->item_capacity));
  container->items[container->item_count++] = tern_value_retain(item);
  return NULL;
}

tern_value *tern_value_retain(tern_value *value) {
  // Values initialised in place count nothing.
  if (atomic_load_explicit(&value->references, memory_order_relaxed) > 0)
    atomic_fetch_add_explicit(&value->references, 1, memory_order_relaxed);
  return value;
}

static size_t string_count(const tern_value *value) {
  return value->dtype == TERN_STRING ? value->data_bytes / sizeof(tern_string) : 0;
}

static void free_data(tern_value *value) {
  if (value->owns_data) {
    tern_string *strings = value->data;
    for (size_t i = 0; i < string_count(value); ++i)
      tern_allocator_free(value->allocator, (void *)(uintptr_t)strings[i].data, strings[i].size);
    tern_allocator_free(value->allocator, value->data, value->data_bytes);
  } else if (value->deleter && value->data) {
    value->deleter(value->deleter_context, value->data);
  }
}

void tern_value_clear_sparse(tern_value *value) {
  free_data(value);
  value->data = NULL;
  value->data_bytes = 0;
  while (value->item_count > 0) tern_value_release(value->items[--value->item_count]);
  value->element_type = (tern_type){.kind = TERN_KIND_NONE};
  value->sparse_format = 0;
}

void tern_value_release(tern_value *value) {
  if (!value || atomic_load_explicit(&value->references, memory_order_relaxed) == 0) return;
  if (atomic_fetch_sub_explicit(&value->references, 1, memory_order_acq_rel) != 1) return;
  tern_allocator *allocator = value->allocator;
  for (size_t i = 0; i < value->item_count; ++i) tern_value_release(value->items[i]);
  tern_allocator_free(allocator, value->items, value->item_capacity * sizeof *value->items);
  tern_allocator_free(allocator, value->inner_types,
                      value->inner_type_count * sizeof *value->inner_types);
  free_data(value);
  TERN_DELETE(allocator, value);
}

int64_t tern_value_count(const tern_value *value) {
  return tern_shape_product(&value->shape, 0, value->shape.rank);
}

static tern_status *set_string(tern_value *value, tern_string *string, const char *text,
                               size_t size) {
  char *copy;
  TERN_TRY(tern_allocator_alloc(value->allocator, size, (void **)&copy));
  if (size > 0 && text) memcpy(copy, text, size);
  if (size > 0 && !text) memset(copy, 0, size);
  tern_allocator_free(value->allocator, (void *)(uintptr_t)string->data, string->size);
  *string = (tern_string){copy, size};
  return NULL;
}

tern_status *tern_value_set_string(tern_value *tensor, int64_t index, const char *text,
                                   size_t size) {
  if (tensor->dtype != TERN_STRING || !tensor->owns_data)
    return TERN_ERROR(TERN_INVALID_ARGUMENT, "the value owns no strings");
  if (index < 0 || (uint64_t)index >= string_count(tensor))
    return TERN_ERROR(TERN_INVALID_ARGUMENT, "string %lld of %zu", (long long)index,
                      string_count(tensor));
  return set_string(tensor, (tern_string *)tensor->data + index, text, size);
}

static tern_status *clone_data(tern_value *copy, const tern_value *value) {
  int64_t count;
  size_t bytes = value->data_bytes;
  // A wrapped buffer may be larger than its tensor.
  if (value->kind == TERN_KIND_TENSOR &&
      !(tern_shape_count(&value->shape, &count) && tern_dtype_bytes(value->dtype, count, &bytes)))
    return TERN_ERROR(TERN_FAIL, "the tensor's shape is not known");
  TERN_TRY(allocate_data(copy, bytes));
  const tern_string *strings = value->data;
  for (size_t i = 0; i < string_count(copy); ++i)
    TERN_TRY(set_string(copy, (tern_string *)copy->data + i, strings[i].data, strings[i].size));
  if (value->dtype != TERN_STRING && bytes > 0) memcpy(copy->data, value->data, bytes);
  return NULL;
}

static tern_status *clone_items(tern_value *copy, const tern_value *value) {
  for (size_t i = 0; i < value->item_count; ++i) {
    tern_value *item;
    TERN_TRY(tern_value_clone(copy->allocator, value->items[i], &item));
    tern_status *status = tern_value_append(copy, item);
    tern_value_release(item);
    TERN_TRY(status);
  }
  return NULL;
}

static tern_status *clone_into(tern_value *copy, const tern_value *value) {
  tern_shape_copy(&copy->shape, &value->shape);
  copy->sparse_format = value->sparse_format;
  if (value->element_type.kind != TERN_KIND_NONE)
    TERN_TRY(copy_element_type(copy, &value->element_type));
  if (value->data) TERN_TRY(clone_data(copy, value));
  return clone_items(copy, value);
}

tern_status *tern_value_clone(tern_allocator *allocator, const tern_value *value,
                              tern_value **out_value) {
  tern_value *copy;
  TERN_TRY(value_new(allocator, value->kind, value->dtype, &copy));
  tern_status *status = clone_into(copy, value);
  if (status) {
    tern_value_release(copy);
    return status;
  }
  *out_value = copy;
  return NULL;
}

tern_status *tern_value_align(tern_value *tensor) {
  if (!tensor->is_misaligned) return NULL;
  void *data;
  TERN_TRY(tern_allocator_alloc(tensor->allocator, tensor->data_bytes, &data));
  memcpy(data, tensor->data, tensor->data_bytes);
  tensor->data = data;
  tensor->owns_data = true;
  tensor->is_misaligned = false;
  return NULL;
}

void tern_value_spend(tern_value *tensor) {
  if (!tensor->data || tensor->deleter || tensor->dtype == TERN_STRING ||
      atomic_load_explicit(&tensor->references, memory_order_relaxed) != 1)
    return;
  if (tensor->owns_data) tern_allocator_free(tensor->allocator, tensor->data, tensor->data_bytes);
  tensor->data = NULL;
  tensor->owns_data = false;
  tensor->is_spent = true;
}

tern_status *tern_value_share(tern_allocator *allocator, const tern_value *value,
                              tern_value **out_value) {
  bool is_counted = atomic_load_explicit(&value->references, memory_order_relaxed) > 0;
  if (!is_counted || (value->kind == TERN_KIND_TENSOR && value->data && !value->owns_data))
    return tern_value_clone(allocator, value, out_value);
  *out_value = tern_value_retain((tern_value *)(uintptr_t)value);
  return NULL;
}

void tern_value_get_type(const tern_value *value, tern_type *out_type) {
  bool has_element =
      value->element_type.kind != TERN_KIND_NONE && value->kind != TERN_KIND_SPARSE_TENSOR;
  *out_type = (tern_type){.kind = value->kind,
                          .dtype = value->dtype,
                          .element = has_element ? &value->element_type : NULL};
  tern_shape_copy(&out_type->shape, &value->shape);
}

bool tern_type_admits(const tern_type *type, const tern_value *value) {
  if (type->kind == TERN_KIND_NONE) return true;
  if (type->kind == TERN_KIND_OPTIONAL && value->kind != TERN_KIND_OPTIONAL)
    return !type->element || tern_type_admits(type->element, value);
  if (type->kind != value->kind) return false;
  return type->kind != TERN_KIND_TENSOR || type->dtype == TERN_DTYPE_UNDEFINED ||
         type->dtype == value->dtype;
}
