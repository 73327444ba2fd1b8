// Kernels of blocked images. Constant weights and biases are packed when the kernel is prepared.
#include "compute/blocked.h"

#include <stdio.h>
#include <string.h>

#include "providers/cpu/blocked.h"
#include "providers/cpu/fused.h"
#include "providers/cpu/window.h"

// ---- What the layout pass asks

enum { MAX_REACH = 64 }; // of a kernel, with its dilation: it bounds what is copied for a strip

static bool is_float(const tern_edge *edge) {
  return edge->type.kind == TERN_KIND_TENSOR && edge->type.dtype == TERN_FLOAT;
}

static bool is_depthwise(const tern_node *node, const tern_shape *w) {
  const int64_t group = tern_node_attr_i(node, "group");
  return group > 1 && w->dims[0] == group && w->dims[1] == 1;
}

// Whether the window is one that the kernels below walk, whatever the image's size.
static bool takes_window(const tern_node *node, const tern_shape *w) {
  static const tern_dim unknown[] = {TERN_DIM_UNKNOWN, TERN_DIM_UNKNOWN, TERN_DIM_UNKNOWN,
                                     TERN_DIM_UNKNOWN};
  tern_shape x;
  tern_op_window window;
  tern_shape_set(&x, 4, unknown);
  tern_status *status = tern_op_window_read(node, &x, w->dims + 2, &window);
  if (status) {
    tern_status_ignore(status);
    return false;
  }
  int64_t taps = 1;
  for (int32_t d = 0; d < 2; ++d) {
    if (window.kernel[d] < 1 || window.kernel[d] > MAX_REACH || window.dilation[d] > MAX_REACH ||
        (window.kernel[d] - 1) * window.dilation[d] >= MAX_REACH)
      return false;
    taps *= window.kernel[d];
  }
  return taps <= TERN_BLOCKED_MAX_TAPS || !is_depthwise(node, w);
}

// Whether the kernel below computes a convolution with these weights.
static bool takes_conv(const tern_node *node) {
  const tern_edge *bias = node->input_count > 2 ? node->inputs[2] : NULL;
  const tern_shape *w = &node->inputs[1]->type.shape;
  if (!tern_edge_constant(node->inputs[1]) || (bias && !tern_edge_constant(bias))) return false;
  if (w->rank != 4 || w->dims[0] < 1 || w->dims[1] < 1) return false;
  if (tern_node_attr_i(node, "group") != 1 && !is_depthwise(node, w)) return false;
  return takes_window(node, w);
}

int32_t tern_cpu_preferred_block(void *self, const tern_node *node) {
  (void)self;
  if (node->input_count < 1 || !node->inputs[0] || !is_float(node->inputs[0])) return 0;
  const bool is_conv =
      strcmp(node->op->name, "Conv") == 0 || strcmp(node->op->name, "FusedConv") == 0;
  return is_conv && !takes_conv(node) ? 0 : (int32_t)tern_blocked_block();
}

// ---- Convolution

typedef struct conv_state {
  const float *packed;
  tern_epilogue_f32 epilogue;
  int32_t x_rank; // 4: X is plain
  bool is_depthwise;
} conv_state;

// Weights on their way to be packed; sizes that packing does not read are 0.
typedef struct conv_weights {
  tern_blocked_conv_params conv;
  tern_blocked_window_params depthwise;
  const tern_value *w, *bias; // bias NULL: none
  bool is_depthwise;
} conv_weights;

static void read_weights(const tern_prepare *prepare, conv_weights *out) {
  const tern_node *node = prepare->node;
  const tern_shape *w = &prepare->constants[1]->shape;
  *out = (conv_weights){.w = prepare->constants[1],
                        .bias = node->input_count > 2 ? prepare->constants[2] : NULL,
                        .is_depthwise = is_depthwise(node, w)};
  tern_window window = {.rank = 2};
  for (int32_t d = 0; d < 2; ++d) {
    window.kernel[d] = (size_t)w->dims[2 + d];
    window.in[d] = window.out[d] = window.stride[d] = window.dilation[d] = 1;
  }
  out->conv = (tern_blocked_conv_params){.window = window,
                                         .in_channels = (size_t)w->dims[1],
                                         .out_channels = (size_t)w->dims[0],
                                         .is_planar = node->inputs[0]->type.shape.rank == 4};
  out->depthwise = (tern_blocked_window_params){.window = window, .channels = (size_t)w->dims[0]};
}

static tern_status *fill_packed(void *context, void *out_data) {
  const conv_weights *weights = context;
  const float *bias = weights->bias ? weights->bias->data : NULL;
  if (weights->is_depthwise)
    tern_blocked_depthwise_pack(&weights->depthwise, weights->w->data, bias, out_data);
  else
    tern_blocked_conv_pack(&weights->conv, weights->w->data, bias, out_data);
  return NULL;
}

