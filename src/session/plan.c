// Plans: keys, the cache, and making a frame ready.
#include "session/plan.h"

#include <stdatomic.h>
#include <string.h>

#include "session/place.h"
#include "session/size.h"

// ---- Keys.

static tern_status *push(tern_frame *frame, int64_t word) {
  TERN_ARRAY_PUSH(frame->program->frame_allocator, &frame->next_key, word);
  return NULL;
}

// Kind and element type, the shape of a tensor, and its elements where sizes follow from them.
static tern_status *add_to_key(tern_frame *frame, int32_t slot, const tern_value *value) {
  bool has_elements =
      tern_size_is_small(value) &&
      atomic_load_explicit(&frame->program->reaches_shape[slot], memory_order_relaxed);
  TERN_TRY(push(frame, ((int64_t)value->kind * 64 + (int64_t)value->dtype) * 2 + has_elements));
  if (value->kind != TERN_KIND_TENSOR) return NULL;
  TERN_TRY(push(frame, value->shape.rank));
  for (int32_t i = 0; i < value->shape.rank; ++i) TERN_TRY(push(frame, value->shape.dims[i]));
  if (!has_elements) return NULL;
  for (size_t at = 0; at < value->data_bytes; at += sizeof(int64_t)) {
    int64_t word = 0;
    size_t left = value->data_bytes - at;
    memcpy(&word, (const char *)value->data + at, left < sizeof word ? left : sizeof word);
    TERN_TRY(push(frame, word));
  }
  return NULL;
}

static tern_status *make_key(tern_frame *frame, const tern_value *const *inputs,
                             const tern_value *const *captures) {
  const tern_program *program = frame->program;
  frame->next_key.count = 0;
  for (int32_t i = 0; i < program->input_count; ++i)
    TERN_TRY(add_to_key(frame, program->inputs[i], inputs[i]));
  for (int32_t i = 0; i < program->capture_count; ++i)
    TERN_TRY(add_to_key(frame, program->captures[i], captures[i]));
  // The two take turns: with room for one there is room for the next run's.
  while (frame->key.capacity < frame->next_key.count)
    TERN_TRY(tern_array_grow(program->frame_allocator, sizeof *frame->key.data, frame->key.count,
                             (void **)&frame->key.data, &frame->key.capacity));
  return NULL;
}

static uint64_t hash_key(const int64_t *key, size_t count) {
  uint64_t hash = 0x9e3779b97f4a7c15u ^ count;
  for (size_t i = 0; i < count; ++i) {
    hash = (hash ^ (uint64_t)key[i]) * 0xff51afd7ed558ccdu;
    hash ^= hash >> 32;
  }
  return hash;
}

static bool same_key(const int64_t *a, size_t a_count, const int64_t *b, size_t b_count) {
  return a_count == b_count && (a_count == 0 || memcmp(a, b, a_count * sizeof *a) == 0);
}

// ---- The cache.

void tern_plan_release(tern_plan *plan) {
  if (plan && --plan->references == 0) tern_allocator_free(plan->allocator, plan, plan->bytes);
}

// Moves the plan at `index` to the front, with a reference for the caller.
static tern_plan *use_plan(tern_program *program, size_t index) {
  tern_plan *plan = program->plans[index];
  memmove(&program->plans[1], &program->plans[0], index * sizeof plan);
  program->plans[0] = plan;
  plan->references++;
  return plan;
}

tern_plan *tern_plan_latest(tern_program *program) {
  tern_os_mutex_lock(&program->mutex);
  tern_plan *plan = program->plans[0] ? use_plan(program, 0) : NULL;
  tern_os_mutex_unlock(&program->mutex);
  return plan;
}

static tern_plan *find_plan(tern_program *program, const tern_frame *frame, uint64_t hash) {
  tern_plan *found = NULL;
  tern_os_mutex_lock(&program->mutex);
  for (size_t i = 0; i < TERN_PLAN_CACHE_ENTRIES && program->plans[i] && !found; ++i) {
    const tern_plan *plan = program->plans[i];
    if (plan->key_hash == hash &&
        same_key(plan->key, plan->key_count, frame->next_key.data, frame->next_key.count))
      found = use_plan(program, i);
  }
  tern_os_mutex_unlock(&program->mutex);
  return found;
}

