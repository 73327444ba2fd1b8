// Strided copies: axes are merged where both sides allow it, contiguous runs become one memcpy, and
// a transposition of the innermost axes is walked in tiles that stay in the first-level cache.
#include "compute/strided.h"

#include <string.h>

// A copy in bytes: axes, and below them a unit that is contiguous on both sides.
typedef struct copy_plan {
  tern_strided_axis axes[TERN_STRIDED_MAX_RANK]; // strides in bytes
  int32_t rank;
  size_t unit_bytes;
} copy_plan;

typedef struct copy_leaf {
  void (*run)(const struct copy_leaf *leaf, const unsigned char *source, unsigned char *target);
  size_t unit_bytes;
  tern_strided_axis row, column; // `column` is the innermost axis; `row` for tiles only
} copy_leaf;

// False: there is nothing to copy.
static bool plan_copy(const tern_strided_axis *axes, int32_t rank, size_t element_bytes,
                      copy_plan *plan) {
  int64_t bytes = (int64_t)element_bytes;
  plan->rank = 0;
  plan->unit_bytes = element_bytes;
  for (int32_t k = 0; k < rank; ++k) {
    if (axes[k].size <= 0) return false;
    if (axes[k].size == 1) continue;
    tern_strided_axis axis = {axes[k].size, axes[k].source_stride * bytes,
                              axes[k].target_stride * bytes};
    tern_strided_axis *outer = plan->rank ? &plan->axes[plan->rank - 1] : NULL;
    if (outer && outer->source_stride == axis.source_stride * axis.size &&
        outer->target_stride == axis.target_stride * axis.size) {
      axis.size *= outer->size;
      *outer = axis;
    } else {
      plan->axes[plan->rank++] = axis;
    }
  }
  if (plan->rank > 0) {
    tern_strided_axis *inner = &plan->axes[plan->rank - 1];
    if (inner->source_stride == bytes && inner->target_stride == bytes) {
      plan->unit_bytes = (size_t)inner->size * element_bytes;
      plan->rank--;
    }
  }
  return true;
}

void tern_strided_fill(const void *element, size_t element_bytes, int64_t count, void *target) {
  // The filled part doubles up to a block that the cache keeps, which is then repeated.
  enum { BLOCK_BYTES = 4096 };
  unsigned char *to = target;
  size_t total = (size_t)count * element_bytes, filled = element_bytes;
  if (count <= 0) return;
  if (element_bytes == 1) {
    memset(to, *(const unsigned char *)element, total);
    return;
  }
  size_t limit =
      element_bytes < BLOCK_BYTES ? BLOCK_BYTES - BLOCK_BYTES % element_bytes : element_bytes;
  memcpy(to, element, element_bytes);
  while (filled < total) {
    size_t block = filled < limit ? filled : limit;
    if (block > total - filled) block = total - filled;
    memcpy(to + filled, to, block);
    filled += block;
  }
}

static void run_unit(const copy_leaf *leaf, const unsigned char *source, unsigned char *target) {
  memcpy(target, source, leaf->unit_bytes);
}

static void run_units(const copy_leaf *leaf, const unsigned char *source, unsigned char *target) {
  const tern_strided_axis *axis = &leaf->column;
  for (int64_t i = 0; i < axis->size; ++i)
    memcpy(target + i * axis->target_stride, source + i * axis->source_stride, leaf->unit_bytes);
}

static void run_fill(const copy_leaf *leaf, const unsigned char *source, unsigned char *target) {
  tern_strided_fill(source, leaf->unit_bytes, leaf->column.size, target);
}

// Units of a size the compiler knows: the copies become single moves, at any alignment.
#define SIZED_UNITS(X) X(1) X(2) X(4) X(8) X(16)

enum { TILE = 16 };

