// Sequences and maps: built from values, and taken apart into values.
#include "api/value.h"

#include <string.h>

OrtStatus *ort_GetValueCount(const OrtValue *value, size_t *out) {
  TERN_API_REQUIRE(value);
  TERN_API_REQUIRE(out);
  const tern_value *container = tern_api_value_view(value);
  if (container->kind == TERN_KIND_MAP) {
    *out = 2; // keys and values
    return NULL;
  }
  if (container->kind != TERN_KIND_SEQUENCE)
    return tern_api_status(
        TERN_ERROR(TERN_FAIL, "GetValueCount: the value is neither a sequence nor a map"));
  *out = container->item_count;
  return NULL;
}

// A copy whose elements lie in memory of `allocator`: the item stays unchanged whatever the caller
// does with what it got.
static tern_status *copy_tensor(const tern_value *tensor, OrtAllocator *allocator,
                                tern_value **out_value) {
  if (tensor->dtype == TERN_STRING)
    return tern_value_clone(tern_allocator_system(), tensor, out_value);
  TERN_TRY(tern_api_tensor_create(allocator, tensor->dtype, &tensor->shape, out_value));
  size_t bytes = (*out_value)->data_bytes;
  if (bytes > 0) memcpy((*out_value)->data, tensor->data, bytes);
  return NULL;
}

OrtStatus *ort_GetValue(const OrtValue *value, int index, OrtAllocator *allocator, OrtValue **out) {
  TERN_API_REQUIRE(value);
  TERN_API_REQUIRE(allocator);
  TERN_API_REQUIRE(out);
  const tern_value *container = tern_api_value_view(value);
  if (container->kind != TERN_KIND_SEQUENCE && container->kind != TERN_KIND_MAP)
    return tern_api_status(
        TERN_ERROR(TERN_FAIL, "GetValue: the value is neither a sequence nor a map"));
  if (index < 0 || (size_t)index >= container->item_count)
    return tern_api_status(TERN_ERROR(TERN_INVALID_ARGUMENT, "GetValue: item %d of %zu", index,
                                      container->item_count));
  tern_value *item = container->items[index];
  if (item->kind == TERN_KIND_OPTIONAL && item->item_count > 0) item = item->items[0];
  if (item->kind == TERN_KIND_TENSOR)
    TERN_API_TRY(copy_tensor(item, allocator, &item));
  else
    item = tern_value_retain(item);
  *out = tern_api_value(item);
  return NULL;
}

// ---- Creation.

// Keeps `item` beyond the call: shared where it owns its contents, otherwise copied.
static tern_status *append(tern_value *container, const tern_value *item) {
  tern_value *shared;
  TERN_TRY(tern_value_share(tern_allocator_system(), item, &shared));
  tern_status *status = tern_value_append(container, shared);
  tern_value_release(shared);
  return status;
}

static tern_status *create(tern_kind kind, tern_dtype key_dtype, const tern_type *element,
                           const OrtValue *const *items, size_t count, tern_value **out_value) {
  tern_value *container;
  TERN_TRY(
      tern_value_create_container(tern_allocator_system(), kind, key_dtype, element, &container));
  for (size_t i = 0; i < count; ++i) {
    tern_status *status = append(container, tern_api_value_view(items[i]));
    if (!status) continue;
    tern_value_release(container);
    return status;
  }
  *out_value = container;
  return NULL;
}

static tern_status *create_sequence(const OrtValue *const *items, size_t count,
                                    tern_value **out_value) {
  tern_type first, other;
  tern_value_get_type(tern_api_value_view(items[0]), &first);
  if (first.kind == TERN_KIND_NONE || first.kind == TERN_KIND_SPARSE_TENSOR)
    return TERN_ERROR(TERN_INVALID_ARGUMENT, "a sequence holds tensors, maps or sequences");
  for (size_t i = 1; i < count; ++i) {
    tern_value_get_type(tern_api_value_view(items[i]), &other);
    char a[TERN_TYPE_TEXT_BYTES], b[TERN_TYPE_TEXT_BYTES];
    if (!tern_type_same_kind(&first, &other))
      return TERN_ERROR(
          TERN_INVALID_ARGUMENT, "the items of a sequence have one type: item 0 is %s, item %zu %s",
          tern_type_format(&first, a, sizeof a), i, tern_type_format(&other, b, sizeof b));
  }
  first.shape.rank = TERN_RANK_UNKNOWN; // items have shapes of their own
  return create(TERN_KIND_SEQUENCE, TERN_DTYPE_UNDEFINED, &first, items, count, out_value);
}

static tern_status *create_map(const OrtValue *const *items, size_t count, tern_value **out_value) {
  if (count != 2)
    return TERN_ERROR(TERN_INVALID_ARGUMENT,
                      "a map is made of two values, its keys and its values");
  const tern_value *keys = tern_api_value_view(items[0]), *values = tern_api_value_view(items[1]);
  if (keys->kind != TERN_KIND_TENSOR || values->kind != TERN_KIND_TENSOR)
    return TERN_ERROR(TERN_INVALID_ARGUMENT,
                      "a map is made of two tensors, its keys and its values");
  int class = tern_dtype_get_info(keys->dtype)->class;
  if (class != TERN_CLASS_I && class != TERN_CLASS_U && class != TERN_CLASS_S)
    return TERN_ERROR(TERN_INVALID_ARGUMENT, "the keys of a map are integers or strings, not %s",
                      tern_dtype_name(keys->dtype));
  if (keys->shape.rank != 1 || tern_value_count(keys) != tern_value_count(values))
    return TERN_ERROR(TERN_INVALID_ARGUMENT,
                      "the keys of a map are a vector, and as many as its values");
  tern_type element = tern_type_tensor(values->dtype);
  element.shape.rank = 0;
  return create(TERN_KIND_MAP, keys->dtype, &element, items, count, out_value);
}

OrtStatus *ort_CreateValue(const OrtValue *const *in, size_t num_values, enum ONNXType value_type,
                           OrtValue **out) {
  TERN_API_REQUIRE(in);
  TERN_API_REQUIRE(out);
  if (num_values == 0)
    return tern_api_status(TERN_ERROR(TERN_INVALID_ARGUMENT,
                                      "CreateValue: the type of a container without items is not "
                                      "known"));
  for (size_t i = 0; i < num_values; ++i)
    if (!in[i])
      return tern_api_status(
          TERN_ERROR(TERN_INVALID_ARGUMENT, "CreateValue: value %zu is NULL", i));
  tern_value *value;
  if (value_type == ONNX_TYPE_SEQUENCE)
    TERN_API_TRY(create_sequence(in, num_values, &value));
  else if (value_type == ONNX_TYPE_MAP)
    TERN_API_TRY(create_map(in, num_values, &value));
  else
    return tern_api_status(TERN_ERROR(TERN_INVALID_ARGUMENT,
                                      "CreateValue makes sequences and maps, not kind %d",
                                      (int)value_type));
  *out = tern_api_value(value);
  return NULL;
}
