// Operators that resample images or pick regions of them.
#include <string.h>

#include "graph/infer.h"
#include "graph/upgrade.h"
#include "ops/ops.h"
#include "ops/resize.h"

// A fixed rank of an input whose rank is known.
static tern_status *check_rank(const tern_infer *infer, int32_t index, int32_t rank) {
  const tern_shape *shape = tern_infer_shape(infer, index);
  if (!tern_shape_has_rank(shape) || shape->rank == rank) return NULL;
  return TERN_ERROR(TERN_INVALID_ARGUMENT, "input %d has rank %d, %d is needed", index, shape->rank,
                    rank);
}

static tern_status *infer_non_max_suppression(tern_infer *infer) {
  const tern_shape *boxes = tern_infer_shape(infer, 0), *scores = tern_infer_shape(infer, 1);
  TERN_TRY(check_rank(infer, 0, 3));
  TERN_TRY(check_rank(infer, 1, 3));
  tern_infer_set_rank(infer, 0, 2);
  infer->output_types[0].shape.dims[1] = 3;
  if (!tern_shape_has_rank(boxes) || !tern_shape_has_rank(scores)) return NULL;
  tern_dim images = boxes->dims[0], count = boxes->dims[1], corners = boxes->dims[2];
  if (!tern_dim_merge(&images, scores->dims[0]) || !tern_dim_merge(&count, scores->dims[2]) ||
      !tern_dim_merge(&corners, 4)) {
    char a[TERN_SHAPE_TEXT_BYTES], b[TERN_SHAPE_TEXT_BYTES];
    return TERN_ERROR(TERN_INVALID_ARGUMENT, "boxes %s and scores %s do not fit",
                      tern_shape_format(boxes, a, sizeof a),
                      tern_shape_format(scores, b, sizeof b));
  }
  return NULL;
}

static tern_status *mismatch(const tern_infer *infer, const char *what, int32_t a, int32_t b) {
  char one[TERN_SHAPE_TEXT_BYTES], other[TERN_SHAPE_TEXT_BYTES];
  return TERN_ERROR(TERN_INVALID_ARGUMENT, "%s: input %d of shape %s, input %d of shape %s", what,
                    a, tern_shape_format(tern_infer_shape(infer, a), one, sizeof one), b,
                    tern_shape_format(tern_infer_shape(infer, b), other, sizeof other));
}

// X [N, C, in...] at grid [N, out..., rank] gives [N, C, out...].
static tern_status *infer_grid_sample(tern_infer *infer) {
  const tern_shape *x = tern_infer_shape(infer, 0), *grid = tern_infer_shape(infer, 1);
  if (!tern_shape_has_rank(x) || !tern_shape_has_rank(grid)) return NULL;
  tern_dim batch = x->rank > 0 ? x->dims[0] : 0, axes = x->rank - 2;
  if (x->rank < 3 || grid->rank != x->rank || !tern_dim_merge(&batch, grid->dims[0]) ||
      !tern_dim_merge(&axes, grid->dims[grid->rank - 1]))
    return mismatch(infer, "no grid for such images", 0, 1);
  tern_shape *y = &infer->output_types[0].shape;
  tern_shape_copy(y, x);
  y->dims[0] = batch;
  for (int32_t i = 2; i < x->rank; ++i) y->dims[i] = grid->dims[i - 1];
  return NULL;
}

// theta [N, r, r + 1] and size [N, C, d...] give [N, d..., r], with r = 2 or 3 axes.
static tern_status *infer_affine_grid(tern_infer *infer) {
  const tern_shape *theta = tern_infer_shape(infer, 0);
  tern_symint size[TERN_SYMINTS_MAX];
  int32_t count;
  TERN_TRY(check_rank(infer, 0, 3));
  if (!tern_infer_symints(infer, 1, size, &count)) return NULL;
  if (count != 4 && count != 5)
    return TERN_ERROR(TERN_INVALID_ARGUMENT, "'size' has %d values, 4 or 5 are needed", count);
  tern_dim batch = tern_symint_to_dim(size[0]), rows = count - 2, columns = count - 1;
  if (tern_shape_has_rank(theta) &&
      (!tern_dim_merge(&batch, theta->dims[0]) || !tern_dim_merge(&rows, theta->dims[1]) ||
       !tern_dim_merge(&columns, theta->dims[2])))
    return mismatch(infer, "'theta' does not fit 'size'", 0, 1);
  tern_shape *y = &infer->output_types[0].shape;
  y->rank = count;
  y->dims[0] = batch;
  y->dims[count - 1] = count - 2;
  for (int32_t i = 2; i < count; ++i) {
    y->dims[i - 1] = tern_symint_to_dim(size[i]);
    if (size[i].kind == TERN_SYMINT_NUMBER && size[i].value < 0)
      return TERN_ERROR(TERN_INVALID_ARGUMENT, "'size' holds %lld", (long long)size[i].value);
  }
  return NULL;
}