// Takes the caller's reference. Makes room by entries and by bytes, the least recently used first.
static void put_plan(tern_program *program, tern_plan *plan) {
  tern_plan *evicted[TERN_PLAN_CACHE_ENTRIES];
  size_t evicted_count = 0, count = 0;
  tern_os_mutex_lock(&program->mutex);
  while (count < TERN_PLAN_CACHE_ENTRIES && program->plans[count]) ++count;
  while (count > 0 && (count == TERN_PLAN_CACHE_ENTRIES ||
                       program->plan_bytes + plan->bytes > TERN_PLAN_CACHE_BYTES)) {
    evicted[evicted_count] = program->plans[--count];
    program->plans[count] = NULL;
    program->plan_bytes -= evicted[evicted_count++]->bytes;
  }
  memmove(&program->plans[1], &program->plans[0], count * sizeof plan);
  program->plans[0] = plan;
  program->plan_bytes += plan->bytes;
  tern_os_mutex_unlock(&program->mutex);
  for (size_t i = 0; i < evicted_count; ++i) tern_plan_release(evicted[i]);
}

// ---- From a frame to a plan and back.

// Parts of a plan's memory behind its head, each aligned to 8 bytes.
static void *take_part(char **inout_at, size_t bytes) {
  void *part = *inout_at;
  *inout_at += (bytes + 7) & ~(size_t)7;
  return part;
}

// Whether a step of the first segment makes the slot.
static bool is_made_first(const tern_frame *frame, int32_t slot) {
  const tern_slot *of_program = &frame->program->slots[slot];
  return of_program->role == TERN_SLOT_STEP && of_program->first < frame->first_end;
}

// Inputs and captures stand in a plan too, for whoever asks what was run.
static bool is_planned(const tern_frame *frame, int32_t slot) {
  tern_slot_role role = frame->program->slots[slot].role;
  return role == TERN_SLOT_INPUT || role == TERN_SLOT_CAPTURE || is_made_first(frame, slot);
}

static size_t parts_bytes(const tern_frame *frame, size_t key_count) {
  size_t slots = (size_t)frame->program->slot_count, total = 0;
  for (int32_t s = 0; s < frame->program->slot_count; ++s) {
    if (!is_planned(frame, s) || frame->typed[s] != TERN_TYPED_HEADER) continue;
    total += (size_t)frame->headers[s].shape.rank * sizeof(tern_dim);
    if (frame->slots[s].place == TERN_PLACE_KNOWN)
      total += (frame->headers[s].data_bytes + 7) & ~7u;
  }
  return total + key_count * sizeof(int64_t) + slots * sizeof(tern_plan_slot) +
         (((size_t)frame->first_end + 7) & ~(size_t)7);
}

static void write_slot(const tern_frame *frame, int32_t slot, char **inout_at,
                       tern_plan_slot *out_slot) {
  const tern_slot_state *state = &frame->slots[slot];
  const tern_value *header = &frame->headers[slot];
  *out_slot = (tern_plan_slot){.rank = TERN_RANK_UNKNOWN,
                               .buffer = state->buffer,
                               .last = state->last,
                               .output = state->output,
                               .place = state->place,
                               .is_made = state->is_made};
  if (frame->typed[slot] != TERN_TYPED_HEADER) return;
  size_t dims_bytes = (size_t)header->shape.rank * sizeof(tern_dim);
  tern_dim *dims = take_part(inout_at, dims_bytes);
  if (dims_bytes) memcpy(dims, header->shape.dims, dims_bytes);
  out_slot->dims = dims;
  out_slot->rank = header->shape.rank;
  out_slot->dtype = (uint8_t)header->dtype;
  out_slot->bytes = header->data_bytes;
  if (state->is_taken) out_slot->offset = (size_t)((char *)header->data - frame->slab);
  if (state->place != TERN_PLACE_KNOWN) return;
  void *known = take_part(inout_at, header->data_bytes);
  if (header->data_bytes) memcpy(known, header->data, header->data_bytes);
  out_slot->known = known;
}

