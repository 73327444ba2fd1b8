// Frames and their pool.
#include "session/frame.h"

#include <string.h>

#define ALLOCATE(count, out_array)                                                                 \
  tern_allocator_calloc(allocator, (count), sizeof **(out_array), (void **)(out_array))

static tern_status *fill(tern_frame *frame, tern_allocator *allocator) {
  size_t slots = (size_t)frame->program->slot_count;
  size_t in = frame->program->largest_inputs, out = frame->program->largest_outputs;
  TERN_TRY(ALLOCATE(slots, &frame->values));
  TERN_TRY(ALLOCATE(slots, &frame->headers));
  TERN_TRY(ALLOCATE(in, &frame->inputs));
  TERN_TRY(ALLOCATE(out, &frame->outputs));
  TERN_TRY(ALLOCATE(in + out, &frame->types));
  return ALLOCATE(in, &frame->type_list);
}

void tern_frame_destroy(tern_frame *frame) {
  if (!frame) return;
  const tern_program *program = frame->program;
  tern_allocator *allocator = program->frame_allocator;
  size_t slots = (size_t)program->slot_count;
  size_t in = program->largest_inputs, out = program->largest_outputs;
  tern_allocator_free(allocator, frame->values, slots * sizeof *frame->values);
  tern_allocator_free(allocator, frame->headers, slots * sizeof *frame->headers);
  tern_allocator_free(allocator, frame->inputs, in * sizeof *frame->inputs);
  tern_allocator_free(allocator, frame->outputs, out * sizeof *frame->outputs);
  tern_allocator_free(allocator, frame->types, (in + out) * sizeof *frame->types);
  tern_allocator_free(allocator, frame->type_list, in * sizeof *frame->type_list);
  tern_allocator_free(allocator, frame->slab, frame->slab_bytes);
  tern_scratch_deinit(&frame->scratch);
  TERN_DELETE(allocator, frame);
}

static tern_frame *take_pooled(tern_program *program) {
  tern_frame *frame = NULL;
  tern_os_mutex_lock(&program->mutex);
  for (size_t i = 0; i < TERN_FRAME_POOL_ENTRIES && !frame; ++i) {
    frame = program->frames[i];
    program->frames[i] = NULL;
  }
  tern_os_mutex_unlock(&program->mutex);
  return frame;
}

void tern_frame_drop_pooled(tern_program *program) {
  for (tern_frame *frame; (frame = take_pooled(program));) tern_frame_destroy(frame);
  for (int32_t i = 0; i < program->step_count; ++i)
    for (int32_t k = 0; k < program->steps[i].subprogram_count; ++k)
      tern_frame_drop_pooled(program->steps[i].subprograms[k].program);
}

tern_status *tern_frame_acquire(tern_program *program, tern_frame **out_frame) {
  tern_frame *frame = take_pooled(program);
  if (!frame) {
    TERN_TRY(TERN_NEW(program->frame_allocator, &frame));
    frame->program = program;
    tern_scratch_init(program->frame_allocator, &frame->scratch);
    tern_status *status = fill(frame, program->frame_allocator);
    if (status) {
      tern_frame_destroy(frame);
      return status;
    }
  }
  *out_frame = frame;
  return NULL;
}

bool tern_frame_owns(const tern_frame *frame, int32_t slot) {
  return frame->values[slot] && frame->program->slots[slot].role == TERN_SLOT_STEP &&
         frame->values[slot] != &frame->headers[slot] &&
         frame->plan->slots[slot].place != TERN_PLACE_KNOWN;
}

void tern_frame_give_back(tern_program *program, tern_frame *frame) {
  for (int32_t s = 0; frame->plan && s < program->slot_count; ++s) {
    if (tern_frame_owns(frame, s)) tern_value_release(frame->values[s]);
    frame->values[s] = NULL;
  }
  tern_plan_release(frame->plan);
  frame->plan = NULL;
  tern_os_mutex_lock(&program->mutex);
  for (size_t i = 0; i < TERN_FRAME_POOL_ENTRIES && frame; ++i) {
    if (program->frames[i]) continue;
    program->frames[i] = frame;
    frame = NULL;
  }
  tern_os_mutex_unlock(&program->mutex);
  tern_frame_destroy(frame);
}

tern_status *tern_frame_reserve(tern_frame *frame, size_t slab_bytes) {
  if (slab_bytes <= frame->slab_bytes) return NULL;
  tern_allocator *allocator = frame->program->frame_allocator;
  tern_allocator_free(allocator, frame->slab, frame->slab_bytes);
  frame->slab = NULL;
  frame->slab_bytes = 0;
  TERN_TRY(tern_allocator_alloc(allocator, slab_bytes, (void **)&frame->slab));
  frame->slab_bytes = slab_bytes;
  return NULL;
}
