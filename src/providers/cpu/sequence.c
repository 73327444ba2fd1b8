// Kernels of sequences and optionals. Items are counted values that containers share: putting one
// into a sequence, or taking it out, copies it only when it is borrowed memory.
#include <string.h>

#include "providers/cpu/elements.h"
#include "providers/cpu/sequence.h"

static const tern_value *input_at(const tern_invocation *invocation, int32_t index) {
  return index < invocation->input_count ? invocation->inputs[index] : NULL;
}

tern_status *tern_cpu_container_create(const tern_invocation *invocation, int32_t output,
                                       tern_kind kind, tern_value **out_container) {
  const tern_edge *edge = invocation->node->outputs[output];
  return tern_value_create_container(invocation->allocator, kind, TERN_DTYPE_UNDEFINED,
                                     edge ? edge->type.element : NULL, out_container);
}

tern_status *tern_cpu_container_finish(tern_invocation *invocation, int32_t output,
                                       tern_value *container, tern_status *status) {
  if (!status) status = tern_invocation_set_output(invocation, output, container);
  tern_value_release(container);
  return status;
}

// Appends a reference to `item`, or a copy of it.
static tern_status *append_shared(tern_allocator *allocator, tern_value *container,
                                  const tern_value *item) {
  tern_value *shared;
  TERN_TRY(tern_value_share(allocator, item, &shared));
  tern_status *status = tern_value_append(container, shared);
  tern_value_release(shared);
  return status;
}

static tern_status *append_items(tern_value *container, const tern_value *sequence, size_t begin,
                                 size_t end) {
  for (size_t i = begin; i < end; ++i)
    TERN_TRY(append_shared(container->allocator, container, sequence->items[i]));
  return NULL;
}

// A position in [-count, count + extra), counted from the end where it is negative.
static tern_status *read_position(const tern_value *position, size_t count, int64_t extra,
                                  size_t *out_position) {
  if (tern_value_count(position) != 1)
    return TERN_ERROR(TERN_INVALID_ARGUMENT, "the position has %lld elements, 1 is needed",
                      (long long)tern_value_count(position));
  int64_t at = tern_dtype_read_i64(position->dtype, position->data, 0), size = (int64_t)count;
  if (at < -size || at >= size + extra)
    return TERN_ERROR(TERN_INVALID_ARGUMENT, "position %lld in a sequence of %lld", (long long)at,
                      (long long)size);
  *out_position = (size_t)(at < 0 ? at + size : at);
  return NULL;
}

static tern_status *compute_at(tern_invocation *invocation) {
  const tern_value *sequence = invocation->inputs[0];
  size_t at;
  TERN_TRY(read_position(invocation->inputs[1], sequence->item_count, 0, &at));
  return tern_invocation_set_output(invocation, 0, sequence->items[at]);
}

static tern_status *compute_construct(tern_invocation *invocation) {
  tern_value *sequence;
  TERN_TRY(tern_cpu_container_create(invocation, 0, TERN_KIND_SEQUENCE, &sequence));
  tern_status *status = NULL;
  for (int32_t i = 0; !status && i < invocation->input_count; ++i)
    status = append_shared(invocation->allocator, sequence, invocation->inputs[i]);
  return tern_cpu_container_finish(invocation, 0, sequence, status);
}

static tern_status *compute_empty(tern_invocation *invocation) {
  tern_value *sequence;
  TERN_TRY(tern_cpu_container_create(invocation, 0, TERN_KIND_SEQUENCE, &sequence));
  return tern_cpu_container_finish(invocation, 0, sequence, NULL);
}

static tern_status *compute_erase(tern_invocation *invocation) {
  const tern_value *from = invocation->inputs[0], *position = input_at(invocation, 1);
  size_t at = from->item_count - 1;
  if (position)
    TERN_TRY(read_position(position, from->item_count, 0, &at));
  else if (from->item_count == 0)
    return TERN_ERROR(TERN_INVALID_ARGUMENT, "the sequence is empty");
  tern_value *sequence;
  TERN_TRY(tern_cpu_container_create(invocation, 0, TERN_KIND_SEQUENCE, &sequence));
  tern_status *status = append_items(sequence, from, 0, at);
  if (!status) status = append_items(sequence, from, at + 1, from->item_count);
  return tern_cpu_container_finish(invocation, 0, sequence, status);
}

static tern_status *compute_insert(tern_invocation *invocation) {
  const tern_value *from = invocation->inputs[0], *position = input_at(invocation, 2);
  const tern_value *item = invocation->inputs[1];
  if (from->item_count > 0 && from->items[0]->dtype != item->dtype)
    return TERN_ERROR(TERN_INVALID_ARGUMENT, "a tensor of %s does not fit a sequence of %s",
                      tern_dtype_name(item->dtype), tern_dtype_name(from->items[0]->dtype));
  size_t at = from->item_count;
  if (position) TERN_TRY(read_position(position, from->item_count, 1, &at));
  tern_value *sequence;
  TERN_TRY(tern_cpu_container_create(invocation, 0, TERN_KIND_SEQUENCE, &sequence));
  tern_status *status = append_items(sequence, from, 0, at);
  if (!status) status = append_shared(invocation->allocator, sequence, item);
  if (!status) status = append_items(sequence, from, at, from->item_count);
  return tern_cpu_container_finish(invocation, 0, sequence, status);
}

static tern_status *compute_length(tern_invocation *invocation) {
  *(int64_t *)invocation->outputs[0]->data = (int64_t)invocation->inputs[0]->item_count;
  return NULL;
}

