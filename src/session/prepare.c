// Preparing the kernels of a program's steps: constants are handed over, and let go where the
// kernel has made its own of them.
#include "session/prepare.h"

#include <stdatomic.h>

static tern_status *not_claimed(const tern_step *step, tern_allocator *allocator) {
  const tern_node *node = step->node;
  char where[TERN_NODE_TEXT_BYTES], type[TERN_TYPE_TEXT_BYTES];
  tern_text text;
  tern_text_init(allocator, &text);
  tern_text_printf(&text, "%s; inputs:", step->placement->reasons);
  for (int32_t i = 0; i < node->input_count; ++i)
    tern_text_printf(&text, " %s",
                     node->inputs[i] ? tern_type_format(&node->inputs[i]->type, type, sizeof type)
                                     : "-");
  tern_status *status = TERN_ERROR(TERN_NOT_IMPLEMENTED, "%s: no provider runs %s%s%s-%d (%s)",
                                   tern_node_describe(node, where, sizeof where), node->op->domain,
                                   node->op->domain[0] ? ":" : "", node->op->name, node->op->since,
                                   text.data ? text.data : "");
  tern_text_deinit(&text);
  return status;
}

// Counts the readers of a constant that have consumed it, in its edge's `scratch`; true when this
// was the last one.
static bool consume(tern_edge *edge) {
  uintptr_t consumed = (uintptr_t)edge->scratch + 1;
  edge->scratch = (void *)consumed;
  return consumed == edge->uses.count && edge->output_uses == 0;
}

// Whether somebody reads the elements who is not asked when kernels are prepared: inference, or
// whoever reads the output that shows them.
static bool is_needed_anyway(const tern_node *node, int32_t index) {
  bool is_viewed = index == 0 && (node->op->flags & TERN_OP_VIEW);
  return is_viewed || tern_op_input_bit(node->op->shape_inputs, index);
}

// After preparing: a constant that the kernel consumed lets its memory go; one that it will read
// has to be aligned, and was so in `copy` already.
static void settle_constant(const tern_node *node, int32_t index, bool consumed, tern_value *copy) {
  tern_edge *edge = node->inputs[index];
  tern_value *constant = edge->initializer;
  if (consumed || copy) tern_model_discard(edge->graph->model, constant);
  if (consumed) {
    if (!is_needed_anyway(node, index) && consume(edge)) tern_value_spend(constant);
  } else if (copy) {
    constant->data = copy->data;
    constant->owns_data = true;
    constant->is_misaligned = false;
    copy->owns_data = false;
    copy->data = NULL;
  }
}

// The constants among a node's inputs while its kernel is prepared.
typedef struct constant_inputs {
  const tern_value **values;
  tern_value **copies; // aligned stand-ins for misaligned ones
  bool *consumed;
} constant_inputs;

static tern_status *collect_constants(const tern_node *node, constant_inputs *inputs) {
  for (int32_t i = 0; i < node->input_count; ++i) {
    inputs->values[i] = node->inputs[i] ? tern_edge_constant(node->inputs[i]) : NULL;
    if (!inputs->values[i] || !inputs->values[i]->is_misaligned) continue;
    TERN_TRY(tern_value_clone(inputs->values[i]->allocator, inputs->values[i], &inputs->copies[i]));
    inputs->values[i] = inputs->copies[i];
  }
  return NULL;
}

// A step that is being prepared.
typedef struct preparing {
  tern_program *program;
  const tern_program_options *options;
  tern_step *step;
} preparing;

static tern_status *packed(void *self, const tern_packing *packing, const void **out_data) {
  const preparing *at = self;
  const tern_program_options *options = at->options;
  tern_packed *found;
  TERN_TRY(TERN_ARRAY_RESERVE_ONE(at->program->allocator, &at->step->packed));
  TERN_TRY(tern_packed_get(options->packed_store, options->packed_allocator, packing, &found));
  at->step->packed.data[at->step->packed.count++] = found;
  at->step->state_bytes += (int64_t)tern_packed_bytes(found);
  if (options->packed_keeper) TERN_TRY(tern_packed_keeper_add(options->packed_keeper, found));
  *out_data = tern_packed_data(found);
  return NULL;
}

static tern_status *call_prepare(preparing *at, const constant_inputs *inputs) {
  const tern_placement *placement = at->step->placement;
  bool can_pack = at->options->packed_store && !at->options->disable_prepacking;
  tern_counting_allocator *counting = &at->program->kernel_allocator;
  tern_prepare prepare = {.node = at->step->node,
                          .allocator = &counting->base,
                          .constants = inputs->values,
                          .consumed = inputs->consumed,
                          .host_inputs = placement->claim.host_inputs,
                          .host_outputs = placement->claim.host_outputs,
                          .disable_prepacking = !can_pack,
                          .packed = can_pack ? packed : NULL,
                          .packed_self = at};
  int64_t bytes_before = atomic_load_explicit(&counting->live_bytes, memory_order_relaxed);
  tern_provider *provider = placement->provider;
  TERN_TRY(tern_failure_note(at->options->partition->failure, provider, "prepare", at->step->node,
                             provider->prepare(provider->self, &prepare, &at->step->kernel)));
  at->step->state_bytes +=
      atomic_load_explicit(&counting->live_bytes, memory_order_relaxed) - bytes_before;
  return NULL;
}

static tern_status *prepare_with(preparing *at, constant_inputs *inputs) {
  const tern_node *node = at->step->node;
  TERN_TRY(collect_constants(node, inputs));
  TERN_TRY(call_prepare(at, inputs));
  for (int32_t i = 0; i < node->input_count; ++i) {
    if (inputs->values[i]) settle_constant(node, i, inputs->consumed[i], inputs->copies[i]);
  }
  return NULL;
}

// The kernel is there already; the partition keeps it.
static void take_prepared(tern_step *step) {
  step->kernel = step->placement->kernel;
  step->kernel.release = NULL;
  step->state_bytes = step->placement->state_bytes;
}

tern_status *tern_step_prepare(tern_program *program, const tern_program_options *options,
                               tern_step *step) {
  const tern_node *node = step->node;
  tern_allocator *allocator = program->allocator;
  if (!step->placement->provider) return not_claimed(step, allocator);
  if (step->placement->kernel.compute) {
    take_prepared(step);
    return NULL;
  }
  size_t count = (size_t)node->input_count, bytes = count * (2 * sizeof(void *) + sizeof(bool));
  char *memory;
  TERN_TRY(tern_allocator_calloc(allocator, 1, bytes, (void **)&memory));
  constant_inputs inputs = {.values = (const tern_value **)memory};
  if (count > 0) { // otherwise there is no memory to divide
    inputs.copies = (tern_value **)(inputs.values + count);
    inputs.consumed = (bool *)(inputs.copies + count);
  }
  preparing at = {program, options, step};
  tern_status *status = prepare_with(&at, &inputs);
  for (size_t i = 0; i < count; ++i) tern_value_release(inputs.copies[i]);
  tern_allocator_free(allocator, memory, bytes);
  char where[TERN_NODE_TEXT_BYTES];
  return status ? tern_status_annotate(status, "%s", tern_node_describe(node, where, sizeof where))
                : NULL;
}
