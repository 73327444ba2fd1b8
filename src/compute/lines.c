// Walks along one axis, stamped from lines.inc. Neighbouring lines are walked side by side, a block
// at a time, so that memory is read in order whatever the axis.
#include "compute/lines.h"

#include <math.h>

// Lines walked side by side.
#define BLOCK 64

// Runs the statement for each block of lines: `at` is its first element, `line` the index of its
// first line, `width` its number of lines.
#define FOR_EACH_BLOCK(lines, ...)                                                                 \
  for (size_t o = 0; o < (lines).outer; o++)                                                       \
    for (size_t begin = 0; begin < (lines).inner; begin += BLOCK) {                                \
      const size_t at = o * (lines).axis * (lines).inner + begin;                                  \
      const size_t line = o * (lines).inner + begin;                                               \
      const size_t width = (lines).inner - begin < BLOCK ? (lines).inner - begin : BLOCK;          \
      (void)at;                                                                                    \
      (void)line;                                                                                  \
      __VA_ARGS__;                                                                                 \
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
