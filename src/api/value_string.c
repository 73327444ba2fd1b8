// Tensors of strings: filled and read through copies, because their elements are objects of this
// library. Sizes are in bytes, without terminators.
#include <string.h>

#include "api/value.h"

tern_status *tern_api_value_require_strings(const OrtValue *value, const char *where) {
  TERN_TRY(tern_api_value_require_tensor(value, where));
  tern_dtype dtype = tern_api_value_view(value)->dtype;
  return dtype == TERN_STRING
             ? NULL
             : TERN_ERROR(TERN_INVALID_ARGUMENT, "%s: the tensor's elements are %s, not strings",
                          where, tern_dtype_name(dtype));
}

static size_t count_of(const OrtValue *value) {
  return (size_t)tern_value_count(tern_api_value_view(value));
}

// Element `index` of a tensor of strings.
static tern_status *find(const OrtValue *value, size_t index, const char *where,
                         const tern_string **out_string) {
  TERN_TRY(tern_api_value_require_strings(value, where));
  if (index >= count_of(value))
    return TERN_ERROR(TERN_INVALID_ARGUMENT, "%s: element %zu of %zu", where, index,
                      count_of(value));
  *out_string = (const tern_string *)tern_api_value_view(value)->data + index;
  return NULL;
}

static size_t total_bytes(const OrtValue *value) {
  const tern_string *strings = tern_api_value_view(value)->data;
  size_t total = 0;
  for (size_t i = 0; i < count_of(value); ++i) total += strings[i].size;
  return total;
}

OrtStatus *ort_FillStringTensor(OrtValue *value, const char *const *s, size_t s_len) {
  TERN_API_REQUIRE(value);
  if (s_len > 0) TERN_API_REQUIRE(s);
  TERN_API_TRY(tern_api_value_require_strings(value, "FillStringTensor"));
  if (s_len != count_of(value))
    return tern_api_status(TERN_ERROR(TERN_FAIL,
                                      "FillStringTensor: %zu strings for a tensor of %zu elements",
                                      s_len, count_of(value)));
  for (size_t i = 0; i < s_len; ++i)
    if (!s[i])
      return tern_api_status(
          TERN_ERROR(TERN_INVALID_ARGUMENT, "FillStringTensor: string %zu is NULL", i));
  for (size_t i = 0; i < s_len; ++i)
    TERN_API_TRY(tern_value_set_string(tern_api_value_get(value), (int64_t)i, s[i], strlen(s[i])));
  return NULL;
}

OrtStatus *ort_FillStringTensorElement(OrtValue *value, const char *s, size_t index) {
  TERN_API_REQUIRE(value);
  TERN_API_REQUIRE(s);
  const tern_string *string;
  TERN_API_TRY(find(value, index, "FillStringTensorElement", &string));
  return tern_api_status(
      tern_value_set_string(tern_api_value_get(value), (int64_t)index, s, strlen(s)));
}

OrtStatus *ort_GetResizedStringTensorElementBuffer(OrtValue *value, size_t index,
                                                   size_t length_in_bytes, char **buffer) {
  TERN_API_REQUIRE(value);
  TERN_API_REQUIRE(buffer);
  const tern_string *string;
  TERN_API_TRY(find(value, index, "GetResizedStringTensorElementBuffer", &string));
  TERN_API_TRY(
      tern_value_set_string(tern_api_value_get(value), (int64_t)index, NULL, length_in_bytes));
  *buffer = (char *)(uintptr_t)string->data;
  return NULL;
}

OrtStatus *ort_GetStringTensorDataLength(const OrtValue *value, size_t *len) {
  TERN_API_REQUIRE(value);
  TERN_API_REQUIRE(len);
  TERN_API_TRY(tern_api_value_require_strings(value, "GetStringTensorDataLength"));
  *len = total_bytes(value);
  return NULL;
}

OrtStatus *ort_GetStringTensorContent(const OrtValue *value, void *s, size_t s_len, size_t *offsets,
                                      size_t offsets_len) {
  TERN_API_REQUIRE(value);
  TERN_API_TRY(tern_api_value_require_strings(value, "GetStringTensorContent"));
  size_t count = count_of(value), total = total_bytes(value), at = 0;
  if (offsets_len != count)
    return tern_api_status(TERN_ERROR(TERN_FAIL,
                                      "GetStringTensorContent: %zu offsets for a tensor of %zu "
                                      "elements",
                                      offsets_len, count));
  if (s_len < total)
    return tern_api_status(
        TERN_ERROR(TERN_FAIL, "GetStringTensorContent: the buffer has %zu bytes, %zu are needed",
                   s_len, total));
  if (total > 0) TERN_API_REQUIRE(s);
  if (count > 0) TERN_API_REQUIRE(offsets);
  const tern_string *strings = tern_api_value_view(value)->data;
  for (size_t i = 0; i < count; ++i) {
    if (strings[i].size > 0) memcpy((char *)s + at, strings[i].data, strings[i].size);
    offsets[i] = at;
    at += strings[i].size;
  }
  return NULL;
}

OrtStatus *ort_GetStringTensorElementLength(const OrtValue *value, size_t index, size_t *out) {
  TERN_API_REQUIRE(value);
  TERN_API_REQUIRE(out);
  const tern_string *string;
  TERN_API_TRY(find(value, index, "GetStringTensorElementLength", &string));
  *out = string->size;
  return NULL;
}

OrtStatus *ort_GetStringTensorElement(const OrtValue *value, size_t s_len, size_t index, void *s) {
  TERN_API_REQUIRE(value);
  const tern_string *string;
  TERN_API_TRY(find(value, index, "GetStringTensorElement", &string));
  if (s_len < string->size)
    return tern_api_status(
        TERN_ERROR(TERN_FAIL, "GetStringTensorElement: the buffer has %zu bytes, %zu are needed",
                   s_len, string->size));
  if (string->size > 0) {
    TERN_API_REQUIRE(s);
    memcpy(s, string->data, string->size);
  }
  return NULL;
}
