// Sizing.
#include "session/size.h"

#include <stdatomic.h>
#include <string.h>

// A walk under way.
typedef struct walk {
  tern_frame *frame;
  const tern_program *program;
  int32_t begin;
  bool has_run;
  bool changed;
  // Of the step at work.
  const tern_step *step;
  int32_t index;
  bool waits;
  bool waits_for_elements;
  const tern_value **values; // of its inputs, as far as they are known
} walk;

bool tern_size_is_small(const tern_value *value) {
  if (value->kind != TERN_KIND_TENSOR || value->data_bytes > TERN_SMALL_BYTES) return false;
  return value->dtype == TERN_INT64 || value->dtype == TERN_INT32 || value->dtype == TERN_BOOL ||
         value->dtype == TERN_FLOAT;
}

bool tern_size_is_shape_only(const tern_step *step, int32_t index) {
  return index == 0 && (step->op_flags & TERN_OP_READS_SHAPE);
}

static bool reaches_shape(const tern_program *program, int32_t slot) {
  return atomic_load_explicit(&program->reaches_shape[slot], memory_order_relaxed);
}

static void mark_changed(tern_frame *frame, int32_t slot) {
  frame->changed[slot] = frame->serial;
}

bool tern_size_set_type(tern_value *header, tern_dtype dtype, const tern_shape *shape,
                        size_t bytes) {
  if (header->dtype == dtype && tern_shape_equal(&header->shape, shape)) return false;
  header->dtype = dtype;
  tern_shape_copy(&header->shape, shape);
  header->data_bytes = bytes;
  return true;
}

// Keeps the type of a value that is there. Of other kinds nothing is compared.
static void keep_value_type(tern_frame *frame, int32_t slot, const tern_value *value) {
  bool is_tensor = value->kind == TERN_KIND_TENSOR;
  frame->typed[slot] = is_tensor ? TERN_TYPED_HEADER : TERN_TYPED_VALUE;
  if (!is_tensor ||
      tern_size_set_type(&frame->headers[slot], value->dtype, &value->shape, value->data_bytes))
    mark_changed(frame, slot);
}

tern_status *tern_size_given(tern_frame *frame, int32_t slot, const tern_value *value) {
  bool changed = false;
  keep_value_type(frame, slot, value);
  if (reaches_shape(frame->program, slot) && tern_size_is_small(value)) {
    TERN_TRY(tern_frame_keep(frame, slot, value->data, value->data_bytes, &changed));
    changed |= frame->headers[slot].data != frame->slots[slot].known;
    frame->headers[slot].data = frame->slots[slot].known;
  } else {
    changed = frame->headers[slot].data != NULL;
    frame->headers[slot].data = NULL;
  }
  if (changed) mark_changed(frame, slot);
  return NULL;
}

void tern_size_made(tern_frame *frame, int32_t slot) {
  keep_value_type(frame, slot, frame->values[slot]);
}

// The elements of a slot that do not change without its mark, or NULL.
static const tern_value *tracked_value(const walk *w, int32_t slot) {
  const tern_value *header = &w->frame->headers[slot];
  switch (w->program->slots[slot].role) {
  case TERN_SLOT_CONSTANT: {
    // Large constants may be spent or misaligned; no shape is computed from them.
    const tern_value *value = w->frame->values[slot];
    return value->is_spent || value->is_misaligned ? NULL : value;
  }
  case TERN_SLOT_STEP:
    return w->frame->slots[slot].place == TERN_PLACE_KNOWN ? header : NULL;
  default:
    return header->data && w->frame->typed[slot] == TERN_TYPED_HEADER ? header : NULL;
  }
}

static const tern_value *known_value(const walk *w, int32_t slot) {
  const tern_value *value = tracked_value(w, slot);
  if (value || !w->has_run || w->program->slots[slot].first >= w->begin) return value;
  const tern_memory_space *space = w->program->slots[slot].space;
  if (space && !space->is_host_visible) return NULL;
  value = w->frame->values[slot];
  return value && !value->is_spent && !value->is_misaligned ? value : NULL;
}

