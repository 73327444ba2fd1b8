// Kernels that pad, crop, and add columns into images.
#include <string.h>

#include "compute/col2im.h"
#include "compute/conv.h"
#include "compute/pad.h"
#include "providers/cpu/elements.h"
#include "providers/cpu/loops.h"
#include "providers/cpu/movement.h"

static tern_status *run_pad(tern_invocation *invocation, tern_pad_params *params) {
  tern_cpu_source source;
  tern_cpu_target target;
  TERN_TRY(tern_cpu_source_open(invocation, invocation->inputs[0], &source));
  TERN_TRY(tern_cpu_target_open(invocation, invocation->outputs[0], &target));
  params->element_bytes = source.unit_bytes;
  if (!tern_pad(params, source.data, target.data))
    return TERN_ERROR(TERN_INVALID_ARGUMENT, "an axis without elements cannot be continued");
  return tern_cpu_target_close(&target);
}

static tern_status *read_mode(const tern_node *node, tern_pad_mode *out_mode) {
  static const struct {
    const char *name;
    tern_pad_mode mode;
  } modes[] = {{"constant", TERN_PAD_CONSTANT},
               {"edge", TERN_PAD_EDGE},
               {"reflect", TERN_PAD_REFLECT},
               {"wrap", TERN_PAD_WRAP}};
  const char *name = tern_node_attr_s(node, "mode");
  for (size_t i = 0; i < TERN_COUNT_OF(modes); ++i) {
    if (strcmp(name, modes[i].name) != 0) continue;
    *out_mode = modes[i].mode;
    return NULL;
  }
  return TERN_ERROR(TERN_INVALID_GRAPH, "attribute 'mode' is '%s'", name);
}

static void start_params(const tern_invocation *invocation, tern_pad_params *out_params) {
  static const unsigned char zeros[16];
  const tern_shape *shape = &invocation->inputs[0]->shape;
  *out_params =
      (tern_pad_params){.rank = shape->rank, .constant = zeros, .parallel = invocation->parallel};
  memcpy(out_params->sizes, shape->dims, (size_t)shape->rank * sizeof *shape->dims);
}

static const tern_value *input_at(const tern_invocation *invocation, int32_t index) {
  return index < invocation->input_count ? invocation->inputs[index] : NULL;
}

tern_status *tern_cpu_compute_pad(tern_invocation *invocation) {
  const tern_value *pads = invocation->inputs[1], *constant = input_at(invocation, 2);
  const tern_value *axes = input_at(invocation, 3);
  tern_pad_params params;
  start_params(invocation, &params);
  TERN_TRY(read_mode(invocation->node, &params.mode));
  // A scalar stays one whatever pads and axes are, so that inference need not see them.
  int64_t count = axes ? tern_value_count(axes) : params.rank;
  if (tern_value_count(pads) % 2 != 0 || tern_value_count(pads) / 2 != count)
    return TERN_ERROR(TERN_INVALID_ARGUMENT, "there are %lld pads for %lld axes",
                      (long long)tern_value_count(pads), (long long)count);
  for (int64_t i = 0; i < count; ++i) {
    int32_t axis = (int32_t)i;
    if (axes)
      TERN_TRY(
          tern_infer_axis(tern_dtype_read_i64(axes->dtype, axes->data, i), params.rank, &axis));
    params.begins[axis] = tern_dtype_read_i64(pads->dtype, pads->data, i);
    params.ends[axis] = tern_dtype_read_i64(pads->dtype, pads->data, i + count);
  }
  if (constant && tern_value_count(constant) > 0) {
    tern_cpu_source element;
    TERN_TRY(tern_cpu_source_open(invocation, constant, &element));
    params.constant = element.data;
  }
  return run_pad(invocation, &params);
}

tern_status *tern_cpu_compute_center_crop_pad(tern_invocation *invocation) {
  const tern_shape *to = &invocation->outputs[0]->shape;
  tern_pad_params params;
  start_params(invocation, &params);
  for (int32_t k = 0; k < params.rank; ++k) {
    // The odd element is added, or cropped, at the end.
    int64_t change = to->dims[k] - params.sizes[k];
    params.begins[k] = change / 2;
    params.ends[k] = change - change / 2;
  }
  return run_pad(invocation, &params);
}

static int64_t attr_at(const tern_node *node, const char *name, int32_t index, int64_t otherwise) {
  size_t count;
  const int64_t *items = tern_node_attr_ints(node, name, &count);
  return items && (size_t)index < count ? items[index] : otherwise;
}

static tern_status *make_window(const tern_invocation *invocation, tern_window *window) {
  const tern_node *node = invocation->node;
  const int64_t *image = invocation->inputs[1]->data, *block = invocation->inputs[2]->data;
  int32_t rank = (int32_t)tern_value_count(invocation->inputs[1]);
  if (rank < 1 || rank > TERN_WINDOW_MAX_RANK)
    return TERN_ERROR(TERN_INVALID_ARGUMENT, "an image of %d dimensions, not 1 to %d", rank,
                      TERN_WINDOW_MAX_RANK);
  *window = (tern_window){.rank = (size_t)rank};
  for (int32_t k = 0; k < rank; ++k) {
    int64_t begin = attr_at(node, "pads", k, 0), end = attr_at(node, "pads", k + rank, 0);
    int64_t stride = attr_at(node, "strides", k, 1), dilation = attr_at(node, "dilations", k, 1);
    window->in[k] = (size_t)image[k];
    window->kernel[k] = (size_t)block[k];
    window->stride[k] = (size_t)stride;
    window->dilation[k] = (size_t)dilation;
    window->pad_begin[k] = begin;
    window->pad_end[k] = end;
    window->out[k] =
        (size_t)((image[k] + begin + end - dilation * (block[k] - 1) - 1) / stride + 1);
  }
  return NULL;
}

tern_status *tern_cpu_compute_col2im(tern_invocation *invocation) {
  const tern_value *input = invocation->inputs[0];
  tern_value *output = invocation->outputs[0];
  tern_window window;
  TERN_TRY(make_window(invocation, &window));
  size_t image = tern_window_in_size(&window), positions = tern_window_out_size(&window);
  size_t columns = positions * tern_window_kernel_size(&window);
  size_t images = (size_t)(output->shape.dims[0] * output->shape.dims[1]);
  if (output->data_bytes > 0) memset(output->data, 0, output->data_bytes);
  for (size_t i = 0; i < images && image > 0; ++i) {
    if (input->dtype != TERN_FLOAT && input->dtype != TERN_DOUBLE) {
      const size_t element = tern_dtype_size(input->dtype);
      if (!tern_col2im(input->dtype, &window, (const char *)input->data + i * columns * element,
                       (char *)output->data + i * image * element))
        return tern_cpu_no_loop(input->dtype);
    } else if (input->dtype == TERN_FLOAT)
      tern_col2im_f32(&window, (const float *)input->data + i * columns, positions, 0, positions,
                      (float *)output->data + i * image);
    else
      tern_col2im_f64(&window, (const double *)input->data + i * columns, positions, 0, positions,
                      (double *)output->data + i * image);
  }
  return NULL;
}
