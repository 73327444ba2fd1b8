// What the importer's files share: the state of one import, name scopes, and the environments that
// function calls make. Everything here dies with the import; what stays is in the model.
#ifndef TERN_GRAPH_IMPORT_INTERNAL_H_
#define TERN_GRAPH_IMPORT_INTERNAL_H_

#include "graph/import.h"
#include "graph/infer.h"
#include "graph/upgrade.h"

enum {
  // Graphs inside nodes and functions inside functions, counted together: bounds the C stack.
  TERN_IMPORT_MAX_DEPTH = 100,
  // Nodes that come from function bodies: functions that call functions can grow exponentially.
  TERN_IMPORT_MAX_INLINED_NODES = 1 << 20,
};

typedef struct import_scope import_scope;
typedef struct import_env import_env;

typedef struct import_context {
  tern_model *model;
  const tern_import_options *options;
  const tern_onnx_model *file;
  tern_arena arena;              // the parse, and everything else the import forgets
  tern_map functions;            // "domain:name:overload" -> const tern_onnx_function *
  tern_map replacements;         // initializer name -> tern_value *, from the options
  tern_text key;                 // the NUL-terminated copy of the name looked up last
  TERN_ARRAY(tern_edge *) known; // edges whose `scratch` holds a computed value
  int32_t depth;
  int32_t inlined_nodes;
} import_context;

// The opsets and attributes that nodes refer to: the model's, or those of one call of a function.
struct import_env {
  const tern_onnx_opset *opsets;
  size_t opset_count;
  const tern_onnx_function *function; // NULL: the model itself
  const tern_onnx_node *call;         // the node whose attributes the body may refer to
  const import_env *caller;
  const import_scope *caller_scope;
  const char *prefix; // of the names of the body's nodes; "" for the model
};

// A name that a node of the scope defines.
typedef struct import_definer {
  uint32_t node;  // its index in the file
  bool is_read;   // by a node of this graph or of one inside it, or an output
  int32_t hidden; // while dependencies are collected: in how many inner graphs it is redefined
} import_definer;

// The names visible in one graph or function body. Graphs see the scopes around them.
struct import_scope {
  tern_map edges;    // name -> tern_edge *; omitted function inputs are tern_import_omitted
  tern_map definers; // name -> import_definer *
  tern_map declared; // name -> const tern_onnx_value_info *
  const import_scope *outer;
  const import_env *env;
  tern_graph *graph;
  const tern_onnx_graph *from; // NULL: the body of env->function
  bool is_inlined; // a function body or inside one: names in the file are not names of edges
};

extern tern_edge tern_import_omitted;

// Names (import_scope.c). A name with a NUL inside is an error: it could not be told from its
// beginning.
TERN_MUST_USE tern_status *tern_import_text(import_context *context, tern_span span,
                                            const char **out_text);
// As above, valid until the next call.
TERN_MUST_USE tern_status *tern_import_key(import_context *context, tern_span span,
                                           const char **out_key);
TERN_MUST_USE tern_status *tern_import_keep_text(import_context *context, tern_span span,
                                                 const char **out_text); // in the model's arena
void tern_import_scope_init(import_context *context, const import_scope *outer,
                            const import_env *env, tern_graph *graph, import_scope *out_scope);
void tern_import_scope_deinit(import_scope *scope);
TERN_MUST_USE tern_status *tern_import_declare(import_context *context, import_scope *scope,
                                               const tern_onnx_value_info *infos, size_t count);
// The edge a node reads under `name`, here or further out; NULL for an omitted one. An unknown name
// is an error.
TERN_MUST_USE tern_status *tern_import_lookup(import_context *context, const import_scope *scope,
                                              tern_span name, tern_edge **out_edge);
// The name a new edge gets: NULL (a fresh one) inside functions and for a name that a graph further
// out has too.
const char *tern_import_edge_name(const import_scope *scope, const char *name);
// Makes `name` stand for `edge`. A name defined twice is an error.
TERN_MUST_USE tern_status *tern_import_define(import_scope *scope, const char *name,
                                              tern_edge *edge);
// Keeps the names that Tern makes ("t#12") apart from equal ones in the file.
void tern_import_reserve_names(tern_model *model, const tern_onnx_graph *graph);

// The order in which nodes can be made: the file's, where it is topological already
// (import_order.c). Fills scope->definers.
TERN_MUST_USE tern_status *tern_import_order(import_context *context, import_scope *scope,
                                             const tern_onnx_node *nodes, size_t count,
                                             uint32_t **out_order);

