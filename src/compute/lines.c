// Walks along one axis, stamped from lines.inc.
#include "compute/lines.h"

#include <math.h>

#define BLOCK TERN_LINES_WIDTH

typedef struct walk {
  tern_lines lines;
  void (*fn)(const void *context, const tern_lines_block *block);
  const void *context;
  size_t blocks; // of one outer index
} walk;

static void walk_blocks(void *context, int64_t begin, int64_t end) {
  const walk *w = context;
  const size_t inner = w->lines.inner;
  for (size_t i = (size_t)begin; i < (size_t)end; i++) {
    const size_t outer = i / w->blocks, first = i % w->blocks * BLOCK;
    const tern_lines_block block = {.at = outer * w->lines.axis * inner + first,
                                    .line = outer * inner + first,
                                    .width = inner - first < BLOCK ? inner - first : BLOCK};
    w->fn(w->context, &block);
  }
}

void tern_lines_for_each(tern_lines lines, double bytes, double operations,
                         void (*fn)(const void *context, const tern_lines_block *block),
                         const void *context) {
  walk w = {lines, fn, context, (lines.inner + BLOCK - 1) / BLOCK};
  const double elements = (double)lines.axis * (double)(lines.inner < BLOCK ? lines.inner : BLOCK);
  tern_parallel_for(lines.parallel, (int64_t)(lines.outer * w.blocks),
                    tern_cost_ns(operations * elements, bytes * elements), walk_blocks, &w);
}

#define T int8_t
#define W uint64_t
#define S(name) name##_i8
#define FN(name) tern_##name##_i8
#define IS_NAN(v) false
#include "compute/lines.inc"

#define T int16_t
#define W uint64_t
#define S(name) name##_i16
#define FN(name) tern_##name##_i16
#define IS_NAN(v) false
#include "compute/lines.inc"

#define T int32_t
#define W uint64_t
#define S(name) name##_i32
#define FN(name) tern_##name##_i32
#define IS_NAN(v) false
#include "compute/lines.inc"

#define T int64_t
#define W uint64_t
#define S(name) name##_i64
#define FN(name) tern_##name##_i64
#define IS_NAN(v) false
#include "compute/lines.inc"

#define T uint8_t
#define W uint64_t
#define S(name) name##_u8
#define FN(name) tern_##name##_u8
#define IS_NAN(v) false
#include "compute/lines.inc"

#define T uint16_t
#define W uint64_t
#define S(name) name##_u16
#define FN(name) tern_##name##_u16
#define IS_NAN(v) false
#include "compute/lines.inc"

#define T uint32_t
#define W uint64_t
#define S(name) name##_u32
#define FN(name) tern_##name##_u32
#define IS_NAN(v) false
#include "compute/lines.inc"

#define T uint64_t
#define W uint64_t
#define S(name) name##_u64
#define FN(name) tern_##name##_u64
#define IS_NAN(v) false
#include "compute/lines.inc"

#define T float
#define W double
#define S(name) name##_f32
#define FN(name) tern_##name##_f32
#define IS_NAN(v) isnan(v)
#define LINES_REAL
#include "compute/lines.inc"

#define T double
#define W double
#define S(name) name##_f64
#define FN(name) tern_##name##_f64
#define IS_NAN(v) isnan(v)
#define LINES_REAL
#include "compute/lines.inc"
