// Windows over blocked images that keep channels apart: depthwise convolution and pooling. A row of
// Y is computed in runs of pixels that meet the same positions of the window: the padding at either
// side takes some away.
#include "compute/blocked.h"

#include <math.h>
#include <string.h>

#include "compute/leaves.h"

enum {
  MAX_BLOCK = 64,
  MAX_COPY_FLOATS = 9216 // of a padded image: most of a first-level cache
};

// One row of Y in one block of channels, and how its pixels are computed.
typedef struct row_job {
  const tern_window *window;
  const float *x; // the block's image
  float *y;       // the row
  size_t row;
  size_t block;
  void *context;
} row_job;

// Computes pixels [begin, end) of the row, which all meet kernel positions [first[d], last[d]) of
// dimension d.
typedef void (*run_fn)(const row_job *job, size_t begin, size_t end, const size_t *first,
                       const size_t *last);

// The kernel positions of dimension d that lie in the input at output `out`.
static void valid_kernel(const tern_window *w, size_t d, size_t out, size_t *first, size_t *last) {
  *first = 0;
  *last = w->kernel[d];
  while (*first < *last && tern_window_at(w, d, out, *first) < 0) ++*first;
  while (*last > *first && tern_window_at(w, d, out, *last - 1) >= (ptrdiff_t)w->in[d]) --*last;
}

static void walk_row(const row_job *job, run_fn run) {
  const tern_window *w = job->window;
  size_t first[2], last[2];
  valid_kernel(w, 0, job->row, &first[0], &last[0]);
  for (size_t begin = 0, end; begin < w->out[1]; begin = end) {
    size_t next_first, next_last;
    valid_kernel(w, 1, begin, &first[1], &last[1]);
    for (end = begin + 1; end < w->out[1]; end++) {
      valid_kernel(w, 1, end, &next_first, &next_last);
      if (next_first != first[1] || next_last != last[1]) break;
    }
    run(job, begin, end, first, last);
  }
}

// The taps of kernel positions [first, last) from pixel `begin` on; each has its own weights where
// `weight_pitch` is not 0. Returns how many.
static size_t list_taps(const row_job *job, size_t begin, const size_t *first, const size_t *last,
                        size_t weight_pitch, tern_blocked_tap *taps) {
  const tern_window *w = job->window;
  size_t count = 0;
  for (size_t i = first[0]; i < last[0]; i++) {
    const ptrdiff_t y = tern_window_at(w, 0, job->row, i);
    for (size_t j = first[1]; j < last[1]; j++) {
      const ptrdiff_t x = tern_window_at(w, 1, begin, j);
      taps[count++] =
          (tern_blocked_tap){.x = (y * (ptrdiff_t)w->in[1] + x) * (ptrdiff_t)job->block,
                             .weights = (ptrdiff_t)((i * w->kernel[1] + j) * weight_pitch)};
    }
  }
  return count;
}

size_t tern_blocked_window_tile_count(const tern_blocked_window_params *p) {
  const size_t blocks = tern_blocked_count(p->channels, tern_blocked_block());
  return p->window.out[1] ? p->batch * blocks * p->window.out[0] : 0;
}

// Tile `tile`: image `tile / rows`, counted over batch and blocks, row `tile % rows`.
static row_job job_of(const tern_blocked_window_params *p, size_t tile, void *context) {
  const tern_window *w = &p->window;
  const size_t block = tern_blocked_block(), image = tile / w->out[0];
  return (row_job){.window = w,
                   .x = p->x + image * w->in[0] * w->in[1] * block,
                   .y = p->y + tile * w->out[1] * block,
                   .row = tile % w->out[0],
                   .block = block,
                   .context = context};
}

// The channels that fill up a block, from `channels` on, are 0 whatever became of them.
static void clear_fill(float *y, size_t pixels, size_t block, size_t channels) {
  for (size_t i = 0; channels < block && i < pixels; i++)
    memset(y + i * block + channels, 0, (block - channels) * sizeof *y);
}

// The channels that the block of image `image` has, or more.
static size_t channels_of(const tern_blocked_window_params *p, size_t image) {
  const size_t block = tern_blocked_block();
  return p->channels - image % tern_blocked_count(p->channels, block) * block;
}

// ---- Depthwise convolution: packed as [blocks][1 + positions][block], the bias first. Small
// images are copied with their padding, so that every pixel meets every tap: the runs at the
// borders of an image of 14 x 14 take longer than its inside.

static size_t depthwise_floats(const tern_window *w, size_t block) {
  return (1 + w->kernel[0] * w->kernel[1]) * block;
}

size_t tern_blocked_depthwise_packed_bytes(const tern_blocked_window_params *p) {
  const size_t block = tern_blocked_block();
  return tern_blocked_count(p->channels, block) * depthwise_floats(&p->window, block) *
         sizeof(float);
}

