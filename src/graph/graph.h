// The graph: what a model means. A model owns everything below it through one arena: graphs, nodes,
// edges, attributes and names live until the model is destroyed, also when a pass unlinks them.
// Values (initializers, tensor attributes) are reference counted and released with the model.
// A model is built and changed by one thread and only read afterwards.
#ifndef TERN_GRAPH_GRAPH_H_
#define TERN_GRAPH_GRAPH_H_

#include "base/arena.h"
#include "base/array.h"
#include "base/value.h"
#include "format/external.h"
#include "format/onnx.h"

typedef struct tern_op tern_op; // graph/op.h
typedef struct tern_op_registry tern_op_registry;
typedef struct tern_model tern_model;
typedef struct tern_graph tern_graph;
typedef struct tern_node tern_node;
typedef struct tern_edge tern_edge;
typedef struct tern_attr tern_attr;

// One reader of an edge: input `index` of `node`, which may stand in a graph inside the edge's own.
typedef struct tern_use {
  tern_node *node;
  int32_t index;
} tern_use;

// An element of a small integer tensor that inference follows before any run (a shape on its way
// through Shape, Gather, Concat, Reshape): not known, a number, or a symbol of a dimension.
typedef enum tern_symint_kind {
  TERN_SYMINT_UNKNOWN = 0,
  TERN_SYMINT_NUMBER,
  TERN_SYMINT_SYMBOL
} tern_symint_kind;
typedef struct tern_symint {
  tern_symint_kind kind;
  int64_t value; // the number, or the symbol as a tern_dim
} tern_symint;
typedef struct tern_symints {
  tern_symint *items; // NULL: nothing is followed
  int32_t count;      // 1 for a scalar
} tern_symints;
enum { TERN_SYMINTS_MAX = 64 };

// A value in static single assignment: made once, by a node, as a graph's input, or as an
// initializer. The standard calls it a value, ORT a NodeArg.
struct tern_edge {
  const char *name; // unique in its graph and the graphs around it
  tern_type type;
  tern_graph *graph;
  tern_node *producer;    // NULL for inputs and initializers
  int32_t producer_index; // which output of the producer
  TERN_ARRAY(tern_use) uses;
  int32_t output_uses; // how often it is an output of its graph
  bool is_input;       // of its graph; with an initializer too, one that the caller may override
  tern_value *initializer;
  tern_symints symints; // for integer tensors of rank 0 and 1
  void *scratch;        // of the pass or the planner at work; meaningless between them
};

// The value every run sees: the initializer, unless the caller may override it. NULL if none.
static inline const tern_value *tern_edge_constant(const tern_edge *edge) {
  return edge->is_input ? NULL : edge->initializer;
}

// An attribute. `type` TERN_ATTR_UNDEFINED: not given and without a default.
struct tern_attr {
  const char *name;
  tern_attr_type type;
  union {
    float f;
    int64_t i;
    tern_string s; // NUL-terminated too
    tern_value *tensor;
    tern_graph *graph;
    tern_type *type_proto;
    const float *floats;
    const int64_t *ints;
    const tern_string *strings;
    tern_value *const *tensors;
    tern_graph *const *graphs;
    tern_type *const *type_protos;
  } u;
  size_t count; // of the list kinds
};

typedef struct tern_metadata {
  const char *key, *value;
} tern_metadata;

struct tern_node {
  const tern_op *op; // its row: always the operator's newest version
  const char *name;  // as in the model, or derived by whoever made the node; may be ""
  tern_graph *graph; // NULL while unlinked
  tern_node *prev, *next;
  tern_edge **inputs; // NULL: omitted
  int32_t input_count;
  tern_edge **outputs; // NULL: omitted
  int32_t output_count;
  tern_attr *attrs; // in the order of the row's attributes, defaults filled in
  // Edges of graphs further out that the node's own subgraphs read, each once. Kept by
  // tern_node_collect_captures.
  TERN_ARRAY(tern_edge *) captures;
  const char *original_type;   // what the model called it
  const char *original_domain; // and where
  int32_t original_version;    // the version its opset import selects; 0 for nodes Tern made
  const char *doc;
  const tern_metadata *metadata; // as the model gives it
  size_t metadata_count;
  int32_t id;    // unique in the model, in order of creation
  void *scratch; // of the pass or the planner at work
};

