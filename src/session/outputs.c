// Values that leave a run.
#include "session/outputs.h"

#include <stdatomic.h>
#include <string.h>

static bool is_main(const tern_execution *e) {
  return !e->around;
}

// The caller's tensor for output `index`; NULL without.
static tern_value *callers(const tern_execution *e, int32_t index) {
  return is_main(e) ? e->given[index] : NULL;
}

static tern_status *check_given(const tern_value *given, tern_dtype dtype,
                                const tern_shape *shape) {
  if (given->kind == TERN_KIND_TENSOR && given->dtype == dtype &&
      tern_shape_equal(&given->shape, shape))
    return NULL;
  char a[TERN_SHAPE_TEXT_BYTES], b[TERN_SHAPE_TEXT_BYTES];
  return TERN_ERROR(TERN_INVALID_ARGUMENT,
                    "the caller's memory for an output is %s%s, the result is %s%s",
                    tern_dtype_name(given->dtype), tern_shape_format(&given->shape, a, sizeof a),
                    tern_dtype_name(dtype), tern_shape_format(shape, b, sizeof b));
}

// Whether the caller's tensor shares memory with an input. Then it is written when all is read.
static bool is_read_too(const tern_execution *e, const tern_value *given) {
  const char *begin = given->data, *end = begin + given->data_bytes;
  for (int32_t i = 0; i < e->program->input_count; ++i) {
    const char *data = e->inputs[i]->data;
    if (data && data < end && begin < data + e->inputs[i]->data_bytes) return true;
  }
  return false;
}

// Takes the memory of an output of an earlier run, where it fits.
static tern_value *use_again(tern_execution *e, int32_t index, tern_dtype dtype,
                             const tern_shape *shape) {
  tern_value *old = is_main(e) ? NULL : e->given[index];
  int64_t count;
  size_t bytes;
  if (!old || old->kind != TERN_KIND_TENSOR || old->dtype != dtype || !old->owns_data ||
      dtype == TERN_STRING || atomic_load_explicit(&old->references, memory_order_relaxed) != 1)
    return NULL;
  if (!tern_shape_count(shape, &count) || !tern_dtype_bytes(dtype, count, &bytes) ||
      bytes != old->data_bytes)
    return NULL;
  tern_shape_copy(&old->shape, shape);
  e->given[index] = NULL;
  return old;
}

// A tensor for output `index` of the program, a new reference.
static tern_status *make_leaving(tern_execution *e, int32_t index, tern_dtype dtype,
                                 const tern_shape *shape, tern_value **out_value) {
  tern_value *given = callers(e, index);
  if (given) TERN_TRY(check_given(given, dtype, shape));
  if (given && !is_read_too(e, given)) {
    *out_value = tern_value_retain(given);
    return NULL;
  }
  tern_value *again = use_again(e, index, dtype, shape);
  if (again) {
    *out_value = again;
    return NULL;
  }
  return tern_value_create_tensor(e->run->allocator, dtype, shape, out_value);
}

static tern_status *make_tensor(tern_execution *e, int32_t slot, tern_dtype dtype,
                                const tern_shape *shape, tern_value **out_value) {
  int32_t index = e->program->slots[slot].output;
  if (index >= 0) return make_leaving(e, index, dtype, shape, out_value);
  if (e->program->slots[slot].space)
    return tern_lane_create_tensor(tern_execution_lane(e), e->run->allocator, dtype, shape,
                                   out_value);
  return tern_value_create_tensor(e->run->allocator, dtype, shape, out_value);
}

tern_status *tern_outputs_make(void *self, int32_t output, tern_dtype dtype,
                               const tern_shape *shape, tern_value **out_value) {
  tern_execution *e = self;
  return make_tensor(e, e->step->outputs[output], dtype, shape, out_value);
}

