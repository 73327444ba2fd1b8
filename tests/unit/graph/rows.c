#include "unit/graph/rows.h"

#include <stdio.h>

#include "graph/infer.h"
#include "graph/upgrade.h"

#define T_IS_ANY TERN_CONSTRAINTS({"T", {.tensor = TERN_TYPES_ALL}})

static tern_status *drop_axis(tern_draft *draft) {
  tern_draft_remove_attr(draft, "axis");
  return NULL;
}

static tern_status *shape_to_input(tern_draft *draft) {
  return tern_draft_ints_to_input(draft, "shape", 1);
}

static tern_status *to_resize(tern_draft *draft) {
  tern_draft_rename(draft, "", "Resize", 10);
  return NULL;
}

static tern_status *become_input(tern_draft *draft) {
  return tern_draft_replace(draft, draft->inputs, draft->input_count);
}

// Relu twice, to see that outputs made by a builder take the file's names.
static tern_status *become_relus(tern_draft *draft) {
  tern_edge *once = tern_build1(draft->builder, "Relu", draft->inputs[0]);
  return tern_draft_replace(draft, (tern_edge *[]){tern_build1(draft->builder, "Relu", once)}, 1);
}

static tern_status *infer_reshape(tern_infer *infer) {
  tern_symint items[TERN_SYMINTS_MAX];
  int32_t count;
  if (!tern_infer_symints(infer, 1, items, &count)) return NULL;
  tern_infer_set_rank(infer, 0, count);
  for (int32_t i = 0; i < count; ++i)
    infer->output_types[0].shape.dims[i] = tern_symint_to_dim(items[i]);
  return NULL;
}

static tern_status *infer_shape_op(tern_infer *infer) {
  const tern_shape *shape = tern_infer_shape(infer, 0);
  tern_infer_set_rank(infer, 0, 1);
  if (shape->rank >= 0) infer->output_types[0].shape.dims[0] = shape->rank;
  return NULL;
}

static tern_status *follow_shape_op(tern_infer *infer) {
  tern_symint items[TERN_MAX_RANK];
  const tern_shape *shape = tern_infer_shape(infer, 0);
  if (shape->rank < 0) return NULL;
  for (int32_t i = 0; i < shape->rank; ++i) items[i] = tern_symint_of_dim(shape->dims[i]);
  return tern_infer_set_symints(infer, 0, items, shape->rank);
}

// A Loop whose body takes and gives one tensor of its input's type.
static tern_status *feed_body(tern_infer *infer, const char *graph_attr, tern_type *body_inputs,
                              int32_t count) {
  (void)graph_attr;
  if (count != 1) return TERN_ERROR(TERN_INVALID_GRAPH, "the body takes %d inputs, not 1", count);
  body_inputs[0] = *infer->input_types[0];
  return NULL;
}

static tern_status *infer_if(tern_infer *infer) {
  const tern_graph *graph = tern_node_attr_graph(infer->node, "then_branch");
  if (graph->outputs.count != (size_t)infer->output_count)
    return TERN_ERROR(TERN_INVALID_GRAPH, "the branch gives %zu outputs", graph->outputs.count);
  for (size_t i = 0; i < graph->outputs.count; ++i)
    infer->output_types[i] = graph->outputs.data[i]->type;
  return NULL;
}

// Relu(x + x + offset)
static tern_status *double_body(tern_builder *builder, const tern_node *node, tern_edge **outputs) {
  tern_edge *sum = tern_build2(builder, "Add", node->inputs[0], node->inputs[0]);
  tern_edge *offset =
      tern_build_scalar(builder, TERN_FLOAT, (double)tern_node_attr_i(node, "offset"));
  outputs[0] = tern_build1(builder, "Relu", tern_build2(builder, "Add", sum, offset));
  return NULL;
}

