// What a session knows of itself, as JSON: the model's signature, what its operators are and who
// runs them, what it costs in operations and memory. Shapes that only a run settles are those of
// the latest run.
#include "session/session.h"

#include <stdlib.h>
#include <string.h>

// How often an operator stands in a session's programs.
typedef struct op_count {
  const tern_op *op;
  int64_t count;
} op_count;

// Sums over a program and those inside it.
typedef struct session_survey {
  tern_allocator *allocator;
  TERN_ARRAY(op_count) ops;
  int64_t nodes, parameters;
  int64_t weight_bytes, slab_bytes, plans, frames, frame_bytes;
  double flops;
  bool is_complete; // every shape that `flops` needs was known
} session_survey;

// ---- Shapes and operations of a step.

// The latest plan of `program`, or NULL; released by the caller.
static tern_plan *latest_plan(tern_program *program) {
  tern_os_mutex_lock(&program->mutex);
  tern_plan *plan = program->plans[0];
  if (plan) plan->references++;
  tern_os_mutex_unlock(&program->mutex);
  return plan;
}

static void slot_type(const tern_program *program, const tern_plan *plan, int32_t slot,
                      tern_type *out_type) {
  *out_type = program->slots[slot].edge->type;
  const tern_value *constant = tern_edge_constant(program->slots[slot].edge);
  if (constant) tern_value_get_type(constant, out_type);
  if (!plan || plan->slots[slot].rank < 0) return;
  tern_shape_set(&out_type->shape, plan->slots[slot].rank, plan->slots[slot].dims);
}

// Fills types[0..count) from `slots` and points at those that are there.
static void gather(const tern_program *program, const tern_plan *plan, const int32_t *slots,
                   int32_t count, tern_type *types, const tern_type **list) {
  for (int32_t i = 0; i < count; ++i) {
    list[i] = NULL;
    if (slots[i] < 0) continue;
    slot_type(program, plan, slots[i], &types[i]);
    list[i] = &types[i];
  }
}

// The elements of all outputs; -1 where a shape is not known.
static double output_elements(const tern_type *const *outputs, int32_t count) {
  double total = 0;
  for (int32_t i = 0; i < count; ++i) {
    int64_t elements;
    if (!outputs[i] || outputs[i]->kind != TERN_KIND_TENSOR) continue;
    if (!tern_shape_count(&outputs[i]->shape, &elements)) return -1;
    total += (double)elements;
  }
  return total;
}

// One operation an output element, unless the operator's row knows better. Views and steps that
// planning has computed cost nothing.
static tern_status *add_flops(session_survey *survey, const tern_program *program,
                              const tern_plan *plan, int32_t index) {
  const tern_step *step = &program->steps[index];
  const tern_node *node = step->node;
  if ((plan && plan->skipped[index]) || (node->op->flags & TERN_OP_VIEW)) return NULL;
  size_t count = (size_t)node->input_count + (size_t)node->output_count;
  tern_type *types;
  const tern_type **list;
  TERN_TRY(tern_allocator_calloc(survey->allocator, count, sizeof *types, (void **)&types));
  tern_status *status =
      tern_allocator_calloc(survey->allocator, count, sizeof *list, (void **)&list);
  if (!status) {
    const tern_type **outputs = list + node->input_count;
    gather(program, plan, step->inputs, node->input_count, types, list);
    gather(program, plan, step->outputs, node->output_count, types + node->input_count, outputs);
    double elements = output_elements(outputs, node->output_count);
    if (elements < 0)
      survey->is_complete = false;
    else
      survey->flops += node->op->flops ? node->op->flops(node, list, outputs) : elements;
  }
  tern_allocator_free(survey->allocator, list, count * sizeof *list);
  tern_allocator_free(survey->allocator, types, count * sizeof *types);
  return status;
}

// ---- The survey.

static tern_status *count_op(session_survey *survey, const tern_op *op) {
  for (size_t i = 0; i < survey->ops.count; ++i) {
    if (survey->ops.data[i].op != op) continue;
    survey->ops.data[i].count++;
    return NULL;
  }
  const op_count first = {op, 1};
  TERN_ARRAY_PUSH(survey->allocator, &survey->ops, first);
  return NULL;
}

static void count_weights(session_survey *survey, const tern_program *program) {
  for (int32_t i = 0; i < program->slot_count; ++i) {
    const tern_slot *slot = &program->slots[i];
    const tern_value *value = slot->edge->initializer;
    bool is_own = slot->role == TERN_SLOT_CONSTANT || slot->role == TERN_SLOT_INPUT;
    if (!is_own || !value || value->kind != TERN_KIND_TENSOR) continue;
    survey->parameters += tern_value_count(value);
    survey->weight_bytes += (int64_t)value->data_bytes;
  }
}

static void count_memory(session_survey *survey, tern_program *program) {
  tern_os_mutex_lock(&program->mutex);
  for (size_t i = 0; i < TERN_PLAN_CACHE_ENTRIES; ++i) {
    if (!program->plans[i]) continue;
    survey->plans++;
    survey->slab_bytes = tern_max_i64(survey->slab_bytes, (int64_t)program->plans[i]->slab_bytes);
  }
  for (size_t i = 0; i < TERN_FRAME_POOL_ENTRIES; ++i) {
    const tern_frame *frame = program->frames[i];
    if (!frame) continue;
    survey->frames++;
    survey->frame_bytes += (int64_t)frame->slab_bytes;
    for (size_t k = 0; k < frame->scratch.pieces.count; ++k)
      survey->frame_bytes += (int64_t)frame->scratch.pieces.data[k].bytes;
  }
  tern_os_mutex_unlock(&program->mutex);
}