#define X(bytes)                                                                                   \
  static void run_line_##bytes(const copy_leaf *leaf, const unsigned char *source,                 \
                               unsigned char *target) {                                            \
    const tern_strided_axis *axis = &leaf->column;                                                 \
    int64_t source_stride = axis->source_stride, target_stride = axis->target_stride;              \
    for (int64_t i = 0; i < axis->size; ++i)                                                       \
      memcpy(target + i * target_stride, source + i * source_stride, bytes);                       \
  }                                                                                                \
  static void run_tile_##bytes(const unsigned char *source, int64_t source_stride,                 \
                               unsigned char *target, int64_t target_stride, int64_t rows,         \
                               int64_t columns) {                                                  \
    for (int64_t r = 0; r < rows; ++r)                                                             \
      for (int64_t c = 0; c < columns; ++c)                                                        \
        memcpy(target + r * target_stride + c * bytes, source + c * source_stride + r * bytes,     \
               bytes);                                                                             \
  }                                                                                                \
  static void run_transpose_##bytes(const copy_leaf *leaf, const unsigned char *source,            \
                                    unsigned char *target) {                                       \
    int64_t source_stride = leaf->column.source_stride, target_stride = leaf->row.target_stride;   \
    for (int64_t r = 0; r < leaf->row.size; r += TILE) {                                           \
      int64_t rows = tern_min_i64(TILE, leaf->row.size - r);                                       \
      for (int64_t c = 0; c < leaf->column.size; c += TILE) {                                      \
        int64_t columns = tern_min_i64(TILE, leaf->column.size - c);                               \
        const unsigned char *from = source + c * source_stride + r * bytes;                        \
        unsigned char *to = target + r * target_stride + c * bytes;                                \
        if (rows == TILE && columns == TILE)                                                       \
          run_tile_##bytes(from, source_stride, to, target_stride, TILE, TILE);                    \
        else                                                                                       \
          run_tile_##bytes(from, source_stride, to, target_stride, rows, columns);                 \
      }                                                                                            \
    }                                                                                              \
  }
SIZED_UNITS(X)
#undef X

typedef struct sized_leaves {
  size_t bytes;
  void (*line)(const copy_leaf *leaf, const unsigned char *source, unsigned char *target);
  void (*transpose)(const copy_leaf *leaf, const unsigned char *source, unsigned char *target);
} sized_leaves;

static const sized_leaves *find_sized_leaves(size_t bytes) {
  static const sized_leaves table[] = {
#define X(bytes) {bytes, run_line_##bytes, run_transpose_##bytes},
      SIZED_UNITS(X)
#undef X
  };
  for (size_t i = 0; i < TERN_COUNT_OF(table); ++i)
    if (table[i].bytes == bytes) return &table[i];
  return NULL;
}

// The axis that is contiguous in the source while the innermost one is contiguous in the target;
// -1: not a transposition, or too thin for tiles.
static int32_t find_row_axis(const copy_plan *plan) {
  const tern_strided_axis *inner = &plan->axes[plan->rank - 1];
  int64_t bytes = (int64_t)plan->unit_bytes;
  if (inner->target_stride != bytes || inner->size < 4) return -1;
  for (int32_t k = 0; k < plan->rank - 1; ++k)
    if (plan->axes[k].source_stride == bytes && plan->axes[k].size >= 4) return k;
  return -1;
}

// Takes the axes it handles out of the plan.
static copy_leaf choose_leaf(copy_plan *plan) {
  copy_leaf chosen = {.run = run_unit, .unit_bytes = plan->unit_bytes};
  const sized_leaves *sized = find_sized_leaves(plan->unit_bytes);
  if (plan->rank == 0) return chosen;
  int32_t row = sized ? find_row_axis(plan) : -1;
  chosen.column = plan->axes[--plan->rank];
  if (chosen.column.source_stride == 0 &&
      chosen.column.target_stride == (int64_t)plan->unit_bytes) {
    chosen.run = run_fill;
  } else if (row >= 0) {
    chosen.run = sized->transpose;
    chosen.row = plan->axes[row];
    plan->rank--;
    memmove(&plan->axes[row], &plan->axes[row + 1],
            (size_t)(plan->rank - row) * sizeof *plan->axes);
  } else {
    chosen.run = sized ? sized->line : run_units;
  }
  return chosen;
}

// ---- Over threads: the calls of the leaf, one for each index of the outer axes, and parts of a
// call that copies much.

enum { PIECE_BYTES = 1 << 16 };

typedef struct copy_run {
  copy_plan plan;
  copy_leaf leaf;
  const unsigned char *source;
  unsigned char *target;
  bool cuts_rows;      // the leaf's row axis is cut; else its column, or its unit's bytes
  int64_t length;      // of what is cut
  int64_t cut, pieces; // length of a piece, and how many they are
} copy_run;

