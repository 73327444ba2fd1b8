// Planning: shapes of everything that can be known, small values computed ahead, offsets in the
// slab.
#include "session/plan.h"

#include <string.h>

#include "session/invoke.h"
#include "session/memory_plan.h"

// Values of up to this many elements are computed while planning when all they need is known: shape
// arithmetic, not data.
enum { SMALL_VALUE_ELEMENTS = 64, SMALL_VALUE_BYTES = 1024 };

// A planning under way: what is known of each slot so far.
typedef struct planning {
  tern_program *program;
  tern_plan *plan;
  tern_type *types;          // by slot
  const tern_value **values; // by slot; NULL: not known
  int32_t *buffer;           // by slot: index of the buffer it lives in, or -1
  tern_buffer_usage *buffers;
  size_t buffer_count;
  // For the step at work.
  const tern_type **input_types;
  const tern_value **input_values;
  tern_type *output_types;
  tern_value **outputs;
} planning;

static bool is_small(const tern_type *type) {
  int64_t count;
  if (type->kind != TERN_KIND_TENSOR || !tern_shape_count(&type->shape, &count)) return false;
  if (count > SMALL_VALUE_ELEMENTS) return false;
  return type->dtype == TERN_INT64 || type->dtype == TERN_INT32 || type->dtype == TERN_BOOL ||
         type->dtype == TERN_FLOAT;
}

// Whether the step can be computed now. An input of which only the shape matters is stood in for by
// `shape_only`.
static bool can_compute(planning *p, const tern_step *step, tern_value *shape_only) {
  const tern_node *node = step->node;
  if (node->op->flags & (TERN_OP_CONTROL_FLOW | TERN_OP_NONDETERMINISTIC)) return false;
  if (!tern_provider_computes_anywhere(step->placement->provider)) return false;
  for (int32_t i = 0; i < node->output_count; ++i) {
    if (node->outputs[i] && !is_small(&p->output_types[i])) return false;
  }
  bool reads_shape = node->op->flags & TERN_OP_READS_SHAPE;
  for (int32_t i = 0; i < node->input_count; ++i) {
    int32_t slot = step->inputs[i];
    if (slot < 0 || p->input_values[i]) continue;
    if (!reads_shape || i > 0 || !tern_shape_is_known(&p->types[slot].shape)) return false;
    if (p->types[slot].kind != TERN_KIND_TENSOR) return false;
    tern_value_init_tensor(shape_only, p->types[slot].dtype, &p->types[slot].shape, NULL, 0);
    p->input_values[i] = shape_only;
  }
  return true;
}

static tern_status *compute_ahead(planning *p, int32_t index, const tern_step *step) {
  tern_value shape_only;
  if (!can_compute(p, step, &shape_only)) return NULL;
  tern_status *status = tern_evaluate_node(step->node, &step->kernel, p->input_values,
                                           SMALL_VALUE_BYTES, p->plan->allocator, p->outputs);
  if (status) {
    // It fails again, in its place, when the run gets there.
    if (tern_status_is_out_of_memory(status)) return status;
    tern_status_ignore(status);
    return NULL;
  }
  for (int32_t i = 0; i < step->node->output_count; ++i) {
    int32_t slot = step->outputs[i];
    if (slot < 0) continue;
    p->plan->slots[slot].place = TERN_PLACE_KNOWN;
    p->plan->slots[slot].value = p->outputs[i];
    p->values[slot] = p->outputs[i];
  }
  p->plan->skipped[index] = true;
  return NULL;
}

static tern_status *keep_shape(planning *p, int32_t slot, const tern_type *type) {
  tern_planned_slot *planned = &p->plan->slots[slot];
  planned->rank = TERN_RANK_UNKNOWN;
  planned->dtype = type->dtype;
  if (type->kind != TERN_KIND_TENSOR || !tern_shape_is_known(&type->shape)) return NULL;
  tern_dim *dims;
  TERN_TRY(TERN_ARENA_ARRAY(&p->plan->arena, type->shape.rank, &dims));
  memcpy(dims, type->shape.dims, (size_t)type->shape.rank * sizeof *dims);
  planned->dims = dims;
  planned->rank = type->shape.rank;
  return NULL;
}

static void extend(planning *p, int32_t buffer, int32_t last) {
  if (p->buffers[buffer].last < last) p->buffers[buffer].last = last;
}

