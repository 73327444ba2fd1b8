// What the exporter's files share. A survey comes first: it finds which domains, versions and types
// the model uses, and builds the function bodies of internal operators; then everything is written.
#ifndef TERN_GRAPH_EXPORT_INTERNAL_H_
#define TERN_GRAPH_EXPORT_INTERNAL_H_

#include "graph/import.h"

// A function of domain ai.tern. Nodes that call it hold it in `scratch`.
typedef struct export_function {
  const tern_op *op;
  const char *overload; // tells functions of one operator apart
  tern_pb_writer bytes; // the FunctionProto without opset imports and overload
} export_function;

typedef struct export_context {
  tern_model *model;
  const tern_export_options *options;
  tern_pb_writer *external; // NULL: everything stays inside
  int64_t ir_version;
  TERN_ARRAY(tern_opset) opsets; // used by nodes, each once
  TERN_ARRAY(export_function *) functions;
  int32_t depth; // of functions inside functions
} export_context;

TERN_MUST_USE tern_status *tern_export_survey(export_context *context, const tern_graph *graph);
TERN_MUST_USE tern_status *tern_export_use_opset(export_context *context, const char *domain,
                                                 int32_t version);
// The domain a file names: operators that ONNX removed are functions of ai.tern.
const char *tern_export_domain(const tern_op *op);
// Gives `node`, whose row has a body, its function.
TERN_MUST_USE tern_status *tern_export_function(export_context *context, tern_node *node);

// A NodeProto as field `field`.
TERN_MUST_USE tern_status *tern_export_node(export_context *context, tern_pb_writer *out,
                                            uint32_t field, const tern_node *node);
TERN_MUST_USE tern_status *tern_export_graph(export_context *context, tern_pb_writer *out,
                                             uint32_t field, const tern_graph *graph);
// A TypeProto as field `field`.
void tern_export_type(const tern_model *model, tern_pb_writer *out, uint32_t field,
                      const tern_type *type);
void tern_export_entry(tern_pb_writer *out, uint32_t field, const char *key, const char *value);

#endif