static tern_status *pack(const tern_prepare *prepare, conv_state *state) {
  const tern_node *node = prepare->node;
  conv_weights weights;
  const void *packed;
  if (!prepare->packed || !takes_conv(node) ||
      tern_node_attr_i(node, "block") != (int64_t)tern_blocked_block())
    return TERN_ERROR(TERN_NOT_IMPLEMENTED, "no kernel computes this on blocked images");
  read_weights(prepare, &weights);
  state->is_depthwise = weights.is_depthwise;
  state->x_rank = node->inputs[0]->type.shape.rank;
  const tern_packing packing = {
      .layout = weights.is_depthwise     ? "blocked depthwise"
                : weights.conv.is_planar ? "blocked conv, plain image"
                                         : "blocked conv",
      .sources = (const tern_value *const[]){weights.w, weights.bias},
      .source_count = weights.bias ? 2 : 1,
      .bytes = weights.is_depthwise ? tern_blocked_depthwise_packed_bytes(&weights.depthwise)
                                    : tern_blocked_conv_packed_bytes(&weights.conv),
      .fill = fill_packed,
      .context = &weights};
  TERN_TRY(tern_prepare_packed(prepare, &packing, &packed));
  state->packed = packed;
  prepare->consumed[1] = true;
  if (weights.bias) prepare->consumed[2] = true;
  return NULL;
}

static void release(void *state, tern_allocator *allocator) {
  if (state) TERN_DELETE(allocator, (conv_state *)state);
}

static tern_status *prepare_conv(const tern_prepare *prepare, void **out_state) {
  conv_state *state;
  TERN_TRY(TERN_NEW(prepare->allocator, &state));
  tern_status *status = tern_cpu_epilogue_prepare(prepare->node, &state->epilogue);
  if (!status) status = pack(prepare, state);
  if (status) {
    release(state, prepare->allocator);
    return status;
  }
  *out_state = state;
  return NULL;
}

static tern_status *read_window(const tern_invocation *invocation, tern_window *out_window) {
  const tern_shape *x = &invocation->inputs[0]->shape, *w = &invocation->inputs[1]->shape;
  const tern_dim dims[] = {x->dims[0], w->dims[1], x->dims[2], x->dims[3]};
  tern_shape plain;
  tern_op_window window;
  tern_shape_set(&plain, 4, dims);
  TERN_TRY(tern_op_window_read(invocation->node, &plain, w->dims + 2, &window));
  tern_cpu_window_set(&window, false, out_window);
  return NULL;
}

// A range of tiles for each thread, with a workspace of its own.
typedef struct conv_job {
  tern_blocked_conv_params conv;
  tern_blocked_window_params window;
  char *workspaces;
  size_t workspace_bytes;
} conv_job;

static void run_conv(void *context, int64_t begin, int64_t end) {
  const conv_job *job = context;
  void *workspace = job->workspaces + (size_t)tern_parallel_lane() * job->workspace_bytes;
  tern_blocked_conv_tiles(&job->conv, (size_t)begin, (size_t)(end - begin), workspace);
}

static void run_depthwise(void *context, int64_t begin, int64_t end) {
  const conv_job *job = context;
  void *workspace = job->workspaces + (size_t)tern_parallel_lane() * job->workspace_bytes;
  tern_blocked_depthwise_tiles(&job->window, (size_t)begin, (size_t)(end - begin), workspace);
}

static tern_status *spread(tern_invocation *invocation, conv_job *job, size_t tiles, double flops,
                           tern_parallel_fn fn) {
  const int64_t tile_ns = tern_cost_ns(flops / (double)tern_max_size(tiles, 1), 0);
  const int32_t lanes = tern_parallel_lanes(invocation->parallel, (int64_t)tiles, tile_ns);
  void *workspaces;
  job->workspace_bytes = (job->workspace_bytes + TERN_BUFFER_ALIGNMENT - 1) /
                         TERN_BUFFER_ALIGNMENT * TERN_BUFFER_ALIGNMENT;
  TERN_TRY(tern_invocation_scratch(invocation, (size_t)lanes * job->workspace_bytes, &workspaces));
  job->workspaces = workspaces;
  tern_parallel_for(invocation->parallel, (int64_t)tiles, tile_ns, fn, job);
  return NULL;
}

