// Driving inference: checks a node against its row, binds type variables, calls the row's `infer`,
// and keeps the result.
#include "graph/infer.h"

#include <string.h>

enum { MAX_VARIABLES = 16, INLINE_VALUES = 16 };

// The types that a node's type variables have got from its inputs.
typedef struct bindings {
  const char *names[MAX_VARIABLES];
  const tern_type *types[MAX_VARIABLES];
  int32_t count;
} bindings;

static const tern_constraint *find_constraint(const tern_op *op, const char *name) {
  for (const tern_constraint *c = op->constraints; c && c->name; ++c) {
    if (strcmp(c->name, name) == 0) return c;
  }
  return NULL;
}

static const tern_type *find_binding(const bindings *bound, const char *variable) {
  for (int32_t i = 0; i < bound->count; ++i) {
    if (strcmp(bound->names[i], variable) == 0) return bound->types[i];
  }
  return NULL;
}

static tern_status *wrong_type(const tern_formal *formal, int32_t index, const tern_type *type,
                               const char *why) {
  char text[TERN_TYPE_TEXT_BYTES];
  return TERN_ERROR(TERN_INVALID_GRAPH, "input %d ('%s') has type %s, %s", index, formal->name,
                    tern_type_format(type, text, sizeof text), why);
}

static tern_status *bind_input(const tern_op *op, int32_t index, const tern_type *type,
                               bindings *bound) {
  const tern_formal *formal = tern_formal_at(op->inputs, index);
  if (!formal) return NULL; // counted by check_counts
  const tern_constraint *constraint = find_constraint(op, formal->type);
  if (!constraint) return NULL;
  if (!tern_type_set_has(&constraint->types, type))
    return wrong_type(formal, index, type, "which the operator does not take");
  if (formal->flags & TERN_FORMAL_HETEROGENEOUS) return NULL;
  const tern_type *other = find_binding(bound, formal->type);
  if (other) {
    if (tern_type_same_kind(other, type)) return NULL;
    char text[TERN_TYPE_TEXT_BYTES], message[TERN_TYPE_TEXT_BYTES + 64];
    tern_type_format(other, text, sizeof text);
    strcpy(message, "but another input of the same type variable has ");
    strncat(message, text, sizeof message - strlen(message) - 1);
    return wrong_type(formal, index, type, message);
  }
  if (bound->count < MAX_VARIABLES) {
    bound->names[bound->count] = formal->type;
    bound->types[bound->count++] = type;
  }
  return NULL;
}

static tern_status *check_counts(const tern_node *node) {
  const tern_op *op = node->op;
  int32_t given = node->input_count;
  if (given > 0 && !tern_formal_at(op->inputs, given - 1))
    return TERN_ERROR(TERN_INVALID_GRAPH, "has %d inputs, the operator takes %d", given,
                      (int)tern_formal_count(op->inputs));
  if (node->output_count > 0 && !tern_formal_at(op->outputs, node->output_count - 1))
    return TERN_ERROR(TERN_INVALID_GRAPH, "has %d outputs, the operator gives %d",
                      node->output_count, (int)tern_formal_count(op->outputs));
  if (node->output_count < tern_formal_required(op->outputs))
    return TERN_ERROR(TERN_INVALID_GRAPH, "has %d outputs, the operator gives at least %d",
                      node->output_count, tern_formal_required(op->outputs));
  for (int32_t i = 0; op->inputs && op->inputs[i].name; ++i) {
    const tern_formal *formal = &op->inputs[i];
    if (formal->flags & TERN_FORMAL_VARIADIC) {
      int32_t n = given > i ? given - i : 0;
      if (n < formal->min_arity)
        return TERN_ERROR(TERN_INVALID_GRAPH,
                          "has %d values for input '%s', at least %d are needed", n, formal->name,
                          formal->min_arity);
      for (int32_t k = i; k < given; ++k) {
        if (!node->inputs[k])
          return TERN_ERROR(TERN_INVALID_GRAPH, "lacks its input %d (of '%s')", k, formal->name);
      }
    } else if (!(formal->flags & TERN_FORMAL_OPTIONAL) && (i >= given || !node->inputs[i])) {
      return TERN_ERROR(TERN_INVALID_GRAPH, "lacks its input %d ('%s')", i, formal->name);
    }
  }
  return NULL;
}

static tern_status *check_and_bind(const tern_node *node, const tern_type *const *input_types,
                                   bindings *bound) {
  bound->count = 0;
  TERN_TRY(check_counts(node));
  for (int32_t i = 0; i < node->input_count; ++i) {
    if (input_types[i] && input_types[i]->kind != TERN_KIND_NONE)
      TERN_TRY(bind_input(node->op, i, input_types[i], bound));
  }
  return NULL;
}