static void get_type(const walk *w, int32_t slot, tern_type *out_type) {
  const tern_value *value = w->frame->typed[slot] == TERN_TYPED_HEADER ? &w->frame->headers[slot]
                                                                       : w->frame->values[slot];
  if (value->kind != TERN_KIND_TENSOR) {
    // Of what a container holds only what is so in every run counts.
    const tern_type *declared = &w->program->slots[slot].edge->type;
    tern_value_get_type(value, out_type);
    if (declared->kind == value->kind && declared->element) out_type->element = declared->element;
    return;
  }
  // Field by field: a type has room for the largest rank.
  out_type->kind = TERN_KIND_TENSOR;
  out_type->dtype = value->dtype;
  out_type->element = NULL;
  out_type->denotation = NULL;
  tern_shape_copy(&out_type->shape, &value->shape);
}

// Whether what was worked out for the step holds: nothing that it follows from has changed since.
static bool is_valid(const walk *w) {
  const tern_step_state *state = &w->frame->steps[w->index];
  if (state->sized == 0 || (state->flags & TERN_STEP_VOLATILE)) return false;
  for (int32_t i = 0; i < w->step->input_count; ++i) {
    int32_t slot = w->step->inputs[i];
    if (slot >= 0 && w->frame->changed[slot] > state->sized) return false;
  }
  return true;
}

// Notes whether the step, as it has been worked out, follows from elements that nothing tracks.
static void note_volatile(walk *w) {
  uint8_t *flags = &w->frame->steps[w->index].flags;
  bool is_computed = *flags & TERN_STEP_SKIPPED;
  *flags &= (uint8_t)~TERN_STEP_VOLATILE;
  for (int32_t i = 0; i < w->step->input_count; ++i) {
    int32_t slot = w->step->inputs[i];
    bool is_read = tern_op_input_bit(w->step->shape_inputs, i) ||
                   (is_computed && !tern_size_is_shape_only(w->step, i));
    if (slot >= 0 && is_read && !tracked_value(w, slot)) *flags |= TERN_STEP_VOLATILE;
  }
}

static tern_status *infer(walk *w) {
  tern_frame *frame = w->frame;
  const tern_node *node = w->step->node;
  for (int32_t i = 0; i < node->input_count; ++i) {
    int32_t slot = w->step->inputs[i];
    frame->type_list[i] = slot < 0 ? NULL : &frame->types[i];
    w->values[i] = slot < 0 ? NULL : known_value(w, slot);
    if (slot >= 0) get_type(w, slot, &frame->types[i]);
  }
  return tern_infer_sizes(node, frame->type_list, w->values, frame->types + node->input_count);
}

static bool is_made_by_kernel(const tern_op *op, const tern_type *type) {
  return (op->flags & (TERN_OP_DATA_DEPENDENT | TERN_OP_CONTROL_FLOW)) ||
         type->kind != TERN_KIND_TENSOR;
}

// An output whose size cannot be told: the step has to wait until more is known, unless all is.
static tern_status *wait_for_more(walk *w, int32_t output, const tern_type *type) {
  char text[TERN_TYPE_TEXT_BYTES], where[TERN_NODE_TEXT_BYTES];
  w->waits = !w->has_run || w->index > w->begin;
  if (w->waits) return NULL;
  return TERN_ERROR(TERN_INVALID_GRAPH, "%s: the shape of output %d cannot be inferred (%s)",
                    tern_node_describe(w->step->node, where, sizeof where), output,
                    tern_type_format(type, text, sizeof text));
}

static tern_status *too_large(const walk *w, int32_t output, const tern_type *type) {
  char text[TERN_TYPE_TEXT_BYTES], where[TERN_NODE_TEXT_BYTES];
  return TERN_ERROR(TERN_INVALID_ARGUMENT, "%s: output %d of type %s is too large",
                    tern_node_describe(w->step->node, where, sizeof where), output,
                    tern_type_format(type, text, sizeof text));
}