static tern_status *compute_conv(tern_invocation *invocation) {
  const conv_state *state = invocation->state;
  const tern_value *x = invocation->inputs[0];
  const tern_shape *w = &invocation->inputs[1]->shape;
  const tern_epilogue_f32 epilogue = tern_cpu_epilogue_of(invocation, &state->epilogue);
  tern_window window;
  if (x->shape.rank != state->x_rank || (state->is_depthwise && x->shape.rank != 5))
    return TERN_ERROR(TERN_INVALID_ARGUMENT, "an input of rank %d", x->shape.rank);
  TERN_TRY(read_window(invocation, &window));
  conv_job job = {.conv = {.window = window,
                           .batch = (size_t)x->shape.dims[0],
                           .in_channels = (size_t)w->dims[1],
                           .out_channels = (size_t)w->dims[0],
                           .is_planar = x->shape.rank == 4,
                           .x = x->data,
                           .packed = state->packed,
                           .y = invocation->outputs[0]->data,
                           .epilogue = &epilogue},
                  .window = {.window = window,
                             .batch = (size_t)x->shape.dims[0],
                             .channels = (size_t)w->dims[0],
                             .x = x->data,
                             .packed = state->packed,
                             .y = invocation->outputs[0]->data,
                             .epilogue = &epilogue}};
  const double flops = 2.0 * (double)tern_shape_product(w, 0, w->rank) * (double)job.conv.batch *
                       (double)tern_window_out_size(&window);
  if (state->is_depthwise) {
    job.workspace_bytes = tern_blocked_depthwise_workspace_bytes(&job.window);
    return spread(invocation, &job, tern_blocked_depthwise_tile_count(&job.window), flops,
                  run_depthwise);
  }
  job.workspace_bytes = tern_blocked_conv_workspace_bytes(&job.conv);
  return spread(invocation, &job, tern_blocked_conv_tile_count(&job.conv), flops, run_conv);
}

// ---- There and back

typedef struct reorder_job {
  size_t block, channels, size; // of one image
  const float *x;
  float *y;
} reorder_job;

static reorder_job reorder_of(const tern_invocation *invocation, const tern_value *plain) {
  return (reorder_job){.block = (size_t)tern_node_attr_i(invocation->node, "block"),
                       .channels = (size_t)plain->shape.dims[1],
                       .size = (size_t)(plain->shape.dims[2] * plain->shape.dims[3]),
                       .x = invocation->inputs[0]->data,
                       .y = invocation->outputs[0]->data};
}

// An item is one block of channels of one image.
static void to_blocked(void *context, int64_t begin, int64_t end) {
  const reorder_job *job = context;
  const size_t blocks = tern_blocked_count(job->channels, job->block);
  for (size_t i = (size_t)begin; i < (size_t)end; ++i) {
    const size_t first = i % blocks * job->block;
    tern_blocked_from_planar(job->block, tern_min_size(job->block, job->channels - first),
                             job->size, job->x + (i / blocks * job->channels + first) * job->size,
                             job->y + i * job->block * job->size);
  }
}

static void from_blocked(void *context, int64_t begin, int64_t end) {
  const reorder_job *job = context;
  const size_t blocks = tern_blocked_count(job->channels, job->block);
  for (size_t i = (size_t)begin; i < (size_t)end; ++i) {
    const size_t first = i % blocks * job->block;
    tern_blocked_to_planar(job->block, tern_min_size(job->block, job->channels - first), job->size,
                           job->x + i * job->block * job->size,
                           job->y + (i / blocks * job->channels + first) * job->size);
  }
}

static tern_status *reorder(tern_invocation *invocation, const tern_value *plain,
                            tern_parallel_fn fn) {
  reorder_job job = reorder_of(invocation, plain);
  const size_t blocks = tern_blocked_count(job.channels, job.block);
  const int64_t items = plain->shape.dims[0] * (int64_t)blocks;
  tern_parallel_for(invocation->parallel, items,
                    tern_cost_ns(0, 8.0 * (double)(job.block * job.size)), fn, &job);
  return NULL;
}

static tern_status *compute_to_blocked(tern_invocation *invocation) {
  return reorder(invocation, invocation->inputs[0], to_blocked);
}

static tern_status *compute_from_blocked(tern_invocation *invocation) {
  return reorder(invocation, invocation->outputs[0], from_blocked);
}

#define FLOAT TERN_CPU_TYPES({"T", TERN_DTYPE_BIT(TERN_FLOAT)})

static const tern_cpu_kernel kernels[] = {
    {.domain = TERN_DOMAIN_TERN,
     .op = "BlockedConv",
     FLOAT,
     .prepare = prepare_conv,
     .compute = compute_conv,
     .release = release},
    {.domain = TERN_DOMAIN_TERN, .op = "ToBlocked", FLOAT, .compute = compute_to_blocked},
    {.domain = TERN_DOMAIN_TERN, .op = "FromBlocked", FLOAT, .compute = compute_from_blocked},
};

const tern_cpu_family tern_cpu_blocked = {"blocked", kernels, TERN_COUNT_OF(kernels)};
