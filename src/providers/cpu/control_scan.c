// Scan, in its present form and in that of opset 8, which works on batches. Both are the same walk:
// slices of the scan inputs in, one item of each scan output out.
#include <string.h>

#include "compute/strided.h"
#include "graph/infer.h"
#include "providers/cpu/control.h"

// One walk over a sequence.
typedef struct scan {
  tern_invocation *invocation;
  const tern_graph *body;
  int32_t state_count, scan_count, stack_count;
  int64_t length;
  tern_value **states;  // counted references, owned by the walk
  tern_value **values;  // the body's inputs
  tern_value **results; // the body's outputs
  tern_value *slices;   // one for each scan input, over scratch memory
  tern_stack *stacks;
} scan;

// One scan input: where its elements are and how it is walked.
typedef struct scan_source {
  const tern_value *value;
  const char *data;   // of this walk
  int32_t first_axis; // axes before it are gone (the batch)
  int32_t axis;
  bool is_backward;
} scan_source;

static tern_status *start(scan *s) {
  tern_invocation *invocation = s->invocation;
  size_t in = (size_t)(s->state_count + s->scan_count), out = s->body->outputs.count;
  s->stack_count = (int32_t)out - s->state_count;
  if (s->stack_count < 0 || s->body->inputs.count != in || invocation->output_count != (int32_t)out)
    return TERN_ERROR(TERN_INVALID_GRAPH,
                      "the body has %zu inputs and %zu outputs, %zu and %d are "
                      "needed",
                      s->body->inputs.count, out, in, invocation->output_count);
  size_t stack_bytes = (size_t)s->stack_count * sizeof *s->stacks;
  TERN_TRY(tern_invocation_scratch(invocation, in * sizeof *s->values, (void **)&s->values));
  TERN_TRY(tern_invocation_scratch(invocation, out * sizeof *s->results, (void **)&s->results));
  if (out > 0) memset(s->results, 0, out * sizeof *s->results);
  TERN_TRY(tern_invocation_scratch(invocation, (in + 1) * sizeof *s->states, (void **)&s->states));
  memset(s->states, 0, (in + 1) * sizeof *s->states);
  TERN_TRY(tern_invocation_scratch(invocation, (size_t)s->scan_count * sizeof *s->slices,
                                   (void **)&s->slices));
  TERN_TRY(tern_invocation_scratch(invocation, stack_bytes, (void **)&s->stacks));
  if (stack_bytes) memset(s->stacks, 0, stack_bytes);
  return NULL;
}

// A slice's shape, and memory for its elements. Strings are borrowed, not copied.
static tern_status *make_slice(scan *s, int32_t index, const scan_source *source) {
  const tern_shape *shape = &source->value->shape;
  tern_shape item = {.rank = 0};
  for (int32_t i = source->first_axis; i < shape->rank; ++i) {
    if (i != source->axis) item.dims[item.rank++] = shape->dims[i];
  }
  int64_t count = 0;
  size_t bytes = 0;
  if (tern_dtype_is_sub_byte(source->value->dtype))
    return TERN_ERROR(TERN_NOT_IMPLEMENTED, "scanning over %s is not supported",
                      tern_dtype_name(source->value->dtype));
  if (!tern_shape_count(&item, &count) || !tern_dtype_bytes(source->value->dtype, count, &bytes))
    return TERN_ERROR(TERN_INVALID_ARGUMENT, "a slice of scan input %d is too large", index);
  void *data;
  TERN_TRY(tern_invocation_scratch(s->invocation, bytes, &data));
  tern_value_init_tensor(&s->slices[index], source->value->dtype, &item, data, bytes);
  s->values[s->state_count + index] = &s->slices[index];
  return NULL;
}

static void fill_slice(scan *s, int32_t index, const scan_source *source, int64_t position) {
  const tern_shape *shape = &source->value->shape;
  tern_strided_axis axes[TERN_MAX_RANK];
  int64_t strides[TERN_MAX_RANK], target[TERN_MAX_RANK];
  int32_t rank = 0;
  size_t element = tern_dtype_size(source->value->dtype);
  tern_strided_dense(shape->dims, shape->rank, strides);
  tern_strided_dense(s->slices[index].shape.dims, s->slices[index].shape.rank, target);
  for (int32_t i = source->first_axis; i < shape->rank; ++i) {
    if (i == source->axis) continue;
    axes[rank] = (tern_strided_axis){shape->dims[i], strides[i], target[rank]};
    ++rank;
  }
  if (source->is_backward) position = s->length - 1 - position;
  tern_strided_copy(NULL, axes, rank, element,
                    source->data + (size_t)(position * strides[source->axis]) * element,
                    s->slices[index].data);
}

