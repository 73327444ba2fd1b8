// Padding: the part that stays is one strided copy; then each axis, innermost first, gets its
// borders, over the full extent of the axes inside it, which have theirs already.
#include "compute/pad.h"

#include "compute/strided.h"

// Where the part that stays lies on each axis.
typedef struct layout {
  int64_t from[TERN_PAD_MAX_RANK], at[TERN_PAD_MAX_RANK]; // in the source, in the target
  int64_t kept[TERN_PAD_MAX_RANK], out[TERN_PAD_MAX_RANK];
  int64_t source_strides[TERN_PAD_MAX_RANK], target_strides[TERN_PAD_MAX_RANK];
} layout;

static void lay_out(const tern_pad_params *p, layout *l) {
  for (int32_t k = 0; k < p->rank; ++k) {
    l->out[k] = p->sizes[k] + p->begins[k] + p->ends[k];
    l->from[k] = tern_max_i64(0, -p->begins[k]);
    l->at[k] = tern_max_i64(0, p->begins[k]);
    l->kept[k] = p->sizes[k] + tern_min_i64(0, p->begins[k]) + tern_min_i64(0, p->ends[k]);
    if (l->kept[k] > 0) continue;
    // Cropped away, and maybe padded from beyond: everything is border.
    l->kept[k] = 0;
    l->at[k] = tern_min_i64(l->at[k], l->out[k]);
  }
  tern_strided_dense(p->sizes, p->rank, l->source_strides);
  tern_strided_dense(l->out, p->rank, l->target_strides);
}

static void copy_kept(const tern_pad_params *p, const layout *l, const unsigned char *source,
                      unsigned char *target) {
  tern_strided_axis axes[TERN_PAD_MAX_RANK];
  int64_t from = 0, at = 0;
  for (int32_t k = 0; k < p->rank; ++k) {
    if (l->kept[k] == 0) return;
    axes[k] = (tern_strided_axis){l->kept[k], l->source_strides[k], l->target_strides[k]};
    from += l->from[k] * l->source_strides[k];
    at += l->at[k] * l->target_strides[k];
  }
  tern_strided_copy(p->parallel, axes, p->rank, p->element_bytes,
                    source + (size_t)from * p->element_bytes,
                    target + (size_t)at * p->element_bytes);
}

// The box of the target that is `count` positions of axis k from `begin`: the part that stays on
// the axes outside, everything on those inside. Returns its first element.
static int64_t make_box(const tern_pad_params *p, const layout *l, int32_t k, int64_t begin,
                        int64_t count, tern_strided_axis *axes) {
  int64_t offset = begin * l->target_strides[k];
  for (int32_t i = 0; i < p->rank; ++i) {
    int64_t stride = l->target_strides[i];
    axes[i] = (tern_strided_axis){i < k ? l->kept[i] : l->out[i], stride, stride};
    if (i < k) offset += l->at[i] * stride;
  }
  axes[k].size = count;
  return offset;
}

static void fill_box(const tern_pad_params *p, const layout *l, int32_t k, int64_t begin,
                     int64_t count, unsigned char *target) {
  tern_strided_axis axes[TERN_PAD_MAX_RANK];
  int64_t offset = make_box(p, l, k, begin, count, axes);
  if (count <= 0) return;
  for (int32_t i = 0; i < p->rank; ++i) axes[i].source_stride = 0;
  tern_strided_copy(p->parallel, axes, p->rank, p->element_bytes, p->constant,
                    target + (size_t)offset * p->element_bytes);
}

// The position within `size` elements that position `i`, possibly outside, continues.
static int64_t continue_at(tern_pad_mode mode, int64_t i, int64_t size) {
  if (mode == TERN_PAD_EDGE || size == 1) return tern_max_i64(0, tern_min_i64(i, size - 1));
  int64_t period = mode == TERN_PAD_WRAP ? size : 2 * (size - 1);
  int64_t at = i % period;
  if (at < 0) at += period;
  return at < size ? at : period - at;
}

static void continue_axis(const tern_pad_params *p, const layout *l, int32_t k,
                          unsigned char *target) {
  tern_strided_axis axes[TERN_PAD_MAX_RANK];
  int64_t first = l->at[k], end = l->at[k] + l->kept[k];
  for (int64_t i = 0; i < l->out[k]; ++i) {
    if (i == first) i = end;
    if (i >= l->out[k]) break;
    int64_t at = make_box(p, l, k, i, 1, axes);
    int64_t from = first + continue_at(p->mode, i - first, l->kept[k]);
    int64_t source = at + (from - i) * l->target_strides[k];
    tern_strided_copy(p->parallel, axes, p->rank, p->element_bytes,
                      target + (size_t)source * p->element_bytes,
                      target + (size_t)at * p->element_bytes);
  }
}

bool tern_pad(const tern_pad_params *params, const void *source, void *target) {
  layout l;
  lay_out(params, &l);
  bool is_empty = false;
  for (int32_t k = 0; k < params->rank; ++k) {
    is_empty |= l.out[k] == 0;
    if (params->mode != TERN_PAD_CONSTANT && l.kept[k] == 0 && l.out[k] > 0) return false;
  }
  if (is_empty) return true;
  copy_kept(params, &l, source, target);
  for (int32_t k = params->rank - 1; k >= 0; --k) {
    if (params->mode != TERN_PAD_CONSTANT) {
      continue_axis(params, &l, k, target);
      continue;
    }
    fill_box(params, &l, k, 0, l.at[k], target);
    fill_box(params, &l, k, l.at[k] + l.kept[k], l.out[k] - l.at[k] - l.kept[k], target);
  }
  return true;
}