void tern_blocked_depthwise_pack(const tern_blocked_window_params *p, const float *w,
                                 const float *bias, float *out) {
  const size_t block = tern_blocked_block(), taps = p->window.kernel[0] * p->window.kernel[1];
  memset(out, 0, tern_blocked_depthwise_packed_bytes(p));
  for (size_t c = 0; c < p->channels; c++) {
    float *lane = out + c / block * depthwise_floats(&p->window, block) + c % block;
    if (bias) *lane = bias[c];
    for (size_t t = 0; t < taps; t++) lane[(1 + t) * block] = w[c * taps + t];
  }
}

static void run_depthwise(const row_job *job, size_t begin, size_t end, const size_t *first,
                          const size_t *last) {
  const float *packed = job->context;
  tern_blocked_tap taps[TERN_BLOCKED_MAX_TAPS];
  const size_t count = list_taps(job, begin, first, last, job->block, taps);
  tern_leaves_selected()->blocked_f32->sum_taps(end - begin, count, taps, packed + job->block,
                                                packed, job->x, job->window->stride[1] * job->block,
                                                job->y + begin * job->block);
}

// The residual and the activation of sums that lie in `sums`; `y` is where they go.
static void finish(const tern_blocked_window_params *p, float *sums, float *y, size_t floats) {
  const tern_epilogue_f32 *e = p->epilogue;
  if (e && !tern_epilogue_f32_is_empty(e))
    tern_epilogue_f32_run(e, e->residual ? e->residual + (y - p->y) : NULL, sums, floats);
  if (sums != y) memcpy(y, sums, floats * sizeof *y);
}

// The rows and columns that the outputs read.
static void padded_size(const tern_window *w, size_t *out_size) {
  for (size_t d = 0; d < 2; d++)
    out_size[d] = (w->out[d] - 1) * w->stride[d] + (w->kernel[d] - 1) * w->dilation[d] + 1;
}

static size_t copy_floats(const tern_blocked_window_params *p) {
  size_t size[2];
  if (p->window.out[0] == 0 || p->window.out[1] == 0) return 0;
  if (p->window.kernel[0] == 1 && p->window.kernel[1] == 1) return 0;
  padded_size(&p->window, size);
  if (size[0] > MAX_COPY_FLOATS || size[1] > MAX_COPY_FLOATS) return 0; // no product overflows
  const size_t floats = size[0] * size[1] * tern_blocked_block();
  return floats <= MAX_COPY_FLOATS ? floats : 0;
}

static size_t sum_floats(const tern_blocked_window_params *p) {
  const bool has_residual = p->epilogue && p->epilogue->residual; // which may be Y itself
  const size_t rows = copy_floats(p) ? p->window.out[0] : 1;
  return has_residual ? rows * p->window.out[1] * tern_blocked_block() : 0;
}

size_t tern_blocked_depthwise_workspace_bytes(const tern_blocked_window_params *p) {
  return (copy_floats(p) + sum_floats(p)) * sizeof(float);
}

size_t tern_blocked_depthwise_tile_count(const tern_blocked_window_params *p) {
  const size_t images = p->batch * tern_blocked_count(p->channels, tern_blocked_block());
  return copy_floats(p) ? images : tern_blocked_window_tile_count(p);
}

static void copy_image(const tern_window *w, size_t block, const float *x, const size_t *size,
                       float *out) {
  memset(out, 0, size[0] * size[1] * block * sizeof *out);
  const size_t left = w->pad_begin[1] > 0 ? (size_t)w->pad_begin[1] : 0;
  const size_t skipped = w->pad_begin[1] < 0 ? (size_t)-w->pad_begin[1] : 0;
  if (left >= size[1] || skipped >= w->in[1]) return;
  const size_t cols = tern_min_size(size[1] - left, w->in[1] - skipped);
  for (size_t row = 0; row < size[0]; row++) {
    const ptrdiff_t y = (ptrdiff_t)row - w->pad_begin[0];
    if (y < 0 || y >= (ptrdiff_t)w->in[0]) continue;
    memcpy(out + (row * size[1] + left) * block, x + ((size_t)y * w->in[1] + skipped) * block,
           cols * block * sizeof *out);
  }
}

// The whole of one block's image, from its copy.
static void run_image(const tern_blocked_window_params *p, size_t image, const float *packed,
                      float *copy, float *y) {
  const tern_window *w = &p->window;
  const size_t block = tern_blocked_block();
  tern_blocked_tap taps[TERN_BLOCKED_MAX_TAPS];
  size_t size[2], count = 0;
  padded_size(w, size);
  copy_image(w, block, p->x + image * w->in[0] * w->in[1] * block, size, copy);
  for (size_t i = 0; i < w->kernel[0]; i++)
    for (size_t j = 0; j < w->kernel[1]; j++, count++)
      taps[count] = (tern_blocked_tap){
          .x = (ptrdiff_t)((i * w->dilation[0] * size[1] + j * w->dilation[1]) * block),
          .weights = (ptrdiff_t)(count * block)};
  for (size_t row = 0; row < w->out[0]; row++)
    tern_leaves_selected()->blocked_f32->sum_taps(
        w->out[1], count, taps, packed + block, packed, copy + row * w->stride[0] * size[1] * block,
        w->stride[1] * block, y + row * w->out[1] * block);
}

