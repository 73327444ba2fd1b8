// Shapes and types of operators that make elements: constants, ranges, identity matrices, dropout.
#include <math.h>

#include "ops/axes.h"
#include "ops/shape.h"

// How each of Constant's attributes becomes a tensor. The first one given counts.
static const struct constant_form {
  const char *attr;
  tern_dtype dtype; // undefined: the tensor's own
  bool is_list;
} constant_forms[] = {
    {"value", TERN_DTYPE_UNDEFINED, false}, {"sparse_value", TERN_DTYPE_UNDEFINED, false},
    {"value_float", TERN_FLOAT, false},     {"value_floats", TERN_FLOAT, true},
    {"value_int", TERN_INT64, false},       {"value_ints", TERN_INT64, true},
    {"value_string", TERN_STRING, false},   {"value_strings", TERN_STRING, true},
};

tern_status *tern_ops_infer_constant(tern_infer *infer) {
  tern_type *type = &infer->output_types[0];
  for (size_t i = 0; i < TERN_COUNT_OF(constant_forms); ++i) {
    const struct constant_form *form = &constant_forms[i];
    const tern_attr *attr = tern_node_attr(infer->node, form->attr);
    if (!attr) continue;
    if (form->dtype == TERN_DTYPE_UNDEFINED) {
      tern_ops_set_dtype(infer, 0, attr->u.tensor->dtype);
      tern_shape_copy(&type->shape, &attr->u.tensor->shape);
    } else {
      tern_ops_set_dtype(infer, 0, form->dtype);
      type->shape.rank = form->is_list ? 1 : 0;
      type->shape.dims[0] = (int64_t)attr->count;
    }
    return NULL;
  }
  return TERN_ERROR(TERN_INVALID_GRAPH, "a constant has no value");
}

tern_status *tern_ops_infer_constant_of_shape(tern_infer *infer) {
  const tern_value *value = tern_node_attr_tensor(infer->node, "value");
  if (value && tern_value_count(value) != 1)
    return TERN_ERROR(TERN_INVALID_GRAPH, "attribute 'value' has %lld elements, not one",
                      (long long)tern_value_count(value));
  tern_ops_set_dtype(infer, 0, value ? value->dtype : TERN_FLOAT);
  return tern_ops_read_shape(infer, 0, &infer->output_types[0].shape);
}

tern_status *tern_ops_constant_of_shape_symints(tern_infer *infer) {
  const tern_value *value = tern_node_attr_tensor(infer->node, "value");
  const tern_shape *shape = &infer->output_types[0].shape;
  int64_t count;
  if (!value || (value->dtype != TERN_INT64 && value->dtype != TERN_INT32)) return NULL;
  if (shape->rank > 1 || !tern_shape_count(shape, &count) || count > TERN_SYMINTS_MAX) return NULL;
  tern_symint items[TERN_SYMINTS_MAX];
  for (int64_t i = 0; i < count; ++i)
    items[i] = (tern_symint){TERN_SYMINT_NUMBER, tern_dtype_read_i64(value->dtype, value->data, 0)};
  return tern_infer_set_symints(infer, 0, items, (int32_t)count);
}

static uint64_t distance(int64_t from, int64_t to) {
  return (uint64_t)to - (uint64_t)from;
}

// The number of steps from `start` before `limit` is reached, exact for integers.
static uint64_t count_integer_steps(int64_t start, int64_t limit, int64_t delta) {
  if (delta > 0) {
    if (limit <= start) return 0;
    return (distance(start, limit) - 1) / (uint64_t)delta + 1;
  }
  if (limit >= start) return 0;
  return (distance(limit, start) - 1) / (0 - (uint64_t)delta) + 1;
}

