// Control flow: operators that run subgraphs.
#include <string.h>

#include "graph/infer.h"
#include "graph/upgrade.h"
#include "ops/ops.h"

#define TYPES_EVERYTHING .types = {.any = true}

// The type of output `index` of the subgraph `attr`; NULL when there is none.
static const tern_type *body_output(const tern_infer *infer, const char *attr, int32_t index) {
  const tern_graph *graph = tern_node_attr_graph(infer->node, attr);
  if (!graph || (size_t)index >= graph->outputs.count) return NULL;
  const tern_type *type = &graph->outputs.data[index]->type;
  return type->kind == TERN_KIND_NONE ? NULL : type;
}

// Items have shapes of their own, which another branch or iteration need not keep: a container's
// type says nothing of them. Copies the contained types, which others share.
static tern_status *forget_item_shapes(const tern_infer *infer, tern_type *inout_type) {
  for (tern_type *type = inout_type; type->element;) {
    tern_type *copy;
    TERN_TRY(TERN_ARENA_ARRAY(&infer->model->arena, 1, &copy));
    *copy = *type->element;
    if (copy->kind == TERN_KIND_TENSOR) copy->shape.rank = TERN_RANK_UNKNOWN;
    type->element = copy;
    type = copy;
  }
  return NULL;
}

// The contained types of output `index`. Outside of import its edge has them.
static tern_status *settle_items(tern_infer *infer, int32_t index) {
  tern_type *type = &infer->output_types[index];
  if (infer->model) return forget_item_shapes(infer, type);
  const tern_edge *edge = infer->node->outputs[index];
  if (type->element && edge) type->element = edge->type.element;
  return NULL;
}

// What is known of a value that may come from either of two places.
static void join_types(tern_type *out, const tern_type *a, const tern_type *b) {
  *out = *a;
  if (a->kind != TERN_KIND_TENSOR || !b) return;
  if (b->shape.rank != a->shape.rank) {
    out->shape.rank = TERN_RANK_UNKNOWN;
    return;
  }
  for (int32_t i = 0; i < a->shape.rank; ++i) {
    if (a->shape.dims[i] != b->shape.dims[i]) out->shape.dims[i] = TERN_DIM_UNKNOWN;
  }
}

static tern_status *infer_if(tern_infer *infer) {
  for (int32_t i = 0; i < infer->output_count; ++i) {
    const tern_type *then_type = body_output(infer, "then_branch", i);
    const tern_type *else_type = body_output(infer, "else_branch", i);
    if (!then_type || !else_type) {
      infer->output_types[i].kind = TERN_KIND_NONE;
      continue;
    }
    if (!tern_type_same_kind(then_type, else_type)) {
      char a[TERN_TYPE_TEXT_BYTES], b[TERN_TYPE_TEXT_BYTES];
      return TERN_ERROR(TERN_INVALID_GRAPH, "output %d is %s in one branch and %s in the other", i,
                        tern_type_format(then_type, a, sizeof a),
                        tern_type_format(else_type, b, sizeof b));
    }
    join_types(&infer->output_types[i], then_type, else_type);
    TERN_TRY(settle_items(infer, i));
  }
  return NULL;
}

// The dimension in front of a scan output's own.
static void stacked_type(tern_type *out, const tern_type *item, int32_t axis, tern_dim length) {
  *out = *item;
  if (item->shape.rank < 0 || item->shape.rank >= TERN_MAX_RANK) {
    out->shape.rank = TERN_RANK_UNKNOWN;
    return;
  }
  out->shape.rank = item->shape.rank + 1;
  for (int32_t i = item->shape.rank; i > axis; --i) out->shape.dims[i] = item->shape.dims[i - 1];
  out->shape.dims[axis] = length;
}

