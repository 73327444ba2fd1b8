// Direct convolution into blocked images.
//
// Output pixels are taken in segments, runs of up to leaf->max_pixels within a row; a tile of the
// leaf computes two of them for two blocks of output channels, over all taps: pairs of a kernel
// position and what of the input channels lies together, a block, or in planar images one.
//
// Where the kernel is one pixel the tiles read X where it lies. Elsewhere the part of X that a
// strip of output rows needs is copied first, with its padding, and with strides unfolded: column x
// of X goes to column x / stride of phase x % stride, so that the pixels of a segment are
// neighbours for every tap. A strip's copy serves all output channels of its tile: for 64 or more
// it costs less than a hundredth of the products.
#include "compute/blocked.h"

#include <math.h>
#include <string.h>

#include "compute/leaves.h"

enum {
  MIN_STRIP_SEGMENTS = 16,    // so that weights serve several tiles before they are read again
  MAX_STRIP_SEGMENTS = 32,    // where nothing is copied
  MAX_STRIP_FLOATS = 1 << 17, // of a copy: half of a small second-level cache
  WANTED_STRIPS = 8,
  GROUP_TILES = 8, // whose sums are kept between chunks of taps, in the first-level cache
  MAX_BLOCK = 64,
  LINE_FLOATS = 16,   // of a cache line
  CHUNK_FLOATS = 4608 // of weights, which stay there beside them
};

// How one convolution is done: by sizes and ISA alone.
typedef struct geometry {
  const tern_blocked_f32_leaf *leaf;
  size_t block;      // of the images
  size_t unit;       // numbers of X that lie together and make a tap: the block, or 1
  size_t planes;     // of X: in blocks of channels, or channels
  size_t rows, cols; // of Y; where X is read directly, one row of all pixels
  bool is_direct;
  size_t row_phases, col_phases;              // of the copy that taps read
  size_t tap_rows, tap_cols;                  // beyond the strip's own, in each phase
  size_t row_pitch, phase_pitch, plane_pitch; // in numbers, from row to row of the copy and so on
  size_t pixels, row_segments, segments;      // of a segment; segments of a row, of Y
  size_t strip_segments, strips;
  size_t out_blocks, out_tiles, group_tiles, groups; // a group is what one tile computes
  size_t taps, chunk_taps;
} geometry;

static size_t divide_up(size_t a, size_t b) {
  return (a + b - 1) / b;
}

// Equal parts of at most `most`.
static size_t even_part(size_t total, size_t most) {
  return total ? divide_up(total, divide_up(total, most)) : 0;
}

static bool is_pixelwise(const tern_window *w) {
  for (size_t d = 0; d < 2; d++)
    if (w->kernel[d] != 1 || w->stride[d] != 1 || w->pad_begin[d] != 0 || w->out[d] != w->in[d])
      return false;
  return true;
}

// The length with the least work for a row of `cols`: the last segment overlaps the one before it.
static size_t choose_pixels(const tern_blocked_f32_leaf *leaf, size_t cols) {
  size_t best = 1, best_cost = SIZE_MAX;
  for (size_t p = 1; p <= leaf->max_pixels && p <= cols; p++) {
    const size_t cost = divide_up(cols, p) * (4 * p + 1);
    if (!leaf->tiles[p][0][0] || cost > best_cost) continue;
    best = p;
    best_cost = cost;
  }
  return best;
}

// Phases that the taps of dimension d meet, and how far they reach in one.
static void set_phases(const tern_window *w, size_t d, size_t *out_phases, size_t *out_reach) {
  const size_t reach = (w->kernel[d] - 1) * w->dilation[d];
  *out_phases = reach + 1 < w->stride[d] ? reach + 1 : w->stride[d];
  *out_reach = reach / w->stride[d];
}

static size_t copy_floats(const geometry *g, size_t strip_rows) {
  return g->planes * g->row_phases * (strip_rows + g->tap_rows) * g->row_pitch;
}

