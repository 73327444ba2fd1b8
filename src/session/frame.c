// Frames and their pool.
#include "session/frame.h"

#include <string.h>

#include "base/poison.h"

#define ALLOCATE(count, out_array)                                                                 \
  tern_allocator_calloc(allocator, (count), sizeof **(out_array), (void **)(out_array))
#define FREE(count, array) tern_allocator_free(allocator, (array), (count) * sizeof *(array))

static size_t ahead_bytes(const tern_program *program) {
  size_t count = program->largest_outputs;
  return (count < TERN_AHEAD_OUTPUTS ? count : TERN_AHEAD_OUTPUTS) * TERN_SMALL_BYTES;
}

static tern_status *allocate_tables(tern_frame *frame, tern_allocator *allocator) {
  const tern_program *program = frame->program;
  size_t slots = (size_t)program->slot_count, steps = (size_t)program->step_count;
  size_t in = program->largest_inputs, out = program->largest_outputs;
  TERN_TRY(ALLOCATE(slots, &frame->values));
  TERN_TRY(ALLOCATE(slots, &frame->headers));
  TERN_TRY(ALLOCATE(slots, &frame->slots));
  TERN_TRY(ALLOCATE(slots, &frame->typed));
  TERN_TRY(ALLOCATE(slots, &frame->changed));
  TERN_TRY(ALLOCATE(slots, &frame->usages));
  TERN_TRY(ALLOCATE(slots, &frame->pieces));
  TERN_TRY(ALLOCATE(steps, &frame->steps));
  TERN_TRY(ALLOCATE(steps, &frame->segments));
  TERN_TRY(ALLOCATE((size_t)program->output_count, &frame->made));
  TERN_TRY(ALLOCATE(program->largest_subprograms, &frame->bodies));
  TERN_TRY(ALLOCATE(in, &frame->inputs));
  TERN_TRY(ALLOCATE(out, &frame->outputs));
  TERN_TRY(ALLOCATE(in + out, &frame->types));
  TERN_TRY(ALLOCATE(in, &frame->type_list));
  return tern_allocator_alloc(allocator, ahead_bytes(program), (void **)&frame->ahead);
}

static void fill_tables(tern_frame *frame) {
  const tern_program *program = frame->program;
  const tern_shape unknown = {.rank = TERN_RANK_UNKNOWN};
  for (int32_t s = 0; s < program->slot_count; ++s) {
    const tern_slot *slot = &program->slots[s];
    frame->slots[s].buffer = frame->slots[s].output = -1;
    frame->slots[s].place = slot->role == TERN_SLOT_STEP ? TERN_PLACE_RUN : TERN_PLACE_GIVEN;
    tern_value_init_tensor(&frame->headers[s], TERN_DTYPE_UNDEFINED, &unknown, NULL, 0);
    if (slot->role != TERN_SLOT_CONSTANT) continue;
    frame->values[s] = (tern_value *)(uintptr_t)tern_edge_constant(slot->edge);
    frame->typed[s] = TERN_TYPED_VALUE;
  }
}

void tern_frame_destroy(tern_frame *frame) {
  if (!frame) return;
  const tern_program *program = frame->program;
  tern_allocator *allocator = program->frame_allocator;
  size_t slots = (size_t)program->slot_count, steps = (size_t)program->step_count;
  size_t in = program->largest_inputs, out = program->largest_outputs;
  FREE(slots, frame->values);
  FREE(slots, frame->headers);
  FREE(slots, frame->slots);
  FREE(slots, frame->typed);
  FREE(slots, frame->changed);
  FREE(slots, frame->usages);
  FREE(slots, frame->pieces);
  FREE(steps, frame->steps);
  FREE(steps, frame->segments);
  FREE((size_t)program->output_count, frame->made);
  FREE(program->largest_subprograms, frame->bodies);
  FREE(in, frame->inputs);
  FREE(out, frame->outputs);
  FREE(in + out, frame->types);
  FREE(in, frame->type_list);
  tern_allocator_free(allocator, frame->ahead, ahead_bytes(program));
  tern_unpoison(frame->slab, frame->slab_bytes);
  tern_allocator_free(allocator, frame->slab, frame->slab_bytes);
  TERN_ARRAY_FREE(allocator, &frame->key);
  TERN_ARRAY_FREE(allocator, &frame->next_key);
  tern_heap_deinit(&frame->heap);
  tern_arena_deinit(&frame->known_values);
  tern_scratch_deinit(&frame->scratch);
  TERN_DELETE(allocator, frame);
}

tern_status *tern_frame_create(tern_program *program, tern_frame **out_frame) {
  tern_frame *frame;
  TERN_TRY(TERN_NEW(program->frame_allocator, &frame));
  frame->program = program;
  tern_scratch_init(program->frame_allocator, &frame->scratch);
  tern_heap_init(program->frame_allocator, &frame->heap);
  tern_arena_init(program->frame_allocator, &frame->known_values);
  tern_status *status = allocate_tables(frame, program->frame_allocator);
  if (status) {
    tern_frame_destroy(frame);
    return status;
  }
  fill_tables(frame);
  *out_frame = frame;
  return NULL;
}

