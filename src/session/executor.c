// The executor: steps in order, segment by segment, each over its slots.
#include "session/executor.h"

#include <stdatomic.h>
#include <string.h>

#include "base/poison.h"
#include "session/frame_pool.h"
#include "session/outputs.h"
#include "session/place.h"
#include "session/plan.h"
#include "session/size.h"

static bool is_terminated(void *self) {
  const tern_execution *e = self;
  return e->run->terminate && atomic_load_explicit(e->run->terminate, memory_order_relaxed);
}

// ---- Subgraphs.

// A body was prepared for the types of its inputs; a loop's state could change its own.
static tern_status *check_types(const tern_program *program, tern_value *const *inputs) {
  for (int32_t i = 0; i < program->input_count; ++i) {
    const tern_type *type = &program->graph->inputs.data[i]->type;
    if (!inputs[i] || tern_type_admits(type, inputs[i])) continue;
    char expected[TERN_TYPE_TEXT_BYTES], found[TERN_TYPE_TEXT_BYTES];
    tern_type actual;
    tern_value_get_type(inputs[i], &actual);
    return TERN_ERROR(TERN_INVALID_GRAPH, "input %d of the subgraph is %s, it was prepared for %s",
                      i, tern_type_format(&actual, found, sizeof found),
                      tern_type_format(type, expected, sizeof expected));
  }
  return NULL;
}

static tern_status *find_subprogram(const tern_execution *e, const char *attr, int32_t input_count,
                                    int32_t output_count, int32_t *out_index) {
  for (int32_t i = 0; i < e->step->subprogram_count; ++i) {
    const tern_subprogram *sub = &e->step->subprograms[i];
    if (strcmp(sub->attr, attr) != 0) continue;
    if (sub->program->input_count != input_count || sub->program->output_count != output_count)
      return TERN_ERROR(
          TERN_INVALID_GRAPH, "subgraph '%s' has %d inputs and %d outputs; %d and %d are needed",
          attr, sub->program->input_count, sub->program->output_count, input_count, output_count);
    *out_index = i;
    return NULL;
  }
  return TERN_ERROR(TERN_INVALID_GRAPH, "there is no subgraph '%s'", attr);
}

static tern_status *run_in_frame(tern_program *program, tern_run *run, tern_frame *frame,
                                 const tern_value *const *inputs, const tern_frame *around,
                                 bool is_cached, tern_value **inout_outputs);

// The frame stays with the step until its kernel returns: a loop finds it ready in each iteration.
static tern_status *run_subgraph(void *self, const char *attr, tern_value *const *inputs,
                                 int32_t input_count, tern_value **inout_values,
                                 int32_t output_count) {
  tern_execution *e = self;
  int32_t index = 0;
  TERN_TRY(find_subprogram(e, attr, input_count, output_count, &index));
  tern_program *program = e->step->subprograms[index].program;
  TERN_TRY(check_types(program, inputs));
  if (e->run->depth >= TERN_MAX_RUN_DEPTH)
    return TERN_ERROR(TERN_FAIL, "subgraphs run inside each other too deeply");
  tern_frame **frame = &e->frame->bodies[index];
  bool is_first = !*frame;
  if (is_first) TERN_TRY(tern_frame_acquire(program, frame));
  e->run->depth++;
  tern_status *status = run_in_frame(program, e->run, *frame, (const tern_value *const *)inputs,
                                     e->frame, is_first, inout_values);
  e->run->depth--;
  return status;
}

static void give_bodies_back(tern_execution *e) {
  for (int32_t i = 0; i < e->step->subprogram_count; ++i) {
    if (!e->frame->bodies[i]) continue;
    tern_frame_give_back(e->step->subprograms[i].program, e->frame->bodies[i]);
    e->frame->bodies[i] = NULL;
  }
}

// ---- Steps.

// What the kernel made itself must be what the graph counts on.
static tern_status *check_made(const tern_execution *e, int32_t slot) {
  const tern_value *value = e->frame->values[slot];
  const tern_type *type = &e->program->slots[slot].edge->type;
  if (tern_type_admits(type, value)) return NULL;
  char expected[TERN_TYPE_TEXT_BYTES], found[TERN_TYPE_TEXT_BYTES];
  tern_type actual;
  tern_value_get_type(value, &actual);
  return TERN_ERROR(TERN_RUNTIME_EXCEPTION, "'%s' is %s where the graph says %s",
                    e->program->slots[slot].edge->name,
                    tern_type_format(&actual, found, sizeof found),
                    tern_type_format(type, expected, sizeof expected));
}

