// Kernels of casts and reinterpretation, and the table of the family.
#include "providers/cpu/cast.h"

#include <string.h>

#include "compute/cast.h"
#include "providers/cpu/loops.h"

static tern_status *read_options(const tern_node *node, tern_cast_options *out_options) {
  const char *mode = tern_node_attr_s(node, "round_mode");
  out_options->saturate = tern_node_attr_i(node, "saturate") != 0;
  if (strcmp(mode, "up") == 0) {
    out_options->round = TERN_E8M0_UP;
  } else if (strcmp(mode, "down") == 0) {
    out_options->round = TERN_E8M0_DOWN;
  } else if (strcmp(mode, "nearest") == 0) {
    out_options->round = TERN_E8M0_NEAREST;
  } else {
    return TERN_ERROR(TERN_INVALID_ARGUMENT, "'round_mode' is '%s', not up, down or nearest", mode);
  }
  return NULL;
}

static tern_status *copy_strings(const tern_value *x, tern_value *y) {
  const tern_string *from = x->data;
  const int64_t count = tern_value_count(x);
  for (int64_t i = 0; i < count; ++i)
    TERN_TRY(tern_value_set_string(y, i, from[i].data, from[i].size));
  return NULL;
}

typedef struct cast_run {
  const tern_value *x;
  tern_value *y;
  tern_cast_options options;
} cast_run;

// Blocks begin at whole bytes of packed elements.
static char *element_at(const tern_value *value, int64_t index) {
  size_t bytes = 0;
  return tern_dtype_bytes(value->dtype, index, &bytes) ? (char *)value->data + bytes : NULL;
}

static void cast_block(void *context, int64_t begin, int64_t end) {
  const cast_run *run = context;
  tern_cast(run->x->dtype, element_at(run->x, begin), run->y->dtype, element_at(run->y, begin),
            end - begin, &run->options);
}

static tern_status *compute_cast(tern_invocation *invocation) {
  const tern_value *x = invocation->inputs[0];
  tern_value *y = invocation->outputs[0];
  cast_run run = {.x = x, .y = y};
  TERN_TRY(read_options(invocation->node, &run.options));
  if (x->dtype == TERN_STRING && y->dtype == TERN_STRING) return copy_strings(x, y);
  if (x->dtype == TERN_STRING) return tern_cpu_cast_from_strings(x, y);
  if (y->dtype == TERN_STRING) return tern_cpu_cast_to_strings(x, y);
  if (!tern_cast_is_supported(x->dtype, y->dtype)) return tern_cpu_no_loop(x->dtype);
  const double bytes = (double)(tern_dtype_size(x->dtype) + tern_dtype_size(y->dtype));
  tern_parallel_for_blocks(invocation->parallel, tern_value_count(x), TERN_CPU_BLOCK,
                           tern_cost(TERN_OPERATIONS_FEW, bytes), cast_block, &run);
  return NULL;
}

// A view: the bytes are there already where the session could share them.
static tern_status *compute_bit_cast(tern_invocation *invocation) {
  const tern_value *x = invocation->inputs[0];
  tern_value *y = invocation->outputs[0];
  size_t bytes;
  if (x->data == y->data || !tern_dtype_bytes(x->dtype, tern_value_count(x), &bytes)) return NULL;
  if (bytes > 0) memcpy(y->data, x->data, bytes);
  return NULL;
}

static const tern_cpu_kernel kernels[] = {
    {.domain = TERN_DOMAIN_ONNX, .op = "Cast", .compute = compute_cast},
    {.domain = TERN_DOMAIN_ONNX, .op = "BitCast", .compute = compute_bit_cast},
    {.domain = TERN_DOMAIN_ONNX, .op = "QuantizeLinear", .compute = tern_cpu_compute_quantize},
    {.domain = TERN_DOMAIN_ONNX, .op = "DequantizeLinear", .compute = tern_cpu_compute_dequantize},
    {.domain = TERN_DOMAIN_ONNX,
     .op = "DynamicQuantizeLinear",
     .compute = tern_cpu_compute_dynamic_quantize},
};

const tern_cpu_family tern_cpu_cast = {"cast", kernels, TERN_COUNT_OF(kernels)};