static void set_strips(geometry *g) {
  if (g->is_direct) {
    g->strip_segments = even_part(g->segments, MAX_STRIP_SEGMENTS);
  } else {
    size_t rows = divide_up(MIN_STRIP_SEGMENTS, g->row_segments);
    if (rows < divide_up(g->rows, WANTED_STRIPS)) rows = divide_up(g->rows, WANTED_STRIPS);
    if (rows > g->rows) rows = g->rows;
    while (rows > 1 && copy_floats(g, rows) > MAX_STRIP_FLOATS) rows--;
    rows = even_part(g->rows, rows);
    g->strip_segments = rows * g->row_segments;
    g->phase_pitch = (rows + g->tap_rows) * g->row_pitch;
    g->plane_pitch = g->row_phases * g->phase_pitch;
  }
  g->strips = g->segments ? divide_up(g->segments, g->strip_segments) : 0;
}

static geometry plan(const tern_blocked_conv_params *p) {
  const tern_window *w = &p->window;
  geometry g = {.leaf = tern_leaves_selected()->blocked_f32};
  g.block = g.leaf->block;
  g.unit = p->is_planar ? 1 : g.block;
  g.planes = p->is_planar ? p->in_channels : tern_blocked_count(p->in_channels, g.block);
  g.is_direct = is_pixelwise(w) && !p->is_planar;
  g.rows = g.is_direct ? 1 : w->out[0];
  g.cols = g.is_direct ? w->out[0] * w->out[1] : w->out[1];
  set_phases(w, 0, &g.row_phases, &g.tap_rows);
  set_phases(w, 1, &g.col_phases, &g.tap_cols);
  g.row_pitch = g.col_phases * (g.cols + g.tap_cols) * g.unit;
  g.plane_pitch = w->in[0] * w->in[1] * g.unit;
  g.pixels = choose_pixels(g.leaf, g.cols);
  g.row_segments = divide_up(g.cols, g.pixels);
  g.segments = g.rows * g.row_segments;
  set_strips(&g);
  g.out_blocks = tern_blocked_count(p->out_channels, g.block);
  g.out_tiles = divide_up(g.out_blocks, 2);
  g.group_tiles = even_part(g.out_tiles, g.strips >= 16 ? 8 : g.strips >= 4 ? 4 : 2);
  g.groups = g.out_tiles ? divide_up(g.out_tiles, g.group_tiles) : 0;
  g.taps = g.planes * w->kernel[0] * w->kernel[1];
  g.chunk_taps = even_part(g.taps, tern_max_size(1, CHUNK_FLOATS / (g.unit * 2 * g.block)));
  return g;
}

// ---- Packing: the bias of every block, then for each pair of output blocks its weights in the
// order the tile reads them.

static size_t tap_floats(const geometry *g, size_t blocks) {
  return g->unit * blocks * g->block;
}

static size_t pair_blocks(const geometry *g, size_t tile) {
  return g->out_blocks - 2 * tile < 2 ? 1 : 2;
}

size_t tern_blocked_conv_packed_bytes(const tern_blocked_conv_params *p) {
  const geometry g = plan(p);
  return (g.out_blocks * g.block + g.taps * tap_floats(&g, g.out_blocks)) * sizeof(float);
}

// Weights of one output channel, its lane `at` in the tile's rows of `stride` numbers.
static void pack_channel(const tern_blocked_conv_params *p, const geometry *g, const float *w,
                         size_t stride, float *out) {
  const size_t size = p->window.kernel[0] * p->window.kernel[1];
  for (size_t c = 0; c < p->in_channels; c++) {
    float *plane = out + (c / g->unit * size * g->unit + c % g->unit) * stride;
    for (size_t k = 0; k < size; k++) plane[k * g->unit * stride] = w[c * size + k];
  }
}

void tern_blocked_conv_pack(const tern_blocked_conv_params *p, const float *w, const float *bias,
                            float *out) {
  const geometry g = plan(p);
  const size_t channel = p->in_channels * p->window.kernel[0] * p->window.kernel[1];
  const size_t lanes = g.out_blocks * g.block;
  memset(out, 0, tern_blocked_conv_packed_bytes(p));
  if (bias) memcpy(out, bias, p->out_channels * sizeof *out);
  out += lanes;
  for (size_t m = 0; m < p->out_channels; m++) {
    const size_t tile = m / (2 * g.block), stride = pair_blocks(&g, tile) * g.block;
    float *weights = out + tile * g.taps * tap_floats(&g, 2);
    pack_channel(p, &g, w + m * channel, stride, weights + m % (2 * g.block));
  }
}

// ---- The copy of a strip's input

