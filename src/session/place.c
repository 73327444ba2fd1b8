// Placement.
#include "session/place.h"

#include <string.h>

static bool is_tensor_of_bytes(const tern_value *value) {
  return value->kind == TERN_KIND_TENSOR && value->dtype != TERN_STRING;
}

// Whether the slot may live in buffer `buffer`. An output may where its own memory can become the
// buffer's: that of a buffer of this segment that is no other output's.
static bool may_join(const tern_frame *frame, int32_t begin, int32_t slot, int32_t buffer) {
  if (frame->program->slots[slot].output < 0) return true;
  return frame->program->slots[buffer].first >= begin && frame->slots[buffer].output < 0;
}

static void join(tern_frame *frame, int32_t slot, int32_t buffer) {
  tern_slot_state *state = &frame->slots[slot], *founder = &frame->slots[buffer];
  const tern_slot *of_program = &frame->program->slots[slot];
  state->place = TERN_PLACE_BUFFER;
  state->buffer = buffer;
  if (founder->last < of_program->last) founder->last = of_program->last;
  if (of_program->output >= 0) founder->output = of_program->output;
}

// Output 0 of a view operator: the bytes of its input.
static bool place_view(tern_frame *frame, const tern_step *step, int32_t begin, int32_t slot) {
  int32_t source = step->inputs[0];
  if (!(step->op_flags & TERN_OP_VIEW) || source < 0) return false;
  const tern_slot_state *viewed = &frame->slots[source];
  if (frame->program->slots[source].space || frame->program->slots[slot].space) return false;
  bool is_constant = frame->program->slots[source].role == TERN_SLOT_CONSTANT;
  if (!is_constant && frame->typed[source] != TERN_TYPED_HEADER) return false;
  if (!is_tensor_of_bytes(is_constant ? frame->values[source] : &frame->headers[source]))
    return false;
  switch ((tern_place)viewed->place) {
  case TERN_PLACE_BUFFER:
  case TERN_PLACE_OUTPUT:
    if (!may_join(frame, begin, slot, viewed->buffer)) return false;
    join(frame, slot, viewed->buffer);
    frame->slots[slot].place = viewed->place;
    return true;
  case TERN_PLACE_GIVEN:
  case TERN_PLACE_VIEW:
  case TERN_PLACE_RUN:
    if (frame->program->slots[slot].output >= 0) return false;
    frame->slots[slot].place = TERN_PLACE_VIEW;
    frame->slots[slot].buffer = viewed->place == TERN_PLACE_VIEW ? viewed->buffer : source;
    return true;
  default:
    return false;
  }
}

static int32_t buffer_of(const tern_frame *frame, int32_t slot) {
  return frame->slots[slot].place == TERN_PLACE_BUFFER ? frame->slots[slot].buffer : -1;
}

// Whether the step also reads buffer `buffer` through another slot than `source`, a view of it, or
// as an input that it may not overwrite.
static bool reads_otherwise(const tern_frame *frame, const tern_step *step, int32_t source,
                            int32_t buffer) {
  for (int32_t i = 0; i < step->input_count; ++i) {
    int32_t slot = step->inputs[i];
    if (slot < 0 || buffer_of(frame, slot) != buffer) continue;
    if (slot != source || !tern_op_input_bit(step->inplace_inputs, i)) return true;
  }
  return false;
}

// Output 0 over an input that ends here, has the same size and type, and that the operator may
// overwrite.
static bool place_over_input(tern_frame *frame, const tern_step *step, int32_t index, int32_t begin,
                             int32_t slot) {
  const tern_value *made = &frame->headers[slot];
  for (int32_t i = 0; i < step->input_count && i < 32; ++i) {
    int32_t source = step->inputs[i];
    if (source < 0 || !((step->inplace_inputs >> i) & 1u)) continue;
    int32_t buffer = buffer_of(frame, source);
    if (buffer < 0 || frame->slots[buffer].last != index) continue;
    const tern_value *over = &frame->headers[source];
    if (over->data_bytes != made->data_bytes ||
        frame->headers[buffer].data_bytes != made->data_bytes ||
        tern_dtype_size(over->dtype) != tern_dtype_size(made->dtype) ||
        !tern_shape_equal(&over->shape, &made->shape))
      continue;
    if (reads_otherwise(frame, step, source, buffer) || !may_join(frame, begin, slot, buffer))
      continue;
    join(frame, slot, buffer);
    return true;
  }
  return false;
}

