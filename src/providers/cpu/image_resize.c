// Kernel of Resize: axes that keep their size are merged away, the others are resampled one after
// the other, from the last to the first, a slab of the outer dimensions at a time.
#include <math.h>
#include <string.h>

#include "base/checked.h"
#include "compute/cast.h"
#include "compute/resize.h"
#include "ops/resize.h"
#include "providers/cpu/elements.h"
#include "providers/cpu/image.h"

int32_t tern_cpu_find_text(const char *const *list, const char *text) {
  for (int32_t i = 0; list[i]; ++i) {
    if (strcmp(list[i], text) == 0) return i;
  }
  return -1;
}

static tern_status *read_choice(const tern_node *node, const char *name, const char *const *list,
                                int32_t *out) {
  const char *text = tern_node_attr_s(node, name);
  *out = tern_cpu_find_text(list, text);
  return *out >= 0 ? NULL : TERN_ERROR(TERN_INVALID_GRAPH, "'%s' is '%s'", name, text);
}

static tern_status *read_filter(const tern_node *node, tern_resize_filter *filter) {
  // In the order of the enumerators.
  static const char *const modes[] = {"nearest", "linear", "cubic", NULL};
  static const char *const coordinates[] = {
      "half_pixel", "half_pixel_symmetric", "pytorch_half_pixel",   "align_corners",
      "asymmetric", "tf_crop_and_resize",   "tf_half_pixel_for_nn", NULL};
  static const char *const roundings[] = {
      "round_prefer_floor", "round_prefer_ceil", "floor", "ceil", "by_scale", NULL};
  int32_t mode, coordinate, rounding;
  TERN_TRY(read_choice(node, "mode", modes, &mode));
  TERN_TRY(read_choice(node, "coordinate_transformation_mode", coordinates, &coordinate));
  TERN_TRY(read_choice(node, "nearest_mode", roundings, &rounding));
  *filter = (tern_resize_filter){
      .mode = (tern_resize_mode)mode,
      .coordinates = (tern_resize_coordinates)coordinate,
      .rounding = (tern_resize_rounding)rounding,
      .antialias = tern_node_attr_i(node, "antialias") != 0,
      .exclude_outside = tern_node_attr_i(node, "exclude_outside") != 0,
      .cubic_a = (double)tern_node_attr_f(node, "cubic_coeff_a"),
  };
  return NULL;
}

tern_status *tern_cpu_resize_prepare(const tern_prepare *prepare, void **out_state) {
  tern_resize_filter filter;
  TERN_TRY(read_filter(prepare->node, &filter));
  tern_dtype_class class = tern_dtype_get_info(prepare->node->inputs[0]->type.dtype)->class;
  bool is_real = class == TERN_CLASS_F || class == TERN_CLASS_B || class == TERN_CLASS_I ||
                 class == TERN_CLASS_U;
  if (filter.mode != TERN_RESIZE_NEAREST && !is_real)
    return TERN_ERROR(TERN_NOT_IMPLEMENTED, "mode '%s' needs numbers, the input is %s",
                      tern_node_attr_s(prepare->node, "mode"),
                      tern_dtype_name(prepare->node->inputs[0]->type.dtype));
  tern_resize_filter *state;
  TERN_TRY(TERN_NEW(prepare->allocator, &state));
  *state = filter;
  *out_state = state;
  return NULL;
}

void tern_cpu_resize_release(void *state, tern_allocator *allocator) {
  TERN_DELETE(allocator, (tern_resize_filter *)state);
}

// The axes from the first to the last that changes. `outer` slabs lie before them, each element of
// the innermost is `inner` elements.
typedef struct layout {
  tern_resize_axis axes[TERN_MAX_RANK];
  bool changes[TERN_MAX_RANK];
  int32_t rank;
  int64_t outer, inner;
} layout;

