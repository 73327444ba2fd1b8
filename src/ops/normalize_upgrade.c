// Older versions of the normalisations.
#include "ops/normalize.h"

// A normalised row of a matrix is a normalised run of trailing dimensions: only where `axis` is
// not the last one does flattening change anything.
tern_status *tern_upgrade_softmax(tern_draft *draft) {
  tern_edge *x = tern_draft_input(draft, 0);
  if (!x) return TERN_ERROR(TERN_INVALID_GRAPH, "the input is missing");
  const int64_t axis = tern_draft_attr_i(draft, "axis", 1);
  const int32_t rank = x->type.shape.rank;
  if (rank > 0 && (axis == rank - 1 || axis == -1))
    return tern_draft_set_attr(draft, tern_attr_i("axis", -1));
  tern_builder *b = draft->builder;
  tern_edge *matrix =
      TERN_BUILD(b, "Flatten", TERN_EDGES(x), TERN_ATTR_ARGS(tern_attr_i("axis", axis)));
  tern_edge *y =
      TERN_BUILD(b, draft->op_type, TERN_EDGES(matrix), TERN_ATTR_ARGS(tern_attr_i("axis", -1)));
  y = tern_build2(b, "Reshape", y, tern_build1(b, "Shape", x));
  return tern_draft_replace(draft, &y, 1);
}

// [groups] to [channels]: each element as often as its group has channels.
static tern_edge *repeat_for_channels(tern_builder *b, tern_edge *x, tern_edge *parameter,
                                      int64_t groups) {
  if (!parameter) return NULL;
  tern_edge *channels = TERN_BUILD(b, "Shape", TERN_EDGES(x),
                                   TERN_ATTR_ARGS(tern_attr_i("start", 1), tern_attr_i("end", 2)));
  tern_edge *repeats = tern_build2(b, "Div", channels, tern_build_i64s(b, &groups, 1));
  tern_edge *sizes = TERN_BUILD(b, "Concat", TERN_EDGES(tern_build_i64s(b, &groups, 1), repeats),
                                TERN_ATTR_ARGS(tern_attr_i("axis", 0)));
  const int64_t last = 1, flat = -1;
  tern_edge *column = tern_build2(b, "Unsqueeze", parameter, tern_build_i64s(b, &last, 1));
  return tern_build2(b, "Reshape", tern_build2(b, "Expand", column, sizes),
                     tern_build_i64s(b, &flat, 1));
}

tern_status *tern_upgrade_group_norm(tern_draft *draft) {
  const int64_t groups = tern_draft_attr_i(draft, "num_groups", 0);
  tern_edge *x = tern_draft_input(draft, 0);
  if (groups < 1 || !x) return TERN_ERROR(TERN_INVALID_GRAPH, "'num_groups' or X is missing");
  for (int32_t i = 1; i <= 2; ++i) {
    tern_edge *repeated =
        repeat_for_channels(draft->builder, x, tern_draft_input(draft, i), groups);
    if (draft->builder->status) return tern_builder_finish(draft->builder);
    TERN_TRY(tern_draft_set_input(draft, i, repeated));
  }
  return NULL;
}

tern_status *tern_upgrade_batch_norm_6(tern_draft *draft) {
  tern_draft_remove_attr(draft, "is_test");
  return tern_upgrade_drop_consumed_inputs(draft);
}

// Makes the newest BatchNormalization of version 9's inputs: `outputs` are Y and, when asked for,
// the running mean and variance and those of this batch.
static tern_status *build_batch_norm(tern_draft *draft, tern_edge *const inputs[5],
                                     tern_edge *outputs[5]) {
  tern_builder *b = draft->builder;
  const bool trains = draft->output_count > 1;
  tern_node *node = TERN_BUILD_NODE(
      b, "BatchNormalization", .inputs = inputs, .input_count = 5,
      .attrs =
          (const tern_attr[]){tern_attr_f("epsilon", tern_draft_attr_f(draft, "epsilon", 1e-5f)),
                              tern_attr_f("momentum", tern_draft_attr_f(draft, "momentum", 0.9f)),
                              tern_attr_i("training_mode", trains)},
      .attr_count = 3, .output_count = trains ? 3 : 1);
  if (!node) return tern_builder_finish(b);
  for (int32_t i = 0; i < node->output_count; ++i) outputs[i] = node->outputs[i];
  if (draft->output_count <= 3) return NULL;
  const int32_t rank = inputs[0]->type.shape.rank;
  if (rank < 1) return TERN_ERROR(TERN_INVALID_GRAPH, "saved statistics need an X of known rank");
  int64_t axes[TERN_MAX_RANK];
  int64_t count = 0;
  for (int32_t i = 0; i < rank; ++i)
    if (i != 1) axes[count++] = i;
  const int64_t flat = -1;
  tern_edge *over = tern_build_i64s(b, axes, count), *as_list = tern_build_i64s(b, &flat, 1);
  tern_edge *mean = tern_build2(b, "ReduceMean", inputs[0], over);
  tern_edge *centred = tern_build2(b, "Sub", inputs[0], mean);
  tern_edge *variance = tern_build2(b, "ReduceMean", tern_build2(b, "Mul", centred, centred), over);
  outputs[3] = tern_build2(b, "Reshape", mean, as_list);
  outputs[4] = tern_build2(b, "Reshape", variance, as_list);
  return NULL;
}

static tern_status *read_batch_norm(const tern_draft *draft, tern_edge *inputs[5]) {
  if (draft->output_count > 5)
    return TERN_ERROR(TERN_INVALID_GRAPH, "there are %d outputs, 5 are known", draft->output_count);
  for (int32_t i = 0; i < 5; ++i) {
    inputs[i] = tern_draft_input(draft, i);
    if (!inputs[i]) return TERN_ERROR(TERN_INVALID_GRAPH, "input %d is missing", i);
  }
  return NULL;
}

// With spatial = 0 each element of an entry is normalised over the batch by itself, with parameters
// of the entry's shape.
tern_status *tern_upgrade_batch_norm_7(tern_draft *draft) {
  const bool spatial = tern_draft_attr_i(draft, "spatial", 1) != 0;
  tern_draft_remove_attr(draft, "spatial");
  if (spatial) return NULL;
  tern_edge *inputs[5], *outputs[5] = {NULL};
  tern_builder *b = draft->builder;
  TERN_TRY(read_batch_norm(draft, inputs));
  tern_edge *x_shape = tern_build1(b, "Shape", inputs[0]);
  tern_edge *parameter_shape = tern_build1(b, "Shape", inputs[3]);
  const int64_t flat = -1;
  inputs[0] =
      TERN_BUILD(b, "Flatten", TERN_EDGES(inputs[0]), TERN_ATTR_ARGS(tern_attr_i("axis", 1)));
  for (int32_t i = 1; i < 5; ++i)
    inputs[i] = tern_build2(b, "Reshape", inputs[i], tern_build_i64s(b, &flat, 1));
  TERN_TRY(build_batch_norm(draft, inputs, outputs));
  for (int32_t i = 0; i < draft->output_count; ++i)
    outputs[i] = tern_build2(b, "Reshape", outputs[i], i == 0 ? x_shape : parameter_shape);
  return tern_draft_replace(draft, outputs, 5);
}

tern_status *tern_upgrade_batch_norm_9(tern_draft *draft) {
  if (draft->output_count <= 1) return NULL;
  tern_edge *inputs[5], *outputs[5] = {NULL};
  TERN_TRY(read_batch_norm(draft, inputs));
  TERN_TRY(build_batch_norm(draft, inputs, outputs));
  return tern_draft_replace(draft, outputs, 5);
}