static void place_output(tern_frame *frame, const tern_step *step, int32_t index, int32_t begin,
                         int32_t output) {
  int32_t slot = step->outputs[output];
  tern_slot_state *state = &frame->slots[slot];
  state->buffer = state->output = -1;
  state->is_taken = false;
  state->place = TERN_PLACE_RUN;
  frame->values[slot] = NULL;
  if (state->is_made || frame->headers[slot].dtype == TERN_STRING) return;
  if (frame->program->slots[slot].space) return; // the slab and the heap are the host's
  if (output == 0 && place_view(frame, step, begin, slot)) return;
  if (output == 0 && place_over_input(frame, step, index, begin, slot)) return;
  state->last = -1;
  join(frame, slot, slot);
}

// Shares out buffers, and says which of them have the memory of an output.
static void share_buffers(tern_frame *frame, int32_t begin, int32_t end) {
  const tern_program *program = frame->program;
  for (int32_t i = begin; i < end; ++i) {
    const tern_step *step = &program->steps[i];
    if (frame->steps[i].flags & TERN_STEP_SKIPPED) continue;
    for (int32_t k = 0; k < step->output_count; ++k)
      if (step->outputs[k] >= 0) place_output(frame, step, i, begin, k);
  }
  for (int32_t i = begin; i < end; ++i) {
    const tern_step *step = &program->steps[i];
    uint8_t *flags = &frame->steps[i].flags;
    *flags &= (uint8_t)~TERN_STEP_BINDS;
    if (*flags & TERN_STEP_SKIPPED) continue;
    for (int32_t k = 0; k < step->output_count; ++k) {
      if (step->outputs[k] < 0) continue;
      tern_slot_state *state = &frame->slots[step->outputs[k]];
      if (state->place == TERN_PLACE_BUFFER && frame->slots[state->buffer].output >= 0)
        state->place = TERN_PLACE_OUTPUT;
      if (state->place != TERN_PLACE_BUFFER) *flags |= TERN_STEP_BINDS;
    }
  }
}

// Whether the slot founds a buffer of the slab or the heap.
static bool founds(const tern_frame *frame, int32_t slot) {
  return slot >= 0 && frame->slots[slot].place == TERN_PLACE_BUFFER &&
         frame->slots[slot].buffer == slot;
}

// Gives the slots of a step that live in buffers founded before, or just now, their memory.
static void point_outputs(tern_frame *frame, const tern_step *step) {
  for (int32_t k = 0; k < step->output_count; ++k) {
    int32_t slot = step->outputs[k];
    if (slot < 0 || frame->slots[slot].place != TERN_PLACE_BUFFER) continue;
    frame->headers[slot].data = frame->headers[frame->slots[slot].buffer].data;
    frame->values[slot] = &frame->headers[slot];
  }
}

tern_status *tern_place_first(tern_frame *frame, int32_t end) {
  const tern_program *program = frame->program;
  size_t count = 0, total = 0;
  share_buffers(frame, 0, end);
  for (int32_t s = 0; s < program->slot_count; ++s) {
    if (program->slots[s].role != TERN_SLOT_STEP || program->slots[s].first >= end) continue;
    if (founds(frame, s))
      frame->usages[count++] = (tern_buffer_usage){.bytes = frame->headers[s].data_bytes,
                                                   .first = program->slots[s].first,
                                                   .last = frame->slots[s].last};
  }
  TERN_TRY(tern_memory_plan(frame->usages, count, &total));
  TERN_TRY(tern_frame_reserve(frame, total));
  frame->plan_slab_bytes = total;
  count = 0;
  for (int32_t s = 0; s < program->slot_count; ++s) {
    if (program->slots[s].role != TERN_SLOT_STEP || program->slots[s].first >= end) continue;
    if (!founds(frame, s)) continue;
    bool is_empty = frame->headers[s].data_bytes == 0;
    frame->headers[s].data = is_empty ? NULL : frame->slab + frame->usages[count].offset;
    frame->slots[s].is_taken = !is_empty;
    count++;
  }
  tern_place_point(frame, end);
  return NULL;
}

