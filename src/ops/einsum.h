// The equation of an Einsum: which dimension of which operand is which label. Shape functions and
// kernels both come here.
#ifndef TERN_OPS_EINSUM_H_
#define TERN_OPS_EINSUM_H_

#include "graph/infer.h"

// Labels are the letters in ASCII order, then the dimensions of an ellipsis, counted from its last
// one, so that ellipses of different length broadcast as numpy's shapes do.
enum {
  TERN_EINSUM_LETTERS = 52,
  TERN_EINSUM_LABELS = TERN_EINSUM_LETTERS + TERN_MAX_RANK,
  TERN_EINSUM_MAX_OPERANDS = 128,
};

// The labels of one operand's dimensions, or of the result's.
typedef struct tern_einsum_term {
  int32_t rank;
  uint8_t labels[TERN_MAX_RANK];
} tern_einsum_term;

typedef struct tern_einsum {
  // The size that a label's dimensions broadcast to; 1 for labels that do not occur.
  tern_dim sizes[TERN_EINSUM_LABELS];
  tern_einsum_term result;
} tern_einsum;

// Reads term `index` of the equation for an operand of `rank` dimensions. Errors say what is wrong
// with the equation, or that it does not fit the rank.
TERN_MUST_USE tern_status *tern_einsum_read_term(const char *equation, int32_t index, int32_t rank,
                                                 tern_einsum_term *out_term);

// Reads the whole equation for operands of known rank; sizes may be unknown.
TERN_MUST_USE tern_status *tern_einsum_read(const char *equation, const tern_shape *const *shapes,
                                            int32_t count, tern_einsum *out_einsum);

#endif
