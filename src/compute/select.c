// The loops of select.h.
#include "compute/select.h"

#include <math.h>

typedef struct pair {
  uint64_t low, high;
} pair;

// One row. Operands that advance with the condition are what compilers make vectors of.
typedef void (*row_fn)(const uint8_t *condition, const void *a, const void *b, void *y,
                       const int64_t *steps, int64_t count);
#define ROW(name, type)                                                                            \
  static void name(const uint8_t *condition, const void *va, const void *vb, void *vy,             \
                   const int64_t *steps, int64_t count) {                                          \
    const type *a = va, *b = vb;                                                                   \
    type *y = vy;                                                                                  \
    if (steps[0] == 1 && steps[1] == 1 && steps[2] == 1) {                                         \
      TERN_LANES_INDEPENDENT                                                                       \
      for (int64_t i = 0; i < count; ++i) {                                                        \
        const type yes = a[i], no = b[i];                                                          \
        y[i] = condition[i] ? yes : no;                                                            \
      }                                                                                            \
    } else if (steps[0] == 1 && steps[1] == 0 && steps[2] == 1) {                                  \
      const type yes = *a;                                                                         \
      TERN_LANES_INDEPENDENT                                                                       \
      for (int64_t i = 0; i < count; ++i) {                                                        \
        const type no = b[i];                                                                      \
        y[i] = condition[i] ? yes : no;                                                            \
      }                                                                                            \
    } else if (steps[0] == 1 && steps[1] == 1 && steps[2] == 0) {                                  \
      const type no = *b;                                                                          \
      TERN_LANES_INDEPENDENT                                                                       \
      for (int64_t i = 0; i < count; ++i) {                                                        \
        const type yes = a[i];                                                                     \
        y[i] = condition[i] ? yes : no;                                                            \
      }                                                                                            \
    } else {                                                                                       \
      for (int64_t i = 0; i < count; ++i)                                                          \
        y[i] = condition[i * steps[0]] ? a[i * steps[1]] : b[i * steps[2]];                        \
    }                                                                                              \
  }
#define X(bytes, type, suffix) ROW(row_##suffix, type)
TERN_X_SIZES(X)
#undef X
ROW(row_b128, pair)

static row_fn find_row(size_t element_bytes) {
  switch (element_bytes) {
#define X(bytes, type, suffix)                                                                     \
  case bytes:                                                                                      \
    return row_##suffix;
    TERN_X_SIZES(X)
#undef X
  case 16:
    return row_b128;
  default:
    return NULL;
  }
}

typedef struct selection {
  const tern_broadcast *broadcast;
  row_fn row;
  size_t element_bytes;
  const uint8_t *condition;
  const char *a, *b;
  char *y;
} selection;

static void select_pieces(void *context, int64_t begin, int64_t end) {
  const selection *s = context;
  tern_broadcast_piece piece;
  tern_broadcast_piece_seek(s->broadcast, begin, &piece);
  for (int64_t i = begin; i < end; ++i) {
    s->row(s->condition + piece.offsets[0], s->a + (size_t)piece.offsets[1] * s->element_bytes,
           s->b + (size_t)piece.offsets[2] * s->element_bytes,
           s->y + (size_t)piece.output * s->element_bytes, s->broadcast->steps, piece.count);
    tern_broadcast_piece_next(s->broadcast, &piece);
  }
}

void tern_select(const tern_parallel *parallel, const tern_broadcast *broadcast,
                 size_t element_bytes, const uint8_t *condition, const void *a, const void *b,
                 void *y) {
  selection s = {broadcast, find_row(element_bytes), element_bytes, condition, a, b, y};
  const int64_t most = tern_min_i64(broadcast->row_length, TERN_BROADCAST_PIECE);
  if (!s.row) return;
  tern_parallel_for(parallel, tern_broadcast_piece_count(broadcast),
                    tern_cost_ns(0, (double)(3 * element_bytes + 1) * (double)most), select_pieces,
                    &s);
}

// Without a bound x is bounded by itself: infinities for floats, the limits for integers.
#define CLIP(type, suffix, smallest, largest)                                                      \
  static void clip_##suffix(const void *vx, int64_t count, const void *lowest,                     \
                            const void *highest, void *vy) {                                       \
    const type low = lowest ? *(const type *)lowest : (smallest);                                  \
    const type high = highest ? *(const type *)highest : (largest);                                \
    const type *px = vx;                                                                           \
    type *y = vy;                                                                                  \
    TERN_LANES_INDEPENDENT                                                                         \
    for (int64_t i = 0; i < count; ++i) {                                                          \
      type x = px[i];                                                                              \
      x = x < low ? low : x;                                                                       \
      y[i] = x > high ? high : x;                                                                  \
    }                                                                                              \
  }
CLIP(float, f32, -INFINITY, INFINITY)
CLIP(double, f64, -(double)INFINITY, (double)INFINITY)
CLIP(int8_t, i8, INT8_MIN, INT8_MAX)
CLIP(int16_t, i16, INT16_MIN, INT16_MAX)
CLIP(int32_t, i32, INT32_MIN, INT32_MAX)
CLIP(int64_t, i64, INT64_MIN, INT64_MAX)
CLIP(uint8_t, u8, 0, UINT8_MAX)
CLIP(uint16_t, u16, 0, UINT16_MAX)
CLIP(uint32_t, u32, 0, UINT32_MAX)
CLIP(uint64_t, u64, 0, UINT64_MAX)

void tern_clip(tern_dtype dtype, const void *x, int64_t count, const void *lowest,
               const void *highest, void *y) {
  static void (*const fns[TERN_DTYPE_COUNT])(const void *, int64_t, const void *, const void *,
                                             void *) = {TERN_ENTRIES_NUMBERS(clip)};
  if (fns[dtype]) fns[dtype](x, count, lowest, highest, y);
}
