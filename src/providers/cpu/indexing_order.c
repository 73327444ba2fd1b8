// Kernels that find and order elements: NonZero, TopK, Unique.
#include <string.h>

#include "compute/order.h"
#include "providers/cpu/elements.h"
#include "providers/cpu/indexing.h"

tern_status *tern_cpu_compute_nonzero(tern_invocation *invocation) {
  const tern_value *input = invocation->inputs[0];
  const tern_shape *shape = &input->shape;
  int64_t count = tern_value_count(input), found = 0, column = 0, at[TERN_MAX_RANK] = {0};
  void *memory;
  TERN_TRY(tern_invocation_scratch(invocation, (size_t)count, &memory));
  bool *marks = memory;
  tern_order_nonzero(input->dtype, input->data, count, marks);
  for (int64_t i = 0; i < count; ++i) found += marks[i];
  const tern_shape output_shape = {.rank = 2, .dims = {shape->rank, found}};
  tern_value *output;
  TERN_TRY(tern_invocation_allocate(invocation, 0, TERN_INT64, &output_shape, &output));
  if (!output) return NULL;
  int64_t *items = output->data;
  for (int64_t i = 0; i < count; ++i) {
    for (int32_t k = 0; marks[i] && k < shape->rank; ++k) items[k * found + column] = at[k];
    column += marks[i];
    for (int32_t k = shape->rank - 1; k >= 0; --k) {
      if (++at[k] < shape->dims[k]) break;
      at[k] = 0;
    }
  }
  return NULL;
}

static int32_t axis_of(const tern_node *node, int32_t rank) {
  int64_t axis = tern_node_attr_i(node, "axis");
  return (int32_t)(axis < 0 ? axis + rank : axis);
}

tern_status *tern_cpu_compute_topk(tern_invocation *invocation) {
  const tern_value *input = invocation->inputs[0];
  tern_value *values = invocation->outputs[0];
  tern_value *indices = invocation->output_count > 1 ? invocation->outputs[1] : NULL;
  const tern_shape *shape = &input->shape;
  int32_t axis = axis_of(invocation->node, shape->rank);
  bool smallest = tern_node_attr_i(invocation->node, "largest") == 0;
  int64_t size = shape->dims[axis], k = *(const int64_t *)invocation->inputs[1]->data;
  int64_t inner = tern_shape_product(shape, axis + 1, shape->rank);
  int64_t lines = tern_shape_product(shape, 0, axis) * inner;
  size_t bytes = tern_dtype_size(input->dtype);
  void *keys_memory, *items_memory;
  TERN_TRY(tern_invocation_scratch(invocation, (size_t)size * sizeof(uint64_t), &keys_memory));
  TERN_TRY(tern_invocation_scratch(invocation, (size_t)k * sizeof(tern_order_item), &items_memory));
  uint64_t *keys = keys_memory;
  tern_order_item *items = items_memory;
  for (int64_t line = 0; k > 0 && line < lines; ++line) {
    const char *from =
        (const char *)input->data + (size_t)(line / inner * size * inner + line % inner) * bytes;
    int64_t to = line / inner * k * inner + line % inner;
    if (!tern_order_keys(input->dtype, from, inner, size, keys))
      return TERN_ERROR(TERN_NOT_IMPLEMENTED, "elements of type %s have no order",
                        tern_dtype_name(input->dtype));
    for (int64_t i = 0; smallest && i < size; ++i) keys[i] = ~keys[i];
    tern_order_top(keys, size, k, items);
    for (int64_t i = 0; i < k; ++i, to += inner) {
      if (values)
        memcpy((char *)values->data + (size_t)to * bytes,
               from + (size_t)(items[i].index * inner) * bytes, bytes);
      if (indices) ((int64_t *)indices->data)[to] = items[i].index;
    }
  }
  return NULL;
}

// The slices of a tensor along one axis (or its elements), as rows to compare: `words` keys each,
// or `words` strings.
typedef struct slice_rows {
  int64_t count, words;
  const uint64_t *keys;
  const tern_string *strings;
} slice_rows;

static int compare_strings(const tern_string *a, const tern_string *b) {
  size_t shorter = a->size < b->size ? a->size : b->size;
  int order = shorter > 0 ? memcmp(a->data, b->data, shorter) : 0;
  return order != 0 ? order : (a->size > b->size) - (a->size < b->size);
}

static int compare_rows(const void *context, int64_t a, int64_t b) {
  const slice_rows *rows = context;
  for (int64_t w = 0; w < rows->words; ++w) {
    int64_t i = a * rows->words + w, j = b * rows->words + w;
    int order = rows->strings ? compare_strings(&rows->strings[i], &rows->strings[j])
                              : (rows->keys[i] > rows->keys[j]) - (rows->keys[i] < rows->keys[j]);
    if (order != 0) return order;
  }
  return 0;
}

// How a tensor is cut: [outer, count, inner]; without an axis every element is a slice.
typedef struct slicing {
  int64_t outer, count, inner;
} slicing;