struct tern_graph {
  tern_model *model;
  tern_node *parent_node; // NULL for the main graph
  const char *name;
  const char *doc;
  tern_node *first, *last; // in topological order
  int32_t node_count;
  TERN_ARRAY(tern_edge *) inputs;
  TERN_ARRAY(tern_edge *) outputs;
  TERN_ARRAY(tern_edge *) initializers; // inputs with a default too
};

typedef struct tern_opset {
  const char *domain; // "" for ai.onnx
  int32_t version;
} tern_opset;

// Names of the tensors that hold quantisation parameters of the tensor `tensor_name`.
typedef struct tern_annotation {
  const char *tensor_name;
  const tern_metadata *parameters;
  size_t parameter_count;
} tern_annotation;

struct tern_model {
  tern_allocator *allocator;
  tern_allocator *value_allocator; // of initializers and tensor attributes; at first the same
  tern_arena arena;
  const tern_op_registry *registry;
  // What the model was loaded from; borrowed, and NULL where it came from elsewhere. Initializers
  // point into it.
  const tern_os_file *file;
  tern_external_files *externals; // likewise
  tern_graph *graph;
  int64_t ir_version, model_version;
  const char *producer_name, *producer_version, *domain, *doc;
  TERN_ARRAY(tern_opset) opsets; // as imported
  TERN_ARRAY(tern_metadata) metadata;
  TERN_ARRAY(tern_annotation) annotations;
  TERN_ARRAY(const char *) symbols;  // names of symbolic dimensions; "" for one Tern made
  TERN_ARRAY(tern_value *) values;   // every value the model holds a reference to
  TERN_ARRAY(tern_graph *) graphs;   // every graph, the main one first
  TERN_ARRAY(tern_edge *) all_edges; // every edge ever made; their use lists are freed with it
  TERN_ARRAY(tern_node *) all_nodes; // every node ever made; likewise
  tern_map symbol_ids;               // symbol name -> 1 + index
  TERN_ARRAY(const char *) warnings; // found while importing: told to the session's log
  int32_t next_node_id, next_name_id;
};

TERN_MUST_USE tern_status *tern_model_create(tern_allocator *allocator,
                                             const tern_op_registry *registry,
                                             tern_model **out_model);
// Accepts NULL and half-built models.
void tern_model_destroy(tern_model *model);

// The dimension that stands for the symbol `name`; the same name gives the same dimension.
TERN_MUST_USE tern_status *tern_model_symbol(tern_model *model, const char *name,
                                             tern_dim *out_dim);
// A symbol no other dimension has. It has no name.
TERN_MUST_USE tern_status *tern_model_new_symbol(tern_model *model, tern_dim *out_dim);
// "" for dimensions that are no symbol.
const char *tern_model_symbol_name(const tern_model *model, tern_dim dim);
// The model takes the caller's reference, also on failure.
TERN_MUST_USE tern_status *tern_model_keep_value(tern_model *model, tern_value *value);
// The model's file, or one of external data, that the bytes of `value` lie in; NULL where they are
// its own or the caller's.
const tern_os_file *tern_model_file_holding(const tern_model *model, const tern_value *value);
// `value` will hardly be read again: where its bytes are the model file's, their pages may go. They
// stay readable.
void tern_model_discard(const tern_model *model, const tern_value *value);
// Frees the elements of initializers that no node reads and no graph gives out: passes folded them
// away, or lowering replaced their readers. The edges stay, with spent values.
void tern_model_spend_unread(tern_model *model);
TERN_MUST_USE tern_status *tern_model_warn(tern_model *model, const char *format, ...)
    TERN_PRINTF(2, 3);

// Parts. Names are copied; a NULL or empty edge name makes a fresh one ("t#12").
TERN_MUST_USE tern_status *tern_graph_create(tern_model *model, tern_node *parent_node,
                                             const char *name, tern_graph **out_graph);
TERN_MUST_USE tern_status *tern_graph_new_edge(tern_graph *graph, const char *name,
                                               tern_edge **out_edge);
