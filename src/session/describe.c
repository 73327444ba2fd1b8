// What a session knows of itself, as JSON: the model's signature, what its operators are and who
// runs them, what it costs in operations and memory. Shapes that only a run settles are those of
// the latest run.
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "session/cost.h"
#include "session/failover.h"
#include "session/memory_report.h"
#include "session/plan.h"

// Below 0: not known.
typedef struct node_facts {
  const tern_step *step;
  double flops;
} node_facts;

// The nodes of one operator.
typedef struct op_facts {
  const tern_op *op;
  int64_t count;
  double flops; // of those whose shapes are known
} op_facts;

// What a program and those inside it have, summed.
typedef struct session_survey {
  tern_allocator *allocator;
  TERN_ARRAY(node_facts) nodes; // those of subgraphs after the node they belong to
  TERN_ARRAY(op_facts) ops;
  tern_memory_report memory;
  tern_failover *failover;
  tern_session_state state; // before the survey began
  double flops;
  bool is_complete; // every shape that `flops` needs was known
  int64_t planning_ns, plans_made, plans_found, segments_placed;
} session_survey;

// ---- Shapes and operations of a step.

static void slot_type(const tern_program *program, const tern_plan *plan, int32_t slot,
                      tern_type *out_type) {
  *out_type = program->slots[slot].edge->type;
  const tern_value *constant = tern_edge_constant(program->slots[slot].edge);
  if (constant) tern_value_get_type(constant, out_type);
  if (!plan || plan->slots[slot].rank == TERN_RANK_UNKNOWN) return;
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

static tern_status *step_flops(tern_allocator *allocator, const tern_program *program,
                               const tern_plan *plan, const tern_step *step, double *out_flops) {
  const tern_node *node = step->node;
  size_t count = (size_t)node->input_count + (size_t)node->output_count;
  tern_type *types;
  const tern_type **list;
  TERN_TRY(tern_allocator_calloc(allocator, count, sizeof *types, (void **)&types));
  tern_status *status = tern_allocator_calloc(allocator, count, sizeof *list, (void **)&list);
  if (!status) {
    const tern_type **outputs = list + node->input_count;
    gather(program, plan, step->inputs, node->input_count, types, list);
    gather(program, plan, step->outputs, node->output_count, types + node->input_count, outputs);
    *out_flops = tern_cost_flops(node, list, outputs);
  }
  tern_allocator_free(allocator, list, count * sizeof *list);
  tern_allocator_free(allocator, types, count * sizeof *types);
  return status;
}

// ---- The survey.

static tern_status *count_op(session_survey *survey, const tern_op *op, double flops) {
  size_t i = 0;
  while (i < survey->ops.count && survey->ops.data[i].op != op) ++i;
  if (i == survey->ops.count) {
    const op_facts none = {.op = op};
    TERN_ARRAY_PUSH(survey->allocator, &survey->ops, none);
  }
  survey->ops.data[i].count++;
  if (flops > 0) survey->ops.data[i].flops += flops;
  return NULL;
}

static tern_status *look_at(session_survey *survey, tern_program *program, bool is_idle);

static bool is_skipped(const tern_plan *plan, int32_t index) {
  return index < plan->end && (plan->flags[index] & TERN_STEP_SKIPPED);
}

// Steps that planning has computed, and subgraphs that did not run where the graph around them did,
// cost nothing.
static tern_status *look_at_step(session_survey *survey, const tern_program *program,
                                 const tern_plan *plan, int32_t index, bool is_idle) {
  const tern_step *step = &program->steps[index];
  node_facts facts = {.step = step};
  bool is_free = is_idle || (plan && is_skipped(plan, index));
  if (!is_free) TERN_TRY(step_flops(survey->allocator, program, plan, step, &facts.flops));
  if (facts.flops < 0)
    survey->is_complete = false;
  else
    survey->flops += facts.flops;
  TERN_TRY(count_op(survey, step->node->op, facts.flops));
  TERN_ARRAY_PUSH(survey->allocator, &survey->nodes, facts);
  for (int32_t k = 0; k < step->subprogram_count; ++k)
    TERN_TRY(look_at(survey, step->subprograms[k].program, is_idle || plan));
  return NULL;
}

static int64_t load(const _Atomic int64_t *count) {
  return atomic_load_explicit(count, memory_order_relaxed);
}

static void count_planning(session_survey *survey, const tern_program *program) {
  survey->planning_ns += load(&program->planning_ns);
  survey->plans_made += load(&program->plans_made);
  survey->plans_found += load(&program->plans_found);
  survey->segments_placed += load(&program->segments_placed);
}

// `is_idle`: nothing of the program was run unless it has a plan.
static tern_status *look_at(session_survey *survey, tern_program *program, bool is_idle) {
  count_planning(survey, program);
  tern_plan *plan = tern_plan_latest(program);
  tern_status *status = NULL;
  for (int32_t i = 0; i < program->step_count && !status; ++i)
    status = look_at_step(survey, program, plan, i, is_idle && !plan);
  tern_plan_release(plan);
  return status;
}

static int more_often(const void *a, const void *b) {
  const op_facts *left = a, *right = b;
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

static void put_operators(tern_text *text, const session_survey *survey) {
  tern_text_printf(text, ",\"operators\":[");
  for (size_t i = 0; i < survey->ops.count; ++i) {
    const op_facts *facts = &survey->ops.data[i];
    put_text(text, i ? ",{\"op\":" : "{\"op\":", facts->op->name);
    put_text(text, ",\"domain\":", facts->op->domain);
    put_number(text, "count", facts->count);
    tern_text_printf(text, ",\"flops\":%.0f}", facts->flops);
  }
  tern_text_printf(text, "]");
}

static void put_sums(tern_text *text, const session_survey *survey) {
  put_number(text, "parameters", survey->memory.parameters);
  put_number(text, "parameter_bytes", survey->memory.parameter_bytes);
  tern_text_printf(text, ",\"flops\":%.0f,\"flops_complete\":%s,\"memory\":", survey->flops,
                   survey->is_complete ? "true" : "false");
  tern_memory_report_write(&survey->memory, text);
  tern_text_printf(text, ",\"planning\":{\"planning_ns\":%lld", (long long)survey->planning_ns);
  put_number(text, "plans_made", survey->plans_made);
  put_number(text, "plans_found", survey->plans_found);
  put_number(text, "segments_placed", survey->segments_placed);
  tern_text_printf(text, "}");
}

static void put_placement(tern_text *text, const session_survey *survey) {
  tern_text_printf(text, ",\"placement\":[");
  for (size_t i = 0; i < survey->nodes.count; ++i) {
    const node_facts *facts = &survey->nodes.data[i];
    const tern_step *step = facts->step;
    put_text(text, i ? ",{\"node\":" : "{\"node\":", step->node->name);
    put_text(text, ",\"op\":", step->node->op->name);
    put_text(text, ",\"domain\":", step->node->op->domain);
    put_text(text, ",\"provider\":", step->kernel.provider->name);
    put_text(text, ",\"kernel\":", step->kernel.name);
    if (step->placement->reasons[0]) put_text(text, ",\"left_by\":", step->placement->reasons);
    if (facts->flops >= 0) tern_text_printf(text, ",\"flops\":%.0f", facts->flops);
    put_number(text, "packed_bytes", step->state_bytes);
    tern_text_printf(text, "}");
  }
  tern_text_printf(text, "]");
}

static void put_providers(tern_text *text, const session_survey *survey) {
  const tern_failover *failover = survey->failover;
  put_text(text, ",\"state\":", tern_session_state_name(survey->state));
  tern_text_printf(text, ",\"providers\":[");
  for (int32_t i = 0; i < failover->roster.count; ++i)
    put_text(text, i ? "," : "", failover->roster.providers[i]->name);
  tern_text_printf(text, "]");
  put_number(text, "recoveries", failover->recoveries);
  if (failover->fell_back_for)
    put_text(text, ",\"fell_back_for\":", tern_status_message(failover->fell_back_for));
}

static tern_status *put_session(tern_text *text, const tern_session *session,
                                session_survey *survey) {
  if (survey->ops.count > 0)
    qsort(survey->ops.data, survey->ops.count, sizeof *survey->ops.data, more_often);
  tern_text_printf(text, "{");
  put_model(text, session);
  put_number(text, "nodes", (int64_t)survey->nodes.count);
  put_operators(text, survey);
  put_sums(text, survey);
  put_providers(text, survey);
  put_placement(text, survey);
  tern_text_printf(text, "}");
  return tern_text_check(text);
}

tern_status *tern_session_describe(const tern_session *session, tern_text *out_text) {
  // Not the session's allocator: its memory is described.
  session_survey survey = {.allocator = tern_allocator_system(),
                           .failover = tern_session_failover(session),
                           .state = tern_session_get_state(session),
                           .is_complete = true};
  tern_held_core held = tern_failover_hold(survey.failover);
  tern_status *status = tern_memory_report_make(session, &survey.memory);
  if (!status) status = look_at(&survey, held.core->program, false);
  if (!status) status = put_session(out_text, session, &survey);
  tern_failover_let_go(survey.failover, held);
  TERN_ARRAY_FREE(survey.allocator, &survey.nodes);
  TERN_ARRAY_FREE(survey.allocator, &survey.ops);
  return status;
}
