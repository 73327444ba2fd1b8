// What matrix products share with operators that are a product and more.
#ifndef TERN_OPS_MATMUL_H_
#define TERN_OPS_MATMUL_H_

#include "graph/infer.h"

// The shape of numpy.matmul(a, b): vectors gain an axis for the product and lose it again. *out is
// untouched where a rank is not known; an error names both shapes where they do not fit.
TERN_MUST_USE tern_status *tern_op_matmul_shape(const tern_shape *a, const tern_shape *b,
                                                tern_shape *out);
// `flops` of an operator whose first input is the left matrix.
double tern_op_flops_matmul(const tern_node *node, const tern_type *const *inputs,
                            const tern_type *const *outputs);

#endif