static tern_status *infer_loop(tern_infer *infer) {
  int32_t states = infer->input_count > 2 ? infer->input_count - 2 : 0;
  for (int32_t i = 0; i < infer->output_count; ++i) {
    const tern_type *type = body_output(infer, "body", i + 1);
    if (!type) {
      infer->output_types[i].kind = TERN_KIND_NONE;
    } else if (i < states) {
      join_types(&infer->output_types[i], type, tern_infer_type(infer, i + 2));
      TERN_TRY(settle_items(infer, i));
    } else {
      stacked_type(&infer->output_types[i], type, 0, TERN_DIM_UNKNOWN);
    }
  }
  return NULL;
}

static tern_status *infer_loop_body(tern_infer *infer, const char *graph_attr,
                                    tern_type *body_inputs, int32_t body_input_count) {
  (void)graph_attr;
  for (int32_t i = 0; i < body_input_count; ++i) {
    if (i < 2) {
      body_inputs[i] = tern_type_tensor(i == 0 ? TERN_INT64 : TERN_BOOL);
      body_inputs[i].shape.rank = 0;
      continue;
    }
    const tern_type *type = tern_infer_type(infer, i);
    if (!type)
      return TERN_ERROR(TERN_INVALID_GRAPH, "the body has %d inputs, %d are given",
                        body_input_count, infer->input_count);
    body_inputs[i] = *type;
    body_inputs[i].shape.rank = TERN_RANK_UNKNOWN; // may change from one iteration to the next
    TERN_TRY(forget_item_shapes(infer, &body_inputs[i]));
  }
  return NULL;
}

// How many of a Scan's inputs are states.
static tern_status *scan_states(const tern_infer *infer, int32_t *out_states) {
  int64_t scans = tern_node_attr_i(infer->node, "num_scan_inputs");
  if (scans < 1 || scans > infer->input_count)
    return TERN_ERROR(TERN_INVALID_GRAPH, "num_scan_inputs is %lld, but there are %d inputs",
                      (long long)scans, infer->input_count);
  *out_states = infer->input_count - (int32_t)scans;
  return NULL;
}

static tern_status *infer_scan_body(tern_infer *infer, const char *graph_attr,
                                    tern_type *body_inputs, int32_t body_input_count) {
  (void)graph_attr;
  int32_t states;
  TERN_TRY(scan_states(infer, &states));
  if (body_input_count != infer->input_count)
    return TERN_ERROR(TERN_INVALID_GRAPH, "the body has %d inputs, %d are given", body_input_count,
                      infer->input_count);
  for (int32_t i = 0; i < body_input_count; ++i) {
    const tern_type *type = tern_infer_type(infer, i);
    if (!type) return TERN_ERROR(TERN_INVALID_GRAPH, "input %d is omitted", i);
    body_inputs[i] = *type;
    if (i < states || type->shape.rank < 0) continue;
    int32_t axis;
    TERN_TRY(tern_infer_axis(tern_node_attr_int_at(infer->node, "scan_input_axes", i - states),
                             type->shape.rank, &axis));
    tern_shape *shape = &body_inputs[i].shape;
    shape->rank--;
    for (int32_t k = axis; k < shape->rank; ++k) shape->dims[k] = type->shape.dims[k + 1];
  }
  return NULL;
}

static tern_status *infer_scan(tern_infer *infer) {
  int32_t states;
  TERN_TRY(scan_states(infer, &states));
  tern_dim length = TERN_DIM_UNKNOWN;
  for (int32_t i = states; i < infer->input_count; ++i) {
    const tern_shape *shape = tern_infer_shape(infer, i);
    if (!shape || shape->rank < 0) continue;
    int32_t axis;
    TERN_TRY(tern_infer_axis(tern_node_attr_int_at(infer->node, "scan_input_axes", i - states),
                             shape->rank, &axis));
    if (!tern_dim_merge(&length, shape->dims[axis]))
      return TERN_ERROR(TERN_INVALID_ARGUMENT, "scan input %d has length %lld, others have %lld",
                        i - states, (long long)shape->dims[axis], (long long)length);
  }
  for (int32_t i = 0; i < infer->output_count; ++i) {
    const tern_type *type = body_output(infer, "body", i);
    if (!type) {
      infer->output_types[i].kind = TERN_KIND_NONE;
    } else if (i < states) {
      join_types(&infer->output_types[i], type, tern_infer_type(infer, i));
    } else {
      int32_t axis = 0, rank = type->shape.rank < 0 ? -1 : type->shape.rank + 1;
      TERN_TRY(tern_infer_axis(tern_node_attr_int_at(infer->node, "scan_output_axes", i - states),
                               rank, &axis));
      stacked_type(&infer->output_types[i], type, axis < 0 ? 0 : axis, length);
    }
  }
  return NULL;
}

