// The kernel of DeformConv: columns of samples, multiplied with the weights.
#include "compute/deform_conv.h"

#include "base/checked.h"
#include "compute/gemm.h"
#include "compute/types.h"
#include "providers/cpu/conv.h"
#include "providers/cpu/window.h"

typedef struct deform_job {
  tern_deform_shape shape;
  size_t batch, out_channels, rows, positions; // of the columns
  const tern_value *x, *w, *offset, *bias, *mask;
  tern_value *y;
} deform_job;

static tern_status *read_job(const tern_invocation *invocation, deform_job *out) {
  const tern_node *node = invocation->node;
  const tern_value *const *in = invocation->inputs;
  const tern_shape *x = &in[0]->shape, *w = &in[1]->shape;
  tern_op_window window;
  TERN_TRY(tern_op_window_read(node, x, w->dims + 2, &window));
  *out = (deform_job){.shape = {.in_channels = (size_t)x->dims[1],
                                .groups = (size_t)tern_node_attr_i(node, "group"),
                                .offset_groups = (size_t)tern_node_attr_i(node, "offset_group")},
                      .batch = (size_t)x->dims[0],
                      .out_channels = (size_t)w->dims[0],
                      .x = in[0],
                      .w = in[1],
                      .offset = in[2],
                      .bias = invocation->input_count > 3 ? in[3] : NULL,
                      .mask = invocation->input_count > 4 ? in[4] : NULL,
                      .y = invocation->outputs[0]};
  tern_cpu_window_set(&window, false, &out->shape.window);
  out->rows = (size_t)w->dims[1] * tern_window_kernel_size(&out->shape.window);
  out->positions = tern_window_out_size(&out->shape.window);
  return NULL;
}

#define STAMP(dtype_, T, suffix)                                                                   \
  static tern_status *deform_##suffix(tern_invocation *invocation, const deform_job *job) {        \
    const tern_deform_shape *shape = &job->shape;                                                  \
    const size_t plane = tern_window_in_size(&shape->window), rank = shape->window.rank;           \
    const size_t places = shape->offset_groups * tern_window_kernel_size(&shape->window);          \
    const size_t out_group = job->out_channels / shape->groups;                                    \
    tern_gemm_##suffix##_params params = {.m = out_group,                                          \
                                          .n = job->positions,                                     \
                                          .k = job->rows,                                          \
                                          .alpha = 1,                                              \
                                          .lda = job->rows,                                        \
                                          .ldb = job->positions,                                   \
                                          .ldc = job->positions};                                  \
    size_t bytes;                                                                                  \
    void *columns, *workspace;                                                                     \
    if (!tern_checked_mul(job->rows, job->positions, &bytes) ||                                    \
        !tern_checked_mul(bytes, sizeof(T), &bytes))                                               \
      return tern_status_out_of_memory();                                                          \
    TERN_TRY(tern_invocation_scratch(invocation, bytes, &columns));                                \
    TERN_TRY(tern_invocation_scratch(invocation, tern_gemm_##suffix##_workspace_bytes(&params),    \
                                     &workspace));                                                 \
    params.b = columns;                                                                            \
    for (size_t i = 0; i < job->batch * shape->groups; ++i) {                                      \
      const size_t entry = i / shape->groups, group = i % shape->groups;                           \
      const T *mask = job->mask ? (const T *)job->mask->data : NULL;                               \
      tern_deform_columns_##suffix(                                                                \
          shape, group, (const T *)job->x->data + entry * shape->in_channels * plane,              \
          (const T *)job->offset->data + entry * places * rank * job->positions,                   \
          mask ? mask + entry * places * job->positions : NULL, columns);                          \
      params.a = (const T *)job->w->data + group * out_group * job->rows;                          \
      params.bias_m = job->bias ? (const T *)job->bias->data + group * out_group : NULL;           \
      params.c = (T *)job->y->data + i * out_group * job->positions;                               \
      tern_gemm_##suffix(&params, workspace);                                                      \
    }                                                                                              \
    return NULL;                                                                                   \
  }
TERN_X_FLOATS(STAMP)
#undef STAMP

tern_status *tern_cpu_deform_conv(tern_invocation *invocation) {
  deform_job job;
  if (tern_value_count(invocation->outputs[0]) == 0) return NULL;
  TERN_TRY(read_job(invocation, &job));
  return job.x->dtype == TERN_FLOAT ? deform_f32(invocation, &job) : deform_f64(invocation, &job);
}