static const tern_op ops[] = {
    {.domain = TERN_DOMAIN_TERN,
     .name = "Double",
     .since = 1,
     TERN_INPUTS({"X", "T"}),
     TERN_OUTPUTS({"Y", "T"}),
     TERN_CONSTRAINTS({"T", {.tensor = TERN_DTYPE_BIT(TERN_FLOAT)}}),
     TERN_ATTRS(TERN_ATTR_DEF_I("offset", 0)),
     .infer = tern_infer_same_as_input,
     .body = double_body},
    {.domain = "",
     .name = "Identity",
     .since = 25,
     TERN_INPUTS({"input", "T"}),
     TERN_OUTPUTS({"output", "T"}),
     T_IS_ANY,
     TERN_VERSIONS({1}, {25}),
     .infer = tern_infer_same_as_input},
    {.domain = "",
     .name = "Relu",
     .since = 14,
     TERN_INPUTS({"X", "T"}),
     TERN_OUTPUTS({"Y", "T"}),
     TERN_CONSTRAINTS({"T", {.tensor = TERN_TYPES_FLOAT}}),
     TERN_VERSIONS({1}, {6}, {14}),
     .infer = tern_infer_same_as_input},
    {.domain = "",
     .name = "Add",
     .since = 14,
     TERN_INPUTS({"A", "T"}, {"B", "T"}),
     TERN_OUTPUTS({"C", "T"}),
     TERN_CONSTRAINTS({"T", {.tensor = TERN_TYPES_NUMERIC}}),
     TERN_VERSIONS({1, drop_axis, "`axis` is dropped"}, {7}, {14}),
     .infer = tern_infer_broadcast},
    {.domain = "",
     .name = "Reshape",
     .since = 25,
     TERN_INPUTS({"data", "T"}, {"shape", "I"}),
     TERN_OUTPUTS({"reshaped", "T"}),
     TERN_CONSTRAINTS({"T", {.tensor = TERN_TYPES_ALL}},
                      {"I", {.tensor = TERN_DTYPE_BIT(TERN_INT64)}}),
     TERN_ATTRS(TERN_ATTR_DEF_I("allowzero", 0)),
     TERN_VERSIONS({1, shape_to_input, "`shape` becomes an input"}, {5}, {25}),
     .infer = infer_reshape},
    {.domain = "",
     .name = "Upsample",
     .since = 10,
     .deprecated_since = 10,
     TERN_INPUTS({"X", "T"}),
     TERN_OUTPUTS({"Y", "T"}),
     T_IS_ANY,
     TERN_VERSIONS({7, to_resize, "becomes Resize"}, {10}),
     .infer = tern_infer_nothing},
    {.domain = "",
     .name = "Resize",
     .since = 10,
     TERN_INPUTS({"X", "T"}),
     TERN_OUTPUTS({"Y", "T"}),
     T_IS_ANY,
     .infer = tern_infer_nothing},
    {.domain = "",
     .name = "Shape",
     .since = 25,
     TERN_INPUTS({"data", "T"}),
     TERN_OUTPUTS({"shape", "I"}),
     TERN_CONSTRAINTS({"T", {.tensor = TERN_TYPES_ALL}},
                      {"I", {.tensor = TERN_DTYPE_BIT(TERN_INT64)}}),
     TERN_VERSIONS({1}, {25}),
     .infer = infer_shape_op,
     .infer_symints = follow_shape_op},
    {.domain = "",
     .name = "Leaky",
     .since = 1,
     TERN_INPUTS({"X", "T"}),
     TERN_OUTPUTS({"Y", "T"}),
     T_IS_ANY,
     TERN_ATTRS(TERN_ATTR_DEF_F("alpha", 0.5f), TERN_ATTR_REQUIRED("n", TERN_ATTR_INT)),
     .infer = tern_infer_same_as_input},
    {.domain = "",
     .name = "Twin",
     .since = 3,
     TERN_INPUTS({"X", "T"}),
     TERN_OUTPUTS({"Y", "T"}),
     T_IS_ANY,
     TERN_VERSIONS({1, become_input, "does nothing"}, {2, become_relus, "becomes Relu"}, {3}),
     .infer = tern_infer_same_as_input},
    {.domain = "",
     .name = "Split2",
     .since = 1,
     TERN_INPUTS({"X", "T"}),
     TERN_OUTPUTS({"A", "T"}, {"B", "T"}),
     T_IS_ANY,
     .infer = tern_infer_same_as_input},
    {.domain = "",
     .name = "If",
     .since = 25,
     .flags = TERN_OP_CONTROL_FLOW,
     TERN_INPUTS({"cond", "B"}),
     TERN_OUTPUTS({"outputs", "V", TERN_FORMAL_VARIADIC | TERN_FORMAL_HETEROGENEOUS, 1}),
     TERN_CONSTRAINTS({"V", {.any = true}}, {"B", {.tensor = TERN_DTYPE_BIT(TERN_BOOL)}}),
     TERN_ATTRS(TERN_ATTR_REQUIRED("then_branch", TERN_ATTR_GRAPH),
                TERN_ATTR_REQUIRED("else_branch", TERN_ATTR_GRAPH)),
     TERN_VERSIONS({1}, {25}),
     .infer = infer_if},
    {.domain = "",
     .name = "Loop",
     .since = 1,
     .flags = TERN_OP_CONTROL_FLOW,
     TERN_INPUTS({"X", "T"}),
     TERN_OUTPUTS({"Y", "T"}),
     T_IS_ANY,
     TERN_ATTRS(TERN_ATTR_REQUIRED("body", TERN_ATTR_GRAPH)),
     .infer = tern_infer_same_as_input,
     .infer_body_inputs = feed_body},
};

const tern_op_registry *test_rows(void) {
  static const tern_op_family family = {"test", ops, TERN_COUNT_OF(ops)};
  static const tern_op_family *const families[] = {&family};
  static tern_op_registry registry;
  static char keys[TERN_COUNT_OF(ops)][64];
  if (registry.family_count) return &registry;
  tern_map_init(tern_allocator_system(), &registry.index);
  for (size_t i = 0; i < TERN_COUNT_OF(ops); ++i) {
    snprintf(keys[i], sizeof keys[i], "%s:%s", ops[i].domain, ops[i].name);
    tern_status_ignore(tern_map_set(&registry.index, keys[i], (void *)(uintptr_t)&ops[i]));
  }
  registry.families = families;
  registry.family_count = 1;
  return &registry;
}
