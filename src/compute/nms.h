// Greedy non-maximum suppression: of boxes that overlap much, the one with the best score stays.
#ifndef TERN_COMPUTE_NMS_H_
#define TERN_COMPUTE_NMS_H_

#include "base/macros.h"

// A box, low edge below high edge.
typedef struct tern_nms_box {
  float low[2], high[2], area;
} tern_nms_box;

// A candidate: its score as an integer that sorts alike, and below it the complement of its index,
// so that of equal scores the first box is the best.
typedef uint64_t tern_nms_candidate;

// Boxes from [count, 4] numbers: two opposite corners, or centre and size.
void tern_nms_boxes(const float *boxes, int64_t count, bool is_centered, tern_nms_box *out_boxes);

// The boxes whose score is above `threshold` (all but those with a NaN when it is NULL), as
// a heap. Returns how many there are; `out_candidates` has room for `count`.
int64_t tern_nms_collect(const float *scores, int64_t count, const float *threshold,
                         tern_nms_candidate *out_candidates);

// Takes candidates from the best down; one is selected unless the intersection over union with a
// box selected before exceeds `iou_threshold`. Stops at `max_selected`. Writes the indices to
// `out_selected`, which has room for the smaller of both counts, and returns how many there are.
int64_t tern_nms_select(const tern_nms_box *boxes, tern_nms_candidate *candidates, int64_t count,
                        float iou_threshold, int64_t max_selected, int64_t *out_selected);

#endif