static bool keeps_axis(const tern_resize_filter *filter, const tern_op_resize *resize, int32_t i,
                       int64_t in) {
  if (!resize->is_resized[i]) return true;
  return resize->out[i] == in && resize->scale[i] == 1.0 && resize->roi_begin[i] == 0.0 &&
         resize->roi_end[i] == 1.0 && filter->coordinates != TERN_RESIZE_TF_HALF_PIXEL_NN;
}

static void lay_out(const tern_resize_filter *filter, const tern_op_resize *resize,
                    const tern_shape *x, layout *out) {
  int32_t first = 0, end = x->rank;
  while (first < end && keeps_axis(filter, resize, first, x->dims[first])) ++first;
  while (end > first && keeps_axis(filter, resize, end - 1, x->dims[end - 1])) --end;
  out->rank = end - first;
  out->outer = tern_shape_product(x, 0, first);
  out->inner = tern_shape_product(x, end, x->rank);
  for (int32_t i = first; i < end; ++i) {
    out->changes[i - first] = !keeps_axis(filter, resize, i, x->dims[i]);
    out->axes[i - first] = (tern_resize_axis){.in = x->dims[i],
                                              .out = resize->out[i],
                                              .scale = resize->scale[i],
                                              .roi_begin = resize->roi_begin[i],
                                              .roi_end = resize->roi_end[i]};
  }
}

static tern_status *make_table(tern_invocation *invocation, const tern_resize_filter *filter,
                               bool changes, tern_resize_axis *axis) {
  size_t entries, bytes;
  void *index;
  axis->taps = tern_resize_taps(filter, axis->scale);
  if (!tern_checked_mul((size_t)axis->taps, (size_t)axis->out, &entries) ||
      !tern_checked_mul(entries, sizeof(double), &bytes))
    return tern_status_out_of_memory();
  TERN_TRY(tern_invocation_scratch(invocation, bytes, &index));
  axis->index = index;
  for (int64_t j = 0; !changes && j < axis->out; ++j) axis->index[j] = j;
  if (!changes) return NULL;
  if (filter->mode != TERN_RESIZE_NEAREST)
    TERN_TRY(tern_invocation_scratch(invocation, bytes, &axis->weight));
  tern_resize_axis_fill(filter, axis);
  return NULL;
}

// `count` copies of the extrapolation value as elements of the output; zeros where a number says
// nothing.
static tern_status *make_extrapolation(tern_invocation *invocation, tern_dtype dtype,
                                       size_t unit_bytes, int64_t count, void **out_units) {
  float value = tern_node_attr_f(invocation->node, "extrapolation_value");
  TERN_TRY(tern_invocation_scratch(invocation, unit_bytes * (size_t)count, out_units));
  memset(*out_units, 0, unit_bytes * (size_t)count);
  if (!tern_cast_is_supported(TERN_FLOAT, dtype)) return NULL;
  for (int64_t i = 0; i < count; ++i)
    tern_cast(TERN_FLOAT, &value, dtype, (char *)*out_units + (size_t)i * unit_bytes, 1,
              &(tern_cast_options){0});
  return NULL;
}

typedef struct nearest_run {
  const layout *l;
  size_t unit_bytes, in_bytes, out_bytes; // of an element with what is inside it, and of a slab
  const void *extrapolation;
  const unsigned char *source;
  unsigned char *target;
} nearest_run;

static void nearest_slabs(void *context, int64_t begin, int64_t end) {
  const nearest_run *run = context;
  for (int64_t o = begin; o < end; ++o)
    tern_resize_nearest(run->l->axes, run->l->rank, run->unit_bytes, run->extrapolation,
                        run->source + (size_t)o * run->in_bytes,
                        run->target + (size_t)o * run->out_bytes);
}

