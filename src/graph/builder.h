// Making nodes: for upgrades, function bodies and passes. A builder keeps its first error; after it
// every call does nothing and returns NULL, so that a body reads like the formula it is.
//
// A patch is a builder whose nodes stand aside until it is applied: a pass matches, builds the
// replacement, says which edges it replaces, and applies or drops it whole.
#ifndef TERN_GRAPH_BUILDER_H_
#define TERN_GRAPH_BUILDER_H_

#include "graph/op.h"

struct tern_builder {
  tern_graph *graph;
  tern_node *before;   // new nodes are linked before it; NULL: at the end
  const char *name;    // prefix of new nodes' names; may be NULL
  tern_status *status; // the first error; owned by the builder until taken
  bool is_staged;      // patch: nodes are collected in `staged` instead of linked
  TERN_ARRAY(tern_node *) staged;
};

// `name` is borrowed until the builder is finished.
void tern_builder_init(tern_builder *out_builder, tern_graph *graph, tern_node *before,
                       const char *name);
// Takes the first error, if any.
TERN_MUST_USE tern_status *tern_builder_finish(tern_builder *builder);

// What a new node is made of. Inputs that are NULL are omitted ones. `domain` NULL is ai.onnx.
typedef struct tern_build_args {
  const char *domain;
  tern_edge *const *inputs;
  int32_t input_count;
  const tern_attr *attrs; // those given; the others get the row's defaults
  int32_t attr_count;
  int32_t output_count; // 0 means 1
} tern_build_args;

// Creates a node of the newest version of `op_type`, infers its outputs, and returns output 0 (NULL
// after an error). TERN_BUILD(b, "Concat", .inputs = …).
tern_edge *tern_build(tern_builder *builder, const char *op_type, const tern_build_args *args);
// As above; returns the node, for operators with several outputs.
tern_node *tern_build_node(tern_builder *builder, const char *op_type, const tern_build_args *args);
#define TERN_BUILD(builder, op_type, ...)                                                          \
  tern_build((builder), (op_type), &(const tern_build_args){__VA_ARGS__})
#define TERN_BUILD_NODE(builder, op_type, ...)                                                     \
  tern_build_node((builder), (op_type), &(const tern_build_args){__VA_ARGS__})
#define TERN_EDGES(...)                                                                            \
  .inputs = (tern_edge *const[]){__VA_ARGS__},                                                     \
  .input_count = (int32_t)TERN_COUNT_OF(((tern_edge *const[]){__VA_ARGS__}))
#define TERN_ATTR_ARGS(...)                                                                        \
  .attrs = (const tern_attr[]){__VA_ARGS__},                                                       \
  .attr_count = (int32_t)TERN_COUNT_OF(((const tern_attr[]){__VA_ARGS__}))

// Short forms for one and two inputs without attributes.
static inline tern_edge *tern_build1(tern_builder *builder, const char *op_type, tern_edge *x) {
  return TERN_BUILD(builder, op_type, TERN_EDGES(x));
}
static inline tern_edge *tern_build2(tern_builder *builder, const char *op_type, tern_edge *a,
                                     tern_edge *b) {
  return TERN_BUILD(builder, op_type, TERN_EDGES(a, b));
}

// Attribute values for TERN_ATTR_ARGS. Lists are copied when the node is made.
static inline tern_attr tern_attr_i(const char *name, int64_t value) {
  return (tern_attr){.name = name, .type = TERN_ATTR_INT, .u.i = value};
}
static inline tern_attr tern_attr_f(const char *name, float value) {
  return (tern_attr){.name = name, .type = TERN_ATTR_FLOAT, .u.f = value};
}
tern_attr tern_attr_s(const char *name, const char *value);
static inline tern_attr tern_attr_ints(const char *name, const int64_t *values, size_t count) {
  return (tern_attr){.name = name, .type = TERN_ATTR_INTS, .u.ints = values, .count = count};
}

// Constants, as initializers of the builder's graph. `tern_build_constant` takes the reference.
tern_edge *tern_build_constant(tern_builder *builder, tern_value *value);
tern_edge *tern_build_i64s(tern_builder *builder, const int64_t *values, int64_t count); // [count]
tern_edge *tern_build_i64(tern_builder *builder, int64_t number);                        // []
// A scalar of `dtype` (rank 0), converted from `number` as Cast does.
tern_edge *tern_build_scalar(tern_builder *builder, tern_dtype dtype, double number);

typedef struct tern_patch {
  tern_builder builder;
  struct {
    tern_edge *from, *to;
  } replaced[8];
  int32_t replaced_count;
} tern_patch;

// New nodes will stand before `anchor`, which every replaced edge's producer is or precedes.
void tern_patch_init(tern_patch *out_patch, tern_node *anchor, const char *name);
void tern_patch_replace(tern_patch *patch, tern_edge *from, tern_edge *to);
// Links the nodes, moves every use, and removes producers nobody reads any more. On an error (a
// build error, or a replacement of another kind, element type or contradicting shape) nothing has
// changed. Ends the patch either way.
TERN_MUST_USE tern_status *tern_patch_apply(tern_patch *patch);
// Ends the patch without a change.
void tern_patch_drop(tern_patch *patch);

// Removes `node` and then every producer that nobody reads any more. Nodes with uses stay.
void tern_graph_remove_dead(tern_node *node);

#endif
