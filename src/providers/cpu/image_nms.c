// Kernel of NonMaxSuppression.
#include <string.h>

#include "base/array.h"
#include "base/checked.h"
#include "compute/nms.h"
#include "providers/cpu/image.h"

// Thresholds as they come, and memory for one class of one image.
typedef struct suppression {
  int64_t images, classes, boxes, max_selected;
  float iou_threshold;
  const float *score_threshold; // NULL: every score will do
  tern_nms_box *image_boxes;
  tern_nms_candidate *candidates;
  int64_t *selected;
  TERN_ARRAY(int64_t) result; // triples
} suppression;

static const void *scalar_input(const tern_invocation *invocation, int32_t index) {
  if (index >= invocation->input_count || !invocation->inputs[index]) return NULL;
  const tern_value *value = invocation->inputs[index];
  return tern_value_count(value) > 0 ? value->data : NULL;
}

static tern_status *open(tern_invocation *invocation, suppression *s) {
  const tern_shape *boxes = &invocation->inputs[0]->shape, *scores = &invocation->inputs[1]->shape;
  const int64_t *max_selected = scalar_input(invocation, 2);
  const float *iou_threshold = scalar_input(invocation, 3);
  *s = (suppression){.images = boxes->dims[0],
                     .classes = scores->dims[1],
                     .boxes = boxes->dims[1],
                     .max_selected = max_selected ? tern_max_i64(*max_selected, 0) : 0,
                     .iou_threshold = iou_threshold ? *iou_threshold : 0.0f,
                     .score_threshold = scalar_input(invocation, 4)};
  if (s->boxes > INT32_MAX)
    return TERN_ERROR(TERN_INVALID_ARGUMENT, "%lld boxes are too many", (long long)s->boxes);
  if (!(s->iou_threshold >= 0.0f && s->iou_threshold <= 1.0f))
    return TERN_ERROR(TERN_INVALID_ARGUMENT, "iou_threshold is %g, not within [0, 1]",
                      (double)s->iou_threshold);
  s->max_selected = tern_min_i64(s->max_selected, s->boxes);
  size_t count = (size_t)s->boxes;
  void *memory[3];
  TERN_TRY(tern_invocation_scratch(invocation, count * sizeof *s->image_boxes, &memory[0]));
  TERN_TRY(tern_invocation_scratch(invocation, count * sizeof *s->candidates, &memory[1]));
  TERN_TRY(tern_invocation_scratch(invocation, count * sizeof *s->selected, &memory[2]));
  s->image_boxes = memory[0];
  s->candidates = memory[1];
  s->selected = memory[2];
  return NULL;
}

static tern_status *suppress_class(const float *scores, int64_t image, int64_t class,
                                   tern_allocator *allocator, suppression *s) {
  int64_t found = tern_nms_collect(scores, s->boxes, s->score_threshold, s->candidates);
  int64_t count = tern_nms_select(s->image_boxes, s->candidates, found, s->iou_threshold,
                                  s->max_selected, s->selected);
  for (int64_t i = 0; i < count; ++i) {
    TERN_ARRAY_PUSH(allocator, &s->result, image);
    TERN_ARRAY_PUSH(allocator, &s->result, class);
    TERN_ARRAY_PUSH(allocator, &s->result, s->selected[i]);
  }
  return NULL;
}

static tern_status *suppress(tern_invocation *invocation, suppression *s) {
  const float *boxes = invocation->inputs[0]->data, *scores = invocation->inputs[1]->data;
  bool is_centered = tern_node_attr_i(invocation->node, "center_point_box") != 0;
  for (int64_t image = 0; image < s->images && s->max_selected > 0; ++image) {
    tern_nms_boxes(boxes + image * s->boxes * 4, s->boxes, is_centered, s->image_boxes);
    for (int64_t class = 0; class < s->classes; ++class, scores += s->boxes)
      TERN_TRY(suppress_class(scores, image, class, invocation->allocator, s));
    if (tern_invocation_is_terminated(invocation)) break;
  }
  tern_value *y;
  const tern_dim dims[] = {(tern_dim)(s->result.count / 3), 3};
  tern_shape shape;
  tern_shape_set(&shape, 2, dims);
  TERN_TRY(tern_invocation_allocate(invocation, 0, TERN_INT64, &shape, &y));
  if (y && s->result.count) memcpy(y->data, s->result.data, y->data_bytes);
  return NULL;
}

tern_status *tern_cpu_non_max_suppression(tern_invocation *invocation) {
  suppression s;
  TERN_TRY(open(invocation, &s));
  tern_status *status = suppress(invocation, &s);
  TERN_ARRAY_FREE(invocation->allocator, &s.result);
  return status;
}
