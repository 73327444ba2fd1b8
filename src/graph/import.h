// From a parsed file to a graph: names become edges, nodes are upgraded and inferred in topological
// order, model-local functions are inlined. And back: a graph as an ONNX file.
#ifndef TERN_GRAPH_IMPORT_H_
#define TERN_GRAPH_IMPORT_H_

#include "base/text.h"
#include "graph/op.h"

// Computes the outputs of a node whose inputs are all known; given by whoever has kernels. Outputs
// are new references. TERN_NOT_IMPLEMENTED means "cannot": the node stays.
typedef struct tern_evaluator {
  void *self;
  tern_status *(*evaluate)(void *self, const tern_node *node, const tern_value *const *inputs,
                           tern_value **out_values);
} tern_evaluator;

// A size for every dimension with this name or denotation.
typedef struct tern_dim_override {
  const char *name;
  bool is_denotation;
  int64_t size;
} tern_dim_override;

typedef struct tern_import_options {
  bool strict_types; // a declared shape that contradicts the inferred one is an error
  const tern_dim_override *overrides;
  size_t override_count;
  const tern_evaluator *evaluator; // NULL: small known values are not followed through kernels
  // Values that stand in for initializers of that name, and sizes of external data given in
  // memory. NULL without.
  tern_value *const *initializer_values;
  const char *const *initializer_names;
  size_t initializer_count;
} tern_import_options;

// Reads a model from bytes that outlive it. `model` is new, with `externals` set when there is
// external data to find.
TERN_MUST_USE tern_status *tern_import(tern_model *model, tern_span bytes,
                                       const tern_import_options *options);

// Writes the model as ONNX: the main graph, subgraphs, the lowest opset that its nodes allow, and a
// model-local function of domain ai.tern for every internal operator in use that has a body. Bodies
// are built on the side, in the model's arena; the graph stays as it is, but for `scratch` of
// nodes. Initializers of at least `external_min_bytes` (SIZE_MAX: none) go to `external`, located
// at `external_name` in the file.
typedef struct tern_export_options {
  const char *external_name; // NULL: everything stays inside
  size_t external_min_bytes;
} tern_export_options;
TERN_MUST_USE tern_status *tern_export(tern_model *model, const tern_export_options *options,
                                       tern_pb_writer *out_model, tern_pb_writer *out_external);

// The graph as text for people: one line a node.
void tern_graph_print(const tern_graph *graph, tern_text *out_text);

// Checks every invariant of graph.h: order, uses, types, names, captures. For debug builds and
// tests; an error says what is broken.
TERN_MUST_USE tern_status *tern_model_verify(const tern_model *model);

#endif