// Output 0 of a view operator: the bytes of its input, when that is not made while running.
static bool place_view(planning *p, const tern_step *step, int32_t slot) {
  int32_t source = step->inputs[0];
  if (!(step->node->op->flags & TERN_OP_VIEW) || source < 0) return false;
  if (p->types[source].kind != TERN_KIND_TENSOR || p->types[source].dtype == TERN_STRING)
    return false;
  tern_place place = p->plan->slots[source].place;
  if (place == TERN_PLACE_RUN || place == TERN_PLACE_KNOWN) return false;
  p->plan->slots[slot].place = TERN_PLACE_VIEW;
  p->plan->slots[slot].source = source;
  p->buffer[slot] = p->buffer[source];
  if (p->buffer[slot] >= 0) extend(p, p->buffer[slot], p->program->slots[slot].last);
  return true;
}

// Whether the step also reads the buffer of slot `source` through another slot, a view of it, or
// as an input that it may not overwrite.
static bool reads_buffer_otherwise(const planning *p, const tern_step *step, int32_t source) {
  for (int32_t i = 0; i < step->node->input_count; ++i) {
    int32_t slot = step->inputs[i];
    if (slot < 0 || p->buffer[slot] != p->buffer[source]) continue;
    if (slot != source || !tern_op_input_bit(step->node->op->inplace_inputs, i)) return true;
  }
  return false;
}

// Output 0 over an input that ends here, has the same size and type, and that the operator may
// overwrite. Buffers that a view keeps alive are left.
static bool place_over_input(planning *p, const tern_step *step, int32_t index, int32_t slot,
                             size_t bytes) {
  const tern_node *node = step->node;
  for (int32_t i = 0; i < node->input_count && i < 32; ++i) {
    int32_t source = step->inputs[i];
    if (source < 0 || !((node->op->inplace_inputs >> i) & 1u)) continue;
    int32_t buffer = p->buffer[source];
    if (buffer < 0 || p->buffers[buffer].last != index || p->buffers[buffer].bytes != bytes)
      continue;
    if (tern_dtype_size(p->types[source].dtype) != tern_dtype_size(p->types[slot].dtype)) continue;
    if (!tern_shape_equal(&p->types[source].shape, &p->types[slot].shape)) continue;
    if (reads_buffer_otherwise(p, step, source)) continue;
    p->buffer[slot] = buffer;
    extend(p, buffer, p->program->slots[slot].last);
    return true;
  }
  return false;
}

static tern_status *place_output(planning *p, const tern_step *step, int32_t index,
                                 int32_t output) {
  int32_t slot = step->outputs[output];
  tern_planned_slot *planned = &p->plan->slots[slot];
  const tern_type *type = &p->types[slot];
  int64_t count;
  planned->place = TERN_PLACE_RUN;
  if (planned->rank == TERN_RANK_UNKNOWN || type->dtype == TERN_STRING) return NULL;
  if (p->program->slots[slot].is_output || (step->node->op->flags & TERN_OP_CONTROL_FLOW))
    return NULL;
  if (p->program->slots[slot].space) return NULL; // the slab is the host's
  if (!tern_shape_count(&type->shape, &count) ||
      !tern_dtype_bytes(type->dtype, count, &planned->bytes)) {
    char text[TERN_TYPE_TEXT_BYTES], where[TERN_NODE_TEXT_BYTES];
    return TERN_ERROR(TERN_INVALID_ARGUMENT, "%s: output %d of type %s is too large",
                      tern_node_describe(step->node, where, sizeof where), output,
                      tern_type_format(type, text, sizeof text));
  }
  if (output == 0 && place_view(p, step, slot)) return NULL;
  planned->place = TERN_PLACE_SLAB;
  if (output == 0 && place_over_input(p, step, index, slot, planned->bytes)) return NULL;
  p->buffer[slot] = (int32_t)p->buffer_count;
  p->buffers[p->buffer_count++] = (tern_buffer_usage){
      .bytes = planned->bytes, .first = index, .last = p->program->slots[slot].last};
  return NULL;
}

// Inputs count too: inference cannot refuse a shape, or an element that it reads, which it does not
// know.
static bool is_open(const planning *p, const tern_step *step) {
  for (int32_t i = 0; i < step->node->input_count; ++i) {
    const tern_type *type = p->input_types[i];
    if (!type) continue;
    if (type->kind == TERN_KIND_TENSOR && !tern_shape_is_known(&type->shape)) return true;
    if (!p->input_values[i] && tern_op_input_bit(step->node->op->shape_inputs, i)) return true;
  }
  for (int32_t i = 0; i < step->node->output_count; ++i) {
    int32_t slot = step->outputs[i];
    if (slot >= 0 && p->plan->slots[slot].rank == TERN_RANK_UNKNOWN) return true;
  }
  return false;
}

