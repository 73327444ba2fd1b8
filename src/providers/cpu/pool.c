// Kernels of pooling.
#include "compute/pool.h"

#include <math.h>
#include <string.h>

#include "compute/blocked.h"
#include "providers/cpu/cpu.h"
#include "providers/cpu/window.h"

static size_t planes_of(const tern_shape *x) {
  return (size_t)(x->dims[0] * (x->rank > 1 ? x->dims[1] : 1));
}

static tern_status *read_window(const tern_invocation *invocation, tern_window *out_window) {
  tern_op_window window;
  TERN_TRY(tern_op_window_read(invocation->node, &invocation->inputs[0]->shape, NULL, &window));
  tern_cpu_window_set(&window, false, out_window);
  return NULL;
}

// ---- Blocked images: a third dimension of one block, over which the window does not reach.

static bool is_blocked(const tern_value *x, const tern_window *w) {
  return x->dtype == TERN_FLOAT && w->rank == 3 && w->kernel[2] == 1 && w->stride[2] == 1 &&
         w->pad_begin[2] == 0 && w->in[2] == tern_blocked_block() && w->out[2] == w->in[2] &&
         w->kernel[0] <= TERN_BLOCKED_MAX_TAPS &&
         w->kernel[0] * w->kernel[1] <= TERN_BLOCKED_MAX_TAPS;
}

static void blocked_max(void *context, int64_t begin, int64_t end) {
  tern_blocked_max_tiles(context, (size_t)begin, (size_t)(end - begin));
}

static void blocked_average(void *context, int64_t begin, int64_t end) {
  tern_blocked_average_tiles(context, (size_t)begin, (size_t)(end - begin));
}

static tern_status *pool_blocked(tern_invocation *invocation, tern_window window,
                                 bool count_padding, tern_parallel_fn fn) {
  const tern_value *x = invocation->inputs[0];
  const double taps = (double)(window.kernel[0] * window.kernel[1]);
  window.rank = 2;
  tern_blocked_window_params params = {.window = window,
                                       .batch = (size_t)x->shape.dims[0],
                                       .channels = (size_t)x->shape.dims[1] * window.in[2],
                                       .x = x->data,
                                       .y = invocation->outputs[0]->data,
                                       .count_padding = count_padding};
  tern_parallel_for(invocation->parallel, (int64_t)tern_blocked_window_tile_count(&params),
                    tern_cost_ns(taps * (double)(window.out[1] * window.in[2]), 0), fn, &params);
  return NULL;
}

// ---- Any image, plane by plane.

typedef struct planes_job {
  tern_dtype dtype;
  tern_window window;
  const char *x;
  char *y;
  size_t x_bytes, y_bytes; // of one plane
  int64_t *indices;        // of MaxPool; NULL: none
  bool column_major, count_padding;
  int64_t p; // of LpPool
} planes_job;

static planes_job make_job(const tern_invocation *invocation, const tern_window *window) {
  const tern_value *x = invocation->inputs[0];
  const size_t element = tern_dtype_size(x->dtype);
  return (planes_job){.dtype = x->dtype,
                      .window = *window,
                      .x = x->data,
                      .y = invocation->outputs[0]->data,
                      .x_bytes = tern_window_in_size(window) * element,
                      .y_bytes = tern_window_out_size(window) * element};
}

// `operations` of one element under one window.
static tern_status *run_planes(const tern_invocation *invocation, planes_job *job,
                               tern_parallel_fn fn, double operations) {
  const tern_window *w = &job->window;
  const double steps = (double)tern_window_out_size(w) * (double)tern_window_kernel_size(w);
  tern_parallel_for(invocation->parallel, (int64_t)planes_of(&invocation->inputs[0]->shape),
                    tern_cost_ns(operations * steps, (double)(job->x_bytes + job->y_bytes)), fn,
                    job);
  return NULL;
}

#define PLANES(job, begin) (const void *)((job)->x + (size_t)(begin) * (job)->x_bytes)
#define RESULTS(job, begin) (void *)((job)->y + (size_t)(begin) * (job)->y_bytes)

