// Kernels of convolutions. Constant weights are packed once, when the kernel is prepared.
#include "compute/conv.h"

#include "compute/gemm.h"
#include "providers/cpu/conv.h"
#include "providers/cpu/window.h"

typedef struct conv_sizes {
  tern_window window;
  size_t batch, groups, in_channels, out_channels;
} conv_sizes;

typedef struct conv_state {
  void *packed;
  size_t packed_bytes;
} conv_state;

#define T float
#define NAME(x) f32_##x
#define NAME_CONV(suffix) tern_conv_f32##suffix
#define NAME_TRANSPOSE(suffix) tern_conv_transpose_f32##suffix
#include "providers/cpu/conv.inc"
#undef T
#undef NAME
#undef NAME_CONV
#undef NAME_TRANSPOSE
#define T double
#define NAME(x) f64_##x
#define NAME_CONV(suffix) tern_conv_f64##suffix
#define NAME_TRANSPOSE(suffix) tern_conv_transpose_f64##suffix
#include "providers/cpu/conv.inc"
#undef T
#undef NAME
#undef NAME_CONV
#undef NAME_TRANSPOSE

static tern_status *read_sizes(const tern_node *node, const tern_shape *x, const tern_shape *w,
                               conv_sizes *out) {
  tern_op_window window;
  TERN_TRY(tern_op_window_read(node, x, w->dims + 2, &window));
  tern_cpu_window_set(&window, false, &out->window);
  out->batch = (size_t)x->dims[0];
  out->groups = (size_t)tern_node_attr_i(node, "group");
  out->in_channels = (size_t)w->dims[1] * out->groups;
  out->out_channels = (size_t)w->dims[0];
  return NULL;
}

static tern_status *compute_conv(tern_invocation *invocation) {
  conv_sizes sizes;
  TERN_TRY(read_sizes(invocation->node, &invocation->inputs[0]->shape,
                      &invocation->inputs[1]->shape, &sizes));
  return invocation->inputs[0]->dtype == TERN_FLOAT ? f32_conv(invocation, &sizes)
                                                    : f64_conv(invocation, &sizes);
}

static void release(void *pointer, tern_allocator *allocator) {
  conv_state *state = pointer;
  if (!state) return;
  tern_allocator_free(allocator, state->packed, state->packed_bytes);
  TERN_DELETE(allocator, state);
}

// Whether weights can be packed before the input's shape is known: inference has not looked at them
// then.
static bool can_pack(const tern_prepare *prepare, const tern_value *w) {
  int64_t group = tern_node_attr_i(prepare->node, "group");
  return !prepare->disable_prepacking && w && w->shape.rank >= 3 &&
         w->shape.rank - 2 <= TERN_OP_WINDOW_MAX_RANK && tern_value_count(w) > 0 && group >= 1 &&
         w->shape.dims[0] % group == 0;
}

// What packing reads: the weights' own sizes. Spatial sizes are stand-ins.
static void weight_sizes(const tern_node *node, const tern_shape *w, conv_sizes *out) {
  *out = (conv_sizes){.batch = 1,
                      .groups = (size_t)tern_node_attr_i(node, "group"),
                      .out_channels = (size_t)w->dims[0]};
  out->in_channels = (size_t)w->dims[1] * out->groups;
  out->window.rank = (size_t)(w->rank - 2);
  for (int32_t i = 0; i < w->rank - 2; ++i) {
    out->window.kernel[i] = out->window.in[i] = (size_t)w->dims[i + 2];
    out->window.out[i] = out->window.stride[i] = out->window.dilation[i] = 1;
  }
}

static tern_status *prepare_conv(const tern_prepare *prepare, void **out_state) {
  const tern_value *w = prepare->constants[1];
  if (!can_pack(prepare, w)) return NULL;
  conv_state *state;
  conv_sizes sizes;
  weight_sizes(prepare->node, &w->shape, &sizes);
  TERN_TRY(TERN_NEW(prepare->allocator, &state));
  tern_status *status =
      w->dtype == TERN_FLOAT ? f32_pack(prepare, &sizes, state) : f64_pack(prepare, &sizes, state);
  if (status || !state->packed) {
    release(state, prepare->allocator);
    return status;
  }
  prepare->consumed[1] = true;
  *out_state = state;
  return NULL;
}

static tern_status *compute_conv_transpose(tern_invocation *invocation) {
  const tern_shape *x = &invocation->inputs[0]->shape, *w = &invocation->inputs[1]->shape;
  tern_op_window window;
  conv_sizes sizes;
  TERN_TRY(tern_op_window_read_transposed(invocation->node, x, w->dims + 2, &window));
  tern_cpu_window_set(&window, true, &sizes.window);
  sizes.batch = (size_t)x->dims[0];
  sizes.groups = (size_t)tern_node_attr_i(invocation->node, "group");
  sizes.in_channels = (size_t)w->dims[0];
  sizes.out_channels = (size_t)w->dims[1] * sizes.groups;
  return invocation->inputs[0]->dtype == TERN_FLOAT ? f32_transposed(invocation, &sizes)
                                                    : f64_transposed(invocation, &sizes);
}

#define REAL (TERN_DTYPE_BIT(TERN_FLOAT) | TERN_DTYPE_BIT(TERN_DOUBLE))

static const tern_cpu_kernel kernels[] = {
    {.domain = TERN_DOMAIN_ONNX,
     .op = "Conv",
     TERN_CPU_TYPES({"T", REAL}),
     .prepare = prepare_conv,
     .compute = compute_conv,
     .release = release},
    {.domain = TERN_DOMAIN_ONNX,
     .op = "ConvTranspose",
     TERN_CPU_TYPES({"T", REAL}),
     .compute = compute_conv_transpose},
    {.domain = TERN_DOMAIN_ONNX, .op = "ConvInteger", .compute = tern_cpu_conv_integer},
    {.domain = TERN_DOMAIN_ONNX, .op = "QLinearConv", .compute = tern_cpu_qlinear_conv},
    {.domain = TERN_DOMAIN_ONNX,
     .op = "DeformConv",
     TERN_CPU_TYPES({"T", REAL}),
     .compute = tern_cpu_deform_conv},
};

const tern_cpu_family tern_cpu_conv = {"conv", kernels, TERN_COUNT_OF(kernels)};