static tern_status *write_plan(const tern_frame *frame, uint64_t hash, tern_plan **out_plan) {
  const tern_program *program = frame->program;
  size_t slots = (size_t)program->slot_count, key_count = frame->next_key.count;
  size_t bytes = sizeof(tern_plan) + parts_bytes(frame, key_count);
  tern_plan *plan;
  TERN_TRY(tern_allocator_alloc(program->plan_allocator, bytes, (void **)&plan));
  char *at = (char *)(plan + 1);
  int64_t *key = take_part(&at, key_count * sizeof *key);
  tern_plan_slot *list = take_part(&at, slots * sizeof *list);
  uint8_t *flags = take_part(&at, (size_t)frame->first_end);
  *plan = (tern_plan){.references = 2, // the cache's and the caller's
                      .allocator = program->plan_allocator,
                      .bytes = bytes,
                      .key_hash = hash,
                      .key = key,
                      .key_count = key_count,
                      .end = frame->first_end,
                      .slab_bytes = frame->plan_slab_bytes,
                      .slots = list,
                      .flags = flags};
  if (key_count) memcpy(key, frame->next_key.data, key_count * sizeof *key);
  for (int32_t s = 0; s < program->slot_count; ++s) {
    list[s] = (tern_plan_slot){.rank = TERN_RANK_UNKNOWN, .place = TERN_PLACE_RUN, .buffer = -1};
    if (is_planned(frame, s)) write_slot(frame, s, &at, &list[s]);
  }
  for (int32_t i = 0; i < frame->first_end; ++i) flags[i] = frame->steps[i].flags;
  *out_plan = plan;
  return NULL;
}

static tern_status *read_slot(tern_frame *frame, int32_t slot, const tern_plan_slot *planned) {
  tern_slot_state *state = &frame->slots[slot];
  tern_value *header = &frame->headers[slot];
  bool changed = state->place != planned->place &&
                 (state->place == TERN_PLACE_KNOWN || planned->place == TERN_PLACE_KNOWN);
  state->buffer = planned->buffer;
  state->last = planned->last;
  state->output = planned->output;
  state->place = planned->place;
  state->is_made = planned->is_made;
  bool is_typed = planned->rank != TERN_RANK_UNKNOWN;
  frame->typed[slot] = is_typed ? TERN_TYPED_HEADER : TERN_UNTYPED;
  state->is_taken = false;
  frame->values[slot] = NULL;
  if (is_typed) {
    tern_shape shape;
    tern_shape_set(&shape, planned->rank, planned->dims);
    changed |= tern_size_set_type(header, (tern_dtype)planned->dtype, &shape, planned->bytes);
  }
  if (planned->place == TERN_PLACE_KNOWN) {
    TERN_TRY(tern_frame_keep(frame, slot, planned->known, planned->bytes, &changed));
    header->data = state->known;
    frame->values[slot] = header;
  }
  if (changed) frame->changed[slot] = frame->serial;
  return NULL;
}

static void take_place(tern_frame *frame, int32_t slot, const tern_plan_slot *planned) {
  if (planned->place != TERN_PLACE_BUFFER || planned->buffer != slot) return;
  bool is_taken = frame->slots[slot].is_taken = planned->bytes > 0;
  frame->headers[slot].data = is_taken ? frame->slab + planned->offset : NULL;
}

static tern_status *read_plan(tern_frame *frame, const tern_plan *plan) {
  const tern_program *program = frame->program;
  frame->slab_id = 0; // until all is placed
  frame->first_end = plan->end;
  for (int32_t s = 0; s < program->slot_count; ++s)
    if (is_made_first(frame, s)) TERN_TRY(read_slot(frame, s, &plan->slots[s]));
  TERN_TRY(tern_frame_reserve(frame, plan->slab_bytes));
  for (int32_t s = 0; s < program->slot_count; ++s)
    if (is_made_first(frame, s)) take_place(frame, s, &plan->slots[s]);
  for (int32_t i = 0; i < plan->end; ++i) {
    frame->steps[i].flags = plan->flags[i];
    // What infers is not asked again before an input changes; of which elements that is, is not
    // known here.
    frame->steps[i].sized = 0;
  }
  frame->plan_slab_bytes = plan->slab_bytes;
  tern_place_point(frame, plan->end);
  return NULL;
}