// Takes the inferred types over. Nothing is kept when the step waits.
static tern_status *keep_outputs(walk *w, const tern_type *types) {
  tern_frame *frame = w->frame;
  const tern_node *node = w->step->node;
  for (int32_t i = 0; i < node->output_count && !w->waits; ++i) {
    bool is_open = !is_made_by_kernel(node->op, &types[i]) && !tern_shape_is_known(&types[i].shape);
    if (w->step->outputs[i] >= 0 && is_open) TERN_TRY(wait_for_more(w, i, &types[i]));
  }
  uint8_t flags = TERN_STEP_EMPTY;
  for (int32_t i = 0; i < node->output_count && !w->waits; ++i) {
    int32_t slot = w->step->outputs[i];
    if (slot < 0) continue;
    frame->slots[slot].is_made = is_made_by_kernel(node->op, &types[i]);
    frame->typed[slot] = frame->slots[slot].is_made ? TERN_UNTYPED : TERN_TYPED_HEADER;
    if (frame->slots[slot].is_made) {
      flags = (uint8_t)((flags & ~TERN_STEP_EMPTY) | TERN_STEP_MAKES);
      continue;
    }
    int64_t count;
    size_t bytes;
    if (!tern_shape_count(&types[i].shape, &count) ||
        !tern_dtype_bytes(types[i].dtype, count, &bytes))
      return too_large(w, i, &types[i]);
    if (count > 0) flags &= (uint8_t)~TERN_STEP_EMPTY;
    if (!tern_size_set_type(&frame->headers[slot], types[i].dtype, &types[i].shape, bytes))
      continue;
    mark_changed(frame, slot);
    w->changed = true;
  }
  if (w->waits) return NULL;
  uint8_t *kept = &frame->steps[w->index].flags;
  const uint8_t own = TERN_STEP_EMPTY | TERN_STEP_MAKES;
  if ((*kept & own) != flags) w->changed = true;
  *kept = (uint8_t)((*kept & ~own) | flags);
  return NULL;
}

// ---- Values computed before their turn.

// Whether the step can be computed now. Sets frame->inputs.
static bool can_compute(walk *w) {
  tern_frame *frame = w->frame;
  const tern_node *node = w->step->node;
  const uint32_t never = TERN_OP_CONTROL_FLOW | TERN_OP_NONDETERMINISTIC;
  if ((node->op->flags & never) || node->output_count > TERN_AHEAD_OUTPUTS) return false;
  if (!tern_provider_computes_anywhere(w->step->placement->provider)) return false;
  bool is_wanted = !w->has_run;
  for (int32_t i = 0; i < node->output_count; ++i) {
    int32_t slot = w->step->outputs[i];
    if (slot < 0) continue;
    if (frame->typed[slot] != TERN_TYPED_HEADER || !tern_size_is_small(&frame->headers[slot]))
      return false;
    is_wanted |= reaches_shape(w->program, slot);
  }
  for (int32_t i = 0; is_wanted && i < node->input_count; ++i) {
    int32_t slot = w->step->inputs[i];
    if (slot < 0 || w->values[i]) continue;
    if (!tern_size_is_shape_only(w->step, i) || frame->typed[slot] != TERN_TYPED_HEADER)
      return false;
    frame->inputs[i] = &frame->headers[slot];
  }
  return is_wanted;
}

static tern_status *compute(walk *w, bool *out_computed) {
  tern_frame *frame = w->frame;
  const tern_node *node = w->step->node;
  for (int32_t i = 0; i < node->output_count; ++i) {
    int32_t slot = w->step->outputs[i];
    frame->outputs[i] = slot < 0 ? NULL : &frame->headers[slot];
    if (slot >= 0) frame->headers[slot].data = frame->ahead + (size_t)i * TERN_SMALL_BYTES;
  }
  tern_invoke invoke = {.node = node,
                        .kernel = &w->step->kernel,
                        .inputs = frame->inputs,
                        .outputs = frame->outputs,
                        .allocator = w->program->allocator,
                        .scratch = &frame->scratch};
  tern_status *status = tern_invoke_kernel(&invoke);
  *out_computed = !status;
  if (tern_status_is_out_of_memory(status)) return status;
  tern_status_ignore(status); // it fails again, in its place, when the run gets there
  return NULL;
}

// The results become KNOWN, and the step is skipped.
static tern_status *keep_known(walk *w) {
  tern_frame *frame = w->frame;
  for (int32_t i = 0; i < w->step->output_count; ++i) {
    int32_t slot = w->step->outputs[i];
    if (slot < 0) continue;
    tern_value *header = &frame->headers[slot];
    bool changed = frame->slots[slot].place != TERN_PLACE_KNOWN;
    TERN_TRY(tern_frame_keep(frame, slot, header->data, header->data_bytes, &changed));
    header->data = frame->slots[slot].known;
    frame->slots[slot].place = TERN_PLACE_KNOWN;
    frame->slots[slot].buffer = -1;
    frame->values[slot] = header;
    if (changed) mark_changed(frame, slot);
  }
  return NULL;
}

