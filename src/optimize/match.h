// Small questions that passes ask of nodes and edges.
#ifndef TERN_OPTIMIZE_MATCH_H_
#define TERN_OPTIMIZE_MATCH_H_

#include <string.h>

#include "optimize/pass.h"

// Whether `node` (NULL: no) is the operator `name` of ai.onnx.
static inline bool tern_match_op(const tern_node *node, const char *name) {
  return node && node->op->domain[0] == 0 && strcmp(node->op->name, name) == 0;
}
// Whether `node` (NULL: no) is Tern's internal operator `name`.
static inline bool tern_match_internal(const tern_node *node, const char *name) {
  return node && strcmp(node->op->domain, TERN_DOMAIN_TERN) == 0 &&
         strcmp(node->op->name, name) == 0;
}
// Input `index`; NULL when it is omitted or beyond the list.
static inline tern_edge *tern_match_input(const tern_node *node, int32_t index) {
  return index < node->input_count ? node->inputs[index] : NULL;
}
// Whether one input of one node in the edge's own graph, and nothing else, reads `edge`: whoever
// takes that reader's place may compute the value itself. (A reader in a loop's body would compute
// it again and again.)
static inline bool tern_match_read_once(const tern_edge *edge) {
  return edge->uses.count == 1 && edge->output_uses == 0 &&
         edge->uses.data[0].node->graph == edge->graph;
}
// Float, or a narrower floating-point type, which runs through float.
static inline bool tern_match_is_float(const tern_edge *edge) {
  return edge->type.kind == TERN_KIND_TENSOR && edge->type.dtype != TERN_DOUBLE &&
         tern_dtype_set_has(TERN_TYPES_FLOAT_BF, edge->type.dtype);
}
// Whether both edges have the same shape in every run: sizes or equal symbols throughout.
static inline bool tern_match_same_shape(const tern_edge *a, const tern_edge *b) {
  const tern_shape *x = &a->type.shape, *y = &b->type.shape;
  if (x->rank < 0 || x->rank != y->rank) return false;
  for (int32_t i = 0; i < x->rank; ++i) {
    if (x->dims[i] != y->dims[i] || x->dims[i] == TERN_DIM_UNKNOWN) return false;
  }
  return true;
}

#endif
