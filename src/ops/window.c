// Windows from attributes.
#include "ops/window.h"

#include <string.h>

// Sizes in a window are bounded so that no product of two of them overflows, nor one of them times
// a spatial size.
enum { MAX_WINDOW_SIZE = 1 << 30 };
#define MAX_SPATIAL_SIZE (INT64_C(1) << 32)

static tern_status *read_list(const tern_node *node, const char *name, int32_t count,
                              int64_t minimum, int64_t default_value, int64_t *out) {
  size_t given;
  const int64_t *values = tern_node_attr_ints(node, name, &given);
  if (values && given != 0 && given != (size_t)count)
    return TERN_ERROR(TERN_INVALID_GRAPH, "'%s' has %zu values, %d are needed", name, given, count);
  for (int32_t i = 0; i < count; ++i) {
    out[i] = values && given ? values[i] : default_value;
    if (out[i] < minimum || out[i] > MAX_WINDOW_SIZE)
      return TERN_ERROR(TERN_INVALID_GRAPH, "'%s' has the value %lld", name, (long long)out[i]);
  }
  return NULL;
}

static tern_status *read_kernel(const tern_node *node, const tern_dim *kernel,
                                tern_op_window *window) {
  size_t given;
  const int64_t *shape = tern_node_attr_ints(node, "kernel_shape", &given);
  if (!kernel || (shape && given)) {
    TERN_TRY(read_list(node, "kernel_shape", window->rank, 1, 1, window->kernel));
    for (int32_t i = 0; kernel && i < window->rank; ++i) {
      if (kernel[i] >= 0 && kernel[i] != window->kernel[i])
        return TERN_ERROR(TERN_INVALID_GRAPH,
                          "'kernel_shape' says %lld where the weights have %lld",
                          (long long)window->kernel[i], (long long)kernel[i]);
    }
    return NULL;
  }
  for (int32_t i = 0; i < window->rank; ++i) {
    if (kernel[i] == 0 || kernel[i] > MAX_WINDOW_SIZE)
      return TERN_ERROR(TERN_INVALID_GRAPH, "a kernel of size %lld is too %s", (long long)kernel[i],
                        kernel[i] == 0 ? "small" : "large");
    window->kernel[i] = kernel[i];
  }
  return NULL;
}

static tern_status *read_sizes(const tern_node *node, const tern_shape *x, const tern_dim *kernel,
                               tern_op_window *window) {
  int64_t pads[2 * TERN_OP_WINDOW_MAX_RANK];
  if (x->rank < 3 || x->rank - 2 > TERN_OP_WINDOW_MAX_RANK)
    return TERN_ERROR(TERN_INVALID_GRAPH, "an input of rank %d has no 1 to %d spatial dimensions",
                      x->rank, TERN_OP_WINDOW_MAX_RANK);
  window->rank = x->rank - 2;
  TERN_TRY(read_kernel(node, kernel, window));
  TERN_TRY(read_list(node, "strides", window->rank, 1, 1, window->stride));
  if (tern_op_attr_index(node->op, "dilations") >= 0) {
    TERN_TRY(read_list(node, "dilations", window->rank, 1, 1, window->dilation));
  } else {
    for (int32_t i = 0; i < window->rank; ++i) window->dilation[i] = 1;
  }
  TERN_TRY(read_list(node, "pads", 2 * window->rank, -MAX_WINDOW_SIZE, 0, pads));
  for (int32_t i = 0; i < window->rank; ++i) {
    window->pad_begin[i] = pads[i];
    window->pad_end[i] = pads[i + window->rank];
    window->in[i] = x->dims[i + 2];
    if (window->in[i] > MAX_SPATIAL_SIZE)
      return TERN_ERROR(TERN_INVALID_ARGUMENT, "spatial dimension %d of size %lld is too large", i,
                        (long long)window->in[i]);
    window->out[i] = TERN_DIM_UNKNOWN;
  }
  return NULL;
}

typedef enum auto_pad { PAD_EXPLICIT, PAD_VALID, PAD_SAME_UPPER, PAD_SAME_LOWER } auto_pad;

static tern_status *read_auto_pad(const tern_node *node, auto_pad *out) {
  static const struct {
    const char *name;
    auto_pad value;
  } names[] = {{"", PAD_EXPLICIT},
               {"NOTSET", PAD_EXPLICIT},
               {"VALID", PAD_VALID},
               {"SAME_UPPER", PAD_SAME_UPPER},
               {"SAME_LOWER", PAD_SAME_LOWER}};
  const char *given = tern_node_attr_s(node, "auto_pad");
  for (size_t i = 0; i < TERN_COUNT_OF(names); ++i) {
    if (strcmp(given, names[i].name) != 0) continue;
    *out = names[i].value;
    return NULL;
  }
  return TERN_ERROR(TERN_INVALID_GRAPH, "'auto_pad' is '%s'", given);
}