static tern_status *compute_ahead(walk *w) {
  tern_frame *frame = w->frame;
  uint8_t *flags = &frame->steps[w->index].flags;
  bool was_skipped = *flags & TERN_STEP_SKIPPED, is_computed = false;
  *flags &= (uint8_t)~TERN_STEP_SKIPPED;
  if (can_compute(w)) TERN_TRY(compute(w, &is_computed));
  if (is_computed) {
    TERN_TRY(keep_known(w));
    *flags |= TERN_STEP_SKIPPED;
  }
  for (int32_t i = 0; was_skipped && !is_computed && i < w->step->output_count; ++i) {
    int32_t slot = w->step->outputs[i];
    if (slot < 0) continue;
    frame->slots[slot].place = TERN_PLACE_RUN;
    frame->values[slot] = NULL;
    mark_changed(frame, slot);
  }
  w->changed |= was_skipped != is_computed;
  return NULL;
}

// ---- The walk.

// What a kernel makes is not known yet, whatever it was in the last run.
static void forget_made(walk *w) {
  for (int32_t i = 0; i < w->step->output_count; ++i) {
    int32_t slot = w->step->outputs[i];
    if (slot >= 0 && w->frame->slots[slot].is_made) w->frame->typed[slot] = TERN_UNTYPED;
  }
}

// A step waits while one of its inputs is still to be made.
static tern_status *check_inputs(walk *w) {
  for (int32_t i = 0; i < w->step->input_count; ++i) {
    int32_t slot = w->step->inputs[i];
    if (slot < 0 || w->frame->typed[slot] != TERN_UNTYPED) continue;
    w->waits = true;
    if (!w->has_run || w->index > w->begin) return NULL;
    return TERN_ERROR(TERN_RUNTIME_EXCEPTION, "'%s' is read before anything made it",
                      w->program->slots[slot].edge->name);
  }
  return NULL;
}

// A step waits for elements that inference reads, where waiting makes them known.
static void check_elements(walk *w) {
  if (w->step->shape_inputs == 0 || (w->has_run && w->index == w->begin)) return;
  for (int32_t i = 0; i < w->step->input_count; ++i) {
    int32_t slot = w->step->inputs[i];
    if (slot < 0 || !tern_op_input_bit(w->step->shape_inputs, i) || known_value(w, slot)) continue;
    w->waits = w->waits_for_elements = true;
    return;
  }
}

static tern_status *size_step(walk *w) {
  tern_step_state *state = &w->frame->steps[w->index];
  TERN_TRY(check_inputs(w));
  if (w->waits) return NULL;
  if (state->flags & TERN_STEP_MAKES) forget_made(w);
  if (is_valid(w)) return NULL;
  check_elements(w);
  if (w->waits) return NULL;
  const tern_node *node = w->step->node;
  state->sized = 0;
  tern_type *types = w->frame->types + node->input_count;
  if (node->op->flags & TERN_OP_CONTROL_FLOW) {
    // What a subgraph gives is known when it has run; declarations about it are not relied on.
    for (int32_t i = 0; i < node->output_count; ++i) types[i].kind = TERN_KIND_NONE;
  } else {
    TERN_TRY(infer(w));
  }
  TERN_TRY(keep_outputs(w, types));
  if (w->waits) return NULL;
  TERN_TRY(compute_ahead(w));
  note_volatile(w);
  state->sized = w->frame->serial;
  return NULL;
}

tern_status *tern_size_steps(tern_frame *frame, int32_t begin, bool has_run,
                             tern_sized *out_sized) {
  walk w = {.frame = frame,
            .program = frame->program,
            .begin = begin,
            .has_run = has_run,
            .index = begin,
            .values = frame->inputs};
  tern_status *status = NULL;
  for (; w.index < w.program->step_count && !status && !w.waits; ++w.index) {
    w.step = &w.program->steps[w.index];
    status = size_step(&w);
  }
  if (w.waits) --w.index;
  *out_sized = (tern_sized){
      .end = w.index, .changed = w.changed, .waits_for_elements = w.waits_for_elements};
  return status;
}
