// Placement: what the session puts into a graph once it knows who computes what. A group that a
// provider compiles, and copies between the host's memory and a provider's own.
#include <stdlib.h>

#include "graph/infer.h"
#include "ops/ops.h"

// What inference over a body knows of its edges, in the order in which they come: the inputs, then
// each node's outputs. They are found by address.
typedef struct body_edge {
  const tern_edge *edge;
  int32_t index;
} body_edge;

typedef struct body_inference {
  const tern_infer *around;
  const tern_graph *body;
  int32_t edge_count;
  tern_arena arena;
  body_edge *edges; // sorted
  tern_type *types; // by index
  // For the node at work.
  const tern_type **input_types;
  const tern_value **input_values;
  tern_type *others; // types of inputs that the body does not make
  tern_type *output_types;
} body_inference;

static int by_address(const void *a, const void *b) {
  uintptr_t left = (uintptr_t)((const body_edge *)a)->edge;
  uintptr_t right = (uintptr_t)((const body_edge *)b)->edge;
  return (left > right) - (left < right);
}

// -1: not an edge of the body.
static int32_t find_edge(const body_inference *b, const tern_edge *edge) {
  const body_edge key = {.edge = edge};
  const body_edge *found = bsearch(&key, b->edges, (size_t)b->edge_count, sizeof key, by_address);
  return found ? found->index : -1;
}

static void list_edge(body_inference *b, const tern_edge *edge) {
  b->edges[b->edge_count] = (body_edge){edge, b->edge_count};
  b->edge_count++;
}

static tern_status *start_body(body_inference *b) {
  size_t count = b->body->inputs.count, in = 0, out = 0;
  for (const tern_node *node = b->body->first; node; node = node->next) {
    count += (size_t)node->output_count;
    if ((size_t)node->input_count > in) in = (size_t)node->input_count;
    if ((size_t)node->output_count > out) out = (size_t)node->output_count;
  }
  TERN_TRY(TERN_ARENA_ARRAY(&b->arena, count, &b->edges));
  TERN_TRY(TERN_ARENA_ARRAY(&b->arena, count, &b->types));
  TERN_TRY(TERN_ARENA_ARRAY(&b->arena, in, &b->input_types));
  TERN_TRY(TERN_ARENA_ARRAY(&b->arena, in, &b->input_values));
  TERN_TRY(TERN_ARENA_ARRAY(&b->arena, in, &b->others));
  TERN_TRY(TERN_ARENA_ARRAY(&b->arena, out, &b->output_types));
  for (size_t i = 0; i < b->body->inputs.count; ++i) {
    const tern_type *type = b->around->input_types[i];
    if (!type) return TERN_ERROR(TERN_INVALID_GRAPH, "input %zu is omitted", i);
    b->types[i] = *type;
    list_edge(b, b->body->inputs.data[i]);
  }
  for (const tern_node *node = b->body->first; node; node = node->next) {
    for (int32_t i = 0; i < node->output_count; ++i) {
      if (node->outputs[i]) list_edge(b, node->outputs[i]);
    }
  }
  qsort(b->edges, (size_t)b->edge_count, sizeof *b->edges, by_address);
  return NULL;
}

// Elements of the body's own inputs and of constants are known; what its nodes compute is not.
static void gather_input(body_inference *b, int32_t position, const tern_edge *edge) {
  const tern_value *constant = tern_edge_constant(edge);
  int32_t index = find_edge(b, edge);
  if (index >= 0) {
    b->input_types[position] = &b->types[index];
    if ((size_t)index < b->body->inputs.count)
      b->input_values[position] = tern_infer_value(b->around, index);
    return;
  }
  b->input_types[position] = &b->others[position];
  b->others[position] = edge->type;
  if (!constant) return;
  tern_value_get_type(constant, &b->others[position]);
  if (!constant->is_spent && !constant->is_misaligned) b->input_values[position] = constant;
}

static void gather_inputs(body_inference *b, const tern_node *node) {
  for (int32_t i = 0; i < node->input_count; ++i) {
    b->input_types[i] = NULL;
    b->input_values[i] = NULL;
    if (node->inputs[i]) gather_input(b, i, node->inputs[i]);
  }
}