// The reach of a kernel of size k with dilation d.
static int64_t extent(const tern_op_window *window, int32_t i) {
  return (window->kernel[i] - 1) * window->dilation[i] + 1;
}

static void split_padding(tern_op_window *window, int32_t i, int64_t total, bool more_at_end) {
  if (total < 0) total = 0;
  window->pad_begin[i] = more_at_end ? total / 2 : total - total / 2;
  window->pad_end[i] = total - window->pad_begin[i];
}

static tern_status *output_size(tern_op_window *window, int32_t i, auto_pad pad, bool ceil_mode) {
  int64_t in = window->in[i], stride = window->stride[i], reach = extent(window, i);
  if (pad == PAD_SAME_UPPER || pad == PAD_SAME_LOWER) {
    window->out[i] = (in + stride - 1) / stride;
    split_padding(window, i, (window->out[i] - 1) * stride + reach - in, pad == PAD_SAME_UPPER);
    return NULL;
  }
  int64_t room = in + window->pad_begin[i] + window->pad_end[i] - reach;
  if (room < 0)
    return TERN_ERROR(TERN_INVALID_ARGUMENT,
                      "a kernel that reaches %lld does not fit into spatial dimension %d of size "
                      "%lld with padding %lld and %lld",
                      (long long)reach, i, (long long)in, (long long)window->pad_begin[i],
                      (long long)window->pad_end[i]);
  window->out[i] = (ceil_mode ? (room + stride - 1) / stride : room / stride) + 1;
  if (ceil_mode && (window->out[i] - 1) * stride >= in + window->pad_begin[i]) window->out[i]--;
  return NULL;
}

tern_status *tern_op_window_read(const tern_node *node, const tern_shape *x, const tern_dim *kernel,
                                 tern_op_window *out_window) {
  auto_pad pad;
  TERN_TRY(read_sizes(node, x, kernel, out_window));
  TERN_TRY(read_auto_pad(node, &pad));
  bool ceil_mode = tern_node_attr_i(node, "ceil_mode") != 0;
  for (int32_t i = 0; i < out_window->rank; ++i) {
    if (pad == PAD_VALID) out_window->pad_begin[i] = out_window->pad_end[i] = 0;
    if (out_window->in[i] < 0 || out_window->kernel[i] < 0) continue;
    TERN_TRY(output_size(out_window, i, pad, ceil_mode));
  }
  return NULL;
}

tern_status *tern_op_window_read_transposed(const tern_node *node, const tern_shape *x,
                                            const tern_dim *kernel, tern_op_window *out_window) {
  tern_op_window *w = out_window;
  int64_t extra[TERN_OP_WINDOW_MAX_RANK], shape[TERN_OP_WINDOW_MAX_RANK];
  auto_pad pad;
  size_t shape_count;
  TERN_TRY(read_sizes(node, x, kernel, w));
  TERN_TRY(read_auto_pad(node, &pad));
  TERN_TRY(read_list(node, "output_padding", w->rank, 0, 0, extra));
  const int64_t *given = tern_node_attr_ints(node, "output_shape", &shape_count);
  bool has_shape = given && shape_count > 0;
  // Some exporters give the batch and the channels too.
  if (has_shape && shape_count == (size_t)w->rank + 2) {
    memcpy(shape, given + 2, (size_t)w->rank * sizeof *shape);
  } else {
    TERN_TRY(read_list(node, "output_shape", w->rank, 0, 0, shape));
  }
  for (int32_t i = 0; i < w->rank; ++i) {
    if (pad == PAD_VALID) w->pad_begin[i] = w->pad_end[i] = 0;
    if (has_shape) w->out[i] = shape[i];
    if (w->in[i] < 0 || w->kernel[i] < 0) continue;
    int64_t full = w->stride[i] * (w->in[i] - 1) + extra[i] + extent(w, i);
    bool is_same = pad == PAD_SAME_UPPER || pad == PAD_SAME_LOWER;
    if (!has_shape && is_same) w->out[i] = w->in[i] * w->stride[i];
    if (has_shape || is_same)
      split_padding(w, i, full - w->out[i], pad == PAD_SAME_UPPER);
    else
      w->out[i] = full - w->pad_begin[i] - w->pad_end[i];
    if (w->out[i] < 0)
      return TERN_ERROR(TERN_INVALID_ARGUMENT, "spatial dimension %d would have size %lld", i,
                        (long long)w->out[i]);
  }
  return NULL;
}
