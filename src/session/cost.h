// What a step costs, from the shapes it runs on: for descriptions before a run, and for profiles.
#ifndef TERN_SESSION_COST_H_
#define TERN_SESSION_COST_H_

#include "graph/op.h"

// Floating-point operations of one call of `node`, a multiply and an add being two: what the
// operator's row says, or one an output element. None for views, and none for nodes that run
// subgraphs, whose own nodes count. Below 0 where a size that is needed is not known. Types are
// NULL for what is omitted.
double tern_cost_flops(const tern_node *node, const tern_type *const *inputs,
                       const tern_type *const *outputs);

// Bytes of the tensors that one call of `node` reads and writes: all of its inputs, weights among
// them as the model has them, and all of its outputs. 0 for what moves no elements: nodes that run
// subgraphs, and inputs of which only the shape is read. Sizes must be known.
typedef struct tern_cost_bytes {
  int64_t read, written;
} tern_cost_bytes;
tern_cost_bytes tern_cost_traffic(const tern_node *node, const tern_type *const *inputs,
                                  const tern_type *const *outputs);

// Bytes of a tensor's elements; 0 of everything else, and of what is not known.
int64_t tern_cost_size(const tern_type *type);

#endif