static tern_status *walk(scan *s, const scan_source *sources) {
  int32_t outputs = s->state_count + s->stack_count;
  for (int64_t t = 0; t < s->length; ++t) {
    if (tern_invocation_is_terminated(s->invocation))
      return TERN_ERROR(TERN_FAIL, "the run was asked to stop and stopped in iteration %lld",
                        (long long)t);
    for (int32_t i = 0; i < s->state_count; ++i) s->values[i] = s->states[i];
    for (int32_t i = 0; i < s->scan_count; ++i) fill_slice(s, i, &sources[i], t);
    tern_status *status = tern_invocation_run_subgraph(
        s->invocation, "body", s->values, s->state_count + s->scan_count, s->results, outputs);
    if (status) return tern_status_annotate(status, "iteration %lld", (long long)t);
    // The states before are left to the body, to use their memory again.
    for (int32_t i = 0; i < s->state_count; ++i) {
      tern_value *old = s->states[i];
      s->states[i] = s->results[i];
      s->results[i] = old;
    }
    for (int32_t i = 0; i < s->stack_count && !status; ++i)
      status =
          tern_stack_add(&s->stacks[i], s->invocation->allocator, s->results[s->state_count + i]);
    TERN_TRY(status);
  }
  return NULL;
}

static void finish(scan *s) {
  if (s->results) tern_control_release(s->results, s->state_count + s->stack_count);
  if (s->states) tern_control_release(s->states, s->state_count);
  for (int32_t i = 0; s->stacks && i < s->stack_count; ++i)
    tern_stack_deinit(&s->stacks[i], s->invocation->allocator);
}

// Writes a stack to its output, the iterations along `axis`, last first where asked.
static tern_status *emit(scan *s, int32_t index) {
  const tern_stack *stack = &s->stacks[index];
  const tern_node *node = s->invocation->node;
  int32_t output = s->state_count + index, axis, rank = stack->item_shape.rank + 1;
  if (rank > TERN_MAX_RANK)
    return TERN_ERROR(TERN_INVALID_ARGUMENT, "a scan output has too many dimensions");
  TERN_TRY(tern_infer_axis(tern_node_attr_int_at(node, "scan_output_axes", index), rank, &axis));
  bool is_backward = tern_node_attr_int_at(node, "scan_output_directions", index) != 0;
  tern_shape shape = {.rank = rank};
  for (int32_t i = 0, k = 0; i < rank; ++i)
    shape.dims[i] = i == axis ? stack->count : stack->item_shape.dims[k++];
  tern_value *target;
  TERN_TRY(tern_invocation_allocate(s->invocation, output, stack->dtype, &shape, &target));
  if (!target) return NULL;
  if (axis == 0 && !is_backward) return tern_stack_write(stack, target, 0);
  if (stack->items.count > 0)
    return TERN_ERROR(TERN_NOT_IMPLEMENTED,
                      "a scan output of %s is stacked along the first axis only",
                      tern_dtype_name(stack->dtype));
  if (stack->count == 0 || stack->bytes.count == 0) return NULL;
  tern_strided_axis axes[TERN_MAX_RANK];
  int64_t target_strides[TERN_MAX_RANK], item_strides[TERN_MAX_RANK], item_count = 1;
  size_t element = tern_dtype_size(stack->dtype);
  tern_strided_dense(shape.dims, rank, target_strides);
  tern_strided_dense(stack->item_shape.dims, rank - 1, item_strides);
  (void)tern_shape_count(&stack->item_shape, &item_count);
  for (int32_t i = 0, k = 0; i < rank; ++i) {
    int64_t source = i == axis ? (is_backward ? -item_count : item_count) : item_strides[k++];
    axes[i] = (tern_strided_axis){shape.dims[i], source, target_strides[i]};
  }
  const char *first = stack->bytes.data;
  if (is_backward) first += (size_t)((stack->count - 1) * item_count) * element;
  tern_strided_copy(NULL, axes, rank, element, first, target->data);
  return NULL;
}

