// Sizes of Resize.
#include "ops/resize.h"

#include <math.h>
#include <string.h>

// Sizes above this are no image's; below it, products of two still fit.
#define MAX_SIZE ((double)((int64_t)1 << 31))

tern_status *tern_op_resize_axes(const tern_node *node, const tern_shape *x,
                                 int32_t out_axes[TERN_MAX_RANK], int32_t *out_count) {
  size_t count;
  bool is_used[TERN_MAX_RANK] = {false};
  const int64_t *axes = tern_node_attr_ints(node, "axes", &count);
  if (!axes) {
    for (int32_t i = 0; i < x->rank; ++i) out_axes[i] = i;
    *out_count = x->rank;
    return NULL;
  }
  for (size_t i = 0; i < count; ++i) {
    int32_t axis;
    TERN_TRY(tern_infer_axis(axes[i], x->rank, &axis));
    if (is_used[axis]) return TERN_ERROR(TERN_INVALID_GRAPH, "'axes' names axis %d twice", axis);
    is_used[axis] = true;
    out_axes[i] = axis;
  }
  *out_count = (int32_t)count;
  return NULL;
}

static bool is_given(const tern_value *value) {
  return value && tern_value_count(value) > 0;
}

static tern_status *check_length(const char *name, const tern_value *list, int64_t needed) {
  if (tern_value_count(list) == needed) return NULL;
  return TERN_ERROR(TERN_INVALID_ARGUMENT, "'%s' has %lld values, %lld are needed", name,
                    (long long)tern_value_count(list), (long long)needed);
}

static tern_status *read_scales(const tern_shape *x, const tern_value *scales, const int32_t *axes,
                                int32_t count, tern_op_resize *resize) {
  TERN_TRY(check_length("scales", scales, count));
  for (int32_t i = 0; i < count; ++i) {
    float scale = ((const float *)scales->data)[i];
    // The product is taken in float, as files that compute a scale from a size rely on.
    float size = floorf((float)x->dims[axes[i]] * scale);
    if (!(scale > 0.0f) || !(size <= (float)MAX_SIZE))
      return TERN_ERROR(TERN_INVALID_ARGUMENT, "scale %g of axis %d of size %lld", (double)scale,
                        axes[i], (long long)x->dims[axes[i]]);
    resize->scale[axes[i]] = (double)scale;
    resize->out[axes[i]] = (int64_t)size;
  }
  return NULL;
}

// With a policy other than "stretch", one scale holds for all axes.
static void keep_aspect_ratio(const tern_shape *x, bool is_larger, const int32_t *axes,
                              int32_t count, tern_op_resize *resize) {
  double scale = is_larger ? 0.0 : INFINITY;
  for (int32_t i = 0; i < count; ++i)
    scale = is_larger ? fmax(scale, resize->scale[axes[i]]) : fmin(scale, resize->scale[axes[i]]);
  for (int32_t i = 0; i < count; ++i) {
    resize->scale[axes[i]] = scale;
    resize->out[axes[i]] = (int64_t)floor(scale * (double)x->dims[axes[i]] + 0.5);
  }
}

static tern_status *read_sizes(const tern_node *node, const tern_shape *x, const tern_value *sizes,
                               const int32_t *axes, int32_t count, tern_op_resize *resize) {
  const char *policy = tern_node_attr_s(node, "keep_aspect_ratio_policy");
  TERN_TRY(check_length("sizes", sizes, count));
  for (int32_t i = 0; i < count; ++i) {
    int64_t size = ((const int64_t *)sizes->data)[i], in = x->dims[axes[i]];
    if (size < 0 || (double)size > MAX_SIZE || (in == 0 && size > 0))
      return TERN_ERROR(TERN_INVALID_ARGUMENT, "size %lld for axis %d of size %lld",
                        (long long)size, axes[i], (long long)in);
    resize->scale[axes[i]] = in > 0 ? (double)size / (double)in : 1.0;
    resize->out[axes[i]] = size;
  }
  if (strcmp(policy, "not_larger") == 0) {
    keep_aspect_ratio(x, false, axes, count, resize);
  } else if (strcmp(policy, "not_smaller") == 0) {
    keep_aspect_ratio(x, true, axes, count, resize);
    for (int32_t i = 0; i < count; ++i) {
      if ((double)resize->out[axes[i]] > MAX_SIZE)
        return TERN_ERROR(TERN_INVALID_ARGUMENT, "axis %d would have size %lld", axes[i],
                          (long long)resize->out[axes[i]]);
    }
  } else if (strcmp(policy, "stretch") != 0) {
    return TERN_ERROR(TERN_INVALID_GRAPH, "'keep_aspect_ratio_policy' is '%s'", policy);
  }
  return NULL;
}

static tern_status *read_roi(const tern_value *roi, const int32_t *axes, int32_t count,
                             tern_op_resize *resize) {
  TERN_TRY(check_length("roi", roi, 2 * (int64_t)count));
  for (int32_t i = 0; i < count; ++i) {
    resize->roi_begin[axes[i]] = tern_dtype_read_f64(roi->dtype, roi->data, i);
    resize->roi_end[axes[i]] = tern_dtype_read_f64(roi->dtype, roi->data, i + count);
  }
  return NULL;
}