static bool has_columns(const copy_leaf *leaf) {
  return leaf->run != run_unit;
}

static bool has_rows(const copy_leaf *leaf) {
  return leaf->row.size > 0;
}

// Whole tiles, so that pieces of a transposition are walked as the whole is.
static void cut_leaf(copy_run *run) {
  const copy_leaf *leaf = &run->leaf;
  const int64_t columns = has_columns(leaf) ? leaf->column.size : 1;
  const int64_t rows = has_rows(leaf) ? leaf->row.size : 1;
  const double bytes = (double)leaf->unit_bytes * (double)columns * (double)rows;
  run->cuts_rows = rows > columns;
  run->length = !has_columns(leaf) ? (int64_t)leaf->unit_bytes : run->cuts_rows ? rows : columns;
  run->cut = (int64_t)((double)run->length * PIECE_BYTES / bytes) / TILE * TILE;
  if (bytes <= PIECE_BYTES) run->cut = run->length;
  if (run->cut < TILE) run->cut = TILE;
  run->pieces = (run->length + run->cut - 1) / run->cut;
}

static void run_piece(const copy_run *run, int64_t piece, const unsigned char *from,
                      unsigned char *to) {
  copy_leaf part = run->leaf;
  const int64_t begin = piece * run->cut, count = tern_min_i64(run->cut, run->length - begin);
  if (!has_columns(&part)) {
    part.unit_bytes = (size_t)count;
    from += begin;
    to += begin;
  } else {
    tern_strided_axis *axis = run->cuts_rows ? &part.row : &part.column;
    axis->size = count;
    from += begin * axis->source_stride;
    to += begin * axis->target_stride;
  }
  part.run(&part, from, to);
}

// Items [begin, end): pieces of calls, in order.
static void run_items(void *context, int64_t begin, int64_t end) {
  const copy_run *run = context;
  const copy_plan *plan = &run->plan;
  const unsigned char *from = run->source;
  unsigned char *to = run->target;
  int64_t index[TERN_STRIDED_MAX_RANK], piece = begin % run->pieces, call = begin / run->pieces;
  for (int32_t k = plan->rank - 1; k >= 0; --k) {
    index[k] = call % plan->axes[k].size;
    call /= plan->axes[k].size;
    from += index[k] * plan->axes[k].source_stride;
    to += index[k] * plan->axes[k].target_stride;
  }
  for (int64_t item = begin; item < end; ++item) {
    if (run->pieces == 1)
      run->leaf.run(&run->leaf, from, to);
    else
      run_piece(run, piece, from, to);
    if (++piece < run->pieces) continue;
    piece = 0;
    for (int32_t k = plan->rank - 1; k >= 0; --k) {
      const tern_strided_axis *axis = &plan->axes[k];
      from += axis->source_stride;
      to += axis->target_stride;
      if (++index[k] < axis->size) break;
      from -= axis->source_stride * axis->size;
      to -= axis->target_stride * axis->size;
      index[k] = 0;
    }
  }
}

void tern_strided_copy(const tern_parallel *parallel, const tern_strided_axis *axes, int32_t rank,
                       size_t element_bytes, const void *source, void *target) {
  copy_run run = {.source = source, .target = target};
  if (!plan_copy(axes, rank, element_bytes, &run.plan)) return;
  run.leaf = choose_leaf(&run.plan);
  cut_leaf(&run);
  int64_t calls = 1;
  for (int32_t k = 0; k < run.plan.rank; ++k) calls *= run.plan.axes[k].size;
  double bytes = (double)run.leaf.unit_bytes;
  if (has_columns(&run.leaf)) bytes *= (double)run.leaf.column.size;
  if (has_rows(&run.leaf)) bytes *= (double)run.leaf.row.size;
  tern_parallel_for(parallel, calls * run.pieces, tern_cost_ns(0, 2 * bytes / (double)run.pieces),
                    run_items, &run);
}

void tern_strided_dense(const int64_t *sizes, int32_t rank, int64_t *out_strides) {
  int64_t stride = 1;
  for (int32_t k = rank - 1; k >= 0; --k) {
    out_strides[k] = stride;
    stride *= sizes[k];
  }
}
