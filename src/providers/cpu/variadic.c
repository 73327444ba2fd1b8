// Kernels of Min, Max, Sum, Mean, Where and Clip.
#include <string.h>

#include "compute/cast.h"
#include "compute/select.h"
#include "compute/strided.h"
#include "providers/cpu/loops.h"

#define REAL (TERN_DTYPE_BIT(TERN_FLOAT) | TERN_DTYPE_BIT(TERN_DOUBLE))
#define NUMBERS (REAL | TERN_TYPES_INT)

// Output 0 = input `index`, broadcast.
static tern_status *copy_input(const tern_invocation *invocation, int32_t index) {
  const tern_value *x = invocation->inputs[index];
  const size_t size = tern_dtype_size(x->dtype);
  char *y = invocation->outputs[0]->data;
  tern_broadcast broadcast;
  tern_broadcast_cursor cursor;
  TERN_TRY(tern_cpu_broadcast(invocation, index, 1, &broadcast));
  tern_broadcast_seek(&broadcast, 0, &cursor);
  const size_t row_bytes = (size_t)broadcast.row_length * size;
  for (int64_t row = 0; row < broadcast.row_count; ++row, y += row_bytes) {
    const char *from = (const char *)x->data + (size_t)cursor.offsets[0] * size;
    if (broadcast.steps[0] == 0) {
      tern_strided_fill(from, size, broadcast.row_length, y);
    } else {
      memcpy(y, from, row_bytes);
    }
    tern_broadcast_next(&broadcast, &cursor);
  }
  return NULL;
}

// Output 0 = fn(output 0, input `index`).
static tern_status *fold_input(const tern_invocation *invocation, tern_binary_fn fn,
                               int32_t index) {
  tern_value *y = invocation->outputs[0];
  const tern_value *x = invocation->inputs[index];
  const tern_dims inputs[] = {tern_cpu_dims(y), tern_cpu_dims(x)};
  const size_t size = tern_dtype_size(y->dtype);
  const tern_binary_loop loop = {fn, size, size, size, TERN_OPERATIONS_FEW};
  tern_broadcast broadcast;
  if (!tern_broadcast_init(inputs[0], inputs, 2, &broadcast))
    return TERN_ERROR(TERN_INVALID_ARGUMENT, "input %d does not broadcast to the output", index);
  tern_binary_run(invocation->parallel, &loop, &broadcast, y->data, x->data, y->data);
  return NULL;
}

static tern_status *fold(tern_invocation *invocation, tern_binary_op op) {
  const tern_binary_fn fn = tern_binary_find(op, invocation->outputs[0]->dtype);
  int32_t next = 1;
  if (!fn) return tern_cpu_no_loop(invocation->outputs[0]->dtype);
  if (invocation->input_count == 2) {
    TERN_TRY(tern_cpu_binary(invocation, fn, TERN_OPERATIONS_FEW));
    next = 2;
  } else {
    TERN_TRY(copy_input(invocation, 0));
  }
  for (; next < invocation->input_count; ++next) TERN_TRY(fold_input(invocation, fn, next));
  return NULL;
}

static tern_status *compute_min(tern_invocation *invocation) {
  return fold(invocation, TERN_BINARY_MIN);
}
static tern_status *compute_max(tern_invocation *invocation) {
  return fold(invocation, TERN_BINARY_MAX);
}
static tern_status *compute_sum(tern_invocation *invocation) {
  return fold(invocation, TERN_BINARY_ADD);
}

static tern_status *compute_mean(tern_invocation *invocation) {
  tern_value *y = invocation->outputs[0];
  _Alignas(8) unsigned char divisor[8]; // either type
  const int32_t count = invocation->input_count;
  TERN_TRY(fold(invocation, TERN_BINARY_ADD));
  tern_cast(TERN_INT32, &count, y->dtype, divisor, 1, &(tern_cast_options){0});
  const tern_binary_fn divide = tern_binary_find(TERN_BINARY_DIV, y->dtype);
  divide(y->data, 1, divisor, 0, y->data, tern_value_count(y));
  return NULL;
}

static tern_status *select_strings(const tern_broadcast *broadcast, const uint8_t *condition,
                                   const tern_string *a, const tern_string *b, tern_value *y) {
  tern_broadcast_cursor cursor;
  tern_broadcast_seek(broadcast, 0, &cursor);
  const int64_t *at = cursor.offsets, *steps = broadcast->steps;
  int64_t index = 0;
  for (int64_t row = 0; row < broadcast->row_count; ++row) {
    for (int64_t i = 0; i < broadcast->row_length; ++i, ++index) {
      const tern_string *chosen =
          condition[at[0] + i * steps[0]] ? &a[at[1] + i * steps[1]] : &b[at[2] + i * steps[2]];
      TERN_TRY(tern_value_set_string(y, index, chosen->data, chosen->size));
    }
    tern_broadcast_next(broadcast, &cursor);
  }
  return NULL;
}

static tern_status *compute_where(tern_invocation *invocation) {
  const uint8_t *condition = invocation->inputs[0]->data;
  const tern_value *a = invocation->inputs[1], *b = invocation->inputs[2];
  tern_value *y = invocation->outputs[0];
  tern_broadcast broadcast;
  TERN_TRY(tern_cpu_broadcast(invocation, 0, 3, &broadcast));
  if (y->dtype == TERN_STRING) return select_strings(&broadcast, condition, a->data, b->data, y);
  tern_select(invocation->parallel, &broadcast, tern_dtype_size(y->dtype), condition, a->data,
              b->data, y->data);
  return NULL;
}

static const void *bound(const tern_invocation *invocation, int32_t index) {
  const bool is_given = index < invocation->input_count && invocation->inputs[index];
  return is_given ? invocation->inputs[index]->data : NULL;
}

static void clip_block(void *context, int64_t begin, int64_t end) {
  const tern_invocation *invocation = context;
  const tern_value *x = invocation->inputs[0];
  const size_t at = (size_t)begin * tern_dtype_size(x->dtype);
  tern_clip(x->dtype, (const char *)x->data + at, end - begin, bound(invocation, 1),
            bound(invocation, 2), (char *)invocation->outputs[0]->data + at);
}

static tern_status *compute_clip(tern_invocation *invocation) {
  const tern_value *x = invocation->inputs[0];
  const double bytes = 2.0 * (double)tern_dtype_size(x->dtype);
  tern_parallel_for_blocks(invocation->parallel, tern_value_count(x), TERN_CPU_BLOCK,
                           tern_cost(TERN_OPERATIONS_FEW, bytes), clip_block, invocation);
  return NULL;
}

#define KERNEL(op_name, function, dtypes)                                                          \
  { .domain = TERN_DOMAIN_ONNX, .op = op_name, TERN_CPU_TYPES({"T", dtypes}), .compute = function }

static const tern_cpu_kernel kernels[] = {
    KERNEL("Min", compute_min, NUMBERS),
    KERNEL("Max", compute_max, NUMBERS),
    KERNEL("Sum", compute_sum, REAL),
    KERNEL("Mean", compute_mean, REAL),
    {.domain = TERN_DOMAIN_ONNX, .op = "Where", .compute = compute_where},
    KERNEL("Clip", compute_clip, NUMBERS),
};

const tern_cpu_family tern_cpu_variadic = {"variadic", kernels, TERN_COUNT_OF(kernels)};