// Copies `count` units of X, `stride` units apart.
static void copy_units(const float *x, size_t unit, size_t stride, size_t count, float *out) {
  if (stride == 1) {
    memcpy(out, x, count * unit * sizeof *out);
  } else if (unit == 1) {
    for (size_t i = 0; i < count; i++) out[i] = x[i * stride];
  } else {
    for (size_t i = 0; i < count; i++)
      memcpy(out + i * unit, x + i * stride * unit, unit * sizeof *out);
  }
}

// One row of the copy: of X's row `y`, which may lie in the padding, every phase of its columns.
static void copy_row(const tern_window *w, const geometry *g, const float *plane, ptrdiff_t y,
                     float *out) {
  const size_t count = g->cols + g->tap_cols;
  for (size_t phase = 0; phase < g->col_phases; phase++, out += count * g->unit) {
    // Columns before `begin` and from `end` on lie in the padding.
    const ptrdiff_t first = (ptrdiff_t)phase - w->pad_begin[1];
    const size_t stride = w->stride[1];
    size_t begin = first < 0 ? divide_up((size_t)-first, stride) : 0, end = 0;
    if (y >= 0 && y < (ptrdiff_t)w->in[0] && first < (ptrdiff_t)w->in[1])
      end = divide_up((size_t)((ptrdiff_t)w->in[1] - first), stride);
    if (end > count) end = count;
    if (begin > end) begin = end;
    memset(out, 0, begin * g->unit * sizeof *out);
    memset(out + end * g->unit, 0, (count - end) * g->unit * sizeof *out);
    if (begin == end) continue;
    const size_t x = (size_t)(first + (ptrdiff_t)(begin * stride));
    copy_units(plane + ((size_t)y * w->in[1] + x) * g->unit, g->unit, stride, end - begin,
               out + begin * g->unit);
  }
}

static void copy_strip(const tern_blocked_conv_params *p, const geometry *g, size_t batch,
                       size_t first_row, float *out) {
  const tern_window *w = &p->window;
  const size_t in_size = w->in[0] * w->in[1] * g->unit;
  const float *x = p->x + batch * g->planes * in_size;
  for (size_t plane = 0; plane < g->planes; plane++) {
    for (size_t phase = 0; phase < g->row_phases; phase++) {
      const size_t count = g->phase_pitch / g->row_pitch;
      for (size_t row = 0; row < count; row++, out += g->row_pitch) {
        const size_t at = (first_row + row) * w->stride[0] + phase;
        copy_row(w, g, x + plane * in_size, (ptrdiff_t)at - w->pad_begin[0], out);
      }
    }
  }
}

// ---- Tiles

// From an output pixel to what every tap meets.
static void set_offsets(const tern_blocked_conv_params *p, const geometry *g, ptrdiff_t *offsets) {
  const tern_window *w = &p->window;
  const size_t cols = (g->cols + g->tap_cols) * g->unit;
  for (size_t plane = 0; plane < g->planes; plane++) {
    for (size_t i = 0; i < w->kernel[0]; i++) {
      const size_t y = i * w->dilation[0];
      const size_t row = y % w->stride[0] * g->phase_pitch + y / w->stride[0] * g->row_pitch;
      for (size_t j = 0; j < w->kernel[1]; j++) {
        const size_t x = j * w->dilation[1];
        const size_t col = x % w->stride[1] * cols + x / w->stride[1] * g->unit;
        *offsets++ = (ptrdiff_t)(plane * g->plane_pitch + row + col);
      }
    }
  }
}

// A run of output pixels, which one tile of the leaf computes or half of one.
typedef struct segment {
  const float *x; // what its first pixel meets at the first tap
  size_t y;       // its first pixel in Y's first block of channels
  size_t skipped; // pixels that are the previous segment's too
} segment;

// One strip of one batch entry, in work.
typedef struct strip {
  const tern_blocked_conv_params *params;
  const geometry *geometry;
  segment *segments;
  size_t segment_count;
  const ptrdiff_t *offsets;
  float *sums;
} strip;