// The i-th of `count` runs of the body.
static tern_status *map_item(tern_invocation *invocation, size_t i, tern_value **inputs,
                             tern_value **results, tern_value **sequences) {
  for (int32_t k = 0; k < invocation->input_count; ++k) {
    const tern_value *input = invocation->inputs[k];
    // Inputs of a subgraph are only read.
    inputs[k] =
        input->kind == TERN_KIND_SEQUENCE ? input->items[i] : (tern_value *)(uintptr_t)input;
  }
  int32_t count = invocation->output_count;
  TERN_TRY(tern_invocation_run_subgraph(invocation, "body", inputs, invocation->input_count,
                                        results, count));
  tern_status *status = NULL;
  for (int32_t k = 0; k < count; ++k) {
    if (!status) status = append_shared(invocation->allocator, sequences[k], results[k]);
    tern_value_release(results[k]);
    results[k] = NULL;
  }
  return status;
}

static tern_status *map_items(tern_invocation *invocation, tern_value **memory) {
  tern_value **inputs = memory, **results = inputs + invocation->input_count,
             **sequences = results + invocation->output_count;
  size_t count = invocation->inputs[0]->item_count;
  for (int32_t k = 1; k < invocation->input_count; ++k) {
    const tern_value *input = invocation->inputs[k];
    if (input->kind == TERN_KIND_SEQUENCE && input->item_count != count)
      return TERN_ERROR(TERN_INVALID_ARGUMENT, "sequence %d has %zu items, the first has %zu", k,
                        input->item_count, count);
  }
  for (int32_t k = 0; k < invocation->output_count; ++k)
    TERN_TRY(tern_cpu_container_create(invocation, k, TERN_KIND_SEQUENCE, &sequences[k]));
  for (size_t i = 0; i < count; ++i) {
    if (tern_invocation_is_terminated(invocation)) break;
    TERN_TRY(map_item(invocation, i, inputs, results, sequences));
  }
  for (int32_t k = 0; k < invocation->output_count; ++k)
    TERN_TRY(tern_invocation_set_output(invocation, k, sequences[k]));
  return NULL;
}

static tern_status *compute_map(tern_invocation *invocation) {
  size_t in = (size_t)invocation->input_count, out = (size_t)invocation->output_count;
  size_t bytes = (in + 2 * out) * sizeof(tern_value *);
  void *memory;
  TERN_TRY(tern_invocation_scratch(invocation, bytes, &memory));
  memset(memory, 0, bytes);
  tern_status *status = map_items(invocation, memory);
  tern_value **sequences = (tern_value **)memory + in + out;
  for (size_t k = 0; k < out; ++k) tern_value_release(sequences[k]);
  return status;
}

static tern_status *compute_optional(tern_invocation *invocation) {
  const tern_value *item = input_at(invocation, 0);
  tern_value *optional;
  TERN_TRY(tern_cpu_container_create(invocation, 0, TERN_KIND_OPTIONAL, &optional));
  tern_status *status = item ? append_shared(invocation->allocator, optional, item) : NULL;
  return tern_cpu_container_finish(invocation, 0, optional, status);
}

// What an optional holds; a value that is no optional holds itself. NULL: nothing.
static const tern_value *held_by(const tern_value *value) {
  if (!value || value->kind != TERN_KIND_OPTIONAL) return value;
  return value->item_count ? value->items[0] : NULL;
}

static tern_status *compute_get_element(tern_invocation *invocation) {
  const tern_value *item = held_by(invocation->inputs[0]);
  if (!item) return TERN_ERROR(TERN_INVALID_ARGUMENT, "the optional is empty");
  return tern_invocation_set_output(invocation, 0, (tern_value *)(uintptr_t)item);
}

static tern_status *compute_has_element(tern_invocation *invocation) {
  *(bool *)invocation->outputs[0]->data = held_by(input_at(invocation, 0)) != NULL;
  return NULL;
}

static const tern_cpu_kernel kernels[] = {
    {.domain = TERN_DOMAIN_ONNX, .op = "SequenceAt", .compute = compute_at},
    {.domain = TERN_DOMAIN_ONNX, .op = "SequenceConstruct", .compute = compute_construct},
    {.domain = TERN_DOMAIN_ONNX, .op = "SequenceEmpty", .compute = compute_empty},
    {.domain = TERN_DOMAIN_ONNX, .op = "SequenceErase", .compute = compute_erase},
    {.domain = TERN_DOMAIN_ONNX, .op = "SequenceInsert", .compute = compute_insert},
    {.domain = TERN_DOMAIN_ONNX, .op = "SequenceLength", .compute = compute_length},
    {.domain = TERN_DOMAIN_ONNX, .op = "SplitToSequence", .compute = tern_cpu_split_to_sequence},
    {.domain = TERN_DOMAIN_ONNX,
     .op = "ConcatFromSequence",
     .compute = tern_cpu_concat_from_sequence},
    {.domain = TERN_DOMAIN_ONNX, .op = "SequenceMap", .compute = compute_map},
    {.domain = TERN_DOMAIN_ONNX, .op = "Optional", .compute = compute_optional},
    {.domain = TERN_DOMAIN_ONNX, .op = "OptionalGetElement", .compute = compute_get_element},
    {.domain = TERN_DOMAIN_ONNX, .op = "OptionalHasElement", .compute = compute_has_element},
};

const tern_cpu_family tern_cpu_sequence = {"sequence", kernels, TERN_COUNT_OF(kernels)};
