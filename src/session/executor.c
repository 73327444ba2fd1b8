// The executor: steps in order, each over its slots.
#include "session/executor.h"

#include <stdatomic.h>
#include <string.h>

// One run of one program.
typedef struct execution {
  tern_program *program;
  tern_run *run;
  tern_frame *frame;
  tern_value **given_outputs; // by output of the program: the caller's tensors, or NULL
  const tern_step *step;      // at work
} execution;

static bool is_terminated(void *self) {
  const execution *e = self;
  return e->run->terminate && atomic_load_explicit(e->run->terminate, memory_order_relaxed);
}

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

static tern_status *run_subgraph(void *self, const char *attr, tern_value *const *inputs,
                                 int32_t input_count, tern_value **out_values,
                                 int32_t output_count) {
  execution *e = self;
  for (int32_t i = 0; i < e->step->subprogram_count; ++i) {
    const tern_subprogram *sub = &e->step->subprograms[i];
    if (strcmp(sub->attr, attr) != 0) continue;
    if (sub->program->input_count != input_count || sub->program->output_count != output_count)
      return TERN_ERROR(
          TERN_INVALID_GRAPH, "subgraph '%s' has %d inputs and %d outputs; %d and %d are needed",
          attr, sub->program->input_count, sub->program->output_count, input_count, output_count);
    TERN_TRY(check_types(sub->program, inputs));
    if (e->run->depth >= TERN_MAX_RUN_DEPTH)
      return TERN_ERROR(TERN_FAIL, "subgraphs run inside each other too deeply");
    memset(out_values, 0, (size_t)output_count * sizeof *out_values);
    e->run->depth++;
    tern_status *status = tern_program_run(sub->program, e->run, (const tern_value *const *)inputs,
                                           e->frame, out_values);
    e->run->depth--;
    return status;
  }
  return TERN_ERROR(TERN_INVALID_GRAPH, "there is no subgraph '%s'", attr);
}

// The lane of the step at work; NULL without.
static tern_lane *lane_of(const execution *e) {
  return e->run->lanes ? &e->run->lanes->lanes[e->step->placement->index] : NULL;
}