static tern_status *count_steps(const tern_value *const *values, int64_t *out_count) {
  double count;
  if (tern_dtype_get_info(values[0]->dtype)->class == TERN_CLASS_I) {
    int64_t numbers[3];
    for (int i = 0; i < 3; ++i)
      numbers[i] = tern_dtype_read_i64(values[i]->dtype, values[i]->data, 0);
    if (numbers[2] == 0) return TERN_ERROR(TERN_INVALID_ARGUMENT, "the step of a range is 0");
    uint64_t steps = count_integer_steps(numbers[0], numbers[1], numbers[2]);
    if (steps > INT64_MAX) return TERN_ERROR(TERN_INVALID_ARGUMENT, "the range is too long");
    *out_count = (int64_t)steps;
    return NULL;
  }
  double numbers[3];
  for (int i = 0; i < 3; ++i)
    numbers[i] = tern_dtype_read_f64(values[i]->dtype, values[i]->data, 0);
  double start = numbers[0], limit = numbers[1], delta = numbers[2];
  if (delta == 0) return TERN_ERROR(TERN_INVALID_ARGUMENT, "the step of a range is 0");
  count = ceil((limit - start) / delta);
  if (isnan(count) || count >= 0x1p62)
    return TERN_ERROR(TERN_INVALID_ARGUMENT, "a range from %g to %g by %g has no length", start,
                      limit, delta);
  *out_count = count > 0 ? (int64_t)count : 0;
  return NULL;
}

// The number of steps when the bounds are not known but one of them is followed from zero by one:
// Range(0, n, 1) has n elements.
static tern_dim count_symbolic_steps(const tern_infer *infer) {
  tern_symint items[3][TERN_SYMINTS_MAX];
  for (int32_t i = 0; i < 3; ++i) {
    int32_t count;
    if (!tern_infer_symints(infer, i, items[i], &count) || count != 1) return TERN_DIM_UNKNOWN;
  }
  if (items[0][0].kind != TERN_SYMINT_NUMBER || items[0][0].value != 0) return TERN_DIM_UNKNOWN;
  if (items[2][0].kind != TERN_SYMINT_NUMBER || items[2][0].value != 1) return TERN_DIM_UNKNOWN;
  return tern_symint_to_dim(items[1][0]);
}

tern_status *tern_ops_infer_range(tern_infer *infer) {
  const tern_value *values[3];
  bool known = true;
  tern_infer_set_rank(infer, 0, 1);
  for (int32_t i = 0; i < 3; ++i) {
    values[i] = tern_infer_value(infer, i);
    known = known && values[i];
    if (values[i] && tern_value_count(values[i]) != 1)
      return TERN_ERROR(TERN_INVALID_ARGUMENT, "input %d of a range has %lld elements, not one", i,
                        (long long)tern_value_count(values[i]));
  }
  tern_dim *dim = &infer->output_types[0].shape.dims[0];
  if (known) return count_steps(values, dim);
  *dim = count_symbolic_steps(infer);
  return NULL;
}

tern_status *tern_ops_infer_eye_like(tern_infer *infer) {
  const tern_type *input = tern_infer_type(infer, 0);
  if (!input) return NULL;
  if (input->shape.rank >= 0 && input->shape.rank != 2)
    return TERN_ERROR(TERN_INVALID_ARGUMENT, "the input has rank %d, not 2", input->shape.rank);
  int64_t dtype = input->dtype;
  if (tern_node_has_attr(infer->node, "dtype")) dtype = tern_node_attr_i(infer->node, "dtype");
  if (!tern_dtype_is_valid(dtype) && dtype != TERN_DTYPE_UNDEFINED)
    return TERN_ERROR(TERN_INVALID_GRAPH, "attribute 'dtype' is %lld, which is no element type",
                      (long long)dtype);
  tern_ops_set_dtype(infer, 0, (tern_dtype)dtype);
  return tern_infer_same_as_input(infer);
}

tern_status *tern_ops_infer_dropout(tern_infer *infer) {
  tern_ops_set_dtype(infer, 1, TERN_BOOL);
  return tern_infer_same_as_input(infer);
}