// Lists the segments from `first` on. `x` is where the row of the first lies.
static void list_segments(strip *s, size_t batch, size_t first, const float *x) {
  const geometry *g = s->geometry;
  const size_t size = s->params->window.out[0] * s->params->window.out[1];
  size_t row = first / g->row_segments, col = first % g->row_segments * g->pixels;
  const size_t first_row = row;
  for (size_t i = 0; i < s->segment_count; i++) {
    const size_t fitting = tern_min_size(col, g->cols - g->pixels);
    s->segments[i] = (segment){
        .x = x + (g->is_direct ? 0 : (row - first_row) * g->row_pitch) + fitting * g->unit,
        .y = (batch * g->out_blocks * size + row * g->cols + fitting) * g->block,
        .skipped = col - fitting};
    col += g->pixels;
    if (col < g->cols) continue;
    col = 0;
    row++;
  }
}

// One tile of the leaf at work: its pair of output blocks, how far they lie apart in Y and among
// the sums, and what the epilogue leaves to do behind the leaf, which clips.
typedef struct pair {
  size_t index, blocks, y_block, sum_block;
  bool adds_last; // the residual, behind the activation
} pair;

static pair pair_of(const strip *s, size_t index) {
  const geometry *g = s->geometry;
  const tern_epilogue_f32 *e = s->params->epilogue;
  return (pair){.index = index,
                .blocks = pair_blocks(g, index),
                .y_block = s->params->window.out[0] * s->params->window.out[1] * g->block,
                .sum_block = g->pixels * g->block,
                .adds_last = e && e->residual && e->residual_last};
}

static size_t sum_floats(const pair *p) {
  return p->blocks * p->sum_block;
}

// Where segment `k` of a tile begins and ends: between chunks of taps, in the sums.
static void set_segment(const strip *s, const pair *p, const segment *at_work, float *sums,
                        bool is_first, bool is_last, size_t k, tern_blocked_tile *t) {
  const tern_epilogue_f32 *e = s->params->epilogue;
  const size_t y = at_work->y + 2 * p->index * p->y_block;
  const bool adds_first = e && e->residual && !e->residual_last;
  t->x[k] = at_work->x;
  t->start[k] = !is_first ? sums : adds_first ? e->residual + y : NULL;
  t->start_block = is_first ? p->y_block : p->sum_block;
  const bool is_result = is_last && !p->adds_last;
  t->out[k] = is_result ? s->params->y + y : sums;
  t->out_block = is_result ? p->y_block : p->sum_block;
  t->skipped[k] = is_result ? at_work->skipped : 0;
}

// Any activation that is no clip, a last residual, and zeros in the channels that fill up the last
// block, whatever the activation makes of 0.
static void finish_segment(const strip *s, const pair *p, const segment *at_work, float *sums) {
  const geometry *g = s->geometry;
  const tern_epilogue_f32 *e = s->params->epilogue;
  const size_t skipped = at_work->skipped * g->block, count = p->sum_block - skipped;
  for (size_t b = 0; b < p->blocks; b++) {
    const size_t at = at_work->y + (2 * p->index + b) * p->y_block + skipped;
    float *y = s->params->y + at;
    float *from = p->adds_last ? sums + b * p->sum_block + skipped : y;
    if (e && e->activation && !e->is_clip) e->activation(from, from, (int64_t)count, &e->params);
    for (size_t i = 0; p->adds_last && i < count; i++) y[i] = from[i] + e->residual[at + i];
    const size_t channels = s->params->out_channels - (2 * p->index + b) * g->block;
    for (size_t i = 0; channels < g->block && i < count; i += g->block)
      memset(y + i + channels, 0, (g->block - channels) * sizeof *y);
  }
}