// Takes over what the kernel made.
static tern_status *take_made(tern_execution *e, tern_status *status) {
  tern_frame *frame = e->frame;
  for (int32_t i = 0; i < e->step->output_count; ++i) {
    int32_t slot = e->step->outputs[i];
    if (slot < 0 || frame->slots[slot].place != TERN_PLACE_RUN) continue;
    frame->values[slot] = frame->outputs[i];
    if (status || !frame->slots[slot].is_made) continue;
    status = check_made(e, slot);
    if (!status) tern_size_made(frame, slot);
  }
  return status;
}

static tern_status *call_kernel(tern_execution *e, uint8_t flags) {
  tern_frame *frame = e->frame;
  const tern_step *step = e->step;
  for (int32_t i = 0; i < step->input_count; ++i)
    frame->inputs[i] = step->inputs[i] < 0 ? NULL : frame->values[step->inputs[i]];
  for (int32_t i = 0; i < step->output_count; ++i)
    frame->outputs[i] = step->outputs[i] < 0 ? NULL : frame->values[step->outputs[i]];
  e->invoke.node = step->node;
  e->invoke.kernel = &step->kernel;
  e->invoke.lane = tern_execution_lane(e);
  e->invoke.placement = step->placement;
  int64_t start = e->run->profiler ? tern_os_monotonic_ns() : 0;
  tern_status *status = flags & TERN_STEP_EMPTY ? NULL : tern_invoke_kernel(&e->invoke);
  if (step->subprogram_count > 0) give_bodies_back(e);
  if (flags & TERN_STEP_BINDS) status = take_made(e, status);
  if (e->run->profiler && !status)
    tern_profiler_add_step(e->run->profiler, step, &step->kernel, frame->inputs, frame->outputs,
                           start);
  return status;
}

static void release_dying(tern_execution *e, int32_t index) {
  tern_frame *frame = e->frame;
  for (int32_t i = 0; i < e->step->dying_count; ++i) {
    int32_t slot = e->step->dying[i];
    const tern_slot_state *state = &frame->slots[slot];
    if (state->place == TERN_PLACE_RUN) {
      tern_value_release(frame->values[slot]);
      frame->values[slot] = NULL;
    } else if (state->place == TERN_PLACE_BUFFER && frame->slots[state->buffer].last == index) {
      tern_poison(frame->headers[slot].data, frame->headers[slot].data_bytes);
    }
  }
}

// Buffers are poisoned while nothing lives in them: a step that reads what is gone, or writes what
// another has, is found where it happens.
static void unpoison_outputs(const tern_execution *e) {
  for (int32_t i = 0; i < e->step->output_count; ++i) {
    int32_t slot = e->step->outputs[i];
    if (slot >= 0 && e->frame->slots[slot].place == TERN_PLACE_BUFFER)
      tern_unpoison(e->frame->headers[slot].data, e->frame->headers[slot].data_bytes);
  }
}

static tern_status *run_step(tern_execution *e, int32_t index) {
  const tern_step *step = e->step = &e->program->steps[index];
  uint8_t flags = e->frame->steps[index].flags;
  if (is_terminated(e))
    return TERN_ERROR(TERN_FAIL, "the run was asked to stop and stopped before node '%s'",
                      step->node->name);
  if (step->waits) TERN_TRY(tern_lanes_wait(e->run->lanes, step->waits));
  if (!(flags & TERN_STEP_SKIPPED)) {
    unpoison_outputs(e);
    if (flags & TERN_STEP_BINDS) TERN_TRY(tern_outputs_bind(e));
    TERN_TRY(call_kernel(e, flags));
  }
  release_dying(e, index);
  return NULL;
}

// ---- Segments.

static int64_t start_time(const tern_execution *e) {
  return e->run->profiler ? tern_os_monotonic_ns() : 0;
}

static void add_planning(const tern_execution *e, int64_t start_ns) {
  if (e->run->profiler) tern_profiler_add_phase(e->run->profiler, "planning", start_ns);
}