static tern_status *resize_nearest(tern_invocation *invocation, const layout *l) {
  tern_cpu_source source;
  tern_cpu_target target;
  void *extrapolation;
  TERN_TRY(tern_cpu_source_open(invocation, invocation->inputs[0], &source));
  TERN_TRY(tern_cpu_target_open(invocation, invocation->outputs[0], &target));
  TERN_TRY(make_extrapolation(invocation, invocation->outputs[0]->dtype, source.unit_bytes,
                              l->inner, &extrapolation));
  size_t unit_bytes = source.unit_bytes * (size_t)l->inner, in_bytes = unit_bytes,
         out_bytes = unit_bytes;
  for (int32_t i = 0; i < l->rank; ++i) {
    in_bytes *= (size_t)l->axes[i].in;
    out_bytes *= (size_t)l->axes[i].out;
  }
  nearest_run run = {l, unit_bytes, in_bytes, out_bytes, extrapolation, source.data, target.data};
  tern_parallel_for(invocation->parallel, l->outer, tern_cost_ns(0, 4.0 * (double)out_bytes),
                    nearest_slabs, &run);
  return tern_cpu_target_close(&target);
}

// One call of resize_sums, and what its slabs share.
typedef struct sums_run {
  const layout *l;
  const tern_parallel *parallel;
  tern_dtype dtype;
  double extrapolation;
  const char *source;
  char *target;
  size_t in_bytes, out_bytes, between_bytes; // of one slab
} sums_run;

// Resamples one slab, axis by axis. `between` are two buffers for what lies between passes.
static void resize_slab(const sums_run *run, const void *source, void *target,
                        void *const between[2]) {
  const layout *l = run->l;
  int32_t first = 0, turn = 0;
  int64_t inner = l->inner;
  while (!l->changes[first]) ++first;
  for (int32_t i = l->rank - 1; i >= first; --i) {
    if (l->changes[i]) {
      int64_t outer = 1;
      for (int32_t k = 0; k < i; ++k) outer *= l->axes[k].in;
      void *to = i == first ? target : between[turn];
      if (run->dtype == TERN_FLOAT)
        tern_resize_axis_f32(run->parallel, &l->axes[i], outer, inner, (float)run->extrapolation,
                             source, to);
      else
        tern_resize_axis_f64(run->parallel, &l->axes[i], outer, inner, run->extrapolation, source,
                             to);
      source = to;
      turn = 1 - turn;
    }
    inner *= l->axes[i].out;
  }
}

static void resize_slabs(const void *context, int64_t begin, int64_t end, void *workspace) {
  const sums_run *run = context;
  void *const between[2] = {workspace, (char *)workspace + run->between_bytes};
  for (int64_t o = begin; o < end; ++o)
    resize_slab(run, run->source + (size_t)o * run->in_bytes,
                run->target + (size_t)o * run->out_bytes, between);
}

// Elements of the largest slab between two passes.
static int64_t between_count(const layout *l) {
  int64_t largest = 0, count = l->inner;
  for (int32_t i = 0; i < l->rank; ++i) count *= l->axes[i].in;
  for (int32_t i = l->rank - 1; i > 0; --i) {
    count = count / l->axes[i].in * l->axes[i].out;
    largest = tern_max_i64(largest, count);
  }
  return largest;
}