// A few tiles of the leaf, over all taps: chunk after chunk of weights serves them all, and each of
// them brings a part of the next chunk nearer (7 % of ResNet-50's time, whose weights are larger
// than caches).
static void run_tiles(const strip *s, size_t index, size_t first, size_t count) {
  static const float no_bias[2 * MAX_BLOCK] = {0};
  const geometry *g = s->geometry;
  const tern_epilogue_f32 *e = s->params->epilogue;
  const pair p = pair_of(s, index);
  const size_t tap_size = tap_floats(g, p.blocks);
  const float *weights =
      s->params->packed + g->out_blocks * g->block + index * g->taps * tap_floats(g, 2);
  const tern_blocked_tile_fn(*tiles)[2][2] =
      s->params->is_planar ? g->leaf->planar_tiles : g->leaf->tiles;
  for (size_t tap = 0; tap < g->taps; tap += g->chunk_taps) {
    tern_blocked_tile t = {.offsets = s->offsets + tap,
                           .weights = weights + tap * tap_size,
                           .taps = tern_min_size(g->taps - tap, g->chunk_taps),
                           .bias = tap == 0 ? s->params->packed + 2 * index * g->block : no_bias,
                           .next_lines =
                               divide_up(divide_up(tap_size, LINE_FLOATS), divide_up(count, 2))};
    const bool is_last = tap + t.taps == g->taps, clips = is_last && e && e->is_clip;
    t.lowest = clips ? e->params.alpha : -INFINITY;
    t.highest = clips ? e->params.beta : INFINITY;
    t.next = t.weights + t.taps * tap_size;
    for (size_t i = 0; i < count; i += 2) {
      const size_t segments = count - i < 2 ? 1 : 2;
      float *sums = s->sums + i * sum_floats(&p);
      for (size_t k = 0; k < segments; k++)
        set_segment(s, &p, &s->segments[first + i + k], sums + k * sum_floats(&p), tap == 0,
                    is_last, k, &t);
      if (segments == 1) t.x[1] = t.x[0];
      tiles[g->pixels][segments - 1][p.blocks - 1](&t);
      t.next += t.taps * t.next_lines * LINE_FLOATS;
      for (size_t k = 0; is_last && k < segments; k++)
        finish_segment(s, &p, &s->segments[first + i + k], sums + k * sum_floats(&p));
    }
  }
}

// ---- The parts of a workspace: the copy of a strip, the sums, the offsets, the segments.

static size_t aligned(size_t bytes) {
  return divide_up(bytes, TERN_BUFFER_ALIGNMENT) * TERN_BUFFER_ALIGNMENT;
}

static size_t copy_bytes(const geometry *g) {
  return g->is_direct ? 0 : aligned(g->planes * g->plane_pitch * sizeof(float));
}

static size_t sum_bytes(const geometry *g) {
  return aligned(GROUP_TILES * 2 * g->pixels * 2 * g->block * sizeof(float));
}

static size_t offset_bytes(const geometry *g) {
  return aligned(g->taps * sizeof(ptrdiff_t));
}

size_t tern_blocked_conv_workspace_bytes(const tern_blocked_conv_params *p) {
  const geometry g = plan(p);
  return copy_bytes(&g) + sum_bytes(&g) + offset_bytes(&g) + g.strip_segments * sizeof(segment);
}

size_t tern_blocked_conv_tile_count(const tern_blocked_conv_params *p) {
  const geometry g = plan(p);
  return p->batch * g.strips * g.groups;
}

// All segments of a strip for one group of output tiles.
static void run_group(const strip *s, size_t group) {
  const geometry *g = s->geometry;
  const size_t end = tern_min_size((group + 1) * g->group_tiles, g->out_tiles);
  for (size_t tile = group * g->group_tiles; tile < end; tile++) {
    for (size_t i = 0; i < s->segment_count; i += 2 * GROUP_TILES)
      run_tiles(s, tile, i, tern_min_size(2 * GROUP_TILES, s->segment_count - i));
  }
}

void tern_blocked_conv_tiles(const tern_blocked_conv_params *p, size_t first, size_t count,
                             void *workspace) {
  const geometry g = plan(p);
  char *space = workspace;
  float *copy = workspace;
  ptrdiff_t *offsets = (ptrdiff_t *)(space + copy_bytes(&g) + sum_bytes(&g));
  strip s = {.params = p,
             .geometry = &g,
             .segments = (segment *)((char *)offsets + offset_bytes(&g)),
             .offsets = offsets,
             .sums = (float *)(space + copy_bytes(&g))};
  size_t listed = SIZE_MAX; // which strip the copy and the segments are of
  set_offsets(p, &g, offsets);
  for (size_t t = first; t < first + count; t++) {
    const size_t at = t / g.groups, batch = at / g.strips;
    const size_t first_segment = at % g.strips * g.strip_segments;
    if (listed != at) {
      s.segment_count = tern_min_size(g.strip_segments, g.segments - first_segment);
      if (!g.is_direct) copy_strip(p, &g, batch, first_segment / g.row_segments, copy);
      list_segments(&s, batch, first_segment,
                    g.is_direct ? p->x + batch * g.planes * g.plane_pitch : copy);
      listed = at;
    }
    run_group(&s, t % g.groups);
  }
}