// Sizes and places the steps from `begin` on, now that everything before them has run.
static tern_status *make_segment(tern_execution *e, int32_t begin, int32_t *out_end) {
  tern_frame *frame = e->frame;
  tern_segment *segment = &frame->segments[begin];
  tern_sized sized;
  bool learned;
  tern_status *status = tern_size_steps(frame, begin, true, &sized);
  if (status || sized.changed || sized.end != segment->end) segment->parent = 0;
  TERN_TRY(status);
  TERN_TRY(tern_size_learn(frame, begin, true, &sized, &learned));
  if (segment->parent != frame->chain) {
    TERN_TRY(tern_place_later(frame, begin, sized.end));
    *segment = (tern_segment){.parent = frame->chain, .id = ++frame->next_id, .end = sized.end};
    frame->heap_chain = segment->id;
    atomic_fetch_add_explicit(&e->program->segments_placed, 1, memory_order_relaxed);
  }
  frame->chain = segment->id;
  *out_end = sized.end;
  return NULL;
}

static tern_status *enter_segment(tern_execution *e, int32_t begin, int32_t *out_end) {
  // Sizes may follow from anything that was made.
  if (e->run->lanes) TERN_TRY(tern_lanes_wait(e->run->lanes, e->program->providers));
  int64_t start_ns = tern_os_monotonic_ns();
  uint64_t placed = e->frame->next_id;
  tern_status *status = make_segment(e, begin, out_end);
  if (e->frame->next_id != placed) add_planning(e, start_ns);
  atomic_fetch_add_explicit(&e->program->planning_ns, tern_os_monotonic_ns() - start_ns,
                            memory_order_relaxed);
  return status;
}

static tern_status *run_steps(tern_execution *e) {
  int32_t end = e->frame->first_end;
  for (int32_t i = 0; i < e->program->step_count; ++i) {
    if (i == end) TERN_TRY(enter_segment(e, i, &end));
    TERN_TRY(run_step(e, i));
  }
  return e->program->waits ? tern_lanes_wait(e->run->lanes, e->program->waits) : NULL;
}

static tern_status *prepare(tern_execution *e, const tern_value *const *inputs, bool is_cached) {
  tern_program *program = e->program;
  const tern_value *inline_captures[32], **captures = inline_captures;
  size_t bytes = (size_t)program->capture_count * sizeof *captures;
  if (program->capture_count > (int32_t)TERN_COUNT_OF(inline_captures))
    TERN_TRY(tern_allocator_alloc(e->run->allocator, bytes, (void **)&captures));
  for (int32_t i = 0; i < program->capture_count; ++i)
    captures[i] = e->around->values[program->slots[program->captures[i]].parent_slot];
  int64_t start_ns = start_time(e);
  tern_status *status = tern_plan_prepare(program, e->frame, inputs, captures, is_cached);
  if (!status && e->frame->has_planned) add_planning(e, start_ns);
  if (captures != inline_captures) tern_allocator_free(e->run->allocator, captures, bytes);
  return status;
}

static tern_status *run_in_frame(tern_program *program, tern_run *run, tern_frame *frame,
                                 const tern_value *const *inputs, const tern_frame *around,
                                 bool is_cached, tern_value **inout_outputs) {
  tern_execution e = {.program = program,
                      .run = run,
                      .frame = frame,
                      .around = around,
                      .inputs = inputs,
                      .given = inout_outputs};
  e.invoke = (tern_invoke){.inputs = frame->inputs,
                           .outputs = frame->outputs,
                           .allocator = run->allocator,
                           .scratch = &frame->scratch,
                           .parallel = run->parallel,
                           .make_output = tern_outputs_make,
                           .run_subgraph = run_subgraph,
                           .is_terminated = is_terminated,
                           .self = &e};
  frame->given = around ? NULL : inout_outputs;
  tern_status *status = prepare(&e, inputs, is_cached);
  if (!status) status = tern_frame_admit(frame, 0);
  if (!status) status = run_steps(&e);
  if (!status) status = tern_outputs_take(&e, inout_outputs);
  if (status && run->lanes) tern_lanes_drain(run->lanes); // the frame's memory is used again
  tern_frame_clear(frame, status != NULL);
  return status;
}

tern_status *tern_program_run(tern_program *program, tern_run *run, const tern_value *const *inputs,
                              tern_value **inout_outputs) {
  tern_frame *frame;
  TERN_TRY(tern_frame_acquire(program, &frame));
  tern_status *status = run_in_frame(program, run, frame, inputs, NULL, true, inout_outputs);
  tern_frame_give_back(program, frame);
  return status;
}
