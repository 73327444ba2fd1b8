// Non-maximum suppression over a heap of candidates: only as many are brought into order as are
// looked at.
#include "compute/nms.h"

#include <string.h>

void tern_nms_boxes(const float *boxes, int64_t count, bool is_centered, tern_nms_box *out_boxes) {
  for (int64_t i = 0; i < count; ++i, boxes += 4) {
    tern_nms_box *box = &out_boxes[i];
    for (int32_t axis = 0; axis < 2; ++axis) {
      float a = boxes[axis], b = boxes[axis + 2];
      if (is_centered) {
        float half = b / 2.0f;
        b = a + half;
        a = a - half;
      } else if (a > b) {
        float t = a;
        a = b;
        b = t;
      }
      box->low[axis] = a;
      box->high[axis] = b;
    }
    box->area = (box->high[0] - box->low[0]) * (box->high[1] - box->low[1]);
  }
}

static tern_nms_candidate make_candidate(float score, int64_t index) {
  uint32_t bits;
  score += 0.0f; // a negative zero equals a positive one
  memcpy(&bits, &score, sizeof bits);
  bits ^= bits >> 31 ? UINT32_MAX : UINT32_C(1) << 31;
  return (uint64_t)bits << 32 | (uint32_t) ~(uint32_t)index;
}

static void sift_down(tern_nms_candidate *heap, int64_t count, int64_t at) {
  tern_nms_candidate moving = heap[at];
  for (int64_t child = 2 * at + 1; child < count; child = 2 * at + 1) {
    if (child + 1 < count && heap[child + 1] > heap[child]) ++child;
    if (heap[child] <= moving) break;
    heap[at] = heap[child];
    at = child;
  }
  heap[at] = moving;
}

int64_t tern_nms_collect(const float *scores, int64_t count, const float *threshold,
                         tern_nms_candidate *out_candidates) {
  int64_t found = 0;
  for (int64_t i = 0; i < count; ++i) {
    if (threshold ? scores[i] > *threshold : scores[i] == scores[i])
      out_candidates[found++] = make_candidate(scores[i], i);
  }
  for (int64_t i = found / 2 - 1; i >= 0; --i) sift_down(out_candidates, found, i);
  return found;
}

static bool is_suppressed(const tern_nms_box *a, const tern_nms_box *b, float iou_threshold) {
  float size[2];
  for (int32_t axis = 0; axis < 2; ++axis) {
    float low = a->low[axis] > b->low[axis] ? a->low[axis] : b->low[axis];
    float high = a->high[axis] < b->high[axis] ? a->high[axis] : b->high[axis];
    if (!(high > low)) return false;
    size[axis] = high - low;
  }
  float both = size[0] * size[1], either = a->area + b->area - both;
  if (both <= 0.0f || a->area <= 0.0f || b->area <= 0.0f || either <= 0.0f) return false;
  return both / either > iou_threshold;
}

int64_t tern_nms_select(const tern_nms_box *boxes, tern_nms_candidate *candidates, int64_t count,
                        float iou_threshold, int64_t max_selected, int64_t *out_selected) {
  int64_t selected = 0;
  while (count > 0 && selected < max_selected) {
    int64_t index = (int64_t)(uint32_t) ~(uint32_t)candidates[0];
    candidates[0] = candidates[--count];
    if (count > 0) sift_down(candidates, count, 0);
    bool keep = true;
    for (int64_t i = selected - 1; keep && i >= 0; --i)
      keep = !is_suppressed(&boxes[index], &boxes[out_selected[i]], iou_threshold);
    if (keep) out_selected[selected++] = index;
  }
  return selected;
}