static tern_status *look_at(session_survey *survey, tern_program *program) {
  count_weights(survey, program);
  count_memory(survey, program);
  tern_plan *plan = latest_plan(program);
  tern_status *status = NULL;
  for (int32_t i = 0; i < program->step_count && !status; ++i) {
    const tern_step *step = &program->steps[i];
    survey->nodes++;
    status = count_op(survey, step->node->op);
    if (!status) status = add_flops(survey, program, plan, i);
    for (int32_t k = 0; k < step->subprogram_count && !status; ++k)
      status = look_at(survey, step->subprograms[k].program);
  }
  tern_plan_release(plan);
  return status;
}

static int more_often(const void *a, const void *b) {
  const op_count *left = a, *right = b;
  if (left->count != right->count) return left->count > right->count ? -1 : 1;
  int order = strcmp(left->op->domain, right->op->domain);
  return order ? order : strcmp(left->op->name, right->op->name);
}

// ---- The text.

static void put_text(tern_text *text, const char *before, const char *value) {
  tern_text_printf(text, "%s", before);
  tern_text_json_string(text, value ? value : "");
}

static void put_number(tern_text *text, const char *name, int64_t value) {
  tern_text_printf(text, ",\"%s\":%lld", name, (long long)value);
}

static void put_edges(tern_text *text, const char *name, const tern_session *session, size_t count,
                      const tern_edge *(*get)(const tern_session *, size_t)) {
  tern_text_printf(text, ",\"%s\":[", name);
  for (size_t i = 0; i < count; ++i) {
    char type[TERN_TYPE_TEXT_BYTES];
    const tern_edge *edge = get(session, i);
    put_text(text, i ? ",{\"name\":" : "{\"name\":", edge->name);
    put_text(text, ",\"type\":", tern_type_format(&edge->type, type, sizeof type));
    tern_text_printf(text, "}");
  }
  tern_text_printf(text, "]");
}

static void put_model(tern_text *text, const tern_session *session) {
  const tern_model *model = tern_session_model(session);
  put_text(text, "\"producer\":", model->producer_name);
  put_text(text, ",\"graph\":", model->graph->name);
  put_number(text, "ir_version", model->ir_version);
  tern_text_printf(text, ",\"opsets\":[");
  for (size_t i = 0; i < model->opsets.count; ++i) {
    put_text(text, i ? ",{\"domain\":" : "{\"domain\":", model->opsets.data[i].domain);
    put_number(text, "version", model->opsets.data[i].version);
    tern_text_printf(text, "}");
  }
  tern_text_printf(text, "]");
  put_edges(text, "inputs", session, tern_session_input_count(session), tern_session_input);
  put_edges(text, "overridable", session, tern_session_overridable_count(session),
            tern_session_overridable);
  put_edges(text, "outputs", session, tern_session_output_count(session), tern_session_output);
}

static void put_survey(tern_text *text, const session_survey *survey) {
  put_number(text, "nodes", survey->nodes);
  tern_text_printf(text, ",\"operators\":[");
  for (size_t i = 0; i < survey->ops.count; ++i) {
    put_text(text, i ? ",{\"op\":" : "{\"op\":", survey->ops.data[i].op->name);
    put_text(text, ",\"domain\":", survey->ops.data[i].op->domain);
    put_number(text, "count", survey->ops.data[i].count);
    tern_text_printf(text, "}");
  }
  tern_text_printf(text, "]");
  put_number(text, "parameters", survey->parameters);
  tern_text_printf(text, ",\"flops\":%.0f,\"flops_complete\":%s", survey->flops,
                   survey->is_complete ? "true" : "false");
  tern_text_printf(text, ",\"memory\":{\"weight_bytes\":%lld", (long long)survey->weight_bytes);
  put_number(text, "slab_bytes", survey->slab_bytes);
  put_number(text, "plans", survey->plans);
  put_number(text, "frames", survey->frames);
  put_number(text, "frame_bytes", survey->frame_bytes);
  tern_text_printf(text, "}");
}

// Each node with its provider and kernel, those of subgraphs after the node they belong to.
static void put_placement(tern_text *text, const tern_program *program, bool *inout_first) {
  for (int32_t i = 0; i < program->step_count; ++i) {
    const tern_step *step = &program->steps[i];
    put_text(text, *inout_first ? "{\"node\":" : ",{\"node\":", step->node->name);
    put_text(text, ",\"op\":", step->node->op->name);
    put_text(text, ",\"provider\":", step->kernel.provider->name);
    put_text(text, ",\"kernel\":", step->kernel.name);
    tern_text_printf(text, "}");
    *inout_first = false;
    for (int32_t k = 0; k < step->subprogram_count; ++k)
      put_placement(text, step->subprograms[k].program, inout_first);
  }
}

tern_status *tern_session_describe(const tern_session *session, tern_text *out_text) {
  tern_program *program = tern_session_program(session);
  session_survey survey = {.allocator = program->allocator, .is_complete = true};
  tern_status *status = look_at(&survey, program);
  if (!status) {
    if (survey.ops.count > 0)
      qsort(survey.ops.data, survey.ops.count, sizeof *survey.ops.data, more_often);
    bool is_first = true;
    tern_text_printf(out_text, "{");
    put_model(out_text, session);
    put_survey(out_text, &survey);
    tern_text_printf(out_text, ",\"placement\":[");
    put_placement(out_text, program, &is_first);
    tern_text_printf(out_text, "]}");
    status = tern_text_check(out_text);
  }
  TERN_ARRAY_FREE(survey.allocator, &survey.ops);
  return status;
}