static tern_status *run_scan(scan *s) {
  tern_invocation *invocation = s->invocation;
  const tern_node *node = invocation->node;
  s->scan_count = (int32_t)tern_node_attr_i(node, "num_scan_inputs");
  s->state_count = invocation->input_count - s->scan_count;
  TERN_TRY(start(s));
  scan_source *sources;
  TERN_TRY(tern_invocation_scratch(invocation, (size_t)s->scan_count * sizeof *sources,
                                   (void **)&sources));
  for (int32_t i = 0; i < s->scan_count; ++i) {
    const tern_value *value = invocation->inputs[s->state_count + i];
    int32_t axis;
    TERN_TRY(tern_infer_axis(tern_node_attr_int_at(node, "scan_input_axes", i), value->shape.rank,
                             &axis));
    sources[i] =
        (scan_source){.value = value,
                      .data = value->data,
                      .axis = axis,
                      .is_backward = tern_node_attr_int_at(node, "scan_input_directions", i) != 0};
    if (i > 0 && value->shape.dims[axis] != s->length)
      return TERN_ERROR(TERN_INVALID_ARGUMENT, "scan input %d has length %lld, others have %lld", i,
                        (long long)value->shape.dims[axis], (long long)s->length);
    s->length = value->shape.dims[axis];
    TERN_TRY(make_slice(s, i, &sources[i]));
  }
  for (int32_t i = 0; i < s->stack_count; ++i)
    tern_stack_expect(&s->stacks[i], s->body, (size_t)(s->state_count + i));
  for (int32_t i = 0; i < s->state_count; ++i)
    TERN_TRY(tern_value_share(invocation->allocator, invocation->inputs[i], &s->states[i]));
  TERN_TRY(walk(s, sources));
  for (int32_t i = 0; i < s->state_count; ++i)
    TERN_TRY(tern_invocation_set_output(invocation, i, s->states[i]));
  for (int32_t i = 0; i < s->stack_count; ++i) TERN_TRY(emit(s, i));
  return NULL;
}

tern_status *tern_control_scan(tern_invocation *invocation) {
  scan s = {.invocation = invocation, .body = tern_node_attr_graph(invocation->node, "body")};
  tern_status *status = run_scan(&s);
  finish(&s);
  return status;
}

// Item `batch` of a tensor whose first axis is the batch, as a value of its own.
static tern_status *take_batch(const tern_value *value, int64_t batch, tern_allocator *allocator,
                               tern_value **out_value) {
  tern_shape shape;
  tern_value item;
  int64_t count = 0;
  tern_shape_set(&shape, value->shape.rank - 1, value->shape.dims + 1);
  (void)tern_shape_count(&shape, &count);
  size_t bytes = (size_t)count * tern_dtype_size(value->dtype);
  tern_value_init_tensor(&item, value->dtype, &shape, (char *)value->data + (size_t)batch * bytes,
                         bytes);
  return tern_value_clone(allocator, &item, out_value);
}

// Writes item `batch` of output `output`, whose shape is [batch_count, ...item]; the first batch
// makes the tensor. `length` ≥ 0: the item is a stack, padded with zeros to that many iterations.
static tern_status *put_batch(scan *s, int32_t output, const tern_value *item,
                              const tern_stack *stack, int64_t batch, int64_t batch_count,
                              int64_t length) {
  tern_shape shape = {.rank = 1, .dims = {batch_count}};
  const tern_shape *inner = item ? &item->shape : &stack->item_shape;
  // NOLINTNEXTLINE(clang-analyzer-core.NullDereference): what is no item is a stack.
  tern_dtype dtype = item ? item->dtype : stack->dtype;
  if (inner->rank + 2 > TERN_MAX_RANK || dtype == TERN_STRING || tern_dtype_is_sub_byte(dtype))
    return TERN_ERROR(TERN_NOT_IMPLEMENTED, "scan output %d of type %s is not supported", output,
                      tern_dtype_name(dtype));
  if (stack) shape.dims[shape.rank++] = length;
  for (int32_t i = 0; i < inner->rank; ++i) shape.dims[shape.rank++] = inner->dims[i];
  tern_value *target;
  TERN_TRY(tern_invocation_allocate(s->invocation, output, dtype, &shape, &target));
  if (!target || target->data_bytes == 0) return NULL;
  size_t bytes = target->data_bytes / (size_t)batch_count;
  char *data = (char *)target->data + (size_t)batch * bytes;
  if (item) {
    memcpy(data, item->data, bytes);
    return NULL;
  }
  memset(data, 0, bytes);
  if (stack->bytes.count) memcpy(data, stack->bytes.data, stack->bytes.count);
  return NULL;
}