// Scan-8 works on batches and has the lengths as input 0.
static tern_status *upgrade_scan_8(tern_draft *draft) {
  tern_draft_rename(draft, TERN_DOMAIN_TERN, "ScanBatched", 1);
  return NULL;
}

static tern_status *infer_scan_batched_body(tern_infer *infer, const char *graph_attr,
                                            tern_type *body_inputs, int32_t body_input_count) {
  (void)graph_attr;
  int64_t scans = tern_node_attr_i(infer->node, "num_scan_inputs");
  if (scans < 1 || scans > infer->input_count - 1 || body_input_count != infer->input_count - 1)
    return TERN_ERROR(TERN_INVALID_GRAPH, "the body has %d inputs, %d are given", body_input_count,
                      infer->input_count - 1);
  for (int32_t i = 0; i < body_input_count; ++i) {
    const tern_type *type = tern_infer_type(infer, i + 1);
    if (!type) return TERN_ERROR(TERN_INVALID_GRAPH, "input %d is omitted", i + 1);
    // The batch goes; from scan inputs the sequence too.
    int32_t drop = i < body_input_count - (int32_t)scans ? 1 : 2;
    body_inputs[i] = *type;
    if (type->shape.rank < 0) continue;
    if (type->shape.rank < drop)
      return TERN_ERROR(TERN_INVALID_GRAPH, "input %d has rank %d, at least %d is needed", i + 1,
                        type->shape.rank, drop);
    tern_shape_set(&body_inputs[i].shape, type->shape.rank - drop, type->shape.dims + drop);
  }
  return NULL;
}

static tern_status *infer_scan_batched(tern_infer *infer) {
  int32_t scans = (int32_t)tern_node_attr_i(infer->node, "num_scan_inputs");
  int32_t states = infer->input_count - 1 - scans;
  for (int32_t i = 0; i < infer->output_count; ++i) {
    const tern_type *type = body_output(infer, "body", i);
    infer->output_types[i].kind = TERN_KIND_NONE;
    if (!type) continue;
    tern_type item = *type;
    if (i >= states) stacked_type(&item, type, 0, TERN_DIM_UNKNOWN);
    stacked_type(&infer->output_types[i], &item, 0, TERN_DIM_UNKNOWN);
  }
  return NULL;
}

