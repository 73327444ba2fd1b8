// Kernels of convolutions of 8-bit integers. Rows are in conv.c.
#include "compute/conv_int.h"

#include "providers/cpu/conv.h"
#include "providers/cpu/window.h"

// Which inputs of an operator are what; -1: none.
typedef struct conv_inputs {
  int32_t x, x_zero, w, w_zero;
} conv_inputs;

static const tern_value *input_at(const tern_invocation *invocation, int32_t index) {
  return index >= 0 && index < invocation->input_count ? invocation->inputs[index] : NULL;
}

static tern_status *check_count(const tern_value *value, const char *name, int64_t channels) {
  if (!value || tern_value_count(value) == 1 ||
      (channels > 0 && tern_value_count(value) == channels))
    return NULL;
  return TERN_ERROR(TERN_INVALID_ARGUMENT, "%s has %lld values, 1 or %lld are needed", name,
                    (long long)tern_value_count(value), (long long)(channels > 0 ? channels : 1));
}

static tern_status *read_params(const tern_invocation *invocation, conv_inputs at,
                                tern_conv_i8_params *out) {
  const tern_value *x = invocation->inputs[at.x], *w = invocation->inputs[at.w];
  const tern_value *x_zero = input_at(invocation, at.x_zero);
  const tern_value *w_zero = input_at(invocation, at.w_zero);
  tern_op_window window;
  TERN_TRY(check_count(x_zero, "x_zero_point", 0));
  TERN_TRY(check_count(w_zero, "w_zero_point", w->shape.dims[0]));
  TERN_TRY(tern_op_window_read(invocation->node, &x->shape, w->shape.dims + 2, &window));
  *out = (tern_conv_i8_params){.batch = (size_t)x->shape.dims[0],
                               .groups = (size_t)tern_node_attr_i(invocation->node, "group"),
                               .in_channels = (size_t)x->shape.dims[1],
                               .out_channels = (size_t)w->shape.dims[0],
                               .x = x->data,
                               .w = w->data,
                               .x_signed = x->dtype == TERN_INT8,
                               .w_signed = w->dtype == TERN_INT8,
                               .x_zero = x_zero ? x_zero->data : NULL,
                               .w_zero = w_zero ? w_zero->data : NULL,
                               .w_zero_per_channel = w_zero && tern_value_count(w_zero) > 1};
  tern_cpu_window_set(&window, false, &out->window);
  return NULL;
}

static tern_status *convolve(tern_invocation *invocation, tern_conv_i8_params *params,
                             int32_t *sums) {
  size_t bytes;
  void *workspace;
  if (!tern_conv_i8_workspace_bytes(params, &bytes)) return tern_status_out_of_memory();
  TERN_TRY(tern_invocation_scratch(invocation, bytes, &workspace));
  params->y = sums;
  params->parallel = invocation->parallel;
  tern_conv_i8(params, workspace);
  return NULL;
}

tern_status *tern_cpu_conv_integer(tern_invocation *invocation) {
  tern_conv_i8_params params;
  TERN_TRY(
      read_params(invocation, (conv_inputs){.x = 0, .w = 1, .x_zero = 2, .w_zero = 3}, &params));
  return convolve(invocation, &params, invocation->outputs[0]->data);
}

// Adds the bias to a channel's sums and brings them to 8 bits.
static void finish_channel(size_t n, int32_t *sums, int32_t bias, float factor,
                           const tern_value *zero_point, uint8_t *y) {
  for (size_t i = 0; i < n; ++i) sums[i] = (int32_t)((uint32_t)sums[i] + (uint32_t)bias);
  tern_requantize_i8(n, sums, &factor, 0,
                     (int32_t)tern_dtype_read_i64(zero_point->dtype, zero_point->data, 0),
                     zero_point->dtype == TERN_INT8, y);
}

tern_status *tern_cpu_qlinear_conv(tern_invocation *invocation) {
  enum { X, X_SCALE, X_ZERO, W, W_SCALE, W_ZERO, Y_SCALE, Y_ZERO, BIAS };
  const tern_value *const *in = invocation->inputs;
  const tern_value *bias = input_at(invocation, BIAS);
  tern_conv_i8_params params;
  void *scratch;
  TERN_TRY(read_params(invocation,
                       (conv_inputs){.x = X, .w = W, .x_zero = X_ZERO, .w_zero = W_ZERO}, &params));
  TERN_TRY(check_count(in[X_SCALE], "x_scale", 0));
  TERN_TRY(check_count(in[Y_SCALE], "y_scale", 0));
  TERN_TRY(check_count(in[Y_ZERO], "y_zero_point", 0));
  TERN_TRY(check_count(in[W_SCALE], "w_scale", (int64_t)params.out_channels));
  const size_t positions = tern_window_out_size(&params.window);
  const size_t count = (size_t)tern_value_count(invocation->outputs[0]);
  TERN_TRY(tern_invocation_scratch(invocation, count * sizeof(int32_t), &scratch));
  int32_t *sums = scratch;
  TERN_TRY(convolve(invocation, &params, sums));
  const float *w_scales = in[W_SCALE]->data;
  const bool per_channel = tern_value_count(in[W_SCALE]) > 1;
  for (size_t plane = 0; plane < params.batch * params.out_channels; ++plane) {
    const size_t c = plane % params.out_channels;
    const float factor = *(const float *)in[X_SCALE]->data * w_scales[per_channel ? c : 0] /
                         *(const float *)in[Y_SCALE]->data;
    finish_channel(positions, sums + plane * positions, bias ? ((const int32_t *)bias->data)[c] : 0,
                   factor, in[Y_ZERO], (uint8_t *)invocation->outputs[0]->data + plane * positions);
  }
  return NULL;
}
