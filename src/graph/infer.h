// Types and shapes: one function an operator, used while importing (dimensions may be symbols),
// while planning and while running (everything is known). Before `infer` is called, the number of
// inputs and outputs, their types and the attributes have been checked against the row, and each
// output has the kind and element type its type variable got from the inputs, with an unknown rank;
// `infer` sets shapes, and the element types that no input gives.
#ifndef TERN_GRAPH_INFER_H_
#define TERN_GRAPH_INFER_H_

#include "graph/op.h"

struct tern_infer {
  const tern_node *node;
  tern_model *model; // where new symbols come from; NULL while planning and running
  int32_t input_count, output_count;
  const tern_type *const *input_types;      // NULL: omitted
  const tern_value *const *input_values;    // NULL: not known
  const tern_symints *const *input_symints; // NULL (the array or an entry): nothing followed
  tern_type *output_types;
  tern_symints *output_symints; // NULL: not wanted
};

// NULL when the input is omitted or beyond the list.
static inline const tern_type *tern_infer_type(const tern_infer *infer, int32_t index) {
  return index < infer->input_count ? infer->input_types[index] : NULL;
}
static inline const tern_shape *tern_infer_shape(const tern_infer *infer, int32_t index) {
  const tern_type *type = tern_infer_type(infer, index);
  return type ? &type->shape : NULL;
}
// The input's elements when they are known, else NULL. While planning and running the row's
// `shape_inputs` decide: other inputs may lie where the host cannot read.
static inline const tern_value *tern_infer_value(const tern_infer *infer, int32_t index) {
  if (index >= infer->input_count || !infer->input_values) return NULL;
  if (!infer->model && !tern_op_input_bit(infer->node->op->shape_inputs, index)) return NULL;
  return infer->input_values[index];
}
// True when the input is given.
static inline bool tern_infer_has(const tern_infer *infer, int32_t index) {
  return tern_infer_type(infer, index) != NULL;
}
// True when rank is known.
static inline bool tern_shape_has_rank(const tern_shape *shape) {
  return shape && shape->rank >= 0;
}

// Reads an integer tensor input (int32 or int64, rank 0 or 1) as far as it is known: from its value
// or from what inference follows. False: nothing is known. At most TERN_SYMINTS_MAX entries.
bool tern_infer_symints(const tern_infer *infer, int32_t index,
                        tern_symint out_items[TERN_SYMINTS_MAX], int32_t *out_count);
// As above, all of them numbers. False: not fully known, or more than `capacity`.
bool tern_infer_i64s(const tern_infer *infer, int32_t index, int64_t *out_items, int32_t capacity,
                     int32_t *out_count);
// Sets what is followed of output `index` (copied; dropped when more than TERN_SYMINTS_MAX).
TERN_MUST_USE tern_status *tern_infer_set_symints(tern_infer *infer, int32_t index,
                                                  const tern_symint *items, int32_t count);
static inline tern_symint tern_symint_of_dim(tern_dim dim) {
  if (dim >= 0) return (tern_symint){TERN_SYMINT_NUMBER, dim};
  if (dim <= TERN_DIM_FIRST_SYMBOL) return (tern_symint){TERN_SYMINT_SYMBOL, dim};
  return (tern_symint){TERN_SYMINT_UNKNOWN, 0};
}
// The dimension a followed integer stands for; negative numbers give TERN_DIM_UNKNOWN.
static inline tern_dim tern_symint_to_dim(tern_symint item) {
  if (item.kind == TERN_SYMINT_UNKNOWN || (item.kind == TERN_SYMINT_NUMBER && item.value < 0))
    return TERN_DIM_UNKNOWN;
  return item.value;
}

// Pieces that rows share. Outputs not mentioned are untouched. Ready-made `infer` functions:
tern_status *tern_infer_same_as_input(tern_infer *infer); // every output has input 0's shape
tern_status *tern_infer_broadcast(tern_infer *infer);     // numpy broadcasting of all inputs
tern_status *tern_infer_scalar(tern_infer *infer);        // every output has rank 0
tern_status *tern_infer_nothing(tern_infer *infer);       // shapes stay unknown

// Broadcasts `b` into `inout`. Unknown against 1 is unknown, unknown against n > 1 is n. False:
// they do not broadcast.
bool tern_shape_broadcast(tern_shape *inout, const tern_shape *b);
// Makes an axis in [-rank, rank) non-negative; an error that names the axis otherwise. An unknown
// rank gives *out_axis = -1.
TERN_MUST_USE tern_status *tern_infer_axis(int64_t axis, int32_t rank, int32_t *out_axis);
// Joins two views of one dimension or shape: the more specific wins; false when they contradict.
bool tern_dim_merge(tern_dim *inout, tern_dim other);
bool tern_shape_merge(tern_shape *inout, const tern_shape *other);
// Sets output `index`'s rank with all dimensions unknown.
void tern_infer_set_rank(tern_infer *infer, int32_t index, int32_t rank);

// The driver: checks the node against its row, runs `infer`, checks the result. Edge types and
// `symints` are the inputs; the outputs' edges get their types (merged with what is declared
// there). Used by import, builder and patches.
TERN_MUST_USE tern_status *tern_infer_node(tern_node *node);
// Checks counts, types and type variables of `node` against its row; an error lists what was
// expected and what was found.
TERN_MUST_USE tern_status *tern_node_check(const tern_node *node);
// Runs the row's `infer` on types and values that the caller gives, for planning and running:
// output_types must hold node->output_count types and need not be initialised. Omitted outputs are
// inferred too.
TERN_MUST_USE tern_status *tern_infer_run(const tern_node *node,
                                          const tern_type *const *input_types,
                                          const tern_value *const *input_values,
                                          tern_type *output_types);
// As above for a node of a program that runs, where every value has the type that its edge had when
// the node was checked: tensors are not checked again.
TERN_MUST_USE tern_status *tern_infer_sizes(const tern_node *node,
                                            const tern_type *const *input_types,
                                            const tern_value *const *input_values,
                                            tern_type *output_types);

#endif