static const tern_op ops[] = {
    {
        .domain = TERN_DOMAIN_ONNX,
        .name = "If",
        .since = 25,
        .flags = TERN_OP_CONTROL_FLOW,
        TERN_INPUTS({"cond", "B"}),
        TERN_OUTPUTS({"outputs", "V", TERN_FORMAL_VARIADIC | TERN_FORMAL_HETEROGENEOUS, 1}),
        TERN_CONSTRAINTS({"B", {.tensor = TERN_DTYPE_BIT(TERN_BOOL)}}, {"V", TYPES_EVERYTHING}),
        TERN_ATTRS(TERN_ATTR_REQUIRED("else_branch", TERN_ATTR_GRAPH),
                   TERN_ATTR_REQUIRED("then_branch", TERN_ATTR_GRAPH)),
        TERN_VERSIONS({1}, {11}, {13}, {16}, {19}, {21}, {23}, {24}, {25}),
        .infer = infer_if,
    },
    {
        .domain = TERN_DOMAIN_ONNX,
        .name = "Loop",
        .since = 25,
        .flags = TERN_OP_CONTROL_FLOW,
        TERN_INPUTS({"M", "I", TERN_FORMAL_OPTIONAL}, {"cond", "B", TERN_FORMAL_OPTIONAL},
                    {"v_initial", "V", TERN_FORMAL_VARIADIC | TERN_FORMAL_HETEROGENEOUS, 0}),
        TERN_OUTPUTS(
            {"v_final_and_scan_outputs", "V", TERN_FORMAL_VARIADIC | TERN_FORMAL_HETEROGENEOUS, 1}),
        TERN_CONSTRAINTS({"V", TYPES_EVERYTHING}, {"I", {.tensor = TERN_DTYPE_BIT(TERN_INT64)}},
                         {"B", {.tensor = TERN_DTYPE_BIT(TERN_BOOL)}}),
        TERN_ATTRS(TERN_ATTR_REQUIRED("body", TERN_ATTR_GRAPH)),
        TERN_VERSIONS({1}, {11}, {13}, {16}, {19}, {21}, {23}, {24}, {25}),
        .infer = infer_loop,
        .infer_body_inputs = infer_loop_body,
    },
    {
        .domain = TERN_DOMAIN_ONNX,
        .name = "Scan",
        .since = 25,
        .flags = TERN_OP_CONTROL_FLOW,
        TERN_INPUTS({"initial_state_and_scan_inputs", "V",
                     TERN_FORMAL_VARIADIC | TERN_FORMAL_HETEROGENEOUS, 1}),
        TERN_OUTPUTS({"final_state_and_scan_outputs", "V",
                      TERN_FORMAL_VARIADIC | TERN_FORMAL_HETEROGENEOUS, 1}),
        TERN_CONSTRAINTS({"V", {.tensor = TERN_TYPES_ALL}}),
        TERN_ATTRS(TERN_ATTR_REQUIRED("body", TERN_ATTR_GRAPH),
                   TERN_ATTR_REQUIRED("num_scan_inputs", TERN_ATTR_INT),
                   TERN_ATTR_OPTIONAL("scan_input_axes", TERN_ATTR_INTS),
                   TERN_ATTR_OPTIONAL("scan_input_directions", TERN_ATTR_INTS),
                   TERN_ATTR_OPTIONAL("scan_output_axes", TERN_ATTR_INTS),
                   TERN_ATTR_OPTIONAL("scan_output_directions", TERN_ATTR_INTS)),
        TERN_VERSIONS({8, upgrade_scan_8,
                       "becomes ai.tern:ScanBatched, which keeps the batch and the lengths"},
                      {9}, {11}, {16}, {19}, {21}, {23}, {24}, {25}),
        .infer = infer_scan,
        .infer_body_inputs = infer_scan_body,
    },
    {
        .domain = TERN_DOMAIN_TERN,
        .name = "ScanBatched",
        .since = 1,
        .flags = TERN_OP_CONTROL_FLOW,
        TERN_INPUTS({"sequence_lens", "I", TERN_FORMAL_OPTIONAL},
                    {"initial_state_and_scan_inputs", "V",
                     TERN_FORMAL_VARIADIC | TERN_FORMAL_HETEROGENEOUS, 1}),
        TERN_OUTPUTS({"final_state_and_scan_outputs", "V",
                      TERN_FORMAL_VARIADIC | TERN_FORMAL_HETEROGENEOUS, 1}),
        TERN_CONSTRAINTS({"I", {.tensor = TERN_DTYPE_BIT(TERN_INT64)}},
                         {"V", {.tensor = TERN_TYPES_ALL}}),
        TERN_ATTRS(TERN_ATTR_REQUIRED("body", TERN_ATTR_GRAPH),
                   TERN_ATTR_REQUIRED("num_scan_inputs", TERN_ATTR_INT),
                   TERN_ATTR_OPTIONAL("directions", TERN_ATTR_INTS)),
        .infer = infer_scan_batched,
        .infer_body_inputs = infer_scan_batched_body,
    },
};

const tern_op_family tern_ops_control = {"control", ops, TERN_COUNT_OF(ops)};