// [regions, C, height, width]
static tern_status *infer_regions(tern_infer *infer, int32_t numbers, int64_t height,
                                  int64_t width) {
  const tern_shape *x = tern_infer_shape(infer, 0), *regions = tern_infer_shape(infer, 1);
  TERN_TRY(check_rank(infer, 0, 4));
  TERN_TRY(check_rank(infer, 1, 2));
  if (height < 1 || width < 1)
    return TERN_ERROR(TERN_INVALID_GRAPH, "a result of %lld x %lld", (long long)height,
                      (long long)width);
  tern_dim columns = numbers;
  if (tern_shape_has_rank(regions) && !tern_dim_merge(&columns, regions->dims[1]))
    return TERN_ERROR(TERN_INVALID_ARGUMENT, "a region has %lld numbers, %d are needed",
                      (long long)regions->dims[1], numbers);
  tern_infer_set_rank(infer, 0, 4);
  tern_shape *y = &infer->output_types[0].shape;
  if (tern_shape_has_rank(regions)) y->dims[0] = regions->dims[0];
  if (tern_shape_has_rank(x)) y->dims[1] = x->dims[1];
  y->dims[2] = height;
  y->dims[3] = width;
  return NULL;
}

static tern_status *infer_roi_align(tern_infer *infer) {
  const tern_shape *batches = tern_infer_shape(infer, 2);
  TERN_TRY(check_rank(infer, 2, 1));
  TERN_TRY(infer_regions(infer, 4, tern_node_attr_i(infer->node, "output_height"),
                         tern_node_attr_i(infer->node, "output_width")));
  if (tern_shape_has_rank(batches) &&
      !tern_dim_merge(&infer->output_types[0].shape.dims[0], batches->dims[0]))
    return mismatch(infer, "not one image for each region", 1, 2);
  return NULL;
}

static tern_status *infer_max_roi_pool(tern_infer *infer) {
  size_t count;
  const int64_t *pooled = tern_node_attr_ints(infer->node, "pooled_shape", &count);
  if (count != 2)
    return TERN_ERROR(TERN_INVALID_GRAPH, "'pooled_shape' has %zu values, 2 are needed", count);
  return infer_regions(infer, 5, pooled[0], pooled[1]);
}

// Version 20 renamed the modes for any rank.
static tern_status *upgrade_grid_sample_16(tern_draft *draft) {
  const char *mode = tern_draft_attr_s(draft, "mode", "bilinear");
  if (strcmp(mode, "bilinear") == 0) mode = "linear";
  if (strcmp(mode, "bicubic") == 0) mode = "cubic";
  return tern_draft_set_attr(draft, tern_attr_s("mode", mode));
}

// Before version 16 places were not shifted by half an element.
static tern_status *upgrade_roi_align_10(tern_draft *draft) {
  return tern_draft_set_attr(draft,
                             tern_attr_s("coordinate_transformation_mode", "output_half_pixel"));
}

// Whether every scale is known to enlarge its axis or keep it.
static bool only_enlarges(const tern_edge *scales) {
  const tern_value *value = scales ? tern_edge_constant(scales) : NULL;
  if (!value || value->dtype != TERN_FLOAT) return false;
  for (int64_t i = 0; i < tern_value_count(value); ++i) {
    if (!(((const float *)value->data)[i] >= 1.0f)) return false;
  }
  return true;
}