// ---- Making a frame ready.

static tern_status *give_all(tern_frame *frame, const tern_value *const *inputs,
                             const tern_value *const *captures) {
  const tern_program *program = frame->program;
  for (int32_t i = 0; i < program->input_count; ++i)
    TERN_TRY(tern_size_given(frame, program->inputs[i], inputs[i]));
  for (int32_t i = 0; i < program->capture_count; ++i)
    TERN_TRY(tern_size_given(frame, program->captures[i], captures[i]));
  return NULL;
}

// Sizes and places the first segment. Where it ends for want of elements of inputs, those become
// part of the key, and it is begun again with them: each time it comes further.
static tern_status *make_first(tern_frame *frame, const tern_value *const *inputs,
                               const tern_value *const *captures) {
  tern_sized sized;
  for (bool has_learned = true; has_learned;) {
    frame->serial++;
    TERN_TRY(give_all(frame, inputs, captures));
    tern_status *status = tern_size_steps(frame, 0, false, &sized);
    if (sized.changed || sized.end != frame->first_end) frame->slab_id = 0;
    TERN_TRY(status);
    TERN_TRY(tern_size_learn(frame, 0, false, &sized, &has_learned));
    if (has_learned) TERN_TRY(make_key(frame, inputs, captures));
  }
  frame->first_end = sized.end;
  return frame->slab_id ? NULL : tern_place_first(frame, sized.end);
}

static tern_status *make_ready(tern_program *program, tern_frame *frame,
                               const tern_value *const *inputs, const tern_value *const *captures,
                               bool is_cached) {
  uint64_t hash = hash_key(frame->next_key.data, frame->next_key.count);
  tern_plan *plan = is_cached ? find_plan(program, frame, hash) : NULL;
  tern_status *status;
  if (plan) {
    status = give_all(frame, inputs, captures);
    if (!status) status = read_plan(frame, plan);
    atomic_fetch_add_explicit(&program->plans_found, 1, memory_order_relaxed);
  } else {
    status = make_first(frame, inputs, captures);
    atomic_fetch_add_explicit(&program->plans_made, 1, memory_order_relaxed);
    hash = hash_key(frame->next_key.data, frame->next_key.count);
    if (!status && is_cached) status = write_plan(frame, hash, &plan);
    if (plan) put_plan(program, plan);
  }
  tern_plan_release(plan);
  return status;
}

static void swap_keys(tern_frame *frame) {
  int64_t *data = frame->key.data;
  size_t count = frame->key.count, capacity = frame->key.capacity;
  frame->key.data = frame->next_key.data;
  frame->key.count = frame->next_key.count;
  frame->key.capacity = frame->next_key.capacity;
  frame->next_key.data = data;
  frame->next_key.count = count;
  frame->next_key.capacity = capacity;
}

tern_status *tern_plan_prepare(tern_program *program, tern_frame *frame,
                               const tern_value *const *inputs, const tern_value *const *captures,
                               bool is_cached) {
  for (int32_t i = 0; i < program->input_count; ++i)
    frame->values[program->inputs[i]] = (tern_value *)(uintptr_t)inputs[i];
  for (int32_t i = 0; i < program->capture_count; ++i)
    frame->values[program->captures[i]] = (tern_value *)(uintptr_t)captures[i];
  TERN_TRY(make_key(frame, inputs, captures));
  frame->serial++;
  frame->has_planned = false;
  if (!frame->is_ready ||
      !same_key(frame->key.data, frame->key.count, frame->next_key.data, frame->next_key.count)) {
    int64_t start_ns = tern_os_monotonic_ns();
    frame->is_ready = false;
    TERN_TRY(make_ready(program, frame, inputs, captures, is_cached));
    swap_keys(frame);
    frame->is_ready = frame->has_planned = true;
    atomic_fetch_add_explicit(&program->planning_ns, tern_os_monotonic_ns() - start_ns,
                              memory_order_relaxed);
  }
  frame->chain = frame->slab_id;
  return NULL;
}
