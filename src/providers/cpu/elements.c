// Tensors of any element type as arrays of whole units.
#include "providers/cpu/elements.h"

#include <string.h>

#include "compute/packed.h"

static size_t unit_bytes(tern_dtype dtype) {
  return tern_dtype_is_sub_byte(dtype) ? 1 : tern_dtype_size(dtype);
}

static unsigned element_bits(const tern_value *value) {
  return tern_dtype_get_info(value->dtype)->bits;
}

tern_status *tern_cpu_source_open(tern_invocation *invocation, const tern_value *value,
                                  tern_cpu_source *out_source) {
  tern_cpu_source source = {value->data, unit_bytes(value->dtype), tern_value_count(value)};
  if (tern_dtype_is_sub_byte(value->dtype)) {
    void *codes;
    TERN_TRY(tern_invocation_scratch(invocation, (size_t)source.count, &codes));
    tern_packed_unpack(element_bits(value), value->data, source.count, codes);
    source.data = codes;
  }
  *out_source = source;
  return NULL;
}

tern_status *tern_cpu_target_open(tern_invocation *invocation, tern_value *value,
                                  tern_cpu_target *out_target) {
  tern_cpu_target target = {value->data, unit_bytes(value->dtype), tern_value_count(value), value};
  if (tern_dtype_is_sub_byte(value->dtype) || value->dtype == TERN_STRING) {
    void *units;
    TERN_TRY(tern_invocation_scratch(invocation, (size_t)target.count * target.unit_bytes, &units));
    target.data = units;
  }
  *out_target = target;
  return NULL;
}

static tern_status *copy_strings(const void *units, tern_value *value) {
  const tern_string *strings = units;
  int64_t count = tern_value_count(value);
  for (int64_t i = 0; i < count; ++i)
    TERN_TRY(tern_value_set_string(value, i, strings[i].data, strings[i].size));
  return NULL;
}

tern_status *tern_cpu_target_close(tern_cpu_target *target) {
  tern_value *value = target->value;
  if (value->dtype == TERN_STRING) return copy_strings(target->data, value);
  if (tern_dtype_is_sub_byte(value->dtype))
    tern_packed_pack(element_bits(value), target->data, target->count, value->data);
  return NULL;
}

tern_status *tern_cpu_target_open_copy(tern_invocation *invocation, const tern_value *input,
                                       tern_value *value, tern_cpu_target *out_target) {
  tern_cpu_source source;
  TERN_TRY(tern_cpu_source_open(invocation, input, &source));
  TERN_TRY(tern_cpu_target_open(invocation, value, out_target));
  if (source.count > 0 && source.data != out_target->data)
    memcpy(out_target->data, source.data, (size_t)source.count * source.unit_bytes);
  return NULL;
}

tern_status *tern_cpu_copy_elements(const tern_value *input, tern_value *output) {
  size_t bytes;
  if (input->data == output->data) return NULL;
  if (input->dtype == TERN_STRING) return copy_strings(input->data, output);
  if (!tern_dtype_bytes(input->dtype, tern_value_count(input), &bytes))
    return TERN_ERROR(TERN_INVALID_ARGUMENT, "the input is too large");
  if (bytes > 0) memmove(output->data, input->data, bytes);
  return NULL;
}

tern_status *tern_cpu_read_i64s(tern_invocation *invocation, const tern_value *value,
                                int64_t **out_items) {
  int64_t count = tern_value_count(value);
  void *items;
  TERN_TRY(tern_invocation_scratch(invocation, (size_t)count * sizeof(int64_t), &items));
  int64_t *numbers = items;
  if (value->dtype == TERN_INT64) {
    if (count > 0) memcpy(numbers, value->data, (size_t)count * sizeof *numbers);
  } else {
    for (int64_t i = 0; i < count; ++i)
      numbers[i] = tern_dtype_read_i64(value->dtype, value->data, i);
  }
  *out_items = numbers;
  return NULL;
}