static void max_planes(void *context, int64_t begin, int64_t end) {
  const planes_job *job = context;
  const size_t first = (size_t)begin, count = (size_t)(end - begin);
  int64_t *indices = job->indices;
  if (indices) indices += first * tern_window_out_size(&job->window);
#define POOL(dtype_, suffix, type)                                                                 \
  if (job->dtype == dtype_)                                                                        \
    tern_pool_max_##suffix(&job->window, count, (const type *)PLANES(job, begin),                  \
                           (type *)RESULTS(job, begin), indices, first, job->column_major);
  POOL(TERN_FLOAT, f32, float)
  POOL(TERN_DOUBLE, f64, double)
  POOL(TERN_INT8, i8, int8_t)
  POOL(TERN_UINT8, u8, uint8_t)
#undef POOL
}

static tern_status *compute_max(tern_invocation *invocation) {
  tern_value *indices = invocation->output_count > 1 ? invocation->outputs[1] : NULL;
  tern_window window;
  TERN_TRY(read_window(invocation, &window));
  if (is_blocked(invocation->inputs[0], &window) && !indices)
    return pool_blocked(invocation, window, false, blocked_max);
  planes_job job = make_job(invocation, &window);
  job.indices = indices ? indices->data : NULL;
  job.column_major = tern_node_attr_i(invocation->node, "storage_order") != 0;
  return run_planes(invocation, &job, max_planes, indices ? 16 : 8);
}

static void average_planes(void *context, int64_t begin, int64_t end) {
  const planes_job *job = context;
  const size_t count = (size_t)(end - begin);
  if (job->dtype == TERN_FLOAT)
    tern_pool_average_f32(&job->window, count, PLANES(job, begin), RESULTS(job, begin),
                          job->count_padding);
  else
    tern_pool_average_f64(&job->window, count, PLANES(job, begin), RESULTS(job, begin),
                          job->count_padding);
}

static tern_status *compute_average(tern_invocation *invocation) {
  tern_window window;
  TERN_TRY(read_window(invocation, &window));
  const bool count_padding = tern_node_attr_i(invocation->node, "count_include_pad") != 0;
  if (is_blocked(invocation->inputs[0], &window))
    return pool_blocked(invocation, window, count_padding, blocked_average);
  planes_job job = make_job(invocation, &window);
  job.count_padding = count_padding;
  return run_planes(invocation, &job, average_planes, 8);
}

static void lp_planes(void *context, int64_t begin, int64_t end) {
  const planes_job *job = context;
  const size_t count = (size_t)(end - begin);
  if (job->dtype == TERN_FLOAT)
    tern_pool_lp_f32(&job->window, count, PLANES(job, begin), RESULTS(job, begin), (float)job->p);
  else
    tern_pool_lp_f64(&job->window, count, PLANES(job, begin), RESULTS(job, begin), (double)job->p);
}

static tern_status *lp_pool(tern_invocation *invocation, const tern_window *window) {
  planes_job job = make_job(invocation, window);
  job.p = tern_node_attr_i(invocation->node, "p");
  if (job.p < 1) return TERN_ERROR(TERN_INVALID_ARGUMENT, "'p' is %lld", (long long)job.p);
  return run_planes(invocation, &job, lp_planes, job.p == 2 ? 8 : 64);
}

static tern_status *compute_lp(tern_invocation *invocation) {
  tern_window window;
  TERN_TRY(read_window(invocation, &window));
  return lp_pool(invocation, &window);
}

// All spatial dimensions as one window over one dimension.
static tern_window whole_plane(const tern_shape *x) {
  size_t size = (size_t)tern_shape_product(x, 2 < x->rank ? 2 : x->rank, x->rank);
  return (tern_window){.rank = 1,
                       .in = {size},
                       .out = {1},
                       .kernel = {size ? size : 1},
                       .stride = {1},
                       .dilation = {1}};
}

