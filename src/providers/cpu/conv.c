// Kernels of convolutions. Constant weights are packed once, when the kernel is prepared.
#include "compute/conv.h"

#include <stdio.h>

#include "providers/cpu/conv.h"
#include "providers/cpu/fused.h"
#include "providers/cpu/window.h"

typedef struct conv_sizes {
  tern_window window;
  size_t batch, groups, in_channels, out_channels;
} conv_sizes;

// What a fused convolution keeps.
typedef struct fused_state {
  const void *packed; // NULL: the weights are read as they lie
  tern_epilogue_f32 epilogue;
} fused_state;

// Constant weights on their way to be packed.
typedef struct conv_weights {
  conv_sizes sizes;
  const tern_value *inputs[2]; // the node's: [0], which is not known, is NULL
} conv_weights;

#define T float
#define NAME(x) f32_##x
#define NAME_CONV(suffix) tern_conv_f32##suffix
#define NAME_TRANSPOSE(suffix) tern_conv_transpose_f32##suffix
#define NAME_GEMM(suffix) tern_gemm_f32##suffix
#include "providers/cpu/conv.inc"
#undef T
#undef NAME
#undef NAME_CONV
#undef NAME_TRANSPOSE
#undef NAME_GEMM
#define T double
#define NAME(x) f64_##x
#define NAME_CONV(suffix) tern_conv_f64##suffix
#define NAME_TRANSPOSE(suffix) tern_conv_transpose_f64##suffix
#define NAME_GEMM(suffix) tern_gemm_f64##suffix
#include "providers/cpu/conv.inc"
#undef T
#undef NAME
#undef NAME_CONV
#undef NAME_TRANSPOSE
#undef NAME_GEMM

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
  return invocation->inputs[0]->dtype == TERN_FLOAT
             ? f32_conv(invocation, &sizes, invocation->state, NULL, NULL)
             : f64_conv(invocation, &sizes, invocation->state, NULL, NULL);
}

static tern_status *compute_fused(tern_invocation *invocation) {
  const fused_state *state = invocation->state;
  conv_sizes sizes;
  const tern_epilogue_f32 epilogue = tern_cpu_epilogue_of(invocation, &state->epilogue);
  tern_epilogue_f32_context context = {&epilogue, invocation->outputs[0]->data};
  TERN_TRY(read_sizes(invocation->node, &invocation->inputs[0]->shape,
                      &invocation->inputs[1]->shape, &sizes));
  return f32_conv(invocation, &sizes, state->packed, tern_epilogue_f32_finish, &context);
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

// *out_packed is NULL where the weights are read as they lie.
static tern_status *pack_weights(const tern_prepare *prepare, const void **out_packed) {
  const tern_value *w = prepare->constants[1];
  *out_packed = NULL;
  if (!can_pack(prepare, w)) return NULL;
  bool is_float = w->dtype == TERN_FLOAT;
  conv_weights weights = {.inputs = {NULL, w}};
  weight_sizes(prepare->node, &w->shape, &weights.sizes);
  char layout[48];
  snprintf(layout, sizeof layout, "conv of %zu groups", weights.sizes.groups);
  const tern_packing packing = {.layout = layout,
                                .sources = &w,
                                .source_count = 1,
                                .bytes = is_float ? f32_packed_bytes(&weights)
                                                  : f64_packed_bytes(&weights),
                                .fill = is_float ? f32_fill_packed : f64_fill_packed,
                                .context = &weights};
  if (packing.bytes == 0) return NULL;
  TERN_TRY(tern_prepare_packed(prepare, &packing, out_packed));
  prepare->consumed[1] = true;
  return NULL;
}

// The kernel's state is the packed weights themselves.
static tern_status *prepare_conv(const tern_prepare *prepare, void **out_state) {
  const void *packed;
  TERN_TRY(pack_weights(prepare, &packed));
  *out_state = (void *)(uintptr_t)packed;
  return NULL;
}

static void release_fused(void *state, tern_allocator *allocator) {
  if (state) TERN_DELETE(allocator, (fused_state *)state);
}

static tern_status *prepare_fused(const tern_prepare *prepare, void **out_state) {
  fused_state *state;
  TERN_TRY(TERN_NEW(prepare->allocator, &state));
  tern_status *status = tern_cpu_epilogue_prepare(prepare->node, &state->epilogue);
  if (!status) status = pack_weights(prepare, &state->packed);
  if (status) {
    release_fused(state, prepare->allocator);
    return status;
  }
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
     .compute = compute_conv},
    {.domain = TERN_DOMAIN_TERN,
     .op = "FusedConv",
     TERN_CPU_TYPES({"T", TERN_DTYPE_BIT(TERN_FLOAT)}),
     .prepare = prepare_fused,
     .compute = compute_fused,
     .release = release_fused},
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