// The kind and element type an output has before `infer` runs.
static void start_output(const tern_op *op, int32_t index, const bindings *bound, tern_type *out) {
  memset(out, 0, offsetof(tern_type, shape));
  out->shape.rank = TERN_RANK_UNKNOWN;
  out->element = NULL;
  out->denotation = NULL;
  const tern_formal *formal = tern_formal_at(op->outputs, index);
  if (!formal) return;
  const tern_type *type = find_binding(bound, formal->type);
  if (type && !(formal->flags & TERN_FORMAL_HETEROGENEOUS)) {
    out->kind = type->kind;
    out->dtype = type->dtype;
    out->element = type->element;
    return;
  }
  const tern_constraint *constraint = find_constraint(op, formal->type);
  out->kind = TERN_KIND_TENSOR;
  if (!constraint) return;
  tern_dtype_set set = constraint->types.tensor;
  if (set && (set & (set - 1)) == 0) out->dtype = (tern_dtype)__builtin_ctz(set); // only one
}

static tern_status *check_output(const tern_op *op, int32_t index, const tern_type *type) {
  const tern_formal *formal = tern_formal_at(op->outputs, index);
  const tern_constraint *constraint = formal ? find_constraint(op, formal->type) : NULL;
  if (!constraint || type->kind == TERN_KIND_NONE) return NULL;
  if (tern_type_set_has(&constraint->types, type)) return NULL;
  char text[TERN_TYPE_TEXT_BYTES];
  return TERN_ERROR(TERN_INVALID_GRAPH,
                    "output %d ('%s') would have type %s, which the operator does not give", index,
                    formal->name, tern_type_format(type, text, sizeof text));
}

static tern_status *annotate(const tern_node *node, tern_status *status) {
  char text[TERN_NODE_TEXT_BYTES];
  return status ? tern_status_annotate(status, "%s", tern_node_describe(node, text, sizeof text))
                : NULL;
}

tern_status *tern_node_check(const tern_node *node) {
  const tern_type *inline_types[INLINE_VALUES], **types = inline_types;
  tern_allocator *allocator = tern_allocator_system();
  size_t bytes = (size_t)node->input_count * sizeof *types;
  if (node->input_count > INLINE_VALUES)
    TERN_TRY(tern_allocator_alloc(allocator, bytes, (void **)&types));
  for (int32_t i = 0; i < node->input_count; ++i)
    types[i] = node->inputs[i] ? &node->inputs[i]->type : NULL;
  bindings bound;
  tern_status *status = check_and_bind(node, types, &bound);
  if (types != inline_types) tern_allocator_free(allocator, types, bytes);
  return annotate(node, status);
}

static tern_status *run(tern_infer *infer, const tern_type *const *types, tern_type *output_types) {
  const tern_node *node = infer->node;
  bindings bound;
  TERN_TRY(check_and_bind(node, types, &bound));
  for (int32_t i = 0; i < node->output_count; ++i)
    start_output(node->op, i, &bound, &output_types[i]);
  TERN_TRY(node->op->infer(infer));
  for (int32_t i = 0; i < node->output_count; ++i) {
    if (node->outputs[i]) TERN_TRY(check_output(node->op, i, &output_types[i]));
  }
  return NULL;
}

tern_status *tern_infer_run(const tern_node *node, const tern_type *const *input_types,
                            const tern_value *const *input_values, tern_type *output_types) {
  tern_infer infer = {.node = node,
                      .input_count = node->input_count,
                      .output_count = node->output_count,
                      .input_types = input_types,
                      .input_values = input_values,
                      .output_types = output_types};
  return annotate(node, run(&infer, input_types, output_types));
}

static bool is_settled(const tern_edge *edge) {
  return !edge || (edge->type.kind == TERN_KIND_TENSOR && edge->type.dtype != TERN_DTYPE_UNDEFINED);
}

// Every input and output is a tensor whose element type stood when the node was checked.
static bool is_settled_node(const tern_node *node) {
  for (int32_t i = 0; i < node->input_count; ++i) {
    if (!is_settled(node->inputs[i])) return false;
  }
  for (int32_t i = 0; i < node->output_count; ++i) {
    if (!node->outputs[i] || !is_settled(node->outputs[i])) return false;
  }
  return true;
}