static void mean_planes(void *context, int64_t begin, int64_t end) {
  const planes_job *job = context;
  const size_t count = (size_t)(end - begin);
  if (job->dtype == TERN_FLOAT)
    tern_pool_global_average_f32(count, job->window.in[0], PLANES(job, begin), RESULTS(job, begin));
  else
    tern_pool_global_average_f64(count, job->window.in[0], PLANES(job, begin), RESULTS(job, begin));
}

static tern_status *compute_global_average(tern_invocation *invocation) {
  const tern_window plane = whole_plane(&invocation->inputs[0]->shape);
  planes_job job = make_job(invocation, &plane);
  return run_planes(invocation, &job, mean_planes, 8);
}

static tern_status *compute_global_max(tern_invocation *invocation) {
  const tern_window plane = whole_plane(&invocation->inputs[0]->shape);
  planes_job job = make_job(invocation, &plane);
  return run_planes(invocation, &job, max_planes, 8);
}

static tern_status *compute_global_lp(tern_invocation *invocation) {
  tern_window plane = whole_plane(&invocation->inputs[0]->shape);
  return lp_pool(invocation, &plane);
}

// Each value goes back to where the indices, flat over the pooled tensor's input, say it was. They
// count in the shape that the attributes give, which output_shape may enlarge.
static tern_status *compute_unpool(tern_invocation *invocation) {
  const tern_value *x = invocation->inputs[0], *indices = invocation->inputs[1];
  tern_value *y = invocation->outputs[0];
  size_t element = tern_dtype_size(x->dtype);
  int64_t count = tern_value_count(x), total = tern_value_count(y);
  if (tern_value_count(indices) != count)
    return TERN_ERROR(TERN_INVALID_ARGUMENT, "there are %lld indices for %lld values",
                      (long long)tern_value_count(indices), (long long)count);
  if (y->data_bytes) memset(y->data, 0, y->data_bytes);
  for (int64_t i = 0; i < count; ++i) {
    int64_t at = ((const int64_t *)indices->data)[i];
    if (at < 0 || at >= total)
      return TERN_ERROR(TERN_INVALID_ARGUMENT,
                        "index %lld is not within the output's %lld elements", (long long)at,
                        (long long)total);
    memcpy((char *)y->data + (size_t)at * element, (const char *)x->data + (size_t)i * element,
           element);
  }
  return NULL;
}

#define REAL (TERN_DTYPE_BIT(TERN_FLOAT) | TERN_DTYPE_BIT(TERN_DOUBLE))
#define BYTES (TERN_DTYPE_BIT(TERN_INT8) | TERN_DTYPE_BIT(TERN_UINT8))

static const tern_cpu_kernel kernels[] = {
    {.domain = TERN_DOMAIN_ONNX,
     .op = "MaxPool",
     TERN_CPU_TYPES({"T", REAL | BYTES}),
     .compute = compute_max},
    {.domain = TERN_DOMAIN_ONNX,
     .op = "AveragePool",
     TERN_CPU_TYPES({"T", REAL}),
     .compute = compute_average},
    {.domain = TERN_DOMAIN_ONNX,
     .op = "LpPool",
     TERN_CPU_TYPES({"T", REAL}),
     .compute = compute_lp},
    {.domain = TERN_DOMAIN_ONNX,
     .op = "GlobalAveragePool",
     TERN_CPU_TYPES({"T", REAL}),
     .compute = compute_global_average},
    {.domain = TERN_DOMAIN_ONNX,
     .op = "GlobalMaxPool",
     TERN_CPU_TYPES({"T", REAL}),
     .compute = compute_global_max},
    {.domain = TERN_DOMAIN_ONNX,
     .op = "GlobalLpPool",
     TERN_CPU_TYPES({"T", REAL}),
     .compute = compute_global_lp},
    {.domain = TERN_DOMAIN_ONNX, .op = "MaxUnpool", .compute = compute_unpool},
};

const tern_cpu_family tern_cpu_pool = {"pool", kernels, TERN_COUNT_OF(kernels)};