// Resize-10 has asymmetric coordinates. To the nearest element it goes down where an axis grows and
// up where it shrinks, which no later version can say of scales that are not known.
static tern_status *upgrade_resize_10(tern_draft *draft) {
  tern_edge *scales = tern_draft_input(draft, 1);
  bool is_nearest = strcmp(tern_draft_attr_s(draft, "mode", "nearest"), "nearest") == 0;
  TERN_TRY(tern_draft_set_attr(draft, tern_attr_s("coordinate_transformation_mode", "asymmetric")));
  TERN_TRY(tern_draft_set_input(draft, 1, NULL));
  TERN_TRY(tern_draft_set_input(draft, 2, scales));
  if (!is_nearest) return NULL;
  if (only_enlarges(scales))
    return tern_draft_set_attr(draft, tern_attr_s("nearest_mode", "floor"));
  TERN_TRY(tern_draft_set_attr(draft, tern_attr_s("nearest_mode", "by_scale")));
  tern_draft_rename(draft, TERN_DOMAIN_TERN, "Resize", 1);
  return NULL;
}

static tern_status *upgrade_resize_11(tern_draft *draft) {
  const char *mode = tern_draft_attr_s(draft, "coordinate_transformation_mode", "half_pixel");
  if (strcmp(mode, "tf_half_pixel_for_nn") == 0)
    tern_draft_rename(draft, TERN_DOMAIN_TERN, "Resize", 1);
  return NULL;
}

#define TYPES_FLOAT32                                                                              \
  {                                                                                                \
    "tensor(float)", {                                                                             \
      .tensor = TERN_DTYPE_BIT(TERN_FLOAT)                                                         \
    }                                                                                              \
  }
#define TYPES_INT64                                                                                \
  {                                                                                                \
    "tensor(int64)", {                                                                             \
      .tensor = TERN_DTYPE_BIT(TERN_INT64)                                                         \
    }                                                                                              \
  }

// Resize, and the internal operator that takes values of the attributes that its newest version has
// not: coordinate_transformation_mode "tf_half_pixel_for_nn", nearest_mode "by_scale".
#define RESIZE                                                                                     \
  .name = "Resize",                                                                                \
  TERN_INPUTS({"X", "T1"}, {"roi", "T2", TERN_FORMAL_OPTIONAL},                                    \
              {"scales", "tensor(float)", TERN_FORMAL_OPTIONAL},                                   \
              {"sizes", "tensor(int64)", TERN_FORMAL_OPTIONAL}),                                   \
  TERN_OUTPUTS({"Y", "T1"}),                                                                       \
  TERN_CONSTRAINTS({"T1", {.tensor = TERN_TYPES_IR4}}, {"T2", {.tensor = TERN_TYPES_FLOAT}},       \
                   TYPES_FLOAT32, TYPES_INT64),                                                    \
  TERN_ATTRS(TERN_ATTR_DEF_I("antialias", 0), TERN_ATTR_OPTIONAL("axes", TERN_ATTR_INTS),          \
             TERN_ATTR_DEF_S("coordinate_transformation_mode", "half_pixel"),                      \
             TERN_ATTR_DEF_F("cubic_coeff_a", -0.75f), TERN_ATTR_DEF_I("exclude_outside", 0),      \
             TERN_ATTR_DEF_F("extrapolation_value", 0.0f),                                         \
             TERN_ATTR_DEF_S("keep_aspect_ratio_policy", "stretch"),                               \
             TERN_ATTR_DEF_S("mode", "nearest"),                                                   \
             TERN_ATTR_DEF_S("nearest_mode", "round_prefer_floor")),                               \
  .shape_inputs = 0xe, .infer = tern_ops_infer_resize