static void keep_output(body_inference *b, const tern_node *node, int32_t output) {
  tern_type *type = &b->output_types[output];
  // Declarations about what subgraphs give are not relied on.
  if (node->op->flags & TERN_OP_CONTROL_FLOW) type->shape.rank = TERN_RANK_UNKNOWN;
  b->types[find_edge(b, node->outputs[output])] = *type;
}

static tern_status *infer_body(body_inference *b) {
  TERN_TRY(start_body(b));
  for (const tern_node *node = b->body->first; node; node = node->next) {
    gather_inputs(b, node);
    TERN_TRY(tern_infer_run(node, b->input_types, b->input_values, b->output_types));
    for (int32_t i = 0; i < node->output_count; ++i) {
      if (node->outputs[i]) keep_output(b, node, i);
    }
  }
  for (int32_t i = 0; i < b->around->output_count; ++i) {
    int32_t index = find_edge(b, b->body->outputs.data[i]);
    if (index >= 0) b->around->output_types[i] = b->types[index];
  }
  return NULL;
}

static tern_status *infer_compiled(tern_infer *infer) {
  const tern_graph *body = tern_node_attr_graph(infer->node, "body");
  if (body->inputs.count != (size_t)infer->input_count ||
      body->outputs.count != (size_t)infer->output_count)
    return TERN_ERROR(TERN_INVALID_GRAPH,
                      "the body has %zu inputs and %zu outputs; %d and %d are "
                      "given",
                      body->inputs.count, body->outputs.count, infer->input_count,
                      infer->output_count);
  for (int32_t i = 0; i < infer->output_count; ++i)
    infer->output_types[i] = body->outputs.data[i]->type;
  if (infer->model) return NULL; // the body has been inferred already
  body_inference b = {.around = infer, .body = body};
  tern_arena_init(tern_allocator_system(), &b.arena);
  tern_status *status = infer_body(&b);
  tern_arena_deinit(&b.arena);
  return status;
}

static tern_status *infer_compiled_body(tern_infer *infer, const char *graph_attr,
                                        tern_type *body_inputs, int32_t body_input_count) {
  (void)graph_attr;
  if (body_input_count != infer->input_count)
    return TERN_ERROR(TERN_INVALID_GRAPH, "the body has %d inputs, %d are given", body_input_count,
                      infer->input_count);
  for (int32_t i = 0; i < body_input_count; ++i) {
    const tern_type *type = tern_infer_type(infer, i);
    if (!type) return TERN_ERROR(TERN_INVALID_GRAPH, "input %d is omitted", i);
    body_inputs[i] = *type;
  }
  return NULL;
}

// The same elements, in other memory.
#define COPY(op_name)                                                                              \
  {                                                                                                \
    .domain = TERN_DOMAIN_TERN, .name = op_name, .since = 1, .flags = TERN_OP_MOVES_BYTES,         \
    TERN_INPUTS({"X", "T"}), TERN_OUTPUTS({"Y", "T"}),                                             \
    TERN_CONSTRAINTS({"T", {.tensor = TERN_TYPES_ALL & ~TERN_DTYPE_BIT(TERN_STRING)}}),            \
    .infer = tern_infer_same_as_input                                                              \
  }

static const tern_op ops[] = {
    // Nodes in one: its body's inputs are its own, in order, and its outputs too. Constants are no
    // inputs; the body reads them where they are.
    {
        .domain = TERN_DOMAIN_TERN,
        .name = "Compiled",
        .since = 1,
        .flags = TERN_OP_DATA_DEPENDENT,
        .shape_inputs = UINT32_MAX, // what the body's operators read of them
        TERN_INPUTS({"inputs", "V", TERN_FORMAL_VARIADIC | TERN_FORMAL_HETEROGENEOUS, 0}),
        TERN_OUTPUTS({"outputs", "V", TERN_FORMAL_VARIADIC | TERN_FORMAL_HETEROGENEOUS, 1}),
        TERN_CONSTRAINTS({"V", {.any = true}}),
        TERN_ATTRS(TERN_ATTR_REQUIRED("body", TERN_ATTR_GRAPH)),
        .infer = infer_compiled,
        .infer_body_inputs = infer_compiled_body,
    },
    COPY("CopyToDevice"),
    COPY("CopyToHost"),
};

const tern_op_family tern_ops_placement = {"placement", ops, TERN_COUNT_OF(ops)};