static void clear_slot(tern_frame *frame, int32_t slot) {
  if (frame->slots[slot].place != TERN_PLACE_RUN) return;
  tern_value_release(frame->values[slot]);
  frame->values[slot] = NULL;
}

void tern_frame_clear(tern_frame *frame, bool has_failed) {
  const tern_program *program = frame->program;
  for (int32_t s = 0; has_failed && s < program->slot_count; ++s) clear_slot(frame, s);
  for (int32_t i = 0; i < program->lasting_count; ++i) clear_slot(frame, program->lasting[i]);
  for (int32_t i = 0; i < program->output_count; ++i) {
    tern_value_release(frame->made[i]);
    frame->made[i] = NULL;
  }
}

// ---- Memory.

static void free_slab(tern_frame *frame) {
  tern_unpoison(frame->slab, frame->slab_bytes);
  tern_allocator_free(frame->program->frame_allocator, frame->slab, frame->slab_bytes);
  frame->slab = NULL;
  frame->slab_bytes = 0;
  frame->is_ready = false;
}

// Of outputs whose sizes are known, and which are not the caller's.
static size_t output_bytes(const tern_frame *frame) {
  const tern_program *program = frame->program;
  size_t total = 0;
  for (int32_t i = 0; frame->given && i < program->output_count; ++i) {
    int32_t slot = program->outputs[i];
    if (frame->given[i] || frame->typed[slot] != TERN_TYPED_HEADER) continue;
    size_t bytes = frame->headers[slot].data_bytes;
    if (bytes > SIZE_MAX / 4 - total) return SIZE_MAX / 4; // no machine has it
    total += bytes + sizeof(tern_value);
  }
  return total;
}

tern_status *tern_frame_admit(const tern_frame *frame, size_t slab_bytes) {
  size_t growth = slab_bytes > frame->slab_bytes ? slab_bytes - frame->slab_bytes : 0;
  size_t outputs = output_bytes(frame);
  return tern_allocator_check(frame->program->frame_allocator,
                              growth > SIZE_MAX / 4 ? growth : growth + outputs);
}

tern_status *tern_frame_reserve(tern_frame *frame, size_t slab_bytes) {
  if (slab_bytes <= frame->slab_bytes) return NULL;
  TERN_TRY(tern_frame_admit(frame, slab_bytes));
  free_slab(frame);
  TERN_TRY(
      tern_allocator_alloc(frame->program->frame_allocator, slab_bytes, (void **)&frame->slab));
  frame->slab_bytes = slab_bytes;
  return NULL;
}

// The heap's memory is another now: what was placed in it has to be placed again.
static void forget_later_segments(tern_frame *frame) {
  if (frame->slab_id) frame->slab_id = ++frame->next_id;
  frame->heap_chain = 0;
}

static void raise(size_t *most, size_t value) {
  if (*most < value) *most = value;
}

static void note_need(tern_frame *frame) {
  raise(&frame->need.slab, frame->plan_slab_bytes);
  raise(&frame->need.heap, tern_heap_needed(&frame->heap));
  raise(&frame->need.scratch, frame->scratch.needed);
  frame->scratch.needed = 0;
}

// Small memory, and up to twice what is needed, is kept: to take it anew would cost more.
static bool is_too_much(size_t held, size_t need, size_t past_need) {
  enum { SMALL_BYTES = 64 << 10, FACTOR = 2 };
  raise(&need, past_need);
  return held > SMALL_BYTES && held / FACTOR > need;
}

// At the end of each window of runs. What goes is taken again as the next run needs it.
static void end_window(tern_frame *frame) {
  const tern_frame_need *need = &frame->need, *past = &frame->past_need;
  if (is_too_much(frame->slab_bytes, need->slab, past->slab)) {
    free_slab(frame);
    frame->slab_id = 0;
  }
  if (is_too_much(tern_heap_bytes(&frame->heap), need->heap, past->heap)) {
    tern_heap_clear(&frame->heap);
    forget_later_segments(frame);
  }
  if (is_too_much(frame->scratch.held, need->scratch, past->scratch))
    tern_scratch_clear(&frame->scratch);
  frame->past_need = frame->need;
  frame->need = (tern_frame_need){0};
  frame->window_runs = 0;
}

void tern_frame_trim(tern_frame *frame) {
  note_need(frame);
  if (tern_heap_settle(&frame->heap)) forget_later_segments(frame);
  if (++frame->window_runs == TERN_FRAME_WINDOW_RUNS) end_window(frame);
}

tern_status *tern_frame_keep(tern_frame *frame, int32_t slot, const void *data, size_t bytes,
                             bool *out_changed) {
  tern_slot_state *state = &frame->slots[slot];
  if (bytes > (size_t)state->known_room) {
    // Rooms double, so that what the arena keeps of smaller ones is less than the last.
    size_t room = 16;
    while (room < bytes) room *= 2;
    TERN_TRY(tern_arena_alloc(&frame->known_values, room, &state->known));
    state->known_room = (int32_t)room;
    *out_changed = true;
  }
  if (bytes > 0 && memcmp(state->known, data, bytes) != 0) {
    memcpy(state->known, data, bytes);
    *out_changed = true;
  }
  return NULL;
}