static tern_status *plan_step(planning *p, int32_t index) {
  const tern_step *step = &p->program->steps[index];
  const tern_node *node = step->node;
  for (int32_t i = 0; i < node->input_count; ++i) {
    int32_t slot = step->inputs[i];
    p->input_types[i] = slot < 0 ? NULL : &p->types[slot];
    p->input_values[i] = slot < 0 ? NULL : p->values[slot];
  }
  TERN_TRY(tern_infer_run(node, p->input_types, p->input_values, p->output_types));
  for (int32_t i = 0; i < node->output_count; ++i) {
    int32_t slot = step->outputs[i];
    if (slot < 0) continue;
    // What a subgraph gives is known when it has run; declarations about it are not relied on.
    if (node->op->flags & TERN_OP_CONTROL_FLOW) p->output_types[i].shape.rank = TERN_RANK_UNKNOWN;
    p->types[slot] = p->output_types[i];
    TERN_TRY(keep_shape(p, slot, &p->output_types[i]));
  }
  p->plan->is_open[index] = is_open(p, step);
  TERN_TRY(compute_ahead(p, index, step));
  for (int32_t i = 0; i < node->output_count && !p->plan->skipped[index]; ++i) {
    if (step->outputs[i] >= 0) TERN_TRY(place_output(p, step, index, i));
  }
  return NULL;
}

// Of what a container holds only what is so in every run counts: two sequences with items of
// different shapes share a plan.
static tern_status *start_given(planning *p, int32_t slot, const tern_value *value) {
  const tern_type *declared = &p->program->slots[slot].edge->type;
  tern_value_get_type(value, &p->types[slot]);
  if (declared->kind == value->kind && declared->element)
    p->types[slot].element = declared->element;
  return keep_shape(p, slot, &p->types[slot]);
}

static tern_status *start_slots(planning *p, const tern_value *const *inputs,
                                const tern_value *const *captures) {
  tern_program *program = p->program;
  for (int32_t s = 0; s < program->slot_count; ++s) {
    p->buffer[s] = -1;
    p->plan->slots[s].place = TERN_PLACE_GIVEN;
    p->plan->slots[s].rank = TERN_RANK_UNKNOWN;
    if (program->slots[s].role != TERN_SLOT_CONSTANT) continue;
    const tern_value *constant = tern_edge_constant(program->slots[s].edge);
    tern_value_get_type(constant, &p->types[s]);
    // Large constants may be spent or misaligned; no shape is computed from them.
    if (!constant->is_spent && !constant->is_misaligned) p->values[s] = constant;
  }
  for (int32_t i = 0; i < program->input_count; ++i)
    TERN_TRY(start_given(p, program->inputs[i], inputs[i]));
  for (int32_t i = 0; i < program->capture_count; ++i)
    TERN_TRY(start_given(p, program->captures[i], captures[i]));
  return NULL;
}

static tern_status *fill(planning *p) {
  for (int32_t i = 0; i < p->program->step_count; ++i) TERN_TRY(plan_step(p, i));
  TERN_TRY(tern_memory_plan(p->buffers, p->buffer_count, &p->plan->slab_bytes));
  for (int32_t s = 0; s < p->program->slot_count; ++s) {
    if (p->buffer[s] >= 0) p->plan->slots[s].offset = p->buffers[p->buffer[s]].offset;
  }
  return NULL;
}

static tern_status *allocate_tables(planning *p, tern_arena *arena) {
  size_t in = p->program->largest_inputs, out = p->program->largest_outputs;
  size_t slots = (size_t)p->program->slot_count;
  TERN_TRY(TERN_ARENA_ARRAY(arena, slots, &p->types));
  TERN_TRY(TERN_ARENA_ARRAY(arena, slots, &p->values));
  TERN_TRY(TERN_ARENA_ARRAY(arena, slots, &p->buffer));
  TERN_TRY(TERN_ARENA_ARRAY(arena, slots, &p->buffers));
  TERN_TRY(TERN_ARENA_ARRAY(arena, in, &p->input_types));
  TERN_TRY(TERN_ARENA_ARRAY(arena, in, &p->input_values));
  TERN_TRY(TERN_ARENA_ARRAY(arena, out, &p->output_types));
  TERN_TRY(TERN_ARENA_ARRAY(arena, out, &p->outputs));
  return NULL;
}

static tern_status *make_tables(tern_plan *plan, const tern_program *program) {
  TERN_TRY(TERN_ARENA_ARRAY(&plan->arena, program->slot_count, &plan->slots));
  TERN_TRY(TERN_ARENA_ARRAY(&plan->arena, program->step_count, &plan->skipped));
  return TERN_ARENA_ARRAY(&plan->arena, program->step_count, &plan->is_open);
}

