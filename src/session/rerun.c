// Keeping inputs as they were.
#include "session/rerun.h"

#include <string.h>

static bool share_memory(const tern_value *a, const tern_value *b) {
  if (a == b) return true;
  if (!a->data || !b->data) return false;
  const char *left = a->data, *right = b->data;
  return left < right + b->data_bytes && right < left + a->data_bytes;
}

static bool is_over_an_input(const tern_value *const *inputs, size_t count,
                             const tern_value *output) {
  for (size_t i = 0; output && i < count; ++i)
    if (inputs[i] && share_memory(inputs[i], output)) return true;
  return false;
}

tern_status *tern_rerun_begin(tern_allocator *allocator, const tern_value *const *inputs,
                              size_t input_count, tern_value **given, size_t output_count,
                              tern_rerun *out_rerun) {
  *out_rerun = (tern_rerun){allocator, given, given, output_count};
  bool shares = false;
  for (size_t i = 0; i < output_count; ++i)
    shares |= is_over_an_input(inputs, input_count, given[i]);
  if (!shares) return NULL;
  TERN_TRY(
      tern_allocator_calloc(allocator, output_count, sizeof *given, (void **)&out_rerun->outputs));
  for (size_t i = 0; i < output_count; ++i)
    out_rerun->outputs[i] = is_over_an_input(inputs, input_count, given[i]) ? NULL : given[i];
  return NULL;
}

static tern_status *fill(tern_value *to, const tern_value *from) {
  if (from->kind != TERN_KIND_TENSOR || to->kind != TERN_KIND_TENSOR || from->dtype != to->dtype ||
      !tern_shape_equal(&from->shape, &to->shape)) {
    char a[TERN_SHAPE_TEXT_BYTES], b[TERN_SHAPE_TEXT_BYTES];
    return TERN_ERROR(TERN_INVALID_ARGUMENT,
                      "the caller's memory for an output is %s%s, the result is %s%s",
                      tern_dtype_name(to->dtype), tern_shape_format(&to->shape, a, sizeof a),
                      tern_dtype_name(from->dtype), tern_shape_format(&from->shape, b, sizeof b));
  }
  if (from->dtype != TERN_STRING) {
    if (from->data_bytes) memcpy(to->data, from->data, from->data_bytes);
    return NULL;
  }
  const tern_string *strings = from->data;
  for (int64_t i = 0; i < tern_value_count(from); ++i)
    TERN_TRY(tern_value_set_string(to, i, strings[i].data, strings[i].size));
  return NULL;
}

tern_status *tern_rerun_end(tern_rerun *rerun, tern_status *status) {
  if (rerun->outputs == rerun->given) return status;
  for (size_t i = 0; i < rerun->count && !status; ++i) {
    if (rerun->given[i] && rerun->outputs[i] != rerun->given[i])
      status = fill(rerun->given[i], rerun->outputs[i]);
  }
  for (size_t i = 0; i < rerun->count; ++i) {
    if (rerun->outputs[i] == rerun->given[i]) continue;
    if (!rerun->given[i] && !status)
      rerun->given[i] = rerun->outputs[i];
    else
      tern_value_release(rerun->outputs[i]);
  }
  tern_allocator_free(rerun->allocator, rerun->outputs, rerun->count * sizeof *rerun->outputs);
  return status;
}