// Slabs at once where there are several; else the rows of each pass.
static tern_status *resize_sums(tern_invocation *invocation, tern_dtype dtype, layout *l,
                                const void *source, void *target) {
  size_t element = tern_dtype_size(dtype), bytes = (size_t)between_count(l) * element;
  sums_run run = {.l = l,
                  .parallel = invocation->parallel,
                  .dtype = dtype,
                  .extrapolation =
                      (double)tern_node_attr_f(invocation->node, "extrapolation_value"),
                  .source = source,
                  .target = target,
                  .in_bytes = element * (size_t)l->inner,
                  .out_bytes = element * (size_t)l->inner,
                  .between_bytes = (bytes + TERN_BUFFER_ALIGNMENT - 1) / TERN_BUFFER_ALIGNMENT *
                                   TERN_BUFFER_ALIGNMENT};
  for (int32_t i = 0; i < l->rank; ++i) {
    if (dtype == TERN_FLOAT && l->changes[i]) tern_resize_axis_narrow(&l->axes[i]);
    run.in_bytes *= (size_t)l->axes[i].in;
    run.out_bytes *= (size_t)l->axes[i].out;
  }
  const double moved = (double)(run.in_bytes + run.out_bytes + 2 * bytes);
  const tern_parallel_job job = {.count = l->outer,
                                 .item_ns = tern_cost_ns(0, 4 * moved),
                                 .workspace_bytes = 2 * run.between_bytes,
                                 .fn = resize_slabs,
                                 .context = &run};
  void *workspaces;
  TERN_TRY(tern_invocation_scratch(invocation, tern_parallel_job_bytes(invocation->parallel, &job),
                                   &workspaces));
  tern_parallel_job_run(invocation->parallel, &job, workspaces);
  return NULL;
}

// Rounds to the nearest integer that `dtype` holds.
static void saturate(tern_dtype dtype, int64_t count, double *values) {
  const tern_dtype_info *info = tern_dtype_get_info(dtype);
  bool is_signed = info->class == TERN_CLASS_I;
  double limit = ldexp(1.0, info->bits - is_signed), low = is_signed ? -limit : 0.0;
  double high = info->bits > 32 ? nextafter(limit, 0.0) : limit - 1.0;
  for (int64_t i = 0; i < count; ++i) {
    double v = rint(values[i]);
    values[i] = v >= high ? high : v > low ? v : low;
  }
}

// Element types other than float and double are computed in one of them.
static tern_status *resize_converted(tern_invocation *invocation, layout *l) {
  const tern_value *x = invocation->inputs[0];
  tern_value *y = invocation->outputs[0];
  bool is_integer = tern_dtype_get_info(x->dtype)->class != TERN_CLASS_B;
  tern_dtype wide = is_integer ? TERN_DOUBLE : TERN_FLOAT;
  int64_t in = tern_value_count(x), out = tern_value_count(y);
  void *source, *target;
  TERN_TRY(tern_invocation_scratch(invocation, (size_t)in * tern_dtype_size(wide), &source));
  TERN_TRY(tern_invocation_scratch(invocation, (size_t)out * tern_dtype_size(wide), &target));
  tern_cast(x->dtype, x->data, wide, source, in, &(tern_cast_options){0});
  TERN_TRY(resize_sums(invocation, wide, l, source, target));
  if (is_integer) saturate(y->dtype, out, target);
  tern_cast(wide, target, y->dtype, y->data, out, &(tern_cast_options){0});
  return NULL;
}

tern_status *tern_cpu_resize_compute(tern_invocation *invocation) {
  const tern_resize_filter *filter = invocation->state;
  const tern_value *x = invocation->inputs[0];
  tern_value *y = invocation->outputs[0];
  const tern_value *lists[4] = {0};
  for (int32_t i = 1; i < invocation->input_count; ++i) lists[i] = invocation->inputs[i];
  tern_op_resize resize;
  layout l;
  TERN_TRY(tern_op_resize_read(invocation->node, &x->shape, lists[1], lists[2], lists[3], &resize));
  if (tern_value_count(y) == 0) return NULL;
  lay_out(filter, &resize, &x->shape, &l);
  if (l.rank <= 0) return tern_cpu_copy_elements(x, y);
  for (int32_t i = 0; i < l.rank; ++i) {
    if (l.changes[i] || filter->mode == TERN_RESIZE_NEAREST)
      TERN_TRY(make_table(invocation, filter, l.changes[i], &l.axes[i]));
  }
  if (filter->mode == TERN_RESIZE_NEAREST) return resize_nearest(invocation, &l);
  if (x->dtype == TERN_FLOAT || x->dtype == TERN_DOUBLE)
    return resize_sums(invocation, x->dtype, &l, x->data, y->data);
  return resize_converted(invocation, &l);
}