// The caller's tensor for a slot that is an output of the program; NULL without.
static tern_value *given_for(const execution *e, int32_t slot) {
  if (!e->program->slots[slot].is_output) return NULL;
  for (int32_t i = 0; i < e->program->output_count; ++i) {
    if (e->program->outputs[i] == slot) return e->given_outputs[i];
  }
  return NULL;
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

// A tensor of its own for a slot whose size is known only now, or which leaves the run.
static tern_status *make_tensor(execution *e, int32_t slot, tern_dtype dtype,
                                const tern_shape *shape) {
  tern_value *given = given_for(e, slot);
  if (given) {
    TERN_TRY(check_given(given, dtype, shape));
    e->frame->values[slot] = tern_value_retain(given);
    return NULL;
  }
  if (e->program->slots[slot].space)
    return tern_lane_create_tensor(lane_of(e), e->run->allocator, dtype, shape,
                                   &e->frame->values[slot]);
  return tern_value_create_tensor(e->run->allocator, dtype, shape, &e->frame->values[slot]);
}

static void set_header(execution *e, int32_t slot, void *data) {
  const tern_planned_slot *planned = &e->frame->plan->slots[slot];
  tern_shape shape;
  tern_shape_set(&shape, planned->rank, planned->dims);
  tern_value_init_tensor(&e->frame->headers[slot], planned->dtype, &shape, data, planned->bytes);
  e->frame->values[slot] = &e->frame->headers[slot];
}

// Shapes of the step's outputs from its actual inputs, which are checked in doing so.
static tern_status *infer_now(execution *e, tern_type **out_types) {
  tern_frame *frame = e->frame;
  const tern_node *node = e->step->node;
  for (int32_t i = 0; i < node->input_count; ++i) {
    frame->type_list[i] = frame->inputs[i] ? &frame->types[i] : NULL;
    if (frame->inputs[i]) tern_value_get_type(frame->inputs[i], &frame->types[i]);
  }
  *out_types = frame->types + node->input_count;
  return tern_infer_run(node, frame->type_list, frame->inputs, *out_types);
}

// What is learnt from more inputs must be what the plan has made room for.
static tern_status *check_planned(const tern_planned_slot *planned, const tern_type *inferred) {
  tern_shape shape;
  if (!inferred || planned->rank == TERN_RANK_UNKNOWN) return NULL;
  tern_shape_set(&shape, planned->rank, planned->dims);
  if (tern_shape_equal(&shape, &inferred->shape)) return NULL;
  char expected[TERN_SHAPE_TEXT_BYTES], found[TERN_SHAPE_TEXT_BYTES];
  return TERN_ERROR(TERN_RUNTIME_EXCEPTION, "an output of shape %s was planned as %s",
                    tern_shape_format(&inferred->shape, found, sizeof found),
                    tern_shape_format(&shape, expected, sizeof expected));
}

// Memory for one output, unless the kernel makes it itself.
static tern_status *place_output(execution *e, int32_t output, const tern_type *inferred) {
  tern_frame *frame = e->frame;
  int32_t slot = e->step->outputs[output];
  const tern_planned_slot *planned = &frame->plan->slots[slot];
  TERN_TRY(check_planned(planned, inferred));
  if (planned->place == TERN_PLACE_SLAB) {
    set_header(e, slot, frame->slab ? frame->slab + planned->offset : NULL);
  } else if (planned->place == TERN_PLACE_VIEW) {
    set_header(e, slot, frame->values[planned->source]->data);
  } else if (planned->rank != TERN_RANK_UNKNOWN) {
    tern_shape shape;
    tern_shape_set(&shape, planned->rank, planned->dims);
    return make_tensor(e, slot, planned->dtype, &shape);
  } else if (inferred && inferred->kind == TERN_KIND_TENSOR &&
             tern_shape_is_known(&inferred->shape)) {
    return make_tensor(e, slot, inferred->dtype, &inferred->shape);
  }
  return NULL;
}

// `types` are the outputs' as inferred now; NULL where the plan knows them.
static tern_status *place_outputs(execution *e, const tern_type *types) {
  const tern_op *op = e->step->node->op;
  for (int32_t i = 0; i < e->step->node->output_count; ++i) {
    if (e->step->outputs[i] < 0) continue;
    const tern_type *type = types ? &types[i] : NULL;
    TERN_TRY(place_output(e, i, type));
    if (e->frame->values[e->step->outputs[i]] || (op->flags & TERN_OP_DATA_DEPENDENT)) continue;
    if (type && type->kind != TERN_KIND_TENSOR) continue;
    char text[TERN_TYPE_TEXT_BYTES];
    return TERN_ERROR(TERN_INVALID_GRAPH, "the shape of output %d cannot be inferred (%s)", i,
                      type ? tern_type_format(type, text, sizeof text) : "?");
  }
  return NULL;
}

// What the kernel made itself must be what the plan and the graph count on.
static tern_status *check_made(const execution *e, int32_t slot) {
  const tern_value *value = e->frame->values[slot];
  const tern_planned_slot *planned = &e->frame->plan->slots[slot];
  const tern_type *type = &e->program->slots[slot].edge->type;
  bool same = tern_type_admits(type, value);
  if (same && planned->rank != TERN_RANK_UNKNOWN) {
    same = planned->rank == value->shape.rank &&
           memcmp(planned->dims, value->shape.dims,
                  (size_t)planned->rank * sizeof *planned->dims) == 0;
  }
  if (same) return NULL;
  char expected[TERN_TYPE_TEXT_BYTES], found[TERN_TYPE_TEXT_BYTES];
  tern_type actual;
  tern_value_get_type(value, &actual);
  return TERN_ERROR(TERN_RUNTIME_EXCEPTION, "'%s' is %s where the graph says %s",
                    e->program->slots[slot].edge->name,
                    tern_type_format(&actual, found, sizeof found),
                    tern_type_format(type, expected, sizeof expected));
}

static tern_status *call_kernel(execution *e) {
  tern_frame *frame = e->frame;
  const tern_step *step = e->step;
  for (int32_t i = 0; i < step->node->output_count; ++i)
    frame->outputs[i] = step->outputs[i] < 0 ? NULL : frame->values[step->outputs[i]];
  tern_invoke invoke = {.node = step->node,
                        .kernel = &step->kernel,
                        .inputs = frame->inputs,
                        .outputs = frame->outputs,
                        .allocator = e->run->allocator,
                        .scratch = &frame->scratch,
                        .parallel = e->run->parallel,
                        .lane = lane_of(e),
                        .placement = step->placement,
                        .run_subgraph = run_subgraph,
                        .is_terminated = is_terminated,
                        .self = e};
  int64_t start = e->run->profiler ? tern_os_monotonic_ns() : 0;
  tern_status *status = tern_invoke_kernel(&invoke);
  for (int32_t i = 0; i < step->node->output_count; ++i) {
    int32_t slot = step->outputs[i];
    if (slot < 0) continue;
    frame->values[slot] = frame->outputs[i];
    if (!status && tern_frame_owns(frame, slot)) status = check_made(e, slot);
  }
  if (e->run->profiler && !status)
    tern_profiler_add_step(e->run->profiler, step, &step->kernel, frame->inputs, frame->outputs,
                           start);
  return status;
}

static void release_dying(execution *e) {
  tern_frame *frame = e->frame;
  for (int32_t i = 0; i < e->step->dying_count; ++i) {
    int32_t slot = e->step->dying[i];
    if (tern_frame_owns(frame, slot)) tern_value_release(frame->values[slot]);
    frame->values[slot] = NULL;
  }
}

static tern_status *run_step(execution *e, int32_t index) {
  tern_frame *frame = e->frame;
  const tern_step *step = e->step = &e->program->steps[index];
  if (is_terminated(e))
    return TERN_ERROR(TERN_FAIL, "the run was asked to stop and stopped before node '%s'",
                      step->node->name);
  if (step->waits) TERN_TRY(tern_lanes_wait(e->run->lanes, step->waits));
  if (!frame->plan->skipped[index]) {
    for (int32_t i = 0; i < step->node->input_count; ++i)
      frame->inputs[i] = step->inputs[i] < 0 ? NULL : frame->values[step->inputs[i]];
    bool runs_subgraphs = step->node->op->flags & TERN_OP_CONTROL_FLOW;
    tern_type *types = NULL;
    if (frame->plan->is_open[index] && !runs_subgraphs) TERN_TRY(infer_now(e, &types));
    tern_status *status = runs_subgraphs ? NULL : place_outputs(e, types);
    if (status) {
      char where[TERN_NODE_TEXT_BYTES];
      return tern_status_annotate(status, "%s",
                                  tern_node_describe(step->node, where, sizeof where));
    }
    TERN_TRY(call_kernel(e));
  }
  release_dying(e);
  return NULL;
}

// Constants, inputs, captures, and what the plan has computed.
static void fill_slots(execution *e, const tern_value *const *inputs,
                       const tern_value *const *captures) {
  const tern_program *program = e->program;
  tern_value **values = e->frame->values;
  for (int32_t s = 0; s < program->slot_count; ++s) {
    values[s] = e->frame->plan->slots[s].value;
    if (program->slots[s].role == TERN_SLOT_CONSTANT)
      values[s] = (tern_value *)(uintptr_t)tern_edge_constant(program->slots[s].edge);
  }
  for (int32_t i = 0; i < program->input_count; ++i)
    values[program->inputs[i]] = (tern_value *)(uintptr_t)inputs[i];
  for (int32_t i = 0; i < program->capture_count; ++i)
    values[program->captures[i]] = (tern_value *)(uintptr_t)captures[i];
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

// Output `index` leaves the run. What the frame owns is handed over; anything else is shared inside
// a run and copied out of it, because the caller may write to what it gets.
static tern_status *take_output(execution *e, int32_t index, bool is_main, tern_value **out_value) {
  int32_t slot = e->program->outputs[index];
  tern_value *value = e->frame->values[slot], *given = e->given_outputs[index];
  if (given) {
    *out_value = given;
    return value == given ? NULL : copy_into(value, given);
  }
  if (tern_frame_owns(e->frame, slot) && !is_main) {
    *out_value = tern_value_retain(value);
    return NULL;
  }
  if (tern_frame_owns(e->frame, slot)) {
    bool taken_before = false, is_given = false;
    for (int32_t i = 0; i < e->program->output_count; ++i) {
      taken_before |= i < index && e->program->outputs[i] == slot;
      is_given |= e->given_outputs[i] == value;
    }
    if (taken_before || is_given) return tern_value_clone(e->run->allocator, value, out_value);
    *out_value = tern_value_retain(value);
    return NULL;
  }
  return is_main ? tern_value_clone(e->run->allocator, value, out_value)
                 : tern_value_share(e->run->allocator, value, out_value);
}

static tern_status *take_outputs(execution *e, bool is_main, tern_value **inout_outputs) {
  int32_t count = e->program->output_count;
  tern_status *status = NULL;
  int32_t taken = 0;
  for (; taken < count && !status; ++taken) {
    tern_value *value = NULL;
    status = take_output(e, taken, is_main, &value);
    if (!status) inout_outputs[taken] = value;
  }
  return status;
}

static tern_status *execute(execution *e, const tern_value *const *inputs,
                            const tern_frame *around) {
  tern_program *program = e->program;
  const tern_value *inline_captures[32], **captures = inline_captures;
  size_t bytes = (size_t)program->capture_count * sizeof *captures;
  if (program->capture_count > (int32_t)TERN_COUNT_OF(inline_captures))
    TERN_TRY(tern_allocator_alloc(e->run->allocator, bytes, (void **)&captures));
  for (int32_t i = 0; i < program->capture_count; ++i)
    captures[i] = around->values[program->slots[program->captures[i]].parent_slot];
  tern_status *status = tern_plan_get(program, inputs, captures, &e->frame->plan);
  if (!status) {
    fill_slots(e, inputs, captures);
    status = tern_frame_reserve(e->frame, e->frame->plan->slab_bytes);
  }
  if (captures != inline_captures) tern_allocator_free(e->run->allocator, captures, bytes);
  for (int32_t i = 0; i < program->step_count && !status; ++i) status = run_step(e, i);
  if (!status && program->waits) status = tern_lanes_wait(e->run->lanes, program->waits);
  return status;
}

static tern_status *run_in_frame(execution *e, const tern_value *const *inputs,
                                 const tern_frame *around, tern_value **inout_outputs) {
  TERN_TRY(execute(e, inputs, around));
  return take_outputs(e, around == NULL, inout_outputs);
}

tern_status *tern_program_run(tern_program *program, tern_run *run, const tern_value *const *inputs,
                              const tern_frame *around, tern_value **inout_outputs) {
  tern_value *inline_given[16], **given = inline_given;
  size_t bytes = (size_t)program->output_count * sizeof *given;
  if (program->output_count > (int32_t)TERN_COUNT_OF(inline_given))
    TERN_TRY(tern_allocator_alloc(run->allocator, bytes, (void **)&given));
  if (bytes) memcpy(given, inout_outputs, bytes);
  execution e = {.program = program, .run = run, .given_outputs = given};
  tern_status *status = tern_frame_acquire(program, &e.frame);
  if (!status) {
    status = run_in_frame(&e, inputs, around, inout_outputs);
    if (status && run->lanes) tern_lanes_drain(run->lanes); // the frame's memory is used again
    tern_frame_give_back(program, e.frame);
  }
  for (int32_t i = 0; i < program->output_count && status; ++i) {
    if (inout_outputs[i] && inout_outputs[i] != given[i]) tern_value_release(inout_outputs[i]);
    inout_outputs[i] = given[i];
  }
  if (given != inline_given) tern_allocator_free(run->allocator, given, bytes);
  return status;
}