// An initializer edge. Takes the caller's reference to `value`, also on failure.
TERN_MUST_USE tern_status *tern_graph_new_constant(tern_graph *graph, const char *name,
                                                   tern_value *value, tern_edge **out_edge);
TERN_MUST_USE tern_status *tern_graph_add_input(tern_graph *graph, tern_edge *edge);
TERN_MUST_USE tern_status *tern_graph_add_output(tern_graph *graph, tern_edge *edge);

// A node with its inputs registered as uses and its outputs as produced by it; not in any graph's
// order yet. `outputs` may hold NULL. `attrs` has one entry for each of the row's attributes.
TERN_MUST_USE tern_status *tern_node_create(tern_graph *graph, const tern_op *op, const char *name,
                                            tern_edge *const *inputs, int32_t input_count,
                                            tern_edge *const *outputs, int32_t output_count,
                                            const tern_attr *attrs, tern_node **out_node);
// Links `node` before `before` (NULL: at the end).
void tern_graph_insert(tern_graph *graph, tern_node *node, tern_node *before);
// Takes a node out of its graph's order and links it into `graph` before `before` (NULL: at the
// end). Its edges stay as they are.
void tern_graph_move(tern_node *node, tern_graph *graph, tern_node *before);
// Takes a node out of its graph's order and drops its uses, and those of nodes inside its
// subgraphs. Its outputs must have no uses.
void tern_graph_remove(tern_node *node);
TERN_MUST_USE tern_status *tern_node_set_input(tern_node *node, int32_t index, tern_edge *edge);
// Every reader of `from`, in subgraphs too, and every graph output that is `from`, becomes `to`.
TERN_MUST_USE tern_status *tern_edge_replace(tern_edge *from, tern_edge *to);
// Recomputes `captures` of a node with subgraphs; does nothing for others.
TERN_MUST_USE tern_status *tern_node_collect_captures(tern_node *node);

// The same for every node of a graph and of the graphs inside it, innermost first: after changes.
TERN_MUST_USE tern_status *tern_graph_collect_captures(tern_graph *graph);

// A graph is part of its model while every node that holds it, at any depth, is linked.
bool tern_graph_is_live(const tern_graph *graph);
// True when `inner` is `outer` or stands inside one of its nodes.
bool tern_graph_is_within(const tern_graph *inner, const tern_graph *outer);

// Attributes by name. The row declares them, so a name that the row lacks is our own mistake and
// gives NULL or the zero value.
const tern_attr *tern_node_attr(const tern_node *node, const char *name); // NULL: undefined
bool tern_node_has_attr(const tern_node *node, const char *name);
int64_t tern_node_attr_i(const tern_node *node, const char *name);
float tern_node_attr_f(const tern_node *node, const char *name);
// "" when undefined. NUL-terminated.
const char *tern_node_attr_s(const tern_node *node, const char *name);
// NULL and 0 when undefined.
const int64_t *tern_node_attr_ints(const tern_node *node, const char *name, size_t *out_count);
// Entry `index`; 0 where there is none.
int64_t tern_node_attr_int_at(const tern_node *node, const char *name, int32_t index);
const float *tern_node_attr_floats(const tern_node *node, const char *name, size_t *out_count);
const tern_string *tern_node_attr_strings(const tern_node *node, const char *name,
                                          size_t *out_count);
const tern_value *tern_node_attr_tensor(const tern_node *node, const char *name);
tern_graph *tern_node_attr_graph(const tern_node *node, const char *name);

// For every node of the graph, in order: TERN_GRAPH_FOREACH(graph, node) { ... }. The node at hand
// may be removed.
#define TERN_GRAPH_FOREACH(graph, node)                                                            \
  for (tern_node *node = (graph)->first, *node##_next = node ? node->next : NULL; node;            \
       node = node##_next, node##_next = node ? node->next : NULL)

// "node 'conv1' (Conv)" or "node #12 (Conv)" into `buffer`, cut when too long. Returns `buffer`.
const char *tern_node_describe(const tern_node *node, char *buffer, size_t size);
enum { TERN_NODE_TEXT_BYTES = 160 };

#endif