// The slot lives in the memory of an output, which the first that does makes.
static tern_status *bind_to_output(tern_execution *e, int32_t slot) {
  tern_frame *frame = e->frame;
  int32_t index = frame->slots[frame->slots[slot].buffer].output;
  int32_t leaving = e->program->outputs[index];
  if (!frame->made[index]) {
    const tern_value *header = &frame->headers[leaving];
    TERN_TRY(make_leaving(e, index, header->dtype, &header->shape, &frame->made[index]));
  }
  frame->headers[slot].data = frame->made[index]->data;
  frame->values[slot] = slot == leaving ? frame->made[index] : &frame->headers[slot];
  return NULL;
}

static tern_status *bind(tern_execution *e, int32_t slot) {
  tern_frame *frame = e->frame;
  const tern_slot_state *state = &frame->slots[slot];
  tern_value *header = &frame->headers[slot];
  if (state->place == TERN_PLACE_OUTPUT) return bind_to_output(e, slot);
  if (state->place == TERN_PLACE_VIEW) {
    header->data = frame->values[state->buffer]->data;
    frame->values[slot] = header;
  } else if (state->place == TERN_PLACE_RUN && !state->is_made) {
    return make_tensor(e, slot, header->dtype, &header->shape, &frame->values[slot]);
  }
  return NULL;
}

tern_status *tern_outputs_bind(tern_execution *e) {
  const tern_node *node = e->step->node;
  for (int32_t i = 0; i < node->output_count; ++i) {
    if (e->step->outputs[i] < 0) continue;
    tern_status *status = bind(e, e->step->outputs[i]);
    if (!status) continue;
    char where[TERN_NODE_TEXT_BYTES];
    return tern_status_annotate(status, "%s", tern_node_describe(node, where, sizeof where));
  }
  return NULL;
}

static tern_status *copy_into(const tern_value *value, tern_value *given) {
  if (value->kind != TERN_KIND_TENSOR)
    return TERN_ERROR(TERN_INVALID_ARGUMENT,
                      "the caller's memory is for a tensor, the result is none");
  TERN_TRY(check_given(given, value->dtype, &value->shape));
  if (value->dtype != TERN_STRING) {
    if (value->data_bytes) memcpy(given->data, value->data, value->data_bytes);
    return NULL;
  }
  const tern_string *strings = value->data;
  for (int64_t i = 0; i < tern_value_count(value); ++i)
    TERN_TRY(tern_value_set_string(given, i, strings[i].data, strings[i].size));
  return NULL;
}

// Whether output `index` is the first that gives `value` out, which the run has made for nobody
// else.
static bool is_first_holder(const tern_execution *e, int32_t index, const tern_value *value) {
  for (int32_t i = 0; i < e->program->output_count; ++i) {
    if (callers(e, i) == value) return false;
    if (i < index && e->program->outputs[i] == e->program->outputs[index]) return false;
  }
  return true;
}

// Puts a reference for output `index` into frame->made, or fills the caller's tensor. What the run
// has made is handed over; anything else is shared inside a run and copied out of it, because the
// caller may write to what it gets.
static tern_status *take(tern_execution *e, int32_t index) {
  tern_frame *frame = e->frame;
  int32_t slot = e->program->outputs[index];
  tern_value *value = frame->values[slot], *given = callers(e, index);
  if (given) return value == given ? NULL : copy_into(value, given);
  if (frame->made[index]) return NULL;
  uint8_t place = frame->slots[slot].place;
  bool is_own = place == TERN_PLACE_RUN || place == TERN_PLACE_OUTPUT;
  if (is_own && (!is_main(e) || is_first_holder(e, index, value))) {
    frame->made[index] = tern_value_retain(value);
    return NULL;
  }
  return is_main(e) ? tern_value_clone(e->run->allocator, value, &frame->made[index])
                    : tern_value_share(e->run->allocator, value, &frame->made[index]);
}

tern_status *tern_outputs_take(tern_execution *e, tern_value **inout_outputs) {
  tern_frame *frame = e->frame;
  for (int32_t i = 0; i < e->program->output_count; ++i) TERN_TRY(take(e, i));
  for (int32_t i = 0; i < e->program->output_count; ++i) {
    if (callers(e, i)) continue;
    tern_value_release(inout_outputs[i]);
    inout_outputs[i] = frame->made[i];
    frame->made[i] = NULL;
  }
  return NULL;
}