// Types (import_type.c). Names of dimensions become symbols, or sizes where overridden.
TERN_MUST_USE tern_status *tern_import_type(import_context *context, const tern_onnx_type *from,
                                            tern_type *out_type);
// Joins the declared type into what inference found. A contradicting shape is a warning, or an
// error under strict types; another kind or element type is always an error.
TERN_MUST_USE tern_status *tern_import_merge_type(import_context *context, const char *name,
                                                  const tern_type *declared, tern_type *inout_type);
// The same with what the scope's value_info and outputs say of `name`.
TERN_MUST_USE tern_status *tern_import_merge_declared(import_context *context,
                                                      const import_scope *scope, const char *name,
                                                      tern_type *inout_type);

// Values (import_value.c). New references.
TERN_MUST_USE tern_status *
tern_import_tensor(import_context *context, const tern_onnx_tensor *tensor, tern_value **out_value);
TERN_MUST_USE tern_status *tern_import_sparse(import_context *context,
                                              const tern_onnx_sparse_tensor *sparse,
                                              tern_value **out_value);
TERN_MUST_USE tern_status *tern_import_initializers(import_context *context, import_scope *scope,
                                                    const tern_onnx_graph *graph);
// The value a Constant node stands for.
TERN_MUST_USE tern_status *tern_import_constant(import_context *context, const import_scope *scope,
                                                const tern_onnx_node *node, tern_value **out_value);

// Attributes (import_attr.c). A reference to an attribute of the function is followed to where the
// value is given.
typedef struct import_attr {
  const char *name;
  const tern_onnx_attribute *value; // NULL: not given by any caller, and without a default
  const import_env *env;            // where a graph in it belongs
  const import_scope *scope;
} import_attr;
TERN_MUST_USE tern_status *tern_import_attr_resolve(import_context *context,
                                                    const import_scope *scope,
                                                    const tern_onnx_attribute *attribute,
                                                    import_attr *out_attr);
// A subgraph attribute that waits for its node.
typedef struct import_body {
  tern_graph *graph;
  const tern_onnx_graph *from;
  const import_env *env;
  const import_scope *scope;
} import_body;
typedef struct import_attrs {
  tern_attr *items; // with room for `capacity`
  int32_t count, capacity;
  import_body *bodies;
  size_t body_count;
} import_attrs;
TERN_MUST_USE tern_status *tern_import_attrs(import_context *context, const import_scope *scope,
                                             const tern_onnx_node *node, import_attrs *out_attrs);

// Graphs and nodes (import_graph.c, import_node.c). `inputs` are the types an operator gives its
// body, NULL for the main graph.
TERN_MUST_USE tern_status *tern_import_graph(import_context *context, const import_env *env,
                                             const import_scope *outer, const tern_onnx_graph *from,
                                             const tern_type *inputs, tern_graph *graph);
TERN_MUST_USE tern_status *tern_import_nodes(import_context *context, import_scope *scope,
                                             const tern_onnx_node *nodes, size_t count);
// "ai.onnx" as rows write it; other domains as they are.
const char *tern_import_domain(const char *domain);
// The version of `domain` that `env` imports.
TERN_MUST_USE tern_status *tern_import_opset(import_context *context, const import_env *env,
                                             const char *domain, int32_t *out_version);
// Makes `name` of the scope stand for `edge`, which the node or function there gave: an edge
// nobody knows yet takes the name.
TERN_MUST_USE tern_status *tern_import_bind(import_context *context, import_scope *scope,
                                            const char *name, tern_edge *edge);
// An Identity at the end of the scope's graph, whose output is called `name`.
TERN_MUST_USE tern_status *tern_import_identity(import_scope *scope, const char *name,
                                                tern_edge *from, tern_edge **out_edge);

// Functions (import_function.c). NULL when the file has none of that name.
TERN_MUST_USE tern_status *tern_import_find_function(import_context *context, const char *domain,
                                                     const tern_onnx_node *node,
                                                     const tern_onnx_function **out_function);
TERN_MUST_USE tern_status *tern_import_collect_functions(import_context *context);
TERN_MUST_USE tern_status *tern_import_call(import_context *context, import_scope *scope,
                                            const tern_onnx_node *call,
                                            const tern_onnx_function *function);

// Small values that are known before any run (import_known.c).
TERN_MUST_USE tern_status *tern_import_evaluate(import_context *context, tern_node *node);
void tern_import_forget_values(import_context *context);

#endif
