// Which values sizes follow from: a step that has to wait for elements that its inference reads
// names the slots they are in, and the steps before it say what those are computed from.
#include <stdatomic.h>

#include "session/size.h"

typedef struct lesson {
  const tern_frame *frame;
  const tern_program *program;
  int32_t begin;
  bool has_run;
  bool *can_know; // by slot: given the inputs' elements, it could be computed before its turn
  bool *wanted;   // by slot
} lesson;

static bool is_available(const lesson *l, int32_t slot) {
  const tern_value *value = l->frame->values[slot];
  if (l->frame->slots[slot].place == TERN_PLACE_KNOWN) return true;
  const tern_memory_space *space = l->program->slots[slot].space;
  if (l->program->slots[slot].first >= l->begin || !value) return false;
  if (space && !space->is_host_visible) return false;
  if (l->program->slots[slot].role == TERN_SLOT_CONSTANT || l->has_run)
    return value->kind == TERN_KIND_TENSOR && !value->is_spent && !value->is_misaligned;
  return l->program->slots[slot].role != TERN_SLOT_STEP && tern_size_is_small(value);
}

static bool can_compute(const lesson *l, const tern_step *step) {
  const uint32_t never = TERN_OP_CONTROL_FLOW | TERN_OP_NONDETERMINISTIC;
  if ((step->op_flags & never) || step->output_count > TERN_AHEAD_OUTPUTS) return false;
  if (!tern_provider_computes_anywhere(step->placement->provider)) return false;
  for (int32_t i = 0; i < step->output_count; ++i) {
    int32_t slot = step->outputs[i];
    if (slot < 0) continue;
    if (l->frame->typed[slot] != TERN_TYPED_HEADER || !tern_size_is_small(&l->frame->headers[slot]))
      return false;
  }
  for (int32_t i = 0; i < step->input_count; ++i) {
    int32_t slot = step->inputs[i];
    if (slot >= 0 && !tern_size_is_shape_only(step, i) && !l->can_know[slot]) return false;
  }
  return true;
}

static void look_forward(lesson *l, int32_t end) {
  for (int32_t s = 0; s < l->program->slot_count; ++s) l->can_know[s] = is_available(l, s);
  for (int32_t i = l->begin; i < end; ++i) {
    const tern_step *step = &l->program->steps[i];
    if (!can_compute(l, step)) continue;
    for (int32_t k = 0; k < step->output_count; ++k)
      if (step->outputs[k] >= 0) l->can_know[step->outputs[k]] = true;
  }
}

static void look_back(lesson *l, int32_t end) {
  for (int32_t i = end - 1; i >= l->begin; --i) {
    const tern_step *step = &l->program->steps[i];
    bool is_wanted = false;
    for (int32_t k = 0; k < step->output_count; ++k)
      is_wanted |= step->outputs[k] >= 0 && l->wanted[step->outputs[k]];
    for (int32_t k = 0; is_wanted && k < step->input_count; ++k)
      if (step->inputs[k] >= 0 && !tern_size_is_shape_only(step, k))
        l->wanted[step->inputs[k]] = true;
  }
}

// Returns whether the key of a plan gains a value.
static bool keep(const lesson *l) {
  bool learned = false;
  for (int32_t s = 0; s < l->program->slot_count; ++s) {
    tern_slot_role role = l->program->slots[s].role;
    if (!l->wanted[s] || role == TERN_SLOT_CONSTANT || (role != TERN_SLOT_STEP && l->has_run))
      continue;
    bool before =
        atomic_exchange_explicit(&l->program->reaches_shape[s], true, memory_order_relaxed);
    learned |= !before && role != TERN_SLOT_STEP;
  }
  return learned;
}

tern_status *tern_size_learn(const tern_frame *frame, int32_t begin, bool has_run,
                             const tern_sized *sized, bool *out_learned) {
  *out_learned = false;
  const tern_program *program = frame->program;
  if (!sized->waits_for_elements) return NULL;
  bool *memory;
  size_t count = (size_t)program->slot_count;
  TERN_TRY(tern_allocator_calloc(program->allocator, 2 * count, sizeof *memory, (void **)&memory));
  lesson l = {.frame = frame,
              .program = program,
              .begin = begin,
              .has_run = has_run,
              .can_know = memory,
              .wanted = memory + count};
  const tern_step *step = &program->steps[sized->end];
  look_forward(&l, sized->end);
  for (int32_t i = 0; i < step->input_count; ++i) {
    int32_t slot = step->inputs[i];
    if (slot >= 0 && tern_op_input_bit(step->shape_inputs, i) && l.can_know[slot])
      l.wanted[slot] = true;
  }
  look_back(&l, sized->end);
  *out_learned = keep(&l);
  tern_allocator_free(program->allocator, memory, 2 * count * sizeof *memory);
  return NULL;
}