tern_status *tern_op_resize_read(const tern_node *node, const tern_shape *x, const tern_value *roi,
                                 const tern_value *scales, const tern_value *sizes,
                                 tern_op_resize *out_resize) {
  int32_t axes[TERN_MAX_RANK], count;
  bool is_crop =
      strcmp(tern_node_attr_s(node, "coordinate_transformation_mode"), "tf_crop_and_resize") == 0;
  TERN_TRY(tern_op_resize_axes(node, x, axes, &count));
  for (int32_t i = 0; i < x->rank; ++i) {
    out_resize->is_resized[i] = false;
    out_resize->scale[i] = 1.0;
    out_resize->roi_begin[i] = 0.0;
    out_resize->roi_end[i] = 1.0;
    out_resize->out[i] = x->dims[i];
  }
  for (int32_t i = 0; i < count; ++i) out_resize->is_resized[axes[i]] = true;
  if (is_given(scales) == is_given(sizes) && count > 0)
    return TERN_ERROR(TERN_INVALID_ARGUMENT, "one of 'scales' and 'sizes' is needed");
  if (is_crop && !is_given(roi) && count > 0)
    return TERN_ERROR(TERN_INVALID_ARGUMENT, "tf_crop_and_resize needs 'roi'");
  if (is_crop && is_given(roi)) TERN_TRY(read_roi(roi, axes, count, out_resize));
  if (is_given(scales)) return read_scales(x, scales, axes, count, out_resize);
  return is_given(sizes) ? read_sizes(node, x, sizes, axes, count, out_resize) : NULL;
}

// An input that is there, or may turn out to be: not a list that is known to be empty.
static bool may_be_given(const tern_infer *infer, int32_t index) {
  const tern_shape *shape = tern_infer_shape(infer, index);
  return shape && !(shape->rank == 1 && shape->dims[0] == 0);
}

// Sizes that inference follows, where they are taken as they come.
static tern_status *infer_followed_sizes(tern_infer *infer, const int32_t *axes, int32_t count) {
  tern_symint items[TERN_SYMINTS_MAX];
  int32_t given;
  const char *policy = tern_node_attr_s(infer->node, "keep_aspect_ratio_policy");
  if (strcmp(policy, "stretch") != 0 || !tern_infer_symints(infer, 3, items, &given)) return NULL;
  if (given != count)
    return TERN_ERROR(TERN_INVALID_ARGUMENT, "'sizes' has %d values, %d are needed", given, count);
  for (int32_t i = 0; i < count; ++i)
    infer->output_types[0].shape.dims[axes[i]] = tern_symint_to_dim(items[i]);
  return NULL;
}

// With scales that are known, each dimension that is known; a scale of 1 keeps a symbol.
static void infer_known_scales(tern_infer *infer, const tern_value *scales, const int32_t *axes,
                               int32_t count) {
  const tern_shape *x = tern_infer_shape(infer, 0);
  tern_shape *y = &infer->output_types[0].shape;
  for (int32_t i = 0; i < count && count == tern_value_count(scales); ++i) {
    float scale = ((const float *)scales->data)[i];
    tern_dim in = x->dims[axes[i]];
    float size = in >= 0 ? floorf((float)in * scale) : -1.0f;
    if (scale == 1.0f)
      y->dims[axes[i]] = in;
    else if (size >= 0.0f && size <= (float)MAX_SIZE)
      y->dims[axes[i]] = (int64_t)size;
  }
}

tern_status *tern_ops_infer_resize(tern_infer *infer) {
  const tern_shape *x = tern_infer_shape(infer, 0);
  const tern_value *scales = tern_infer_value(infer, 2), *sizes = tern_infer_value(infer, 3);
  bool by_sizes = may_be_given(infer, 3) && !is_given(scales);
  int32_t axes[TERN_MAX_RANK], count;
  if (!tern_shape_has_rank(x)) return NULL;
  TERN_TRY(tern_op_resize_axes(infer->node, x, axes, &count));
  if (count > 0 && !may_be_given(infer, 2) && !may_be_given(infer, 3))
    return TERN_ERROR(TERN_INVALID_GRAPH, "one of 'scales' and 'sizes' is needed");
  tern_shape *y = &infer->output_types[0].shape;
  tern_shape_copy(y, x);
  for (int32_t i = 0; i < count; ++i) y->dims[axes[i]] = TERN_DIM_UNKNOWN;
  const tern_value *roi = tern_infer_value(infer, 1);
  bool is_known = tern_shape_is_known(x) && (roi || !may_be_given(infer, 1));
  if (is_known && (by_sizes ? sizes != NULL : scales != NULL)) {
    tern_op_resize resize;
    TERN_TRY(tern_op_resize_read(infer->node, x, roi, scales, by_sizes ? sizes : NULL, &resize));
    tern_shape_set(y, x->rank, resize.out);
    return NULL;
  }
  if (by_sizes) return infer_followed_sizes(infer, axes, count);
  if (scales) infer_known_scales(infer, scales, axes, count);
  return NULL;
}