static tern_status *make_rows(tern_invocation *invocation, const slicing *cut,
                              slice_rows *out_rows) {
  const tern_value *input = invocation->inputs[0];
  // Of an empty tensor the other axes say nothing, and may be too long to walk.
  const int64_t outer = tern_value_count(input) > 0 ? cut->outer : 0, width = outer * cut->inner;
  int64_t words = tern_dtype_get_info(input->dtype)->class == TERN_CLASS_C ? 2 : 1;
  bool is_string = input->dtype == TERN_STRING;
  size_t bytes = tern_dtype_size(input->dtype);
  size_t unit = is_string ? sizeof(tern_string) : (size_t)words * sizeof(uint64_t);
  void *memory;
  TERN_TRY(tern_invocation_scratch(invocation, (size_t)tern_value_count(input) * unit, &memory));
  *out_rows =
      (slice_rows){cut->count, width * (is_string ? 1 : words), memory, is_string ? memory : NULL};
  for (int64_t o = 0; o < outer; ++o) {
    for (int64_t i = 0; i < cut->count; ++i) {
      const char *from =
          (const char *)input->data + (size_t)((o * cut->count + i) * cut->inner) * bytes;
      char *to = (char *)memory + (size_t)(i * width + o * cut->inner) * unit;
      if (is_string)
        memcpy(to, from, (size_t)cut->inner * bytes);
      else if (!tern_order_keys(input->dtype, from, 1, cut->inner, (uint64_t *)(void *)to))
        return TERN_ERROR(TERN_NOT_IMPLEMENTED, "elements of type %s have no order",
                          tern_dtype_name(input->dtype));
    }
  }
  return NULL;
}

static int compare_numbers(const void *context, int64_t a, int64_t b) {
  const int64_t *numbers = context;
  return (numbers[a] > numbers[b]) - (numbers[a] < numbers[b]);
}

// Groups of equal slices: the first of each, how many there are, and the group of every slice.
typedef struct groups {
  int64_t count;
  int64_t *firsts, *counts, *members, *order; // `order`: of groups in the output
} groups;

static tern_status *find_groups(tern_invocation *invocation, const slice_rows *rows, bool sorted,
                                groups *out) {
  enum { ARRAYS = 6 };
  int64_t n = rows->count;
  void *memory;
  TERN_TRY(tern_invocation_scratch(invocation, (size_t)n * ARRAYS * sizeof(int64_t), &memory));
  int64_t *sequence = memory, *spare = sequence + n, *ranks = spare + n;
  groups found = {0, ranks + n, ranks + 2 * n, ranks + 3 * n, sequence};
  if (n == 0) {
    *out = found;
    return NULL;
  }
  for (int64_t i = 0; i < n; ++i) sequence[i] = i;
  tern_order_sort(sequence, n, spare, compare_rows, rows);
  for (int64_t i = 0; i < n; ++i) {
    if (i == 0 || compare_rows(rows, sequence[i - 1], sequence[i]) != 0) {
      found.firsts[found.count] = sequence[i]; // sorting kept the order of equal ones
      found.counts[found.count++] = 0;
    }
    found.counts[found.count - 1]++;
    found.members[sequence[i]] = found.count - 1;
  }
  for (int64_t g = 0; g < found.count; ++g) sequence[g] = g;
  if (!sorted) tern_order_sort(sequence, found.count, spare, compare_numbers, found.firsts);
  for (int64_t g = 0; g < found.count; ++g) ranks[sequence[g]] = g;
  for (int64_t i = 0; i < n; ++i) found.members[i] = ranks[found.members[i]];
  *out = found;
  return NULL;
}

static tern_status *write_slices(tern_invocation *invocation, const slicing *cut,
                                 const groups *found, tern_value *output) {
  tern_cpu_source source;
  tern_cpu_target target;
  TERN_TRY(tern_cpu_source_open(invocation, invocation->inputs[0], &source));
  TERN_TRY(tern_cpu_target_open(invocation, output, &target));
  size_t bytes = (size_t)cut->inner * source.unit_bytes;
  unsigned char *to = target.data;
  for (int64_t o = 0; o < cut->outer && target.count > 0; ++o) {
    for (int64_t g = 0; g < found->count; ++g, to += bytes) {
      int64_t slice = found->firsts[found->order[g]];
      memcpy(to, source.data + (size_t)(o * cut->count + slice) * bytes, bytes);
    }
  }
  return tern_cpu_target_close(&target);
}

// An int64 output of rank 1 that holds items[order[i]], or items[i] without an order.
static tern_status *write_list(tern_invocation *invocation, int32_t index, const int64_t *items,
                               const int64_t *order, int64_t count) {
  const tern_shape shape = {.rank = 1, .dims = {count}};
  tern_value *output;
  if (index >= invocation->output_count) return NULL;
  TERN_TRY(tern_invocation_allocate(invocation, index, TERN_INT64, &shape, &output));
  for (int64_t i = 0; output && i < count; ++i)
    ((int64_t *)output->data)[i] = items[order ? order[i] : i];
  return NULL;
}

tern_status *tern_cpu_compute_unique(tern_invocation *invocation) {
  const tern_value *input = invocation->inputs[0];
  slicing cut = {1, tern_value_count(input), 1};
  tern_shape shape = {.rank = 1};
  int32_t axis = 0;
  if (tern_node_has_attr(invocation->node, "axis")) {
    shape = input->shape;
    axis = axis_of(invocation->node, shape.rank);
    cut.outer = tern_shape_product(&shape, 0, axis);
    cut.count = shape.dims[axis];
    cut.inner = tern_shape_product(&shape, axis + 1, shape.rank);
  }
  slice_rows rows;
  groups found;
  TERN_TRY(make_rows(invocation, &cut, &rows));
  bool sorted = tern_node_attr_i(invocation->node, "sorted") != 0;
  TERN_TRY(find_groups(invocation, &rows, sorted, &found));
  shape.dims[axis] = found.count;
  tern_value *output;
  TERN_TRY(tern_invocation_allocate(invocation, 0, input->dtype, &shape, &output));
  if (output) TERN_TRY(write_slices(invocation, &cut, &found, output));
  TERN_TRY(write_list(invocation, 1, found.firsts, found.order, found.count));
  TERN_TRY(write_list(invocation, 2, found.members, NULL, cut.count));
  return write_list(invocation, 3, found.counts, found.order, found.count);
}