tern_status *tern_infer_sizes(const tern_node *node, const tern_type *const *input_types,
                              const tern_value *const *input_values, tern_type *output_types) {
  tern_infer infer = {.node = node,
                      .input_count = node->input_count,
                      .output_count = node->output_count,
                      .input_types = input_types,
                      .input_values = input_values,
                      .output_types = output_types};
  if (!is_settled_node(node)) return annotate(node, run(&infer, input_types, output_types));
  for (int32_t i = 0; i < node->output_count; ++i) {
    output_types[i].kind = TERN_KIND_TENSOR;
    output_types[i].dtype = node->outputs[i]->type.dtype;
    output_types[i].shape.rank = TERN_RANK_UNKNOWN;
    output_types[i].element = NULL;
    output_types[i].denotation = NULL;
  }
  return annotate(node, node->op->infer(&infer));
}

// Joins what was inferred into an output edge that may already carry a declared type.
static tern_status *keep_output(tern_edge *edge, const tern_type *inferred) {
  if (edge->type.kind == TERN_KIND_NONE) {
    edge->type = *inferred;
    return NULL;
  }
  char declared[TERN_TYPE_TEXT_BYTES], found[TERN_TYPE_TEXT_BYTES];
  if (inferred->kind == TERN_KIND_TENSOR && inferred->dtype == TERN_DTYPE_UNDEFINED) return NULL;
  if (!tern_type_same_kind(&edge->type, inferred))
    return TERN_ERROR(TERN_INVALID_GRAPH, "output '%s' is declared as %s but is %s", edge->name,
                      tern_type_format(&edge->type, declared, sizeof declared),
                      tern_type_format(inferred, found, sizeof found));
  tern_shape shape = inferred->shape;
  if (!tern_shape_merge(&shape, &edge->type.shape)) shape = inferred->shape;
  const tern_type *element = inferred->element ? inferred->element : edge->type.element;
  edge->type.dtype = inferred->dtype;
  edge->type.shape = shape;
  edge->type.element = element;
  return NULL;
}

static tern_status *keep_results(tern_node *node, tern_infer *infer) {
  for (int32_t i = 0; i < node->output_count; ++i) {
    tern_edge *edge = node->outputs[i];
    if (!edge) continue;
    TERN_TRY(keep_output(edge, &infer->output_types[i]));
    if (infer->output_symints[i].items) edge->symints = infer->output_symints[i];
  }
  return NULL;
}

// What an inference over edges needs: one allocation, freed on the way out.
typedef struct infer_frame {
  const tern_type **types;
  const tern_value **values;
  const tern_symints **symints;
  tern_type *output_types;
  tern_symints *output_symints;
} infer_frame;

static tern_status *infer_edges(tern_node *node, infer_frame *frame) {
  for (int32_t i = 0; i < node->input_count; ++i) {
    tern_edge *edge = node->inputs[i];
    frame->types[i] = edge && edge->type.kind != TERN_KIND_NONE ? &edge->type : NULL;
    frame->values[i] = edge ? tern_edge_constant(edge) : NULL;
    frame->symints[i] = edge && edge->symints.items ? &edge->symints : NULL;
  }
  tern_infer infer = {.node = node,
                      .input_count = node->input_count,
                      .output_count = node->output_count,
                      .input_types = frame->types,
                      .input_values = frame->values,
                      .input_symints = frame->symints,
                      .output_types = frame->output_types,
                      .output_symints = frame->output_symints};
  for (int32_t i = 0; i < node->output_count && !infer.model; ++i) {
    if (node->outputs[i]) infer.model = node->outputs[i]->graph->model;
  }
  TERN_TRY(run(&infer, frame->types, frame->output_types));
  if (node->op->infer_symints && infer.model) TERN_TRY(node->op->infer_symints(&infer));
  return keep_results(node, &infer);
}

tern_status *tern_infer_node(tern_node *node) {
  size_t in = (size_t)node->input_count, out = (size_t)node->output_count;
  size_t bytes = in * 3 * sizeof(void *) + out * (sizeof(tern_type) + sizeof(tern_symints)) + 1;
  char *memory;
  tern_allocator *allocator = tern_allocator_system();
  TERN_TRY(tern_allocator_calloc(allocator, 1, bytes, (void **)&memory));
  infer_frame frame;
  frame.output_types = (tern_type *)memory;
  frame.output_symints = (tern_symints *)(frame.output_types + out);
  frame.types = (const tern_type **)(frame.output_symints + out);
  frame.values = (const tern_value **)(frame.types + in);
  frame.symints = (const tern_symints **)(frame.values + in);
  tern_status *status = infer_edges(node, &frame);
  tern_allocator_free(allocator, memory, bytes);
  return annotate(node, status);
}