void tern_place_point(tern_frame *frame, int32_t end) {
  for (int32_t i = 0; i < end; ++i) {
    if (!(frame->steps[i].flags & TERN_STEP_SKIPPED))
      point_outputs(frame, &frame->program->steps[i]);
  }
  frame->slab_id = ++frame->next_id;
}

// How long the buffers founded before step `begin` are needed, but for what joins them later.
static void find_lasts(tern_frame *frame, int32_t begin) {
  const tern_program *program = frame->program;
  for (int32_t i = 0; i < begin; ++i) {
    const tern_step *step = &program->steps[i];
    for (int32_t k = 0; k < step->output_count; ++k) {
      int32_t slot = step->outputs[k], buffer = slot < 0 ? -1 : buffer_of(frame, slot);
      if (buffer < 0) continue;
      tern_slot_state *founder = &frame->slots[buffer];
      if (buffer == slot || founder->last < program->slots[slot].last)
        founder->last = program->slots[slot].last;
    }
  }
}

// The heap as it is when step `begin` is reached: what is still needed is taken.
static tern_status *reset_heap(tern_frame *frame, int32_t begin) {
  const tern_program *program = frame->program;
  size_t count = 0;
  find_lasts(frame, begin);
  for (int32_t s = 0; s < program->slot_count; ++s) {
    if (program->slots[s].role != TERN_SLOT_STEP || program->slots[s].first >= begin) continue;
    if (!founds(frame, s)) continue;
    const tern_value *header = &frame->headers[s];
    tern_slot_state *state = &frame->slots[s];
    state->is_taken = header->data_bytes > 0 && state->last >= begin;
    if (state->is_taken)
      frame->pieces[count++] = (tern_heap_piece){header->data, header->data_bytes};
  }
  return tern_heap_reset(&frame->heap, frame->slab, frame->slab_bytes, frame->pieces, count);
}

static tern_status *take_outputs(tern_frame *frame, const tern_step *step) {
  for (int32_t k = 0; k < step->output_count; ++k) {
    int32_t slot = step->outputs[k];
    if (!founds(frame, slot)) continue;
    tern_value *header = &frame->headers[slot];
    char *data = NULL;
    if (header->data_bytes > 0) TERN_TRY(tern_heap_take(&frame->heap, header->data_bytes, &data));
    header->data = data;
    frame->slots[slot].is_taken = data != NULL;
  }
  point_outputs(frame, step);
  return NULL;
}

static void put_dying(tern_frame *frame, const tern_step *step, int32_t index) {
  for (int32_t k = 0; k < step->dying_count; ++k) {
    int32_t buffer = buffer_of(frame, step->dying[k]);
    if (buffer < 0 || frame->slots[buffer].last != index || !frame->slots[buffer].is_taken)
      continue;
    frame->slots[buffer].is_taken = false;
    tern_heap_put(&frame->heap, frame->headers[buffer].data, frame->headers[buffer].data_bytes);
  }
}

tern_status *tern_place_later(tern_frame *frame, int32_t begin, int32_t end) {
  const tern_program *program = frame->program;
  bool is_current = frame->heap_chain == frame->chain;
  frame->heap_chain = 0; // until all is placed
  if (!is_current) TERN_TRY(reset_heap(frame, begin));
  share_buffers(frame, begin, end);
  for (int32_t i = begin; i < end; ++i) {
    const tern_step *step = &program->steps[i];
    if (!(frame->steps[i].flags & TERN_STEP_SKIPPED)) TERN_TRY(take_outputs(frame, step));
    put_dying(frame, step, i);
  }
  return NULL;
}