void tern_blocked_depthwise_tiles(const tern_blocked_window_params *p, size_t first, size_t count,
                                  void *workspace) {
  const tern_window *w = &p->window;
  const size_t block = tern_blocked_block(), blocks = tern_blocked_count(p->channels, block);
  const size_t copied = copy_floats(p), rows = copied ? w->out[0] : 1;
  const size_t pixels = rows * w->out[1];
  float *sums = sum_floats(p) ? (float *)workspace + copied : NULL;
  for (size_t t = first; t < first + count; t++) {
    const size_t image = t * rows / w->out[0];
    const float *packed = p->packed + image % blocks * depthwise_floats(w, block);
    float *y = p->y + t * pixels * block;
    if (copied) {
      run_image(p, image, packed, workspace, sums ? sums : y);
    } else {
      row_job job = job_of(p, t, (void *)(uintptr_t)packed);
      if (sums) job.y = sums;
      walk_row(&job, run_depthwise);
    }
    finish(p, sums ? sums : y, y, pixels * block);
    clear_fill(y, pixels, block, channels_of(p, image));
  }
}

// ---- Pooling

static void fill(float *numbers, size_t count, float number) {
  for (size_t i = 0; i < count; i++) numbers[i] = number;
}

static void run_max(const row_job *job, size_t begin, size_t end, const size_t *first,
                    const size_t *last) {
  float start[MAX_BLOCK];
  tern_blocked_tap taps[TERN_BLOCKED_MAX_TAPS];
  const size_t count = list_taps(job, begin, first, last, 0, taps);
  fill(start, job->block, -INFINITY);
  tern_leaves_selected()->blocked_f32->max_taps(end - begin, count, taps, start, start, job->x,
                                                job->window->stride[1] * job->block,
                                                job->y + begin * job->block);
}

void tern_blocked_max_tiles(const tern_blocked_window_params *p, size_t first, size_t count) {
  for (size_t t = first; t < first + count; t++) {
    const row_job job = job_of(p, t, NULL);
    walk_row(&job, run_max);
    clear_fill(job.y, job.window->out[1], job.block, channels_of(p, t / p->window.out[0]));
  }
}

// The positions of dimension d that a mean over the window at `out` counts, padding included.
static size_t padded_count(const tern_window *w, size_t d, size_t out) {
  size_t count = 0;
  for (size_t k = 0; k < w->kernel[d]; k++) {
    const ptrdiff_t at = tern_window_at(w, d, out, k);
    count += at >= -w->pad_begin[d] && at < (ptrdiff_t)w->in[d] + w->pad_end[d];
  }
  return count;
}

static void average_run(const row_job *job, size_t begin, size_t end, const size_t *first,
                        const size_t *last, size_t divisor) {
  float zero[MAX_BLOCK] = {0}, factor[MAX_BLOCK];
  tern_blocked_tap taps[TERN_BLOCKED_MAX_TAPS];
  const size_t count = list_taps(job, begin, first, last, 0, taps);
  fill(factor, job->block, 1 / (float)divisor);
  // A window over nothing is 0 / 0, as it is in the plain image.
  if (divisor == 0) fill(zero, job->block, NAN);
  tern_leaves_selected()->blocked_f32->sum_taps(end - begin, count, taps, factor, zero, job->x,
                                                job->window->stride[1] * job->block,
                                                job->y + begin * job->block);
}

static void run_average(const row_job *job, size_t begin, size_t end, const size_t *first,
                        const size_t *last) {
  average_run(job, begin, end, first, last, (last[0] - first[0]) * (last[1] - first[1]));
}

// How many positions are counted may change within a run.
static void run_average_padded(const row_job *job, size_t begin, size_t end, const size_t *first,
                               const size_t *last) {
  const size_t rows = padded_count(job->window, 0, job->row);
  for (size_t at = begin, next; at < end; at = next) {
    const size_t cols = padded_count(job->window, 1, at);
    for (next = at + 1; next < end && padded_count(job->window, 1, next) == cols;) ++next;
    average_run(job, at, next, first, last, rows * cols);
  }
}

void tern_blocked_average_tiles(const tern_blocked_window_params *p, size_t first, size_t count) {
  for (size_t t = first; t < first + count; t++) {
    const row_job job = job_of(p, t, NULL);
    walk_row(&job, p->count_padding ? run_average_padded : run_average);
    clear_fill(job.y, job.window->out[1], job.block, channels_of(p, t / p->window.out[0]));
  }
}