static tern_status *create_plan(tern_program *program, const tern_value *const *inputs,
                                const tern_value *const *captures, tern_plan **out_plan) {
  tern_plan *plan;
  TERN_TRY(TERN_NEW(program->plan_allocator, &plan));
  plan->references = 1;
  plan->allocator = program->plan_allocator;
  plan->program = program;
  tern_arena_init(program->plan_allocator, &plan->arena);
  tern_arena temporary;
  tern_arena_init(program->plan_allocator, &temporary);
  planning p = {.program = program, .plan = plan};
  tern_status *status = make_tables(plan, program);
  if (!status) status = allocate_tables(&p, &temporary);
  if (!status) status = start_slots(&p, inputs, captures);
  if (!status) status = fill(&p);
  tern_arena_deinit(&temporary);
  if (status) {
    tern_plan_release(plan);
    return status;
  }
  *out_plan = plan;
  return NULL;
}

void tern_plan_release(tern_plan *plan) {
  if (!plan || --plan->references > 0) return;
  for (int32_t s = 0; plan->slots && s < plan->program->slot_count; ++s)
    tern_value_release(plan->slots[s].value);
  tern_arena_deinit(&plan->arena);
  TERN_DELETE(plan->allocator, plan);
}

// What a value contributes to the key: kind and type, and the shape of a tensor.
static size_t key_of(const tern_value *value, tern_dim *out) {
  out[0] = (tern_dim)value->kind * 64 + (tern_dim)value->dtype;
  if (value->kind != TERN_KIND_TENSOR) return 1;
  out[1] = value->shape.rank;
  memcpy(out + 2, value->shape.dims, (size_t)value->shape.rank * sizeof *out);
  return (size_t)value->shape.rank + 2;
}

static size_t key_count(const tern_value *const *values, int32_t count) {
  size_t n = 0;
  for (int32_t i = 0; i < count; ++i)
    n += values[i]->kind == TERN_KIND_TENSOR ? (size_t)values[i]->shape.rank + 2 : 1;
  return n;
}

// The cached plan with this key, moved to the front, with a reference for the caller; or NULL.
// Called with the program's mutex held.
static tern_plan *find_cached(tern_program *program, const tern_dim *key, size_t count) {
  for (size_t i = 0; i < TERN_PLAN_CACHE_ENTRIES && program->plans[i]; ++i) {
    tern_plan *plan = program->plans[i];
    if (plan->key_count != count || memcmp(plan->key, key, count * sizeof *key) != 0) continue;
    memmove(&program->plans[1], &program->plans[0], i * sizeof plan);
    program->plans[0] = plan;
    plan->references++;
    return plan;
  }
  return NULL;
}

static void put_cached(tern_program *program, tern_plan *plan) {
  size_t last = TERN_PLAN_CACHE_ENTRIES - 1;
  tern_os_mutex_lock(&program->mutex);
  tern_plan *evicted = program->plans[last];
  memmove(&program->plans[1], &program->plans[0], last * sizeof plan);
  program->plans[0] = plan;
  plan->references++;
  tern_os_mutex_unlock(&program->mutex);
  tern_plan_release(evicted);
}

static tern_status *get_for_key(tern_program *program, const tern_value *const *inputs,
                                const tern_value *const *captures, const tern_dim *key,
                                size_t count, tern_plan **out_plan) {
  tern_os_mutex_lock(&program->mutex);
  tern_plan *plan = find_cached(program, key, count);
  tern_os_mutex_unlock(&program->mutex);
  if (!plan) {
    TERN_TRY(create_plan(program, inputs, captures, &plan));
    tern_status *status = TERN_ARENA_ARRAY(&plan->arena, count, &plan->key);
    if (status) {
      tern_plan_release(plan);
      return status;
    }
    memcpy(plan->key, key, count * sizeof *key);
    plan->key_count = count;
    put_cached(program, plan);
  }
  *out_plan = plan;
  return NULL;
}

tern_status *tern_plan_get(tern_program *program, const tern_value *const *inputs,
                           const tern_value *const *captures, tern_plan **out_plan) {
  tern_dim inline_key[64], *key = inline_key;
  size_t count =
      key_count(inputs, program->input_count) + key_count(captures, program->capture_count);
  if (count > TERN_COUNT_OF(inline_key))
    TERN_TRY(tern_allocator_alloc(program->plan_allocator, count * sizeof *key, (void **)&key));
  size_t at = 0;
  for (int32_t i = 0; i < program->input_count; ++i) at += key_of(inputs[i], key + at);
  for (int32_t i = 0; i < program->capture_count; ++i) at += key_of(captures[i], key + at);
  tern_status *status = get_for_key(program, inputs, captures, key, count, out_plan);
  if (key != inline_key) tern_allocator_free(program->plan_allocator, key, count * sizeof *key);
  return status;
}
