// Operators that resample images or pick regions of them.
#include <math.h>
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
  .infer = tern_ops_infer_resize

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
};

const tern_op_family tern_ops_image = {"image", ops, TERN_COUNT_OF(ops)};