static const tern_op ops[] = {
    {
        .domain = TERN_DOMAIN_ONNX,
        .since = 19,
        RESIZE,
        TERN_VERSIONS({10, upgrade_resize_10,
                       "asymmetric coordinates; nearest goes down where an axis grows, up where it "
                       "shrinks (ai.tern:Resize unless all are known to grow)"},
                      {11, upgrade_resize_11, "tf_half_pixel_for_nn becomes ai.tern:Resize"}, {13},
                      {18}, {19}),
    },
    {.domain = TERN_DOMAIN_TERN, .since = 1, RESIZE},
    {
        .domain = TERN_DOMAIN_ONNX,
        .name = "NonMaxSuppression",
        .since = 11,
        .flags = TERN_OP_DATA_DEPENDENT,
        TERN_INPUTS({"boxes", "tensor(float)"}, {"scores", "tensor(float)"},
                    {"max_output_boxes_per_class", "tensor(int64)", TERN_FORMAL_OPTIONAL},
                    {"iou_threshold", "tensor(float)", TERN_FORMAL_OPTIONAL},
                    {"score_threshold", "tensor(float)", TERN_FORMAL_OPTIONAL}),
        TERN_OUTPUTS({"selected_indices", "tensor(int64)"}),
        TERN_CONSTRAINTS(TYPES_FLOAT32, TYPES_INT64),
        TERN_ATTRS(TERN_ATTR_DEF_I("center_point_box", 0)),
        TERN_VERSIONS({10}, {11}),
        .infer = infer_non_max_suppression,
    },
    {
        .domain = TERN_DOMAIN_ONNX,
        .name = "GridSample",
        .since = 22,
        TERN_INPUTS({"X", "T1"}, {"grid", "T2"}),
        TERN_OUTPUTS({"Y", "T1"}),
        TERN_CONSTRAINTS({"T1", {.tensor = TERN_TYPES_IR4}},
                         {"T2", {.tensor = TERN_TYPES_FLOAT_BF}}),
        TERN_ATTRS(TERN_ATTR_DEF_I("align_corners", 0), TERN_ATTR_DEF_S("mode", "linear"),
                   TERN_ATTR_DEF_S("padding_mode", "zeros")),
        TERN_VERSIONS({16, upgrade_grid_sample_16, "modes bilinear and bicubic lose their prefix"},
                      {20}, {22}),
        .infer = infer_grid_sample,
    },
    {
        .domain = TERN_DOMAIN_ONNX,
        .name = "AffineGrid",
        .since = 20,
        TERN_INPUTS({"theta", "T1"}, {"size", "T2"}),
        TERN_OUTPUTS({"grid", "T1"}),
        TERN_CONSTRAINTS({"T1", {.tensor = TERN_TYPES_FLOAT_BF}},
                         {"T2", {.tensor = TERN_DTYPE_BIT(TERN_INT64)}}),
        TERN_ATTRS(TERN_ATTR_DEF_I("align_corners", 0)),
        .shape_inputs = 2,
        .infer = infer_affine_grid,
    },
    {
        .domain = TERN_DOMAIN_ONNX,
        .name = "RoiAlign",
        .since = 22,
        TERN_INPUTS({"X", "T1"}, {"rois", "T1"}, {"batch_indices", "T2"}),
        TERN_OUTPUTS({"Y", "T1"}),
        TERN_CONSTRAINTS({"T1", {.tensor = TERN_TYPES_FLOAT_BF}},
                         {"T2", {.tensor = TERN_DTYPE_BIT(TERN_INT64)}}),
        TERN_ATTRS(TERN_ATTR_DEF_S("coordinate_transformation_mode", "half_pixel"),
                   TERN_ATTR_DEF_S("mode", "avg"), TERN_ATTR_DEF_I("output_height", 1),
                   TERN_ATTR_DEF_I("output_width", 1), TERN_ATTR_DEF_I("sampling_ratio", 0),
                   TERN_ATTR_DEF_F("spatial_scale", 1.0f)),
        TERN_VERSIONS(
            {10, upgrade_roi_align_10, "coordinate_transformation_mode becomes output_half_pixel"},
            {16}, {22}),
        .infer = infer_roi_align,
    },
    {
        .domain = TERN_DOMAIN_ONNX,
        .name = "MaxRoiPool",
        .since = 22,
        TERN_INPUTS({"X", "T"}, {"rois", "T"}),
        TERN_OUTPUTS({"Y", "T"}),
        TERN_CONSTRAINTS({"T", {.tensor = TERN_TYPES_FLOAT_BF}}),
        TERN_ATTRS(TERN_ATTR_REQUIRED("pooled_shape", TERN_ATTR_INTS),
                   TERN_ATTR_DEF_F("spatial_scale", 1.0f)),
        TERN_VERSIONS({1}, {22}),
        .infer = infer_max_roi_pool,
    },
};

const tern_op_family tern_ops_image = {"image", ops, TERN_COUNT_OF(ops)};