static tern_status *run_batch(scan *s, int64_t batch, int64_t batch_count, int64_t longest) {
  tern_invocation *invocation = s->invocation;
  TERN_TRY(start(s));
  scan_source *sources;
  TERN_TRY(tern_invocation_scratch(invocation, (size_t)s->scan_count * sizeof *sources,
                                   (void **)&sources));
  for (int32_t i = 0; i < s->scan_count; ++i) {
    const tern_value *value = invocation->inputs[1 + s->state_count + i];
    size_t bytes = batch_count ? value->data_bytes / (size_t)batch_count : 0;
    sources[i] =
        (scan_source){.value = value,
                      .data = (const char *)value->data + (size_t)batch * bytes,
                      .first_axis = 1,
                      .axis = 1,
                      .is_backward = tern_node_attr_int_at(invocation->node, "directions", i) != 0};
    TERN_TRY(make_slice(s, i, &sources[i]));
  }
  for (int32_t i = 0; i < s->stack_count; ++i)
    tern_stack_expect(&s->stacks[i], s->body, (size_t)(s->state_count + i));
  for (int32_t i = 0; i < s->state_count; ++i)
    TERN_TRY(take_batch(invocation->inputs[1 + i], batch, invocation->allocator, &s->states[i]));
  TERN_TRY(walk(s, sources));
  for (int32_t i = 0; i < s->state_count; ++i)
    TERN_TRY(put_batch(s, i, s->states[i], NULL, batch, batch_count, -1));
  for (int32_t i = 0; i < s->stack_count; ++i)
    TERN_TRY(put_batch(s, s->state_count + i, NULL, &s->stacks[i], batch, batch_count, longest));
  return NULL;
}

// The batch and sequence sizes, which every input shares.
static tern_status *batch_sizes(tern_invocation *invocation, int32_t state_count,
                                int64_t *out_batches, int64_t *out_length) {
  *out_batches = *out_length = -1;
  for (int32_t i = 1; i < invocation->input_count; ++i) {
    const tern_value *value = invocation->inputs[i];
    int32_t needed = i - 1 < state_count ? 1 : 2;
    if (!value || value->shape.rank < needed || value->dtype == TERN_STRING)
      return TERN_ERROR(TERN_INVALID_ARGUMENT, "input %d has no batch to scan over", i);
    bool fits = *out_batches < 0 || value->shape.dims[0] == *out_batches;
    *out_batches = value->shape.dims[0];
    if (needed == 2) {
      fits &= *out_length < 0 || value->shape.dims[1] == *out_length;
      *out_length = value->shape.dims[1];
    }
    if (!fits)
      return TERN_ERROR(TERN_INVALID_ARGUMENT, "input %d has another batch or length than others",
                        i);
  }
  return NULL;
}

tern_status *tern_control_scan_batched(tern_invocation *invocation) {
  int32_t scans = (int32_t)tern_node_attr_i(invocation->node, "num_scan_inputs");
  int32_t states = invocation->input_count - 1 - scans;
  const tern_value *lengths = invocation->inputs[0];
  int64_t batches, longest;
  TERN_TRY(batch_sizes(invocation, states, &batches, &longest));
  if (lengths && tern_value_count(lengths) != batches)
    return TERN_ERROR(TERN_INVALID_ARGUMENT, "there are %lld sequence lengths for %lld batches",
                      (long long)tern_value_count(lengths), (long long)batches);
  for (int64_t b = 0; b < batches; ++b) {
    scan s = {.invocation = invocation,
              .body = tern_node_attr_graph(invocation->node, "body"),
              .state_count = states,
              .scan_count = scans,
              .length = lengths ? ((const int64_t *)lengths->data)[b] : longest};
    if (s.length < 0 || s.length > longest)
      return TERN_ERROR(TERN_INVALID_ARGUMENT, "sequence length %lld is not within [0, %lld]",
                        (long long)s.length, (long long)longest);
    tern_status *status = run_batch(&s, b, batches, longest);
    finish(&s);
    if (status) return tern_status_annotate(status, "batch %lld", (long long)b);
  }
  return NULL;
}
